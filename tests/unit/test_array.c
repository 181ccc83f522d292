/* test_array: experiment array on a made-up core with three caches: sizes, cases, refinement. */
#include "../../kernel/analysis/curve.h"
#include "../../kernel/experiments/sweeps/cache_bandwidth_rule.h"
#include "../../kernel/experiments/sweeps/cache_levels.h"
#include "../../kernel/experiments/sweeps/core_clock.h"
#include "../../kernel/pmu/event.h"
#include "../../kernel/probe/bandwidth_probe.h"
#include "../../kernel/probe/chain_probe.h"
#include "../../kernel/probe/cycle.h"
#include "../../kernel/probe/floor_probe.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define KB 1024u
#define MB (1024u * KB)
#define QUARTERS 4
#define SETTLE_STEPS                                                                               \
    224u /* places of a chain while caches settle: some are met twice, none never */
#define SETTLED (CHAINS_MAX * SETTLE_STEPS)

static uint64_t bytes;  /* of the cycle there is */
static unsigned pieces; /* of building it that are left */
static bool is_settled;
static unsigned placed;          /* chains since the probe was emitted */
static struct chain_shape shape; /* of the probe there is */
static uint64_t in_order;        /* lines met one after the other since there were many chains */
static uint64_t next_place;      /* of settling and of one chain, in the cycle */
static uint64_t alone;           /* lines that one chain met since the caches were settled */
static unsigned accesses;        /* of the probe there is; 0: it is one of chains, */
static unsigned additions;       /* or of additions, */
static uint64_t turns;           /* or of the bandwidth */
static struct bandwidth_shape stream;
static uint64_t walked;             /* bytes since its probe was emitted */
static uint8_t *array;              /* where the cycle lies */
static unsigned drawn[QUARTERS];    /* lines by the quarter of the array they are in */
static unsigned bytes_seen, groups; /* seen one after the other */
static unsigned drawn_twice;        /* lines that the sample before had too, at the same place */

/* In place of kernel/probe/cycle.c: no line is ever written. */
void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t size, bool is_paged)
{
    assert_false(fake.inside);
    assert_non_null(base);
    *cycle = (struct cycle){.base = base, .lines = size / LINE_BYTES, .is_paged = is_paged};
    bytes = size;
    array = base;
    in_order = 0;
    pieces = 3;
    is_settled = false;
}

bool cycle_extend(struct cycle *cycle, uint64_t count)
{
    assert_true(fake.inside && pieces > 0 && count > 0);
    assert_int_equal(cycle->lines, bytes / LINE_BYTES);
    return --pieces == 0;
}

uint8_t *cycle_line(const struct cycle *cycle, uint64_t place)
{
    assert_int_equal(pieces, 0);
    placed++;
    return cycle->base + place % cycle->lines * LINE_BYTES;
}

/* In place of kernel/probe/chain_probe.c. */
size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *wanted)
{
    assert_is_code(code, room);
    assert_int_equal(pieces, 0); /* nobody runs through half a cycle */
    shape = *wanted;
    accesses = additions = 0;
    turns = 0;
    placed = 0;
    is_settled |= shape.chains == CHAINS_MAX;
    return 1;
}

/* In place of kernel/probe/access_probe.c. */
size_t access_probe_emit(uint8_t *code, size_t room, unsigned count, struct timing timing)
{
    assert_is_code(code, room);
    assert_compare(count, >, 0);
    assert_int_equal(timing.order, ORDER_LFENCE);
    accesses = count;
    additions = 0;
    turns = 0;
    return 1;
}

/* In place of kernel/probe/floor_probe.c: a chain of additions. */
size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *wanted)
{
    assert_is_code(code, room);
    assert_compare(wanted->chains, ==, 1);
    assert_compare(wanted->adds, >, 0);
    additions = wanted->adds;
    return 1;
}

/* In place of kernel/probe/bandwidth_probe.c. */
size_t bandwidth_probe_emit(uint8_t *code, size_t room, const struct bandwidth_shape *wanted)
{
    assert_is_code(code, room);
    assert_compare(wanted->bytes % (2 * BANDWIDTH_BLOCK), ==, 0);
    assert_compare(wanted->turns, >, 0);
    assert_true(fake.inside && wanted->width >= 16);
    assert_ptr_equal(wanted->base, fake.window.base);
    assert_true(walked >= stream.bytes / 4); /* before it counts, and in all that counts */
    walked = 0;
    stream = *wanted;
    turns = wanted->turns;
    additions = 0;
    return 1;
}

/* Bytes a cycle: 64 from the first level, and half as many from each that is farther away. */
static double rate_of(uint64_t size)
{
    return size <= 48 * KB ? 64 : size <= 2 * MB ? 32 : size <= 24 * MB ? 16 : 8;
}

static uint64_t time_turns(const uint8_t *from)
{
    uint64_t offset = (uint64_t)(from - stream.base);
    assert_compare(offset % generator_span(stream.work, BANDWIDTH_BLOCK), ==, 0);
    assert_compare(offset, <, generator_span(stream.work, stream.bytes));
    walked += turns * BANDWIDTH_BLOCK;
    return 40 + (uint64_t)((double)turns * BANDWIDTH_BLOCK / rate_of(stream.bytes));
}

static double latency(void)
{
    return bytes <= 48 * KB ? 5 : bytes <= 2 * MB ? 15 : bytes <= 24 * MB ? 60 : 300;
}

/*
 * Settling takes the lines of the cycle one after the other, side by side in small pieces; one
 * chain meets none that was met since all others were, and soon the caches are settled again.
 */
static void look_at_order(uint8_t *const *chain, uint64_t lines)
{
    uint64_t place = (uint64_t)(chain[0] - array) / LINE_BYTES;
    if (shape.chains == CHAINS_MAX) {
        assert_true(in_order == 0 || place == next_place || lines < SETTLED);
        assert_int_equal(shape.steps, 256);
        assert_true(lines < SETTLED || chain[1] == array + (place + SETTLE_STEPS) % lines * 64);
        next_place = (place + SETTLED) % lines;
        in_order += SETTLED;
        alone = 0;
    } else if (shape.chains > 1) {
        in_order = 0;
    } else {
        next_place = (next_place + shape.steps) % lines;
        alone += shape.steps;
        if (lines <= 4096)
            return;
        assert_compare(in_order, >=, lines);
        assert_compare(alone, <=, lines / 16 + (1 + VISIT_SAMPLES) * shape.steps);
    }
}

/* An access takes a quarter of a chain's time. */
static uint64_t time_code(struct platform *self, uint8_t *pointers)
{
    (void)self, (void)pointers;
    return 40 + (uint64_t)(accesses > 0 ? accesses * latency() / 4
                                        : shape.steps * latency() + shape.chains);
}

/* Whole lines of the array there is. */
static void look_at_accesses(uint8_t *const *access)
{
    static uint8_t *before;
    for (unsigned i = 0; i < accesses; i++) {
        uint64_t offset = (uint64_t)(access[i] - array);
        if (offset >= bytes || offset % LINE_BYTES != 0)
            fail();
        drawn[offset * QUARTERS / bytes]++;
    }
    drawn_twice += access[0] == before;
    before = access[0];
}

/* A group is one size, and one chain, several, or random accesses. */
static void note_group(void)
{
    static uint64_t last;
    uint64_t group = 4 * bytes + (accesses > 0 ? 3 : shape.chains > 1 ? 2 : 1);
    bytes_seen += group / 4 != last / 4;
    groups += group != last;
    last = group;
}

static uint64_t run_code(struct platform *self, uint8_t *pointers)
{
    uint8_t *const *chain = (uint8_t *const *)(const void *)pointers;
    if (additions > 0)
        return 40 + additions;
    if (turns > 0)
        return time_turns(pointers);
    assert_true(fake.inside && is_settled);
    if (accesses > 0 || shape.chains != CHAINS_MAX)
        note_group();
    if (accesses > 0) {
        look_at_accesses(chain);
        return time_code(self, pointers);
    }
    look_at_order(chain, bytes / LINE_BYTES);
    if (shape.chains != CHAINS_MAX) /* every visit goes on where none was lately */
        assert_int_equal(placed, shape.chains);
    for (unsigned i = 0; i < shape.chains; i++) /* each in the cycle, no two at one place */
        for (unsigned j = 0; j <= i; j++)
            assert_int_equal(chain[i] == chain[j], i == j);
    return time_code(self, pointers);
}

SETUP(start)
{
    experiment_open("array");
    fake.platform.ticks_per_second = 1000;
    fake.platform.run_code = run_code;
    choose(&config.pages, PAGE_2M);
    set_samples(25, 100, 0.1);
    config.seed = 7;
    set_list(&config.array.loads, 1, 4);
    for (uint64_t size = 8 * KB; size <= 256 * MB; size *= 2)
        config.array.bytes.value[config.array.bytes.count++] = size;
}

TEARDOWN(stop)
{
    experiment_close();
}

static const struct row *row_of(uint32_t case_id, int64_t n, int64_t k, uint64_t size)
{
    return row_where(case_id, "tsc", n, k, (int64_t)size, ANY);
}

static double latency_of(uint32_t case_id, uint64_t size)
{
    return (row_of(case_id, 1, 288, size)->median - row_of(case_id, 1, 32, size)->median) / 256;
}

TEST(every_size_and_number_of_chains)
{
    measure();
    assert_int_equal(m.case_count, 1);
    for (uint32_t i = 0; i < config.array.bytes.count; i++) {
        uint64_t size = config.array.bytes.value[i];
        bytes = size;
        assert_near(latency_of(0, size), latency());
        assert_int_equal(row_of(0, 4, 32, size)->samples, 100); /* of four visits at least */
        assert_int_equal(row_of(0, 4, 288, size)->samples, 100);
    }
    assert_numbers((fake.maps, fake.asked[0].bytes), (1, 256 * MB));
}

static const struct row *row_if_any(const char *metric, int64_t n, int64_t size)
{
    size_t count;
    const struct row *rows = rows_of_case(&m, 0, &count);
    struct table table = {&m.cases[0].variant, rows, count, 0};
    return table_find_at(&table, metric, n, ROW_ANY, size, ROW_ANY);
}

/* Any line as often as any other, drawn anew for each sample, as many as are drawn in all. */
TEST(random_lines)
{
    unsigned all = 0;
    memset(drawn, 0, sizeof drawn);
    drawn_twice = 0;
    measure();
    for (uint32_t i = 0; i < config.array.bytes.count; i++) {
        bytes = config.array.bytes.value[i];
        const struct row *few = row_where(0, CACHE_LEVELS_RANDOM, 128, 1, (int64_t)bytes, ANY);
        const struct row *many = row_where(0, CACHE_LEVELS_RANDOM, 384, 1, (int64_t)bytes, ANY);
        assert_compare(fabs((many->median - few->median) / 256 - latency() / 4), <, 0.01);
        const struct row *most = row_if_any(CACHE_LEVELS_RANDOM, 1152, (int64_t)bytes);
        assert_int_equal(most != NULL, bytes >= MB);
        assert_false(curve_has(few)); /* rules about chains do not see them */
    }
    for (unsigned i = 0; i < QUARTERS; i++)
        all += drawn[i];
    for (unsigned i = 0; i < QUARTERS; i++)
        assert_in_range(drawn[i], all / QUARTERS * 19 / 20, all / QUARTERS * 21 / 20);
    assert_compare(all, >, 100000);
    assert_compare(drawn_twice, <, 20); /* of hundreds of samples, by chance */
}

/* Each size tells the core cycle; levels are read, written and copied in two sizes each. */
TEST(additions_and_bandwidth)
{
    static const char *const metrics[] = {CACHE_BANDWIDTH_READ, CACHE_BANDWIDTH_WRITE,
                                          CACHE_BANDWIDTH_COPY};
    static const uint64_t least[] = {0, 48 * KB, 2 * MB, 24 * MB};
    unsigned sizes[4] = {0};
    uint64_t most[4] = {0};
    measure();
    size_t count;
    const struct row *rows = rows_of_case(&m, 0, &count);
    struct table table = {&m.cases[0].variant, rows, count, 0};
    for (uint32_t i = 0; i < config.array.bytes.count; i++)
        assert_near(
            curve_of_part(&table, CORE_CLOCK, ROW_NONE, (int64_t)config.array.bytes.value[i]).value,
            1);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].metric, metrics[0]) != 0 || rows[i].k > 1000)
            continue;
        uint64_t size = (uint64_t)rows[i].bytes;
        unsigned level = 3;
        while (size <= least[level] && level > 0)
            level--;
        sizes[level]++;
        most[level] = size > most[level] ? size : most[level];
        assert_compare(rows[i].n, >=, 16);
        assert_compare(size, >, least[level] + least[level] / 4);
        for (unsigned j = 0; j < 3; j++)
            assert_true(
                fabs(64 / curve_of_part(&table, metrics[j], rows[i].n, rows[i].bytes).value -
                     rate_of(size)) < 0.1);
        assert_true(
            near(curve_of_part(&table, CORE_CLOCK_BANDWIDTH, ROW_NONE, rows[i].bytes).value, 1));
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(sizes[i], 2);
    for (unsigned i = 0; i < 3; i++) /* of a cache whose end is known by then */
        assert_int_equal(most[i], least[i + 1] / 4 * 3);
}

/* A model runs no loops. */
TEST(no_bandwidth_without_loops)
{
    fake.platform.no_loops = "it is a model";
    measure();
    for (uint32_t i = 0; i < m.row_count; i++)
        assert_string_not_equal(m.rows[i].metric, CACHE_BANDWIDTH_READ);
    const struct row *row = row_where(0, CACHE_BANDWIDTH_MISSING, ANY, ANY, ANY, ANY);
    assert_non_null(row);
    assert_true(row->samples == 0 && strcmp(row->unit, "it is a model") == 0);
    unsigned paged = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, CACHE_LEVELS_PAGED) == 0) { /* has a clock of its own then */
            assert_non_null(row_if_any(CORE_CLOCK_BANDWIDTH, ROW_ANY, m.rows[i].bytes));
            paged++;
        }
    assert_int_equal(paged, 2 * 2);
}

/* Until nothing more is asked for, and each cache's end is known to a quarter. */
TEST(edges_are_refined)
{
    static const uint64_t edge[] = {48 * KB, 2 * MB, 24 * MB};
    static const struct facts facts;
    struct cache_levels_plan plan;
    measure();
    size_t count;
    const struct row *rows = rows_of_case(&m, 0, &count);
    struct table table = {&m.cases[0].variant, rows, count, 0};
    assert_compare(count, >, config.array.bytes.count * 4);
    cache_levels_plan(&table, &facts, &plan);
    assert_int_equal(plan.gap.high, 0);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t below_edge = 0, above = UINT64_MAX;
        for (size_t j = 0; j < count; j++) {
            uint64_t size = (uint64_t)rows[j].bytes;
            below_edge = size <= edge[i] && size > below_edge ? size : below_edge;
            above = size > edge[i] && size < above ? size : above;
        }
        assert_compare(above - below_edge, <=, below_edge / 4);
    }
}

/* Where the last cache ends just below the largest size, more memory is asked for. */
TEST(sizes_go_on_behind_the_last_edge)
{
    config.array.bytes.count = 13; /* up to 32 MB; the last cache has 24 */
    measure();
    assert_non_null(row_of(0, 1, 32, 128 * MB));
    assert_null(row_of(0, 1, 32, 256 * MB));
    assert_numbers((fake.maps, fake.asked[2].bytes), (3, 128 * MB));

    experiment_again();
    m.is_emulated = true;
    measure();
    assert_null(row_of(0, 1, 32, 64 * MB));
    assert_int_equal(fake.maps, 1);
}

/* All cases of a size follow each other, each alone in the caches. */
TEST(cases_of_a_size_follow_each_other)
{
    choose(&config.pages, PAGE_4K, PAGE_2M);
    config.array.bytes.count = 3;
    bytes_seen = groups = 0;
    measure();
    assert_numbers((m.case_count, fake.maps), (2, 2));
    assert_non_null(fake.asked[1].twin);
    assert_numbers((bytes_seen, groups), (3, 3 * 2 * 3));
    for (uint32_t case_id = 0; case_id < 2; case_id++)
        for (uint32_t i = 0; i < 3; i++)
            assert_non_null(row_of(case_id, 1, 32, config.array.bytes.value[i]));
}

/* As much as there is; what is larger has an empty row, and the console says it. */
TEST(sizes_beyond_the_memory)
{
    fake.largest = 100 * MB;
    measure();
    assert_compare(row_of(0, 1, 32, 64 * MB)->samples, >, 0);
    assert_int_equal(row_of(0, 1, 32, 128 * MB)->samples, 0);
    assert_null(row_of(0, 4, 32, 128 * MB));
    assert_null(row_where(0, CACHE_LEVELS_RANDOM, 32, 1, 128 * MB, ANY));
    assert_string_equal(fake.printed, "array 2m: not 128m: too little memory\n"
                                      "array 2m: not 256m: too little memory\n");
    assert_false(m.cases[0].is_skipped);
}

/* Chains that leave registers for the counters, and random accesses. */
TEST(few_chains_are_counted)
{
    unsigned counted = 0, random = 0;
    config.array.loads.value[1] = CHAINS_COUNTED_MAX + 1;
    config.array.bytes.count = 2;
    fake_platform_offer(&fake, microarchitecture_named("haswell"), EVENT_FIXED(0));
    measure();
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "instructions") == 0) {
            counted += m.rows[i].n == 1;
            random += m.rows[i].n >= 32 && m.rows[i].k == 1;
            assert_int_not_equal(m.rows[i].n, CHAINS_COUNTED_MAX + 1);
        }
    assert_numbers((counted, random), (2 * 2, 2 * 2));
}
