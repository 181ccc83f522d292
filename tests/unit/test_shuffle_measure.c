/* test_shuffle_measure: experiment shuffle on a platform that can be made to fail. */
#include "../../kernel/pmu/event_table.h"
#include "../../kernel/experiments/counted.h"
#include "../../kernel/experiments/measurement.h"
#include "../../kernel/experiments/shuffle.h"
#include "../../kernel/data/nodes.h"
#include "kit.h"

#define SMALL (UINT64_C(32) << 10)
#define LARGE (UINT64_C(64) << 10)
#define MOST (UINT64_C(2) << 20) /* 128 chunks, more than samples in a pass */
#define FIRST_CHECK 6            /* after indices, filling and three pieces of shuffling */
#define PASS 5                   /* slices of every later pass */

static struct memory_nodes nodes = {.reason = "no nodes here"};
static struct platform platform;
static struct config config;
static const struct experiment experiment = {.name = "shuffle"};
static struct measurement m;
static char printed[4096];

/* What goes wrong, and when: the number of the slice, or of the allocation. */
enum damage { LOSE, REORDER, FAULT };
static enum damage damage;
static unsigned slice, damaged_slice, allocation, refused_allocation;
static uint64_t memory_bytes; /* that a window may have */
static int windows, blocks;

static void print(struct platform *self, const char *text)
{
    (void)self;
    if (text[0] != '\r')
        strncat(printed, text, sizeof printed - strlen(printed) - 1);
}

static void *allocate(struct platform *self, uint64_t bytes)
{
    (void)self;
    if (++allocation == refused_allocation)
        return NULL;
    blocks++;
    return calloc(1, bytes);
}

static void release(struct platform *self, void *memory, uint64_t bytes)
{
    (void)self;
    (void)bytes;
    blocks--;
    free(memory);
}

static struct window mapped;

static const char *map_window(struct platform *self, uint64_t bytes, enum page_size page,
                              enum frame_order frames, uint64_t seed, struct window *window)
{
    (void)self;
    (void)seed;
    if (bytes > memory_bytes)
        return "too little memory";
    windows++;
    mapped = (struct window){
        .base = aligned_alloc(64, bytes), .bytes = bytes, .page = page, .frames = frames};
    *window = mapped;
    return NULL;
}

static void unmap_window(struct platform *self, struct window *window)
{
    (void)self;
    windows--;
    free(window->base);
}

/* Damage comes between two slices, or instead of one. */
static bool quietly(struct platform *self, void (*work)(void *context), void *context)
{
    uint32_t *data = (uint32_t *)(void *)mapped.base;
    bool now = ++slice == damaged_slice;
    (void)self;
    if (now && damage == FAULT)
        return false;
    work(context);
    uint32_t kept = data[7];
    if (now)
        data[7] = data[8];
    if (now && damage == REORDER)
        data[8] = kept;
    return true;
}

static bool smi_count(struct platform *self, uint32_t *count)
{
    (void)self;
    (void)count;
    return false;
}

static const char *set_prefetch(struct platform *self, bool on)
{
    (void)self;
    return on ? NULL : "no register";
}

/* Counters: each moves by its event's key in a sample. */
static struct counter_offer offer;
static const struct event *programmed[COUNTING_MAX];
static uint64_t counts[COUNTING_MAX];
static const char *refused;
static bool running;
static unsigned counted_samples;
static uint32_t copy[2 * MOST / sizeof(uint32_t)];
static uint64_t top[4 * COUNTED_SAMPLES]; /* highest element that the first samples changed */

static const char *count(struct platform *self, const struct counter_use *use, unsigned uses)
{
    (void)self;
    memset(programmed, 0, sizeof programmed);
    for (unsigned i = 0; i < uses; i++)
        if (refused != NULL && strcmp(event_keys[use[i].event->key], refused) == 0)
            return "a register does not take it";
    for (unsigned i = 0; i < uses; i++)
        programmed[i] = use[i].event;
    return NULL;
}

/* Before and after a sample in turn; between them the array has to be worked on. */
static void read_counts(struct platform *self, uint64_t *values)
{
    (void)self;
    const uint32_t *data = (const uint32_t *)(const void *)mapped.base;
    uint64_t i = mapped.bytes / sizeof *data - 1;
    if (!running)
        memcpy(copy, data, mapped.bytes);
    for (; running && copy[i] == data[i]; i--)
        assert_true(i > 0);
    if (running && counted_samples < sizeof top / sizeof *top)
        top[counted_samples] = i;
    counted_samples += running;
    for (unsigned j = 0; j < COUNTING_MAX; j++)
        if (programmed[j] != NULL)
            values[j] = counts[j] += running ? programmed[j]->key : 1000000;
    running = !running;
}

static void offer_counters(void)
{
    offer = (struct counter_offer){.set.usable = 0xf | EVENT_FIXED(0) | EVENT_FIXED(1)};
    for (unsigned i = 0; i < event_microarchitecture_count; i++)
        if (strcmp(event_microarchitectures[i].name, "haswell") == 0)
            offer.of = &event_microarchitectures[i];
    platform.counters = &offer;
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
    platform = (struct platform){.ticks_per_second = 5,
                                 .print = print,
                                 .allocate = allocate,
                                 .release = release,
                                 .map_window = map_window,
                                 .unmap_window = unmap_window,
                                 .quietly = quietly,
                                 .smi_count = smi_count,
                                 .set_prefetch = set_prefetch,
                                 .nodes = &nodes,
                                 .count = count,
                                 .read_counts = read_counts};
    memset(&config, 0, sizeof config);
    config.pages = (struct config_choices){.count = 1, .index = {PAGE_4K}};
    config.samples_min = 5;
    config.samples_max = 8;
    config.samples_precision = 0.5;
    config.seed = 42;
    set_list(&config.shuffle.bytes, SMALL, LARGE);
    set_list(&config.shuffle.stages, 8, 64);
    m = (struct measurement){.platform = &platform, .config = &config, .experiment = &experiment};
    printed[0] = '\0';
    slice = damaged_slice = allocation = refused_allocation = 0;
    memory_bytes = 2 * LARGE;
    windows = blocks = 0;
    refused = NULL;
    running = false;
    counted_samples = 0;
}

TEARDOWN(end)
{
    measurement_release(&m);
    assert_int_equal(windows, 0);
    assert_int_equal(blocks, 0);
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
        const struct row *row =
            count_of(cases[i >> 2], metric, i & 2 ? SMALL : LARGE, stage);
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
    assert_string_equal(printed, "");
}

/* One pass of the counters alone, over an array of `bytes`. */
static void count_in_one_pass(uint64_t bytes)
{
    offer_counters();
    offer.set.usable = EVENT_FIXED(0) | EVENT_FIXED(1);
    memory_bytes = 2 * bytes;
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
    refused = "l1d_pend_miss_pending_cycles"; /* only counter 2 has it: a pass of its own */
    assert_true(shuffle_measure(&m));
    check_counts("l1d_pend_miss_pending_cycles", false);
    check_counts("l1d_pend_miss_pending", true);
    check_counts("instructions", true);
    assert_int_equal(rows_of(cases[3], "tsc", LARGE), 2);
    assert_non_null(strstr(printed, "counters: a register does not take it\n"));
}

/* Slice by slice until the first that counts; see end() for what must not be left behind. */
TEST(a_fault_while_counting_ends_the_measurement)
{
    set_list(&config.shuffle.bytes, SMALL, 0);
    offer_counters();
    damage = FAULT;
    for (damaged_slice = 1; m.failure == NULL || strstr(m.failure, "counting") == NULL;
         damaged_slice++) {
        measurement_release(&m);
        m = (struct measurement){
            .platform = &platform, .config = &config, .experiment = &experiment};
        slice = 0;
        assert_false(shuffle_measure(&m));
        assert_int_equal(slice, damaged_slice);
    }
    assert_string_equal(m.failure, "a fault ended the counting");
}

static void fails(enum damage kind, unsigned when, const char *why)
{
    damage = kind;
    damaged_slice = when;
    assert_false(shuffle_measure(&m));
    assert_string_equal(m.failure, why);
    assert_int_equal(slice, kind == FAULT ? when : when + 1);
    assert_int_equal(m.row_count, 0);
}

TEST(lost_elements_are_an_error)
{
    fails(LOSE, FIRST_CHECK - 1, "the shuffle lost elements of its array");
}

/* The first pass cannot know; the second has to do the same. */
TEST(another_shuffle_is_an_error)
{
    fails(REORDER, FIRST_CHECK + PASS - 1,
          "the loops did not do the same shuffle: another checksum");
}

TEST(a_fault_ends_the_measurement)
{
    fails(FAULT, 3, "a fault ended the measurement");
}

TEST(want_of_memory_is_said)
{
    for (refused_allocation = 1; refused_allocation <= 4; refused_allocation++) {
        allocation = 0;
        m = (struct measurement){
            .platform = &platform, .config = &config, .experiment = &experiment};
        assert_false(shuffle_measure(&m));
        assert_non_null(strstr(m.failure, "not enough memory for"));
        measurement_release(&m);
    }
    m.rows = NULL;
}

/* Precomputed indices need the memory twice. */
TEST(a_size_without_memory_leaves_a_row)
{
    memory_bytes = LARGE;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "tsc", LARGE), 1);
    assert_int_equal(rows_of("plain-precomputed-4k", "ns", LARGE), 0);
    assert_int_equal(rows_of("plain-onthefly-4k", "ns", LARGE), 2);
    assert_string_equal(printed, "shuffle plain-precomputed-4k: not 64k: too little memory\n");
}

TEST(without_any_size_the_cases_are_skipped)
{
    memory_bytes = SMALL;
    set_list(&config.shuffle.bytes, SMALL, 0);
    config.prefetch = PREFETCH_BOTH;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k-nopf", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k", "tsc", SMALL), 2);
    assert_int_equal(m.row_count, 2 + 2 * 5 + 4);
}
