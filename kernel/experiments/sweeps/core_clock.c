/* core_clock: few and many serialized additions; their difference is free of the timer. */
#include "core_clock.h"

#include "../../lib/string.h"
#include "../../probe/floor_probe.h"

void core_clock_add(struct task *task, struct point point)
{
    static const int64_t counts[] = {32, 1312}; /* fit the cache of decoded code */
    point.n = point.stage = ROW_NONE;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        point.k = counts[i];
        task_add(task, &task->points, &point);
    }
}

bool core_clock_is(const struct point *point)
{
    return point->metric != NULL && (strcmp(point->metric, CORE_CLOCK) == 0 ||
                                     strcmp(point->metric, CORE_CLOCK_BANDWIDTH) == 0);
}

void core_clock_sample(const struct measurement *m, const struct point *point,
                       const struct samples *samples)
{
    struct platform *p = m->platform;
    struct floor_shape shape = {.chains = 1,
                                .adds = (unsigned)point->k,
                                .timing = {.counting = samples->counting,
                                           .order = ORDER_LFENCE,
                                           .rdtscp = m->processor->rdtscp}};
    p->publish_code(p, floor_probe_emit(p->code.write, p->code.bytes, &shape));
    p->run_code(p, NULL);
    samples_run(samples, p, NULL);
}
