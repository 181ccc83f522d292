/* rounds: slices, the stop rule, and the discarding of disturbed samples. */
#include "rounds.h"

#include "../lib/sort.h"
#include "../probe/native.h"
#include "../probe/sentinel.h"

#define TRIES 4                /* times samples_max: an item is done, whatever was disturbed */
#define FEWEST_OF_VISIT 3      /* samples, among which one that was disturbed is seen */
#define FASTEST_PRECISION 0.05 /* of the first percentile, or a step of the clock */
#define SCALE_SHARE 0.25       /* of the task's precision, for what others are divided by */
#define STILL_SECONDS 2        /* without a visit: nothing here takes so long */
#define LEARNED 0.95           /* a limit that falls below this much of itself was wrong */
#define RESTARTS_MAX 4         /* for that: where the clock is coarse, a limit goes up and down */
#define MOST_WAITS 1.0         /* of the time that brought samples so far, for the whole core; */
#define MOST_WAITS_SHARED 0.25 /* and where points of the shared core's table may still wait */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns the point that an item is of. */
static const struct point *point_of(const struct rounds *r, uint32_t item)
{
    return &r->points[item / r->task.passes];
}

static struct measured_case *case_of(const struct rounds *r, uint32_t item)
{
    return measurement_case(r->task.measurement, point_of(r, item)->case_id);
}

static void set_item(struct rounds *r, uint32_t i)
{
    const struct rounds_rules *rules = &r->task.rules;
    enum point_needs needs = point_of(r, i)->needs;
    bool is_emulated = r->task.measurement->is_emulated;
    if (needs == POINT_FASTEST && is_emulated)
        needs = POINT_CENTER;
    bool fastest = needs == POINT_FASTEST;
    r->items[i] = (struct round_item){
        .least = larger(rules->samples_min, fastest ? FASTEST_LEAST : 0),
        .most = larger(rules->samples_max, fastest ? FASTEST_MOST : 0),
        .visits_min = needs == POINT_GLANCE || is_emulated ? 1 : rules->visits_min,
        .needs = needs,
    };
}

void rounds_close(struct rounds *r)
{
    uint64_t distributions = (uint64_t)r->count * r->kinds * r->task.values;
    platform_release(r->platform, r->samples, r->room * sizeof *r->samples);
    platform_release(r->platform, r->order, 2 * r->count * sizeof *r->order);
    platform_release(r->platform, r->items, r->count * sizeof *r->items);
    platform_release(r->platform, r->distributions, distributions * sizeof *r->distributions);
}

struct distribution *rounds_of(const struct rounds *r, uint32_t item, enum core_state state)
{
    return &r->distributions[((uint64_t)item * r->kinds + state) * r->task.values];
}

/* True if an item has the samples and visits of one state that it asks for at least. */
static bool has_least(const struct round_item *asked, const struct distribution *d)
{
    return d->count >= asked->most || (d->count >= asked->least && d->visits >= asked->visits_min);
}

/* True if an item has enough samples in one state. An item that lacks fewer than tell a jump among
 * them is full: a visit for one more sample, its code not yet cached, would be all disturbed. */
static bool is_enough(const struct rounds *r, uint32_t item, const struct distribution *d)
{
    const struct round_item *asked = &r->items[item];
    double share = asked->needs == POINT_SCALE ? SCALE_SHARE : 1;
    if (!has_least(asked, d))
        return false;
    if (d->count + FEWEST_OF_VISIT > asked->most || asked->needs == POINT_GLANCE)
        return true;
    return (d->count >= r->task.rules.samples_max ||
            distribution_is_precise(d, share * r->task.rules.precision)) &&
           (asked->needs != POINT_FASTEST || distribution_is_placed(d, 1, FASTEST_PRECISION));
}

static bool is_enough_of(const struct rounds *r, uint32_t item, enum core_state state)
{
    return is_enough(r, item, rounds_of(r, item, state));
}

/* True if the run may still wait for the state that an item is for. */
static bool may_wait(const struct rounds *r, uint32_t item)
{
    const struct waits *w = &r->task.measurement->waits;
    bool is_for_shared = point_of(r, item)->is_for_shared;
    return w->vain < (is_for_shared ? MOST_WAITS_SHARED : MOST_WAITS) * w->useful;
}

/* True if samples of a state are worth a visit. While the whole core's are waited for, a few of the
 * shared core's do; and those are all that matter to a point of its table. */
static bool is_wanted(const struct rounds *r, uint32_t item, enum core_state state)
{
    bool is_for_shared = point_of(r, item)->is_for_shared;
    if (state == CORE_WHOLE)
        return !is_for_shared && !is_enough_of(r, item, state);
    if (state == CORE_SHARED && !is_for_shared && !states_are_rare(r->states, CORE_WHOLE) &&
        may_wait(r, item))
        return !has_least(&r->items[item], rounds_of(r, item, state));
    return state == CORE_BETWEEN || !is_enough_of(r, item, state);
}

/* True if an item has enough samples in the state that it is for. */
static bool has_its_state(const struct rounds *r, uint32_t item)
{
    if (point_of(r, item)->is_for_shared)
        return is_enough_of(r, item, CORE_SHARED);
    return is_enough_of(r, item, CORE_WHOLE) ||
           (states_are_rare(r->states, CORE_WHOLE) && is_enough_of(r, item, CORE_SHARED));
}

static bool is_done(const struct rounds *r, uint32_t item)
{
    const struct distribution *d = rounds_of(r, item, CORE_WHOLE);
    uint32_t visits = r->items[item].visits;
    /* If every sample is disturbed, more samples do not help. */
    uint64_t most = r->items[item].most, taken = (uint64_t)d->count + d->discarded;
    if (r->kinds > 1 && (r->items[item].is_given_up || has_its_state(r, item)))
        return true;
    if (visits < r->items[item].visits_min)
        return false;
    if (r->kinds == 1)
        return is_enough(r, item, d) || taken >= TRIES * most;
    return (uint64_t)visits * r->task.rules.visit_samples >= TRIES * most;
}

/* Sorts and keeps the samples of one value; those disturbed by an SMI, a change of the core's state
 * or, of times, a jump are left out. Returns how many are kept. */
static unsigned keep_samples(struct rounds *r, struct distribution *d, uint32_t *samples,
                             unsigned count, bool is_lost)
{
    unsigned kept = 0;
    sort_numbers(samples, count);
    if (!is_lost && count > 0)
        kept = r->task.values > 1 ? count : distribution_undisturbed(samples, count, d->step);
    d->discarded += count - kept;
    if (kept > 0 && d->count < d->room) {
        distribution_merge(d, samples, kept);
        distribution_end_visit(d, samples, kept);
    }
    return kept;
}

/* Times the block, after once to warm it, and sorts the cycles. Returns the last one's ticks. */
static uint32_t time_blocks(struct platform *platform, const struct states *states,
                            double cycles[SENTINEL_LOOKS])
{
    uint32_t ticks = platform->sentinel_side_by_side(platform); /* warms it */
    for (unsigned i = 0; i < SENTINEL_LOOKS; i++) {
        ticks = platform->sentinel_side_by_side(platform);
        cycles[i] = states_cycles(states, ticks);
    }
    sort_doubles(cycles, SENTINEL_LOOKS);
    return ticks;
}

uint32_t rounds_look(struct platform *platform, struct states *states,
                     double cycles[SENTINEL_LOOKS])
{
    uint32_t ticks = time_blocks(platform, states, cycles);
    for (unsigned i = 0; i < SENTINEL_LOOKS; i++)
        states_add_block(states, cycles[i]);
    return ticks;
}

/* Takes the second look. It is the one after a visit, and the one before the next. */
static enum pair_answer look_at_pair(struct rounds *r)
{
    return r->pairs != NULL ? pair_probe_look(r->pairs, states_fillers(r->states)) : PAIR_UNKNOWN;
}

/* Learns how far a pair reaches; at first perhaps only half of the core is there. */
static void search_reach(struct rounds *r)
{
    if (r->pairs == NULL)
        return;
    states_add_reach(r->states, pair_probe_search(r->pairs));
    if (!r->has_visited)
        r->reach = r->states->reach;
    r->pair = look_at_pair(r);
}

static void time_chain(struct rounds *r)
{
    states_add_chain(r->states, r->platform->sentinel_chain(r->platform), SENTINEL_CHAIN);
}

static void look_before(struct rounds *r, double cycles[SENTINEL_LOOKS])
{
    if (r->states == NULL)
        return;
    time_chain(r);
    if (r->states->was_off > 0) /* a second one tells at once whether the clock has moved */
        time_chain(r);
    rounds_look(r->platform, r->states, cycles);
}

/* Notes the clock of a visit; where there is no room, every other one of all goes. */
static void note_clock(struct clocks *c, double cycle)
{
    if (c->count == CLOCKS_MAX) {
        for (c->count = 0; c->count < CLOCKS_MAX / 2; c->count++)
            c->ticks[c->count] = c->ticks[2 * c->count];
        c->halvings++;
    }
    if (c->seen++ % (1u << c->halvings) == 0)
        c->ticks[c->count++] = (uint32_t)(cycle * SENTINEL_CHAIN + 0.5);
}

/* Returns the state that the looks before and after a visit show. */
static enum core_state look_after(struct rounds *r, const double before[SENTINEL_LOOKS])
{
    double after[SENTINEL_LOOKS];
    struct state_look first = {before, SENTINEL_LOOKS, r->pair}, second = first;
    if (r->states == NULL)
        return CORE_WHOLE;
    second.cycles = after;
    rounds_look(r->platform, r->states, after);
    second.pair = r->pair = look_at_pair(r);
    double limit = states_limit(r->states);
    r->limit = limit > r->limit ? limit : r->limit;
    return states_of_visit(r->states, first, second);
}

static uint64_t time_worked(struct platform *platform)
{
    return platform->worked != NULL ? platform->worked(platform) : native_ticks();
}

/* Returns a second of that. */
static double work_second(const struct platform *platform)
{
    return platform->worked != NULL ? 1e9 : (double)platform->ticks_per_second;
}

/* Returns the seconds of work since then; of a slice at most, since more was a standstill. */
static double seconds_since(const struct rounds *r, uint64_t start)
{
    double time = (double)(time_worked(r->platform) - start) / work_second(r->platform);
    return time < 1.0 / SLICES_PER_SECOND ? time : 1.0 / SLICES_PER_SECOND;
}

/* Notes the time since then, which brought samples or did not. */
static void note_time(struct rounds *r, uint64_t start, bool is_useful)
{
    struct waits *w = &r->task.measurement->waits;
    double time = seconds_since(r, start);
    *(is_useful ? &w->useful : &w->vain) += time;
    w->usual = is_useful ? time : w->usual;
}

/* Returns the state that the looks just taken show alone. */
static enum core_state state_now(const struct rounds *r, const double cycles[SENTINEL_LOOKS])
{
    return states_of_look(r->states, (struct state_look){cycles, SENTINEL_LOOKS, r->pair});
}

/*
 * Looks at the core, since `start` as long as a visit takes, until it has a state in which an item
 * wants samples; true: it has. That counts as one visit, and its blocks as those of one look:
 * thousands of a shared core would make its pace the whole core's. Once the run has waited as long
 * as it may, the item ends with what it has.
 */
static bool wait_for_state(struct rounds *r, uint32_t item, uint64_t start,
                           double cycles[SENTINEL_LOOKS])
{
    uint64_t ticks = native_ticks();
    struct measurement *m = r->task.measurement;
    struct measured_case *c = case_of(r, item);
    struct state_look look = {cycles, SENTINEL_LOOKS, r->pair};
    enum core_state state = states_of_visit(r->states, look, look);
    bool is_here = false, goes_on = may_wait(r, item);
    r->items[item].is_given_up = !goes_on;
    while (goes_on) {
        time_chain(r);
        time_blocks(r->platform, r->states, cycles);
        r->pair = look_at_pair(r);
        is_here = is_wanted(r, item, state_now(r, cycles));
        goes_on = !is_here && seconds_since(r, start) < m->waits.usual;
    }
    note_time(r, start, false);
    m->spent[state] += native_ticks() - ticks;
    r->visits++;
    if (r->counts_visits) {
        c->seen++;
        c->seen_shared += state != CORE_WHOLE;
    }
    return is_here;
}

/* Calls the next item's visit once. Counts the visits beside a loading sibling, and those in which
 * it read; and for its case, visits that left samples. */
static void visit_next(struct rounds *r)
{
    uint32_t memory[VISIT_SAMPLES_MAX * COUNTING_MAX], smi_before = 0, smi_after = 0;
    uint32_t item = r->order[r->next], kept = 0;
    struct platform *platform = r->platform;
    struct measured_case *c = case_of(r, item);
    double before[SENTINEL_LOOKS];
    bool is_beside = c->variant.sibling == SIBLING_LOADING, apart = r->kinds > 1;
    /* An item that is full may still lack visits. */
    uint64_t left = r->items[item].most - rounds_of(r, item, CORE_WHOLE)->count;
    bool is_last = left > 0 && left < r->task.rules.visit_samples;
    unsigned stride = is_last ? (unsigned)left : r->task.rules.visit_samples;
    struct samples samples = {.at = memory, .count = stride, .pass = item % r->task.passes};
    uint64_t start = native_ticks(), worked = time_worked(platform);

    look_before(r, before);
    if (apart && !is_wanted(r, item, state_now(r, before))) {
        if (!wait_for_state(r, item, worked, before)) {
            r->next++;
            return;
        }
        start = native_ticks();
        worked = time_worked(platform);
    }
    r->has_visited = true;
    platform->smi_count(platform, &smi_before);
    uint64_t generated = is_beside ? platform->generated(platform) : 0;
    r->task.visit(r->task.context, point_of(r, item), &samples);
    c->beside += is_beside;
    c->beside_reading += is_beside && platform->generated(platform) > generated;
    enum core_state state = look_after(r, before);
    platform->smi_count(platform, &smi_after);
    bool is_interrupted = smi_before != smi_after && !samples.looks_for_smis;
    /* Somebody else used a sibling that should sleep. */
    bool is_intruded = state != CORE_WHOLE && c->variant.sibling == SIBLING_IDLE;
    bool is_lost = is_interrupted || is_intruded || (apart && state == CORE_BETWEEN);
    bool is_shared = apart && state == CORE_SHARED;
    struct distribution *d = rounds_of(r, item, is_shared ? CORE_SHARED : CORE_WHOLE);
    uint32_t had = d->count;
    for (unsigned v = 0; v < r->task.values; v++)
        kept = keep_samples(r, &d[v], memory + v * stride, samples.count, is_lost);
    d->discarded += samples.interrupted;
    r->task.measurement->spent[state] += native_ticks() - start;
    note_time(r, worked, d->count > had);
    if (r->counts_visits) {
        r->task.measurement->visits++;
        if (kept > 0 && r->states != NULL)
            note_clock(is_shared ? &c->clocks_shared : &c->clocks, r->states->cycle);
        c->seen += kept > 0;
        c->seen_shared += kept > 0 && state != CORE_WHOLE;
    }
    if (samples.unfinished)
        return;
    r->items[item].visits++;
    r->visits++;
    r->next++;
}

/* True if the processor and its siblings are set alike for both: such items share slices. */
static bool is_alike(const struct measured_case *a, const struct measured_case *b)
{
    return a->variant.prefetch_off == b->variant.prefetch_off && a->interrupts == b->interrupts &&
           a->variant.sibling == b->variant.sibling;
}

/* Brings items of equal surroundings together, in the order of their first items. */
static void gather_items(struct rounds *r)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < r->active; i++)
        r->spare[i] = r->order[i];
    for (uint32_t left = r->active; left > 0;) {
        const struct measured_case *first = case_of(r, r->spare[0]);
        uint32_t others = 0;
        for (uint32_t i = 0; i < left; i++)
            if (is_alike(case_of(r, r->spare[i]), first))
                r->order[placed++] = r->spare[i];
            else
                r->spare[others++] = r->spare[i];
        left = others;
    }
}

/* Forgets all samples and visits, if there are any: a faster pace, or a farther reach, shows that
 * earlier visits were misclassified as whole. They do not count as discarded samples: nothing
 * disturbed them. Counts have no clock step. */
static void start_again(struct rounds *r)
{
    uint64_t distributions = (uint64_t)r->count * r->kinds * r->task.values;
    for (uint64_t i = 0; i < distributions; i++) {
        struct distribution *d = &r->distributions[i];
        distribution_init(d, d->sorted, d->room);
        d->step = r->task.values > 1 ? 0 : r->task.measurement->step;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        r->order[i] = i;
        r->items[i].visits = 0;
        r->items[i].is_given_up = false;
    }
    r->active = r->count;
}

/* Starts a round: a new order of the items that are not done. */
static void start_round(struct rounds *r)
{
    uint32_t kept = 0;
    if (r->kinds > 1) {
        double limit = states_limit(r->states);
        bool is_learned = limit < LEARNED * r->limit || r->states->reach > r->reach;
        if (is_learned && r->restarts < RESTARTS_MAX) {
            r->restarts++;
            start_again(r);
        }
        r->limit = limit;
        r->reach = r->states->reach;
    }
    for (uint32_t i = 0; i < r->active; i++) {
        uint32_t item = r->order[i];
        r->items[item].is_done = is_done(r, item);
        if (!r->items[item].is_done)
            r->order[kept++] = item;
    }
    r->active = kept;
    random_shuffle(&r->random, r->order, r->active);
    gather_items(r);
    r->next = 0;
}

const char *rounds_open(struct rounds *r, const struct task *task, const struct point *points,
                        uint32_t count, uint64_t seed)
{
    struct platform *platform = task->measurement->platform;
    *r = (struct rounds){.task = *task, .platform = platform, .points = points};
    r->task.values = larger(task->values, 1);
    r->task.passes = larger(task->passes, 1);
    if (task->rules.visit_samples == 0)
        r->task.rules.visit_samples = VISIT_SAMPLES;
    r->count = count *= r->task.passes;
    if (task->contention != CONTENTION_IGNORED)
        r->states = task->measurement->states;
    if (r->states != NULL && !r->states->is_alone && r->task.values == 1)
        r->pairs = task->measurement->pairs;
    r->reach = r->states != NULL ? r->states->reach : 0;
    r->kinds = r->states != NULL && task->contention >= CONTENTION_APART ? 2 : 1;
    random_seed(&r->random, seed);
    uint64_t each = (uint64_t)r->kinds * r->task.values, distributions = count * each;
    r->distributions = platform->allocate(platform, distributions * sizeof *r->distributions);
    r->items = platform->allocate(platform, count * sizeof *r->items);
    r->order = platform->allocate(platform, 2 * count * sizeof *r->order);
    for (uint32_t i = 0; r->items != NULL && i < count; i++) {
        set_item(r, i);
        r->room += each * r->items[i].most;
    }
    r->samples = platform->allocate(platform, r->room * sizeof *r->samples);
    if (r->distributions == NULL || r->items == NULL || r->order == NULL || r->samples == NULL) {
        rounds_close(r);
        return "not enough memory for the samples; lower samples.max or the number of points";
    }
    r->spare = r->order + count;
    uint32_t *memory = r->samples;
    for (uint64_t i = 0; i < distributions; i++) {
        uint32_t room = r->items[i / each].most;
        r->distributions[i] = (struct distribution){.sorted = memory, .room = room};
        memory += room;
    }
    start_again(r);
    start_round(r);
    return NULL;
}

static void order_siblings(struct platform *platform, enum sibling_work work)
{
    static const enum generator_work works[SIBLING_WORKS] = {
        [SIBLING_IDLE] = GENERATOR_REST,
        [SIBLING_BUSY] = GENERATOR_SPIN,
        [SIBLING_LOADING] = GENERATOR_READ,
    };
    struct generator_order order = {.work = works[work]};
    if (work != SIBLING_UNNAMED)
        platform->order_generators(platform, &order);
}

/* Notes a standstill. Visits and the work between them take a fraction of a second: in more time,
 * somebody had stopped the process or the machine. An emulator, though, is as slow as it is. */
static void look_at_clock(struct measurement *m)
{
    uint64_t now = native_ticks(), still = now - m->seen;
    if (m->seen > 0 && still > STILL_SECONDS * m->platform->ticks_per_second &&
        still > m->stood_still && !m->is_emulated)
        m->stood_still = still;
    m->seen = now;
}

bool rounds_must_pause(const struct rounds *r)
{
    return r->has_pauses && r->visits >= PAUSE_VISITS;
}

static void run_slice(void *context)
{
    struct rounds *r = context;
    uint64_t slice = (uint64_t)(work_second(r->platform) / SLICES_PER_SECOND);
    uint64_t end = time_worked(r->platform) + slice;
    look_at_clock(r->task.measurement);
    const struct measured_case *here = case_of(r, r->order[r->next]);
    order_siblings(r->platform, here->variant.sibling);
    search_reach(r);
    do {
        visit_next(r);
        if (r->next == r->active)
            start_round(r);
        look_at_clock(r->task.measurement);
    } while (time_worked(r->platform) < end && r->active > 0 && !rounds_must_pause(r) &&
             is_alike(case_of(r, r->order[r->next]), here));
}

/* Items that are done count 1, the others by their samples so far. */
double rounds_done(const struct rounds *r)
{
    double done = r->count - r->active;
    for (uint32_t i = 0; i < r->active; i++) {
        uint32_t item = r->order[i];
        double share = (double)rounds_of(r, item, CORE_WHOLE)->count / r->items[item].most;
        done += share < 1 ? share : 1;
    }
    return done / r->count;
}

bool rounds_run_slice(struct rounds *r)
{
    struct platform *platform = r->platform;
    const struct measured_case *c = case_of(r, r->order[r->next]);
    bool off = c->variant.prefetch_off;
    if (platform_is_stopped(platform))
        return false;
    if (!r->prefetch_is_set || r->prefetch_off != off)
        platform->set_prefetch(platform, off ? SETTING_OFF : platform->usual_prefetch);
    r->prefetch_is_set = true;
    r->prefetch_off = off;
    return c->interrupts ? platform->openly(platform, run_slice, r)
                         : platform->quietly(platform, run_slice, r);
}

bool rounds_run(struct rounds *r)
{
    while (r->active > 0)
        if (!rounds_run_slice(r))
            return false;
    return true;
}

void rounds_resume(struct rounds *r)
{
    r->prefetch_is_set = false; /* the setting may have changed */
    r->visits = 0;
}
