/* smt_rule: the verdicts of structures, mlp and array in each work of the sibling, side by side. */
#include "smt_rule.h"

#include "../../engine/engine.h"
#include "../../lib/string.h"
#include "../../probe/filler.h"
#include "../experiment.h"
#include "../sweeps/array_rule.h"
#include "../sweeps/loads_rule.h"
#include "mlp_rule.h"
#include "structures_rule.h"

#define ARCHITECTURAL 40 /* registers a thread has at most; its share holds them, too */
#define SCRATCH 32       /* verdicts that mlp_judge gives, at most */

/* Which of the sibling's works use a structure: what nobody wants may be shared though it is whole.
 * Its loads are of vectors (probe/generator.c). */
enum user { BY_NOBODY, BY_LOADS = 1, BY_NOPS = 2 };

/* What is compared, by the name of its verdict; and its split's. */
static const struct structure {
    const char *verdict, *split;
    unsigned users;
} structures[] = {
    {"rob_entries", "split", BY_NOPS | BY_LOADS},
    {"rob_entries_long_nop", "split", BY_NOPS | BY_LOADS},
    {"integer_registers", "split", BY_LOADS},
    {"vector_registers", "split", BY_LOADS},
    {"loads_in_flight", "split", BY_LOADS},
    {"store_queue", "split", BY_NOBODY},
    {"scheduler_entries", "split", BY_NOBODY},
    {"load_queue", "split", BY_LOADS},
    {"fill_buffers", "split", BY_LOADS},
    {"l1_bytes", "l1_split", BY_LOADS},
    {"l2_bytes", "l2_split", BY_LOADS},
};
#define STRUCTURES (sizeof structures / sizeof *structures)

#define VERDICT_NAME(id, name, structure, too, like, verdict, ...) verdict,
static const char *const verdict_names[] = {FILLERS(VERDICT_NAME) "mlp",
                                            "fill_buffers",
                                            "l1_bytes",
                                            "l2_bytes",
                                            "split",
                                            "l1_split",
                                            "l2_split",
                                            NULL};

/* --- each case ------------------------------------------------------------------------------- */

static bool is_chain(const struct variant *of)
{
    return strcmp(of->pattern, SMT_CHAIN) == 0;
}

/* Of all that mlp says, what is a size. */
static void judge_table(const struct table *table, struct verdict_list *verdicts)
{
    static struct verdict memory[SCRATCH]; /* too large for a firmware's stack */
    struct verdict_list all = {.at = memory, .room = SCRATCH};
    mlp_judge(table, &all);
    for (const struct verdict *v = all.at; v < all.at + all.count; v++)
        if (strcmp(v->name, "mlp") == 0 || strcmp(v->name, "fill_buffers") == 0)
            *verdict_add(verdicts, &v->of, v->name, v->unit) = *v;
}

static const struct row *find(const struct table *table, const char *metric)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (strcmp(row->metric, metric) == 0)
            return row;
    return NULL;
}

/* Samples that were discarded, in percent. */
static double share_lost(const struct table *table)
{
    double kept = 0, lost = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        kept += (double)row->samples;
        lost += (double)row->discarded;
    }
    return kept + lost > 0 ? 100 * lost / (kept + lost) : 0;
}

/* Of the visits, in percent: in how many the sibling did not do what the case says, or nothing
 * shows that it did. */
static double share_without(const struct table *table)
{
    bool is_loading = table->of->sibling == SIBLING_LOADING;
    const struct row *row = find(table, is_loading ? SMT_READING : ENGINE_SHARED);
    if (table->of->sibling == SIBLING_IDLE)
        return share_lost(table);
    return row != NULL && row->samples > 0 ? 100 - row->median : 100;
}

/* Whether that is too many; then *v says so, in doubt. */
static bool lacks_sibling(const struct tables *tables, struct verdict *v)
{
    static const struct {
        double most;
        const char *words;
    } lacks[SIBLING_WORKS] = {
        [SIBLING_IDLE] = {50, "were lost: somebody else had the sibling that slept"},
        [SIBLING_BUSY] = {10, "had the whole core: the other thread may be no sibling"},
        [SIBLING_LOADING] = {10, "saw the sibling read nothing"},
    };
    double share = share_without(tables_find(tables, &v->of));
    if (share <= lacks[v->of.sibling].most)
        return false;
    verdict_conclude(v, VERDICT_DOUBT, "%.0f %% of the visits %s", share,
                     lacks[v->of.sibling].words);
    return true;
}

static void judge_cases(const struct tables *tables, struct verdict_list *verdicts)
{
    size_t first = verdicts->count;
    struct variant like = {.has_core = tables->at->of->has_core, .core = tables->at->of->core};
    name_copy(like.experiment, tables->at->of->experiment);
    for (like.sibling = SIBLING_IDLE; like.sibling < SIBLING_WORKS; like.sibling++)
        structures_compare(tables, &like, verdicts);
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (is_chain(t->of))
            array_judge_capacities(t, verdicts);
        else if (t->of->has_page)
            judge_table(t, verdicts);
    for (struct verdict *v = verdicts->at + first; v < verdicts->at + verdicts->count; v++)
        if (v->status == VERDICT_OK || v->of.sibling == SIBLING_IDLE)
            lacks_sibling(tables, v);
}

/* --- what is shared -------------------------------------------------------------------------- */

/* One structure's verdicts, by the sibling's work. */
struct sizes {
    const struct structure *of;
    const struct verdict *alone, *busy, *loading;
};

static bool has_number(const struct verdict *v)
{
    return v != NULL && v->value == v->value; /* not NAN */
}

/* Whether a size and so many times another may be one. Of bytes, the upper end does not fit. */
static bool may_be(const struct verdict *alone, const struct verdict *beside, double times,
                   double slack)
{
    double low = times * beside->low, high = times * beside->high;
    if (strcmp(alone->unit, "bytes") == 0)
        return low < alone->high && high > alone->low;
    return low <= alone->high + slack && high >= alone->low - slack;
}

static bool is_whole(const struct verdict *alone, const struct verdict *beside)
{
    return may_be(alone, beside, 1, 0);
}

/* An odd one out, and registers that are never renamed come off each half. */
static bool is_half(const struct verdict *alone, const struct verdict *beside)
{
    bool is_registers = strcmp(alone->unit, "registers") == 0;
    bool is_less = is_registers && 2 * beside->high < alone->low &&
                   2 * beside->high + ARCHITECTURAL >= alone->low;
    return is_less || may_be(alone, beside, 2, 1);
}

static void write_number(const struct verdict *v, char text[SIZE_TEXT_MAX])
{
    if (!has_number(v))
        text_write(text, SIZE_TEXT_MAX, "-");
    else if (strcmp(v->unit, "bytes") == 0)
        size_text(text, (uint64_t)v->value);
    else
        text_write(text, SIZE_TEXT_MAX, "%.0f", v->value);
}

static void conclude(const struct sizes *s, enum verdict_status status, const char *word,
                     const char *why, struct verdict *v)
{
    char alone[SIZE_TEXT_MAX], busy[SIZE_TEXT_MAX], loading[SIZE_TEXT_MAX];
    write_number(s->alone, alone);
    write_number(s->busy, busy);
    write_number(s->loading, loading);
    verdict_conclude(v, status, "%s: %s alone, %s beside NOPs, %s beside loads%s", word, alone,
                     busy, loading, why);
}

static void name_policy(const struct sizes *s, struct verdict *v)
{
    bool whole_busy = is_whole(s->alone, s->busy), whole = is_whole(s->alone, s->loading);
    bool half_busy = is_half(s->alone, s->busy), half = is_half(s->alone, s->loading);
    if (s->busy->low > s->alone->high || s->loading->low > s->alone->high)
        conclude(s, VERDICT_DOUBT, "more than alone", "", v);
    else if ((whole_busy && half_busy) || (whole && half))
        conclude(s, VERDICT_DOUBT, "whole or halved", "", v);
    else if (whole_busy && whole && s->of->users == BY_NOBODY)
        conclude(s, VERDICT_DOUBT, "whole or competitive", "; neither uses it", v);
    else if (whole_busy && whole)
        conclude(s, VERDICT_OK, "whole", "", v);
    else if (half_busy && half)
        conclude(s, VERDICT_OK, "halved", "", v);
    else
        conclude(s, VERDICT_OK, "competitive", "", v);
}

/* However many NOPs share an entry, they do so in each case: the jump has to be placed, no more. */
static bool is_placed(const struct tables *tables, const struct verdict *v)
{
    struct cliff cliff;
    loads_cliff(tables_find(tables, &v->of), &cliff);
    return has_number(v) && cliff.answer == CLIFF_FOUND && cliff_is_placed(&cliff);
}

/* Why one of them does not tell; then *doubt says so. */
static bool has_doubt(const struct tables *tables, const struct sizes *s, struct verdict *doubt)
{
    const struct verdict *const all[] = {s->alone, s->busy, s->loading};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        *doubt = *all[i];
        if (doubt->status != VERDICT_OK &&
            (!(s->of->users & BY_NOPS) || !is_placed(tables, doubt) ||
             lacks_sibling(tables, doubt)))
            return true;
    }
    return false;
}

static void judge_split(const struct tables *tables, const struct sizes *s, struct verdict *v)
{
    char name[NAME_BYTES];
    struct verdict doubt;
    if (has_number(s->alone) && has_number(s->busy))
        verdict_value(v, s->busy->value / s->alone->value, s->busy->low / s->alone->high,
                      s->busy->high / s->alone->low);
    if (s->alone == NULL || s->loading == NULL)
        verdict_conclude(v, VERDICT_SKIP, "needs the sibling asleep, on NOPs, and loading");
    else if (has_doubt(tables, s, &doubt))
        verdict_conclude(v, VERDICT_DOUBT, "needs %s of %s: %s", doubt.name,
                         case_name(&doubt.of, name), doubt.method);
    else
        name_policy(s, v);
}

static const struct verdict *find_work(const struct verdict_list *verdicts,
                                       const struct verdict *busy, enum sibling_work work)
{
    struct variant of = busy->of;
    of.sibling = work;
    return verdict_find(verdicts, &of, busy->name);
}

static const struct structure *structure_of(const char *verdict)
{
    for (size_t i = 0; i < STRUCTURES; i++)
        if (strcmp(structures[i].verdict, verdict) == 0)
            return &structures[i];
    return NULL;
}

/* False: the verdict is none that a split stands beside. */
static bool find_sizes(const struct verdict_list *verdicts, const struct verdict *busy,
                       struct sizes *s)
{
    *s = (struct sizes){structure_of(busy->name), find_work(verdicts, busy, SIBLING_IDLE), busy,
                        find_work(verdicts, busy, SIBLING_LOADING)};
    return busy->of.sibling == SIBLING_BUSY && s->of != NULL;
}

/*
 * Adds the verdicts that structures, mlp and array give of sizes, for each work of the sibling, and
 * beside each in the sibling's busy case `split`: what the thread has left of it beside NOPs, as a
 * share of what it has alone. Its method says in a word what that means: `whole`, the same beside
 * NOPs and beside loads; `halved`, half of it beside both, whatever the sibling does; else
 * `competitive`, since it depends on that. What neither of the two uses may be whole because nobody
 * wants it: doubt. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    size_t first = verdicts->count;
    judge_cases(tables, verdicts);
    size_t end = verdicts->count; /* the list grows below, but never moves */
    for (size_t i = first; i < end; i++) {
        struct sizes s;
        if (find_sizes(verdicts, &verdicts->at[i], &s))
            judge_split(tables, &s, verdict_add(verdicts, &s.busy->of, s.of->split, "share"));
    }
}

/* Of its own case. */
static bool gives_size(const struct variant *of, const char *name)
{
    bool is_level = strcmp(name, "l1_bytes") == 0 || strcmp(name, "l2_bytes") == 0;
    for (enum filler i = 0; i < FILLER_KINDS; i++)
        if (strcmp(filler_table[i].verdict, name) == 0)
            return strcmp(filler_table[i].name, of->pattern) == 0;
    return is_level ? is_chain(of) : of->has_page && !is_chain(of);
}

static bool gives(const struct variant *of, const char *name)
{
    bool is_split = false;
    if (strcmp(of->pattern, SMT_NOBODY) == 0)
        return strcmp(name, "split") == 0;
    for (size_t i = 0; i < STRUCTURES; i++)
        if (strcmp(structures[i].split, name) == 0) {
            is_split = true;
            if (of->sibling == SIBLING_BUSY && gives_size(of, structures[i].verdict))
                return true;
        }
    return !is_split && gives_size(of, name);
}

/* --- the console ----------------------------------------------------------------------------- */

const struct rule rule_smt = {
    .compare = compare,
    .verdicts = verdict_names,
    .gives = gives,
};
