/* test_random: the generator against published values, and what is drawn from it. */
#include "../../kernel/lib/random.h"
#include "kit.h"

#define DRAWS 1000

/* SplitMix64 from seed 1234567: five values that Vigna's splitmix64.c gives. */
static const uint64_t splitmix_values[] = {
    6457827717110365317u, 3203168211198807973u,  9817491932198370423u,
    4593380528125082431u, 16408922859458223821u,
};

/* xoshiro256** from state 1, 2, 3, 4: ten values that Blackman and Vigna's xoshiro256starstar.c
 * gives. */
static const uint64_t xoshiro_values[] = {
    11520u,
    0u,
    1509978240u,
    1215971899390074240u,
    1216172134540287360u,
    607988272756665600u,
    16172922978634559625u,
    8476171486693032832u,
    10595114339597558777u,
    2904607092377533576u,
};

TEST(seed_is_splitmix)
{
    struct random random;
    random_seed(&random, 1234567);
    for (unsigned i = 0; i < 4; i++)
        assert_compare(random.state[i], ==, splitmix_values[i]);
}

TEST(next_is_xoshiro)
{
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof xoshiro_values / sizeof *xoshiro_values; i++)
        assert_true(random_next(&random) == xoshiro_values[i]);
}

/* The upper 64 bits of the product of one draw and the bound. */
TEST(below_bounds)
{
    static const uint64_t bounds[] = {
        1, 2, 3, 7, 10, 64, 1000, 1ull << 32, (1ull << 32) + 1, 1ull << 63, UINT64_MAX,
    };
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint64_t largest = 0;
        for (unsigned draw = 0; draw < DRAWS; draw++) {
            uint64_t value = random_below(&random, bounds[i]);
            assert_compare(value, <, bounds[i]);
            if (value > largest)
                largest = value;
        }
        assert_compare(largest, >=, bounds[i] - 1 - bounds[i] / 10); /* chance of failure 1e-45 */
    }
}

/* Pearson's chi-square against the uniform distribution. */
static double chi_square(const unsigned *seen, unsigned cells, unsigned draws)
{
    double expected = (double)draws / cells, sum = 0;
    for (unsigned i = 0; i < cells; i++)
        sum += (seen[i] - expected) * (seen[i] - expected) / expected;
    return sum;
}

TEST(below_is_uniform)
{
    enum { CELLS = 101, PER_CELL = 1000 };
    unsigned seen[CELLS] = {0};
    struct random random;
    random_seed(&random, 11);
    for (unsigned i = 0; i < CELLS * PER_CELL; i++)
        seen[random_below(&random, CELLS)]++;
    double chi = chi_square(seen, CELLS, CELLS * PER_CELL);
    assert_compare(chi, >, 45);
    assert_compare(chi, <, 180); /* 100 degrees of freedom: beyond either, 1e-6 */
}

TEST(shuffle_is_a_permutation)
{
    enum { MAX = 300 };
    uint32_t values[MAX + 1];
    struct random random;
    random_seed(&random, 3);
    for (uint32_t count = 0; count <= MAX; count++) {
        bool seen[MAX] = {false};
        for (uint32_t i = 0; i < count; i++)
            values[i] = i;
        values[count] = 0xdecade;
        random_shuffle(&random, values, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_compare(values[i], <, count);
            assert_false(seen[values[i]]);
            seen[values[i]] = true;
        }
        assert_int_equal(values[count], 0xdecade);
    }
}

/* Fails unless each of so many outcomes, of the 256 that may be seen, came about as often. */
static void assert_alike(const unsigned seen[256], unsigned kinds, unsigned draws, double most)
{
    unsigned counts[256], found = 0;
    for (unsigned i = 0; i < 256; i++)
        if (seen[i] > 0)
            counts[found++] = seen[i];
    assert_int_equal(found, kinds);
    assert_compare(chi_square(counts, kinds, draws), <, most);
}

/* All 24 orders of four values come alike. */
TEST(shuffle_is_uniform)
{
    enum { ORDERS = 24, PER_ORDER = 2000 };
    unsigned seen[256] = {0};
    struct random random;
    random_seed(&random, 17);
    for (unsigned i = 0; i < ORDERS * PER_ORDER; i++) {
        uint32_t values[] = {0, 1, 2, 3};
        random_shuffle(&random, values, 4);
        seen[values[0] << 6 | values[1] << 4 | values[2] << 2 | values[3]]++;
    }
    assert_alike(seen, ORDERS, ORDERS * PER_ORDER, 60); /* 23 degrees: 4e-5 */
}

TEST(a_cycle_comes_to_every_number)
{
    enum { MAX = 300 };
    uint32_t next[MAX + 1];
    struct random random;
    random_seed(&random, 3);
    for (uint32_t count = 1; count <= MAX; count++) {
        uint32_t at = 0, steps = 0;
        next[count] = 0xdecade;
        random_cycle(&random, next, count);
        do
            at = next[at];
        while (++steps < count && at != 0);
        assert_numbers((at, steps, next[count]), (0, count, 0xdecade));
    }
}

/* All 6 cycles of four values come alike. */
TEST(cycles_are_uniform)
{
    enum { CYCLES = 6, PER_CYCLE = 2000 };
    unsigned seen[256] = {0};
    struct random random;
    random_seed(&random, 17);
    for (unsigned i = 0; i < CYCLES * PER_CYCLE; i++) {
        uint32_t next[4];
        random_cycle(&random, next, 4);
        seen[next[0] << 6 | next[1] << 4 | next[2] << 2 | next[3]]++;
    }
    assert_alike(seen, CYCLES, CYCLES * PER_CYCLE, 30); /* 5 degrees: 1.5e-5 */
}
