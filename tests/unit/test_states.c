/* test_states: the whole core's pace among those of a shared one, and the state of visits. */
#include "../../kernel/analysis/states.h"
#include "../../kernel/lib/random.h"
#include "../../kernel/lib/sort.h"
#include "kit.h"

#define WHOLE 630.0 /* cycles of the block */
#define LOOKS 3     /* before a visit, and after it */
#define BLOCKS (2 * LOOKS)

static struct states states;
static struct random chance;

SETUP(start)
{
    memset(&states, 0, sizeof states);
    random_seed(&chance, 1);
}

static double between(double low, double high)
{
    return low + (high - low) * (double)random_below(&chance, 1000000) / 1e6;
}

/* What the sibling leaves: anything down to half, and almost all of it at times. */
static double shared_block(void)
{
    return WHOLE * between(1.02, 1.9);
}

static double whole_block(void)
{
    return WHOLE * between(0.98, 1.03);
}

static enum core_state visit(const double *cycles, enum pair_answer before, enum pair_answer after)
{
    return states_of_visit(&states, (struct state_look){cycles, LOOKS, before},
                           (struct state_look){cycles + LOOKS, LOOKS, after});
}

/* So many visits, of which `share` are of the whole core; the last one's state. */
static enum core_state look(unsigned visits, double share)
{
    enum core_state state = CORE_STATES;
    for (unsigned i = 0; i < visits; i++) {
        bool whole = between(0, 1) < share;
        double cycles[BLOCKS];
        for (unsigned j = 0; j < BLOCKS; j++) {
            cycles[j] = whole ? whole_block() : shared_block();
            states_add_block(&states, cycles[j]);
        }
        sort_doubles(cycles, LOOKS);
        sort_doubles(cycles + LOOKS, LOOKS);
        state = visit(cycles, PAIR_UNKNOWN, PAIR_UNKNOWN);
    }
    return state;
}

/* So many blocks of each look are slow. */
static enum core_state state_of(double slow, unsigned before, unsigned after)
{
    double cycles[BLOCKS];
    for (unsigned i = 0; i < LOOKS; i++) {
        cycles[i] = WHOLE * (i >= LOOKS - before ? slow : 1);
        cycles[LOOKS + i] = WHOLE * (i >= LOOKS - after ? slow : 1);
    }
    return visit(cycles, PAIR_UNKNOWN, PAIR_UNKNOWN);
}

/* The second percentile, counted anew. */
static void check_fastest(void)
{
    uint64_t few = states.blocks / 50, below = 0;
    unsigned bin = 0;
    for (; bin < STATES_BINS - 1 && below + states.bin[bin] <= few; bin++)
        below += states.bin[bin];
    assert_numbers((states.fastest, states.faster), (bin, below));
}

TEST(the_fastest_are_followed_whatever_comes)
{
    static const double ends[][2] = {{600, 640}, {1e12, 1e13}, {1, 2000},   {0, 1},
                                     {900, 901}, {100, 200},   {5000, 9000}};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        for (unsigned j = 0; j < 300; j++) {
            states_add_block(&states, between(ends[i][0], ends[i][1]));
            check_fastest();
        }
}

TEST(nothing_seen)
{
    assert_true(states_limit(&states) == 0);
    assert_true(states_cycles(&states, 100) == 0);
}

/* From a core that is nearly never whole to one that always is. */
TEST(the_limit_is_the_whole_core_s)
{
    static const double shares[] = {0.04, 0.1, 0.3, 0.5, 0.9, 1};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        start();
        look(2000, shares[i]);
        assert_true(states_limit(&states) > 1.03 * WHOLE);
        assert_true(states_limit(&states) < 1.15 * WHOLE);
    }
}

/* It is the same by any unit, and at any pace from one addition a cycle to sixteen. */
TEST(any_pace)
{
    for (double cycles = 75; cycles <= 9600; cycles *= 1.13) {
        start();
        for (unsigned i = 0; i < 100; i++)
            states_add_block(&states, cycles);
        assert_compare(states_limit(&states), >, 1.05 * cycles);
        assert_compare(states_limit(&states), <, 1.11 * cycles);
    }
}

/* This clock reads 300 cycles as 288 or 324: both are the whole core's, 540 are not. */
TEST(a_clock_with_steps)
{
    states.step = 36;
    states_add_chain(&states, 1, 1);
    for (unsigned i = 0; i < 300; i++)
        states_add_block(&states, i % 3 == 0 ? 324 : 288);
    assert_in_range(states_limit(&states), 325, 360);
    start();
    states.step = 36;
    states_add_chain(&states, 0.5, 1); /* at two cycles a tick a step is 72 */
    states_add_block(&states, 600);
    assert_in_range(states_limit(&states), 600 + 72, 672 + 72);
}

TEST(states_of_visits)
{
    look(2000, 0.5);
    assert_numbers((state_of(1.5, 0, 0), state_of(1.03, 3, 3)), (CORE_WHOLE, CORE_WHOLE));
    assert_numbers((state_of(1.5, 3, 3), state_of(1.2, 2, 3)), (CORE_SHARED, CORE_SHARED));
    assert_numbers((state_of(1.2, 2, 2), state_of(1.5, 3, 0)), (CORE_SHARED, CORE_BETWEEN));
    assert_numbers((state_of(1.5, 0, 3), state_of(1.5, 1, 0)), (CORE_BETWEEN, CORE_BETWEEN));
    assert_int_equal(state_of(1.5, 1, 3), CORE_BETWEEN);
}

/* The fastest block of a core that is never whole is not a whole core's, where that is known. */
TEST(shared_all_the_time)
{
    states.published = WHOLE / 1.5;
    assert_int_equal(look(1000, 1), CORE_SHARED);
    assert_int_equal(states.visits[CORE_WHOLE], 0);
    start();
    states.published = WHOLE;
    assert_int_equal(look(1000, 1), CORE_WHOLE);
}

/* A Zen 5 guest whose clock counts in 21 ticks, 35 cycles: its whole core took 486 cycles for the
 * published 400. The fastest of these is 1.22 of it. */
TEST(a_step_more_than_published)
{
    for (unsigned has_step = 0; has_step < 2; has_step++) {
        start();
        states.published = WHOLE / 1.27;
        states.step = has_step ? 0.0875 * states.published : 0;
        states_add_chain(&states, 1, 1);
        assert_int_equal(look(1000, 1), has_step ? CORE_WHOLE : CORE_SHARED);
    }
}

/* Faster than published is whole, too: a later stepping, a table's mistake. */
TEST(faster_than_published)
{
    states.published = WHOLE * 1.5;
    assert_int_equal(look(1000, 1), CORE_WHOLE);
}

/* A few blocks that came out too fast, by a clock's step, are no state. */
TEST(outliers)
{
    look(2000, 0.5);
    for (unsigned i = 0; i < 100; i++)
        states_add_block(&states, WHOLE / 2);
    assert_true(states_limit(&states) > 1.03 * WHOLE);
    states_add_block(&states, 0);
    states_add_block(&states, 1e12);
    assert_true(states_limit(&states) > 1.03 * WHOLE);
}

/* The median of the latest chains, whatever some of them were. */
TEST(cycles)
{
    for (unsigned i = 0; i < 100; i++)
        states_add_chain(&states, i % 3 == 0 ? 9 : 0.5, 1);
    assert_true(states_cycles(&states, 100) == 200);
    for (unsigned i = 0; i < STATES_CHAINS; i++)
        states_add_chain(&states, 0.25, 1);
    assert_true(states_cycles(&states, 100) == 400);
    start();
    states_add_chain(&states, 2, 1);
    assert_true(states_cycles(&states, 100) == 50);
    states_add_chain(&states, 0, 1); /* a clock that stands still */
    states_add_chain(&states, 0, 1);
    assert_true(states_cycles(&states, 100) == 0);
}

/* Two chains that agree are enough, one is not; a step of the clock is no move. */
TEST(a_clock_that_moves)
{
    for (unsigned i = 0; i < STATES_CHAINS; i++)
        states_add_chain(&states, 600, 1200);
    states_add_chain(&states, 660, 1200);
    assert_true(states_cycles(&states, 100) == 200);
    states_add_chain(&states, 900, 1200); /* interrupted */
    assert_true(states_cycles(&states, 100) == 200);
    states_add_chain(&states, 661, 1200);
    states_add_chain(&states, 660, 1200);
    assert_in_range(100 * states_cycles(&states, 100), 18150, 18190);
    states.step = 26;
    for (unsigned i = 0; i < 3; i++) {
        states_add_chain(&states, 690, 1200);
        states_add_chain(&states, 638, 1200);
    }
    assert_in_range(states_cycles(&states, 100), 174, 188);
}

/* Sixteen of the latest 31 decide: fifteen that are a little slower do not. */
TEST(so_many_chains_decide)
{
    for (unsigned i = 0; i < 46; i++)
        states_add_chain(&states, i < 31 ? 0.5 : 0.51, 1);
    assert_near(states_cycles(&states, 102), 204);
    states_add_chain(&states, 0.51, 1);
    assert_near(states_cycles(&states, 102), 200);
}

/* --- pairs of loads --------------------------------------------------------------------------- */

TEST(the_reach_needs_two_searches_in_a_row)
{
    assert_int_equal(states_fillers(&states), 0);
    states_add_reach(&states, 500);
    assert_int_equal(states.reach, 0);
    states_add_reach(&states, 490);
    assert_int_equal(states.reach, 490);
    assert_int_equal(states_fillers(&states), 294);
    for (unsigned i = 0; i < 5; i++) {
        states_add_reach(&states, 250); /* of half a core */
        states_add_reach(&states, 0);   /* a search that found nothing */
        states_add_reach(&states, 504); /* within three percent */
    }
    assert_int_equal(states.reach, 490);
    states_add_reach(&states, 3000); /* by chance */
    states_add_reach(&states, 2000);
    assert_int_equal(states.reach, 490);
    states_add_reach(&states, 2050);
    assert_int_equal(states.reach, 2000);
}

/* At first half a core was there: the whole one reaches farther, whatever comes between. */
TEST(a_reach_that_was_half_is_learned)
{
    states_add_reach(&states, 96);
    states_add_reach(&states, 96);
    assert_int_equal(states.reach, 96);
    states.visits[CORE_WHOLE] = states.pairs[CORE_WHOLE] =
        2; /* so it seemed: they count no longer */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(states.visits[CORE_WHOLE] + states.pairs[CORE_WHOLE], 4);
        states_add_reach(&states, 192);
        states_add_reach(&states, 95);
    }
    assert_numbers((states.reach, states.visits[CORE_WHOLE], states.pairs[CORE_WHOLE]),
                   (192, 0, 0));
}

TEST(both_looks_make_a_state)
{
    const enum pair_answer W = PAIR_SIDE_BY_SIDE, S = PAIR_IN_TURN, N = PAIR_UNKNOWN;
    static const double whole[BLOCKS] = {WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE};
    static const double slow[BLOCKS] = {800, 900, 1000, 800, 900, 1000};
    const struct {
        const double *cycles;
        enum pair_answer before, after;
        enum core_state state;
    } cases[] = {
        {whole, W, W, CORE_WHOLE},   {whole, S, S, CORE_SHARED}, /* it waits for memory */
        {whole, W, S, CORE_BETWEEN}, {whole, S, W, CORE_BETWEEN}, {whole, N, N, CORE_WHOLE},
        {whole, N, S, CORE_WHOLE},   {slow, W, W, CORE_BETWEEN}, /* no sibling slowed it */
        {slow, S, S, CORE_SHARED},   {slow, N, W, CORE_SHARED},   {slow, W, S, CORE_BETWEEN},
    };
    look(2000, 1);
    for (EACH(c, cases))
        assert_int_equal(visit(c->cycles, c->before, c->after), c->state);
    start(); /* never as fast as the whole core: what is in flight there is half a core's */
    states.published = WHOLE / 2;
    look(100, 1);
    assert_int_equal(visit(whole, W, W), CORE_SHARED);
    assert_int_equal(visit(whole, S, S), CORE_SHARED);
}

/* A sibling that waits for memory all the time: no search finds more than half of the published
 * entries in flight, and the second look asks for more than that. */
TEST(a_published_reorder_buffer_is_the_reach_from_the_start)
{
    static const double whole[BLOCKS] = {WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE};
    states.reach = 448;
    for (unsigned i = 0; i < 2; i++)
        states_add_reach(&states, 222);
    assert_int_equal(states.reach, 448);
    assert_true(states_fillers(&states) > 224);
    assert_int_equal(visit(whole, PAIR_IN_TURN, PAIR_IN_TURN), CORE_SHARED);
    for (unsigned i = 0; i < 2; i++) /* more than is published: a later stepping */
        states_add_reach(&states, 510);
    assert_int_equal(states.reach, 510);
}

static void look_at_pairs(unsigned visits, enum pair_answer answer)
{
    static const double whole[BLOCKS] = {WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE};
    for (unsigned i = 0; i < visits; i++)
        visit(whole, answer, answer);
}

TEST(both_states_are_seen_when_neither_is_chance)
{
    look_at_pairs(1000, PAIR_SIDE_BY_SIDE);
    assert_false(states_both_were_seen(&states));
    look_at_pairs(52, PAIR_IN_TURN);
    assert_false(states_both_were_seen(&states));
    look_at_pairs(1, PAIR_IN_TURN);
    assert_true(states_both_were_seen(&states));
    start();
    look_at_pairs(7, PAIR_IN_TURN);
    look_at_pairs(8, PAIR_SIDE_BY_SIDE);
    assert_false(states_both_were_seen(&states));
    look_at_pairs(1, PAIR_IN_TURN);
    assert_true(states_both_were_seen(&states));
    start();
    look_at_pairs(1000, PAIR_UNKNOWN);
    assert_false(states_both_were_seen(&states));
}
