/* noise: slices of spinning, with interrupts off and on, slices of looks at the sentinel, and the
 * rows they become. */
#include "noise_rule.h"

#include "../../probe/sentinel.h"
#include "../../probe/spin.h"
#include "../experiment.h"
#include "../settings.h"
#include "core_watch.h"

#define SLICE_MILLISECONDS 200 /* between two slices the console may be written */
#define SLICES_PER_SECOND (1000 / SLICE_MILLISECONDS)
#define SLICES_MAX (CONFIG_NOISE_SECONDS_MAX * SLICES_PER_SECOND)

_Static_assert(SPIN_CHAINS <= VISIT_SAMPLES_MAX, "a slice is a visit");
_Static_assert(CORE_VISITS <= SPIN_CHAINS, "both kinds of slices have the same rules");

enum noise_case { CASE_QUIET, CASE_OPEN, SPINS, CASE_CORE = SPINS };

/* One case: what was noticed so far. */
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
    struct spinning of[SPINS];
    struct core_watch core;
};

/* The loop is timed once, where it will be watched. */
static void calibrate(struct spinning *s)
{
    if (!s->is_calibrated)
        spin_calibrate(&s->spin);
    s->is_calibrated = true;
}

static void spin(struct noise *n, const struct point *point, struct samples *samples)
{
    struct spinning *s = &n->of[point->of];
    calibrate(s);
    spin_slice(&s->spin);
    distribution_add(&s->observed,
                     (uint32_t)((double)s->spin.observed * s->spin.ns_per_tick / 1000));
    for (unsigned i = 0; i < SPIN_CHAINS; i++)
        samples->at[i] = s->spin.chain[i];
    samples->count = SPIN_CHAINS;
}

/* A slice is a visit; the chains in it, or the looks, are the samples. */
static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct noise *n = context;
    if (point->of != CASE_CORE) {
        spin(n, point, samples);
        return;
    }
    core_watch_slice(&n->core, (unsigned)point->stage, samples->at);
    samples->count = CORE_VISITS;
}

/* SMIs are counted from before the first slice until after the last, pauses included. */
static bool count_smi(struct noise *n, struct spinning *s)
{
    if (n->m->platform->quietly(n->m->platform, spin_count_smi, &s->spin))
        return true;
    n->m->failure = "a fault ended the measurement";
    return false;
}

static void add_decade(struct noise *n, uint32_t of, unsigned exponent)
{
    const struct gap_decade *decade = gaps_decade(&n->of[of].spin.gaps, exponent);
    struct row *row = measurement_add(n->m, of, NOISE_GAP, "ns", NULL);
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

static void add_smi(struct noise *n, uint32_t of)
{
    const struct spinning *s = &n->of[of];
    uint32_t count = s->spin.smi - s->smi; /* the register may wrap in between */
    struct row *row = measurement_add(n->m, of, NOISE_SMI, "interrupts", NULL);
    row->samples = 2;
    row->min = row->p1 = row->p10 = s->smi;
    row->p90 = row->max = (double)s->smi + count;
    row->median = row->mean = s->smi + count / 2.0;
}

/* Each visit is a sample: 1 where the core was shared, 0 where it was whole. */
static void add_share(struct noise *n, unsigned slice)
{
    uint32_t visits[CORE_STATES], sorted[CORE_VISITS];
    core_watch_count(&n->core, slice, visits);
    struct distribution d = {.sorted = sorted, .room = CORE_VISITS, .sum = visits[CORE_SHARED]};
    d.count = visits[CORE_WHOLE] + visits[CORE_SHARED];
    d.discarded = visits[CORE_BETWEEN];
    for (uint32_t i = 0; i < d.count; i++)
        sorted[i] = i >= visits[CORE_WHOLE];
    measurement_add(n->m, CASE_CORE, NOISE_SHARED, "share", &d)->stage = slice;
}

static void add_core(struct noise *n)
{
    measurement_add_value(n->m, CASE_CORE, NOISE_PUBLISHED, "cycles", n->m->states->published)->k =
        SENTINEL_ADDS;
    for (unsigned slice = 0; slice < CORE_SLICES; slice++)
        add_share(n, slice);
}

static struct row *add_samples(struct noise *n, uint32_t of, const char *metric, uint32_t *sorted,
                               uint32_t count)
{
    struct distribution d = {.sorted = sorted, .room = count, .count = count};
    for (uint32_t i = 0; i < count; i++)
        d.sum += sorted[i];
    return measurement_add(n->m, of, metric, "ns", &d);
}

/* What stays the same over the slices, and what is only known after them. */
static void add_totals(struct noise *n, uint32_t of)
{
    struct spinning *s = &n->of[of];
    double ns = s->spin.ns_per_tick;
    uint32_t threshold = sample_of(s->spin.threshold);
    row_scale(add_samples(n, of, NOISE_LOOP, s->spin.loop, SPIN_LOOPS), ns);
    row_scale(add_samples(n, of, NOISE_THRESHOLD, &threshold, 1), ns);
    row_scale(measurement_add(n->m, of, NOISE_OBSERVED, "us", &s->observed), 1);
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        add_decade(n, of, i);
    if (s->smi_known && s->spin.smi_known)
        add_smi(n, of);
}

static void add_slice(struct noise *n, uint32_t of, unsigned slice, int64_t k, const char *metric)
{
    struct point point = {
        .of = of, .n = ROW_NONE, .k = k, .bytes = ROW_NONE, .stage = slice, .metric = metric};
    task_add(&n->task, &n->task.points, &point);
}

static bool start_case(struct noise *n, uint32_t of, unsigned count, unsigned milliseconds)
{
    struct spinning *s = &n->of[of];
    distribution_init(&s->observed, s->slices, SLICES_MAX);
    spin_start(&s->spin, n->m->platform);
    s->spin.slice_ticks = n->m->platform->ticks_per_second / 1000 * milliseconds;
    s->is_calibrated = false;
    if (!count_smi(n, s))
        return false;
    s->smi_known = s->spin.smi_known;
    s->smi = s->spin.smi;
    for (unsigned i = 0; i < count; i++)
        add_slice(n, of, i, SPIN_CHAIN_ADDS, NOISE_CHAIN);
    return true;
}

static bool has_core(const struct measurement *m)
{
    return m->states != NULL && m->platform->sentinel_side_by_side != NULL && !m->brief;
}

/* Its slices are among those of the case that spins here. */
static void start_core(struct noise *n)
{
    struct measurement *m = n->m;
    struct variant variant = {.has_page = false};
    name_copy(variant.pattern, "core");
    uint32_t of = measurement_add_case(m, &variant, 0);
    measurement_case(m, of)->interrupts =
        m->platform->interrupts_remain != NULL && m->platform->openly != NULL;
    n->core.platform = m->platform;
    n->core.states = m->states;
    for (unsigned i = 0; has_core(m) && i < CORE_SLICES; i++)
        add_slice(n, of, i, SENTINEL_ADDS, NOISE_SENTINEL);
    if (!has_core(m))
        measurement_add(m, of, NOISE_SHARED, "here nothing tells the states of a core", NULL);
}

/* Both cases, or in a brief measurement the first that can be had. */
static bool start_cases(struct noise *n)
{
    struct measurement *m = n->m;
    const struct platform *p = m->platform;
    unsigned count = m->brief ? 1 : (unsigned)m->config->noise.seconds * SLICES_PER_SECOND;
    unsigned milliseconds = m->brief ? NOISE_BRIEF_MILLISECONDS : SLICE_MILLISECONDS;
    /* Where `openly` is missing there are no interrupts to be had. */
    const char *refusal[SPINS] = {p->interrupts_remain,
                                  p->openly == NULL ? p->interrupts_remain : p->no_interrupts};
    static const char *const names[SPINS] = {"quiet", NOISE_INTERRUPTS};
    for (uint32_t of = 0; of < SPINS; of++) {
        struct variant variant = {.has_page = false};
        name_copy(variant.pattern, names[of]);
        measurement_add_case(m, &variant, 0);
        measurement_case(m, of)->interrupts = of == CASE_OPEN;
        if (m->brief && of == CASE_OPEN && refusal[CASE_QUIET] == NULL)
            continue;
        if (refusal[of] == NULL && !start_case(n, of, count, milliseconds))
            return false;
        if (refusal[of] != NULL && !(m->brief && of == CASE_QUIET))
            measurement_skip(m, of, refusal[of]);
    }
    if (!m->brief)
        start_core(n);
    return true;
}

static bool measure(struct measurement *m)
{
    static struct noise n; /* too large for a firmware's stack */
    n.m = m;
    n.task = (struct task){
        .measurement = m,
        /* A slice is watched once, however its chains scatter. */
        .rules = {.samples_min = 1,
                  .samples_max = SPIN_CHAINS,
                  .precision = SPIN_CHAINS,
                  .visit_samples = SPIN_CHAINS,
                  .visits_min = 1},
        .seed = m->config->seed,
        .context = &n,
        .visit = visit,
    };
    n.of[CASE_QUIET].observed.count = n.of[CASE_OPEN].observed.count = 0;
    /* In any case it closes the task. */
    bool is_started = start_cases(&n);
    if (!engine_run(&n.task) || !is_started)
        return false;
    for (uint32_t of = 0; of < SPINS; of++)
        if (n.of[of].observed.count > 0) {
            if (!count_smi(&n, &n.of[of]))
                return false;
            add_totals(&n, of);
        }
    if (has_core(m))
        add_core(&n);
    return m->failure == NULL;
}

static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    const struct platform *p = m->platform;
    bool both = p->interrupts_remain == NULL && p->openly != NULL && p->no_interrupts == NULL;
    return (both ? 2 : 1) * (double)m->config->noise.seconds + 0.3;
}

const struct experiment experiment_noise = {
    .name = "noise",
    .shows = "the time a spinning core is not given, and how steady its frequency is",
    .turn = TURN_AROUND,
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_noise,
};
