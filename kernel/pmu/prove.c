/* prove: tests a counter by read-back, then by two runs of a known loop. */
#include <stddef.h>

#include "../cpu/msr.h"
#include "pmu.h"

#define ITERATIONS 20000
#define EXPECTED (ITERATIONS * KNOWN_LOOP_INSTRUCTIONS)
/* Instructions of starting, stopping and reading back, under a hypervisor some more. */
#define BESIDES 1000
#define UNSTEADY 200 /* between two runs */

enum expectation { INSTRUCTIONS, ADVANCES, KEEPS };

/* Fixed 4 and 5 hardly advance: they count bad speculation and waiting for the front end. */
static const enum expectation fixed_expectation[COUNTER_FIXED_MAX] = {
    INSTRUCTIONS, ADVANCES, ADVANCES, ADVANCES, KEEPS, KEEPS, ADVANCES,
};

/* Instructions retired: Intel SDM 3B, table 20-1; AMD PMCx0C0. */
static const struct event instructions = {.counters = EVENT_ANY_COUNTER, .select = 0xc0};

static const char *keeps(const struct pmu *c, unsigned counter, uint64_t value)
{
    uint32_t index = counter_value_msr(&c->unit, counter);
    uint64_t by_msr, by_rdpmc;
    if (!msr_write(index, value) || !msr_read(index, &by_msr) || by_msr != value)
        return "it does not keep what is written to it";
    if (!pmu_read(c, counter, &by_rdpmc) || by_rdpmc != value)
        return "it does not move: RDPMC does not show what was written";
    return NULL;
}

/* Writes two patterns that differ in every bit; the first is negative as 32 bits. */
static const char *keeps_values(const struct pmu *c, unsigned counter)
{
    uint64_t mask = counter_mask(&c->unit, counter), ignored;
    uint64_t first = 0xffffffffa5a5c33cull & mask, second = ~first & mask;
    if (!pmu_read(c, counter, &ignored))
        return "RDPMC faults";
    const char *why = keeps(c, counter, first);
    if (why == NULL)
        why = keeps(c, counter, second);
    if (why != NULL)
        return why;
    return msr_write(counter_value_msr(&c->unit, counter), 0) ? NULL : "it cannot be cleared";
}

static const char *count_loop(struct pmu *c, unsigned counter, uint64_t *advance)
{
    const struct counter_use use = {.event = &instructions, .counter = (uint8_t)counter};
    const char *why = pmu_program(c, &use, 1);
    if (why != NULL)
        return why;
    bool done = pmu_switch(c, true);
    known_loop(ITERATIONS);
    done &= pmu_switch(c, false);
    if (!done || !pmu_read(c, counter, advance))
        return "it cannot be started, stopped and read";
    return NULL;
}

static const char *judge_advance(enum expectation expected, uint64_t first, uint64_t second)
{
    uint64_t difference = first > second ? first - second : second - first;
    if (expected == KEEPS)
        return NULL;
    if (first == 0 || second == 0)
        return "it does not count";
    if (expected == ADVANCES)
        return NULL;
    if (first < EXPECTED - UNSTEADY || first > EXPECTED + BESIDES)
        return "it miscounts a loop of known length";
    return difference <= UNSTEADY ? NULL : "two runs of one loop differ";
}

static const char *test_counter(struct pmu *c, unsigned counter)
{
    uint64_t first, second;
    const char *why = keeps_values(c, counter);
    if (why == NULL)
        why = count_loop(c, counter, &first);
    if (why == NULL)
        why = count_loop(c, counter, &second);
    if (why != NULL)
        return why;
    enum expectation expected =
        counter < COUNTER_FIXED ? INSTRUCTIONS : fixed_expectation[counter - COUNTER_FIXED];
    return judge_advance(expected, first, second);
}

void pmu_prove(struct pmu *c)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        const char *why = c->unit.usable & COUNTER_BIT(n) ? test_counter(c, n) : NULL;
        if (why != NULL)
            counter_drop(&c->unit, n, why);
    }
}
