/* smt: what structures, mlp and array measure, with the sibling asleep, on NOPs, and loading.
 *
 * All three works of a filler are in the same rounds, so that they meet the same drift: rounds
 * order the sibling anew for each slice. Arrays of a size follow each other directly. The engine's
 * sentinel only labels the visits: a case's sibling is to be what its name says, and the rule
 * compares.
 */
#include "smt_rule.h"

#include "../experiment.h"
#include "../sweeps/loads.h"

static bool measure_loads(struct measurement *m)
{
    struct loads loads;
    struct setting setting = settings_get(m, CONFIG_NODE_LOCAL, PAGE_4K, 0);
    setting.variant.tlb = TLB_WARM;
    loads_start(&loads, m, true);
    loads_add_structures(&loads);
    for (SIBLING_CASES(work, m)) {
        setting.variant.sibling = work;
        loads_add_cross(&loads, &setting);
    }
    return engine_run(&loads.task);
}

/* Adds in how many visits the sibling read something: one that hangs, or has finished, is none. */
static void add_reading(struct measurement *m)
{
    for (uint32_t i = 0; i < m->case_count; i++) {
        const struct measured_case *c = measurement_case(m, i);
        if (c->beside > 0)
            measurement_add_value(m, i, SMT_READING, "%", 100.0 * c->beside_reading / c->beside);
    }
}

static const char *start_sibling(const struct measurement *m, uint64_t bytes)
{
    struct generators_request request = {.are_siblings = true, .bytes = bytes, .node = NODE_ANY};
    unsigned started;
    if (m->platform->start_generators == NULL)
        return "this processor has no other threads that could be started";
    return m->platform->start_generators(m->platform, &request, &started);
}

static bool measure_smt(struct measurement *m)
{
    struct variant nobody = {.pattern = SMT_NOBODY};
    const char *reason = start_sibling(m, m->config->mlp.bytes);
    if (reason != NULL) {
        measurement_skip(m, measurement_add_case(m, &nobody, 0), reason);
        return m->failure == NULL;
    }
    m->tasks = 2;
    m->beside_sibling = true;
    bool finished = measure_loads(m) && experiment_array.measure(m);
    m->platform->stop_generators(m->platform);
    add_reading(m);
    return finished && m->failure == NULL;
}

/* Estimates the time: three times that of structures and mlp, and chains. Starts a sibling only to
 * see if there is one, without an array, which it would write from end to end. */
static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    if (start_sibling(m, 0) != NULL)
        return 0;
    m->platform->stop_generators(m->platform);
    return loads_seconds(6);
}

const struct experiment experiment_smt = {
    .name = "smt",
    .shows = "the structures that two threads of a core share: whole, halved or competitive",
    .measure = measure_smt,
    .seconds = seconds,
    .rule = &rule_smt,
};
