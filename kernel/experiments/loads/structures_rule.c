/* structures_rule: each filler's jump, with what else was in flight. */
#include "structures_rule.h"

#include "../../lib/string.h"
#include "../../lib/text.h"
#include "../../probe/filler.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"

#define LEAST_TO_JUDGE 6 /* points, with which cliff_find looks for a jump */
#define SAME_SHARE 0.97  /* jumps this near to each other are of one structure */

#define VERDICT_NAME(id, name, structure, too, like, verdict, ...) verdict,
static const char *const verdict_names[] = {FILLERS(VERDICT_NAME) NULL};

/* The jumps of all fillers in one state of the core. */
struct jumps {
    const struct table *table[FILLER_KINDS]; /* NULL: the case was not measured */
    struct cliff cliff[FILLER_KINDS];
};

static void find_jumps(const struct tables *tables, const struct variant *like, struct jumps *jumps)
{
    struct variant variant = *like;
    for (enum filler i = 0; i < FILLER_KINDS; i++) {
        name_copy(variant.pattern, filler_table[i].name);
        jumps->table[i] = tables_find(tables, &variant);
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

/* True if the jump is not clearly before the other one. */
static bool comes_with(const struct cliff *cliff, const struct cliff *other)
{
    return (double)cliff->first_high >= SAME_SHARE * (double)other->first_high;
}

static bool are_same(const struct cliff *a, const struct cliff *b)
{
    return is_found(a) && is_found(b) && comes_with(a, b) && comes_with(b, a);
}

/* Returns where the filler's structure ends: the reorder buffer at the nearer jump of NOPs, since
 * no other filler takes more than an entry. */
static const struct cliff *end_of_structure(const struct jumps *jumps, enum filler filler)
{
    const struct cliff *nop = &jumps->cliff[FILLER_NOP], *longer = &jumps->cliff[FILLER_LONG_NOP];
    if (!is_nop(filler))
        return &jumps->cliff[filler];
    bool is_nearer = !is_found(nop) || longer->first_high < nop->first_high;
    return is_found(longer) && is_nearer ? longer : nop;
}

/* Returns why the filler's jump may be that of another structure; NULL: it is its own. `size` then
 * keeps no more than the least it can be. */
static const char *hidden_doubt(const struct jumps *jumps, enum filler filler,
                                struct interval *size, char words[VERDICT_METHOD_BYTES])
{
    const struct filler_kind *kind = &filler_table[filler];
    const struct cliff *own = &jumps->cliff[filler];
    const struct interval least = {__builtin_nan(""), size->low, __builtin_nan("")};
    for (enum filler other = 0; other < FILLER_KINDS; other++) {
        const struct cliff *end = end_of_structure(jumps, other);
        bool is_used = (kind->too >> other & 1) != 0;
        if (!is_used || (is_found(end) && !comes_with(own, end)))
            continue;
        *size = least;
        if (!is_found(end))
            size->low = __builtin_nan("");
        return text_write(words, VERDICT_METHOD_BYTES,
                          is_found(end) ? "at least this: %s ends first"
                                        : "needs the end of %s to tell the two apart",
                          filler_table[other].structure);
    }
    if (are_same(own, &jumps->cliff[kind->like]))
        return NULL;
    *size = least;
    return text_write(
        words, VERDICT_METHOD_BYTES,
        "at least this: a scheduler of its own may end first, since %s jumps elsewhere",
        filler_table[kind->like].name);
}

/* Returns why NOPs leave open how many entries the reorder buffer has; NULL: no doubt. */
static const char *nops_doubt(const struct jumps *jumps, enum filler filler,
                              char words[VERDICT_METHOD_BYTES])
{
    const struct cliff *nop = &jumps->cliff[FILLER_NOP], *longer = &jumps->cliff[FILLER_LONG_NOP];
    bool are_measured = nop->points >= LEAST_TO_JUDGE && longer->points >= LEAST_TO_JUDGE;
    if (!is_nop(filler) || !are_measured || are_same(nop, longer))
        return NULL;
    if (!is_found(nop) || !is_found(longer))
        return "the other NOPs show no clear jump: they may differ";
    return text_write(words, VERDICT_METHOD_BYTES,
                      "NOPs of one byte jump at K = %ld, of eight at %ld: some share an entry",
                      (long)nop->first_high, (long)longer->first_high);
}

static void judge_filler(const struct jumps *jumps, enum filler filler, struct verdict *v)
{
    const struct cliff *cliff = &jumps->cliff[filler];
    const char *doubt, *method = filler_table[filler].method;
    struct interval size = cliff_size(cliff, filler_table[filler].more);
    char words[VERDICT_METHOD_BYTES];
    if (!loads_have_cliff(cliff, v))
        return;
    doubt = hidden_doubt(jumps, filler, &size, words) ?: nops_doubt(jumps, filler, words);
    answer(v, size, doubt ?: (cliff_is_placed(cliff) ? NULL : method), "%s", method);
}

void structures_compare(const struct tables *tables, const struct variant *like,
                        struct verdict_list *verdicts)
{
    struct jumps jumps;
    find_jumps(tables, like, &jumps);
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (jumps.cliff[i].points > 0)
            judge_filler(&jumps, i,
                         verdict_add(verdicts, jumps.table[i]->variant, filler_table[i].verdict,
                                     filler_table[i].unit));
}

static void compare_structures(const struct tables *tables, struct verdict_list *verdicts)
{
    struct variant like = *tables->at->variant;
    for (unsigned shared = 0; shared < 2; shared++) {
        like.shared = shared;
        structures_compare(tables, &like, verdicts);
    }
}

bool structures_give(const struct variant *variant, const char *name)
{
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (strcmp(filler_table[i].name, variant->pattern) == 0)
            return strcmp(filler_table[i].verdict, name) == 0;
    return false;
}

const struct rule rule_structures = {
    .compare = compare_structures,
    .verdicts = verdict_names,
    .gives = structures_give,
};
