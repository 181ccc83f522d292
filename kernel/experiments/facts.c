/* facts: what experiment floor's rows say of the core and of the machine. */
#include "facts.h"

#include "../analysis/curve.h"
#include "../lib/string.h"
#include "noise/floor_rule.h"

static const struct table *find_floor_case(const struct tables *tables, const char *pattern)
{
    struct variant variant = {.experiment = FLOOR_EXPERIMENT};
    if (tables->count == 0)
        return NULL;
    variant.has_core = tables->at->variant->has_core;
    variant.core = tables->at->variant->core;
    name_copy(variant.pattern, pattern);
    return tables_find(tables, &variant);
}

static void add_fact(const struct row *row, struct facts *facts)
{
    facts->has_small_pages |= row_is(row, FACTS_SMALL_PAGES);
    facts->is_guest |= row_is(row, FACTS_HYPERVISOR);
    if (row_is(row, FACTS_CPUID) && row->n >= 1 && row->n <= FACTS_CACHES)
        facts->cpuid[row->n - 1] = row->median;
}

void facts_find(const struct tables *tables, struct facts *facts)
{
    const struct table *timer = find_floor_case(tables, FLOOR_TIMER);
    const struct table *core = find_floor_case(tables, FLOOR_CORE);
    const struct row *step = timer != NULL ? table_find(timer, FLOOR_STEP) : NULL;
    for (enum probe_order order = ORDER_LFENCE; order <= ORDER_CPUID; order++) {
        const struct table *table = find_floor_case(tables, order_names[order]);
        const struct row *empty = table != NULL ? floor_empty_sample(table) : NULL;
        if (empty != NULL)
            facts->empty[order] = *empty;
    }
    if (step != NULL)
        facts->step = step->median;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        for (TABLE_ROWS(row, t))
            add_fact(row, facts);
    if (core == NULL)
        return;
    facts->cycle = larger(curve_of_part(core, "tsc", 1, ROW_NONE).value, 0);
    facts->may_have_host = facts->is_guest || table_find(core, FLOOR_RATE) == NULL;
    facts->slow_floor = floor_doubt_pace(core);
    facts->may_be_shared =
        table_find(core, FLOOR_WIDTH) == NULL && table_find(core, FLOOR_ALONE) == NULL;
    facts->is_emulated = table_find(core, FLOOR_EMULATED) != NULL || floor_is_emulator(core);
}
