/* test_walk_experiment: whole walks through 4 MB, on a platform that can be made to go wrong. */
#include "../../kernel/analysis/walk_rule.h"
#include "../../kernel/experiments/counted.h"
#include "../../kernel/experiments/measurement.h"
#include "../../kernel/experiments/walk.h"
#include "../../kernel/data/nodes.h"
#include "../../kernel/pmu/event_table.h"
#include "kit.h"

#define BYTES (4u << 20)
#define PIECE 262144
#define WORDS (BYTES / 8)
#define PATTERNS 4

static const struct experiment experiment = {.name = "walk"};

static struct {
    struct platform platform;
    struct config config;
    struct measurement measurement;
    struct counter_offer offer;
    unsigned live, allocations, failing, windows;
    uint64_t largest; /* that can be mapped; 0: nothing */
    unsigned slices, fault_at, corrupt_at;
    bool smi_known;
    uint32_t smis;
    uint64_t counts[COUNTING_MAX];
    unsigned uses;
    uint8_t *array;
} fake;

static struct memory_nodes nodes = {.reason = "no nodes here"};

static void *allocate(struct platform *self, uint64_t bytes)
{
    (void)self;
    if (++fake.allocations == fake.failing)
        return NULL;
    fake.live++;
    return calloc(1, bytes);
}

static void release(struct platform *self, void *memory, uint64_t bytes)
{
    (void)self;
    (void)bytes;
    fake.live--;
    free(memory);
}

static const char *map_window(struct platform *self, const struct window_request *request,
                              struct window *window)
{
    (void)self;
    if (request->bytes > fake.largest)
        return "it is too much";
    fake.windows++;
    fake.array = calloc(1, request->bytes);
    *window = (struct window){fake.array, request->bytes, request->page, request->frames, false};
    return NULL;
}

static void unmap_window(struct platform *self, struct window *window)
{
    (void)self;
    fake.windows--;
    free(window->base);
}

static bool quietly(struct platform *self, void (*work)(void *context), void *context)
{
    (void)self;
    if (++fake.slices == fake.fault_at)
        return false;
    if (fake.slices == fake.corrupt_at)
        fake.array[1234567] ^= 0x10;
    work(context);
    return true;
}

static bool smi_count(struct platform *self, uint32_t *count)
{
    (void)self;
    if (fake.smi_known)
        *count = fake.smis++;
    return fake.smi_known;
}

static const char *set_prefetch(struct platform *self, bool on)
{
    (void)self;
    return on ? NULL : "there is no register";
}

static const char *count(struct platform *self, const struct counter_use *use, unsigned uses)
{
    (void)self;
    (void)use;
    fake.uses = uses;
    return NULL;
}

static void read_counts(struct platform *self, uint64_t *counts)
{
    (void)self;
    for (unsigned i = 0; i < fake.uses; i++)
        counts[i] = fake.counts[i] += PIECE;
}

static void print(struct platform *self, const char *text)
{
    (void)self;
    (void)text;
}

SETUP(start)
{
    memset(&fake, 0, sizeof fake);
    fake.largest = BYTES;
    fake.platform = (struct platform){
        .ticks_per_second = 2000000000,
        .print = print,
        .allocate = allocate,
        .release = release,
        .map_window = map_window,
        .unmap_window = unmap_window,
        .quietly = quietly,
        .set_prefetch = set_prefetch,
        .nodes = &nodes,
        .smi_count = smi_count,
        .count = count,
        .read_counts = read_counts,
    };
    fake.config.pages = (struct config_choices){.count = 1, .index = {PAGE_4K}};
    fake.config.samples_min = 5;
    fake.config.samples_max = 8;
    fake.config.walk.bytes = BYTES;
    fake.measurement = (struct measurement){
        .platform = &fake.platform, .config = &fake.config, .experiment = &experiment};
}

TEARDOWN(stop)
{
    measurement_release(&fake.measurement);
    assert_int_equal(fake.live, 0);
    assert_int_equal(fake.windows, 0);
}

static const struct row *row_of(const char *variant, const char *metric, int64_t k)
{
    const struct measurement *m = &fake.measurement;
    assert_true(m->row_count <= m->row_room);
    for (size_t i = 0; i < m->row_count; i++)
        if (strcmp(m->rows[i].variant, variant) == 0 && strcmp(m->rows[i].metric, metric) == 0 &&
            m->rows[i].k == k)
            return &m->rows[i];
    return NULL;
}

static const char *const variants[PATTERNS] = {"linear-4k", "page-4k", "heap-4k", "random-4k"};

TEST(rows)
{
    assert_true(walk_measure(&fake.measurement));
    assert_int_equal(fake.measurement.row_count, PATTERNS * 5);
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct row *piece = row_of(variants[i], "tsc", PIECE);
        const struct row *whole = row_of(variants[i], "tsc", WORDS);
        const struct row *sum = row_of(variants[i], WALK_SUM, WORDS);
        assert_in_range(whole->samples, 3, 4); /* four walks of two samples are samples.max */
        assert_int_equal(piece->samples + piece->discarded, 2 * whole->samples);
        assert_int_equal(piece->bytes, BYTES);
        assert_true(whole->min >= piece->min * 2);
        assert_true(fabs(row_of(variants[i], "ns", PIECE)->median - piece->median / 2) < 0.001);
        assert_true(fabs(row_of(variants[i], "ns", WORDS)->max - whole->max / 2) < 0.001);
        assert_true(sum->min == walk_sum(BYTES) && sum->max == walk_sum(BYTES));
        assert_int_equal(sum->samples, whole->samples);
    }
}

/* One bit of the array changes between two slices: the walks read something else. */
TEST(a_corrupted_array_is_noticed)
{
    static struct verdict found[64];
    struct verdict_list verdicts = {.at = found, .room = 64};
    unsigned errors = 0;

    fake.corrupt_at = 6;
    assert_true(walk_measure(&fake.measurement));
    for (unsigned i = 0; i < PATTERNS; i++)
        walk_judge(&fake.measurement.rows[i * 5], 5, &verdicts);
    for (size_t i = 0; i < verdicts.count; i++)
        errors += found[i].status == VERDICT_ERROR;
    assert_int_equal(errors, PATTERNS * 2);
}

TEST(pieces_with_smi_are_no_samples)
{
    fake.smi_known = true;
    assert_true(walk_measure(&fake.measurement));
    const struct row *piece = row_of("heap-4k", "tsc", PIECE);
    assert_int_equal(piece->samples, 0);
    assert_int_equal(piece->discarded, 8);
    assert_int_equal(row_of("heap-4k", "tsc", WORDS)->samples, 4);
}

TEST(half_of_what_is_asked)
{
    fake.config.walk.bytes = 4 * BYTES;
    assert_true(walk_measure(&fake.measurement));
    assert_int_equal(row_of("page-4k", WALK_SUM, WORDS)->bytes, BYTES);
}

static void assert_all_skipped(const char *reason)
{
    assert_true(walk_measure(&fake.measurement));
    assert_int_equal(fake.measurement.row_count, PATTERNS);
    for (unsigned i = 0; i < PATTERNS; i++)
        assert_string_equal(fake.measurement.rows[i].unit, reason);
    assert_int_equal(fake.slices, 0);
}

TEST(no_window)
{
    fake.largest = BYTES / 2;
    assert_all_skipped("it is too much");
}

TEST(no_loops)
{
    fake.platform.no_loops = "it is a model";
    assert_all_skipped("it is a model");
}

TEST(prefetchers)
{
    fake.config.prefetch = PREFETCH_BOTH;
    assert_true(walk_measure(&fake.measurement));
    assert_int_equal(fake.measurement.row_count, PATTERNS * 5 + PATTERNS);
    const struct row *row = row_of("random-4k-nopf", ROW_SKIPPED, ROW_NONE);
    assert_non_null(row);
    assert_string_equal(row->unit, "there is no register");
}

TEST(counts)
{
    fake.offer.set = (struct counter_set){.usable = 0xf | EVENT_FIXED(0) | EVENT_FIXED(1)};
    for (unsigned i = 0; i < event_microarchitecture_count; i++)
        if (strcmp(event_microarchitectures[i].name, "haswell") == 0)
            fake.offer.of = &event_microarchitectures[i];
    fake.platform.counters = &fake.offer;
    assert_true(walk_measure(&fake.measurement));
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct row *row = row_of(variants[i], "instructions", PIECE);
        assert_int_equal(row->samples, COUNTED_SAMPLES);
        assert_int_equal(row->bytes, BYTES);
        assert_true(row->median == PIECE);
        assert_non_null(row_of(variants[i], "core_cycles", PIECE));
    }
}

/* Wherever it ends early, memory and window are given back (see stop). */
TEST(faults)
{
    for (unsigned at = 1; at <= 9; at += 4) {
        start();
        fake.fault_at = at;
        assert_false(walk_measure(&fake.measurement));
        assert_string_equal(fake.measurement.failure, "a fault ended the measurement");
        assert_int_equal(fake.measurement.row_count, 0);
        stop();
    }
    start();
}

TEST(no_memory)
{
    for (unsigned at = 1; at <= 2; at++) {
        start();
        fake.failing = at;
        assert_false(walk_measure(&fake.measurement));
        assert_non_null(strstr(fake.measurement.failure, "not enough memory"));
        stop();
    }
    start();
}
