/* rules: one list of rows and one of verdicts. */
#include "rules.h"

#include "kit.h"

#define VERDICTS_MAX 512
#define WORDS_MAX (VERDICT_METHOD_BYTES - 2) /* a longer one may have been cut */

struct row rows[ROWS_MAX];
size_t row_count;
struct verdict_list verdicts;
static struct verdict memory[VERDICTS_MAX];

/* The choices of rows_start. */
static const char *rows_experiment;
static const struct rule *rows_rule;
static uint64_t rows_samples;
static double rows_distance;

struct facts rows_facts;

/* The rows that the verdicts are of. */
static struct row judged[ROWS_MAX];
static size_t judged_count;

static void clear_verdicts(void)
{
    verdicts = (struct verdict_list){.at = memory, .room = VERDICTS_MAX};
    memcpy(judged, rows, row_count * sizeof *rows);
    judged_count = row_count;
}

/* Judges the rows where they have changed since; but not for a list that a test made itself. */
static void judge_changes(void)
{
    bool is_ours = verdicts.at == memory;
    if (is_ours &&
        (judged_count != row_count || memcmp(judged, rows, row_count * sizeof *rows) != 0))
        judge();
}

void rows_clear(void)
{
    row_count = 0;
    clear_verdicts();
}

void rows_start(const char *experiment, const struct rule *rule, uint64_t samples, double spread)
{
    rows_clear();
    rows_facts = (struct facts){.step = 0};
    rows_experiment = experiment;
    rows_rule = rule;
    rows_samples = samples;
    rows_distance = spread;
}

struct row *add(const char *name, const char *metric, int64_t n, int64_t k, double value)
{
    struct row *row = rows_add_metric(rows_experiment, name, metric, n, k, value);
    row->samples = rows_samples;
    rows_spread(row, rows_distance);
    return row;
}

struct row *rows_next(struct row *from, const char *name, const char *metric)
{
    for (; from < rows + row_count; from++)
        if ((name == NULL || is_case(&from->variant, name)) &&
            (metric == NULL || row_is(from, metric)))
            break;
    return from;
}

struct row *rows_add(const char *experiment, const char *name, int64_t n, int64_t k, double ticks)
{
    assert_true(row_count < ROWS_MAX);
    rows[row_count] = rows_point(experiment, name, n, k, ticks);
    return &rows[row_count++];
}

struct row *rows_add_metric(const char *experiment, const char *name, const char *metric, int64_t n,
                            int64_t k, double ticks)
{
    struct row *row = rows_add(experiment, name, n, k, ticks);
    strcpy(row->metric, metric);
    rows_spread(row, 1);
    return row;
}

void rows_set(const char *metric, int64_t n, double ticks)
{
    struct row *row = rows_find(metric, n);
    rows_center(row, ticks);
    rows_spread(row, 1);
}

struct row *rows_find(const char *metric, int64_t n)
{
    for (ROWS_OF(row, NULL, metric))
        if (row->n == n)
            return row;
    fail_msg("no %s of N = %d", metric, (int)n);
    return NULL;
}

void rows_drop(const char *metric)
{
    size_t kept = 0;
    for (ADDED_ROWS(row))
        if (strcmp(row->metric, metric) != 0)
            rows[kept++] = *row;
    row_count = kept;
}

void judge_by(const struct rule *rule)
{
    clear_verdicts();
    rows_by_rule(rows, row_count, rule, &rows_facts, &verdicts);
}

void judge(void)
{
    if (rows_rule == NULL) {
        judge_all_rows();
        assert_words_fit();
        return;
    }
    judge_by(rows_rule);
    assert_words_fit();
    for (const struct verdict *v = verdicts.at; v < verdicts.at + verdicts.count; v++) {
        assert_string_equal(v->variant.experiment, rows_experiment);
        assert_true(v->question->is_of == NULL || v->question->is_of(&v->variant) ||
                    strncmp(v->question->name, "l4_", 3) == 0 ||
                    strncmp(v->question->name, "l5_", 3) == 0);
        assert_false(v->low > v->value || v->high < v->value);
        assert_int_equal(v->reason != REASON_NONE, v->status != VERDICT_OK);
    }
}

/* A question has one answer in a case. */
static void assert_all_differ(void)
{
    for (size_t i = 0; i < verdicts.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(verdicts.at[i].question->name, verdicts.at[j].question->name) == 0 &&
                case_same(&verdicts.at[i].variant, &verdicts.at[j].variant))
                fail_msg("two %s of %s", verdicts.at[i].question->name,
                         name_of(&verdicts.at[i].variant));
}

void judge_all_rows(void)
{
    clear_verdicts();
    rows_judge_all(rows, row_count, &verdicts);
    assert_all_differ();
}

const struct question *question_of(const struct rule *rule, const struct variant *variant,
                                   const char *name)
{
    for (QUESTIONS(q, rule))
        if (strcmp(q->name, name) == 0 && (q->is_of == NULL || q->is_of(variant)))
            return q;
    return NULL;
}

void assert_words_fit(void)
{
    assert_true(verdicts.count < VERDICTS_MAX);
    for (size_t i = 0; i < verdicts.count; i++)
        assert_in_range(strlen(verdicts.at[i].method), 1, WORDS_MAX);
}

const struct verdict *verdict_of(const char *slug, const char *name)
{
    judge_changes();
    const struct verdict *v = rows_verdict(&verdicts, slug, name);
    if (v == NULL)
        fail_msg("no %s of %s", name != NULL ? name : "verdict", slug != NULL ? slug : "any case");
    return v;
}

void assert_count(size_t count)
{
    judge_changes();
    assert_int_equal(verdicts.count, count);
}

void assert_none(const char *slug, const char *name)
{
    judge_changes();
    assert_null(rows_verdict(&verdicts, slug, name));
}

/* The verdict that is to be as told; fails the test if it is not. */
static const struct verdict *assert_that(const struct verdict *v, bool is_so, const char *wanted)
{
    if (!is_so)
        fail_msg("%s of %s: not %s, but %s %s, %.12g [%.12g .. %.12g]: %s", v->question->name,
                 name_of(&v->variant), wanted, verdict_status_names[v->status],
                 reason_texts[v->reason].code, v->value, v->low, v->high, v->method);
    return v;
}

const struct verdict *assert_status(const char *slug, const char *name, enum verdict_status status)
{
    const struct verdict *v = verdict_of(slug, name);
    return assert_that(v, v->status == status, verdict_status_names[status]);
}

const struct verdict *assert_words(const char *slug, const char *name, const char *words)
{
    const struct verdict *v = verdict_of(slug, name);
    bool is_code = strcmp(reason_texts[v->reason].code, words) == 0;
    return assert_that(v, is_code || strstr(v->method, words) != NULL, words);
}

const struct verdict *assert_says(const char *slug, const char *name, enum verdict_status status,
                                  const char *words)
{
    assert_status(slug, name, status);
    return assert_words(slug, name, words);
}

const struct verdict *assert_doubt(const char *slug, const char *name, const char *words)
{
    return words == NULL ? assert_status(slug, name, OK) : assert_says(slug, name, DOUBT, words);
}

const struct verdict *assert_verdict(const char *slug, const char *name, enum verdict_status status,
                                     double value)
{
    const struct verdict *v = assert_status(slug, name, status);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%.12g", value);
    return assert_that(v,
                       isnan(value)
                           ? isnan(v->value)
                           : near(v->value, value) && v->low <= v->value && v->value <= v->high,
                       wanted);
}

const struct verdict *assert_answer(const char *slug, const char *name, double value,
                                    const char *doubt)
{
    assert_doubt(slug, name, doubt);
    return assert_verdict(slug, name, doubt == NULL ? OK : DOUBT, value);
}

static bool is_end(double end, double wanted)
{
    return isnan(wanted) ? isnan(end) : near(end, wanted);
}

void assert_interval(const struct verdict *v, double low, double high)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "from %.12g to %.12g", low, high);
    assert_that(v, is_end(v->low, low) && is_end(v->high, high), wanted);
}

void assert_no_value(const char *slug, const char *name, enum verdict_status status,
                     const char *words)
{
    const struct verdict *v = assert_says(slug, name, status, words);
    assert_that(v, isnan(v->value) && isnan(v->low) && isnan(v->high), "without a value");
}

void assert_verdicts(const char *slug, const struct wanted_verdict *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_verdict(slug, wanted[i].name, wanted[i].status, wanted[i].value);
}
