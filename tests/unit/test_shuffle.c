/* test_shuffle: experiment shuffle on a platform that can be made to fail. */
#include "../../kernel/engine/task.h"
#include "../../kernel/experiments/patterns/shuffle_rule.h"
#include "../../kernel/pmu/event.h"
#include "../../kernel/probe/shuffle_pass.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define SMALL (UINT64_C(32) << 10)
#define LARGE (UINT64_C(64) << 10)
#define COUNTED VISIT_SAMPLES
#define PASSES 3           /* over the array, at different times */
#define TIMED (2 * PASSES) /* rows of a metric, case and size: of two stages */
#define ROWS (4 * 2 * (2 * TIMED + 1))
#define FIRST_RUN 3 /* slices until the array is shuffled: after indices and filling */
#define PROOF 3     /* slices of a proof: filling, shuffling, checking */
#define VISIT 4     /* samples of one */
#define VISITS_MAX 1000

/* What is sought of a group: one sample of them all after the other, whichever point's it is. */
static uint64_t sought, timed;
static unsigned first_sought;
static unsigned proofs;
static struct {
    shuffle_run *loop;
    uint32_t stage;
} visited[VISITS_MAX];
static unsigned visits;

/* In place of kernel/probe/native.c. */
void native_fence(void)
{
}

/* In place of kernel/probe/shuffle_pass.c's: one chunk after the other, from the array's end. The
 * one before has been worked on: `left` went on from where it was put, or is that of a new visit.
 */
void shuffle_pass_seek(struct shuffle_pass *pass, uint64_t sample, uint64_t samples)
{
    static uint64_t put_at;
    if (sample > 0 && put_at < pass->elements)
        assert_compare(pass->shuffle.left, !=, put_at);
    assert_true(fake.inside);
    assert_true(sample == 0 || sample == sought + 1);
    assert_true(fake.programmed[0] == NULL ? samples == timed : sample < samples);
    first_sought += sample == 0;
    if (sample % VISIT == 0) {
        visited[visits % VISITS_MAX].loop = pass->run;
        visited[visits++ % VISITS_MAX].stage = pass->shuffle.stage;
    }
    sought = sample;
    pass->shuffle.left = pass->elements - sample % (pass->elements / pass->chunk) * pass->chunk;
    put_at = pass->shuffle.left;
}

bool shuffle_pass_is_whole(const struct shuffle_pass *pass)
{
    proofs++;
    return pass->values == 0 && pass->squares == 0;
}

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

/* --- counters -------------------------------------------------------------------------------- */

static bool running;
static unsigned counted_samples;
static uint32_t copy[2 * LARGE / sizeof(uint32_t)];

/* Before and after a sample in turn; between them the sample's chunk has to be worked on. */
static void read_counts(struct platform *self, uint64_t *values)
{
    (void)self;
    const uint32_t *data = (const uint32_t *)(const void *)fake.window.base;
    if (!running)
        memcpy(copy, data, fake.window.bytes);
    else
        assert_true(memcmp(copy, data, fake.window.bytes) != 0);
    counted_samples += running;
    for (unsigned j = 0; j < COUNTING_MAX; j++)
        if (fake.programmed[j] != NULL)
            values[j] = fake.count[j] += running ? fake.programmed[j]->key : 1000000;
    running = !running;
}

/* --- helpers --------------------------------------------------------------------------------- */

SETUP(start)
{
    experiment_open("shuffle"); /* a slice of preparing is one piece of work */
    fake.platform.ticks_per_second = 10;
    fake.platform.read_counts = read_counts;
    fake.largest = 2 * LARGE;
    fake.no_prefetch = "no register";
    fake.after_slice = do_damage;
    damaged_slice = 0;
    choose(&config.pages, PAGE_4K);
    set_samples(48, 48, 0.5);
    config.seed = 42;
    set_list(&config.shuffle.bytes, SMALL, LARGE);
    set_list(&config.shuffle.stages, 8, 64);
    running = false;
    counted_samples = proofs = first_sought = visits = 0;
    sought = 0;
    timed = 2 * 2 * 16; /* of each point a third of the least number */
}

TEARDOWN(end)
{
    experiment_close();
}

static bool is_of(const struct row *row, const char *name, const char *metric)
{
    return is_case(&row->variant, name) && strcmp(row->metric, metric) == 0;
}

static size_t rows_of(const char *name, const char *metric, int64_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < m.row_count; i++)
        found += is_of(&m.rows[i], name, metric) && m.rows[i].bytes == bytes;
    return found;
}

static const struct row *row_of(const char *name, const char *metric, int64_t bytes, int64_t stage)
{
    int64_t pass = strcmp(metric, "tsc") == 0 ? PASSES : ANY;
    return row_where(case_named(name), metric, pass, ANY, bytes, stage);
}

static const char *const cases[] = {"plain-precomputed-4k", "staged-precomputed-4k",
                                    "plain-onthefly-4k", "staged-onthefly-4k"};

/* --- rows ------------------------------------------------------------------------------------ */

TEST(every_case_has_its_rows)
{
    measure();
    assert_int_equal(m.row_count, ROWS);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(rows_of(cases[i], "tsc", SMALL), TIMED);
        assert_int_equal(rows_of(cases[i], "ns", LARGE), TIMED);
        assert_int_equal(rows_of(cases[i], "checksum", LARGE), 1);
    }
    for (size_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "tsc") == 0) {
            assert_compare(m.rows[i].samples, ==, 16);
            assert_compare(m.rows[i].min, >, 0);
            assert_int_equal(m.rows[i].k, 4096);
        }
    assert_int_equal(counted_samples, 0);
    assert_int_equal(first_sought, PASSES * 2 * 2); /* each group goes its own way over the array */
    assert_int_equal(sought, timed - 1);
}

/* As many of each point, however they scatter: the fewest asked for, a third in each pass. */
TEST(samples)
{
    static const uint32_t limits[][3] = {{100, 400, 34}, {120, 400, 40}, {48, 48, 16}};
    for (unsigned i = 0; i < 3; i++) {
        end();
        start();
        config.samples_min = limits[i][0];
        config.samples_max = limits[i][1];
        timed = 2 * 2 * limits[i][2];
        measure();
        assert_int_equal(row_of(cases[0], "tsc", SMALL, 8)->samples, limits[i][2]);
        assert_int_equal(sought, timed - 1);
    }
}

/* A sample is whole stages of swaps. */
TEST(a_sample_is_whole_stages)
{
    set_list(&config.shuffle.stages, 24, 1000);
    measure();
    assert_int_equal(row_of(cases[1], "tsc", LARGE, 24)->k, 4080);
    assert_int_equal(row_of(cases[1], "tsc", LARGE, 1000)->k, 4000);
}

/* Both loops of a source and size are visited in the same rounds. */
TEST(loops_take_turns)
{
    measure();
    unsigned points = 2 * 2, groups = PASSES * 2 * 2, rounds = 4;
    assert_int_equal(visits, points * rounds * groups);
    for (uint32_t i = 0; i < visits; i++)
        for (uint32_t j = i / points * points; j < i; j++)
            assert_true(visited[i].loop != visited[j].loop || visited[i].stage != visited[j].stage);
}

TEST(every_pass_has_its_rows)
{
    measure();
    for (int64_t pass = 1; pass <= PASSES; pass++)
        for (unsigned i = 0; i < 4; i++) {
            assert_non_null(row_where(case_named(cases[i]), "tsc", pass, ANY, SMALL, 8));
            assert_non_null(row_where(case_named(cases[i]), "ns", pass, ANY, LARGE, 64));
        }
}

/* The same shuffle of a size whatever the loop, and another one of another seed. */
TEST(checksums)
{
    double first[2] = {0};
    for (unsigned run = 0; run < 2; run++) {
        measure();
        for (unsigned i = 0; i < 4; i++) {
            const struct row *row = row_of(cases[i], "checksum", LARGE, ROW_NONE);
            assert_int_equal(row->samples, 1);
            first[run] = i == 0 ? row->median : first[run];
            assert_compare(row->median, ==, first[run]);
            assert_true(row_of(cases[i], "checksum", SMALL, ROW_NONE)->median != first[run]);
        }
        config.seed++;
        experiment_again();
    }
    assert_compare(first[0], !=, first[1]);
}

/* Memory of each node is a setting of its own, and takes as long as any. */
TEST(every_node_is_in_the_estimate)
{
    make_nodes(3, 0);
    double local = experiment_find("shuffle")->seconds(&m, 2);
    config.node = CONFIG_NODE_ALL;
    assert_near(experiment_find("shuffle")->seconds(&m, 2), 3 * local);
}

/* --- proofs ---------------------------------------------------------------------------------- */

/* Once for each loop, source and size, however many settings there are. */
TEST(every_loop_is_proved_once)
{
    choose(&config.pages, PAGE_4K, PAGE_2M);
    measure();
    assert_numbers((proofs, rows_of("plain-onthefly-4k", "checksum", SMALL)), (2 * 2 * 2, 1));
    assert_int_equal(rows_of("plain-onthefly-2m", "checksum", SMALL), 0); /* it proved nothing */
    assert_int_equal(rows_of("plain-onthefly-2m", "tsc", SMALL), TIMED);
}

static void assert_noticed(enum damage kind, unsigned after, const char *why)
{
    damage = kind;
    damaged_slice = after;
    assert_false(run());
    assert_string_equal(m.failure, why);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rows_of(cases[i], "checksum", SMALL), 0);
}

TEST(lost_elements_are_an_error)
{
    assert_noticed(LOSE, FIRST_RUN, "the shuffle lost elements of its array");
}

/* The first pass cannot know; the second has to do the same, and those of the other source too. */
TEST(another_shuffle_is_an_error)
{
    assert_noticed(REORDER, FIRST_RUN + PROOF,
                   "the loops did not make the same shuffle: their checksums differ");
}

TEST(the_first_order_is_the_one_to_be_kept)
{
    assert_noticed(REORDER, FIRST_RUN,
                   "the loops did not make the same shuffle: their checksums differ");
}

/* --- counting -------------------------------------------------------------------------------- */

static void check_counts(const char *metric, bool is_counted)
{
    for (unsigned i = 0; i < 4 * 2 * 2; i++) {
        int64_t stage = i & 1 ? 8 : 64;
        const struct row *row = row_of(cases[i >> 2], metric, i & 2 ? SMALL : LARGE, stage);
        assert_int_equal(row != NULL, is_counted);
        if (row == NULL)
            continue;
        assert_numbers((row->samples, row->k), (COUNTED, 4096));
        assert_true(strcmp(event_keys[(unsigned)row->median], metric) == 0);
        assert_compare(row->min, ==, row->max);
    }
}

/* A row for each event, size and stage; what is timed is as many rows as without counters. */
TEST(every_point_is_counted)
{
    offer_counters();
    measure();
    assert_int_equal((m.row_count - ROWS) % (4 * 2 * 2), 0);
    check_counts("instructions", true);
    check_counts("core_cycles", true);
    check_counts("l1d_pend_miss_pending", true);
    check_counts("l1d_pend_miss_pending_cycles", true);
    assert_int_equal(rows_of(cases[0], "tsc", LARGE), TIMED);
    assert_int_equal(counted_samples % (4 * 2 * 2 * COUNTED), 0);
    assert_string_equal(fake.printed, "");
}

TEST(a_refused_pass_leaves_no_rows)
{
    offer_counters();
    fake.refused = "l1d_pend_miss_pending_cycles"; /* only counter 2 has it: a pass of its own */
    measure();
    check_counts("l1d_pend_miss_pending_cycles", false);
    check_counts("l1d_pend_miss_pending", true);
    check_counts("instructions", true);
    assert_int_equal(rows_of(cases[3], "tsc", LARGE), TIMED);
    assert_non_null(strstr(fake.printed, "counters: a register does not take it\n"));
}

/* --- what goes wrong ------------------------------------------------------------------------- */

/* Precomputed indices need the memory twice. */
TEST(a_size_without_memory_leaves_a_row)
{
    fake.largest = LARGE;
    measure();
    for (unsigned i = 0; i < 2; i++) {
        assert_numbers((rows_of(cases[i], "tsc", LARGE), rows_of(cases[i], "ns", LARGE)), (1, 0));
        assert_int_equal(rows_of(cases[i], "checksum", LARGE), 0);
        assert_int_equal(rows_of(cases[i + 2], "ns", LARGE), TIMED);
    }
    assert_string_equal(fake.printed,
                        "shuffle plain-precomputed-4k: not 64k: too little memory\n"
                        "shuffle staged-precomputed-4k: not 64k: too little memory\n");
}

TEST(without_any_size_the_cases_are_skipped)
{
    fake.largest = SMALL;
    set_list(&config.shuffle.bytes, SMALL);
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_int_equal(rows_of("plain-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-precomputed-4k", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k-nopf", "skipped", ROW_NONE), 1);
    assert_int_equal(rows_of("staged-onthefly-4k", "tsc", SMALL), TIMED);
    assert_int_equal(m.row_count, 2 + 2 * (2 * TIMED + 1) + 4);
}

/* One group after the other: each finds all the memory there is. All had a pass before the next. */
TEST(one_window_at_a_time)
{
    measure();
    assert_int_equal(fake.maps, PASSES * 2 * 2);
    for (unsigned i = 0; i < fake.maps; i++) {
        uint64_t bytes = i % 2 ? LARGE : SMALL;
        assert_true(fake.asked[i].bytes == (i % 4 < 2 ? 2 * bytes : bytes));
        assert_numbers((fake.unmapped[i], fake.asked[i].seed), (i, 42));
    }
}
