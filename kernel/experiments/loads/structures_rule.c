/* structures_rule: each filler's jump, with what else was in flight. */
#include "structures_rule.h"

#include "../../lib/string.h"
#include "../../lib/text.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"

#define SAME_SHARE 0.97 /* jumps this near to each other are of one structure */
#define SAME_ENTRIES 1  /* and of one size, by two kinds of fillers */

#define VERDICT_NAME(id, verdict, ...) verdict,
static const char *const verdict_names[] = {SIZES(VERDICT_NAME) NULL};

static const struct structure_size {
    const char *verdict, *unit, *structure;
    enum filler filler;
    unsigned alike; /* a set of fillers */
    unsigned too;   /* a set of sizes */
    int more, perhaps;
    const char *method;
} structure_sizes[SIZE_KINDS] = {
#define SIZE(id, verdict, unit, structure, filler, ...)                                            \
    {verdict, unit, structure, FILLER_##filler, __VA_ARGS__},
    SIZES(SIZE)};

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

static bool is_found(const struct cliff *cliff)
{
    return cliff->answer == CLIFF_FOUND;
}

/* True if the jump is not clearly before the other one. */
static bool comes_with(const struct cliff *cliff, const struct cliff *other)
{
    return cliff->first_high + SAME_ENTRIES >= other->first_high ||
           (double)cliff->first_high >= SAME_SHARE * (double)other->first_high;
}

static bool are_same(const struct cliff *a, const struct cliff *b)
{
    return is_found(a) && is_found(b) && a->low <= b->high + SAME_ENTRIES &&
           b->low <= a->high + SAME_ENTRIES;
}

static bool is_alike(const struct structure_size *size, enum filler filler)
{
    return (size->alike >> filler & 1) != 0;
}

/* Returns the filler whose jump is the structure's end. A filler that takes no other structure's
 * entries gives way to an alike one with a nearer jump: no filler takes more than one entry. */
static enum filler end_of_structure(const struct jumps *jumps, const struct structure_size *size)
{
    enum filler end = size->filler;
    for (enum filler i = 0; size->too == 0 && i < FILLER_KINDS; i++)
        if (is_alike(size, i) && is_found(&jumps->cliff[i]) &&
            (!is_found(&jumps->cliff[end]) ||
             jumps->cliff[i].first_high < jumps->cliff[end].first_high))
            end = i;
    return end;
}

/* Returns what else the jump may be the end of; NULL: nothing. Unknown ends set *least to NAN. */
static const char *hidden_doubt(const struct jumps *jumps, const struct structure_size *size,
                                double *least, char words[VERDICT_METHOD_BYTES])
{
    for (enum size_kind i = 0; i < SIZE_KINDS; i++) {
        const struct structure_size *other = &structure_sizes[i];
        const struct cliff *end = &jumps->cliff[end_of_structure(jumps, other)];
        if ((size->too >> i & 1) == 0)
            continue;
        if (!is_found(end)) {
            *least = __builtin_nan("");
            return text_write(words, VERDICT_METHOD_BYTES,
                              "the size of %s is unknown, so that may have ended first",
                              other->structure);
        }
        if (!comes_with(&jumps->cliff[size->filler], end))
            continue;
        if ((SIZES_WITHOUT_BOUND >> (size - structure_sizes) & 1) != 0)
            *least = __builtin_nan("");
        return text_write(words, VERDICT_METHOD_BYTES, "%s ends first", other->structure);
    }
    return NULL;
}

static void print_jump(struct text *text, enum filler filler, const struct cliff *cliff)
{
    if (is_found(cliff))
        text_printf(text, "%s jumps at K = %ld", filler_table[filler].name,
                    (long)cliff->first_high);
    else
        text_printf(text, "%s shows no clear jump", filler_table[filler].name);
}

/* Returns which jumps differ where no other kind of filler jumps with the first; NULL: one does. */
static const char *alone_doubt(const struct jumps *jumps, const struct structure_size *size,
                               char words[VERDICT_METHOD_BYTES])
{
    struct text text;
    const struct cliff *own = &jumps->cliff[size->filler];
    text_init(&text, words, VERDICT_METHOD_BYTES);
    text_printf(&text, "the kinds of filler disagree: ");
    print_jump(&text, size->filler, own);
    for (enum filler i = 0; i < FILLER_KINDS; i++) {
        const struct cliff *other = &jumps->cliff[i];
        if (!is_alike(size, i))
            continue;
        if (are_same(own, other))
            return NULL;
        text_printf(&text, ", ");
        print_jump(&text, i, other);
    }
    return size->alike == 0 ? NULL : words;
}

static void judge_size(const struct jumps *jumps, const struct structure_size *kind,
                       struct verdict *v)
{
    enum filler end = end_of_structure(jumps, kind);
    const struct cliff *cliff = &jumps->cliff[end];
    char words[VERDICT_METHOD_BYTES];
    const double none = __builtin_nan("");
    if (!loads_have_cliff(jumps->table[end], cliff, v))
        return;
    struct interval size = cliff_size(cliff, kind->more);
    /* NOPs that jump where 9-byte ones do have an entry each. */
    if (kind->filler != FILLER_NOP || !are_same(cliff, &jumps->cliff[FILLER_LONG_NOP]))
        size.high += kind->perhaps;
    double least = size.low;
    const char *hidden = hidden_doubt(jumps, kind, &least, words);
    const char *doubt = hidden ?: alone_doubt(jumps, kind, words);
    if (doubt != NULL && kind->too != 0)
        size = (struct interval){none, least, none};
    answer(v, size, doubt ?: loads_cliff_doubt(jumps->table[end], cliff, words), "%s",
           kind->method);
}

void structures_compare(const struct tables *tables, const struct variant *like,
                        struct verdict_list *verdicts)
{
    struct jumps jumps;
    find_jumps(tables, like, &jumps);
    for (const struct structure_size *s = structure_sizes; s < structure_sizes + SIZE_KINDS; s++)
        if (jumps.cliff[s->filler].points > 0)
            judge_size(&jumps, s,
                       verdict_add(verdicts, jumps.table[s->filler]->variant, s->verdict, s->unit));
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
    for (const struct structure_size *s = structure_sizes; s < structure_sizes + SIZE_KINDS; s++)
        if (strcmp(filler_table[s->filler].name, variant->pattern) == 0)
            return strcmp(s->verdict, name) == 0;
    return false;
}

const struct rule rule_structures = {
    .compare = compare_structures,
    .verdicts = verdict_names,
    .gives = structures_give,
};
