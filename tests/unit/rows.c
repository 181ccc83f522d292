/* rows: grouping as a run does it, then each case by itself on the heap. */
#include "rows.h"

#include "../../kernel/experiments/judge.h"
#include "kit.h"

#define NAMES 8

struct row rows_point(const char *experiment, const char *name, int64_t n, int64_t k, double ticks)
{
    struct row row = {
        .n = n,
        .k = k,
        .bytes = ROW_NONE,
        .stage = ROW_NONE,
        .metric = "tsc",
        .unit = "ticks",
        .samples = 400,
        .median = ticks,
        .mean = ticks,
        .visits = 1,
        .center = ticks,
        .center_error = NAN,
        .mean_error = NAN,
    };
    rows_name(&row, experiment, name);
    rows_spread(&row, 0);
    return row;
}

void rows_spread(struct row *row, double distance)
{
    row->min = row->p1 = row->p10 = row->median - distance;
    row->max = row->p90 = row->median + distance;
}

void rows_center(struct row *row, double ticks)
{
    row->median = row->center = row->mean = ticks;
}

void rows_visits(struct row *row, uint64_t visits, double error)
{
    row->visits = visits;
    row->center_error = row->mean_error = error;
}

void rows_name(struct row *row, const char *experiment, const char *name)
{
    name_copy(row->variant.experiment, experiment);
    case_read(name, &row->variant);
}

const char *name_of(const struct variant *variant)
{
    static char names[NAMES][NAME_BYTES];
    static unsigned next;
    return case_name(variant, names[next++ % NAMES]);
}

bool is_case(const struct variant *variant, const char *name)
{
    return strcmp(name_of(variant), name) == 0;
}

void rows_shuffle(struct row *rows, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = below((uint32_t)i);
        struct row kept = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = kept;
    }
}

/* Tables of their own memory each. */
struct grouped {
    void *memory;
    struct table *table;
    struct tables tables;
    size_t measured; /* skipped ones come behind them */
};

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes);
    assert_true(copy != NULL || bytes == 0);
    if (bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

void *rows_group(struct row *rows, size_t count, struct tables *tables)
{
    void *memory = malloc(tables_bytes(count));
    assert_non_null(memory);
    tables_group(rows, count, memory, tables);
    return memory;
}

static struct grouped group(const struct row *rows, size_t count)
{
    struct row *sorted = copy_of(rows, count * sizeof *rows);
    struct grouped g = {.measured = 0};
    g.memory = rows_group(sorted, count, &g.tables);
    g.table = copy_of(g.tables.at, g.tables.count * sizeof *g.table);
    for (size_t i = 0; i < g.tables.count; i++) {
        struct row *own = copy_of(g.table[i].rows, g.table[i].count * sizeof *own);
        g.table[i].rows = own;
        g.table[i].variant = &own->variant;
        g.measured += !table_is_skipped(&g.table[i]);
    }
    g.tables.at = g.tables.all = g.table;
    free(sorted);
    return g;
}

static void release(struct grouped *g)
{
    for (size_t i = 0; i < g->tables.count; i++)
        free((void *)g->table[i].rows);
    free(g->table);
    free(g->memory);
}

void rows_by_rule(const struct row *rows, size_t count, const struct rule *rule,
                  const struct facts *facts, struct verdict_list *verdicts)
{
    struct grouped g = group(rows, count);
    struct tables measured = g.tables;
    struct facts found = *facts;
    struct evidence e = {&found, &measured, NULL, verdicts, verdicts->count};
    measured.count = g.measured;
    facts_find(&g.tables, &found);
    for (size_t i = 0; rule->judge != NULL && i < g.measured; i++) {
        e.table = &g.table[i];
        g.table[i].first_verdict = verdicts->count;
        rule->judge(&e);
    }
    e.table = NULL;
    if (rule->judge_all != NULL && g.measured > 0)
        rule->judge_all(&e);
    if (rule->compare != NULL && g.measured > 0)
        rule->compare(&e);
    release(&g);
}

void rows_judge_all(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    struct grouped g = group(rows, count);
    struct facts facts = {.empty = {{.samples = 0}}};
    size_t before = verdicts->count;
    judge_tables(&g.tables, &facts, verdicts);
    assert_true(verdicts->count - before <= judge_verdicts_max(&g.tables));
    release(&g);
}

const struct verdict *rows_verdict(const struct verdict_list *verdicts, const char *slug,
                                   const char *name)
{
    for (const struct verdict *v = verdicts->at; v < verdicts->at + verdicts->count; v++)
        if ((name == NULL || strcmp(v->question->name, name) == 0) &&
            (slug == NULL || is_case(&v->variant, slug)))
            return v;
    return NULL;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool same_verdict(const struct verdict *a, const struct verdict *b)
{
    return case_same(&a->variant, &b->variant) && a->question == b->question &&
           same_number(a->value, b->value) && same_number(a->low, b->low) &&
           same_number(a->high, b->high) && a->reason == b->reason && a->status == b->status &&
           strcmp(a->method, b->method) == 0;
}

static bool has_all(const struct verdict_list *a, const struct verdict_list *b)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t j = 0;
        while (j < a->count && !same_verdict(&a->at[j], &b->at[i]))
            j++;
        if (j == a->count)
            return false;
    }
    return true;
}

bool same_verdicts(const struct verdict_list *a, const struct verdict_list *b)
{
    return a->count == b->count && has_all(a, b) && has_all(b, a);
}

void rows_gather(struct measurement *m)
{
    struct tables tables;
    free(rows_group(m->rows, m->row_count, &tables));
}

const struct row *rows_of_case(const struct measurement *m, uint32_t case_id, size_t *count)
{
    const struct row *first = m->rows, *end = m->rows + m->row_count;
    while (first < end && !case_same(&first->variant, &m->cases[case_id].variant))
        first++;
    *count = 0;
    while (first + *count < end && case_same(&first[*count].variant, &m->cases[case_id].variant))
        ++*count;
    return first;
}
