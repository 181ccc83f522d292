/* structures_rule: what each filler's jump says, with what else was in flight. */
#include "structures_rule.h"

#include "../../lib/string.h"
#include "../../probe/filler.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"

#define LEAST_TO_JUDGE 6 /* points, with which cliff_find looks for a jump */
#define SAME_SHARE 0.97  /* jumps this near to each other are of one structure */

#define VERDICT_NAME(id, name, structure, too, like, verdict, ...) verdict,
static const char *const verdict_names[] = {FILLERS(VERDICT_NAME) NULL};

/* Where each filler's time jumps, in one state of the core. */
struct jumps {
    const struct table *table[FILLER_KINDS]; /* NULL: the case was not measured */
    struct cliff cliff[FILLER_KINDS];
};

static void find_jumps(const struct tables *tables, const struct variant *like, struct jumps *jumps)
{
    struct variant of = *like;
    for (enum filler i = 0; i < FILLER_KINDS; i++) {
        name_copy(of.pattern, filler_table[i].name);
        jumps->table[i] = tables_find(tables, &of);
        jumps->cliff[i] = (struct cliff){.answer = CLIFF_TOO_FEW};
        if (jumps->table[i] != NULL)
            loads_cliff(jumps->table[i], &jumps->cliff[i]);
    }
}

static bool is_nop(enum filler filler)
{
    return filler_table[filler].too == 0;
}

static bool is_found(const struct cliff *cliff)
{
    return cliff->answer == CLIFF_FOUND;
}

/* Not clearly before the other one. */
static bool reaches(const struct cliff *cliff, const struct cliff *other)
{
    return (double)cliff->first_high >= SAME_SHARE * (double)other->first_high;
}

static bool are_same(const struct cliff *a, const struct cliff *b)
{
    return is_found(a) && is_found(b) && reaches(a, b) && reaches(b, a);
}

/* Where the filler's structure ends. The reorder buffer does at the nearer jump of NOPs: no other
 * filler takes more than an entry. */
static const struct cliff *end_of(const struct jumps *jumps, enum filler filler)
{
    const struct cliff *nop = &jumps->cliff[FILLER_NOP], *longer = &jumps->cliff[FILLER_LONG_NOP];
    if (!is_nop(filler))
        return &jumps->cliff[filler];
    bool is_nearer = !is_found(nop) || longer->first_high < nop->first_high;
    return is_found(longer) && is_nearer ? longer : nop;
}

static void set_least(const struct jumps *jumps, enum filler filler, struct verdict *v)
{
    double low = (double)(jumps->cliff[filler].low + filler_table[filler].more);
    verdict_value(v, __builtin_nan(""), low, __builtin_nan(""));
}

/* Whether the filler's jump may be that of the other one's structure; then that is concluded. */
static bool is_hidden_by(const struct jumps *jumps, enum filler filler, enum filler other,
                         struct verdict *v)
{
    const struct cliff *end = end_of(jumps, other);
    const char *structure = filler_table[other].structure;
    if (!is_found(end)) {
        verdict_conclude(v, VERDICT_DOUBT, "needs the end of %s to tell the two apart", structure);
        return true;
    }
    if (!reaches(&jumps->cliff[filler], end))
        return false;
    set_least(jumps, filler, v);
    verdict_conclude(v, VERDICT_DOUBT, "at least this: %s ends first", structure);
    return true;
}

static bool is_hidden(const struct jumps *jumps, enum filler filler, struct verdict *v)
{
    const struct filler_kind *kind = &filler_table[filler];
    for (enum filler other = 0; other < FILLER_KINDS; other++)
        if ((kind->too >> other & 1) != 0 && is_hidden_by(jumps, filler, other, v))
            return true;
    if (are_same(&jumps->cliff[filler], &jumps->cliff[kind->like]))
        return false;
    set_least(jumps, filler, v);
    verdict_conclude(
        v, VERDICT_DOUBT,
        "at least this: a scheduler of its own may end first, since %s jumps elsewhere",
        filler_table[kind->like].name);
    return true;
}

/* Whether NOPs leave open how many entries there are; then that is concluded. */
static bool are_nops_unlike(const struct jumps *jumps, struct verdict *v)
{
    const struct cliff *nop = &jumps->cliff[FILLER_NOP], *longer = &jumps->cliff[FILLER_LONG_NOP];
    if (nop->points < LEAST_TO_JUDGE || longer->points < LEAST_TO_JUDGE || are_same(nop, longer))
        return false;
    if (is_found(nop) && is_found(longer))
        verdict_conclude(v, VERDICT_DOUBT,
                         "NOPs of one byte jump at K = %ld, of eight at %ld: some share an entry",
                         (long)nop->first_high, (long)longer->first_high);
    else
        verdict_conclude(v, VERDICT_DOUBT, "the other NOPs show no clear jump: they may differ");
    return true;
}

static void judge(const struct jumps *jumps, enum filler filler, struct verdict *v)
{
    const struct cliff *cliff = &jumps->cliff[filler];
    const struct filler_kind *kind = &filler_table[filler];
    double more = kind->more;
    if (!loads_have_cliff(cliff, v) || is_hidden(jumps, filler, v))
        return;
    verdict_value(v, (double)cliff->first_high + more, (double)cliff->low + more,
                  (double)cliff->high + more);
    if (!is_nop(filler) || !are_nops_unlike(jumps, v))
        verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         kind->method);
}

void structures_compare(const struct tables *tables, const struct variant *like,
                        struct verdict_list *verdicts)
{
    struct jumps jumps;
    find_jumps(tables, like, &jumps);
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (jumps.cliff[i].points > 0)
            judge(&jumps, i,
                  verdict_add(verdicts, jumps.table[i]->of, filler_table[i].verdict,
                              filler_table[i].unit));
}

static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    struct variant like = *tables->at->of;
    for (unsigned shared = 0; shared < 2; shared++) {
        like.shared = shared;
        structures_compare(tables, &like, verdicts);
    }
}

/* Of its own filler. */
static bool gives(const struct variant *of, const char *name)
{
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (strcmp(filler_table[i].verdict, name) == 0)
            return strcmp(filler_table[i].name, of->pattern) == 0;
    return false;
}

const struct rule rule_structures = {
    .compare = compare,
    .verdicts = verdict_names,
    .gives = gives,
};
