/* test_model_threads: what the modelled core's other thread leaves, as it is ordered. */
#include "../../kernel/probe/chain_probe.h"
#include "../../kernel/probe/cycle.h"
#include "../../kernel/probe/sentinel.h"
#include "kit.h"
#include "modelled.h"

#define MEMORY 300
#define BASE "threads=2,memory=300,width=4,timer=30,"

static const char *start_siblings(uint64_t bytes)
{
    const struct generators_request request = {.are_siblings = true, .bytes = bytes};
    unsigned started = 9;
    const char *reason = platform->start_generators(platform, &request, &started);
    assert_int_equal(started, reason == NULL);
    return reason;
}

static void order(enum generator_work work)
{
    const struct generator_order to = {.work = work};
    platform->order_generators(platform, &to);
}

/* Returns the last K with which two loads are side by side. */
static unsigned overlap_of(enum filler filler)
{
    return last_overlap(filler, 2 * MEMORY);
}

/* Loads side by side in the time of one. */
static unsigned buffers(void)
{
    unsigned n = 1;
    while (sample_loads(n + 1, TLB_WARM) < 2 * MEMORY)
        n++;
    return n;
}

static const enum generator_work works[] = {GENERATOR_REST, GENERATOR_SPIN, GENERATOR_READ,
                                            GENERATOR_WRITE};

/* --- each structure's policy ----------------------------------------------------------------- */

/* What a thread has of each structure beside NOPs, loads and stores where both compete for it. */
static const struct {
    const char *name;
    unsigned size;
    enum filler filler;
    unsigned less; /* than the structure has: what fits beside two loads */
    unsigned competing[3];
} structures[] = {
    {"rob", 160, FILLER_NOP, 2, {140, 80, 80}},
    {"int_regs", 80, FILLER_ADD, 2, {80, 60, 60}},
    {"vec_regs", 80, FILLER_VECTOR_ADD, 0, {80, 50, 70}},
    {"load_queue", 48, FILLER_LOAD, 2, {48, 18, 48}},
    {"store_queue", 40, FILLER_STORE, 0, {40, 40, 15}},
    {"scheduler", 32, FILLER_WAITING_ADD, 1, {32, 32, 32}},
};

/* Returns what policy 0 (halves), 1 (competing) or 2 (all) leaves beside each of the `works`. */
static unsigned left_of(unsigned size, unsigned policy, unsigned work, const unsigned competing[3])
{
    if (work == 0 || policy == 2)
        return size;
    return policy == 0 ? size / 2 : competing[work - 1];
}

TEST(each_structure_by_its_policy)
{
    for (unsigned i = 0; i < sizeof structures / sizeof *structures; i++)
        for (unsigned policy = 0; policy < 3; policy++) {
            const char *name = structures[i].name;
            open_model_of(64 * MB, PAGE_4K, BASE "%s%s=%u,smt_%s=%u", i > 0 ? "smt_rob=2," : "",
                          name, structures[i].size, name, policy);
            assert_null(start_siblings(4096));
            for (unsigned j = 0; j < 4; j++) {
                order(works[j]);
                assert_int_equal(overlap_of(structures[i].filler) + structures[i].less,
                                 left_of(structures[i].size, policy, j, structures[i].competing));
            }
        }
}

TEST(fill_buffers_by_their_policy)
{
    for (unsigned policy = 0; policy < 3; policy++) {
        open_model_of(64 * MB, PAGE_4K, BASE "fill_buffers=16,smt_fill_buffers=%u", policy);
        assert_null(start_siblings(4096));
        for (unsigned j = 0; j < 4; j++) {
            order(works[j]);
            assert_int_equal(buffers(), left_of(16, policy, j, (const unsigned[]){16, 8, 6}));
        }
    }
}

/* A structure that the ROB hides alone may end first where only the one is halved; and the other
 * way round. */
TEST(what_is_limited_depends_on_the_others)
{
    open_model(BASE "rob=100,load_queue=120,smt_rob=2,smt_load_queue=0", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    assert_int_equal(overlap_of(FILLER_LOAD), 98);
    order(GENERATOR_SPIN);
    assert_int_equal(overlap_of(FILLER_LOAD), 58);
    open_model(BASE "rob=100,load_queue=80,smt_rob=0,smt_load_queue=2", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    assert_int_equal(overlap_of(FILLER_LOAD), 78);
    order(GENERATOR_SPIN);
    assert_int_equal(overlap_of(FILLER_LOAD), 48);
}

/* --- caches ---------------------------------------------------------------------------------- */

/* Ticks of a step through an array of so many bytes, after it was walked through. */
static double step_of(uint64_t bytes)
{
    struct chain_shape shape = {.chains = 1, .timing = fence_order};
    struct cycle cycle;
    uint64_t ticks[2];
    cycle_start(&cycle, window.base, bytes, false);
    cycle_extend(&cycle, UINT64_MAX / 2);
    uint8_t *at = cycle_line(&cycle, 0);
    for (unsigned i = 0; i < 2 * bytes / 64 / 256 + 4; i++) {
        shape.steps = i % 2 == 0 ? 32 : 288;
        size_t length = chain_probe_emit(platform->code.write, platform->code.bytes, &shape);
        platform->publish_code(platform, length);
        ticks[i % 2] = platform->run_code(platform, (uint8_t *)&at);
    }
    return (double)(ticks[1] - ticks[0]) / 256;
}

/* Whether so many bytes are all in the first level (4 ticks), or in the second (12). */
static bool fit(uint64_t bytes, double latency)
{
    return step_of(bytes) < latency + 1;
}

TEST(caches_by_their_policy)
{
    static const double left[3][4] = {{1, 0.5, 0.5, 0.5}, {1, 1, 0.625, 0.625}, {1, 1, 1, 1}};
    for (unsigned policy = 0; policy < 3; policy++) {
        open_model_of(64 * MB, PAGE_2M, BASE "l1_bytes=32k,l2_bytes=256k,smt_caches=%u", policy);
        assert_null(start_siblings(4096));
        for (unsigned j = 0; j < 4; j++) {
            double part = left[policy][j];
            order(works[j]);
            assert_true(fit((uint64_t)(part * 32768), 4));
            assert_false(fit((uint64_t)(part * 32768) + 2048, 4));
            assert_true(fit((uint64_t)(part * 262144), 12));
            assert_false(fit((uint64_t)(part * 262144) + 16384, 12));
        }
    }
}

/* Caches forget what others' lines displaced; they are shared by a later window as well. */
TEST(caches_forget_what_was_lost)
{
    struct window later;
    open_model(BASE "l1_bytes=32k,smt_caches=0", 64 * MB, PAGE_2M);
    assert_null(start_siblings(4096));
    assert_true(fit(32768, 4));
    order(GENERATOR_READ);
    step_of(4096);
    assert_null(map_window(2 * MB, PAGE_2M, FRAMES_ORDERED, &later));
    struct window first = window;
    window = later;
    assert_false(fit(32768, 4));
    platform->unmap_window(platform, &later);
    window = first;
    order(GENERATOR_REST);
    assert_true(fit(32768, 4));
}

/* --- the sentinel, bytes, and who may be started --------------------------------------------- */

TEST(nops_take_half_of_the_width_and_loads_none)
{
    open_model(BASE "rob=100", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    uint32_t alone = platform->sentinel_side_by_side(platform);
    order(GENERATOR_SPIN);
    assert_int_equal(platform->sentinel_side_by_side(platform), 2 * alone);
    assert_int_equal(platform->sentinel_chain(platform), SENTINEL_CHAIN);
    order(GENERATOR_READ);
    assert_int_equal(platform->sentinel_side_by_side(platform), alone);
}

TEST(bytes_are_read_as_time_passes)
{
    open_model(BASE "fill_buffers=10", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = platform->generated(platform);
        order(works[i]);
        sample_loads(2, TLB_WARM);
        assert_int_equal(platform->generated(platform) > before, works[i] == GENERATOR_READ);
    }
}

TEST(one_thread_a_core)
{
    open_model("", 64 * MB, PAGE_4K);
    assert_string_equal(start_siblings(4096), "the model was given one thread a core (threads=1)");
}

/* Started as cores, they leave the core alone. */
TEST(other_cores_are_no_siblings)
{
    const struct generators_request request = {.bytes = 4096};
    unsigned started;
    open_model(BASE "rob=160,cores=3", 64 * MB, PAGE_4K);
    assert_null(platform->start_generators(platform, &request, &started));
    assert_int_equal(started, 3);
    order(GENERATOR_READ);
    assert_int_equal(overlap_of(FILLER_NOP), 158);
}

TEST(stopped_it_sleeps)
{
    open_model(BASE "rob=160", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    order(GENERATOR_READ);
    assert_int_equal(overlap_of(FILLER_NOP), 78);
    platform->stop_generators(platform);
    assert_int_equal(overlap_of(FILLER_NOP), 158);
    assert_null(start_siblings(4096)); /* and waits for its first order */
    assert_int_equal(overlap_of(FILLER_NOP), 158);
}

/* Somebody else's half, whatever the policies say; but what is ordered counts. */
TEST(resting_it_is_anybodys)
{
    open_model(BASE "rob=160,smt_rob=2,sibling=1", 64 * MB, PAGE_4K);
    assert_null(start_siblings(4096));
    assert_int_equal(overlap_of(FILLER_NOP), 78);
    order(GENERATOR_SPIN);
    assert_int_equal(overlap_of(FILLER_NOP), 158);
    order(GENERATOR_REST);
    assert_int_equal(overlap_of(FILLER_NOP), 78);
}
