/* test_counted: events to passes to rows, on a platform that only pretends to count. */
#include "../../kernel/experiments/counted.h"
#include "../../kernel/pmu/plan.h"
#include "fake_platform.h"
#include "kit.h"

#define POINTS 3
#define ROWS 512
#define FIXED(n) (1ull << (COUNTER_FIXED + (n)))

static struct fake_platform fake;
static struct config config;
static struct measurement measurement;
static struct counted counted;

/* Every count is 7. */
static void visit(void *context, uint32_t point, const struct counting *counting, uint32_t *samples,
                  unsigned samples_each)
{
    (void)context;
    assert_true(point < POINTS);
    assert_int_equal(counting->count, fake.counting);
    for (unsigned i = 0; i < counting->count * samples_each; i++)
        samples[i] = 7;
}

static void place(void *context, uint32_t point, struct row *row)
{
    (void)context;
    row->n = point;
    row->k = 0;
}

/* --- helpers --------------------------------------------------------------------------------- */

static void start(enum processor_vendor vendor, unsigned family, unsigned model, uint64_t usable)
{
    struct processor processor = {
        .vendor = vendor, .family = (uint16_t)family, .model = (uint16_t)model};
    static const struct experiment experiment = {.name = "mlp"};

    free(measurement.rows);
    fake_platform_open(&fake);
    fake_platform_offer(&fake, microarchitecture_find(&processor, CORE_ANY), usable);
    measurement = (struct measurement){.platform = &fake.platform,
                                       .config = &config,
                                       .experiment = &experiment,
                                       .variant = "2m",
                                       .cases = 1};
    assert_true(measurement_reserve(&measurement, ROWS));
    counted = (struct counted){.measurement = &measurement, .visit = visit, .place = place};
}

static unsigned rows_of(const char *key)
{
    unsigned found = 0;
    for (size_t i = 0; i < measurement.row_count; i++)
        found += strcmp(measurement.rows[i].metric, key) == 0;
    return found;
}

/* --- tests ----------------------------------------------------------------------------------- */

TEST(every_event_at_every_point)
{
    start(VENDOR_INTEL, 6, 0x3c, 0xf | FIXED(0) | FIXED(1) | FIXED(2));
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("instructions"), POINTS);
    assert_int_equal(rows_of("core_cycles"), POINTS);
    assert_int_equal(rows_of("l1d_pend_miss_pending"), POINTS);
    assert_int_equal(rows_of("l1d_pend_miss_pending_cycles"), POINTS);
    assert_string_equal(fake.printed, "");
    for (size_t i = 0; i < measurement.row_count; i++) {
        assert_int_equal(measurement.rows[i].samples, COUNTED_SAMPLES);
        assert_true(measurement.rows[i].min == 7 && measurement.rows[i].max == 7);
    }
}

/* Whichever visit comes last: nothing that was not counted is a count of 0. */
TEST(a_refused_pass_leaves_no_rows)
{
    static const char *const keys[] = {"instructions", "l1d_pend_miss_pending",
                                       "l1d_pend_miss_pending_cycles", "load_l3_miss"};

    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        for (config.seed = 1; config.seed <= 4; config.seed++) {
            start(VENDOR_INTEL, 6, 0x3c, 0xf | FIXED(0) | FIXED(1) | FIXED(2));
            fake.refused = keys[i];
            assert_true(counted_measure(&counted, POINTS));
            assert_int_equal(rows_of(keys[i]), 0);
            assert_true(measurement.row_count > 0);
            for (size_t row = 0; row < measurement.row_count; row++)
                assert_true(measurement.rows[row].min == 7);
            assert_string_equal(fake.printed, "\ncounters: a register does not take it\n");
        }
}

/* HP's firmware for one keeps fixed counter 1 to itself. */
TEST(the_second_choice)
{
    start(VENDOR_INTEL, 6, 0x3c, 0xf | FIXED(0) | FIXED(2));
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("instructions"), POINTS);
    assert_int_equal(rows_of("core_cycles"), 0);
    assert_int_equal(rows_of("core_cycles_gp"), POINTS);
    start(VENDOR_INTEL, 6, 0x3c, 0xf);
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("instructions_gp"), POINTS);
    start(VENDOR_AMD, 0x17, 0x31, 0x3f);
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("instructions_gp"), POINTS);
    assert_int_equal(rows_of("core_cycles_gp"), POINTS);
}

/* Fixed counters 2 and 3 (reference cycles, slots) count nothing of the list. */
TEST(no_register_is_wasted)
{
    start(VENDOR_INTEL, 6, 0x7e, 0xff | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3));
    assert_true(counted_measure(&counted, POINTS));
    assert_in_range(fake.most, 7, COUNTING_MAX); /* six without their two */
    start(VENDOR_AMD, 0x19, 0x21, 0x3f);
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("l1d_pend_miss_pending"), POINTS);
}

/* Zen 3 counts cycles with four misses, which is not what the ratio divides by. */
TEST(half_a_ratio_of_zen_3)
{
    start(VENDOR_AMD, 0x19, 0x21, 0x3f);
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("l1d_pend_miss_pending"), POINTS);
    assert_int_equal(rows_of("l1d_pend_miss_pending_cycles_derived"), 0);
    start(VENDOR_AMD, 0x19, 0x61, 0x3f);
    assert_true(counted_measure(&counted, POINTS));
    assert_int_equal(rows_of("l1d_pend_miss_pending_cycles_derived"), POINTS);
}

TEARDOWN_ALL(end)
{
    free(measurement.rows);
    measurement.rows = NULL;
}
