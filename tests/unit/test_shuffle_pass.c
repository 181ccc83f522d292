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

/* Samples less than chunks, as many, more, and no multiple of them. */
static const uint64_t elements_of[] = {4096, 8192, 100000, 1 << 20, UINT32_MAX};
static const uint64_t samples_of[] = {1, 4, 50, 256, 257, 1200, 4801};

static void for_all(void (*check)(uint64_t chunks, uint64_t samples))
{
    for (unsigned i = 0; i < sizeof elements_of / sizeof *elements_of; i++)
        for (unsigned j = 0; j < sizeof samples_of / sizeof *samples_of; j++) {
            start_samples(elements_of[i], 24);
            check(pass.elements / pass.chunk, samples_of[j]);
        }
}

/* The chunk that a sample goes to, which is a whole one inside the array. */
static uint64_t chunk_of(uint64_t sample, uint64_t samples)
{
    shuffle_pass_seek(&pass, sample, samples);
    uint64_t done = pass.elements - pass.shuffle.left;
    assert_within(pass.shuffle.left, pass.chunk, pass.elements);
    assert_int_equal(done % pass.chunk, 0);
    return done / pass.chunk;
}

/* Of half as many stretches of the array as a sweep has samples, none is left out or preferred. */
static void check_even(uint64_t chunks, uint64_t samples)
{
    static unsigned seen[5000];
    uint64_t sweeps = (samples + chunks - 1) / chunks, places = (samples / sweeps + 1) / 2;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < samples; i++)
        seen[chunk_of(i, samples) * places / chunks]++;
    for (uint64_t i = 0; i < places; i++)
        assert_in_range(seen[i], 1, 2 * (samples / places) + sweeps);
}

TEST(samples_are_spread_evenly)
{
    for_all(check_even);
}

/* From end to start, and at the start again at most as often as the samples ask for. */
static void check_order(uint64_t chunks, uint64_t samples)
{
    uint64_t last = chunk_of(0, samples), sweeps = 1;
    assert_int_equal(last, 0);
    for (uint64_t i = 1; i < samples; i++) {
        uint64_t now = chunk_of(i, samples);
        assert_true(chunks == 1 || now != last);
        sweeps += now <= last;
        last = now;
    }
    assert_int_equal(sweeps, (samples + chunks - 1) / chunks);
}

TEST(samples_go_the_shuffles_way)
{
    for_all(check_order);
}

/* What is asked for beyond them begins anew. */
TEST(more_samples_than_said)
{
    start_samples(1 << 20, 8);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(chunk_of(i + 100, 100), chunk_of(i, 100));
}
