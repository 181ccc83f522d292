/* test_shuffle_measure: experiment shuffle on a platform that can be made to fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kernel/experiments/measurement.h"
#include "../../kernel/experiments/shuffle.h"
#include "../../kernel/nodes.h"

#define SMALL (UINT64_C(32) << 10)
#define LARGE (UINT64_C(64) << 10)
#define FIRST_CHECK 6 /* after indices, filling and three pieces of shuffling */
#define PASS 5        /* slices of every later pass */

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

static void set_list(struct config_list *list, uint64_t first, uint64_t second)
{
    list->count = second > 0 ? 2 : 1;
    list->value[0] = first;
    list->value[1] = second;
}

/* Five ticks a second: a slice is one piece of work. */
static int start(void **state)
{
    (void)state;
    platform = (struct platform){.ticks_per_second = 5,
                                 .print = print,
                                 .allocate = allocate,
                                 .release = release,
                                 .map_window = map_window,
                                 .unmap_window = unmap_window,
                                 .quietly = quietly,
                                 .smi_count = smi_count,
                                 .set_prefetch = set_prefetch,
                                 .nodes = &nodes};
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
    return 0;
}

static int end(void **state)
{
    (void)state;
    measurement_release(&m);
    assert_int_equal(windows, 0);
    assert_int_equal(blocks, 0);
    return 0;
}

static size_t rows_of(const char *variant, const char *metric, int64_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < m.row_count; i++)
        found += strcmp(m.rows[i].variant, variant) == 0 && strcmp(m.rows[i].metric, metric) == 0 &&
                 m.rows[i].bytes == bytes;
    return found;
}

static void every_case_has_its_rows(void **state)
{
    static const char *const cases[] = {"plain-precomputed-4k", "staged-precomputed-4k",
                                        "plain-onthefly-4k", "staged-onthefly-4k"};
    (void)state;
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

static void lost_elements_are_an_error(void **state)
{
    (void)state;
    fails(LOSE, FIRST_CHECK - 1, "the shuffle lost elements of its array");
}

/* The first pass cannot know; the second has to do the same. */
static void another_shuffle_is_an_error(void **state)
{
    (void)state;
    fails(REORDER, FIRST_CHECK + PASS - 1,
          "the loops did not do the same shuffle: another checksum");
}

static void a_fault_ends_the_measurement(void **state)
{
    (void)state;
    fails(FAULT, 3, "a fault ended the measurement");
}

static void want_of_memory_is_said(void **state)
{
    (void)state;
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
static void a_size_without_memory_leaves_a_row(void **state)
{
    (void)state;
    memory_bytes = LARGE;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "tsc", LARGE), 1);
    assert_int_equal(rows_of("plain-precomputed-4k", "ns", LARGE), 0);
    assert_int_equal(rows_of("plain-onthefly-4k", "ns", LARGE), 2);
    assert_string_equal(printed, "shuffle plain-precomputed-4k: not 64k: too little memory\n");
}

static void without_any_size_the_cases_are_skipped(void **state)
{
    (void)state;
    memory_bytes = SMALL;
    set_list(&config.shuffle.bytes, SMALL, 0);
    config.prefetch = PREFETCH_BOTH;
    assert_true(shuffle_measure(&m));
    assert_int_equal(rows_of("plain-precomputed-4k", "skipped", RESULT_NONE), 1);
    assert_int_equal(rows_of("staged-precomputed-4k", "skipped", RESULT_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k-nopf", "skipped", RESULT_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k", "tsc", SMALL), 2);
    assert_int_equal(m.row_count, 2 + 2 * 5 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_case_has_its_rows, start, end),
        cmocka_unit_test_setup_teardown(lost_elements_are_an_error, start, end),
        cmocka_unit_test_setup_teardown(another_shuffle_is_an_error, start, end),
        cmocka_unit_test_setup_teardown(a_fault_ends_the_measurement, start, end),
        cmocka_unit_test_setup_teardown(want_of_memory_is_said, start, end),
        cmocka_unit_test_setup_teardown(a_size_without_memory_leaves_a_row, start, end),
        cmocka_unit_test_setup_teardown(without_any_size_the_cases_are_skipped, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
