/* controls: by a verdict's unit, the rows of its case, and what experiment floor found. */
#include "controls.h"

#include "../engine/engine.h"
#include "../lib/string.h"

#define LEAST_SHARED 0.5  /* percent */
#define MOST_DISCARDED 9  /* times what was kept; mostly visits in which a sibling came or went */
#define GUESTS_CLOCK 0.03 /* the share by which a guest's clock is another in another run */

/* True if a sibling thread takes a part of what the verdict counts. */
static bool is_parted(const struct verdict *v)
{
    static const char *const units[] = {"entries", "fillers", "buffers", "registers", "share"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(v->unit, units[i]) == 0)
            return true;
    return false;
}

/* True if the clock says it of itself: that holds on any clock. */
static bool is_clocks_own(const struct verdict *v)
{
    return strcmp(v->variant.pattern, FLOOR_TIMER) == 0 &&
           strcmp(v->variant.experiment, FLOOR_EXPERIMENT) == 0;
}

static bool is_mostly_discarded(const struct table *table)
{
    uint64_t samples = 0, lost = 0;
    for (TABLE_ROWS(row, table)) {
        samples += row->samples;
        lost += row->discarded;
    }
    return lost > MOST_DISCARDED * samples;
}

/* True if rows of any case distinguish the whole core from the shared one. */
static bool were_states_seen(const struct tables *tables)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (table_find(t, ENGINE_STATES) != NULL)
            return true;
    return false;
}

/* Returns why a verdict is in doubt; NULL: it is not. `table` is that of its case, or NULL. */
static const char *doubt_verdict(const struct rule *rule, const struct floor *floor,
                                 const struct tables *tables, const struct table *table,
                                 const struct verdict *v)
{
    const struct row *empty = &floor->empty[v->variant.order];
    const struct timer timer = {empty->samples > 0 ? empty : NULL, floor->step};
    if (floor->emulated != NULL && !is_clocks_own(v))
        return floor->emulated;
    if (floor->may_be_shared && is_parted(v) && !were_states_seen(tables))
        return "only one pace of the core was seen, so a sibling may have shared it all the time: "
               "boot the image, or use an idle machine";
    if (floor->has_small_pages && v->variant.has_page && rule->needs_whole_pages != NULL &&
        rule->needs_whole_pages(tables, v))
        return "the host maps this memory with small pages, so page walks may be included";
    if (table != NULL && is_mostly_discarded(table))
        return "fewer than a tenth of the samples were kept: use a quiet machine";
    return rule->doubt == NULL ? NULL : rule->doubt(tables, &timer, v);
}

/* Adds to a verdict's words that samples of the shared core are among the others. */
static void tell_shared(const struct table *table, struct verdict *v)
{
    char before[VERDICT_METHOD_BYTES];
    for (TABLE_ROWS(row, table))
        if (row_is(row, ENGINE_SHARED) && row->median >= LEAST_SHARED) {
            memcpy(before, v->method, sizeof before);
            verdict_conclude(v, v->status, "%s; core shared in %.0f %% of visits", before,
                             row->median);
            return;
        }
}

/* True if the core's clock changes the verdict, which is ticks or is compared with ticks. */
static bool needs_clock(const struct verdict *v)
{
    static const char *const units[] = {"ticks", "MHz", "floors"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(v->unit, units[i]) == 0)
            return !is_clocks_own(v);
    return false;
}

/* Widens an interval to what another run may show: neighbours change a core's turbo. (Tried: 80
 * runs of a Zen 5 guest within half an hour, 4.08 to 4.51 GHz; of a Xeon guest, up to 10 %.) */
static void widen_by_clock(struct verdict *v)
{
    double least = GUESTS_CLOCK * __builtin_fabs(v->value);
    if (v->low > v->value - least)
        v->low = v->value - least;
    if (v->high < v->value + least)
        v->high = v->value + least;
}

void controls_apply(const struct experiment *experiment, const struct floor *floor,
                    const struct tables *tables, struct verdict *verdicts, size_t count)
{
    /* Interruptions of an empty loop are observed, not estimated. */
    if (experiment->turn == TURN_AROUND && floor->emulated == NULL)
        return;
    for (struct verdict *v = verdicts; v < verdicts + count; v++) {
        const struct table *table = tables_find(tables, &v->variant);
        const char *doubt = v->status == VERDICT_OK
                                ? doubt_verdict(experiment->rule, floor, tables, table, v)
                                : NULL;
        if (doubt != NULL)
            verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        if (table != NULL && (v->status == VERDICT_OK || v->status == VERDICT_DOUBT))
            tell_shared(table, v);
        if (floor->is_guest && needs_clock(v))
            widen_by_clock(v);
    }
}
