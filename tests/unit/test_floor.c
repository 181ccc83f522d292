/* test_floor: experiment floor on a made-up processor: its points, what it keeps beside them. */
#include "../../kernel/analysis/states.h"
#include "../../kernel/engine/task.h"
#include "../../kernel/experiments/noise/floor_rule.h"
#include "../../kernel/probe/floor_probe.h"
#include "../../kernel/probe/sentinel.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

static int64_t ticks_of_pair; /* of the timer alone; others take twenty times as long */
static unsigned runs, turns;  /* turns: a run of other code than the one before */

static bool has_rdpmc(void)
{
    for (unsigned i = 0; i + 1 < 200; i++)
        if (fake.code[i] == 0x0f && fake.code[i + 1] == 0x33)
            return true;
    return false;
}

static bool is_timer(void)
{
    uint8_t timer[200];
    size_t length = floor_probe_emit_timer(timer, sizeof timer);
    return memcmp(fake.code, timer, length) == 0;
}

/* Stores and loads have two words to use; what is counted needs none. */
static uint64_t run_code(struct platform *self, uint8_t *base)
{
    static uint8_t before[FAKE_CODE_BYTES];
    (void)self;
    assert_true(fake.inside);
    assert_int_equal(base == NULL, has_rdpmc());
    if (base != NULL)
        memset(base, 1, FORWARD_CHAINS_MAX * sizeof(uint64_t));
    runs++;
    turns += memcmp(before, fake.code, sizeof before) != 0;
    memcpy(before, fake.code, sizeof before);
    if (is_timer())
        return (uint64_t)(ticks_of_pair + 6 * (int64_t)(runs % 3));
    return 20 * 6 + 12 * (runs % 2);
}

SETUP(start)
{
    experiment_open("floor");
    fake.platform.ticks_per_second = 3000000000;
    now_step = 100000;
    fake.platform.run_code = run_code;
    set_samples(100, 200, 0.2);
    ticks_of_pair = 18;
    runs = turns = 0;
}

TEARDOWN(stop)
{
    experiment_close();
}

static const struct row *row_of(const char *name, const char *metric, int64_t n, int64_t k)
{
    return row_where(case_named(name), metric, n, k, ANY, ANY);
}

TEST(every_point)
{
    static const int64_t lengths[] = {257, 1937};
    measure();
    assert_numbers((m.case_count, m.row_count), (5, 13 + 3));
    assert_int_equal(row_of(FLOOR_TIMER, FLOOR_PAIR, ROW_NONE, ROW_NONE)->samples, 100);
    assert_int_equal(row_of(FLOOR_LFENCE, "tsc", 0, 0)->samples, 100);
    assert_int_equal(row_of(FLOOR_CPUID, "tsc", 0, 0)->samples, 100);
    for (unsigned i = 0; i < 2; i++) {
        assert_non_null(row_of(FLOOR_CORE, "tsc", 0, lengths[i]));
        assert_non_null(row_of(FLOOR_CORE, "tsc", 1, lengths[i]));
        assert_non_null(row_of(FLOOR_CORE, "tsc", FLOOR_CHAINS_MAX, lengths[i]));
        assert_non_null(row_of(FLOOR_CORE, FLOOR_FORWARD, 1, lengths[i]));
        assert_non_null(row_of(FLOOR_CORE, FLOOR_FORWARD, 2, lengths[i]));
    }
    for (uint32_t i = 0; i < m.row_count; i++)
        assert_numbers((m.rows[i].variant.has_page, m.rows[i].bytes), (false, ROW_NONE));
    assert_int_equal(fake.maps, 0);
}

/* What is none of the samples' statistics: the least above zero, and the step of the clock. */
TEST(beside_the_points)
{
    measure();
    const struct row *least = row_of(FLOOR_TIMER, FLOOR_LEAST, ROW_NONE, ROW_NONE);
    const struct row *step = row_of(FLOOR_TIMER, FLOOR_STEP, ROW_NONE, ROW_NONE);
    const struct row *rate = row_of(FLOOR_CORE, FLOOR_RATE, ROW_NONE, ROW_NONE);
    assert_numbers((least->median, least->samples, step->median, step->samples), (18, 1, 6, 1));
    assert_compare(rate->median, ==, 3e9);
    assert_string_equal(rate->unit, "Hz");
}

/* The wrong way round is no time; nor is that the least. */
TEST(timestamps_the_wrong_way_round)
{
    ticks_of_pair = -9;
    measure();
    const struct row *pair = row_of(FLOOR_TIMER, FLOOR_PAIR, ROW_NONE, ROW_NONE);
    assert_numbers((pair->min, pair->max), (0, 3));
    assert_compare(row_of(FLOOR_TIMER, FLOOR_LEAST, ROW_NONE, ROW_NONE)->median, ==, 3);
    assert_compare(row_of(FLOOR_TIMER, FLOOR_STEP, ROW_NONE, ROW_NONE)->median, ==, 1);
}

TEST(no_timer_at_all)
{
    ticks_of_pair = -100;
    measure();
    assert_int_equal(row_of(FLOOR_TIMER, FLOOR_LEAST, ROW_NONE, ROW_NONE)->samples, 0);
}

/* The step is found before anything is sampled, and told to whoever samples. */
TEST(the_step_comes_first)
{
    assert_int_equal(m.step, 0);
    measure();
    assert_int_equal(m.step, 6);
    assert_compare(row_of(FLOOR_TIMER, FLOOR_PAIR, ROW_NONE, ROW_NONE)->visits, >=, 10);
}

/* Visits begin a millisecond apart, but for a model's and an emulator's. */
TEST(visits_are_spread_over_time)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        stop();
        start();
        now_step = 10000;
        fake.platform.openly = kind == 1 ? NULL : fake.platform.openly;
        m.is_emulated = kind == 2;
        uint64_t before = now;
        measure();
        assert_compare((now - before >= 3000000 * (m.visits - 1)), ==, (kind == 0));
    }
}

/* What is known of the processor, and not by a sample: absent where nothing is. */
TEST(facts)
{
    static struct states states;
    measure();
    assert_null(row_of(FLOOR_CORE, FLOOR_WIDTH, ROW_NONE, ROW_NONE));
    assert_null(row_of(FLOOR_CORE, FLOOR_EMULATED, ROW_NONE, ROW_NONE));
    assert_null(row_of(FLOOR_CORE, FLOOR_ALONE, ROW_NONE, ROW_NONE));
    experiment_again();
    memset(&states, 0, sizeof states);
    states.published = SENTINEL_ADDS / 4.0;
    states.is_alone = true;
    m.states = &states;
    processor.is_virtual = true;
    strcpy(processor.hypervisor, "TCGTCGTCGTCG");
    measure();
    assert_compare(row_of(FLOOR_CORE, FLOOR_WIDTH, ROW_NONE, ROW_NONE)->median, ==, 4);
    assert_compare(row_of(FLOOR_CORE, FLOOR_ALONE, ROW_NONE, ROW_NONE)->median, ==, 1);
    assert_compare(row_of(FLOOR_CORE, FLOOR_EMULATED, ROW_NONE, ROW_NONE)->median, ==, 1);
    experiment_again();
    strcpy(processor.hypervisor, "KVMKVMKVM");
    measure();
    assert_null(row_of(FLOOR_CORE, FLOOR_EMULATED, ROW_NONE, ROW_NONE));
}

/* Without a large page nobody can look whether a guest's large pages are small. */
TEST(no_large_page_to_look_at)
{
    processor.is_virtual = true;
    choose(&config.pages, PAGE_2M);
    fake.no_page[PAGE_2M] = "no large pages";
    measure();
    assert_null(row_of(FLOOR_CORE, FACTS_SMALL_PAGES, ROW_NONE, ROW_NONE));
    assert_numbers((fake.maps, fake.unmaps), (1, 0));
}

/* A second has no ticks where time is not a processor's. */
TEST(no_rate_on_a_model)
{
    fake.platform.openly = NULL;
    measure();
    assert_null(row_of(FLOOR_CORE, FLOOR_RATE, ROW_NONE, ROW_NONE));
    assert_int_equal(m.row_count, 13 + 2);
}

/* Each of the thirteen is visited four times or more. */
TEST(points_take_turns)
{
    measure();
    assert_compare(turns, >, 3 * 13);
}

/* Eighty samples of each in eight visits, and nothing is counted; before them, 80 to find the
 * step. */
TEST(briefly)
{
    offer_counters();
    experiment_begin("floor", true);
    config.samples_min = 500;
    config.samples_max = 600;
    measure();
    assert_numbers((m.row_count, row_of(FLOOR_LFENCE, "tsc", 0, 0)->samples), (13 + 3, 80));
    assert_int_equal(runs, 13 * (1 + 80) + 13 * 8 * (1 + 10));
}

TEST(one_visit_in_an_emulator)
{
    experiment_begin("floor", true);
    m.is_emulated = true;
    measure();
    assert_int_equal(row_of(FLOOR_LFENCE, "tsc", 0, 0)->samples, 10);
    assert_int_equal(row_of(FLOOR_LFENCE, "tsc", 0, 0)->visits, 1);
}

static unsigned counting_runs;
static uint64_t counted_from, counted_to; /* ticks */

static uint64_t run_counting(struct platform *self, uint8_t *base)
{
    uint64_t ticks = run_code(self, base);
    if (has_rdpmc()) {
        assert_non_null(fake.programmed[0]);
        counted_from = counting_runs++ == 0 ? now : counted_from;
        counted_to = now;
    }
    return ticks;
}

/* The payload is fillers without any load. Its visits take no time, and so need none between. */
TEST(the_payload_is_counted)
{
    static const int64_t lengths[] = {0, 257, 1937};
    offer_counters();
    fake.platform.run_code = run_counting;
    now_step = 10000;
    counting_runs = 0;
    measure();
    assert_compare(counting_runs, >,
                   3 * VISIT_SAMPLES); /* every sample, and once before each visit */
    assert_compare(counted_to - counted_from, <, 3000000);
    for (unsigned i = 0; i < 3; i++) {
        const struct row *row = row_of(FLOOR_PAYLOAD, "instructions", 0, lengths[i]);
        assert_int_equal(row->samples, VISIT_SAMPLES);
        assert_non_null(row_of(FLOOR_PAYLOAD, "core_cycles", 0, lengths[i]));
    }
}

/* In place of kernel/cpu/processor.c: the made-up core has three caches, or none. */
static bool has_caches;
void processor_caches(uint64_t caches[PROCESSOR_CACHES])
{
    static const uint64_t made_up[PROCESSOR_CACHES] = {48 << 10, 2 << 20, 24 << 20};
    for (unsigned i = 0; i < PROCESSOR_CACHES; i++)
        caches[i] = has_caches ? made_up[i] : 0;
}

/* So that stored rows are judged as those of the run; a model's memory is nobody's. */
TEST(what_stands_beside_the_core_is_told)
{
    static const double wanted[] = {48 * 1024.0, 2048 * 1024.0, 24576 * 1024.0};
    for (unsigned way = 0; way < 3; way++) {
        experiment_again();
        has_caches = true;
        processor.is_virtual = way > 0;
        memcpy(processor.hypervisor, "KVMKVMKVM", 10);
        if (way == 2)
            fake.platform.openly = NULL;
        measure();
        const struct row *row = row_of(FLOOR_CORE, FACTS_HYPERVISOR, ROW_NONE, ROW_NONE);
        assert_int_equal(row != NULL, way == 1);
        for (int64_t level = 1; level <= 4; level++) {
            row = row_of(FLOOR_CORE, FACTS_CPUID, level, ROW_NONE);
            assert_int_equal(row != NULL, way < 2 && level <= 3);
            if (row != NULL)
                assert_near(row->median, wanted[level - 1]);
        }
    }
    has_caches = false;
}
