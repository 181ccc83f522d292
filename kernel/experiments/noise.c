/* noise: slices of spinning, with interrupts off and on, and the rows they become. */
#include "noise.h"

#include "../analysis/noise_rule.h"
#include "../probe/spin.h"
#include "measurement.h"

#define SLICE_MILLISECONDS 200 /* between two slices the console may be written */
#define SLICES_PER_SECOND (1000 / SLICE_MILLISECONDS)
#define FIXED_ROWS (GAPS_DECADES + 4) /* of a case, beside one for each slice */

typedef bool surroundings(struct platform *self, void (*work)(void *context), void *context);

struct noise_case {
    const char *name;
    surroundings *around;
    const char *refusal; /* why it cannot be had here; NULL */
};

static struct row *add_samples(struct measurement *m, const char *metric, const char *unit,
                                      uint32_t *sorted, uint32_t count)
{
    struct distribution d = {.sorted = sorted, .room = count, .count = count};
    for (uint32_t i = 0; i < count; i++)
        d.sum += sorted[i];
    return measurement_add(m, metric, unit, &d);
}

static void add_chain(struct measurement *m, struct spin *spin, unsigned slice)
{
    distribution_sort(spin->chain, SPIN_CHAINS);
    struct row *row = add_samples(m, NOISE_CHAIN, "ticks", spin->chain, SPIN_CHAINS);
    row->k = SPIN_CHAIN_ADDS;
    row->stage = slice;
    row_scale(row, 1);
}

static void add_decade(struct measurement *m, const struct spin *spin, unsigned exponent)
{
    static const struct distribution none;
    const struct gap_decade *decade = gaps_decade(&spin->gaps, exponent);
    struct row *row = measurement_add(m, NOISE_GAP, "ns", &none);
    row->n = exponent;
    row->samples = decade->count;
    if (decade->count == 0)
        return;
    row->min = decade->min;
    row->p10 = gaps_percentile(decade, exponent, 10);
    row->median = gaps_percentile(decade, exponent, 50);
    row->p90 = gaps_percentile(decade, exponent, 90);
    row->max = decade->max;
    row->mean = decade->sum / (double)decade->count;
    row_scale(row, 1);
}

static void add_smi(struct measurement *m, uint32_t before, uint32_t after)
{
    uint32_t count[] = {0, after - before}; /* the register may wrap in between */
    struct row *row = add_samples(m, NOISE_SMI, "interrupts", count, 2);
    row->min = row->p10 = before;
    row->p90 = row->max = (double)before + count[1];
    row->median = row->mean = before + count[1] / 2.0;
}

/* What stays the same over the slices, and what is only known after them. */
static void add_totals(struct measurement *m, struct spin *spin, const struct distribution *slices)
{
    uint32_t threshold = spin->threshold < UINT32_MAX ? (uint32_t)spin->threshold : UINT32_MAX;
    row_scale(add_samples(m, NOISE_LOOP, "ns", spin->loop, SPIN_LOOPS), spin->ns_per_tick);
    row_scale(add_samples(m, NOISE_THRESHOLD, "ns", &threshold, 1), spin->ns_per_tick);
    row_scale(measurement_add(m, NOISE_OBSERVED, "us", slices), 1);
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        add_decade(m, spin, i);
}

static bool run_slices(struct measurement *m, const struct noise_case *c, struct spin *spin,
                       struct distribution *observed, unsigned count)
{
    struct platform *p = m->platform;
    for (unsigned i = 0; i < count; i++) {
        if (!c->around(p, spin_slice, spin))
            return false;
        distribution_add(observed, (uint32_t)((double)spin->observed * spin->ns_per_tick / 1000));
        add_chain(m, spin, i);
        if (count > 1)
            measurement_progress(m, (i + 1.0) / count);
    }
    return true;
}

/* SMIs are counted from before the first slice until after the last, pauses included. */
static bool observe(struct measurement *m, const struct noise_case *c, unsigned count,
                    unsigned milliseconds)
{
    static struct spin spin; /* too large for a firmware's stack */
    static uint32_t slices[CONFIG_NOISE_SECONDS_MAX * SLICES_PER_SECOND];
    struct platform *p = m->platform;
    struct distribution observed;
    distribution_init(&observed, slices, sizeof slices / sizeof *slices);
    spin_start(&spin, p);
    spin.slice_ticks = p->ticks_per_second / 1000 * milliseconds;
    bool finished = p->quietly(p, spin_count_smi, &spin);
    uint32_t before = spin.smi;
    finished = finished && c->around(p, spin_calibrate, &spin) &&
               run_slices(m, c, &spin, &observed, count) && p->quietly(p, spin_count_smi, &spin);
    if (!finished) {
        m->failure = "a fault ended the measurement";
        return false;
    }
    add_totals(m, &spin, &observed);
    if (spin.smi_known)
        add_smi(m, before, spin.smi);
    return true;
}

static bool measure_case(struct measurement *m, const struct noise_case *c, unsigned count,
                         unsigned milliseconds)
{
    measurement_start_case(m, c->name);
    if (c->refusal == NULL)
        return observe(m, c, count, milliseconds);
    measurement_skip(m, c->refusal);
    return true;
}

static struct noise_case quiet_case(const struct platform *p)
{
    return (struct noise_case){"quiet", p->quietly, p->interrupts_remain};
}

/* Where `openly` is missing there are no interrupts to be had either. */
static struct noise_case open_case(const struct platform *p)
{
    return (struct noise_case){"interrupts", p->openly,
                               p->openly == NULL ? p->interrupts_remain : NULL};
}

bool noise_measure(struct measurement *m)
{
    unsigned count = (unsigned)m->config->noise.seconds * SLICES_PER_SECOND;
    struct noise_case quiet = quiet_case(m->platform), open = open_case(m->platform);
    m->cases = 2;
    if (!measurement_reserve(m, m->cases * (FIXED_ROWS + (uint64_t)count)))
        return false;
    return measure_case(m, &quiet, count, SLICE_MILLISECONDS) &&
           measure_case(m, &open, count, SLICE_MILLISECONDS);
}

bool noise_sample(struct measurement *m, unsigned milliseconds)
{
    struct noise_case quiet = quiet_case(m->platform), open = open_case(m->platform);
    m->cases = 1;
    return measurement_reserve(m, FIXED_ROWS + 1) &&
           measure_case(m, quiet.refusal == NULL ? &quiet : &open, 1, milliseconds);
}
