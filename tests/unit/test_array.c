/* test_array: experiment array on a made-up core with three caches: sizes, cases, refinement. */
#include "../../kernel/experiments/array_rule.h"
#include "../../kernel/pmu/event_table.h"
#include "../../kernel/probe/chain_probe.h"
#include "../../kernel/probe/cycle.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define KB 1024u
#define MB (1024u * KB)

static uint64_t bytes;  /* of the cycle there is */
static unsigned pieces; /* of building it that are left */
static bool is_settled;
static unsigned placed;          /* chains since the probe was emitted */
static struct chain_shape shape; /* of the probe there is */

/* In place of kernel/probe/cycle.c: no line is ever written. */
void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t size)
{
    assert_false(fake.inside);
    assert_non_null(base);
    *cycle = (struct cycle){.base = base, .lines = size / CYCLE_LINE_BYTES};
    bytes = size;
    pieces = 3;
    is_settled = false;
}

bool cycle_extend(struct cycle *cycle, uint64_t count)
{
    assert_true(fake.inside && pieces > 0 && count > 0);
    assert_int_equal(cycle->lines, bytes / CYCLE_LINE_BYTES);
    return --pieces == 0;
}

uint8_t *cycle_line(const struct cycle *cycle, uint64_t place)
{
    assert_int_equal(pieces, 0);
    placed++;
    return cycle->base + place % cycle->lines * CYCLE_LINE_BYTES;
}

/* In place of kernel/probe/chain_probe.c. */
size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *wanted)
{
    assert_true(code == fake.code && room == sizeof fake.code);
    assert_int_equal(pieces, 0); /* nobody runs through half a cycle */
    shape = *wanted;
    placed = 0;
    is_settled |= shape.chains == CHAINS_MAX;
    return 1;
}

static double latency(void)
{
    return bytes <= 48 * KB ? 5 : bytes <= 2 * MB ? 15 : bytes <= 24 * MB ? 60 : 300;
}

static uint64_t run_code(struct platform *self, uint8_t *pointers)
{
    uint8_t *const *chain = (uint8_t *const *)(const void *)pointers;
    (void)self;
    assert_true(fake.inside && is_settled);
    if (shape.chains != CHAINS_MAX) /* every visit goes on where none was lately */
        assert_int_equal(placed, shape.chains);
    for (unsigned i = 0; i < shape.chains; i++) /* each in the cycle, no two at one place */
        for (unsigned j = 0; j <= i; j++)
            assert_int_equal(chain[i] == chain[j], i == j);
    return 40 + (uint64_t)(shape.steps * latency()) + shape.chains;
}

SETUP(start)
{
    experiment_open("array");
    fake.platform.ticks_per_second = 1000;
    fake.platform.run_code = run_code;
    config.pages = (struct config_choices){.count = 1, .index = {PAGE_2M}};
    config.samples_min = 25;
    config.samples_max = 50;
    config.samples_precision = 0.1;
    config.seed = 7;
    config.array.loads = (struct config_list){.count = 2, .value = {1, 4}};
    for (uint64_t size = 8 * KB; size <= 256 * MB; size *= 2)
        config.array.bytes.value[config.array.bytes.count++] = size;
}

TEARDOWN(stop)
{
    experiment_close();
}

static const struct row *row_of(uint32_t of, int64_t n, int64_t k, uint64_t size)
{
    return row_where(of, "tsc", n, k, (int64_t)size, ANY);
}

static double latency_of(uint32_t of, uint64_t size)
{
    return (row_of(of, 1, 288, size)->median - row_of(of, 1, 32, size)->median) / 256;
}

TEST(every_size_and_number_of_chains)
{
    measure();
    assert_int_equal(m.case_count, 1);
    for (uint32_t i = 0; i < config.array.bytes.count; i++) {
        uint64_t size = config.array.bytes.value[i];
        bytes = size;
        assert_true(near(latency_of(0, size), latency()));
        assert_int_equal(row_of(0, 4, 32, size)->samples, 25);
        assert_int_equal(row_of(0, 4, 288, size)->samples, 25);
    }
    assert_int_equal(fake.maps, 1);
    assert_true(fake.asked[0].bytes == 256 * MB);
}

/* Until nothing more is asked for, and each cache's end is known to a quarter. */
TEST(edges_are_refined)
{
    static const uint64_t edge[] = {48 * KB, 2 * MB, 24 * MB};
    struct array_gap gap;
    measure();
    size_t count;
    const struct row *rows = rows_of_case(&m, 0, &count);
    struct table table = {&m.cases[0].of, rows, count};
    assert_true(count > config.array.bytes.count * 4);
    assert_false(array_next_gap(&table, &gap));
    for (unsigned i = 0; i < 3; i++) {
        uint64_t below_edge = 0, above = UINT64_MAX;
        for (size_t j = 0; j < count; j++) {
            uint64_t size = (uint64_t)rows[j].bytes;
            below_edge = size <= edge[i] && size > below_edge ? size : below_edge;
            above = size > edge[i] && size < above ? size : above;
        }
        assert_true(above - below_edge <= below_edge / 4);
    }
}

/* All cases of a size follow each other, each alone in the caches. */
TEST(cases_of_a_size_follow_each_other)
{
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_4K, PAGE_2M}};
    config.array.bytes.count = 3;
    measure();
    assert_int_equal(m.case_count, 2);
    assert_int_equal(fake.maps, 2);
    assert_non_null(fake.asked[1].twin);
    for (uint32_t i = 0; i < m.visits.first->count; i++) {
        unsigned group = m.visits.first->at[i].point / 4; /* two numbers of chains and of steps */
        assert_int_equal(group, i / 4);
    }
    for (uint32_t of = 0; of < 2; of++)
        for (uint32_t i = 0; i < 3; i++)
            assert_non_null(row_of(of, 1, 32, config.array.bytes.value[i]));
}

/* As much as there is; what is larger has an empty row, and the console says it. */
TEST(sizes_beyond_the_memory)
{
    fake.largest = 100 * MB;
    measure();
    assert_true(row_of(0, 1, 32, 64 * MB)->samples > 0);
    assert_int_equal(row_of(0, 1, 32, 128 * MB)->samples, 0);
    assert_null(row_of(0, 4, 32, 128 * MB));
    assert_string_equal(fake.printed, "array 2m: not 128m: too little memory\n"
                                      "array 2m: not 256m: too little memory\n");
    assert_false(m.cases[0].is_skipped);
}

TEST(no_memory_for_any_size)
{
    fake.largest = 4 * KB;
    measure();
    assert_int_equal(m.row_count, 1);
    assert_string_equal(m.rows[0].unit, "too little memory");
    assert_int_equal(fake.slices, 0);
}

TEST(skipped_beside_measured)
{
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_1G, PAGE_2M}};
    fake.no_page[PAGE_1G] = "none of them";
    config.array.bytes.count = 2;
    measure();
    size_t count;
    const struct row *rows = rows_of_case(&m, 0, &count);
    assert_true(m.cases[0].is_skipped);
    assert_int_equal(count, 1);
    assert_string_equal(rows->unit, "none of them");
    assert_non_null(row_of(1, 1, 32, 16 * KB));
}

/* Chains that leave registers for the counters. */
TEST(few_chains_are_counted)
{
    unsigned counted = 0;
    config.array.loads.value[1] = CHAINS_COUNTED_MAX + 1;
    config.array.bytes.count = 2;
    fake_platform_offer(&fake, microarchitecture_named("haswell"), EVENT_FIXED(0));
    measure();
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "instructions") == 0) {
            assert_int_equal(m.rows[i].n, 1);
            counted++;
        }
    assert_int_equal(counted, 2 * 2);
}

TEST(a_fault_at_any_slice)
{
    config.array.bytes.count = 2;
    assert_faults_end_it();
}

TEST(no_memory_at_any_call)
{
    config.pages = (struct config_choices){.count = 3, .index = {PAGE_1G, PAGE_2M, PAGE_4K}};
    fake.no_page[PAGE_1G] = "none";
    assert_no_memory_is_said();
}
