/* sweep: rounds, the stop rule, and the discarding of disturbed samples. */
#include "sweep.h"

#include "native.h"

#define SLICES_PER_SECOND 5 /* between two slices the console may be written */

const char *sweep_open(struct sweep *sweep, struct platform *platform, uint32_t count,
                       const struct sweep_rules *rules, uint64_t seed)
{
    *sweep = (struct sweep){.platform = platform, .rules = *rules, .count = count};
    if (sweep->rules.values == 0)
        sweep->rules.values = 1;
    random_seed(&sweep->random, seed);
    uint64_t distributions = (uint64_t)count * sweep->rules.values;
    uint64_t room = distributions * rules->samples_max;
    sweep->points = platform->allocate(platform, distributions * sizeof *sweep->points);
    sweep->order = platform->allocate(platform, count * sizeof *sweep->order);
    sweep->samples = platform->allocate(platform, room * sizeof *sweep->samples);
    if (sweep->points == NULL || sweep->order == NULL || sweep->samples == NULL) {
        sweep_close(sweep);
        return "not enough memory for the samples; lower samples.max or the number of points";
    }
    for (uint64_t i = 0; i < distributions; i++)
        distribution_init(&sweep->points[i], sweep->samples + i * rules->samples_max,
                          rules->samples_max);
    for (uint32_t i = 0; i < count; i++)
        sweep->order[i] = i;
    sweep->active = count;
    random_shuffle(&sweep->random, sweep->order, sweep->active);
    return NULL;
}

void sweep_close(struct sweep *sweep)
{
    struct platform *platform = sweep->platform;
    uint64_t distributions = (uint64_t)sweep->count * sweep->rules.values;
    uint64_t room = distributions * sweep->rules.samples_max;
    if (sweep->samples != NULL)
        platform->release(platform, sweep->samples, room * sizeof *sweep->samples);
    if (sweep->order != NULL)
        platform->release(platform, sweep->order, sweep->count * sizeof *sweep->order);
    if (sweep->points != NULL)
        platform->release(platform, sweep->points, distributions * sizeof *sweep->points);
}

static bool point_is_done(const struct sweep *sweep, const struct distribution *d)
{
    /* Where every sample is disturbed, more of them will not help either. */
    uint32_t taken = d->count + d->discarded;
    if (d->count >= sweep->rules.samples_max || taken >= 2 * sweep->rules.samples_max)
        return true;
    return d->count >= sweep->rules.samples_min &&
           distribution_is_precise(d, sweep->rules.precision);
}

static void keep(struct distribution *d, const struct sweep *sweep, uint32_t *samples,
                 unsigned count, bool smi)
{
    distribution_sort(samples, count);
    unsigned kept = smi                       ? 0
                    : sweep->rules.values > 1 ? count
                                              : distribution_undisturbed(samples, count);
    d->discarded += count - kept;
    distribution_merge(d, samples, kept);
}

/* Visits one point; keeps what was not disturbed by an SMI or, of times alone, a jump of time. */
static void visit_point(struct sweep *sweep, uint32_t point)
{
    const unsigned values = sweep->rules.values;
    struct distribution *d = &sweep->points[(uint64_t)point * values];
    struct platform *platform = sweep->platform;
    uint32_t samples[SWEEP_VISIT_SAMPLES * SWEEP_VALUES_MAX], smi_before = 0, smi_after = 0;
    uint32_t wanted = sweep->rules.samples_max - d->count;
    unsigned count = wanted < SWEEP_VISIT_SAMPLES ? wanted : SWEEP_VISIT_SAMPLES;

    platform->smi_count(platform, &smi_before);
    sweep->visit(sweep->context, point, samples, count);
    platform->smi_count(platform, &smi_after);
    for (unsigned v = 0; v < values; v++)
        keep(&d[v], sweep, samples + v * count, count, smi_before != smi_after);
}

/* Drops the points that are done and puts the others in a new order. */
static void start_round(struct sweep *sweep)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sweep->active; i++) {
        uint32_t point = sweep->order[i];
        if (!point_is_done(sweep, &sweep->points[(uint64_t)point * sweep->rules.values]))
            sweep->order[kept++] = point;
    }
    sweep->active = kept;
    sweep->next = 0;
    random_shuffle(&sweep->random, sweep->order, kept);
}

static void run_slice(void *context)
{
    struct sweep *sweep = context;
    uint64_t start = native_ticks();
    uint64_t length = sweep->platform->ticks_per_second / SLICES_PER_SECOND;
    while (sweep->active > 0 && native_ticks() - start < length) {
        visit_point(sweep, sweep->order[sweep->next++]);
        if (sweep->next == sweep->active)
            start_round(sweep);
    }
}

/* Finished points count whole, the others by their samples so far. */
static double share_done(const struct sweep *sweep)
{
    double done = sweep->count - sweep->active;
    for (uint32_t i = 0; i < sweep->active; i++) {
        double share =
            (double)sweep->points[(uint64_t)sweep->order[i] * sweep->rules.values].count /
            sweep->rules.samples_max;
        done += share < 1 ? share : 1;
    }
    return done / sweep->count;
}

bool sweep_run(struct sweep *sweep, sweep_visit *visit, void *context, sweep_progress *progress,
               void *progress_context)
{
    sweep->visit = visit;
    sweep->context = context;
    while (sweep->active > 0) {
        if (!sweep->platform->quietly(sweep->platform, run_slice, sweep))
            return false;
        progress(progress_context, share_done(sweep));
    }
    return true;
}
