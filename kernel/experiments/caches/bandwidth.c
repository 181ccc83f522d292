/* bandwidth: many turns of a generated loop, less few. */
#include "bandwidth.h"

#include "../../cpu/processor.h"
#include "../../lib/string.h"
#include "../../probe/bandwidth_probe.h"
#include "../sweeps/cache_bandwidth_rule.h"
#include "../sweeps/core_clock.h"

/* A level's array is more than so many times the caches before it. A visit fills those with lines
 * as its own work leaves them: behind one that wrote, dirty lines go back while lines are read (a
 * Zen 5 guest: 10.4 to 11.3 bytes/cycle from memory, with this walk 12.3 to 12.9). */
#define CACHES_PART 4
#define TURN_LINES (BANDWIDTH_BLOCK / LINE_BYTES)

static const int64_t line_counts[] = {64 * TURN_LINES, 1088 * TURN_LINES};

static const struct {
    const char *metric;
    enum generator_work work;
} works[] = {
    {CACHE_BANDWIDTH_READ, GENERATOR_READ},
    {CACHE_BANDWIDTH_WRITE, GENERATOR_WRITE},
    {CACHE_BANDWIDTH_COPY, GENERATOR_COPY},
};
#define WORKS (sizeof works / sizeof *works)

void bandwidth_add(const struct bandwidth *b, struct task *task, struct point point)
{
    point.metric = CORE_CLOCK_BANDWIDTH;
    core_clock_add(task, point);
    point.n = b->width;
    for (unsigned i = 0; i < 2 * WORKS; i++) {
        point.metric = works[i % WORKS].metric;
        point.k = line_counts[i / WORKS];
        task_add(task, &task->points, &point);
    }
}

void bandwidth_start(struct bandwidth *b, uint8_t *base, uint64_t bytes)
{
    b->base = base;
    b->bytes = bytes;
    b->place = 0;
}

static struct bandwidth_shape shape_of(const struct bandwidth *b, enum generator_work work,
                                       uint64_t turns)
{
    return (struct bandwidth_shape){
        .work = work,
        .width = b->width,
        .base = b->base,
        .bytes = b->bytes,
        .turns = turns,
        .timing = {.order = ORDER_LFENCE, .rdtscp = b->m->processor->rdtscp},
    };
}

static void emit(struct bandwidth *b, const struct bandwidth_shape *shape)
{
    struct platform *p = b->m->platform;
    p->publish_code(p, bandwidth_probe_emit(p->code.write, p->code.bytes, shape));
}

static uint64_t run(struct bandwidth *b, const struct bandwidth_shape *shape)
{
    uint64_t step = generator_span(shape->work, BANDWIDTH_BLOCK);
    uint64_t span = generator_span(shape->work, b->bytes);
    uint8_t *from = b->base + b->place / step * step % span;
    b->place += shape->turns * step;
    return b->m->platform->run_code(b->m->platform, from);
}

void bandwidth_find_width(void *context)
{
    struct bandwidth *b = context;
    b->width = vector_width();
}

void bandwidth_prepare(struct bandwidth *b)
{
    struct bandwidth_shape shape = shape_of(b, GENERATOR_READ, b->bytes / BANDWIDTH_BLOCK);
    emit(b, &shape);
    run(b, &shape);
}

static void sample_work(struct bandwidth *b, enum generator_work work, const struct point *point,
                        const struct samples *samples)
{
    uint64_t turns = (uint64_t)point->k / TURN_LINES;
    struct bandwidth_shape shape = shape_of(b, work, turns);
    uint64_t walked = b->bytes <= BANDWIDTH_REWALKED ? b->bytes : b->bytes / CACHES_PART;
    uint64_t again = walked / BANDWIDTH_BLOCK / turns;
    emit(b, &shape);
    for (uint64_t i = 0; i <= again; i++)
        run(b, &shape);
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = sample_of(run(b, &shape));
}

void bandwidth_sample(struct bandwidth *b, const struct point *point, struct samples *samples)
{
    for (unsigned i = 0; i < WORKS; i++)
        if (strcmp(works[i].metric, point->metric) == 0)
            sample_work(b, works[i].work, point, samples);
}
