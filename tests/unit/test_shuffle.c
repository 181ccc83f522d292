/* test_shuffle: the measured loops against a shuffle written otherwise; passes. */
#include "../../kernel/probe/shuffle_pass.h"
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

/* Runs a loop over the array in pieces, as chunks are, each of a random length up to `piece`. */
static void run_in_pieces(shuffle_run *run, uint32_t stage, size_t length, unsigned piece)
{
    static struct shuffle s;
    s = (struct shuffle){
        .data = data, .indices = indices, .state = SEED, .left = length, .stage = stage};
    for (size_t i = 0; i < length; i++)
        data[i] = (uint32_t)i * 3 + 1;
    while (s.left > 0) {
        uint64_t before = s.left, swaps = 1 + (uint64_t)rand() % piece;
        swaps = swaps < before ? swaps : before;
        run(&s, swaps);
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
    assert_true(state == reference_state);
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            run_in_pieces(shuffle_runs[loop][source], stage, length, piece);
            assert_memory_equal(data, wanted, length * sizeof *data);
        }
}

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

TEST(an_element_that_meets_itself_stays)
{
    for (uint32_t i = 0; i < 100; i++)
        indices[i] = i;
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
        run_in_pieces(shuffle_runs[loop][SHUFFLE_PRECOMPUTED], 8, 100, 100);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(data[i], i * 3 + 1);
    }
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
        assert_true(reference_random() == published[i]);
    }
    free(many);
}

/* --- passes ---------------------------------------------------------------------------------- */

static struct platform platform;
static struct shuffle_pass pass;
static uint32_t smi, smi_each;

static bool smi_count(struct platform *self, uint32_t *count)
{
    (void)self;
    *count = smi += smi_each;
    return true;
}

/* Five ticks a second: a slice is one piece, so that a test can look and change in between. */
SETUP(start_pass)
{
    smi = smi_each = 0;
    platform = (struct platform){.ticks_per_second = 5, .smi_count = smi_count};
    pass = (struct shuffle_pass){
        .platform = &platform, .data = data, .elements = LENGTH_MAX, .seed = SEED, .wanted = 500};
    memset(data, 0xff, sizeof data);
    memset(indices, 0xff, sizeof indices);
}

static void run_until(enum shuffle_phase phase)
{
    while (pass.phase != phase)
        shuffle_pass_slice(&pass);
}

TEST(a_pass_shuffles_the_whole_array)
{
    uint64_t weighted = 0;
    for (uint32_t i = 0; i < LENGTH_MAX; i++)
        wanted[i] = i;
    reference_shuffle(wanted, LENGTH_MAX, SEED);
    for (uint64_t i = 0; i < LENGTH_MAX; i++)
        weighted += wanted[i] * (i + 1);
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            start_pass();
            pass.indices = source == SHUFFLE_PRECOMPUTED ? indices : NULL;
            shuffle_pass_start(&pass, pass.indices != NULL ? SHUFFLE_INDEX : SHUFFLE_FILL, loop,
                               24);
            run_until(SHUFFLE_DONE);
            assert_memory_equal(data, wanted, sizeof data);
            assert_true(shuffle_pass_is_whole(&pass));
            assert_int_equal(shuffle_pass_checksum(&pass), (uint32_t)(weighted ^ weighted >> 32));
            /* 4080 swaps a chunk: whole stages of 24. */
            assert_int_equal(pass.count, LENGTH_MAX / 4080);
            assert_int_equal(pass.discarded, 0);
            for (uint32_t i = 0; i < pass.count; i++)
                assert_true(pass.ticks[i] > 0);
        }
}

TEST(indices_serve_for_several_passes)
{
    pass.indices = indices;
    shuffle_pass_start(&pass, SHUFFLE_INDEX, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_DONE);
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_DONE);
    assert_int_equal(shuffle_pass_checksum(&pass), first);
    assert_true(shuffle_pass_is_whole(&pass));
    assert_int_equal(pass.count, LENGTH_MAX / 4096);
}

TEST(fewer_samples_are_spread_over_the_shuffle)
{
    pass.wanted = 2;
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_RUN);
    uint64_t left[2];
    for (unsigned seen = 0; pass.phase == SHUFFLE_RUN;) {
        uint64_t before = pass.shuffle.left;
        shuffle_pass_slice(&pass);
        if (pass.count > seen)
            left[seen++] = before;
    }
    assert_int_equal(pass.count, 2);
    assert_int_equal(left[0], LENGTH_MAX);
    assert_int_equal(left[1], LENGTH_MAX - 2 * 4096);
}

TEST(a_lost_element_is_noticed)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
        run_until(SHUFFLE_CHECK);
        if (kind == 0)
            data[LENGTH_MAX / 2] = data[LENGTH_MAX / 2] == 0;
        else { /* the sum stays */
            data[10]++;
            data[20]--;
        }
        run_until(SHUFFLE_DONE);
        assert_false(shuffle_pass_is_whole(&pass));
    }
}

TEST(another_order_is_another_checksum)
{
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_DONE);
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_CHECK);
    uint32_t kept = data[5];
    data[5] = data[6];
    data[6] = kept;
    run_until(SHUFFLE_DONE);
    assert_true(shuffle_pass_is_whole(&pass));
    assert_int_not_equal(shuffle_pass_checksum(&pass), first);
}

TEST(samples_with_a_system_management_interrupt_are_discarded)
{
    smi_each = 1;
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_DONE);
    assert_int_equal(pass.count, 0);
    assert_int_equal(pass.discarded, LENGTH_MAX / 4096);
}
