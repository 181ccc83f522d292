/* tables: a hash table from case to number, a counting sort by number, a merge sort within. */
#include "tables.h"

#include "../lib/string.h"
#include "experiment.h"

#define EXPERIMENTS_MAX 64 /* more than there will ever be */
#define FIELD_BITS 21      /* of n, k and bytes in a sort key; what needs more is cut */

/* A row's number, with what decides most comparisons. */
struct key {
    uint64_t order;
    uint32_t row;
};

struct group {
    struct row *rows;
    size_t count;
    struct table *table; /* in their final order */
    struct key *key, *spare;
    uint32_t *number; /* of each row's case, from 1 by first rows; 0: of no known experiment */
    uint32_t *slot;   /* of the hash table */
    uint32_t *first;  /* of each case: its first row, */
    uint32_t *size;   /* how many there are, */
    uint32_t *start;  /* where they begin when sorted, */
    uint32_t *place;  /* its final number, from 0, */
    uint8_t *rank;    /* its experiment's number, by first rows; twice, plus 1 if skipped */
    size_t slots, cases;
    const struct experiment *seen[EXPERIMENTS_MAX];
    unsigned experiments;
};

/* A power of two, at least twice as many as there may be cases. */
static size_t slots_for(size_t rows)
{
    size_t slots = 16;
    while (slots < 2 * rows)
        slots *= 2;
    return slots;
}

static void *take(uint8_t **memory, uint64_t bytes)
{
    void *at = *memory;
    *memory += (bytes + 7) & ~7ull;
    return at;
}

/* Lays the parts out in `memory`; returns how far they reach. With NULL, how much they need. */
static uint64_t lay_out(struct group *g, uint8_t *memory)
{
    uint8_t *end = memory;
    g->slots = slots_for(g->count);
    g->table = take(&end, g->count * sizeof *g->table);
    g->key = take(&end, g->count * sizeof *g->key);
    g->spare = take(&end, g->count * sizeof *g->spare);
    g->number = take(&end, g->count * sizeof *g->number);
    g->slot = take(&end, g->slots * sizeof *g->slot);
    g->first = take(&end, g->count * sizeof *g->first);
    g->size = take(&end, g->count * sizeof *g->size);
    g->start = take(&end, g->count * sizeof *g->start);
    g->place = take(&end, g->count * sizeof *g->place);
    g->rank = take(&end, g->count * sizeof *g->rank);
    return (uint64_t)((uintptr_t)end - (uintptr_t)memory);
}

uint64_t tables_bytes(size_t rows)
{
    struct group g = {.count = rows};
    return lay_out(&g, NULL);
}

/* The rank of a row's experiment; EXPERIMENTS_MAX: it is not known. */
static unsigned rank_of(struct group *g, const struct row *row)
{
    for (unsigned i = 0; i < g->experiments; i++)
        if (strcmp(g->seen[i]->name, row->of.experiment) == 0)
            return i;
    const struct experiment *experiment = experiment_find(row->of.experiment);
    if (experiment == NULL)
        return EXPERIMENTS_MAX;
    g->seen[g->experiments] = experiment;
    return g->experiments++;
}

/* Where a case is, or belongs; linear probing. */
static size_t find_slot(const struct group *g, const struct variant *of)
{
    size_t at = case_hash(of) & (g->slots - 1);
    while (g->slot[at] != 0 && !case_same(&g->rows[g->first[g->slot[at] - 1]].of, of))
        at = (at + 1) & (g->slots - 1);
    return at;
}

static void number_row(struct group *g, size_t i)
{
    const struct row *row = &g->rows[i];
    size_t at = find_slot(g, &row->of);
    if (g->slot[at] == 0) {
        unsigned rank = rank_of(g, row);
        g->number[i] = 0;
        if (rank == EXPERIMENTS_MAX)
            return;
        g->first[g->cases] = (uint32_t)i;
        g->rank[g->cases] = (uint8_t)(2 * rank);
        g->size[g->cases] = 0;
        g->slot[at] = (uint32_t)++g->cases;
    }
    uint32_t number = g->slot[at];
    g->number[i] = number;
    g->size[number - 1]++;
    g->rank[number - 1] |= strcmp(row->metric, ROW_SKIPPED) == 0;
}

/* Experiment by experiment, first the cases measured, then those skipped; each by its first row. */
static size_t place_cases(struct group *g)
{
    size_t next = 0;
    uint32_t place = 0;
    for (unsigned rank = 0; rank < 2 * g->experiments; rank++)
        for (size_t c = 0; c < g->cases; c++)
            if (g->rank[c] == rank) {
                g->place[c] = place++;
                g->start[c] = (uint32_t)next;
                next += g->size[c];
            }
    return next;
}

/* Rising coordinates, rising numbers: what is cut keeps its order or is left to row_compare. */
static uint64_t field(int64_t coordinate)
{
    const int64_t most = (1 << FIELD_BITS) - 1;
    int64_t value = coordinate + 1; /* ROW_NONE is 0 */
    return (uint64_t)(value < 0 ? 0 : value > most ? most : value);
}

static uint64_t order_of(const struct row *row)
{
    return field(row->n) << 2 * FIELD_BITS | field(row->k) << FIELD_BITS | field(row->bytes >> 6);
}

static void place_keys(struct group *g, size_t unknown)
{
    for (size_t i = 0; i < g->count; i++) {
        uint32_t number = g->number[i];
        size_t to = number == 0 ? unknown++ : g->start[number - 1]++;
        g->key[to] = (struct key){order_of(&g->rows[i]), (uint32_t)i};
    }
    for (size_t c = 0; c < g->cases; c++)
        g->start[c] -= g->size[c];
}

static bool is_after(const struct group *g, const struct key *a, const struct key *b)
{
    if (a->order != b->order)
        return a->order > b->order;
    return row_compare(&g->rows[a->row], &g->rows[b->row]) > 0;
}

static void merge(const struct group *g, struct key *a, size_t left, size_t count, struct key *to)
{
    const struct key *b = a + left, *end_a = b, *end_b = a + count;
    while (a < end_a || b < end_b)
        *to++ = b == end_b || (a < end_a && !is_after(g, a, b)) ? *a++ : *b++;
}

/* Runs that double in length; what is in order already is left alone. */
static void sort(const struct group *g, struct key *key, struct key *spare, size_t count)
{
    for (size_t run = 1; run < count; run *= 2)
        for (size_t i = 0; i + run < count; i += 2 * run) {
            size_t both = count - i < 2 * run ? count - i : 2 * run;
            if (!is_after(g, &key[i + run - 1], &key[i + run]))
                continue;
            merge(g, key + i, run, both, spare);
            memcpy(key + i, spare, both * sizeof *key);
        }
}

/* Row key[i].row comes to place i; a place that is done points at itself. */
static void permute(struct group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->key[i].row == i)
            continue;
        struct row kept = g->rows[i];
        size_t to = i;
        while (g->key[to].row != i) {
            size_t from = g->key[to].row;
            g->rows[to] = g->rows[from];
            g->key[to].row = (uint32_t)to;
            to = from;
        }
        g->rows[to] = kept;
        g->key[to].row = (uint32_t)to;
    }
}

/* From now on the rows are in their places, and the hash table leads to final numbers. */
static void list_tables(struct group *g)
{
    for (size_t c = 0; c < g->cases; c++) {
        const struct row *rows = g->rows + g->start[c];
        g->table[g->place[c]] = (struct table){&rows->of, rows, g->size[c]};
    }
    for (size_t i = 0; i < g->slots; i++)
        if (g->slot[i] != 0)
            g->slot[i] = g->place[g->slot[i] - 1] + 1;
}

void tables_group(struct row *rows, size_t count, void *memory, struct tables *tables)
{
    struct group g = {.rows = rows, .count = count};
    lay_out(&g, memory);
    memset(g.slot, 0, g.slots * sizeof *g.slot);
    for (size_t i = 0; i < count; i++)
        number_row(&g, i);
    place_keys(&g, place_cases(&g));
    for (size_t c = 0; c < g.cases; c++)
        sort(&g, g.key + g.start[c], g.spare, g.size[c]);
    permute(&g);
    list_tables(&g);
    *tables = (struct tables){g.table, g.cases, g.table, g.slot, g.slots};
}

bool table_is_skipped(const struct table *table)
{
    return strcmp(table->rows->metric, ROW_SKIPPED) == 0;
}

struct tables tables_part(const struct tables *tables, size_t first, size_t count)
{
    struct tables part = *tables;
    part.at += first;
    part.count = count;
    return part;
}

const struct table *tables_find(const struct tables *tables, const struct variant *of)
{
    size_t at = case_hash(of) & (tables->slots - 1);
    while (tables->slot[at] != 0) {
        const struct table *table = &tables->all[tables->slot[at] - 1];
        if (case_same(table->of, of))
            return table >= tables->at && table < tables->at + tables->count ? table : NULL;
        at = (at + 1) & (tables->slots - 1);
    }
    return NULL;
}
