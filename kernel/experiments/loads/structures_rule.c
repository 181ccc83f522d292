/* structures_rule: how large is the structure that each filler fills first?
 *
 * Expected: a filler takes a ROB entry and perhaps another; the smallest structure sets the jump.
 * Vector operations may wait for a register: behind Zen 5's queue of 96, its 384 registers look
 * like more than the ROB (jiegec, "AMD Zen 5"). AMD's loads leave the load queue when they are
 * done; on Golden Cove, waiting loads fill a scheduler. So only loads that are done tell the queue.
 * Seen, in guests: Intel family 6 model 207: integer 258, vector 309, loads 192, waiting 69, stores
 * 112, scheduler 96. Zen 4: integer 201 of 224, stores 64, waiting 48 or more, vector 186 to 191
 * of 192, or 153 where old contents were not cleared (register_state.h).
 * Zen 5: integer 205 or 213 of 240, stores 104, scheduler 85 or 86.
 * Not understood: which registers are missing. AMD: up to 38 (Zen 5: 40) hold architectural or
 * temporary state. We have seen 181, too; on Zen 2 another author sees 160 and 168 of 180. */
#include "structures_rule.h"

#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"

static const struct structure_size {
    const char *structure;
    enum filler filler;
    unsigned alike; /* a set of fillers */
    unsigned too;   /* a set of sizes */
    int more, perhaps;
    const char *method;
} structure_sizes[SIZE_KINDS] = {
#define SIZE(id, verdict, unit, structure, filler, means, ...)                                     \
    {structure, FILLER_##filler, __VA_ARGS__},
    SIZES(SIZE)};

#define IS_OF(id, verdict, unit, structure, filler, ...)                                           \
    IS_OF_PATTERN(is_of_##id, filler_table[FILLER_##filler].name)
SIZES(IS_OF)

/* In the order of the sizes. */
#define SIZE_QUESTION(id, verdict, unit, structure, filler, means, ...)                            \
    QUESTION(verdict, unit, is_of_##id, NEEDS_WHOLE_CORE, NULL, MEANS(means),                      \
             .at = {SIZE_##id == SIZE_ROB ? HEADLINE_ROB : HEADLINE_NONE, 0}),
const struct question structures_questions[] = {SIZES(SIZE_QUESTION){.name = NULL}};

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
    return cliff->first_high + LOADS_WIDEST_JUMP >= other->first_high ||
           (double)cliff->first_high >= (1 - SAME_SHARE) * (double)other->first_high;
}

static bool are_same(const struct cliff *a, const struct cliff *b)
{
    return is_found(a) && is_found(b) && a->low <= b->high + LOADS_WIDEST_JUMP &&
           b->low <= a->high + LOADS_WIDEST_JUMP;
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

/* Returns what else the jump may be the end of, and the structure. Unknown ends set *least to NAN.
 */
static enum reason hidden_doubt(const struct jumps *jumps, const struct structure_size *size,
                                double *least, const char **structure)
{
    for (enum size_kind i = 0; i < SIZE_KINDS; i++) {
        const struct structure_size *other = &structure_sizes[i];
        const struct cliff *end = &jumps->cliff[end_of_structure(jumps, other)];
        bool is_open = !is_found(end);
        if ((size->too >> i & 1) == 0 ||
            (!is_open && !comes_with(&jumps->cliff[size->filler], end)))
            continue;
        if (is_open || (SIZES_WITHOUT_BOUND >> (size - structure_sizes) & 1) != 0)
            *least = __builtin_nan("");
        *structure = other->structure;
        return is_open ? REASON_MAY_END_FIRST : REASON_ENDS_FIRST;
    }
    return REASON_NONE;
}

/* Doubts a jump with which no other kind of filler jumps that should. */
static enum reason alone_doubt(const struct jumps *jumps, const struct structure_size *size)
{
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (is_alike(size, i) && are_same(&jumps->cliff[size->filler], &jumps->cliff[i]))
            return REASON_NONE;
    return size->alike == 0 ? REASON_NONE : REASON_FILLERS_DISAGREE;
}

static void judge_size(const struct jumps *jumps, const struct structure_size *kind,
                       struct verdict *v)
{
    enum filler end = end_of_structure(jumps, kind);
    const struct cliff *cliff = &jumps->cliff[end];
    const char *structure = "";
    const double none = __builtin_nan("");
    if (!loads_have_cliff(jumps->table[end], cliff, v))
        return;
    struct interval size = cliff_size(cliff, kind->more);
    /* NOPs that jump where 9-byte ones do have an entry each. */
    if (kind->filler != FILLER_NOP || !are_same(cliff, &jumps->cliff[FILLER_LONG_NOP]))
        size.high += kind->perhaps;
    double least = size.low;
    enum reason doubt = hidden_doubt(jumps, kind, &least, &structure) ?: alone_doubt(jumps, kind);
    if (doubt != REASON_NONE && kind->too != 0)
        size = (struct interval){none, least, none};
    answer(v, size, doubt ?: loads_cliff_doubt(jumps->table[end], cliff), "%s%s%s", structure,
           structure[0] != '\0' ? "; " : "", kind->method);
}

void structures_compare(const struct evidence *e, const struct variant *like)
{
    struct jumps jumps;
    find_jumps(e->tables, like, &jumps);
    for (enum size_kind i = 0; i < SIZE_KINDS; i++) {
        enum filler filler = structure_sizes[i].filler;
        if (jumps.cliff[filler].points > 0)
            judge_size(
                &jumps, &structure_sizes[i],
                verdict_add(e->verdicts, jumps.table[filler]->variant, &structures_questions[i]));
    }
}

static void judge_structures(const struct evidence *e)
{
    struct variant like = *e->tables->at->variant;
    for (unsigned shared = 0; shared < 2; shared++) {
        like.shared = shared;
        structures_compare(e, &like);
    }
}

const struct rule rule_structures = {
    .questions = (const struct question *const[]){structures_questions, NULL},
    .judge_all = judge_structures,
};
