/* controls: by a verdict's unit, the rows of its case, and what experiment floor found. */
#include "controls.h"

#include "../analysis/curve.h"
#include "../analysis/line.h"
#include "../engine/engine.h"
#include "../lib/string.h"

#define LEAST_LENGTHS 3  /* of chains */
#define LEAST_SHARED 0.5 /* percent */

static struct curve curve; /* too large for a firmware's stack */

static const char old_time[] = "the file is of an older version: it tells how one moment scattered";
static const char old_state[] =
    "the file is of an older version: a sibling may have shared the core";
static const char no_width[] =
    "not known what the whole core can do: a sibling thread may have shared it";
static const char not_empty[] = "an empty sample takes another time: the line bends";
static const char not_of_chain[] = "not what the chain's line says of one load";
static const char discarded[] = "more samples were discarded than kept";

/* What a verdict is of. Units that are not here are of neither. */
enum kind { KIND_OTHER, KIND_TIME, KIND_PARTED };

static const struct {
    const char *unit;
    enum kind kind;
} units[] = {
    {"ticks", KIND_TIME},       {"ns", KIND_TIME},        {"MHz", KIND_TIME},
    {"%", KIND_TIME},           {"times", KIND_TIME},     {"floors", KIND_TIME},
    {"cycles", KIND_TIME},      {"GB/s", KIND_TIME},      {"walks", KIND_TIME},
    {"entries", KIND_PARTED},   {"fillers", KIND_PARTED}, {"buffers", KIND_PARTED},
    {"registers", KIND_PARTED}, {"share", KIND_PARTED},
};

static enum kind kind_of(const struct verdict *v)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(v->unit, units[i].unit) == 0)
            return units[i].kind;
    return KIND_OTHER;
}

/* What the clock says of itself holds on any clock. */
static bool is_clocks_own(const struct verdict *v)
{
    return strcmp(v->of.pattern, FLOOR_TIMER) == 0 &&
           strcmp(v->of.experiment, FLOOR_EXPERIMENT) == 0;
}

static bool is_mostly_discarded(const struct table *table)
{
    uint64_t samples = 0, lost = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        samples += row->samples;
        lost += row->discarded;
    }
    return lost > samples;
}

/* Of a chain of no loads: an empty sample. */
static const char *doubt_of_constant(const struct floor *floor, const struct verdict *v)
{
    const struct row *empty = &floor->empty[v->of.order];
    if (strcmp(v->name, "sequential_constant") != 0 || empty->samples == 0)
        return NULL;
    struct interval t = curve_median(empty);
    return t.low > v->high || t.high < v->low ? not_empty : NULL;
}

/* One load is a chain of one: of means, which add up. */
static const char *doubt_of_one(const struct tables *tables, const struct table *table,
                                const struct verdict *v)
{
    struct variant of = v->of;
    of.dependent = true;
    const struct table *chain = strcmp(v->name, "one_load") == 0 ? tables_find(tables, &of) : NULL;
    const struct row *one = chain != NULL ? curve_find(table, 1) : NULL;
    if (one == NULL)
        return NULL;
    curve_over_n(chain, CURVE_MEAN, &curve);
    if (curve.count < LEAST_LENGTHS)
        return NULL;
    struct regression fit = line_regress(curve.x, curve.y, curve.count);
    double student = student_95((double)curve.count - 2) / NORMAL_95;
    double reach = v->high - v->value + student * (fit.slope_reach + fit.offset_reach);
    double off = one->mean - line_at(fit.line, 1);
    return off > reach || off < -reach ? not_of_chain : NULL;
}

/* NULL: none. */
static const char *doubt_of(const struct floor *floor, const struct tables *tables,
                            const struct verdict *v)
{
    enum kind kind = kind_of(v);
    const struct table *table = tables_find(tables, &v->of);
    bool is_old = table != NULL && table_is_old(table);
    if (floor->emulated != NULL && !is_clocks_own(v))
        return floor->emulated;
    if (is_old && kind != KIND_OTHER)
        return kind == KIND_TIME ? old_time : old_state;
    if (kind == KIND_PARTED && floor->is_complete && !floor->has_width)
        return no_width;
    if (table != NULL && is_mostly_discarded(table))
        return discarded;
    const char *doubt = doubt_of_constant(floor, v);
    return doubt != NULL ? doubt : doubt_of_one(tables, table, v);
}

/* Where samples of the shared core are among the others, the verdict says so. */
static void say_shared(const struct tables *tables, struct verdict *v)
{
    char before[VERDICT_METHOD_BYTES];
    const struct table *table = tables_find(tables, &v->of);
    for (const struct row *row = table != NULL ? table->rows : NULL;
         row != NULL && row < table->rows + table->count; row++)
        if (row_is(row, ENGINE_SHARED) && row->median >= LEAST_SHARED) {
            memcpy(before, v->method, sizeof before);
            verdict_conclude(v, v->status, "%s; core shared in %.0f %% of visits", before,
                             row->median);
            return;
        }
}

void controls_apply(const struct experiment *experiment, const struct floor *floor,
                    const struct tables *tables, struct verdict *verdicts, size_t count)
{
    /* What interrupts an empty loop is observed, not estimated. */
    if (experiment->turn == TURN_AROUND && floor->emulated == NULL)
        return;
    for (struct verdict *v = verdicts; v < verdicts + count; v++) {
        const char *doubt = v->status == VERDICT_OK ? doubt_of(floor, tables, v) : NULL;
        if (doubt != NULL)
            verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        if (v->status == VERDICT_OK || v->status == VERDICT_DOUBT)
            say_shared(tables, v);
    }
}
