/* others: which processors may be generators, beside the one that measures. */
#include "others.h"

#include <stddef.h>

static bool is_in_core_of(const struct logical_processor *a, const struct logical_processor *b)
{
    return topology_same_core(&a->topology, &b->topology);
}

static bool may_generate(const struct processors *p, const struct logical_processor *l)
{
    return l != p->measuring && l != p->boot && l->why_not == NULL;
}

/* True if no earlier thread of the same core may generate load: each core is used once. */
static bool stands_for_its_core(const struct processors *p, const struct logical_processor *l)
{
    for (const struct logical_processor *first = p->all; first < l; first++)
        if (may_generate(p, first) && is_in_core_of(first, l))
            return false;
    return true;
}

static bool is_asked_for(const struct processors *p, const struct logical_processor *l,
                         bool are_siblings)
{
    return may_generate(p, l) && is_in_core_of(p->measuring, l) == are_siblings &&
           (are_siblings || stands_for_its_core(p, l));
}

/* Returns why the last candidate cannot work; NULL: no candidates. */
static const char *obstacle(const struct processors *p, bool are_siblings)
{
    const char *found = NULL;
    for (const struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l != p->measuring && is_in_core_of(p->measuring, l) == are_siblings)
            found =
                l == p->boot ? "the boot processor waits for the one that measures" : l->why_not;
    return found;
}

static const char *why_no_other(const struct processors *p, bool are_siblings)
{
    const char *why = obstacle(p, are_siblings);
    if (why != NULL)
        return why;
    if (p->why_not != NULL)
        return p->why_not;
    return are_siblings ? "this core has no other thread" : "there is no other core";
}

unsigned others_choose(struct processors *p, bool are_siblings, unsigned count,
                       bool (*is_near)(const struct logical_processor *l), const char **reason)
{
    unsigned chosen = 0;
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        l->is_chosen = false;
    for (unsigned far = 0; far < 2; far++)
        for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
            if ((count == 0 || chosen < count) && is_asked_for(p, l, are_siblings) &&
                is_near(l) == (far == 0)) {
                l->is_chosen = true;
                chosen++;
            }
    *reason = chosen == 0 ? why_no_other(p, are_siblings) : NULL;
    return chosen;
}
