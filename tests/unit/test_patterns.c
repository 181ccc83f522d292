/* test_patterns: makes passes over 4 MB, on a platform that can be made to go wrong. */
#include "../../kernel/engine/task.h"
#include "../../kernel/experiments/patterns/patterns_rule.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define BYTES (4u << 20)
#define PIECE 262144
#define WORDS (BYTES / 8)
#define PIECES (WORDS / PIECE)
#define PATTERNS 4
#define PIECE_TICKS 1000
#define COUNTED VISIT_SAMPLES
#define PASSES 5                           /* of each pattern */
#define ROWS (PATTERNS * (2 + 3 * PASSES)) /* of a window */
#define VISITS_MAX 100

static unsigned corrupt_at; /* number of the slice that finds the array changed */

/* In place of kernel/probe/native.c. */
void native_fence(void)
{
}

static unsigned visited[VISITS_MAX], visits; /* by case */

/* Notes the case whose data alone changed in a slice: it was visited. */
static void note_visit(void)
{
    static uint64_t sums[PATTERNS];
    unsigned changed = 0, last = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        const uint8_t *data = m.cases[i].data;
        uint64_t sum = 0;
        for (uint64_t j = 0; j < m.cases[i].data_bytes; j++)
            sum = 31 * sum + data[j];
        changed += sum != sums[i];
        last = sum != sums[i] ? i : last;
        sums[i] = sum;
    }
    if (changed == 1)
        visited[visits++ % VISITS_MAX] = last;
}

static void corrupt(struct fake_platform *platform)
{
    if (platform->slices + 1 == corrupt_at)
        platform->window.base[1234567] ^= 0x10;
    note_visit();
}

/* A slice is one piece of filling, or one visit. */
SETUP(start)
{
    experiment_open("patterns");
    now_step = PIECE_TICKS; /* between any two looks there is a piece, or as long */
    fake.platform.ticks_per_second = 5 * PIECE_TICKS;
    fake.largest = BYTES;
    fake.smi_step = 1;
    fake.no_prefetch = "there is no register";
    fake.count_step = PIECE;
    fake.after_slice = corrupt;
    corrupt_at = visits = 0;
    choose(&config.pages, PAGE_4K);
    config.samples_min = 5;
    config.samples_max = 1000;
    config.patterns.bytes = BYTES;
}

TEARDOWN(stop)
{
    experiment_close();
}

static const struct row *row_of(const char *name, const char *metric, int64_t k)
{
    return row_where(case_named(name), metric, ANY, k, ANY, ANY);
}

/* Returns the row of the pass of a round; NULL: there is none. */
static const struct row *pass_row(const char *name, const char *metric, int64_t round)
{
    return row_where(case_named(name), metric, ANY, ANY, ANY, round);
}

static unsigned passes_of(const char *name)
{
    unsigned count = 0;
    while (pass_row(name, "tsc", count) != NULL)
        count++;
    return count;
}

static const char *const names[PATTERNS] = {"linear-4k", "page-4k", "heap-4k", "random-4k"};

/* Every piece takes a step of the clock. */
TEST(rows)
{
    measure();
    assert_int_equal(m.row_count, ROWS);
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct row *piece = row_of(names[i], "tsc", PIECE);
        assert_numbers((piece->samples + piece->discarded, piece->bytes), (PIECES * PASSES, BYTES));
        assert_compare(piece->median, ==, PIECE_TICKS);
        assert_near(row_of(names[i], "ns", PIECE)->median, piece->median * 200000);
        assert_int_equal(passes_of(names[i]), PASSES); /* each is as long: that is precise */
        for (unsigned round = 0; round < PASSES; round++) {
            const struct row *whole = pass_row(names[i], "tsc", round);
            const struct row *sum = pass_row(names[i], PATTERNS_SUM, round);
            assert_numbers((whole->min, whole->max), (PIECES * PIECE_TICKS, whole->min));
            assert_near(pass_row(names[i], "ns", round)->max, whole->max * 200000);
            assert_numbers((sum->min, sum->max), (patterns_sum(BYTES), patterns_sum(BYTES)));
            assert_numbers((whole->k, sum->k, sum->bytes), (WORDS, WORDS, BYTES));
            assert_numbers((whole->samples, sum->samples), (1, 1));
            assert_string_equal(sum->unit, "sum");
        }
    }
}

/* The patterns take turns, in every round anew, so that drift meets them all. */
TEST(patterns_take_turns)
{
    unsigned seen = 0;
    measure();
    assert_int_equal(visits, PATTERNS * PASSES);
    for (unsigned i = 0; i < visits; i++) {
        seen |= 1u << visited[i];
        if (i % PATTERNS == PATTERNS - 1) {
            assert_int_equal(seen, (1u << PATTERNS) - 1);
            seen = 0;
        }
    }
}

/* The same order of the same seed, another of another. */
TEST(seeds)
{
    unsigned order[2][PATTERNS * PASSES];
    for (unsigned run = 0; run < 3; run++) {
        config.seed = run < 2 ? 5 : 6;
        visits = 0;
        measure();
        assert_int_equal(visits, PATTERNS * PASSES);
        memcpy(order[run > 0], visited, sizeof order[0]);
        if (run == 1)
            assert_memory_equal(order[0], order[1], sizeof order[0]);
        experiment_again();
    }
    assert_memory_not_equal(order[0], order[1], sizeof order[0]);
}

/* Makes five passes even where the first is as precise as can be. */
TEST(five_passes_at_least)
{
    config.samples_min = 1;
    config.samples_precision = 1;
    measure();
    for (unsigned i = 0; i < PATTERNS; i++)
        assert_int_equal(passes_of(names[i]), PASSES);
}

/* Takes more pieces than a visit does: the pass goes on in the next slice, before any other
 * pattern. */
TEST(a_pass_of_several_slices)
{
    enum { SIZE = 64 << 20, CALLS = 4 };
    config.patterns.bytes = fake.largest = SIZE;
    measure();
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct row *piece = row_of(names[i], "tsc", PIECE);
        assert_int_equal(passes_of(names[i]), PASSES);
        assert_int_equal(piece->samples, PASSES * SIZE / 8 / PIECE);
        for (unsigned round = 0; round < PASSES; round++) {
            assert_true(pass_row(names[i], "tsc", round)->min == SIZE / 8.0 / PIECE * PIECE_TICKS);
            assert_compare(pass_row(names[i], PATTERNS_SUM, round)->min, ==, patterns_sum(SIZE));
        }
    }
    assert_int_equal(visits, PATTERNS * PASSES * CALLS);
    for (unsigned i = 0; i < visits; i += CALLS)
        assert_int_equal(visited[i], visited[i + 1]);
}

/* One bit of the array changes between two slices: the passes add up to another sum. */
TEST(a_corrupted_array_is_noticed)
{
    static struct verdict found[64];
    struct verdict_list verdicts = {.at = found, .room = 64};
    unsigned errors = 0;
    corrupt_at = 3 + PATTERNS; /* after filling, and a round */
    measure();
    for (uint32_t i = 0; i < PATTERNS; i++) {
        struct table table = {.variant = &m.cases[i].variant};
        table.rows = rows_of_case(&m, i, &table.count);
        assert_int_equal(table.count, ROWS / PATTERNS);
        rule_patterns.judge(&(struct evidence){.table = &table, .verdicts = &verdicts});
    }
    for (size_t i = 0; i < verdicts.count; i++)
        errors += found[i].status == VERDICT_ERROR;
    assert_int_equal(errors, PATTERNS * 2);
}

/* The time of a pass is kept in any case. */
TEST(pieces_with_smi_are_no_samples)
{
    fake.smi_known = true;
    config.samples_max = 8;
    measure();
    const struct row *piece = row_of("heap-4k", "tsc", PIECE);
    assert_numbers((piece->samples, piece->discarded), (0, 4 * 8));
    assert_int_equal(passes_of("heap-4k"), 8 / PIECES + PASSES + 1); /* all that are kept */
}

/* Firmware with an SMI in each visit leaves all the other pieces. */
TEST(a_piece_with_an_smi_is_lost_alone)
{
    fake.smi_known = true;
    fake.smi_every = 3;
    measure();
    const struct row *piece = row_of("heap-4k", "tsc", PIECE);
    assert_in_range(piece->samples, config.samples_min, config.samples_max);
    assert_in_range(piece->discarded, 1, piece->samples);
    assert_compare(piece->median, ==, PIECE_TICKS);
}

/* --- what there is --------------------------------------------------------------------------- */

TEST(half_of_what_is_asked)
{
    config.patterns.bytes = 4 * BYTES;
    measure();
    assert_int_equal(pass_row("page-4k", PATTERNS_SUM, 0)->bytes, BYTES);
    assert_string_equal(fake.printed, "patterns 4k: not 16m: too little memory\n");
}

/* Every page size with every state of the prefetchers, one window after the other. */
TEST(every_page_size)
{
    choose(&config.pages, PAGE_4K, PAGE_1G, PAGE_2M);
    config.prefetch = PREFETCH_BOTH;
    fake.no_prefetch = NULL;
    fake.no_page[PAGE_1G] = "none of them";
    measure();
    assert_numbers((m.case_count, m.row_count), (3 * 2 * PATTERNS, 2 * 2 * ROWS + 2 * PATTERNS));
    assert_non_null(pass_row("heap-2m-nopf", PATTERNS_SUM, 0));
    assert_non_null(pass_row("page-4k-nopf", PATTERNS_SUM, 0));
    assert_skipped("linear-1g", "none of them");
    assert_skipped("linear-1g-nopf", "none of them");
    for (unsigned i = 0; i + 1 < fake.unmaps; i++)
        assert_compare(fake.unmapped[i], <, fake.unmapped[i + 1]);
}

TEST(counts)
{
    offer_counters();
    measure();
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct row *row = row_of(names[i], "instructions", PIECE);
        assert_numbers((row->samples, row->bytes, row->median), (COUNTED, BYTES, PIECE));
        assert_non_null(row_of(names[i], "core_cycles", PIECE));
        /* What is counted makes no pass of its own. */
        assert_int_equal(passes_of(names[i]), PASSES);
    }
}
