/* structures: two loads, each kind of filler between them, coarse and then fine. */
#include "structures.h"

#include "load_case.h"

static bool measure_filler(struct measurement *m, enum filler filler)
{
    static struct load_point plan[CONFIG_LIST_MAX]; /* too large for a firmware's stack */
    const struct config_list *fillers = &m->config->structures.fillers;
    struct load_case c;
    struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = 2,
        .page = PAGE_4K, /* every platform has them, and with a warm TLB they cost nothing */
        .tlb = TLB_WARM,
        .seed = m->config->seed,
    };
    for (uint32_t i = 0; i < fillers->count; i++)
        plan[i] = (struct load_point){.n = 2, .k = (uint16_t)fillers->value[i]};
    if (!load_case_open(&c, m, filler_kinds[filler].name, &conditions, NULL))
        return true;
    c.filler = filler;
    size_t first_row = m->row_count;
    bool finished = load_case_measure(&c, plan, fillers->count) && load_case_refine(&c, first_row);
    load_case_close(&c);
    return finished;
}

bool structures_measure(struct measurement *m)
{
    m->cases = FILLER_KINDS;
    if (!measurement_reserve(m, (uint64_t)FILLER_KINDS *
                                    (m->config->structures.fillers.count + LOAD_CASE_REFINEMENTS)))
        return false;
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        if (!measure_filler(m, filler))
            return false;
    return true;
}
