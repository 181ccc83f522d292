/* noise: watches the time that a spinning core is not given, and the core's state, in slices. */
#include "noise_rule.h"

#include "../../engine/rounds.h"
#include "../../probe/sentinel.h"
#include "../../probe/spin.h"
#include "../experiment.h"
#include "../settings.h"

#define SLICES_MAX (CONFIG_NOISE_SECONDS_MAX * SLICES_PER_SECOND)
#define CORE_SLICES 30   /* spread over the experiment */
#define CORE_VISITS 50   /* to the sentinel, in each; a fraction of a millisecond apart: */
#define CHAINS_COUNTED 3 /* of the chains between: so many follow a clock that moves */
#define CHAINS_APART 600 /* some 720,000 cycles: states last for half a million and more */

_Static_assert(CORE_VISITS <= SPIN_CHAINS, "both kinds of slices have the same rules");

enum noise_case { CASE_QUIET, CASE_OPEN, SPINS, CASE_CORE = SPINS };

/* The data of a case that spins. */
struct spinning {
    struct spin spin;
    struct distribution observed; /* microseconds of each slice */
    uint32_t slices[SLICES_MAX];
    bool is_calibrated, smi_known;
    uint32_t smi; /* count before the first slice */
};

struct noise {
    struct measurement *m;
    struct task task;
};

/* Returns what a case that spins keeps; NULL: nothing, it was not added. */
static struct spinning *spinning_of(const struct noise *n, uint32_t case_id)
{
    return measurement_data(n->m, case_id);
}

/* Watches for a slice, whose chains are the samples. The loop is timed once, where it watches. */
static void visit_spinning(struct spinning *s, struct samples *samples)
{
    if (!s->is_calibrated)
        spin_calibrate(&s->spin);
    s->is_calibrated = true;
    spin_slice(&s->spin);
    distribution_add(&s->observed,
                     (uint32_t)((double)s->spin.observed * s->spin.ns_per_tick / 1000));
    for (unsigned i = 0; i < SPIN_CHAINS; i++)
        samples->at[i] = s->spin.chain[i];
    samples->count = SPIN_CHAINS;
}

/* Looks at the core for a slice, additions between. A sample is 1 where it was shared and 0 where
 * it was whole; visits in neither state are no samples. */
static void visit_core(const struct measurement *m, struct samples *samples)
{
    double before[SENTINEL_LOOKS], after[SENTINEL_LOOKS];
    samples->count = 0;
    for (unsigned i = 0; i < CORE_VISITS; i++) {
        for (unsigned j = 0; j < CHAINS_APART; j++) {
            uint32_t ticks = m->platform->sentinel_chain(m->platform);
            if (j + CHAINS_COUNTED >= CHAINS_APART)
                states_add_chain(m->states, ticks, SENTINEL_CHAIN);
        }
        rounds_look(m->platform, m->states, before);
        rounds_look(m->platform, m->states, after);
        enum core_state state =
            states_of_visit(m->states, (struct state_look){before, SENTINEL_LOOKS, PAIR_UNKNOWN},
                            (struct state_look){after, SENTINEL_LOOKS, PAIR_UNKNOWN});
        if (state != CORE_BETWEEN)
            samples->at[samples->count++] = state == CORE_SHARED;
    }
    samples->interrupted = CORE_VISITS - samples->count;
}

static void visit_slice(void *context, const struct point *point, struct samples *samples)
{
    struct noise *n = context;
    if (point->case_id == CASE_CORE)
        visit_core(n->m, samples);
    else
        visit_spinning(spinning_of(n, point->case_id), samples);
}

/* Reads the count of SMIs: from before the first slice until after the last, pauses included. */
static bool count_smi(struct noise *n, struct spinning *s)
{
    return n->m->platform->quietly(n->m->platform, spin_count_smi, &s->spin) ||
           measurement_fail(n->m, measurement_faulted);
}

static void add_decade(struct noise *n, uint32_t case_id, unsigned exponent)
{
    const struct gap_decade *decade = &spinning_of(n, case_id)->spin.gaps.decade[exponent];
    struct row *row = measurement_add(n->m, case_id, NOISE_GAP, "ns", NULL);
    row->n = exponent;
    row->samples = decade->count;
    if (decade->count == 0)
        return;
    row->min = decade->min;
    row->p1 = gaps_percentile(decade, exponent, 1);
    row->p10 = gaps_percentile(decade, exponent, 10);
    row->median = gaps_percentile(decade, exponent, 50);
    row->p90 = gaps_percentile(decade, exponent, 90);
    row->max = decade->max;
    row->mean = decade->sum / (double)decade->count;
    row_scale(row, 1);
}

static void add_smi(struct noise *n, uint32_t case_id, const struct spinning *s)
{
    uint32_t count = s->spin.smi - s->smi; /* the register may wrap in between */
    struct row *row = measurement_add(n->m, case_id, NOISE_SMI, "interrupts", NULL);
    row->samples = 2;
    row->min = row->p1 = row->p10 = s->smi;
    row->p90 = row->max = (double)s->smi + count;
    row->median = row->mean = s->smi + count / 2.0;
}

static struct row *add_samples(struct noise *n, uint32_t case_id, const char *metric,
                               uint32_t *sorted, uint32_t count)
{
    struct distribution d = {.sorted = sorted, .room = count, .count = count};
    for (uint32_t i = 0; i < count; i++)
        d.sum += sorted[i];
    return measurement_add(n->m, case_id, metric, "ns", &d);
}

/* Adds what stays the same over the slices, and what is only known after them. */
static void add_totals(struct noise *n, uint32_t case_id)
{
    struct spinning *s = spinning_of(n, case_id);
    double ns = s->spin.ns_per_tick;
    uint32_t threshold = sample_of(s->spin.threshold);
    row_scale(add_samples(n, case_id, NOISE_LOOP, s->spin.loop, SPIN_LOOPS), ns);
    row_scale(add_samples(n, case_id, NOISE_THRESHOLD, &threshold, 1), ns);
    row_scale(measurement_add(n->m, case_id, NOISE_OBSERVED, "us", &s->observed), 1);
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        add_decade(n, case_id, i);
    if (s->smi_known && s->spin.smi_known)
        add_smi(n, case_id, s);
}

/* Adds a point for each slice. */
static void add_slices(struct noise *n, struct point point, unsigned count)
{
    point.n = point.bytes = ROW_NONE;
    for (; point.stage < count; point.stage++)
        task_add(&n->task, &n->task.points, &point);
}

static bool start_spinning(struct noise *n, uint32_t case_id, unsigned count, unsigned milliseconds)
{
    struct spinning *s = spinning_of(n, case_id);
    if (s == NULL)
        return false;
    distribution_init(&s->observed, s->slices, SLICES_MAX);
    spin_start(&s->spin, n->m->platform);
    s->spin.slice_ticks = n->m->platform->ticks_per_second / 1000 * milliseconds;
    if (!count_smi(n, s))
        return false;
    s->smi_known = s->spin.smi_known;
    s->smi = s->spin.smi;
    struct point slice = {.case_id = case_id, .k = SPIN_CHAIN_ADDS, .metric = NOISE_CHAIN};
    add_slices(n, slice, count);
    return true;
}

static uint32_t add_noise_case(struct measurement *m, const char *pattern, bool interrupts,
                               uint64_t data_bytes)
{
    struct variant variant = {.has_page = false};
    name_copy(variant.pattern, pattern);
    uint32_t case_id = measurement_add_case(m, &variant, data_bytes);
    measurement_case(m, case_id)->interrupts = interrupts;
    return case_id;
}

/* Adds the core's slices among those of the case that spins here. */
static void start_core_looks(struct noise *n)
{
    struct measurement *m = n->m;
    bool interrupts = m->platform->interrupts_remain != NULL && m->platform->openly != NULL;
    uint32_t case_id = add_noise_case(m, NOISE_CORE, interrupts, 0);
    struct point slice = {.case_id = case_id,
                          .k = ROW_NONE,
                          .metric = NOISE_SHARED,
                          .unit = "share",
                          .needs = POINT_GLANCE};
    if (m->states != NULL && m->platform->sentinel_side_by_side != NULL)
        add_slices(n, slice, CORE_SLICES);
    else
        measurement_skip(m, case_id,
                         m->is_emulated ? "an emulator's core has no states"
                                        : "here nothing tells the states of a core");
}

/* Starts both cases, or in a brief measurement the first that is possible. */
static bool start_cases(struct noise *n)
{
    struct measurement *m = n->m;
    const struct platform *p = m->platform;
    unsigned count = m->brief ? 1 : (unsigned)m->config->noise.seconds * SLICES_PER_SECOND;
    bool is_short = m->brief || m->is_emulated;
    unsigned milliseconds = is_short ? NOISE_BRIEF_MILLISECONDS : 1000 / SLICES_PER_SECOND;
    /* Without `openly`, no interrupts can be enabled. */
    const char *refusal[SPINS] = {p->interrupts_remain,
                                  p->openly == NULL ? p->interrupts_remain : p->no_interrupts};
    static const char *const names[SPINS] = {"quiet", NOISE_INTERRUPTS};
    for (uint32_t id = 0; id < SPINS; id++) {
        add_noise_case(m, names[id], id == CASE_OPEN, sizeof(struct spinning));
        if (m->brief && id == CASE_OPEN && refusal[CASE_QUIET] == NULL)
            continue;
        if (refusal[id] == NULL && !start_spinning(n, id, count, milliseconds))
            return false;
        if (refusal[id] != NULL && !(m->brief && id == CASE_QUIET))
            measurement_skip(m, id, refusal[id]);
    }
    if (!m->brief)
        start_core_looks(n);
    return true;
}

static bool noise_measure(struct measurement *m)
{
    struct noise n = {.m = m};
    n.task = settings_task(m, &n, visit_slice);
    /* A slice is watched once, however its chains scatter. */
    n.task.rules = (struct rounds_rules){.samples_min = 1,
                                         .samples_max = SPIN_CHAINS,
                                         .precision = SPIN_CHAINS,
                                         .visit_samples = SPIN_CHAINS,
                                         .visits_min = 1};
    /* In any case it closes the task. */
    bool is_started = start_cases(&n);
    if (!engine_run(&n.task) || !is_started)
        return false;
    for (uint32_t id = 0; id < SPINS; id++)
        if (spinning_of(&n, id)->observed.count > 0) {
            if (!count_smi(&n, spinning_of(&n, id)))
                return false;
            add_totals(&n, id);
        }
    return m->failure == NULL;
}

static double noise_seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    const struct platform *p = m->platform;
    bool both = p->interrupts_remain == NULL && p->openly != NULL && p->no_interrupts == NULL;
    return (both ? 2 : 1) * (double)m->config->noise.seconds + 0.3;
}

const struct experiment experiment_noise = {
    .name = "noise",
    .shows =
        "the time that interrupts and neighbours take from a core, and the drift of its frequency",
    .turn = TURN_AROUND,
    .measure = noise_measure,
    .seconds = noise_seconds,
    .rule = &rule_noise,
};
