/* tables: a hash table numbers the cases, a merge sort brings their rows together. */
#include "tables.h"

#include "../lib/string.h"
#include "experiments.h"

#define NAME(name) #name,
static const char *const experiments[] = {EXPERIMENTS(NAME)};
#define KNOWN (sizeof experiments / sizeof *experiments)

/* A case while it is found: its first row, and its place among all once that is known. */
struct found_case {
    uint32_t row, place;
    uint8_t experiment; /* by first rows; twice, plus 1 where the case was skipped */
};

struct row_groups {
    struct row *rows;
    size_t count;
    struct tables tables;
    uint32_t *order, *spare; /* numbers of rows */
    struct found_case *found;
    uint32_t *number; /* of each row: its case in `found` */
    uint32_t cases;
    uint8_t seen[KNOWN]; /* which experiments, by first rows */
    unsigned experiments;
};

static size_t slots_of(size_t rows)
{
    size_t slots = 16;
    while (slots < 2 * rows)
        slots *= 2;
    return slots;
}

uint64_t tables_bytes(size_t rows)
{
    return rows * (sizeof(struct table) + sizeof(struct found_case) + 3 * sizeof(uint32_t)) +
           slots_of(rows) * sizeof(uint32_t);
}

/* An experiment's number by first rows; KNOWN: it is none of ours. */
static unsigned number_experiment(struct row_groups *g, const char *name)
{
    unsigned known = 0, i = 0;
    while (known < KNOWN && strcmp(experiments[known], name) != 0)
        known++;
    while (i < g->experiments && g->seen[i] != known)
        i++;
    if (known < KNOWN && i == g->experiments)
        g->seen[g->experiments++] = (uint8_t)known;
    return known < KNOWN ? i : KNOWN;
}

/* Linear probing, by the first row of each case. */
static void number_row(struct row_groups *g, uint32_t i)
{
    const struct row *row = &g->rows[i];
    size_t at = case_hash(&row->variant) & (g->tables.slots - 1);
    uint32_t *slot = g->tables.slot;
    while (slot[at] != 0 && !case_same(&g->rows[g->found[slot[at] - 1].row].variant, &row->variant))
        at = (at + 1) & (g->tables.slots - 1);
    if (slot[at] == 0) {
        unsigned experiment = number_experiment(g, row->variant.experiment);
        g->found[g->cases] = (struct found_case){.row = i, .experiment = (uint8_t)(2 * experiment)};
        slot[at] = ++g->cases;
    }
    g->number[i] = slot[at] - 1;
    g->found[g->number[i]].experiment |= strcmp(row->metric, ROW_SKIPPED) == 0;
}

/* Only the tables of experiments that are known count. */
static void place_cases(struct row_groups *g)
{
    uint32_t place = 0;
    for (unsigned experiment = 0; experiment <= 2 * KNOWN + 1; experiment++) {
        for (uint32_t c = 0; c < g->cases; c++)
            if (g->found[c].experiment == experiment)
                g->found[c].place = place++;
        if (experiment < 2 * KNOWN)
            g->tables.count = place;
    }
}

static bool is_after(const struct row_groups *g, uint32_t a, uint32_t b)
{
    uint32_t of_a = g->found[g->number[a]].place, of_b = g->found[g->number[b]].place;
    return of_a != of_b ? of_a > of_b : row_compare(&g->rows[a], &g->rows[b]) > 0;
}

static void merge(const struct row_groups *g, uint32_t *a, size_t left, size_t count)
{
    uint32_t *to = g->spare, *start = a;
    const uint32_t *b = a + left, *end_a = b, *end_b = a + count;
    while (a < end_a || b < end_b)
        *to++ = b == end_b || (a < end_a && !is_after(g, *a, *b)) ? *a++ : *b++;
    memcpy(start, g->spare, count * sizeof *start);
}

/* Runs that double in length; what is in order already is left alone. */
static void sort(const struct row_groups *g)
{
    for (size_t run = 1; run < g->count; run *= 2)
        for (size_t i = 0; i + run < g->count; i += 2 * run)
            if (is_after(g, g->order[i + run - 1], g->order[i + run]))
                merge(g, g->order + i, run, g->count - i < 2 * run ? g->count - i : 2 * run);
}

/* Row order[i] comes to place i; a place that is done points at itself. */
static void move_rows(struct row_groups *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct row kept = g->rows[i];
        uint32_t to = i, from;
        for (; (from = g->order[to]) != i; to = from) {
            g->rows[to] = g->rows[from];
            g->order[to] = to;
        }
        g->rows[to] = kept;
        g->order[to] = to;
    }
}

/* Now that the rows are in their places: where each case begins and ends. */
static void list_tables(struct row_groups *g)
{
    struct table *all = g->tables.all;
    for (size_t first = 0, end, place = 0; place < g->tables.count; first = end, place++) {
        for (end = first + 1;
             end < g->count && case_same(&g->rows[end].variant, &g->rows[first].variant);)
            end++;
        all[place] = (struct table){
            .variant = &g->rows[first].variant, .rows = &g->rows[first], .count = end - first};
    }
    for (size_t i = 0; i < g->tables.slots; i++)
        if (g->tables.slot[i] != 0)
            g->tables.slot[i] = g->found[g->tables.slot[i] - 1].place + 1;
}

void tables_group(struct row *rows, size_t count, void *memory, struct tables *tables)
{
    struct row_groups g = {.rows = rows, .count = count, .tables.slots = slots_of(count)};
    g.tables.at = g.tables.all = memory;
    g.found = (struct found_case *)(g.tables.at + count);
    g.order = (uint32_t *)(g.found + count);
    g.spare = g.order + count;
    g.number = g.spare + count;
    g.tables.slot = g.number + count;
    memset(g.tables.slot, 0, g.tables.slots * sizeof *g.tables.slot);
    for (uint32_t i = 0; i < count; i++)
        number_row(&g, i);
    place_cases(&g);
    for (uint32_t i = 0; i < count; i++)
        g.order[i] = i;
    sort(&g);
    move_rows(&g);
    list_tables(&g);
    *tables = g.tables;
}

bool table_is_skipped(const struct table *table)
{
    return strcmp(table->rows->metric, ROW_SKIPPED) == 0;
}

/* Places behind the tables' own are of experiments that are not known. */
const struct table *tables_find(const struct tables *tables, const struct variant *variant)
{
    size_t at = case_hash(variant) & (tables->slots - 1);
    for (; tables->slot[at] != 0; at = (at + 1) & (tables->slots - 1)) {
        const struct table *table = &tables->all[tables->slot[at] - 1];
        if (table >= tables->at && table < tables->at + tables->count &&
            case_same(table->variant, variant))
            return table;
    }
    return NULL;
}

static bool is_at(int64_t asked, int64_t has)
{
    return asked == ROW_ANY || asked == has;
}

const struct row *table_find_at(const struct table *table, const char *metric, int64_t n, int64_t k,
                                int64_t bytes, int64_t stage)
{
    for (TABLE_ROWS(row, table))
        if (is_at(n, row->n) && is_at(k, row->k) && is_at(bytes, row->bytes) &&
            is_at(stage, row->stage) && row_is(row, metric))
            return row;
    return NULL;
}

const struct row *table_find_attempt(const struct table *table, const char *metric, int64_t n,
                                     int64_t k, int64_t bytes, uint64_t attempt)
{
    for (TABLE_ROWS(row, table))
        if (is_at(n, row->n) && is_at(k, row->k) && is_at(bytes, row->bytes) &&
            row->attempt == attempt && row_is(row, metric))
            return row;
    return NULL;
}

const struct row *table_find(const struct table *table, const char *metric)
{
    return table_find_at(table, metric, ROW_ANY, ROW_ANY, ROW_ANY, ROW_ANY);
}
