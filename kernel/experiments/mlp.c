/* mlp: plans the cases, draws the addresses of each sample, and measures N by K. */
#include "mlp.h"

#include "../lib/random.h"
#include "../lib/text.h"
#include "../probe/mlp_probe.h"
#include "../probe/sweep.h"
#include "measurement.h"

#define PAGE_BYTES 4096
#define LINE_BYTES 64 /* of every x86-64 processor so far */
#define LINES_PER_PAGE (PAGE_BYTES / LINE_BYTES)

struct mlp_case {
    struct platform *platform;
    const struct config *config;
    struct window window;
    enum tlb_state tlb;
    bool rdtscp;
    struct random random;
    int32_t displacement[PROBE_LOADS_MAX];
};

static const char *const page_names[] = {"4k", "2m", "1g"};

/*
 * Draws where the loads of one visit fall: random lines, each in a 4 KB page of its own within the
 * first half of the window; the base then moves by whole pages through the other half.
 */
static void draw_displacements(struct mlp_case *c, unsigned loads)
{
    uint64_t pages = c->window.bytes / 2 / PAGE_BYTES;
    if (pages > (1u << 30) / PAGE_BYTES)
        pages = (1u << 30) / PAGE_BYTES; /* a displacement has 31 bits */
    for (unsigned i = 0; i < loads; i++) {
        bool taken;
        do {
            uint64_t page = random_below(&c->random, pages);
            uint64_t line = random_below(&c->random, LINES_PER_PAGE);
            c->displacement[i] = (int32_t)(page * PAGE_BYTES + line * LINE_BYTES);
            taken = false;
            for (unsigned j = 0; j < i; j++)
                taken |= (c->displacement[i] ^ c->displacement[j]) < PAGE_BYTES;
        } while (taken);
    }
}

static uint8_t *draw_base(struct mlp_case *c)
{
    return c->window.base + random_below(&c->random, c->window.bytes / 2 / PAGE_BYTES) * PAGE_BYTES;
}

/* Brings caches and TLB into the case's state, then runs the probe. */
static uint64_t take_sample(struct mlp_case *c, unsigned loads)
{
    struct platform *p = c->platform;
    uint8_t *base = draw_base(c);
    p->evict(p, base, c->displacement, loads);
    if (c->tlb == TLB_COLD)
        p->forget_pages(p, base, c->displacement, loads);
    else
        p->touch_pages(p, base, c->displacement, loads);
    return p->run_code(p, base);
}

static void visit(void *context, uint32_t point, uint32_t *ticks, unsigned count)
{
    struct mlp_case *c = context;
    const struct config_list *loads = &c->config->mlp.loads, *fillers = &c->config->mlp.fillers;
    struct mlp_shape shape = {
        .loads = (unsigned)loads->value[point / fillers->count],
        .fillers = (unsigned)fillers->value[point % fillers->count],
        .order = c->config->mlp.order,
        .rdtscp = c->rdtscp,
    };
    draw_displacements(c, shape.loads);
    size_t length =
        mlp_probe_emit(c->platform->code.write, c->platform->code.bytes, &shape, c->displacement);
    c->platform->publish_code(c->platform, length);
    take_sample(c, shape.loads); /* brings the new code into the caches; not counted */
    for (unsigned i = 0; i < count; i++) {
        uint64_t elapsed = take_sample(c, shape.loads);
        ticks[i] = elapsed < UINT32_MAX ? (uint32_t)elapsed : UINT32_MAX;
    }
}

static void add_rows(struct measurement *m, const struct sweep *sweep)
{
    const struct config_list *loads = &m->config->mlp.loads, *fillers = &m->config->mlp.fillers;
    for (uint32_t i = 0; i < sweep->count; i++) {
        struct result_row *row = measurement_add(m, "tsc", "ticks", &sweep->points[i]);
        row->n = (int64_t)loads->value[i / fillers->count];
        row->k = (int64_t)fillers->value[i % fillers->count];
    }
}

static bool sweep_case(struct measurement *m, struct mlp_case *c)
{
    struct sweep sweep;
    struct sweep_rules rules = {
        .samples_min = (uint32_t)m->config->samples_min,
        .samples_max = (uint32_t)m->config->samples_max,
        .precision = m->config->samples_precision,
    };
    uint32_t points = m->config->mlp.loads.count * m->config->mlp.fillers.count;
    m->failure = sweep_open(&sweep, m->platform, points, &rules, m->config->seed);
    if (m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, c, measurement_progress, m);
    if (finished)
        add_rows(m, &sweep);
    else
        m->failure = "a fault ended the measurement";
    sweep_close(&sweep);
    return finished;
}

/* Why this case cannot be measured here; NULL when its window is mapped. */
static const char *prepare_case(struct measurement *m, struct mlp_case *c, enum page_size page)
{
    if (c->tlb == TLB_COLD && m->platform->forget_pages == NULL)
        return "this platform cannot invalidate a translation";
    return m->platform->map_window(m->platform, m->config->mlp.bytes, page, m->config->mlp.frames,
                                   m->config->seed, &c->window);
}

static bool measure_case(struct measurement *m, enum page_size page, enum tlb_state tlb)
{
    char variant[RESULT_NAME_MAX];
    struct text name;
    struct mlp_case c = {
        .platform = m->platform,
        .config = m->config,
        .tlb = tlb,
        .rdtscp = m->processor->rdtscp,
    };
    random_seed(&c.random, m->config->seed);
    text_init(&name, variant, sizeof variant);
    text_printf(&name, "%s%s", page_names[page], tlb == TLB_COLD ? "-cold" : "");
    measurement_start_case(m, variant);

    const char *reason = prepare_case(m, &c, page);
    if (reason != NULL) {
        measurement_skip(m, reason);
        return true;
    }
    bool finished = sweep_case(m, &c);
    m->platform->unmap_window(m->platform, &c.window);
    return finished;
}

bool mlp_measure(struct measurement *m)
{
    const struct config *config = m->config;
    m->cases = config->pages.count * config->mlp.tlb.count;
    uint64_t points = (uint64_t)config->mlp.loads.count * config->mlp.fillers.count;
    if (!measurement_reserve(m, points * m->cases))
        return false;
    for (uint32_t i = 0; i < config->pages.count; i++)
        for (uint32_t j = 0; j < config->mlp.tlb.count; j++)
            if (!measure_case(m, config->pages.index[i], config->mlp.tlb.index[j]))
                return false;
    return true;
}
