/* test_shuffle_measure: experiment shuffle on a platform that can be made to fail. */
#include "../../kernel/cpu/event_table.h"
#include "../../kernel/data/nodes.h"
#include "../../kernel/experiments/counted.h"
#include "../../kernel/experiments/measurement.h"
#include "../../kernel/experiments/shuffle.h"
#include "fake_platform.h"
#include "kit.h"

#define SMALL (UINT64_C(32) << 10)
#define LARGE (UINT64_C(64) << 10)
#define MOST (UINT64_C(2) << 20) /* 128 chunks, more than samples in a pass */
#define FIRST_CHECK 6            /* after indices, filling and three pieces of shuffling */
#define PASS 5                   /* slices of every later pass */

static struct fake_platform fake;
static struct config config;
static const struct experiment experiment = {.name = "shuffle"};
static struct measurement m;

/* What goes wrong between two slices, after the slice of that number. */
enum damage { LOSE, REORDER };
static enum damage damage;
static unsigned damaged_slice;

static void do_damage(struct fake_platform *platform)
{
    uint32_t *data = (uint32_t *)(void *)platform->window.base;

    if (platform->slices != damaged_slice)
        return;
    uint32_t kept = data[7];
    data[7] = data[8];
    if (damage == REORDER)
        data[8] = kept;
}

/* Counters: each moves by its event's key in a sample. */
static bool running;
static unsigned counted_samples;
static uint32_t copy[2 * MOST / sizeof(uint32_t)];
static uint64_t top[4 * COUNTED_SAMPLES]; /* highest element that the first samples changed */

/* Before and after a sample in turn; between them the array has to be worked on. */
static void read_counts(struct platform *self, uint64_t *values)
{
    (void)self;
    const uint32_t *data = (const uint32_t *)(const void *)fake.window.base;
    uint64_t i = fake.window.bytes / sizeof *data - 1;
    if (!running)
        memcpy(copy, data, fake.window.bytes);
    for (; running && copy[i] == data[i]; i--)
        assert_true(i > 0);
    if (running && counted_samples < sizeof top / sizeof *top)
        top[counted_samples] = i;
    counted_samples += running;
    for (unsigned j = 0; j < COUNTING_MAX; j++)
        if (fake.programmed[j] != NULL)
            values[j] = fake.count[j] += running ? fake.programmed[j]->key : 1000000;
    running = !running;
}

static void offer_counters(void)
{
    fake_platform_offer(&fake, microarchitecture_named("haswell"),
                        0xf | EVENT_FIXED(0) | EVENT_FIXED(1));
    fake.offer.set.architectural = 0;
}

static void set_list(struct config_list *list, uint64_t first, uint64_t second)
{
    list->count = second > 0 ? 2 : 1;
    list->value[0] = first;
    list->value[1] = second;
}

/* Five ticks a second: a slice is one piece of work. */
SETUP(start)
{
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = 5;
    fake.platform.read_counts = read_counts;
    fake.largest = 2 * LARGE;
    fake.no_prefetch = "no register";
    fake.after_slice = do_damage;
    damaged_slice = 0;
    memset(&config, 0, sizeof config);
    config.pages = (struct config_choices){.count = 1, .index = {PAGE_4K}};
    config.samples_min = 5;
    config.samples_max = 8;
    config.samples_precision = 0.5;
    config.seed = 42;
    set_list(&config.shuffle.bytes, SMALL, LARGE);
    set_list(&config.shuffle.stages, 8, 64);
    m = (struct measurement){
        .platform = &fake.platform, .config = &config, .experiment = &experiment};
    running = false;
    counted_samples = 0;
}

TEARDOWN(end)
{
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

static size_t rows_of(const char *variant, const char *metric, int64_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < m.row_count; i++)
        found += strcmp(m.rows[i].variant, variant) == 0 && strcmp(m.rows[i].metric, metric) == 0 &&
                 m.rows[i].bytes == bytes;
    return found;
}

static const char *const cases[] = {"plain-precomputed-4k", "staged-precomputed-4k",
                                    "plain-onthefly-4k", "staged-onthefly-4k"};

TEST(every_case_has_its_rows)
{
    assert_true(shuffle_measure(&m));
    assert_int_equal(m.row_count, 4 * 2 * 5);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(rows_of(cases[i], "tsc", SMALL), 2);
        assert_int_equal(rows_of(cases[i], "ns", LARGE), 2);
        assert_int_equal(rows_of(cases[i], "checksum", LARGE), 1);
    }
    for (size_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "tsc") == 0)
            assert_in_range(m.rows[i].samples + m.rows[i].discarded, 5, 8);
    assert_int_equal(counted_samples, 0);
}

static const struct row *count_of(const char *variant, const char *metric, int64_t bytes,
                                  int64_t stage)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].variant, variant) == 0 && strcmp(m.rows[i].metric, metric) == 0 &&
            m.rows[i].bytes == bytes && m.rows[i].stage == stage) {
            assert_null(row);
            row = &m.rows[i];
        }
    return row;
}

static void check_counts(const char *metric, bool wanted)
{
    for (unsigned i = 0; i < 4 * 2 * 2; i++) {
        int64_t stage = i & 1 ? 8 : 64;
        const struct row *row = count_of(cases[i >> 2], metric, i & 2 ? SMALL : LARGE, stage);
        assert_int_equal(row != NULL, wanted);
        if (row == NULL)
            continue;
        assert_int_equal(row->samples, COUNTED_SAMPLES);
        assert_int_equal(row->k, 4096);
        assert_true(strcmp(event_keys[(unsigned)row->median], metric) == 0);
        assert_true(row->min == row->max);
    }
}

/* A row for each event, size and stage; what is timed is as many rows as without counters. */
TEST(every_point_is_counted)
{
    offer_counters();
    assert_true(shuffle_measure(&m));
    assert_true(m.row_count <= m.row_room);
    assert_int_equal((m.row_count - 4 * 2 * 5) % (4 * 2 * 2), 0);
    check_counts("instructions", true);
    check_counts("core_cycles", true);
    check_counts("l1d_pend_miss_pending", true);
    check_counts("l1d_pend_miss_pending_cycles", true);
    assert_int_equal(rows_of(cases[0], "tsc", LARGE), 2);
    assert_int_equal(counted_samples % (4 * 2 * 2 * COUNTED_SAMPLES), 0);
    assert_string_equal(fake.printed, "");
}

/* One pass of the counters alone, over an array of `bytes`. */
static void count_in_one_pass(uint64_t bytes)
{
    offer_counters();
    fake.offer.set.usable = EVENT_FIXED(0) | EVENT_FIXED(1);
    fake.largest = 2 * bytes;
    set_list(&config.shuffle.bytes, bytes, 0);
    set_list(&config.shuffle.stages, 8, 0);
    assert_true(shuffle_measure(&m));
    assert_int_equal(counted_samples, 4 * COUNTED_SAMPLES);
}

/* The highest element that a sample changed is its chunk's, but for one that met itself. */
static void assert_chunk(unsigned sample, uint64_t elements, uint64_t chunk)
{
    uint64_t end = elements - chunk * 4096;
    assert_in_range(top[sample], end - 16, end - 1);
}

/* From the array's end to its beginning once, in even steps; in every case alike. */
TEST(counting_is_spread_over_a_large_array)
{
    count_in_one_pass(MOST);
    for (unsigned i = 0; i < 4 * COUNTED_SAMPLES; i++)
        assert_chunk(i, MOST / 4, i % COUNTED_SAMPLES * (MOST / 4 / 4096) / COUNTED_SAMPLES);
}

/* Each time round starts one chunk further. */
TEST(a_small_array_is_gone_through_again)
{
    static const uint64_t first[] = {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2, 0, 1, 2, 3};
    count_in_one_pass(LARGE);
    for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
        assert_chunk(i, LARGE / 4, first[i]);
}

TEST(a_refused_pass_leaves_no_rows)
{
    offer_counters();
    fake.refused = "l1d_pend_miss_pending_cycles"; /* only counter 2 has it: a pass of its own */
    assert_true(shuffle_measure(&m));
    check_counts("l1d_pend_miss_pending_cycles", false);
    check_counts("l1d_pend_miss_pending", true);
    check_counts("instructions", true);
    assert_int_equal(rows_of(cases[3], "tsc", LARGE), 2);
    assert_non_null(strstr(fake.printed, "counters: a register does not take it\n"));
}

/* Slice by slice until the first that counts; see end() for what must not be left behind. */
TEST(a_fault_while_counting_ends_the_measurement)
{
    set_list(&config.shuffle.bytes, SMALL, 0);
    offer_counters();
    for (fake.fault_at = 1; m.failure == NULL || strstr(m.failure, "counting") == NULL;
         fake.fault_at++) {
        measurement_release(&m);
        m = (struct measurement){
            .platform = &fake.platform, .config = &config, .experiment = &experiment};
        fake.slices = 0;
        assert_false(shuffle_measure(&m));
        assert_int_equal(fake.slices, fake.fault_at);
    }
    assert_string_equal(m.failure, "a fault ended the counting");
}

static void assert_fails(const char *why, unsigned slices)
{
    assert_false(shuffle_measure(&m));
    assert_string_equal(m.failure, why);
    assert_int_equal(fake.slices, slices);
    assert_int_equal(m.row_count, 0);
}

static void assert_noticed(enum damage kind, unsigned after, const char *why)
{
    damage = kind;
    damaged_slice = after;
    assert_fails(why, after + 1);
}

TEST(lost_elements_are_an_error)
{
    assert_noticed(LOSE, FIRST_CHECK - 1, "the shuffle lost elements of its array");
}

/* The first pass cannot know; the second has to do the same. */
TEST(another_shuffle_is_an_error)
{
    assert_noticed(REORDER, FIRST_CHECK + PASS - 1,
                   "the loops did not do the same shuffle: another checksum");
}

TEST(a_fault_ends_the_measurement)
{
    fake.fault_at = 3;
    assert_fails("a fault ended the measurement", 3);
}

TEST(want_of_memory_is_said)
{
    for (fake.failing = 1; fake.failing <= 4; fake.failing++) {
        fake.allocations = 0;
        m = (struct measurement){
            .platform = &fake.platform, .config = &config, .experiment = &experiment};
        assert_false(shuffle_measure(&m));
        assert_non_null(strstr(m.failure, "not enough memory for"));
        measurement_release(&m);
    }
    m.rows = NULL;
}

/* Precomputed indices need the memory twice. */
TEST(a_size_without_memory_leaves_a_row)
{
    fake.largest = LARGE;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "tsc", LARGE), 1);
    assert_int_equal(rows_of("plain-precomputed-4k", "ns", LARGE), 0);
    assert_int_equal(rows_of("plain-onthefly-4k", "ns", LARGE), 2);
    assert_string_equal(fake.printed, "shuffle plain-precomputed-4k: not 64k: too little memory\n");
}

TEST(without_any_size_the_cases_are_skipped)
{
    fake.largest = SMALL;
    set_list(&config.shuffle.bytes, SMALL, 0);
    config.prefetch = PREFETCH_BOTH;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k-nopf", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k", "tsc", SMALL), 2);
    assert_int_equal(m.row_count, 2 + 2 * 5 + 4);
}
