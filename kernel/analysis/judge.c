/* judge: groups rows by experiment and case, and hands each group to its experiment. */
#include "judge.h"

#include "../experiments/experiment.h"
#include "../lib/string.h"
#include "verdict.h"

typedef bool same_group(const struct result_row *a, const struct result_row *b);

static bool same_experiment(const struct result_row *a, const struct result_row *b)
{
    return strcmp(a->experiment, b->experiment) == 0;
}

static bool same_case(const struct result_row *a, const struct result_row *b)
{
    return strcmp(a->variant, b->variant) == 0;
}

/* Brings the rows of the first row's group to the front; returns how many there are. */
static size_t gather(struct result_row *rows, size_t count, same_group *same)
{
    size_t size = 1;
    for (size_t i = 1; i < count; i++) {
        if (!same(&rows[i], &rows[0]))
            continue;
        /* Shifting instead of swapping keeps the other groups in the order of their first rows. */
        struct result_row row = rows[i];
        memmove(rows + size + 1, rows + size, (i - size) * sizeof *rows);
        rows[size++] = row;
    }
    return size;
}

static bool comes_before(const struct result_row *a, const struct result_row *b)
{
    if (a->n != b->n)
        return a->n < b->n;
    if (a->k != b->k)
        return a->k < b->k;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes;
    if (a->stage != b->stage)
        return a->stage < b->stage;
    return strcmp(a->metric, b->metric) < 0;
}

static void swap(struct result_row *a, struct result_row *b)
{
    struct result_row kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(struct result_row *rows, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1; /* Knuth's sequence for Shell's sort */
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < count; i++)
            for (size_t j = i; j >= gap && comes_before(&rows[j], &rows[j - gap]); j -= gap)
                swap(&rows[j], &rows[j - gap]);
}

/* Every verdict of a case that was skipped, with the row's reason. */
static void skip_case(const struct experiment *experiment, const struct result_row *row,
                      struct verdict_list *verdicts)
{
    for (const char *const *name = experiment->verdicts; *name != NULL; name++) {
        struct verdict *v = verdict_add(verdicts, row->experiment, row->variant, *name, "");
        verdict_conclude(v, VERDICT_SKIP, "%s", row->unit);
    }
}

static void judge_case(const struct experiment *experiment, const struct result_row *rows,
                       size_t count, struct verdict_list *verdicts)
{
    if (strcmp(rows->metric, RESULT_SKIPPED) == 0)
        skip_case(experiment, rows, verdicts);
    else if (experiment->judge != NULL)
        experiment->judge(rows, count, verdicts);
}

/* Puts the rows of skipped cases behind the others; returns how many others there are. */
static size_t put_skipped_last(struct result_row *rows, size_t count)
{
    size_t measured = count;
    for (size_t i = 0; i < measured;) {
        if (strcmp(rows[i].metric, RESULT_SKIPPED) != 0) {
            i++;
            continue;
        }
        struct result_row row = rows[i];
        memmove(rows + i, rows + i + 1, (count - i - 1) * sizeof *rows);
        rows[count - 1] = row;
        measured--;
    }
    return measured;
}

static void judge_experiment(struct result_row *rows, size_t count, struct floor *floor,
                             struct verdict_list *verdicts)
{
    const struct experiment *experiment = experiment_find(rows->experiment);
    size_t measured = put_skipped_last(rows, count);
    for (size_t start = 0; start < count;) {
        size_t size = gather(rows + start, count - start, same_case);
        sort(rows + start, size);
        if (experiment != NULL)
            judge_case(experiment, rows + start, size, verdicts);
        start += size;
    }
    if (experiment != NULL && experiment->compare != NULL && measured > 0)
        experiment->compare(rows, measured, verdicts);
    if (strcmp(rows->experiment, FLOOR_EXPERIMENT) == 0)
        floor_find(rows, measured, floor);
    else if (experiment != NULL)
        floor_compare(floor, rows, measured, verdicts);
}

void judge_further(struct result_row *rows, size_t count, struct floor *floor,
                   struct verdict_list *verdicts)
{
    for (size_t start = 0; start < count;) {
        size_t size = gather(rows + start, count - start, same_experiment);
        judge_experiment(rows + start, size, floor, verdicts);
        start += size;
    }
}

void judge_results(struct result_row *rows, size_t count, struct verdict_list *verdicts)
{
    struct floor floor = {.has_lfence = false};
    judge_further(rows, count, &floor, verdicts);
}
