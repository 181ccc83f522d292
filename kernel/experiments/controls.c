/* controls: by a verdict's unit, the rows of its case, and what experiment floor found. */
#include "controls.h"

#include "../lib/string.h"

static const char old_time[] = "the file is of an older version: it tells how one moment scattered";
static const char old_state[] =
    "the file is of an older version: a sibling thread may have shared the core";
static const char no_width[] =
    "not known what the whole core can do: a sibling thread may have shared it";
static const char discarded[] = "more samples were discarded than kept";

/* What a verdict is of. Units that are not here are of neither. */
enum kind { KIND_OTHER, KIND_TIME, KIND_PARTED };

static const struct {
    const char *unit;
    enum kind kind;
} units[] = {
    {"ticks", KIND_TIME},     {"ns", KIND_TIME},          {"MHz", KIND_TIME},
    {"%", KIND_TIME},         {"times", KIND_TIME},       {"floors", KIND_TIME},
    {"cycles", KIND_TIME},    {"entries", KIND_PARTED},   {"fillers", KIND_PARTED},
    {"buffers", KIND_PARTED}, {"registers", KIND_PARTED},
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

/* NULL: none. */
static const char *doubt_of(const struct floor *floor, const struct table *table,
                            const struct verdict *v)
{
    enum kind kind = kind_of(v);
    bool is_old = table != NULL && table_is_old(table);
    if (floor->emulated != NULL && !is_clocks_own(v))
        return floor->emulated;
    if (is_old && kind != KIND_OTHER)
        return kind == KIND_TIME ? old_time : old_state;
    if (kind == KIND_PARTED && floor->is_complete && !floor->has_width)
        return no_width;
    return table != NULL && is_mostly_discarded(table) ? discarded : NULL;
}

void controls_apply(const struct experiment *experiment, const struct floor *floor,
                    const struct tables *tables, struct verdict *verdicts, size_t count)
{
    /* What interrupts an empty loop is observed, not estimated. */
    if (experiment->turn == TURN_AROUND && floor->emulated == NULL)
        return;
    for (struct verdict *v = verdicts; v < verdicts + count; v++) {
        const char *doubt =
            v->status == VERDICT_OK ? doubt_of(floor, tables_find(tables, &v->of), v) : NULL;
        if (doubt != NULL)
            verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    }
}
