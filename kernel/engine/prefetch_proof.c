/* prefetch_proof: compares the medians of short streams, prefetchers on and off. */
#include "measurement.h"

#include "../lib/sort.h"
#include "../probe/mlp_probe.h"
#include "task.h"

#define PAGE_BYTES page_bytes(PAGE_4K) /* beyond one, prefetchers do not go */
#define STREAM_LOADS ((unsigned)(PAGE_BYTES / LINE_BYTES) - 1)
#define STREAMS VISIT_SAMPLES
#define LEAST_SLOWER 1.2

struct streams {
    struct measurement *m;
    struct window window;
    uint32_t ticks[STREAMS];
};

static void time_streams(void *context)
{
    struct streams *s = context;
    struct platform *p = s->m->platform;
    struct mlp_shape shape = {
        .loads = STREAM_LOADS, .dependent = true, .timing.rdtscp = s->m->processor->rdtscp};
    int32_t displacement[PROBE_LOADS_MAX];
    for (unsigned i = 0; i < STREAM_LOADS; i++)
        displacement[i] = (int32_t)(i * LINE_BYTES);
    p->publish_code(p, mlp_probe_emit(p->code.write, p->code.bytes, &shape, displacement));
    p->run_code(p, s->window.base); /* brings the new code into the caches */
    for (unsigned i = 0; i < STREAMS; i++) {
        uint8_t *page = s->window.base + (uint64_t)i * PAGE_BYTES;
        p->evict(p, page, displacement, STREAM_LOADS);
        s->ticks[i] = sample_of(p->run_code(p, page));
    }
    sort_numbers(s->ticks, STREAMS);
}

/* Returns the streams' median; 0: a fault. */
static double time_of(struct streams *s, enum setting_choice choice)
{
    struct platform *p = s->m->platform;
    p->set_prefetch(p, choice);
    return p->quietly(p, time_streams, s) ? s->ticks[STREAMS / 2] : 0;
}

static const char *prove(struct measurement *m)
{
    struct streams s = {.m = m};
    struct platform *p = m->platform;
    struct window_request request = {
        .bytes = STREAMS * PAGE_BYTES, .page = PAGE_4K, .node = NODE_ANY};
    const char *reason = p->map_window(p, &request, &s.window);
    if (reason != NULL)
        return reason;
    double on = time_of(&s, SETTING_ON), off = time_of(&s, SETTING_OFF);
    p->unmap_window(p, &s.window);
    return on > 0 && off > LEAST_SLOWER * on ? NULL
                                             : "switched off, but a streaming walk gets no slower";
}

const char *prefetch_proof(struct measurement *m)
{
    if (!m->prefetch_is_tried)
        m->prefetch_doubt = prove(m);
    m->prefetch_is_tried = true;
    return m->prefetch_doubt;
}
