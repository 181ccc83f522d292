/* test_shuffle_loops: the measured loops against a shuffle written otherwise. */
#include "../../kernel/probe/shuffle_loops.h"
#include "kit.h"

#define LENGTH_MAX 20000
#define SEED 1234567

/* --- the reference --------------------------------------------------------------------------- */

/* SplitMix64 step by step; the high half of a product from four products of halves. */
static uint64_t reference_state;

static uint64_t reference_random(void)
{
    reference_state += UINT64_C(11400714819323198485);
    uint64_t word = reference_state;
    word ^= word >> 30;
    word *= UINT64_C(13787848793156543929);
    word ^= word >> 27;
    word *= UINT64_C(10723151780598845931);
    word ^= word >> 31;
    return word;
}

static uint32_t reference_below(uint64_t bound)
{
    uint64_t word = reference_random(), low = (word & UINT32_MAX) * bound;
    uint64_t high = (word >> 32) * bound + (low >> 32);
    return (uint32_t)(high >> 32);
}

/* A swap through a third place, which does nothing to an element and itself. */
static void reference_shuffle(uint32_t *data, size_t length, uint64_t seed)
{
    reference_state = seed;
    for (size_t place = length; place-- > 0;) {
        uint32_t partner = reference_below(place + 1), kept = data[partner];
        data[partner] = data[place];
        data[place] = kept;
    }
}

/* --- loops ----------------------------------------------------------------------------------- */

static uint32_t wanted[LENGTH_MAX], data[LENGTH_MAX], indices[LENGTH_MAX];

/* Runs a loop over the array in pieces, as chunks are, each of a random length up to `piece`. Of
 * the two sources of indices the loop is given the one it is for. */
static void run_in_pieces(enum shuffle_loop loop, enum shuffle_source source, uint32_t stage,
                          size_t length, unsigned piece)
{
    static struct shuffle s;
    s = (struct shuffle){.data = data, .left = length, .stage = stage};
    if (source == SHUFFLE_PRECOMPUTED)
        s.indices = indices;
    else
        s.state = SEED;
    for (size_t i = 0; i < length; i++)
        data[i] = (uint32_t)i * 3 + 1;
    while (s.left > 0) {
        uint64_t before = s.left, swaps = 1 + (uint64_t)rand() % piece;
        swaps = swaps < before ? swaps : before;
        shuffle_runs[loop][source](&s, swaps);
        assert_int_equal(s.left, before - swaps);
    }
}

static void check_every_loop(size_t length, uint32_t stage, unsigned piece)
{
    uint64_t state = SEED;
    for (size_t i = 0; i < length; i++)
        wanted[i] = (uint32_t)i * 3 + 1;
    reference_shuffle(wanted, length, SEED);
    shuffle_precompute(indices, &state, length, 1);
    assert_compare(state, ==, reference_state);
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            run_in_pieces(loop, source, stage, length, piece);
            assert_memory_equal(data, wanted, length * sizeof *data);
        }
}

/* Where an element often meets itself, too: the shortest. */
TEST(every_loop_shuffles_as_the_reference)
{
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 64, 100, 1023, 4097, LENGTH_MAX};
    static const uint32_t stages[] = {1, 2, 7, 8, 64, 100, SHUFFLE_STAGE_MAX};
    static const unsigned pieces[] = {1, 50, 4096, LENGTH_MAX};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned j = 0; j < sizeof stages / sizeof *stages; j++)
            for (unsigned k = 0; k < sizeof pieces / sizeof *pieces; k++)
                check_every_loop(lengths[i], stages[j], pieces[k]);
}

/* Below 2^19, an index is the generator's first 19 bits. */
TEST(the_generator_is_split_mix_64)
{
    /* The first numbers for state 1234567 of the authors' own splitmix64.c (Vigna, 2015). */
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    const uint64_t bound = 1 << 19;
    uint64_t state = SEED;
    uint32_t *many = calloc(bound, sizeof *many);
    assert_non_null(many);
    reference_state = SEED;
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++) {
        shuffle_precompute(many, &state, bound, bound);
        assert_int_equal(many[bound - 1], published[i] >> 45);
        assert_compare(reference_random(), ==, published[i]);
    }
    free(many);
}
