/* test_walk_experiment: whole walks through 4 MB, on a platform that can be made to go wrong. */
#include "../../kernel/analysis/walk_rule.h"
#include "../../kernel/cpu/event_table.h"
#include "../../kernel/data/nodes.h"
#include "../../kernel/experiments/counted.h"
#include "../../kernel/experiments/measurement.h"
#include "../../kernel/experiments/walk.h"
#include "fake_platform.h"
#include "kit.h"

#define BYTES (4u << 20)
#define PIECE 262144
#define WORDS (BYTES / 8)
#define PATTERNS 4

static const struct experiment experiment = {.name = "walk"};

static struct fake_platform fake;
static struct config config;
static struct measurement measurement;
static unsigned corrupt_at; /* the slice that finds the array changed */

static void corrupt(struct fake_platform *platform)
{
    if (platform->slices + 1 == corrupt_at)
        platform->window.base[1234567] ^= 0x10;
}

SETUP(start)
{
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = 2000000000;
    fake.largest = BYTES;
    fake.smi_step = 1;
    fake.no_prefetch = "there is no register";
    fake.count_step = PIECE;
    fake.after_slice = corrupt;
    corrupt_at = 0;
    memset(&config, 0, sizeof config);
    config.pages = (struct config_choices){.count = 1, .index = {PAGE_4K}};
    config.samples_min = 5;
    config.samples_max = 8;
    config.walk.bytes = BYTES;
    measurement = (struct measurement){
        .platform = &fake.platform, .config = &config, .experiment = &experiment};
}

TEARDOWN(stop)
{
    measurement_release(&measurement);
    fake_platform_assert_returned(&fake);
}

static const struct row *row_of(const char *variant, const char *metric, int64_t k)
{
    const struct measurement *m = &measurement;
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
    assert_true(walk_measure(&measurement));
    assert_int_equal(measurement.row_count, PATTERNS * 5);
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

    corrupt_at = 6;
    assert_true(walk_measure(&measurement));
    for (unsigned i = 0; i < PATTERNS; i++)
        rule_walk.judge(&measurement.rows[i * 5], 5, &verdicts);
    for (size_t i = 0; i < verdicts.count; i++)
        errors += found[i].status == VERDICT_ERROR;
    assert_int_equal(errors, PATTERNS * 2);
}

TEST(pieces_with_smi_are_no_samples)
{
    fake.smi_known = true;
    assert_true(walk_measure(&measurement));
    const struct row *piece = row_of("heap-4k", "tsc", PIECE);
    assert_int_equal(piece->samples, 0);
    assert_int_equal(piece->discarded, 8);
    assert_int_equal(row_of("heap-4k", "tsc", WORDS)->samples, 4);
}

TEST(half_of_what_is_asked)
{
    config.walk.bytes = 4 * BYTES;
    assert_true(walk_measure(&measurement));
    assert_int_equal(row_of("page-4k", WALK_SUM, WORDS)->bytes, BYTES);
}

static void assert_all_skipped(const char *reason)
{
    assert_true(walk_measure(&measurement));
    assert_int_equal(measurement.row_count, PATTERNS);
    for (unsigned i = 0; i < PATTERNS; i++)
        assert_string_equal(measurement.rows[i].unit, reason);
    assert_int_equal(fake.slices, 0);
}

TEST(no_window)
{
    fake.largest = BYTES / 2;
    assert_all_skipped("too little memory");
}

TEST(no_loops)
{
    fake.platform.no_loops = "it is a model";
    assert_all_skipped("it is a model");
}

TEST(prefetchers)
{
    config.prefetch = PREFETCH_BOTH;
    assert_true(walk_measure(&measurement));
    assert_int_equal(measurement.row_count, PATTERNS * 5 + PATTERNS);
    const struct row *row = row_of("random-4k-nopf", ROW_SKIPPED, ROW_NONE);
    assert_non_null(row);
    assert_string_equal(row->unit, "there is no register");
}

TEST(counts)
{
    fake_platform_offer(&fake, microarchitecture_named("haswell"),
                        0xf | EVENT_FIXED(0) | EVENT_FIXED(1));
    fake.offer.set.architectural = 0;
    assert_true(walk_measure(&measurement));
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
        assert_false(walk_measure(&measurement));
        assert_string_equal(measurement.failure, "a fault ended the measurement");
        assert_int_equal(measurement.row_count, 0);
        stop();
    }
    start();
}

TEST(no_memory)
{
    for (unsigned at = 1; at <= 2; at++) {
        start();
        fake.failing = at;
        assert_false(walk_measure(&measurement));
        assert_non_null(strstr(measurement.failure, "not enough memory"));
        stop();
    }
    start();
}
