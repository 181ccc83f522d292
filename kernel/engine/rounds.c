/* rounds: slices, the stop rule, and the discarding of disturbed samples. */
#include "rounds.h"

#include "../lib/sort.h"
#include "../probe/native.h"

#define SLICES_PER_SECOND 5

uint64_t slice_end(const struct platform *platform)
{
    return native_ticks() + platform->ticks_per_second / SLICES_PER_SECOND;
}

static uint64_t room_of(const struct rounds_rules *rules)
{
    return rules->room > 0 ? rules->room : rules->samples_max;
}

const char *rounds_open(struct rounds *r, struct platform *platform, uint32_t count,
                        const struct rounds_rules *rules, uint64_t seed)
{
    *r = (struct rounds){.platform = platform, .rules = *rules, .count = count};
    if (r->rules.values == 0)
        r->rules.values = 1;
    if (r->rules.visit_samples == 0)
        r->rules.visit_samples = VISIT_SAMPLES;
    random_seed(&r->random, seed);
    uint64_t distributions = (uint64_t)count * r->rules.values, room = room_of(rules);
    r->distributions = platform->allocate(platform, distributions * sizeof *r->distributions);
    r->items = platform->allocate(platform, count * sizeof *r->items);
    r->order = platform->allocate(platform, 2 * count * sizeof *r->order);
    r->samples = platform->allocate(platform, distributions * room * sizeof *r->samples);
    if (r->distributions == NULL || r->items == NULL || r->order == NULL || r->samples == NULL) {
        rounds_close(r);
        return "not enough memory for the samples; lower samples.max or the number of points";
    }
    r->spare = r->order + count;
    for (uint64_t i = 0; i < distributions; i++)
        distribution_init(&r->distributions[i], r->samples + i * room, (uint32_t)room);
    return NULL;
}

void rounds_close(struct rounds *r)
{
    uint64_t distributions = (uint64_t)r->count * r->rules.values;
    platform_release(r->platform, r->samples,
                     distributions * room_of(&r->rules) * sizeof *r->samples);
    platform_release(r->platform, r->order, 2 * r->count * sizeof *r->order);
    platform_release(r->platform, r->items, r->count * sizeof *r->items);
    platform_release(r->platform, r->distributions, distributions * sizeof *r->distributions);
}

static struct distribution *first_of(const struct rounds *r, uint32_t item)
{
    return &r->distributions[(uint64_t)item * r->rules.values];
}

static bool is_done(const struct rounds *r, uint32_t item)
{
    const struct distribution *d = first_of(r, item);
    /* Where every sample is disturbed, more of them will not help either. */
    uint64_t taken = (uint64_t)d->count + d->discarded;
    if (r->items[item].visits < r->rules.visits_min)
        return false;
    if (d->count >= r->rules.samples_max || taken >= 2 * (uint64_t)r->rules.samples_max)
        return true;
    return d->count >= r->rules.samples_min && distribution_is_precise(d, r->rules.precision);
}

/* Samples of one value, sorted; what was disturbed by an SMI or, of times, a jump is left out. */
static unsigned keep(struct rounds *r, struct distribution *d, uint32_t *samples, unsigned count,
                     bool smi)
{
    unsigned kept = 0;
    sort_numbers(samples, count);
    if (!smi && count > 0)
        kept = r->rules.values > 1 ? count : distribution_undisturbed(samples, count);
    d->discarded += count - kept;
    distribution_merge(d, samples, kept);
    return kept;
}

static void remember(const struct rounds *r, uint32_t item, uint64_t time, uint32_t *sorted,
                     unsigned kept, unsigned taken)
{
    struct distribution d = {.sorted = sorted, .count = kept};
    struct visit visit = {.time = time,
                          .point = r->work->first_point + item,
                          .samples = (uint16_t)kept,
                          .discarded = (uint16_t)(taken - kept)};
    if (r->work->visits == NULL)
        return;
    if (kept > 0) {
        visit.min = (uint32_t)distribution_percentile(&d, 0);
        visit.p10 = (uint32_t)distribution_percentile(&d, 10);
        visit.median = (uint32_t)distribution_percentile(&d, 50);
        visit.p90 = (uint32_t)distribution_percentile(&d, 90);
        visit.max = (uint32_t)distribution_percentile(&d, 100);
    }
    visits_add(r->work->visits, &visit);
}

static unsigned wanted(const struct rounds *r, const struct distribution *d)
{
    uint64_t left = r->rules.samples_max - d->count;
    return r->rules.room == 0 && left < r->rules.visit_samples ? (unsigned)left
                                                               : r->rules.visit_samples;
}

/* One call of the visit to the next item. */
static void visit_next(struct rounds *r)
{
    uint32_t memory[VISIT_SAMPLES_MAX * COUNTING_MAX], smi_before = 0, smi_after = 0;
    uint32_t item = r->order[r->next], kept = 0;
    struct platform *platform = r->platform;
    struct distribution *d = first_of(r, item);
    struct samples samples = {.at = memory, .count = wanted(r, d)};
    unsigned stride = samples.count;

    platform->smi_count(platform, &smi_before);
    uint64_t time = native_ticks();
    r->work->visit(r->work->context, item, &samples);
    platform->smi_count(platform, &smi_after);
    for (unsigned v = 0; v < r->rules.values; v++)
        kept = keep(r, &d[v], memory + v * stride, samples.count, smi_before != smi_after);
    remember(r, item, time, memory, kept, samples.count);
    r->unfinished = samples.unfinished;
    if (r->unfinished)
        return;
    r->items[item].visits++;
    r->next++;
}

static struct surroundings surroundings_of(const struct rounds *r, uint32_t item)
{
    static const struct surroundings plain;
    return r->work->surroundings != NULL ? r->work->surroundings(r->work->context, item) : plain;
}

static bool same(struct surroundings a, struct surroundings b)
{
    return a.prefetch_off == b.prefetch_off && a.interrupts == b.interrupts;
}

/* Drops the items that are done. */
static void drop_done(struct rounds *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->active; i++) {
        uint32_t item = r->order[i];
        r->items[item].is_done = is_done(r, item);
        if (!r->items[item].is_done)
            r->order[kept++] = item;
    }
    r->active = kept;
}

/* Brings items of equal surroundings together, in the order of the first of each. */
static void gather(struct rounds *r)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < r->active; i++)
        r->spare[i] = r->order[i];
    for (uint32_t left = r->active; left > 0;) {
        struct surroundings first = surroundings_of(r, r->spare[0]);
        uint32_t others = 0;
        for (uint32_t i = 0; i < left; i++)
            if (same(surroundings_of(r, r->spare[i]), first))
                r->order[placed++] = r->spare[i];
            else
                r->spare[others++] = r->spare[i];
        left = others;
    }
}

/* A new order of those that are left. */
static void start_round(struct rounds *r)
{
    drop_done(r);
    random_shuffle(&r->random, r->order, r->active);
    if (r->work->surroundings != NULL)
        gather(r);
    r->next = 0;
}

static bool may_go_on(const struct rounds *r, struct surroundings now)
{
    return r->active > 0 && (r->work->visits == NULL || visits_have_room(r->work->visits)) &&
           same(surroundings_of(r, r->order[r->next]), now);
}

static void run_slice(void *context)
{
    struct rounds *r = context;
    uint64_t end = slice_end(r->platform);
    struct surroundings now = surroundings_of(r, r->order[r->next]);
    do {
        visit_next(r);
        if (r->next == r->active)
            start_round(r);
    } while (native_ticks() < end && may_go_on(r, now));
}

/* Items that are done count whole, the others by their samples so far. */
static double share_done(const struct rounds *r)
{
    double done = r->count - r->active;
    for (uint32_t i = 0; i < r->active; i++) {
        double share = (double)first_of(r, r->order[i])->count / r->rules.samples_max;
        done += share < 1 ? share : 1;
    }
    return done / r->count;
}

/* A slice with the processor as the next item wants it. */
static bool run_next_slice(struct rounds *r)
{
    struct platform *platform = r->platform;
    struct surroundings s = surroundings_of(r, r->order[r->next]);
    if (!r->prefetch_is_set || r->prefetch_off != s.prefetch_off)
        platform->set_prefetch(platform, !s.prefetch_off);
    r->prefetch_is_set = true;
    r->prefetch_off = s.prefetch_off;
    return s.interrupts ? platform->openly(platform, run_slice, r)
                        : platform->quietly(platform, run_slice, r);
}

bool rounds_run(struct rounds *r, const struct rounds_work *work)
{
    struct visits *visits = work->visits;
    struct rounds_work without;
    r->work = work;
    for (uint32_t i = 0; i < r->count; i++)
        r->order[i] = i;
    r->active = r->count;
    start_round(r);
    while (r->active > 0) {
        if (visits != NULL && !visits_make_room(visits)) {
            without = *work; /* a measurement is worth more than the story of it */
            without.visits = visits = NULL;
            r->work = &without;
        }
        if (!run_next_slice(r))
            return false;
        if (work->progress != NULL)
            work->progress(work->context, share_done(r));
    }
    return true;
}
