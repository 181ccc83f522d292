/* timeline: one probe again and again, counted in spans that end a cycle later each time. */
#include "timeline_rule.h"

#include "../../engine/counted.h"
#include "../../engine/windows.h"
#include "../../probe/floor_probe.h"
#include "../../probe/load_sampler.h"
#include "../experiment.h"
#include "../settings.h"

#define CASES_MAX 32
/* Additions retire one a cycle: what stands at another cycle tells how far to trust the others.
 * Longer spans than these see all of them on any core. */
#define ADDITIONS_CYCLES 256

struct timeline {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct load_sampler sampler[CASES_MAX]; /* by case */
    uint32_t additions;                     /* the case of them */
};

static void run_additions(const struct timeline *t, const struct point *point,
                          const struct timing *timing, struct samples *samples)
{
    struct platform *p = t->m->platform;
    const struct floor_shape shape = {.chains = 1, .adds = (unsigned)point->k, .timing = *timing};
    p->publish_code(p, floor_probe_emit(p->code.write, p->code.bytes, &shape));
    p->run_code(p, NULL); /* brings the new code into the caches; not counted */
    for (unsigned i = 0; i < samples->count; i++) {
        if (samples->counting != NULL)
            p->set_span(p, samples->counting->span);
        counting_keep(samples->counting, p->run_code(p, NULL), samples->at, i, samples->count);
    }
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct timeline *t = context;
    const struct timing timing = {.counting = samples->counting, .rdtscp = t->m->processor->rdtscp};
    const struct mlp_shape shape = {
        .loads = (unsigned)point->n, .fillers = (unsigned)point->k, .timing = timing};
    if (point->of == t->additions)
        run_additions(t, point, &timing, samples);
    else
        load_sampler_visit(&t->sampler[point->of], &shape, samples->at, samples->count);
}

/* Timed once, so that the whole of it is known, and counted in each span. */
static void add_points(struct timeline *t, uint32_t of, int64_t n, uint64_t k, uint64_t longest)
{
    const struct config_list *cycles = &t->m->config->timeline.cycles;
    struct point point = {
        .of = of, .group = of, .n = n, .k = (int64_t)k, .bytes = ROW_NONE, .stage = ROW_NONE};
    task_add(&t->task, &t->task.points, &point);
    for (uint32_t i = 0; i < cycles->count; i++) {
        point.stage = (int64_t)cycles->value[i];
        if (cycles->value[i] <= longest)
            task_add(&t->task, &t->task.counted, &point);
    }
}

static const char *open_window(struct timeline *t, const struct setting *setting, uint32_t of)
{
    const struct config *config = t->m->config;
    const struct window *window;
    const struct load_conditions conditions = {.bytes = config->mlp.bytes,
                                               .loads = (unsigned)config->timeline.loads,
                                               .page = setting->of.page,
                                               .tlb = setting->of.tlb,
                                               .data = DATA_MEMORY,
                                               .seed = config->seed};
    const struct window_request request = {.bytes = load_conditions_bytes(&conditions),
                                           .page = conditions.page,
                                           .seed = conditions.seed,
                                           .node = setting->node};
    const char *reason = load_conditions_refusal(t->m->platform, &conditions);
    if (reason == NULL && of >= CASES_MAX)
        reason = "more cases than timeline has room for";
    if (reason == NULL)
        reason = windows_get(&t->windows, &request, true, &window);
    if (reason != NULL)
        return reason;
    load_sampler_init(&t->sampler[of], t->m->platform, &conditions, window);
    t->sampler[of].keeps_lines = true;
    return NULL;
}

static void add_loads(struct timeline *t, const struct setting *setting, const char *refusal)
{
    const struct config *config = t->m->config;
    uint32_t of = measurement_add_case(t->m, &setting->of, 0);
    const char *reason = refusal != NULL ? refusal : settings_refusal(t->m, setting);
    if (t->m->failure != NULL)
        return;
    if (reason == NULL)
        reason = open_window(t, setting, of);
    if (reason != NULL)
        measurement_skip(t->m, of, reason);
    else
        add_points(t, of, (int64_t)config->timeline.loads, config->timeline.fillers, UINT64_MAX);
}

static void add_additions(struct timeline *t, const char *refusal)
{
    struct variant of = {.has_page = false};
    name_copy(of.pattern, TIMELINE_ADDITIONS);
    name_copy(of.label, t->m->config->variant);
    t->additions = measurement_add_case(t->m, &of, 0);
    if (refusal != NULL)
        measurement_skip(t->m, t->additions, refusal);
    else
        add_points(t, t->additions, ROW_NONE, TIMELINE_ADDITIONS_COUNT, ADDITIONS_CYCLES);
}

static bool measure(struct measurement *m)
{
    static struct timeline t; /* too large for a firmware's stack */
    const struct config *config = m->config;
    const char *refusal = counted_span_refusal(m->platform);
    t.m = m;
    t.task = (struct task){.measurement = m,
                           .rules = settings_rules(config),
                           .seed = config->seed,
                           .context = &t,
                           .visit = visit,
                           .in_spans = true};
    windows_init(&t.windows, m->platform);
    add_additions(&t, refusal);
    for (uint32_t page = 0; page < config->pages.count; page++)
        for (uint32_t tlb = 0; tlb < config->timeline.tlb.count; tlb++)
            for (unsigned i = 0; i < settings_count(m, CONFIG_NODE_LOCAL); i++) {
                struct setting setting =
                    settings_get(m, CONFIG_NODE_LOCAL, config->pages.index[page], i);
                setting.of.tlb = config->timeline.tlb.index[tlb];
                add_loads(&t, &setting, refusal);
            }
    bool finished = engine_run(&t.task);
    windows_close(&t.windows);
    return finished;
}

/* Each end of the counting in some passes of some dozens of samples. */
static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double ends = (double)config->timeline.cycles.count * config->timeline.tlb.count;
    bool counts = counted_span_refusal(m->platform) == NULL;
    return counts ? pages * settings_count(m, CONFIG_NODE_LOCAL) * ends * 2e-3 : 0;
}

const struct experiment experiment_timeline = {
    .name = "timeline",
    .shows = "what is in flight in each cycle of one probe, by the counters",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_timeline,
};
