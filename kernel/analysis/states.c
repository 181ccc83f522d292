/* states: a histogram with bins of one percent. */
#include "states.h"

#include "../lib/sort.h"
#include "statistics.h"

#define BINS_AN_OCTAVE 70 /* one percent each */
#define FAST_SHARE 0.02   /* of all blocks run at the whole core's pace, or faster by chance */
#define SLACK 0.10        /* a block of the whole core takes up to so much more */
#define CLOCK_MOVED 0.03  /* two chains so much off all latest ones: the clock is another */
#define FILLERS 0.6       /* of the reach: more than half a core's, and well below a whole one's */
#define SEEN_SHARE 0.05   /* of the second looks: not by chance, */
#define SEEN_VISITS 8     /* nor these */

static unsigned bin_of(double cycles)
{
    unsigned octave = 0;
    for (; cycles >= 2; octave++)
        cycles /= 2;
    /* Within an octave a straight line is as good as a logarithm. */
    double bin = (octave + (cycles > 1 ? cycles - 1 : 0)) * BINS_AN_OCTAVE;
    return bin < STATES_BINS - 1 ? (unsigned)bin : STATES_BINS - 1;
}

static double cycles_of(unsigned bin)
{
    double within = (double)(bin % BINS_AN_OCTAVE) / BINS_AN_OCTAVE;
    return (double)(1ull << bin / BINS_AN_OCTAVE) * (1 + within);
}

static bool is_off(double a, double b, double step)
{
    return __builtin_fabs(a - b) > CLOCK_MOVED * b + step;
}

/* Starts anew by the last two chains if both are off the others, and agree. */
static void follow_clock(struct states *s, double ticks_a_cycle, double step)
{
    bool is_new = s->cycle > 0 && is_off(ticks_a_cycle, s->cycle, step);
    if (is_new && s->was_off > 0 && !is_off(ticks_a_cycle, s->was_off, step)) {
        s->chains = 0;
        s->chain[s->chains++] = s->was_off;
        is_new = false;
    }
    s->was_off = is_new ? ticks_a_cycle : 0;
}

void states_add_chain(struct states *s, double ticks, unsigned cycles)
{
    double sorted[STATES_CHAINS], ticks_a_cycle = ticks / cycles;
    follow_clock(s, ticks_a_cycle, s->step / cycles);
    s->chain[s->chains++ % STATES_CHAINS] = ticks_a_cycle;
    if (s->chains == 2 * STATES_CHAINS) /* full, and it never wraps */
        s->chains = STATES_CHAINS;
    unsigned count = s->chains < STATES_CHAINS ? s->chains : STATES_CHAINS;
    for (unsigned i = 0; i < count; i++)
        sorted[i] = s->chain[i];
    sort_doubles(sorted, count);
    s->cycle = sorted[count / 2];
}

double states_cycles(const struct states *s, double ticks)
{
    return s->cycle > 0 ? ticks / s->cycle : 0;
}

/* The fastest bin that counts is the first with several blocks up to it; one moves it little. */
void states_add_block(struct states *s, double cycles)
{
    unsigned bin = bin_of(cycles);
    s->bin[bin]++;
    s->blocks++;
    s->faster += bin < s->fastest;
    uint64_t few = (uint64_t)(FAST_SHARE * (double)s->blocks);
    while (s->faster > few)
        s->faster -= s->bin[--s->fastest];
    while (s->fastest < STATES_BINS - 1 && s->faster + s->bin[s->fastest] <= few)
        s->faster += s->bin[s->fastest++];
}

double states_share(const struct states *s, enum core_state state)
{
    double all = 0;
    for (unsigned i = 0; i < CORE_STATES; i++)
        all += s->visits[i];
    return all > 0 ? s->visits[state] / all : __builtin_nan("");
}

bool states_are_rare(const struct states *s, enum core_state state)
{
    return states_share(s, state) < RARE;
}

/* True if no block came near the published pace: the core was shared all the time. The two readings
 * of the clock add up to a step to the block. */
static bool is_always_shared(const struct states *s)
{
    double limit = STATES_PACE_OFF * s->published + states_cycles(s, s->step);
    return s->published > 0 && cycles_of(s->fastest) > limit;
}

double states_limit(const struct states *s)
{
    if (s->blocks == 0)
        return 0;
    double fastest = is_always_shared(s) ? s->published : cycles_of(s->fastest);
    return fastest * (1 + SLACK) + states_cycles(s, s->step);
}

void states_add_reach(struct states *s, uint32_t fillers)
{
    if (fillers <= (1 + SAME_SHARE) * s->reach)
        return;
    uint32_t less = fillers < s->candidate ? fillers : s->candidate;
    uint32_t more = fillers < s->candidate ? s->candidate : fillers;
    s->candidate = fillers;
    if (more > (1 + SAME_SHARE) * less)
        return;
    /* By so few fillers as before, half of a core looked whole. */
    for (unsigned i = 0; s->reach > 0 && i < CORE_STATES; i++)
        s->visits[i] = s->pairs[i] = 0;
    s->reach = less;
}

uint32_t states_fillers(const struct states *s)
{
    return (uint32_t)(FILLERS * s->reach);
}

/* A sibling may spare a block: most of a shared core's are slow, all of a whole core's fast. */
static enum core_state state_by_blocks(const struct states *s, const struct state_look *before,
                                       const struct state_look *after)
{
    double limit = states_limit(s);
    if (before->cycles[before->count - 1] <= limit && after->cycles[after->count - 1] <= limit)
        return CORE_WHOLE;
    return before->cycles[before->count / 2] > limit && after->cycles[after->count / 2] > limit
               ? CORE_SHARED
               : CORE_BETWEEN;
}

/* CORE_STATES: unknown. */
static enum core_state state_by_pairs(enum pair_answer before, enum pair_answer after)
{
    if (before == PAIR_UNKNOWN || after == PAIR_UNKNOWN)
        return CORE_STATES;
    if (before != after)
        return CORE_BETWEEN;
    return before == PAIR_SIDE_BY_SIDE ? CORE_WHOLE : CORE_SHARED;
}

static enum core_state state_by_all(const struct states *s, const struct state_look *before,
                                    const struct state_look *after)
{
    enum core_state state = state_by_blocks(s, before, after);
    enum core_state pairs = state_by_pairs(before->pair, after->pair);
    /* In a core that is always shared the reach is what the sibling leaves of it. */
    if (pairs == CORE_SHARED)
        return CORE_SHARED;
    return pairs != CORE_STATES && pairs != state && !is_always_shared(s) ? CORE_BETWEEN : state;
}

enum core_state states_of_look(const struct states *s, struct state_look look)
{
    return state_by_all(s, &look, &look);
}

enum core_state states_of_visit(struct states *s, struct state_look before, struct state_look after)
{
    enum core_state state = state_by_all(s, &before, &after);
    enum core_state pairs = state_by_pairs(before.pair, after.pair);
    if (pairs < CORE_STATES)
        s->pairs[pairs]++;
    s->visits[state]++;
    return state;
}

bool states_both_were_seen(const struct states *s)
{
    double least = SEEN_SHARE * (s->pairs[CORE_WHOLE] + s->pairs[CORE_SHARED]);
    least = least > SEEN_VISITS ? least : SEEN_VISITS;
    return s->pairs[CORE_WHOLE] >= least && s->pairs[CORE_SHARED] >= least;
}
