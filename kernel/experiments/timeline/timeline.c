/* timeline: runs one probe again and again, counted in spans that end a cycle later each time. */
#include "timeline_rule.h"

#include "../../engine/counted.h"
#include "../experiment.h"
#include "../settings.h"
#include "../sweeps/core_clock.h"

/* Additions retire one a cycle: their curve shows how far the cycles of the others can be trusted.
 * Any core retires all of them in that many cycles. */
#define ADDITIONS_CYCLES 256

struct timeline {
    struct measurement *m;
    struct task task;
};

/* Takes samples of the loads of a case, or of additions where its data holds no loads. */
static void visit_span(void *context, const struct point *point, struct samples *samples)
{
    struct timeline *t = context;
    const struct mlp_shape shape = {
        .loads = (unsigned)point->n,
        .fillers = (unsigned)point->k,
        .timing = {.counting = samples->counting, .rdtscp = t->m->processor->rdtscp}};
    struct load_sampler *sampler = measurement_data(t->m, point->case_id);
    if (sampler == NULL)
        core_clock_sample(t->m, point, samples);
    else
        load_sampler_visit(sampler, &shape, samples->at, samples->count);
}

/* Adds a point that is timed, for the length of the probe, and counted in each span. */
static void add_spans(struct timeline *t, uint32_t case_id, int64_t n, uint64_t k, uint64_t longest)
{
    const struct config_list *cycles = &t->m->config->timeline.cycles;
    struct point point = {.case_id = case_id,
                          .group = case_id,
                          .n = n,
                          .k = (int64_t)k,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE};
    task_add(&t->task, &t->task.points, &point);
    for (uint32_t i = 0; i < cycles->count; i++) {
        point.stage = (int64_t)cycles->value[i];
        if (cycles->value[i] <= longest)
            task_add(&t->task, &t->task.counted, &point);
    }
}

static const char *prepare_loads(struct timeline *t, const struct setting *setting,
                                 struct load_sampler *sampler)
{
    const struct load_conditions conditions =
        settings_loads(t->m, setting, t->m->config->timeline.loads);
    const char *reason = windows_get_for_loads(t->m, &conditions, setting->node, sampler);
    sampler->keeps_lines = true;
    return reason;
}

static void add_loads(struct timeline *t, const struct setting *setting, const char *refusal)
{
    const struct config *config = t->m->config;
    uint32_t case_id = measurement_add_case(t->m, &setting->variant, sizeof(struct load_sampler));
    if (t->m->failure != NULL)
        return;
    const char *reason = refusal
                             ?: settings_refusal(t->m, setting)
                             ?: prepare_loads(t, setting, measurement_data(t->m, case_id));
    if (reason != NULL)
        measurement_skip(t->m, case_id, reason);
    else
        add_spans(t, case_id, (int64_t)config->timeline.loads, config->timeline.fillers,
                  UINT64_MAX);
}

static void add_additions(struct timeline *t, const char *refusal)
{
    struct variant variant = {.has_page = false};
    name_copy(variant.pattern, TIMELINE_ADDITIONS);
    name_copy(variant.label, t->m->config->variant);
    uint32_t case_id = measurement_add_case(t->m, &variant, 0);
    if (refusal != NULL)
        measurement_skip(t->m, case_id, refusal);
    else
        add_spans(t, case_id, ROW_NONE, TIMELINE_ADDITIONS_COUNT, ADDITIONS_CYCLES);
}

static bool timeline_measure(struct measurement *m)
{
    const struct config_choices *tlb = &m->config->timeline.tlb;
    const char *refusal = counted_span_refusal(m->platform);
    struct settings all = {.m = m, .nodes = CONFIG_NODE_LOCAL};
    struct setting setting;
    struct timeline t = {.m = m};
    t.task = settings_task(m, &t, visit_span);
    t.task.in_spans = true;
    add_additions(&t, refusal);
    while (settings_next(&all, &setting))
        for (uint32_t i = 0; i < tlb->count; i++) {
            setting.variant.tlb = (enum tlb_state)tlb->index[i];
            add_loads(&t, &setting, refusal);
        }
    return engine_run(&t.task);
}

/* Each span is counted in some passes of some dozens of samples. */
static double timeline_seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double spans = (double)config->timeline.cycles.count * config->timeline.tlb.count;
    bool counts = counted_span_refusal(m->platform) == NULL;
    return counts ? pages * settings_count(m, CONFIG_NODE_LOCAL) * spans * 2e-3 : 0;
}

const struct experiment experiment_timeline = {
    .name = "timeline",
    .shows = "the events of one probe, cycle by cycle, by the counters",
    .measure = timeline_measure,
    .seconds = timeline_seconds,
    .rule = &rule_timeline,
};
