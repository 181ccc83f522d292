/* test_model_tlb: two levels of TLB, walk caches, frames and aliases: what a chain through N pages
 * costs, by the parameters alone. */
#include "kit.h"
#include "modelled.h"

#define LINE 64
#define L1 4 /* cycles of a load that hits it */
#define L2 12
#define SECOND 7 /* cycles of a hit in the second level */
#define WALK 60
#define TIMER 30
#define GB (UINT64_C(1) << 30)

/* Every line of a test fits the first-level cache, unless that is what the test is about. */
#define STANDARD "l1_bytes=4m,walk=60,timer=30,stlb_cost=7,"

/* A model whose window has few frames behind its pages, or pages far apart; 0: as usual. */
static void open_with(const char *text, uint64_t pages, enum page_size page, uint64_t distinct,
                      uint64_t stride)
{
    const struct window_request request = {.bytes = pages * page_bytes(page),
                                           .page = page,
                                           .node = NODE_ANY,
                                           .distinct = distinct,
                                           .stride = stride};
    open_model(text, MB, PAGE_4K);
    platform->unmap_window(platform, &window);
    assert_null(platform->map_window(platform, &request, &window));
    assert_int_equal(window.bytes, request.bytes);
    assert_int_equal(window.stride, stride > 0 ? stride : page_bytes(page));
}

static uint64_t walk(uint8_t *pointer, unsigned steps)
{
    return follow(&pointer, 1, steps, &fence_order);
}

/*
 * A circle through one line each of so many places, `apart` bytes from one to the next; the line
 * goes round the sets of the first-level cache. Returns the cycles of once round it, when it was
 * met often before.
 */
static uint64_t round_trip_in(uint8_t *base, unsigned places, uint64_t apart)
{
    for (unsigned i = 0; i < places; i++) {
        uint64_t next = (i + 1) % places;
        *(uint8_t **)(base + i * apart + i % 64 * LINE) = base + next * apart + next % 64 * LINE;
    }
    for (unsigned i = 0; i < 3; i++)
        walk(base, places);
    uint64_t once = walk(base, places), twice = walk(base, 2 * places);
    return twice - once;
}

static uint64_t round_trip(unsigned places, uint64_t apart)
{
    return round_trip_in(window.base, places, apart);
}

#define assert_each(cycles, places, of_each) assert_int_equal(cycles, (places) * (of_each))

TEST(a_chain_shows_where_each_level_ends)
{
    open_with(STANDARD "dtlb=96,stlb=512,stlb_ways=8", 4096, PAGE_4K, 0, 0);
    assert_each(round_trip(96, 4096), 96, L1);
    assert_each(round_trip(97, 4096), 97, L1 + SECOND);
    assert_each(round_trip(512, 4096), 512, L1 + SECOND);
    /* nine pages in the first set, eight in the others */
    assert_int_equal(round_trip(513, 4096), 513 * (L1 + SECOND) + 9 * (WALK - SECOND));
    assert_each(round_trip(576, 4096), 576, L1 + WALK);
}

TEST(without_a_second_level_there_is_a_walk)
{
    open_with(STANDARD "dtlb=16", 64, PAGE_4K, 0, 0);
    assert_each(round_trip(16, 4096), 16, L1);
    assert_each(round_trip(17, 4096), 17, L1 + WALK);
}

TEST(ways_end_early_for_strides_of_powers_of_two)
{
    open_with(STANDARD "dtlb=64,dtlb_ways=4,stlb=256,stlb_ways=8", 4096, PAGE_4K, 0, 0);
    assert_each(round_trip(4, 16 * 4096), 4, L1);
    assert_each(round_trip(5, 16 * 4096), 5, L1 + SECOND);
    assert_each(round_trip(8, 32 * 4096), 8, L1 + SECOND);
    assert_each(round_trip(9, 32 * 4096), 9, L1 + WALK);
    assert_each(round_trip(64, 4096), 64, L1);
}

TEST(hashed_sets_hide_their_ways)
{
    open_with(STANDARD "dtlb=64,dtlb_ways=4,dtlb_hash=1", 4096, PAGE_4K, 0, 0);
    assert_each(round_trip(5, 16 * 4096), 5, L1);
    assert_each(round_trip(64, 4096), 64, L1); /* neighbours are spread as evenly as without */
    assert_compare(round_trip(65, 4096), >, 65 * L1);
    open_with(STANDARD "dtlb=96,dtlb_ways=8,dtlb_hash=1", 4096, PAGE_4K, 0, 0);
    assert_each(round_trip(96, 4096), 96, L1);
    assert_compare(round_trip(97, 4096), >, 97 * L1);
    assert_each(round_trip(9, 4 * 4096), 9, L1);
}

TEST(chance_blurs_the_end)
{
    open_with(STANDARD "dtlb=64,stlb=256,dtlb_random=1", 256, PAGE_4K, 0, 0);
    assert_each(round_trip(64, 4096), 64, L1);
    uint64_t beyond = round_trip(80, 4096);
    assert_in_range(beyond, 80 * L1 + 20 * SECOND, 80 * (L1 + SECOND) - 1);
    open_with(STANDARD "dtlb=16,stlb=64,stlb_random=1", 256, PAGE_4K, 0, 0);
    assert_each(round_trip(64, 4096), 64, L1 + SECOND);
    assert_in_range(round_trip(72, 4096), 72 * (L1 + SECOND) + 8, 72 * (L1 + WALK) - 1);
}

TEST(large_pages_have_their_own_or_share)
{
    open_with(STANDARD "dtlb=64,dtlb_2m=32,stlb=256,stlb_2m=128,stlb_2m_ways=4", 160, PAGE_2M, 1,
              0);
    assert_each(round_trip(32, 2 * MB), 32, L1);
    assert_each(round_trip(33, 2 * MB), 33, L1 + SECOND);
    assert_each(round_trip(64, 2 * MB), 64, L1 + SECOND);
    open_with(STANDARD "dtlb=64,stlb=128", 160, PAGE_2M, 64, 0);
    assert_each(round_trip(64, 2 * MB), 64, L1);
    open_with(STANDARD "dtlb=64,dtlb_1g=4,stlb=1024,stlb_1g=16", 40, PAGE_1G, 1, 0);
    assert_each(round_trip(4, GB), 4, L1);
    assert_each(round_trip(16, GB), 16, L1 + SECOND);
    assert_each(round_trip(17, GB), 17, L1 + WALK);
}

/* The second window's pages push out the first one's. */
TEST(all_windows_share_them)
{
    const struct window_request request = {.bytes = MB, .page = PAGE_4K, .node = NODE_ANY};
    struct window other;
    open_with(STANDARD "dtlb=64,stlb=256", 256, PAGE_4K, 0, 0);
    assert_null(platform->map_window(platform, &request, &other));
    round_trip(32, 4096);
    round_trip_in(other.base, 32, 4096);
    assert_int_equal(walk(window.base, 32), TIMER + 2 + 32 * L1 + L1 - 1);
    round_trip_in(other.base, 33, 4096);
    assert_int_equal(walk(window.base, 32), TIMER + 2 + 32 * (L1 + SECOND) + L1 - 1);
    platform->unmap_window(platform, &other);
}

/* --- walks --- */

#define LEVELS "walk_level=9,pde_cache=8,pdpte_cache=4,pml4e_cache=2,"

TEST(walks_cost_more_where_upper_levels_are_forgotten)
{
    /* four pages are in the TLB, so that every step of more walks */
    open_with(STANDARD LEVELS "dtlb=4", 16, PAGE_4K, 1, 2 * MB);
    assert_each(round_trip(4, 2 * MB), 4, L1);
    assert_each(round_trip(8, 2 * MB), 8, L1 + WALK);
    assert_each(round_trip(9, 2 * MB), 9, L1 + WALK + 9);
    open_with(STANDARD LEVELS "dtlb=4", 16, PAGE_4K, 1, GB);
    assert_each(round_trip(8, GB), 8, L1 + WALK);
    assert_each(round_trip(9, GB), 9, L1 + WALK + 2 * 9);
    open_with(STANDARD LEVELS "dtlb=4", 16, PAGE_4K, 1, 512 * GB);
    assert_each(round_trip(8, 512 * GB), 8, L1 + WALK);
    assert_each(round_trip(9, 512 * GB), 9, L1 + WALK + 3 * 9);
}

TEST(large_pages_have_fewer_levels)
{
    open_with(STANDARD LEVELS "dtlb=2", 16, PAGE_2M, 1, GB);
    assert_each(round_trip(4, GB), 4, L1 + WALK);
    assert_each(round_trip(5, GB), 5, L1 + WALK + 9);
    open_with(STANDARD LEVELS "dtlb=2", 16, PAGE_2M, 1, 512 * GB);
    assert_each(round_trip(5, 512 * GB), 5, L1 + WALK + 2 * 9);
    open_with(STANDARD "walk_level=9,dtlb=1", 16, PAGE_1G, 1, 0);
    assert_each(round_trip(3, GB), 3, L1 + WALK + 9);
}

TEST(a_cold_walk_begins_at_the_top)
{
    open_model(STANDARD LEVELS "dtlb=64,stlb=256,memory=200", 64 * MB, PAGE_4K);
    assert_int_equal(sample_loads(1, TLB_COLD), TIMER + WALK + 3 * 9 + 200);
    assert_int_equal(sample_loads(3, TLB_COLD), TIMER + WALK + 3 * 9 + 2 * WALK + 200);
    assert_int_equal(sample_loads(1, TLB_WARM), TIMER + 200);
    /* side by side, each has to read all */
    open_model(STANDARD LEVELS "dtlb=64,stlb=256,memory=200,walkers=2", 64 * MB, PAGE_4K);
    assert_int_equal(sample_loads(2, TLB_COLD), TIMER + WALK + 3 * 9 + 200 + 1);
    assert_int_equal(sample_loads(4, TLB_COLD), TIMER + WALK + 3 * 9 + WALK + 200 + 1);
    assert_int_equal(sample_loads(1, TLB_WALKMEM), TIMER + WALK + 3 * 9 + 200 + 200);
}

TEST(a_crowd_fills_both_levels)
{
    open_model(STANDARD LEVELS "dtlb=64,stlb=512,stlb_ways=4,memory=200", 64 * MB, PAGE_4K);
    /* 8192 pages: those of 16 page directories, of which eight are remembered */
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + WALK + 9 + 200);
    const uint64_t last = 64 * MB / 4096 - 1;
    static const struct {
        uint64_t back, cost;
    } cases[] = {{0, 0}, {63, 0}, {64, SECOND}, {511, SECOND}, {512, WALK}};
    for (EACH(c, cases)) {
        displacement[0] = (int32_t)((last - c->back) * 4096);
        assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + c->cost + 200);
    }
    open_model(STANDARD "dtlb=64,dtlb_random=1,stlb=512,stlb_ways=4,stlb_hash=1,memory=200",
               64 * MB, PAGE_4K);
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + WALK + 200);
}

/* --- lines, frames and addresses --- */

/* So many pages one after the other, a line of each, when that was done before. */
static uint64_t sample_pages(unsigned pages)
{
    const struct mlp_shape shape = {.loads = pages, .dependent = true, .timing = fence_order};
    for (unsigned i = 0; i < pages; i++)
        displacement[i] = (int32_t)(i * 4096 + i % 64 * LINE);
    publish(&shape);
    for (unsigned i = 0; i < 3; i++)
        platform->run_code(platform, window.base);
    return platform->run_code(platform, window.base);
}

TEST(few_frames_hit_the_cache_that_many_miss)
{
    open_with("l1_bytes=8k,dtlb=256", 256, PAGE_4K, 0, 0);
    assert_int_equal(sample_pages(128), TIMER + 1 + 128 * L1);
    assert_int_equal(sample_pages(256), TIMER + 1 + 256 * L2);
    open_with("l1_bytes=8k,dtlb=256", 256, PAGE_4K, 2, 0);
    assert_int_equal(sample_pages(256), TIMER + 1 + 256 * L1);
}

TEST(what_is_written_at_one_address_is_read_at_the_other)
{
    open_with("dtlb=64", 129, PAGE_4K, 64, 2 * MB);
    *(uint64_t *)(window.base + 2 * MB + 8) = 42;
    assert_int_equal(*(uint64_t *)(window.base + 65 * 2 * MB + 8), 42);
    assert_int_equal(*(uint64_t *)(window.base + 64 * 2 * MB + 8), 0);
    assert_int_equal(*(uint64_t *)(window.base + 66 * 2 * MB + 8), 0);
    *(uint64_t *)(window.base + 128 * 2 * MB) = 43;
    assert_int_equal(*(uint64_t *)window.base, 43);
}

TEST(a_set_of_the_cache_has_its_ways)
{
    open_with("l1_bytes=48k,l1_ways=12,dtlb=64,l2_latency=12", 64 * 13, PAGE_4K, 0, 0);
    assert_each(round_trip(12, 64 * 4096), 12, L1); /* lines 64 pages apart, in sets of their own */
    for (unsigned places = 12; places <= 13; places++) {
        for (unsigned i = 0; i < places; i++)
            *(uint8_t **)(window.base + i * 4096) = window.base + (i + 1) % places * 4096;
        walk(window.base, 3 * places);
        uint64_t once = walk(window.base, places), twice = walk(window.base, 2 * places);
        assert_each(twice - once, places, places == 12 ? L1 : L2);
    }
}

/* Two loads, one after the other, of addresses in the first two pages. */
static uint64_t sample_pair(int32_t first, int32_t second)
{
    const struct mlp_shape shape = {.loads = 2, .dependent = true, .timing = fence_order};
    displacement[0] = first;
    displacement[1] = second;
    publish(&shape);
    for (unsigned i = 0; i < 3; i++)
        platform->run_code(platform, window.base);
    return platform->run_code(platform, window.base);
}

TEST(two_addresses_of_a_line_disturb_each_other)
{
    open_with(STANDARD "dtlb=64,alias_cost=8", 128, PAGE_4K, 1, 0);
    uint64_t same = sample_pair(64, 64);
    assert_int_equal(same, TIMER + 1 + 2 * L1);
    assert_int_equal(sample_pair(64, 4096 + 128), same);
    assert_int_equal(sample_pair(64, 4096 + 64), same + 2 * 8);
    open_with(STANDARD "dtlb=64", 128, PAGE_4K, 1, 0);
    assert_int_equal(sample_pair(64, 4096 + 64), same);
    open_with(STANDARD "dtlb=64,alias_cost=8", 128, PAGE_4K, 0, 0);
    assert_int_equal(sample_pair(64, 4096 + 64), same);
}

/* Without two levels, too: each window has the TLB it had. */
TEST(frames_and_strides_do_not_need_two_levels)
{
    open_with(STANDARD "tlb=8", 16, PAGE_4K, 1, GB);
    assert_each(round_trip(8, GB), 8, L1);
    assert_each(round_trip(9, GB), 9, L1 + WALK);
}

TEST(says_what_it_does_not_map)
{
    static const struct {
        struct window_request request;
        const char *reason;
    } cases[] = {
        {{.bytes = 0, .page = PAGE_4K}, "the model maps 1 byte to 128 GB"},
        {{.bytes = 129 * GB, .page = PAGE_4K}, "the model maps 1 byte to 128 GB"},
        {{.bytes = UINT64_MAX, .page = PAGE_4K, .distinct = 1}, "the model maps 1 byte to 128 GB"},
        {{.bytes = 40000 * 4096, .page = PAGE_4K, .distinct = 1},
         "more pages behind few frames, or far apart, than the host maps"},
        {{.bytes = 1024 * 4096, .page = PAGE_4K, .stride = 512 * GB},
         "a window's addresses end at 128 TB"},
        {{.bytes = 1024 * 4096, .page = PAGE_4K, .stride = UINT64_C(1) << 60},
         "a window's addresses end at 128 TB"},
        {{.bytes = 255 * 4096, .page = PAGE_4K, .distinct = 1, .stride = 512 * GB},
         "no addresses for the window: Cannot allocate memory"},
    };
    open_model("dtlb=64", MB, PAGE_4K);
    for (EACH(c, cases)) {
        struct window_request request = c->request;
        struct window refused;
        request.node = NODE_ANY;
        assert_string_equal(platform->map_window(platform, &request, &refused), c->reason);
        assert_null(refused.base);
    }
    /* and it goes on */
    open_with("dtlb=64", 128, PAGE_4K, 1, 512 * GB);
    assert_each(round_trip(64, 512 * GB), 64, L1);
}

/* --- the store by itself --- */

/* Lists, most recent first, as simple as can be. */
struct simple_store {
    uint64_t tag[60][60];
    unsigned count[60], ways;
};

static bool simple_forget(struct simple_store *store, unsigned set, uint64_t tag)
{
    for (unsigned i = 0; i < store->count[set]; i++)
        if (store->tag[set][i] == tag) {
            memmove(&store->tag[set][i], &store->tag[set][i + 1],
                    (--store->count[set] - i) * sizeof(tag));
            return true;
        }
    return false;
}

static bool simple_enter(struct simple_store *store, unsigned set, uint64_t tag)
{
    bool was_there = simple_forget(store, set, tag);
    if (store->count[set] == store->ways)
        store->count[set]--;
    memmove(&store->tag[set][1], &store->tag[set][0], store->count[set]++ * sizeof(tag));
    store->tag[set][0] = tag;
    return was_there;
}

TEST(a_store_is_what_a_simple_one_is)
{
    static struct simple_store simple;
    struct model_store store;
    struct random random;
    random_seed(&random, 1);
    for (unsigned i = 0; i < 200; i++) {
        const struct model_store_shape shape = {.entries = 1 + random_below(&random, 60),
                                                .ways = random_below(&random, 70)};
        simple = (struct simple_store){.ways = 0};
        assert_true(model_store_open(&store, &shape, &random));
        simple.ways = store.ways;
        for (unsigned use = 0; use < 3000; use++) {
            uint64_t tag = 1 + random_below(&random, 100), what = random_below(&random, 200);
            unsigned set = (unsigned)(tag % store.sets);
            if (what == 0) {
                model_store_empty(&store);
                memset(simple.count, 0, sizeof(simple.count));
            } else if (what == 1) {
                model_store_crowd(&store, tag, 101 - tag);
                for (; tag <= 100; tag++)
                    simple_enter(&simple, (unsigned)(tag % store.sets), tag);
            } else if (what < 20) {
                model_store_forget(&store, tag);
                simple_forget(&simple, set, tag);
            } else {
                bool is_there = model_store_find(&store, tag) != NULL;
                assert_non_null(model_store_enter(&store, tag));
                assert_int_equal(is_there, simple_enter(&simple, set, tag));
            }
        }
        model_store_close(&store);
    }
}

TEST(a_store_without_entries_holds_nothing)
{
    const struct model_store_shape none = {.entries = 0};
    struct model_store store;
    struct random random;
    random_seed(&random, 1);
    assert_true(model_store_open(&store, &none, &random));
    assert_null(model_store_enter(&store, 1));
    assert_null(model_store_find(&store, 1));
    model_store_forget(&store, 1);
    model_store_empty(&store);
    model_store_close(&store);
}
