/* test_tlb_capacity: chains through pages of a made-up core, whose TLB sees every page of them. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/analysis/states.h"
#include "../../kernel/experiments/sweeps/core_clock.h"
#include "../../kernel/experiments/tlb/tlb_capacity.h"
#include "../../kernel/experiments/tlb/tlb_capacity_rule.h"
#include "../../kernel/probe/chain_probe.h"
#include "../../kernel/probe/floor_probe.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define PAGES_MAX 2048
#define CYCLE 4 /* ticks */
#define TIMER 60

/* Least recently used, sets by the lowest bits of a page's number. */
struct level {
    unsigned entries, ways, cost;
};
static struct level first, second;

static struct page_chain_shape shape; /* of the probe there is, */
static unsigned adds;                 /* unless it is one of so many additions */
static bool is_looked_at;             /* its chain */
static double cycles;                 /* of one of its loads */
static uint64_t loaded;               /* by all its runs so far */
static uint64_t timed;                /* runs of any chain after two rounds of it */
static uint8_t *line[PAGES_MAX];      /* of its chain, in order of address */

/* In place of kernel/probe/page_chain_probe.c. */
size_t page_chain_emit(uint8_t *code, size_t room, const struct page_chain_shape *wanted)
{
    assert_true(fake.inside);
    assert_is_code(code, room);
    assert_compare(wanted->lead, <=, PAGE_CHAIN_LEAD_MAX);
    assert_compare(wanted->steps, <=, PAGE_CHAIN_STEPS_MAX);
    assert_int_equal(wanted->timing.order, ORDER_LFENCE);
    shape = *wanted;
    adds = 0;
    loaded = 0;
    is_looked_at = false;
    return 1;
}

/* In place of kernel/probe/floor_probe.c. */
size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *wanted)
{
    assert_true(fake.inside);
    assert_is_code(code, room);
    assert_int_equal(wanted->chains, 1);
    adds = wanted->adds;
    return 1;
}

static unsigned misses(const struct level *level, const uint64_t *page, unsigned count)
{
    static unsigned in_set[1024];
    unsigned sets = level->entries / level->ways, lost = 0;
    memset(in_set, 0, sizeof in_set);
    for (unsigned i = 0; i < count; i++)
        in_set[page[i] % sets]++;
    for (unsigned i = 0; i < sets; i++)
        lost += in_set[i] > level->ways ? in_set[i] : 0;
    return lost;
}

static int by_address(const void *a, const void *b)
{
    const uint8_t *const *x = a, *const *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of the window mapped last that a line is in. */
static unsigned window_of(const uint8_t *at)
{
    for (unsigned i = fake.maps; i > 0; i--) {
        const struct window *w = &fake.mapped[i - 1];
        uint64_t pages = w->base != NULL ? w->bytes / page_bytes(w->page) : 0;
        if (pages > 0 && at >= w->base &&
            at < w->base + (pages - 1) * w->stride + page_bytes(w->page))
            return i - 1;
    }
    fail_msg("a line is in no window");
    return 0;
}

/* No line has two addresses: neither page nor place in it is another's with the same frame. */
static void look_at_frames(unsigned count)
{
    static uint64_t frame[PAGES_MAX];
    unsigned in = window_of(line[0]);
    const struct window *w = &fake.mapped[in];
    uint64_t distinct = fake.asked[in].distinct;
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = (uint64_t)(line[i] - w->base), page = offset / w->stride;
        assert_int_equal(window_of(line[i]), in);
        assert_compare(offset % w->stride, <, page_bytes(w->page));
        page = distinct > 0 ? page % distinct : page;
        frame[i] = page * page_bytes(w->page) + offset % w->stride;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i && count <= 256; j++)
            assert_compare(frame[i], !=, frame[j]);
}

/* All lines once round, each in its own, equally many of each set of the first cache. */
static unsigned look_at_chain(uint8_t *start)
{
    static uint64_t page[PAGES_MAX];
    unsigned count = 0, in_set[64] = {0}, pages = 0;
    uint8_t *at = start;
    do {
        assert_compare((uintptr_t)at % 64, ==, 0);
        assert_compare(count, <, PAGES_MAX);
        in_set[(uintptr_t)at / 64 % 64]++;
        line[count++] = at;
        at = *(uint8_t **)(void *)at;
    } while (at != start);
    qsort(line, count, sizeof *line, by_address);
    for (unsigned i = 0; i < count; i++) {
        assert_true(i == 0 || line[i] != line[i - 1]);
        if (pages == 0 || page[pages - 1] != (uintptr_t)line[i] >> 12)
            page[pages++] = (uintptr_t)line[i] >> 12;
    }
    for (unsigned i = 0; i < 64; i++)
        assert_in_range(in_set[i], count / 64, (count + 63) / 64);
    look_at_frames(count);
    unsigned lost = misses(&first, page, pages), walks = misses(&second, page, pages);
    walks = walks < lost ? walks : lost;
    cycles = 4 + (lost * first.cost + walks * second.cost) / (double)count;
    return count;
}

static uint64_t run_code(struct platform *self, uint8_t *place)
{
    static unsigned count;
    (void)self;
    assert_true(fake.inside);
    if (adds > 0)
        return TIMER + adds * CYCLE;
    if (!is_looked_at)
        count = look_at_chain(*(uint8_t **)(void *)place);
    is_looked_at = true;
    timed += loaded >= 2 * count;
    loaded += shape.lead + shape.steps;
    assert_true(shape.lead >= (count < PAGE_CHAIN_LEAD_MAX ? count : PAGE_CHAIN_LEAD_MAX));
    return TIMER + (uint64_t)(shape.steps * cycles * CYCLE);
}

SETUP(start)
{
    experiment_open("tlb");
    fake.platform.ticks_per_second = 1000;
    fake.platform.run_code = run_code;
    first = (struct level){64, 4, 7};
    second = (struct level){512, 8, 40};
    choose(&config.pages, PAGE_4K);
    set_samples(20, 100, 0.1);
    config.seed = 7;
    for (uint64_t n = 4; n <= PAGES_MAX; n *= 2)
        for (uint64_t quarter = 4; quarter < 8 && n * quarter / 4 <= PAGES_MAX; quarter++)
            config.tlb.pages.value[config.tlb.pages.count++] = n * quarter / 4;
}

TEARDOWN(stop)
{
    experiment_close();
    assert_int_equal(fake.windows, 0);
}

static void measure_capacity(void)
{
    m.tasks = capacity_tasks(&m);
    assert_true(capacity_measure(&m));
    assert_null(m.failure);
    rows_gather(&m);
}

static struct verdict_list verdicts;

static void judge(void)
{
    static struct verdict memory[64];
    verdicts = (struct verdict_list){.at = memory, .room = 64};
    const struct facts none = {.step = 0};
    const struct rule chains = {.judge = experiment_find("tlb")->rule->judge};
    rows_by_rule(m.rows, m.row_count, &chains, &none, &verdicts);
}

static const struct verdict *verdict_of(const char *slug, const char *name)
{
    const struct verdict *v = rows_verdict(&verdicts, slug, name);
    assert_non_null(v);
    return v;
}

static void assert_entries(const char *slug, const char *name, unsigned entries)
{
    const struct verdict *v = verdict_of(slug, name);
    if (v->status != VERDICT_OK || v->value != entries)
        fail_msg("%s of %s: %g, %s", name, slug, v->value, v->method);
}

TEST(finds_levels_ways_and_cost)
{
    measure_capacity();
    judge();
    assert_entries("chain-4k", "dtlb_entries", 64);
    assert_entries("chain-4k", "stlb_entries", 512);
    assert_entries("chain-4k", "dtlb_ways", 4);
    assert_entries("chain-4k", "stlb_ways", 8);
    assert_true(fabs(verdict_of("chain-4k", "dtlb_miss_cost")->value - 7) < 0.1);
    assert_true(fabs(verdict_of("chain-4k", "walk_cost_1g_stride")->value - 47) < 0.1);
}

/* 79 is asked for by refining alone. */
TEST(an_end_between_the_points_that_refining_begins_with)
{
    first = (struct level){79, 79, 7};
    measure_capacity();
    judge();
    assert_entries("chain-4k", "dtlb_entries", 79);
}

TEST(a_soft_end_is_looked_at_again_once)
{
    unsigned looks = 0;
    first = (struct level){48, 1, 40};
    measure_capacity();
    for (uint32_t i = 0; i < m.row_count; i++)
        looks += m.rows[i].n == 48 && strcmp(m.rows[i].metric, CAPACITY_AGAIN) == 0;
    assert_int_equal(looks, 1);
}

/* Two rounds bring the pages into the levels; then each run is a sample. */
TEST(no_run_but_those_of_samples)
{
    uint64_t samples = 0;
    timed = 0;
    measure_capacity();
    for (uint32_t i = 0; i < m.row_count; i++)
        if (m.rows[i].bytes != ROW_NONE || strcmp(m.rows[i].metric, CAPACITY_DENSE) == 0)
            samples += m.rows[i].samples + m.rows[i].discarded;
    assert_compare(samples, >, 10000);
    assert_int_equal(timed, samples);
}

TEST(rows_of_every_kind)
{
    measure_capacity();
    assert_int_equal(m.case_count, 1);
    case_named("chain-4k");
    for (uint32_t i = 0; i < config.tlb.pages.count; i++) {
        int64_t n = (int64_t)config.tlb.pages.value[i], k = n < 512 ? 512 : n;
        assert_compare(row_where(0, CAPACITY_CHAIN, n, k, 4096, ROW_NONE)->samples, >=, 20);
        assert_compare(row_where(0, CAPACITY_DENSE, n, k, ROW_NONE, ROW_NONE)->visits, >=, 8);
    }
    for (unsigned power = 14; power <= 18; power += 2)
        assert_non_null(row_where(0, CAPACITY_CHAIN, 128, 512, INT64_C(1) << power, ROW_NONE));
    assert_non_null(row_where(0, CAPACITY_CHAIN, 128, 512, INT64_C(1) << 39, ROW_NONE));
    assert_non_null(row_where(0, CAPACITY_AGAIN, 64, 512, 4096, ROW_NONE));
    assert_non_null(row_where(0, CAPACITY_AGAIN, 65, 512, 4096, ROW_NONE));
    assert_non_null(row_where(0, CORE_CLOCK, ROW_NONE, 32, ROW_NONE, ROW_NONE));
    assert_int_equal(row_where(0, DRIFT_METRIC, 128, 512, 4096, 0)->attempt, 0);
}

/* A case at a time: addresses are few where pages are 512 GB apart. */
TEST(large_pages_share_frames)
{
    choose(&config.pages, PAGE_2M, PAGE_1G);
    first.entries =
        4096; /* by numbers of 4 KB pages: what chains of large ones are is seen alone */
    fake.no_page[PAGE_1G] = "no 1 GB pages here";
    measure_capacity();
    assert_int_equal(m.case_count, 2);
    assert_true(m.cases[case_named("chain-1g")].is_skipped);
    assert_int_equal(fake.asked[0].page, PAGE_2M);
    assert_numbers((fake.asked[0].distinct, fake.asked[0].stride), (16, 0));
    assert_compare(fake.asked[0].bytes, ==, (uint64_t)PAGES_MAX << 21);
    for (unsigned i = 0; i < fake.maps; i++)
        assert_true(fake.asked[i].stride == 0 || fake.asked[i].distinct == 1);
    assert_null(row_where(case_named("chain-2m"), CAPACITY_CHAIN, 128, 512, 1 << 20, ROW_NONE));
}

/* Frames in a random order where the platform can: neighbours might share an entry. */
TEST(frames_are_shuffled_where_they_can_be)
{
    measure_capacity();
    assert_int_equal(fake.asked[0].frames, FRAMES_SHUFFLED);
    assert_int_equal(fake.asked[1].page, PAGE_2M); /* the dense lines' */
}

TEST(no_room_for_so_many_pages)
{
    fake.largest = 512 * 4096;
    measure_capacity();
    assert_int_equal(fake.asked[0].frames, FRAMES_SHUFFLED); /* which take more than there is */
    assert_int_equal(fake.asked[1].frames, FRAMES_ORDERED);
    assert_null(row_where(0, CAPACITY_CHAIN, 640, ANY, ANY, ANY));
    assert_non_null(row_where(0, CAPACITY_CHAIN, 512, ANY, 4096, ROW_NONE));
    judge();
    assert_entries("chain-4k", "dtlb_entries", 64);
}

static const char *(*map_any)(struct platform *self, const struct window_request *request,
                              struct window *window);

static const char *map_near(struct platform *self, const struct window_request *request,
                            struct window *window)
{
    window->base = NULL;
    return request->stride > 1 << 30 ? "no addresses so far apart" : map_any(self, request, window);
}

TEST(pages_too_far_apart_say_why)
{
    map_any = fake.platform.map_window;
    fake.platform.map_window = map_near;
    measure_capacity();
    judge();
    assert_contains(verdict_of("chain-4k", "walk_cost_512g_stride")->method,
                    "no addresses so far apart");
    assert_int_equal(verdict_of("chain-4k", "walk_cost_512g_stride")->status, VERDICT_SKIP);
    assert_int_equal(verdict_of("chain-4k", "walk_cost_1g_stride")->status, VERDICT_OK);
}

static unsigned since;

/* The first level has other entries in every slice from the first look again on. */
static void change(struct fake_platform *self)
{
    (void)self;
    first.entries = ++since / 3 % 2 ? 64 : 32;
}

/* The core runs at two thirds of the published pace. */
static uint32_t side_by_side(struct platform *self)
{
    (void)self;
    return 900;
}

static uint32_t chain(struct platform *self)
{
    (void)self;
    return 2400;
}

/* The shared rows alone say where the edges are. */
TEST(a_core_that_is_always_shared)
{
    static struct states states;
    memset(&states, 0, sizeof states);
    states.published = 300;
    m.states = &states;
    fake.platform.sentinel_side_by_side = side_by_side;
    fake.platform.sentinel_chain = chain;
    measure_capacity();
    judge();
    assert_entries("chain-4k-shared", "dtlb_entries", 64);
}

TEST(what_changes_is_begun_again_and_doubt)
{
    since = 0;
    fake.platform.worked = fake_worked; /* it changes every 300 visits, while each size is sought */
    fake.after_slice = change;
    measure_capacity();
    judge();
    assert_int_not_equal(verdict_of("chain-4k", "dtlb_entries")->status, VERDICT_OK);
    uint32_t attempts = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        attempts = m.rows[i].attempt > attempts ? m.rows[i].attempt : attempts;
    assert_int_equal(attempts, EDGE_ATTEMPTS_MAX - 1);
}

TEST(emulators_are_not_searched)
{
    m.is_emulated = true;
    measure_capacity();
    assert_null(row_where(0, CAPACITY_AGAIN, ANY, ANY, ANY, ANY));
    assert_null(row_where(0, CAPACITY_CHAIN, 65, ANY, 4096, ANY));
}
