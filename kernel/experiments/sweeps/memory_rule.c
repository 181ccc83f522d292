/* memory_rule: how long does a load from memory take, with and without page walks?
 *
 * Expected: of arrays of at least four times all caches, of any size, the same but for walks. Lines
 * of few pages in turn need a walk each CYCLE_PAGE_LINES loads, random lines a walk each: the
 * difference tells the walks' part of both.
 * Seen: a curve over random lines that rises from 375 ticks at 8 MB to 740 at 256 MB, since walks
 * grow with the array; which sizes agreed was another one in each run (a Zen 4 guest, 4 KB pages).
 * Not understood: nothing so far. */
#include "memory_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/text.h"
#include "../../probe/cycle.h"
#include "core_clock.h"

/* Returns an array's time of a chain, or that in cycles of the clock in the same rounds. */
static struct interval time_of(const struct table *table, const char *metric, const char *clock,
                               int64_t bytes)
{
    struct interval ticks = curve_of_part(table, metric, 1, bytes);
    if (clock == NULL)
        return ticks;
    return interval_divide(ticks, curve_of_part(table, clock, ROW_NONE, bytes));
}

/* Returns the time of a load without walks; value NAN: not measured. Lines of few pages are met
 * right after bandwidth is measured, where there are loops to measure it. */
static struct interval without_walks(const struct table *table, int64_t bytes, bool is_in_cycles)
{
    const char *clock = is_in_cycles ? CORE_CLOCK : NULL, *late = clock;
    if (is_in_cycles &&
        table_find_at(table, CORE_CLOCK_BANDWIDTH, ROW_ANY, ROW_ANY, bytes, ROW_ANY) != NULL)
        late = CORE_CLOCK_BANDWIDTH;
    struct interval paged = time_of(table, CACHE_LEVELS_PAGED, late, bytes);
    struct interval all = time_of(table, "tsc", clock, bytes);
    struct interval more = interval_subtract(interval_scale(paged, CYCLE_PAGE_LINES), all);
    more = interval_scale(more, 1.0 / (CYCLE_PAGE_LINES - 1));
    return is_in_cycles ? interval_widen(more, more.value * CORE_CLOCK_ERROR) : more;
}

void memory_judge_latency(const struct table *table, struct cache_level_sizes sizes,
                          bool is_in_cycles, enum reason doubt, struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    const uint64_t both[] = {sizes.small, sizes.large};
    struct interval t[2];
    for (unsigned i = 0; i < 2; i++) {
        t[i] = without_walks(table, (int64_t)both[i], is_in_cycles);
        if (!(t[i].value > 0)) {
            answer_skip(v, REASON_NOT_MEASURED, "lines of few pages in turn");
            return;
        }
    }
    struct interval latency = {(t[0].value + t[1].value) / 2, smaller(t[0].low, t[1].low),
                               larger(t[0].high, t[1].high)};
    v->needs &= ~(unsigned)NEEDS_WHOLE_PAGES;
    answer(v, interval_widen(latency, latency.value * DRIFT_LEAST), doubt ?: answer_width(latency),
           "one chain of dependent loads, of few pages in turn, less what is left of walks; arrays "
           "of %s and %s",
           size_text(from, sizes.small), size_text(to, sizes.large));
}

void memory_judge_random(const struct table *table, struct cache_level_sizes sizes,
                         enum reason doubt, struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    struct interval t = curve_of_part(table, "tsc", 1, (int64_t)sizes.large);
    if (!(t.value > 0)) {
        answer_skip(v, REASON_NOT_MEASURED, "one chain of random lines");
        return;
    }
    answer(v, interval_widen(t, t.value * DRIFT_LEAST), doubt ?: answer_scatter(t),
           "one chain of random lines of %s, page walks included", size_text(size, sizes.large));
}
