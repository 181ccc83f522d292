/* judge: hands each case, and each experiment's cases together, to their rule; then decides, for
 * all verdicts in one place, whether an answer holds. */
#include "judge.h"

#include "../analysis/curve.h"
#include "../analysis/drift.h"
#include "../analysis/statistics.h"
#include "../engine/engine.h"
#include "../lib/string.h"
#include "answer.h"
#include "experiment.h"
#include "noise/floor_rule.h"
#include "noise/noise_rule.h"

#define LEAST_COMPLETE 2 /* one in so many points of a case has to have samples */
/* The share by which a guest's clock is another in another run: neighbours change the turbo.
 * (Tried: 80 runs of a Zen 5 guest within half an hour, 4.08 to 4.51 GHz; 33 of another, 3.39
 * to 3.72; 40 of that, 3.26 to 3.66; 40 of an Intel family 6 model 207 guest, 2.49 to 3.10.) */
#define GUESTS_CLOCK 0.12
#define CLOCK_OTHER 0.25 /* sizes are right where it moves by less */
#define MOST_DRIFT 0.5   /* of a time: more in another run, and this one tells nothing */
/* A load that hits takes up to 17 core cycles of the second cache, and 9 of the second TLB. The
 * shortest walk takes 15 besides the cache's. (Tried: 11 to 15 cycles of 2 MB pages in guests of
 * three processors, and 73 and 91 of 4 KB pages.) */
#define HIT_CYCLES 28

/* --- whether an answer holds ----------------------------------------------------------------- */

/* True if rows of any case distinguish the whole core from the shared one. */
static bool were_states_seen(const struct tables *tables)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (table_find(t, ENGINE_STATES) != NULL)
            return true;
    return false;
}

/* True if a sibling was seen in some visits of any case, or does what the case says. */
static bool was_sibling_seen(const struct tables *tables)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (t->variant->shared || t->variant->sibling != SIBLING_UNNAMED ||
            table_find(t, ENGINE_APART) != NULL || table_find(t, NOISE_SHARED) != NULL)
            return true;
    return false;
}

/* True if the cases may all be those of a shared core: it may always have been shared, or mostly
 * was so in noise and then not once. (Tried: a neighbour that left the additions alone, and had
 * half of the reorder buffer for minutes, was seen by noise only. If no entries of the reorder
 * buffer are published, a sibling that waits for memory during all of a run leaves the rows, byte
 * for byte, of a whole core of half the sizes: its width is whole, too.) */
static bool is_core_unknown(const struct facts *facts, const struct tables *tables)
{
    return (facts->may_be_shared || (facts->was_shared && !was_sibling_seen(tables))) &&
           !were_states_seen(tables);
}

/* The ticks of a core cycle that a case met, by which shares they are off each other, and off
 * floor's, which is the run's; and by which share its times may be off minutes later. A tenth of
 * the visits to either side decides no median. (Tried: busy siblings of an Intel family 6 model 207
 * guest slow a chain by a third for less than a millisecond, in 1 % of visits, and by four now and
 * then; the clock of the others was within 10 %.) */
struct clock {
    double least, most;
    double moved, off;
    double drift;
};

static struct clock find_clock(const struct facts *facts, const struct table *table)
{
    struct clock clock = {.drift = drift_later(table)};
    for (TABLE_ROWS(row, table))
        if (row_is(row, ENGINE_CLOCK)) {
            clock.least = clock.most > 0 ? smaller(row->p10, clock.least) : row->p10;
            clock.most = larger(row->p90, clock.most);
        }
    if (clock.most > 0)
        clock.moved = clock.most / clock.least - 1;
    if (clock.most > 0 && facts->cycle > 0)
        clock.off = larger(clock.most / facts->cycle, facts->cycle / clock.least) - 1;
    return clock;
}

/* True if a load of large pages that hits the caches has walked: pieces of a page have translations
 * of their own. Floor looks at one page, which the host may map as a whole, and sees no second TLB
 * that costs a cycle. Cold pages walk anyway, and a store's sample has a fence. */
static bool has_walked(const struct facts *facts, const struct table *table)
{
    const struct variant *variant = table->variant;
    const struct row *hit = table_find(table, FACTS_CACHED), *empty = &facts->empty[variant->order];
    if (hit == NULL || empty->samples == 0 || !(facts->cycle > 0) || !facts->may_have_host ||
        variant->page <= PAGE_4K || variant->tlb >= TLB_COLD || variant->access >= ACCESS_STORE)
        return false;
    double cycle = find_clock(facts, table).most ?: facts->cycle;
    return curve_median(hit).low / cycle - curve_median(empty).high / facts->cycle > HIT_CYCLES;
}

static bool needs_other_clock(const struct clock *clock, const struct verdict *v)
{
    return ((v->needs & NEEDS_NO_CORE) == 0 && clock->moved > CLOCK_OTHER) ||
           ((v->needs & NEEDS_CLOCK) != 0 && clock->off > CLOCK_OTHER);
}

/* Returns what a verdict needs, and does not have. */
static enum reason find_lack(const struct facts *facts, bool is_unknown_core, bool is_hardly_kept,
                             const struct clock *clock, const struct verdict *v)
{
    bool has_small = facts->has_small_pages && v->variant.has_page;
    bool is_large = v->variant.page > PAGE_4K;
    if (facts->is_emulated && (v->needs & NEEDS_NO_CORE) == 0)
        return REASON_EMULATED;
    if ((v->needs & NEEDS_WHOLE_CORE) != 0 && is_unknown_core)
        return REASON_CORE_MAY_BE_SHARED;
    if (has_small &&
        ((v->needs & NEEDS_HOST_PAGES) != 0 || (is_large && (v->needs & NEEDS_WHOLE_PAGES) != 0)))
        return REASON_SMALL_HOST_PAGES;
    if (needs_other_clock(clock, v))
        return REASON_CLOCK_MOVED;
    if ((v->needs & NEEDS_CLOCK) != 0 && clock->drift > MOST_DRIFT)
        return REASON_SCATTER;
    /* A sibling came or went in nearly all visits: the others may not be what they seem. */
    return is_hardly_kept ? REASON_TOO_FEW_KEPT : REASON_NONE;
}

/* Adds to a verdict's words that samples of the shared core are among the others. */
static void tell_shared(const struct table *table, struct verdict *v)
{
    const struct row *row = table_find(table, ENGINE_SHARED);
    if (row != NULL && row->median >= 0.5) /* what rounds to a percent */
        verdict_append(v, "; core shared in %.0f %% of visits", row->median);
}

static bool is_whole(double number)
{
    return __builtin_fabs(number) < 1e9 && number == (double)(int64_t)number; /* no NAN */
}

/* Widens an interval to what another run may show, of ticks at floor's clock. Neighbours change a
 * guest's clock and memory independently of what this run saw. A count stays a whole number. */
static void widen(const struct facts *facts, const struct clock *clock, struct verdict *v)
{
    struct interval x = answer_interval(v);
    double value = __builtin_fabs(v->value), moved = 0, guests = 0;
    if ((v->needs & NEEDS_CLOCK) != 0)
        moved = smaller(clock->off, CLOCK_OTHER);
    if (facts->is_guest && (v->needs & NEEDS_CLOCK) != 0)
        guests = GUESTS_CLOCK;
    if (facts->is_guest && (v->needs & NEEDS_MEMORY) != 0)
        guests = GUESTS_MEMORY;
    if (__builtin_isnan(x.value)) /* one end alone is known */
        return;
    if (is_whole(x.value) && is_whole(x.low) && is_whole(x.high))
        x = interval_at_least(x, (double)(int64_t)(larger(moved, guests) * value + 0.5));
    else
        x = interval_at_least(interval_widen(x, guests * value), moved * value);
    v->low = x.low;
    v->high = x.high;
}

/* True if the row is of a point that each state of a case has: none of a search or a reference. */
static bool is_of_sweep(const struct row *row)
{
    return row->samples > 0 && row->attempt == 0 && row->stage == ROW_NONE &&
           strcmp(row->unit, "ticks") == 0;
}

/* Counts a table's points, and those that only the other one has. */
static void count_points(const struct table *own, const struct table *other, size_t *here,
                         size_t *missing)
{
    const struct row *at = own->rows, *end = own->rows + own->count;
    *here = *missing = 0;
    for (TABLE_ROWS(row, own))
        *here += is_of_sweep(row);
    for (TABLE_ROWS(row, other)) {
        while (at < end && row_compare_points(at, row) < 0)
            at++;
        *missing +=
            is_of_sweep(row) && (at == end || row_compare_points(at, row) != 0 || !is_of_sweep(at));
    }
}

/* Returns which points a case lacks that the same case has in the core's other state, where these
 * are most of them; NULL: it is complete enough. */
static const char *say_incomplete(const struct tables *tables, const struct table *table,
                                  char words[VERDICT_METHOD_BYTES])
{
    struct variant variant = *table->variant;
    size_t here, missing;
    variant.shared = !variant.shared;
    const struct table *other = tables_find(tables, &variant);
    if (other == NULL || table_is_skipped(other) || table_is_skipped(table))
        return NULL;
    count_points(table, other, &here, &missing);
    return LEAST_COMPLETE * here < here + missing
               ? text_write(words, VERDICT_METHOD_BYTES, "%lu of %lu, of the %s core",
                            (unsigned long)here, (unsigned long)(here + missing),
                            table->variant->shared ? "shared" : "whole")
               : NULL;
}

/* Takes the answer away: no number may be taken for one. */
static void withdraw(struct verdict *v, enum reason reason, const char *words)
{
    verdict_value(v, __builtin_nan(""), __builtin_nan(""), __builtin_nan(""));
    answer_skip(v, reason, "%s", words);
}

/* Decides on the verdicts from number `first` on: by what each needs, by its case, and by the
 * answer that it leans on. */
static void decide(const struct evidence *e, const struct tables *tables, size_t first)
{
    const struct facts *facts = e->facts;
    const struct table *table = NULL;
    const char *incomplete = NULL;
    struct clock clock = {0};
    bool is_unknown_core = is_core_unknown(facts, tables), is_hardly_kept = false;
    char words[VERDICT_METHOD_BYTES];
    for (struct verdict *v = e->verdicts->at + first; v < e->verdicts->at + e->verdicts->count;
         v++) {
        if (table == NULL || !case_same(table->variant, &v->variant)) {
            table = tables_find(tables, &v->variant);
            incomplete = table != NULL ? say_incomplete(tables, table, words) : NULL;
            is_hardly_kept = table != NULL && answer_kept(table) < RARE;
            clock = table != NULL ? find_clock(facts, table) : (struct clock){0};
        }
        if (incomplete != NULL) {
            withdraw(v, REASON_CASE_INCOMPLETE, incomplete);
            continue;
        }
        const struct verdict *other = v->question->leans_on != NULL
                                          ? answer_find(e, &v->variant, v->question->leans_on)
                                          : NULL;
        enum reason lack = find_lack(facts, is_unknown_core, is_hardly_kept, &clock, v);
        if (lack == REASON_EMULATED) {
            /* Wrong data are wrong in an emulator, too, and it may lack a case. */
            if (v->status != VERDICT_ERROR && v->reason != REASON_UNAVAILABLE)
                withdraw(v, lack, "");
            continue;
        }
        if (lack == REASON_CLOCK_MOVED)
            answer_doubt(v, lack, "a core cycle took %.2f to %.2f ticks, and %.2f in floor",
                         clock.least, clock.most, facts->cycle);
        else if (lack == REASON_SCATTER)
            answer_doubt(v, lack, "another run may be off by %.0f %%", 100 * clock.drift);
        else if (lack != REASON_NONE)
            answer_doubt(v, lack, "%s", "");
        else if (other != NULL)
            answer_lean(v, other);
        if (table != NULL && v->status != VERDICT_SKIP)
            tell_shared(table, v);
        widen(facts, &clock, v);
    }
}

/* --- cases ----------------------------------------------------------------------------------- */

/* Judges the cases of one experiment; those that were skipped come last. */
static void judge_experiment(const struct tables *tables, const struct facts *facts,
                             struct verdict_list *verdicts)
{
    const struct experiment *experiment = experiment_find(tables->at->variant->experiment);
    const struct rule *rule = experiment->rule;
    struct tables measured = *tables;
    size_t decided;
    measured.count = 0;
    while (measured.count < tables->count && !table_is_skipped(&tables->at[measured.count]))
        measured.count++;
    struct evidence e = {facts, &measured, NULL, verdicts, verdicts->count};
    for (struct table *t = tables->at; t < tables->at + tables->count; t++) {
        e.table = t;
        t->first_verdict = verdicts->count;
        for (const struct question *const *list = rule->questions;
             *list != NULL && table_is_skipped(t); list++)
            answer_none(&e, *list, REASON_UNAVAILABLE, t->rows->unit);
        if (!table_is_skipped(t) && rule->judge != NULL)
            rule->judge(&e);
    }
    e.table = NULL;
    if (rule->judge_all != NULL && measured.count > 0)
        rule->judge_all(&e);
    decide(&e, tables, e.first);
    decided = verdicts->count;
    if (rule->compare != NULL && measured.count > 0)
        rule->compare(&e);
    if (experiment->turn != TURN_FIRST)
        floor_compare(&e);
    decide(&e, tables, decided);
}

/* Adds what the cases of an experiment show of the core and of its pages. A run judges an
 * experiment before it measures the next, so that this changes no verdict of those before. */
static void see_states(const struct tables *tables, struct facts *facts)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        facts->has_small_pages |= has_walked(facts, t);
        if (strcmp(t->variant->pattern, NOISE_CORE) == 0)
            facts->was_shared |= 2 * noise_share(t) > 1;
    }
}

void judge_tables(const struct tables *tables, struct facts *facts, struct verdict_list *verdicts)
{
    struct table *end = tables->at + tables->count;
    struct tables part = *tables;
    facts_find(tables, facts);
    for (; part.at < end; part.at += part.count) {
        part.count = 1;
        while (part.at + part.count < end &&
               strcmp(part.at[part.count].variant->experiment, part.at->variant->experiment) == 0)
            part.count++;
        see_states(&part, facts);
        judge_experiment(&part, facts, verdicts);
    }
}

size_t judge_verdicts_max(const struct tables *tables)
{
    size_t most = 0;
    for (size_t i = 0; i < tables->count; i++) {
        const struct rule *rule = experiment_find(tables->at[i].variant->experiment)->rule;
        most++; /* above_floor */
        for (const struct question *const *list = rule->questions; *list != NULL; list++)
            for (const struct question *q = *list; q->name != NULL; q++)
                most++;
    }
    return most;
}
