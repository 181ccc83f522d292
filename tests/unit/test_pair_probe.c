/* test_pair_probe: how far a pair reaches, and what it says, on the modelled core. */
#include "../../kernel/engine/pair_probe.h"
#include "kit.h"
#include "modelled.h"

static struct pair_probe probe;
static uint32_t found;
static enum pair_answer answers[3];
static uint32_t looks_at;

static void search(void *context)
{
    (void)context;
    found = pair_probe_search(&probe);
}

static void look(void *context)
{
    (void)context;
    for (unsigned i = 0; i < 3; i++)
        answers[i] = pair_probe_look(&probe, looks_at);
}

static void open_with(const char *text)
{
    pair_probe_close(&probe);
    open_model(text, MB, PAGE_4K);
    assert_null(pair_probe_open(&probe, platform, true));
}

static uint32_t search_once(void)
{
    assert_true(platform->quietly(platform, search, NULL));
    return found;
}

static void assert_looks(uint32_t fillers, enum pair_answer answer)
{
    looks_at = fillers;
    assert_true(platform->quietly(platform, look, NULL));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(answers[i], answer);
}

TEARDOWN(stop)
{
    pair_probe_close(&probe);
    close_model();
}

static void (*evict)(struct platform *self, uint8_t *base, const int32_t *displaced,
                     unsigned count);

static void evict_lines(struct platform *self, uint8_t *base, const int32_t *displaced,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal((uintptr_t)(base + displaced[i]) % 64, 0);
    evict(self, base, displaced, count);
}

/* A load that is in two lines takes two buffers. */
TEST(each_load_is_in_a_single_line)
{
    open_with("rob=192");
    evict = platform->evict;
    platform->evict = evict_lines;
    search_once();
}

/* Less both loads, and never more. */
TEST(a_search_finds_the_reorder_buffer)
{
    static const struct {
        const char *text;
        unsigned rob;
    } cores[] = {{"rob=32", 32},
                 {"rob=72,noise=0.05", 72},
                 {"rob=256,noise=0.05,slow_share=0.1", 256},
                 {"rob=448,width=6,memory=300,noise=0.05", 448},
                 {"rob=576,width=8,memory=400,tsc_step=26", 576},
                 {"rob=1536,width=8,memory=400", 1536}};
    for (EACH(c, cores)) {
        open_with(c->text);
        uint32_t reach = search_once();
        assert_in_range(reach, c->rob * 9 / 10 - 2, c->rob - 2);
    }
}

/* Where latencies vary much, hardly any search goes so far beyond the jump that a second look, with
 * 0.6 of its fillers, would call a whole core shared; many searches find the jump. */
TEST(searches_of_a_noisy_memory)
{
    unsigned beyond = 0, near = 0, searches = 400;
    open_with("rob=165,width=6,memory=189,noise=0.3");
    for (unsigned i = 0; i < searches; i++) {
        uint32_t reach = search_once();
        beyond += reach > 163 / 0.6;
        near += reach >= 140 && reach <= 170;
    }
    assert_in_range(beyond, 0, 1);
    assert_compare(near, >, searches / 5);
}

/* No reorder buffer ends it, or nothing is ever in flight beside anything. */
TEST(a_search_finds_nothing)
{
    open_with("rob=100000,width=16,memory=2000");
    assert_int_equal(search_once(), 0);
    open_with("rob=4");
    assert_int_equal(search_once(), 0);
    open_with("inert=1");
    assert_int_equal(search_once(), 0);
}

TEST(looks)
{
    open_with("rob=192,noise=0.05");
    assert_looks(115, PAIR_UNKNOWN); /* before a search */
    search_once();
    assert_looks(0, PAIR_UNKNOWN);
    assert_looks(115, PAIR_SIDE_BY_SIDE);
    assert_looks(200, PAIR_IN_TURN);
}

/* Fillers that the core passes in half the time of a load say nothing of its reorder buffer. */
TEST(looks_with_slow_fillers)
{
    open_with("rob=732,width=6,memory=112");
    search_once();
    assert_looks(439, PAIR_UNKNOWN);
    open_with("rob=732,width=12,memory=112");
    search_once();
    assert_looks(439, PAIR_SIDE_BY_SIDE);
    assert_looks(800, PAIR_UNKNOWN);
    open_with("rob=732,width=6,memory=300");
    search_once();
    assert_looks(439, PAIR_SIDE_BY_SIDE);
    assert_looks(740, PAIR_IN_TURN);
}

/* Where a sibling computes, and where it only waits for memory. */
TEST(looks_at_half_a_core)
{
    open_with("rob=192,noise=0.05");
    search_once();
    for (uint64_t waits = 0; waits < 2; waits++) {
        model.parameters.sibling_waits = waits;
        model.core.sibling.is_awake = true;
        model.core.limits[BESIDE_SOMEBODY] = model_limits_of(&model.parameters, BESIDE_SOMEBODY);
        assert_looks(115, PAIR_IN_TURN);
        assert_looks(57, PAIR_SIDE_BY_SIDE);
        assert_in_range(search_once(), 84, 94);
    }
}

/* The memory is slow for a moment: the loads without fillers are, too. */
TEST(slow_memory_is_no_state)
{
    open_with("rob=192");
    search_once();
    model.parameters.memory *= 2;
    assert_looks(115, PAIR_UNKNOWN);
    search_once();
    assert_looks(115, PAIR_SIDE_BY_SIDE);
}

/* The memory of the loads cannot be had. */
TEST(no_window)
{
    const struct window_request request = {.bytes = 4096, .page = PAGE_4K, .node = NODE_ANY};
    struct window windows[WINDOWS_MAX];
    unsigned count = 0;
    open_with("rob=192");
    pair_probe_close(&probe);
    while (count < WINDOWS_MAX && platform->map_window(platform, &request, &windows[count]) == NULL)
        count++;
    assert_non_null(pair_probe_open(&probe, platform, true));
    assert_null(probe.platform);
    while (count > 0)
        platform->unmap_window(platform, &windows[--count]);
}
