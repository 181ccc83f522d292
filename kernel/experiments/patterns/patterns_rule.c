/* patterns_rule: what does an access cost in each order, of an array far beyond the caches?
 *
 * Expected: linear, by pages, over the heap: 1.0, 3.8 and 29 ns on an i7-860, 0.9, 3.3 and 9.5 on
 * an i7-2760QM (Thompson, 2012). The heap's stride is constant; a prefetcher may learn it.
 * Seen: a Zen 4 guest, 2 MB pages: 0.57, 3.4 and 9.7 ns, truly random 11.1; 4 KB pages: 0.60, 3.8,
 * 13.9 and 13.6. With 2 MB pages a constant stride gains 13 percent over a random order.
 * Zen 5, 13 runs within half an hour: 8.8 to 12.0 over the heap, and each run's passes agree.
 * Not understood: why passes by pages differ by a quarter, and linear ones by 1 to 4 percent. */
#include "patterns_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../../probe/pattern_loops.h"
#include "../answer.h"
#include "../experiment.h"

/* Returns the sum of all words. Each holds its index in its page plus the page's number. */
double patterns_sum(int64_t bytes)
{
    double pages = (double)bytes / PATTERN_PAGE_BYTES, words = pages * PATTERN_PAGE_WORDS;
    return words * ((PATTERN_PAGE_WORDS - 1.0) / 2) + words * ((pages - 1) / 2);
}

/* Returns the row of a metric with pieces of passes; NULL: no such row. */
static const struct row *find_piece(const struct table *table, const char *metric)
{
    const struct row *row = table_find_at(table, metric, ROW_ANY, ROW_ANY, ROW_ANY, ROW_NONE);
    return row != NULL && row->k > 0 ? row : NULL;
}

/* True if the row is of one whole pass over the array. */
static bool is_pass(const struct row *row, const char *metric)
{
    return row->stage >= 0 && row->k > 0 && row_is(row, metric);
}

/* Returns what an access took in each whole pass. */
static struct moments whole_passes(const struct table *table, const char *metric)
{
    struct moments all = {.count = 0};
    for (TABLE_ROWS(row, table))
        if (is_pass(row, metric))
            moments_add(&all, row->mean / (double)row->k);
    return all;
}

/* Returns the row of the first wrong sum; NULL: every sum is right. */
static const struct row *find_wrong_sum(const struct table *table)
{
    for (TABLE_ROWS(row, table)) {
        double wanted = patterns_sum(row->bytes);
        if (is_pass(row, PATTERNS_SUM) && (row->min != wanted || row->max != wanted))
            return row;
    }
    return NULL;
}

/* Returns the passes' mean by their scatter, or `half_width` if more: few may agree by chance. */
static struct interval mean_of_passes(const struct moments *passes, double half_width)
{
    double scatter = moments_half_width(passes);
    return interval_around(passes->mean, scatter > half_width ? scatter : half_width);
}

/* True if they differ beyond both scatters, and by more than an answer may be off. */
static bool disagree(struct interval passes, struct interval pieces)
{
    bool below = pieces.high < passes.low && pieces.value < (1 - PRECISE_WITHIN) * passes.value;
    return below ||
           (pieces.low > passes.high && pieces.value > (1 + PRECISE_WITHIN) * passes.value);
}

static void judge_time(const void *reading, struct verdict *v)
{
    const struct table *table = reading;
    const char *metric = strcmp(v->question->unit, "ns") == 0 ? "ns" : "tsc";
    const struct row *wrong = find_wrong_sum(table), *piece = find_piece(table, metric);
    struct moments passes = whole_passes(table, metric);
    if (wrong != NULL) {
        double wanted = patterns_sum(wrong->bytes);
        verdict_conclude(v, VERDICT_ERROR, REASON_WRONG_SUM, "%.0f instead of %.0f",
                         wrong->min != wanted ? wrong->min : wrong->max, wanted);
        return;
    }
    if (piece == NULL || passes.count < 2) {
        answer_skip(v, REASON_NOT_MEASURED, "samples, and two whole passes");
        return;
    }
    struct interval pieces = curve_median_of_one(piece);
    struct interval time = mean_of_passes(&passes, pieces.high - pieces.value);
    enum reason doubt = table_find(table, PATTERNS_SUM) == NULL ? REASON_WRONG_SUM
                        : answer_scatter(time)                  ? REASON_SCATTER
                        : disagree(time, pieces)                ? REASON_CONTRADICTS
                                                                : REASON_NONE;
    answer(v, time, doubt, "mean of %u whole passes; the samples' median %.2f", passes.count,
           pieces.value);
}

static void judge_cpi(const void *table, struct verdict *v)
{
    /* Processors count the same by different names. */
    const struct row *executed =
        find_piece(table, "instructions") ?: find_piece(table, "instructions_gp");
    const struct row *elapsed =
        find_piece(table, "core_cycles") ?: find_piece(table, "core_cycles_gp");
    if (executed == NULL || elapsed == NULL || executed->median <= 0) {
        answer_skip(v, REASON_NOT_COUNTED, "cycles and instructions");
        return;
    }
    struct interval c = curve_median_of_one(elapsed), i = curve_median_of_one(executed);
    struct interval cpi = interval_divide(c, i);
    answer(v, cpi, answer_scatter(cpi), "cycles divided by instructions: %.2f and %.2f per access",
           c.value, i.value);
}

IS_OF_PATTERN(is_page, "page")
IS_OF_PATTERN(is_heap, "heap")
IS_OF_PATTERN(is_random, "random")

static const struct question patterns_questions[] = {
    QUESTION(
        "ns_per_access", "ns", NULL, NEEDS_MEMORY, judge_time,
        MEANS("the mean over passes, divided by their accesses; `error` if the sum of the words is "
              "wrong")),
    QUESTION("ticks_per_access", "ticks", NULL, NEEDS_CLOCK | NEEDS_MEMORY, judge_time, NULL),
    QUESTION("cpi", "cycles", NULL, NEEDS_MEMORY, judge_cpi,
             MEANS("core cycles per instruction, if both are counted")),
    {.name = NULL},
};

static const struct question ratio_questions[] = {
    QUESTION("page_over_linear", "times", is_page, NEEDS_MEMORY, NULL,
             MEANS("ticks of a pass divided by those of `linear` in the same round")),
    QUESTION("heap_over_linear", "times", is_heap, NEEDS_MEMORY, NULL, NULL),
    QUESTION("random_over_linear", "times", is_random, NEEDS_MEMORY, NULL, NULL),
    {.name = NULL},
};

static void judge_patterns(const struct evidence *e)
{
    answer_all(e, patterns_questions, e->table);
}

/* Returns how many times as long each pass took as that of `linear` in the same round. */
static struct moments compare_rounds(const struct table *table, const struct table *base)
{
    struct moments all = {.count = 0};
    for (TABLE_ROWS(row, table)) {
        const struct row *linear =
            is_pass(row, "tsc") ? table_find_at(base, "tsc", ROW_ANY, ROW_ANY, ROW_ANY, row->stage)
                                : NULL;
        if (linear != NULL && linear->k > 0 && linear->mean > 0)
            moments_add(&all, row->mean / (double)row->k / (linear->mean / (double)linear->k));
    }
    return all;
}

static void conclude_ratio(const struct table *table, const struct table *base, bool is_guest,
                           const struct moments *rounds, struct verdict *v)
{
    const struct row *own = find_piece(table, "tsc"), *linear = find_piece(base, "tsc");
    struct interval medians =
        interval_divide(curve_median_of_one(own), curve_median_of_one(linear));
    struct interval ratio =
        mean_of_passes(rounds, interval_half_width(medians) / medians.value * rounds->mean);
    struct interval later = interval_widen(ratio, is_guest ? GUESTS_MEMORY * ratio.value : 0);
    bool clear = later.low > 1 || later.high < 1, same = own->bytes == linear->bytes;
    answer(v, ratio,
           !same    ? REASON_CONTRADICTS
           : !clear ? REASON_NO_DIFFERENCE
                    : REASON_NONE,
           "mean ratio over %u rounds; %.2f against %.2f ticks per access", rounds->count,
           whole_passes(table, "tsc").mean, whole_passes(base, "tsc").mean);
}

/* Compares one pattern's case with that of `linear`; NULL: that was not measured. */
static void judge_over_linear(const struct table *table, const struct table *base, bool is_guest,
                              struct verdict *v)
{
    const struct row *own = find_piece(table, "tsc");
    const struct row *linear = base != NULL ? find_piece(base, "tsc") : NULL;
    if (own == NULL || linear == NULL || !(own->median > 0) || !(linear->median > 0)) {
        answer_skip(v, REASON_NOT_MEASURED, "the times of both patterns");
        return;
    }
    if (find_wrong_sum(table) != NULL || find_wrong_sum(base) != NULL) {
        verdict_conclude(v, VERDICT_ERROR, REASON_WRONG_SUM, "%s", "");
        return;
    }
    struct moments rounds = compare_rounds(table, base);
    if (rounds.count < 2)
        answer_skip(v, REASON_TOO_FEW_SAMPLES, "two rounds with both patterns");
    else
        conclude_ratio(table, base, is_guest, &rounds, v);
}

static void compare_patterns(const struct evidence *e)
{
    const struct table *end = e->tables->at + e->tables->count;
    for (const struct table *t = e->tables->at; t < end; t++) {
        struct variant linear = *t->variant;
        name_copy(linear.pattern, "linear");
        for (const struct question *q = ratio_questions; q->name != NULL; q++)
            if (q->is_of(t->variant))
                judge_over_linear(t, tables_find(e->tables, &linear), e->facts->is_guest,
                                  verdict_add(e->verdicts, t->variant, q));
    }
}

const struct rule rule_patterns = {
    .questions = (const struct question *const[]){patterns_questions, ratio_questions, NULL},
    .judge = judge_patterns,
    .compare = compare_patterns,
};
