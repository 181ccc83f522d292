/* smt_rule: the verdicts of structures, mlp and array in each work of the sibling, side by side. */
#include "smt_rule.h"

#include "../../engine/engine.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/cache_levels.h"
#include "mlp_rule.h"
#include "structures_rule.h"

#define ARCHITECTURAL 40 /* registers a thread has at most; its share holds them, too */

/* A size that is compared: its verdict, and its split. A structure that neither the sibling's NOPs
 * nor its vector loads (probe/generator.c) use may be shared though it looks whole. */
static const struct shared_size {
    const char *verdict, *split;
    bool is_unused;
} shared_sizes[] = {
#define SPLIT_SIZE(id, verdict, ...)                                                               \
    {verdict, "split", ((TOO(STORE_QUEUE) | TOO(SCHEDULER) | TOO(PORT)) >> SIZE_##id & 1) != 0},
    SIZES(SPLIT_SIZE){"fill_buffers", "split", false},
    {"l1_bytes", "l1_split", false},
    {"l2_bytes", "l2_split", false},
};
#define SHARED_SIZES (sizeof shared_sizes / sizeof *shared_sizes)

#define VERDICT_NAME(id, verdict, ...) verdict,
#define OTHER_NAMES "mlp", "fill_buffers", "l1_bytes", "l2_bytes", "split", "l1_split", "l2_split"
static const char *const verdict_names[] = {SIZES(VERDICT_NAME) OTHER_NAMES, NULL};

/* --- each case ------------------------------------------------------------------------------- */

/* Returns the share of samples that were discarded, in percent. */
static double share_lost(const struct table *table)
{
    double kept = 0, lost = 0;
    for (TABLE_ROWS(row, table)) {
        kept += (double)row->samples;
        lost += (double)row->discarded;
    }
    return kept + lost > 0 ? 100 * lost / (kept + lost) : 0;
}

/* Returns the percentage of visits in which nothing shows that the sibling did as the case says. */
static double share_without(const struct table *table)
{
    bool is_loading = table->variant->sibling == SIBLING_LOADING;
    const struct row *row = table_find(table, is_loading ? SMT_READING : ENGINE_SHARED);
    if (table->variant->sibling == SIBLING_IDLE)
        return share_lost(table);
    return row != NULL ? 100 - row->median : 100;
}

/* Returns the doubt where that is too much; NULL: no doubt. */
static const char *sibling_doubt(const struct tables *tables, const struct variant *variant,
                                 char words[VERDICT_METHOD_BYTES])
{
    static const struct {
        double most;
        const char *words;
    } lacks[SIBLING_WORKS] = {
        [SIBLING_IDLE] = {50, "were lost: another program used the sibling that should sleep"},
        [SIBLING_BUSY] = {10, "had the whole core: the other thread may not be a sibling"},
        [SIBLING_LOADING] = {10, "saw the sibling read nothing"},
    };
    double share = share_without(tables_find(tables, variant));
    if (share <= lacks[variant->sibling].most)
        return NULL;
    return text_write(words, VERDICT_METHOD_BYTES, "%.0f %% of the visits %s", share,
                      lacks[variant->sibling].words);
}

static void judge_cases(const struct tables *tables, struct verdict_list *verdicts)
{
    static const char *const sizes[] = {"mlp", "fill_buffers"};
    char words[VERDICT_METHOD_BYTES];
    size_t first = verdicts->count;
    const struct variant *any = tables->at->variant;
    struct variant like = {.has_core = any->has_core, .core = any->core};
    name_copy(like.experiment, any->experiment);
    for (like.sibling = SIBLING_IDLE; like.sibling < SIBLING_WORKS; like.sibling++)
        structures_compare(tables, &like, verdicts);
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        if (strcmp(t->variant->pattern, SMT_CHAIN) == 0)
            cache_levels_judge_alone(t, verdicts);
        else if (t->variant->has_page)
            for (unsigned i = 0; i < 2; i++) {
                const struct verdict size = mlp_verdict(t, sizes[i]);
                *verdict_add(verdicts, t->variant, size.name, size.unit) = size;
            }
    }
    for (struct verdict *v = verdicts->at + first; v < verdicts->at + verdicts->count; v++)
        if ((v->status == VERDICT_OK || v->variant.sibling == SIBLING_IDLE) &&
            sibling_doubt(tables, &v->variant, words) != NULL)
            verdict_conclude(v, VERDICT_DOUBT, "%s", words);
}

/* --- what is shared -------------------------------------------------------------------------- */

/* The verdicts of one structure, by the sibling's work. */
struct sibling_sizes {
    const struct shared_size *kind;
    const struct verdict *alone, *busy, *loading;
};

static bool has_number(const struct verdict *v)
{
    return v != NULL && v->value == v->value; /* not NAN */
}

/* True if `times` as much may be the size alone. In bytes, the upper end no longer fits. */
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

/* True if half is left. Neither thread gets an odd entry; each half holds unrenamed registers. */
static bool is_half(const struct verdict *alone, const struct verdict *beside)
{
    bool is_less = strcmp(alone->unit, "registers") == 0 && 2 * beside->high < alone->low &&
                   2 * beside->high + ARCHITECTURAL >= alone->low;
    return is_less || may_be(alone, beside, 2, 1);
}

static const char *size_number(const struct verdict *v, char text[SIZE_TEXT_MAX])
{
    if (!has_number(v))
        return "-";
    if (strcmp(v->unit, "bytes") == 0)
        return size_text(text, (uint64_t)v->value);
    return text_write(text, SIZE_TEXT_MAX, "%.0f", v->value);
}

static void name_policy(const struct sibling_sizes *s, struct verdict *v)
{
    char alone[SIZE_TEXT_MAX], busy[SIZE_TEXT_MAX], loading[SIZE_TEXT_MAX];
    bool whole_busy = is_whole(s->alone, s->busy), whole = is_whole(s->alone, s->loading);
    bool half_busy = is_half(s->alone, s->busy), half = is_half(s->alone, s->loading);
    const char *doubt = NULL, *why = "", *policy = "competitive";
    if (s->busy->low > s->alone->high || s->loading->low > s->alone->high)
        doubt = "more than alone";
    else if ((whole_busy && half_busy) || (whole && half))
        doubt = "whole or halved";
    else if (whole_busy && whole && s->kind->is_unused) {
        doubt = "whole or competitive";
        why = "; neither work uses it";
    } else if (whole_busy && whole)
        policy = "whole";
    else if (half_busy && half)
        policy = "halved";
    verdict_conclude(v, doubt != NULL ? VERDICT_DOUBT : VERDICT_OK,
                     "%s: %s alone, %s beside NOPs, %s beside loads%s", doubt ?: policy,
                     size_number(s->alone, alone), size_number(s->busy, busy),
                     size_number(s->loading, loading), why);
}

/* Returns the first of three verdicts that does not tell; NULL: all tell. */
static const struct verdict *find_doubt(const struct sibling_sizes *s)
{
    const struct verdict *const all[] = {s->alone, s->busy, s->loading};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->status != VERDICT_OK)
            return all[i];
    return NULL;
}

static void judge_split(const struct sibling_sizes *s, struct verdict *v)
{
    char name[NAME_BYTES];
    const struct verdict *doubt;
    if (has_number(s->alone) && has_number(s->busy)) {
        struct interval share =
            interval_divide(answer_interval(s->busy), answer_interval(s->alone));
        verdict_value(v, share.value, share.low, share.high);
    }
    if (s->alone == NULL || s->loading == NULL)
        answer_skip(v, "needs the sibling asleep, on NOPs, and loading");
    else if ((doubt = find_doubt(s)) != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "needs %s of %s: %s", doubt->name,
                         case_name(&doubt->variant, name), doubt->method);
    else
        name_policy(s, v);
}

static const struct verdict *find_beside(const struct verdict_list *verdicts,
                                         const struct verdict *busy, enum sibling_work work)
{
    struct variant variant = busy->variant;
    variant.sibling = work;
    return verdict_find(verdicts, &variant, busy->name);
}

/*
 * Adds the verdicts that structures, mlp and array give of sizes, for each work of the sibling, and
 * beside each in the sibling's busy case `split`: the share of the size alone that the thread has
 * beside NOPs. Its method names the policy: `whole`, the same size beside NOPs and beside loads;
 * `halved`, half of it beside both; else `competitive`, since it depends on what the sibling does.
 * A structure that neither uses may be whole because nobody wants it: doubt.
 */
static void compare_siblings(const struct tables *tables, struct verdict_list *verdicts)
{
    size_t first = verdicts->count;
    judge_cases(tables, verdicts);
    size_t end = verdicts->count; /* the list grows below, but never moves */
    for (const struct verdict *busy = verdicts->at + first; busy < verdicts->at + end; busy++)
        for (const struct shared_size *kind = shared_sizes; kind < shared_sizes + SHARED_SIZES;
             kind++)
            if (busy->variant.sibling == SIBLING_BUSY && strcmp(kind->verdict, busy->name) == 0) {
                struct sibling_sizes s = {kind, find_beside(verdicts, busy, SIBLING_IDLE), busy,
                                          find_beside(verdicts, busy, SIBLING_LOADING)};
                judge_split(&s, verdict_add(verdicts, &busy->variant, kind->split, "share"));
            }
}

static bool gives_size(const struct variant *variant, const char *name)
{
    if (strcmp(variant->pattern, SMT_CHAIN) == 0)
        return strcmp(name, "l1_bytes") == 0 || strcmp(name, "l2_bytes") == 0;
    if (variant->has_page)
        return strcmp(name, "mlp") == 0 || strcmp(name, "fill_buffers") == 0;
    return structures_give(variant, name);
}

static bool smt_gives(const struct variant *variant, const char *name)
{
    if (strcmp(variant->pattern, SMT_NOBODY) == 0)
        return strcmp(name, "split") == 0;
    for (size_t i = 0; i < SHARED_SIZES; i++)
        if (variant->sibling == SIBLING_BUSY && strcmp(shared_sizes[i].split, name) == 0 &&
            gives_size(variant, shared_sizes[i].verdict))
            return true;
    return gives_size(variant, name);
}

const struct rule rule_smt = {
    .compare = compare_siblings,
    .verdicts = verdict_names,
    .gives = smt_gives,
};
