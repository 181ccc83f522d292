/* test_shuffle_pass: whole passes in pieces, and where samples are taken. */
#include "../../kernel/probe/shuffle_pass.h"
#include "kit.h"

#define PIECE 65536
#define SEED 1234567

/* Exactly as large as they have to be, so that a sanitizer sees a step beyond. */
static uint32_t *data, *indices, *wanted;
static struct shuffle_pass pass;

static void open(uint64_t elements)
{
    data = malloc(elements * sizeof *data);
    indices = malloc(elements * sizeof *indices);
    wanted = malloc(elements * sizeof *wanted);
    assert_true(data != NULL && indices != NULL && wanted != NULL);
    memset(data, 0xff, elements * sizeof *data);
    memset(indices, 0xff, elements * sizeof *indices);
    pass = (struct shuffle_pass){.data = data, .elements = elements, .seed = SEED};
}

TEARDOWN(close)
{
    free(data);
    free(indices);
    free(wanted);
    data = indices = wanted = NULL;
}

/* The whole shuffle at once, with indices made beforehand. */
static void shuffle_at_once(uint64_t elements)
{
    uint64_t state = SEED;
    shuffle_precompute(indices, &state, elements, 1);
    for (uint64_t i = 0; i < elements; i++)
        wanted[i] = (uint32_t)i;
    for (uint64_t i = elements; i > 0; i--) {
        uint32_t partner = indices[i - 1], kept = wanted[partner];
        wanted[partner] = wanted[i - 1];
        wanted[i - 1] = kept;
    }
}

static uint32_t checksum_of(const uint32_t *order, uint64_t elements)
{
    uint64_t weighted = 0;
    for (uint64_t i = 0; i < elements; i++)
        weighted += order[i] * (i + 1);
    return (uint32_t)(weighted ^ weighted >> 32);
}

/* Returns the number of pieces. */
static unsigned run(void)
{
    unsigned pieces = 1;
    while (!shuffle_pass_go_on(&pass))
        pieces++;
    assert_int_equal(pass.phase, SHUFFLE_DONE);
    assert_true(shuffle_pass_go_on(&pass)); /* and stays so */
    return pieces;
}

static void run_until(enum shuffle_phase phase)
{
    while (pass.phase != phase)
        assert_int_equal(shuffle_pass_go_on(&pass), false);
}

static const uint64_t lengths[] = {1, 2, 4095, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 123};

/* With one piece and with several, and a last one of any length. */
TEST(every_pass_shuffles_the_whole_array)
{
    static const uint32_t stages[] = {1, 24, 64, SHUFFLE_STAGE_MAX};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned way = 0; way < SHUFFLE_LOOPS * SHUFFLE_SOURCES * 4; way++) {
            enum shuffle_loop loop = way % SHUFFLE_LOOPS;
            bool precomputed = way / SHUFFLE_LOOPS % SHUFFLE_SOURCES == SHUFFLE_PRECOMPUTED;
            uint64_t elements = lengths[i];
            open(elements);
            shuffle_at_once(elements);
            memset(indices, 0xff, elements * sizeof *indices);
            pass.indices = precomputed ? indices : NULL;
            shuffle_pass_start(&pass, precomputed ? SHUFFLE_INDEX : SHUFFLE_FILL, SHUFFLE_CHECK,
                               loop, stages[way / 4]);
            run();
            assert_memory_equal(data, wanted, elements * sizeof *data);
            assert_true(shuffle_pass_is_whole(&pass));
            assert_int_equal(shuffle_pass_checksum(&pass), checksum_of(wanted, elements));
            close();
        }
}

/* A piece is less than a millisecond: 65536 elements at most, and whole stages. */
TEST(pieces)
{
    open(3 * PIECE + 123);
    pass.indices = indices;
    shuffle_pass_start(&pass, SHUFFLE_INDEX, SHUFFLE_INDEX, SHUFFLE_PLAIN, 24);
    assert_int_equal(run(), 4);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_FILL, SHUFFLE_PLAIN, 24);
    assert_int_equal(run(), 4);
    shuffle_pass_start(&pass, SHUFFLE_RUN, SHUFFLE_RUN, SHUFFLE_STAGED, 24);
    for (uint64_t left = pass.elements; left > PIECE; left = pass.shuffle.left) {
        assert_false(shuffle_pass_go_on(&pass));
        assert_int_equal(left - pass.shuffle.left, PIECE / 24 * 24);
    }
    run();
}

TEST(indices_serve_for_several_passes)
{
    open(PIECE + 1);
    pass.indices = indices;
    shuffle_pass_start(&pass, SHUFFLE_INDEX, SHUFFLE_CHECK, SHUFFLE_PLAIN, 8);
    run();
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_CHECK, SHUFFLE_STAGED, 8);
    run();
    assert_int_equal(shuffle_pass_checksum(&pass), first);
    assert_true(shuffle_pass_is_whole(&pass));
}

TEST(a_lost_element_is_noticed)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        open(20000);
        shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_CHECK, SHUFFLE_STAGED, 8);
        run_until(SHUFFLE_CHECK);
        if (kind == 0)
            data[10000] = data[10000] == 0;
        else { /* the sum stays */
            data[10]++;
            data[20]--;
        }
        run();
        assert_false(shuffle_pass_is_whole(&pass));
        close();
    }
}

TEST(another_order_is_another_checksum)
{
    open(20000);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_CHECK, SHUFFLE_STAGED, 8);
    run();
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_CHECK, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_CHECK);
    uint32_t kept = data[5];
    data[5] = data[6];
    data[6] = kept;
    run();
    assert_true(shuffle_pass_is_whole(&pass));
    assert_int_not_equal(shuffle_pass_checksum(&pass), first);
}

/* --- samples --------------------------------------------------------------------------------- */

#define SUCCESSIVE 25

static int by_place(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void start_samples(uint64_t elements, uint32_t stage)
{
    pass = (struct shuffle_pass){.elements = elements, .seed = SEED};
    shuffle_pass_start(&pass, SHUFFLE_RUN, SHUFFLE_RUN, SHUFFLE_PLAIN, stage);
}

/* Whole stages, as many as fit. */
TEST(chunks)
{
    for (uint32_t stage = 1; stage <= SHUFFLE_STAGE_MAX; stage++) {
        start_samples(1 << 20, stage);
        assert_int_equal(pass.chunk % stage, 0);
        assert_in_range(pass.chunk, SHUFFLE_CHUNK - stage + 1, SHUFFLE_CHUNK);
    }
}

/* A sample is a whole chunk inside the array, and every chunk is one some time. */
TEST(every_chunk_is_a_sample)
{
    static const uint64_t elements[] = {8192, 16384, 100000, 1 << 20};
    for (unsigned i = 0; i < 4; i++) {
        uint64_t seen[300] = {0}, chunks, found = 0;
        start_samples(elements[i], 24);
        chunks = elements[i] / pass.chunk;
        assert_in_range(chunks, 1, 299);
        for (uint64_t sample = 0; sample < 4 * chunks; sample++) {
            shuffle_pass_seek(&pass, sample);
            uint64_t done = elements[i] - pass.shuffle.left;
            assert_true(pass.shuffle.left >= pass.chunk && pass.shuffle.left <= elements[i]);
            assert_int_equal(done % pass.chunk, 0);
            seen[done / pass.chunk]++;
        }
        for (uint64_t chunk = 0; chunk < chunks; chunk++)
            found += seen[chunk] > 0;
        assert_true(found == chunks);
    }
}

/*
 * Between neighbours of 25 that follow each other, the first after the last, there is nowhere much
 * more or less than a 25th of the array: multiples of the golden ratio leave three distances, of
 * which the largest is 2.6 times the smallest (Sos, 1958).
 */
static void assert_even(uint64_t first)
{
    double at[SUCCESSIVE + 1];
    for (unsigned i = 0; i < SUCCESSIVE; i++) {
        shuffle_pass_seek(&pass, first + i);
        at[i] = 1 - (double)pass.shuffle.left / (double)pass.elements;
    }
    qsort(at, SUCCESSIVE, sizeof *at, by_place);
    at[SUCCESSIVE] = at[0] + 1;
    for (unsigned i = 0; i < SUCCESSIVE; i++) {
        double share = (at[i + 1] - at[i]) * SUCCESSIVE;
        if (share < 0.5 || share > 1.5)
            fail_msg("%f of an even share behind sample %u from %u", share, i, (unsigned)first);
    }
}

TEST(successive_samples_are_spread_evenly)
{
    start_samples(UINT32_MAX, 8);
    for (uint64_t first = 0; first < 10000; first++)
        assert_even(first);
    for (unsigned i = 0; i < 1000; i++)
        assert_even((uint64_t)below(UINT32_MAX) << 20);
}
