/* test_random: the generator against published values, and what is drawn from it. */
#include "../../kernel/lib/random.h"
#include "kit.h"

#define SEEDS 200
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

/* The published algorithms again, in another form: state in separate variables, no rotation. */
static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z ^= z / (1u << 30);
    z *= 0xbf58476d1ce4e5b9u;
    z ^= z / (1u << 27);
    z *= 0x94d049bb133111ebu;
    return z ^ z / (1u << 31);
}

struct reference {
    uint64_t a, b, c, d;
};

static uint64_t rotated(uint64_t x, unsigned bits)
{
    unsigned __int128 wide = (unsigned __int128)x << bits;

    return (uint64_t)wide + (uint64_t)(wide >> 64);
}

static uint64_t reference_next(struct reference *r)
{
    struct reference s = *r;
    uint64_t result = rotated(s.b * 5, 7) * 9;

    r->a = s.a ^ s.d ^ s.b;
    r->b = s.a ^ s.b ^ s.c;
    r->c = s.a ^ s.c ^ s.b << 17;
    r->d = rotated(s.b ^ s.d, 45);
    return result;
}

static struct reference reference_seed(uint64_t seed)
{
    struct reference r;

    r.a = splitmix(&seed);
    r.b = splitmix(&seed);
    r.c = splitmix(&seed);
    r.d = splitmix(&seed);
    return r;
}

TEST(seed_is_splitmix)
{
    struct random random;

    random_seed(&random, 1234567);
    for (unsigned i = 0; i < 4; i++)
        assert_true(random.state[i] == splitmix_values[i]);
}

TEST(next_is_xoshiro)
{
    struct random random = {{1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof xoshiro_values / sizeof *xoshiro_values; i++)
        assert_true(random_next(&random) == xoshiro_values[i]);
}

TEST(against_reference)
{
    static const uint64_t edges[] = {0, 1, UINT64_MAX, 1ull << 63, 0x9e3779b97f4a7c15u};
    size_t edge_count = sizeof edges / sizeof *edges;

    for (uint64_t i = 0; i < SEEDS; i++) {
        uint64_t seed = i < edge_count ? edges[i] : i * 0x123456789abcdefu;
        struct random random;
        struct reference reference = reference_seed(seed);
        random_seed(&random, seed);
        for (unsigned draw = 0; draw < DRAWS; draw++)
            assert_true(random_next(&random) == reference_next(&reference));
    }
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
            assert_true(value < bounds[i]);
            if (value > largest)
                largest = value;
        }
        assert_true(largest >= bounds[i] - 1 - bounds[i] / 10); /* chance of failure 1e-45 */
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
    assert_true(chi > 45 && chi < 180); /* 100 degrees of freedom: beyond either, 1e-6 */
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
            assert_true(values[i] < count);
            assert_false(seen[values[i]]);
            seen[values[i]] = true;
        }
        assert_int_equal(values[count], 0xdecade);
    }
}

/* All 24 orders of four values come alike. */
TEST(shuffle_is_uniform)
{
    enum { ORDERS = 24, PER_ORDER = 2000 };
    unsigned seen[256] = {0}, counts[ORDERS], orders = 0;
    struct random random;

    random_seed(&random, 17);
    for (unsigned i = 0; i < ORDERS * PER_ORDER; i++) {
        uint32_t values[] = {0, 1, 2, 3};
        random_shuffle(&random, values, 4);
        seen[values[0] << 6 | values[1] << 4 | values[2] << 2 | values[3]]++;
    }
    for (unsigned i = 0; i < 256; i++) {
        if (seen[i] == 0)
            continue;
        assert_true(orders < ORDERS);
        counts[orders++] = seen[i];
    }
    assert_int_equal(orders, ORDERS);
    assert_true(chi_square(counts, ORDERS, ORDERS * PER_ORDER) < 60); /* 23 degrees: 4e-5 */
}

TEST(shuffle_is_repeatable)
{
    enum { COUNT = 100 };
    uint32_t first[COUNT], again[COUNT], other[COUNT];
    struct random random;

    for (uint32_t i = 0; i < COUNT; i++)
        first[i] = again[i] = other[i] = i;
    random_seed(&random, 1);
    random_shuffle(&random, first, COUNT);
    random_seed(&random, 1);
    random_shuffle(&random, again, COUNT);
    random_shuffle(&random, other, COUNT);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}
