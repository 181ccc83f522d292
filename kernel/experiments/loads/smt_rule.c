/* smt_rule: is a structure whole beside a sibling that works, halved, or shared by demand?
 *
 * Expected: AMD halves retire, micro-op and store queues, and gives integer registers up to a
 * watermark (Zen 5: 200 of 240 alone; AMD's guides by jiegec, docs/zen*.d2). Intel splits ROB, load
 * and store buffers between threads that are not idle, and shares load ports and fill buffers (Xen,
 * spec_ctrl). A thread's architectural registers come out of its share.
 * Seen: a Zen 5 guest, alone and beside a neighbour's thread: ROB 447 and 223, stores 104 and 52,
 * integer registers 205 and 165, loads 208 and 166, scheduler 86 and 69 or 80. No run with both
 * threads our own is kept.
 * Not understood: 69 or 80, minutes apart; a scheduler shared by demand would give any. */
#include "smt_rule.h"

#include "../../engine/engine.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/cache_levels.h"
#include "mlp_rule.h"
#include "structures_rule.h"

#define ARCHITECTURAL 40 /* registers a thread has at most; its share holds them, too */

IS_OF_PATTERN(is_none, SMT_NOBODY)
IS_OF_PATTERN(is_array, CACHE_LEVELS_CHAIN)

/* True where no sibling is, and beside NOPs of a filler that gives a size, and of loads. */
static bool is_split(const struct variant *variant)
{
    const struct question *size = structures_questions;
    while (size->name != NULL && !size->is_of(variant))
        size++;
    bool has_size = variant->pattern[0] == '\0' || size->name != NULL;
    return is_none(variant) || (variant->sibling == SIBLING_BUSY && has_size);
}

static bool is_array_split(const struct variant *variant)
{
    return variant->sibling == SIBLING_BUSY && is_array(variant);
}

enum split { SPLIT, SPLIT_L1, SPLIT_L2, SPLITS };

static const struct question split_questions[SPLITS + 1] = {
    QUESTION(
        "split", "share", is_split, NEEDS_WHOLE_CORE, NULL,
        MEANS(
            "the share of the size alone that the thread has beside a sibling on NOPs. The method "
            "names the policy: `whole`, the same size beside NOPs and beside loads; `halved`, half "
            "of it beside both; else `competitive`, since it depends on what the sibling does: the "
            "`watermark` is the most that the thread then has")),
    QUESTION("l1_split", "share", is_array_split, NEEDS_WHOLE_CORE, NULL,
             MEANS("the same of the caches (case `chain-busy`)")),
    QUESTION("l2_split", "share", is_array_split, NEEDS_WHOLE_CORE, NULL, NULL),
    {.name = NULL},
};

/* True of a structure that neither the sibling's NOPs nor its vector loads (probe/generator.c) use:
 * it may be shared though it looks whole. */
static bool is_unused(const struct question *size)
{
    ptrdiff_t number = size - structures_questions;
    return number >= 0 && number < SIZE_KINDS &&
           ((TOO(STORE_QUEUE) | TOO(SCHEDULER) | TOO(PORT)) >> number & 1) != 0;
}

/* --- each case ------------------------------------------------------------------------------- */

/* Returns the percentage of visits in which nothing shows that the sibling did as the case says. */
static double share_without(const struct table *table)
{
    bool is_loading = table->variant->sibling == SIBLING_LOADING;
    const struct row *row = table_find(table, is_loading ? SMT_READING : ENGINE_SHARED);
    if (table->variant->sibling == SIBLING_IDLE)
        return 100 * (1 - answer_kept(table));
    return row != NULL ? 100 - row->median : 100;
}

/* Returns in words what is amiss where that is too much; NULL: nothing. */
static const char *say_sibling(const struct tables *tables, const struct variant *variant,
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

/* Adds the sizes that structures, mlp and array tell, for each work of the sibling. */
static void judge_sizes(const struct evidence *e)
{
    char words[VERDICT_METHOD_BYTES];
    struct evidence one = *e;
    size_t first = e->verdicts->count;
    const struct variant *any = e->tables->at->variant;
    struct variant like = {.has_core = any->has_core, .core = any->core};
    name_copy(like.experiment, any->experiment);
    for (like.sibling = SIBLING_IDLE; like.sibling < SIBLING_WORKS; like.sibling++)
        structures_compare(e, &like);
    for (one.table = e->tables->at; one.table < e->tables->at + e->tables->count; one.table++) {
        if (is_array(one.table->variant))
            cache_levels_judge_alone(&one);
        else if (one.table->variant->has_page)
            mlp_judge(&one);
    }
    for (struct verdict *v = e->verdicts->at + first; v < e->verdicts->at + e->verdicts->count;
         v++) {
        const char *amiss = say_sibling(e->tables, &v->variant, words);
        bool counts = v->status == VERDICT_OK || v->variant.sibling == SIBLING_IDLE;
        if (amiss != NULL && counts)
            verdict_conclude(v, VERDICT_DOUBT, REASON_SIBLING_DIFFERS, "%s", amiss);
    }
}

/* --- what is shared -------------------------------------------------------------------------- */

/* The verdicts of one structure, by the sibling's work. */
struct sibling_sizes {
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
    if (strcmp(alone->question->unit, "bytes") == 0)
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
    bool is_less = strcmp(alone->question->unit, "registers") == 0 &&
                   2 * beside->high < alone->low && 2 * beside->high + ARCHITECTURAL >= alone->low;
    return is_less || may_be(alone, beside, 2, 1);
}

static const char *size_number(const struct verdict *v, char text[SIZE_TEXT_MAX])
{
    if (!has_number(v))
        return "-";
    if (strcmp(v->question->unit, "bytes") == 0)
        return size_text(text, (uint64_t)v->value);
    return text_write(text, SIZE_TEXT_MAX, "%.0f", v->value);
}

static void name_policy(const struct sibling_sizes *s, struct verdict *v)
{
    char alone[SIZE_TEXT_MAX], busy[SIZE_TEXT_MAX], loading[SIZE_TEXT_MAX];
    bool whole_busy = is_whole(s->alone, s->busy), whole = is_whole(s->alone, s->loading);
    bool half_busy = is_half(s->alone, s->busy), half = is_half(s->alone, s->loading);
    const char *open = NULL, *policy = "competitive";
    if (s->busy->low > s->alone->high || s->loading->low > s->alone->high)
        open = "more than alone";
    else if ((whole_busy && half_busy) || (whole && half))
        open = "whole or halved";
    else if (whole_busy && whole && is_unused(s->busy->question))
        open = "whole or competitive, as neither work uses it";
    else if (whole_busy && whole)
        policy = "whole";
    else if (half_busy && half)
        policy = "halved";
    answer(v, answer_interval(v), open != NULL ? REASON_POLICY_OPEN : REASON_NONE,
           "%s: %s alone, %s beside NOPs, %s beside loads", open ?: policy,
           size_number(s->alone, alone), size_number(s->busy, busy),
           size_number(s->loading, loading));
    if (open == NULL && !whole_busy && !whole && !(half_busy && half))
        verdict_append(v, "; watermark %s", s->busy->value < s->loading->value ? loading : busy);
}

static void judge_split(const struct sibling_sizes *s, struct verdict *v)
{
    if (has_number(s->alone) && has_number(s->busy)) {
        struct interval share =
            interval_divide(answer_interval(s->busy), answer_interval(s->alone));
        verdict_value(v, share.value, share.low, share.high);
    }
    if (s->alone == NULL || s->loading == NULL) {
        answer_skip(v, REASON_NOT_MEASURED, "the sibling asleep, on NOPs, and loading");
        return;
    }
    verdict_conclude(v, VERDICT_OK, REASON_NONE, "%s", "");
    answer_lean(v, s->alone);
    answer_lean(v, s->busy);
    answer_lean(v, s->loading);
    if (v->status == VERDICT_OK)
        name_policy(s, v);
}

static const struct verdict *find_beside(const struct verdict_list *verdicts,
                                         const struct verdict *busy, enum sibling_work work)
{
    struct variant variant = busy->variant;
    variant.sibling = work;
    return verdict_find(verdicts, &variant, busy->question->name);
}

/* Returns which split a size has. */
static enum split split_of(const struct question *size)
{
    return strcmp(size->name, "l1_bytes") == 0   ? SPLIT_L1
           : strcmp(size->name, "l2_bytes") == 0 ? SPLIT_L2
                                                 : SPLIT;
}

/* Adds the splits, beside each size in the sibling's busy case, but of mlp, which is none. */
static void compare_siblings(const struct evidence *e)
{
    struct verdict_list *verdicts = e->verdicts;
    size_t end = verdicts->count; /* the list grows below, but never moves */
    for (const struct verdict *busy = verdicts->at + e->first; busy < verdicts->at + end; busy++) {
        if (busy->variant.sibling != SIBLING_BUSY || strcmp(busy->question->name, "mlp") == 0)
            continue;
        struct sibling_sizes s = {find_beside(verdicts, busy, SIBLING_IDLE), busy,
                                  find_beside(verdicts, busy, SIBLING_LOADING)};
        judge_split(
            &s, verdict_add(verdicts, &busy->variant, &split_questions[split_of(busy->question)]));
    }
}

const struct rule rule_smt = {
    .questions = (const struct question *const[]){structures_questions, mlp_questions,
                                                  cache_level_questions, split_questions, NULL},
    .judge_all = judge_sizes,
    .compare = compare_siblings,
};
