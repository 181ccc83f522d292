/* test_model_accesses: prefetches and stores of the modelled core, against timings by hand. */
#include "../model/model_combining.h"
#include "kit.h"
#include "modelled.h"

#define MEMORY 200
#define TIMER 30
#define STANDARD "memory=200,timer=30,rob=512,width=4"

static uint64_t sample_of_fillers(enum access access, unsigned n, enum filler filler, unsigned k)
{
    struct mlp_shape shape = {
        .loads = n, .access = access, .filler = filler, .fillers = k, .timing = fence_order};
    return sample(&shape, TLB_WARM);
}

static uint64_t sample_of(enum access access, unsigned n)
{
    return sample_of_fillers(access, n, FILLER_NOP, 0);
}

/* So much of memory's latency, the timer, and what it takes to dispatch them. */
static void assert_latencies(uint64_t time, unsigned latencies, unsigned dispatched)
{
    uint64_t least = TIMER + latencies * MEMORY;
    assert_in_range(time, least, least + dispatched / 4 + 2);
}

/* N lines by so many buffers: those that get none wait for the first to be free. */
static void assert_buffers(enum access access, unsigned buffers)
{
    for (unsigned n = 1; n <= 3 * buffers; n++)
        assert_latencies(sample_of(access, n), (n - 1) / buffers + 1, n);
}

#define open_with(...) open_model_of(64 * MB, PAGE_2M, STANDARD "," __VA_ARGS__)

TEST(prefetches_take_the_buffers_of_loads)
{
    for (unsigned buffers = 1; buffers <= 20; buffers++) {
        open_with("fill_buffers=%u", buffers);
        assert_buffers(ACCESS_PREFETCH, buffers);
    }
}

/* More of them than there are for loads; or fewer, which then bounds loads as well. */
TEST(prefetches_may_have_more)
{
    static const unsigned sizes[][2] = {{4, 5}, {10, 30}, {12, 64}, {8, 8}, {10, 6}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned loads = sizes[i][0], all = sizes[i][1];
        open_with("fill_buffers=%u,prefetch_buffers=%u", loads, all);
        assert_buffers(ACCESS_PREFETCH, all);
        assert_buffers(ACCESS_LOAD, loads < all ? loads : all);
    }
}

/* It comes with the prefetch that was first; so it is there, or nearly, when it is loaded. */
TEST(a_prefetched_line_is_there)
{
    struct mlp_shape shape = {.loads = 2, .access = ACCESS_PREFETCH, .timing = fence_order};
    open_with("fill_buffers=%u", 10);
    displacement[1] = displacement[0] + 8;
    assert_latencies(sample(&shape, TLB_WARM), 1, 2); /* on its way */
    assert_int_equal(platform->run_code(platform, window.base), TIMER + 4 + 1);
}

TEST(stores_take_the_buffers_of_loads_or_their_own)
{
    for (unsigned buffers = 1; buffers <= 20; buffers++) {
        open_with("fill_buffers=%u", buffers);
        assert_buffers(ACCESS_STORE, buffers);
        open_with("fill_buffers=%u,write_buffers=%u", 9, buffers);
        assert_buffers(ACCESS_STORE, buffers);
        assert_buffers(ACCESS_LOAD, 9);
    }
}

/* A store is asked for its line from the queue: one that is not in it yet has to wait. */
TEST(the_store_queue_ends_it_before)
{
    for (unsigned queue = 2; queue <= 12; queue++) {
        open_with("fill_buffers=16,store_queue=%u", queue);
        assert_latencies(sample_of(ACCESS_STORE, queue), 1, queue);
        assert_latencies(sample_of(ACCESS_STORE, queue + 1), 2, queue + 1);
    }
}

/* Stores write in order: those that hit wait behind one that misses, and keep their entries. */
TEST(stores_that_hit_fill_the_queue)
{
    for (unsigned queue = 4; queue <= 40; queue += 9) {
        open_with("fill_buffers=16,store_queue=%u", queue);
        assert_latencies(sample_of_fillers(ACCESS_STORE, 2, FILLER_STORE, queue - 2), 1, queue);
        assert_latencies(sample_of_fillers(ACCESS_STORE, 2, FILLER_STORE, queue - 1), 2, queue);
    }
}

/* A body between timestamps, and a fence of each kind behind it, or none. */
static uint64_t time_of(void (*body)(struct encoder *e), bool has_mfence)
{
    struct encoder e = {.at = platform->code.write, .room = platform->code.bytes};
    encode_enter(&e);
    encode_timer_start(&e, fence_order);
    encode_clear(&e, RAX);
    body(&e);
    if (has_mfence)
        encode_mfence(&e);
    encode_timer_stop(&e, fence_order);
    encode_leave(&e);
    encode_return(&e);
    platform->publish_code(platform, e.length);
    prepare(5, TLB_WARM);
    return platform->run_code(platform, window.base);
}

static void nothing(struct encoder *e)
{
    (void)e;
}

static void one_store(struct encoder *e)
{
    encode_store(e, displacement[0]);
}

static void one_word(struct encoder *e)
{
    encode_store_past(e, displacement[0]);
}

static void two_prefetches(struct encoder *e)
{
    encode_prefetch(e, displacement[0]);
    encode_prefetch(e, displacement[1]);
}

/* What is stored must not be what is loaded. */
static void a_store_and_four_loads(struct encoder *e)
{
    encode_store(e, displacement[4]);
    for (unsigned i = 0; i < 4; i++)
        encode_load(e, displacement[i]);
}

/* RDTSCP and LFENCE wait neither for stores that have retired nor for lines prefetched. */
TEST(only_mfence_waits_for_stores)
{
    open_with("fill_buffers=%u", 10);
    assert_latencies(time_of(nothing, true), 0, 8);
    assert_latencies(time_of(one_store, false), 0, 8);
    assert_latencies(time_of(one_store, true), 1, 8);
    assert_latencies(time_of(two_prefetches, true), 0, 8);
    assert_latencies(time_of(one_word, false), 0, 8);
    open_with("wc_cycles=%u", 11);
    assert_in_range(time_of(one_word, true), TIMER + MEMORY + 11, TIMER + MEMORY + 14);
}

TEST(loads_and_stores_share_buffers_or_do_not)
{
    open_with("fill_buffers=%u", 4);
    assert_latencies(time_of(a_store_and_four_loads, true), 2, 8);
    open_with("fill_buffers=%u,write_buffers=%u", 4, 1);
    assert_latencies(time_of(a_store_and_four_loads, true), 1, 8);
}

/* Stored to, a line is in the caches; written past them, it is in none. */
TEST(where_written_lines_are)
{
    struct mlp_shape shape = {.loads = 3, .timing = fence_order};
    open_with("fill_buffers=%u", 10);
    for (shape.access = ACCESS_STORE; shape.access <= ACCESS_NT; shape.access++) {
        struct mlp_shape load = {.loads = 3, .timing = fence_order};
        sample(&load, TLB_WARM); /* they are in the caches */
        publish(&shape);
        platform->run_code(platform, window.base);
        publish(&load);
        uint64_t time = platform->run_code(platform, window.base);
        if (shape.access == ACCESS_STORE)
            assert_in_range(time, TIMER + 4, TIMER + 6);
        else
            assert_latencies(time, 1, 3);
    }
}

/* Each line leaves once, whole; or beyond the buffers each of its words by itself. */
TEST(lines_past_the_caches)
{
    enum { CYCLES = 20, WORDS = 8 };
    for (unsigned buffers = 1; buffers <= 24; buffers++) {
        open_with("wc_buffers=%u,wc_cycles=%u", buffers, CYCLES);
        for (unsigned n = 1; n <= buffers + 3; n++) {
            struct mlp_shape shape = {.loads = n, .access = ACCESS_NT, .timing = fence_order};
            unsigned left = n <= buffers ? n : WORDS * n;
            uint64_t least = TIMER + MEMORY + left * CYCLES;
            assert_in_range(sample(&shape, TLB_WARM), least, least + WORDS * n / 4 + 2);
            shape.in_turn = true;
            least = TIMER + MEMORY + n * CYCLES;
            assert_in_range(sample(&shape, TLB_WARM), least, least + WORDS / 4 + 2);
        }
    }
}

TEST(a_buffer_is_the_line_s_or_the_first_to_be_had)
{
    struct model_combining combining;
    struct model_parameters parameters;
    char text[256];
    assert_true(model_parameters_read("memory=100,wc_buffers=2,wc_cycles=7", &parameters, text,
                                      sizeof text));
    assert_true(model_combining_open(&combining, &parameters));
    assert_int_equal(model_combining_flush(&combining, 50), 50); /* there is nothing */
    assert_int_equal(model_combining_write(&combining, 2, 64, 60), 60);
    assert_int_equal(model_combining_write(&combining, 2, 128, 60), 60);
    assert_int_equal(model_combining_write(&combining, 2, 72, 61), 61);  /* beside the first */
    assert_int_equal(model_combining_write(&combining, 2, 192, 70), 77); /* the oldest leaves */
    assert_int_equal(model_combining_write(&combining, 2, 64, 78), 85);  /* the next one */
    assert_int_equal(model_combining_flush(&combining, 90), 90 + 2 * 7 + 100);
    for (unsigned word = 0; word < 8; word++)
        assert_int_equal(model_combining_write(&combining, 2, 256 + 8 * word, 200), 200);
    assert_int_equal(model_combining_flush(&combining, 200), 207 + 100); /* it left by itself */
    model_combining_close(&combining);
}

/* An awake sibling has half of each, and where they are the loads', nothing more is divided. */
TEST(a_sibling_takes_half)
{
    open_with("sibling=1,fill_buffers=%u,prefetch_buffers=%u", 10, 24);
    assert_latencies(sample_of(ACCESS_PREFETCH, 12), 1, 24);
    assert_latencies(sample_of(ACCESS_PREFETCH, 13), 2, 26);
    assert_latencies(sample_of(ACCESS_STORE, 5), 1, 10);
    assert_latencies(sample_of(ACCESS_STORE, 6), 2, 12);
    open_with("sibling=1,write_buffers=%u,wc_buffers=%u", 14, 16);
    assert_latencies(sample_of(ACCESS_STORE, 7), 1, 14);
    assert_latencies(sample_of(ACCESS_STORE, 8), 2, 16);
    assert_compare(sample_of(ACCESS_NT, 9), >, 3 * sample_of(ACCESS_NT, 8));
}

/* In the order of their walks, as loads. */
TEST(all_of_them_walk)
{
    for (enum access access = ACCESS_LOAD; access < ACCESSES; access++) {
        struct mlp_shape shape = {.loads = 4, .access = access, .timing = fence_order};
        open_model(STANDARD ",walk=60,walkers=1", 64 * MB, PAGE_4K);
        uint64_t warm = sample(&shape, TLB_WARM), cold = sample(&shape, TLB_COLD);
        /* Lines that leave one after the other are written while others walk. */
        assert_in_range(cold - warm, 4 * 60 - 3 * 20 - 10, 4 * 60);
    }
}
