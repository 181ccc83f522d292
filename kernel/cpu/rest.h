/* rest: a processor that waits for a word in memory, asleep where it can be. */
#ifndef MLPBOOT_CPU_REST_H
#define MLPBOOT_CPU_REST_H

#include <stdbool.h>
#include <stdint.h>

#define REST_LINE                                                                                  \
    128 /* bytes: MONITOR watches at most so many; a word to wait for has them alone */

/* A processor's clock of the time it is awake (MPERF), and the time-stamp counter beside it. */
struct awake_clock {
    bool is_known;
    uint64_t awake, ticks;
};

/* The share of the time between two looks at it, 0 to 1, that the processor was awake; NAN where
 * one of them could not be made, or no time went by. */
double rest_share_awake(const struct awake_clock *from, const struct awake_clock *to);

/* Whether the processor has MONITOR and MWAIT, or firmware has left it them. */
bool rest_is_possible(void);

/*
 * Returns when *word is no longer `value`. Asleep in C1 by MONITOR and MWAIT, with interrupts off
 * until the word is written, where rest_is_possible; else it asks again and again. The clock of C1
 * stops, and a core's other threads have all of it (Intel SDM volume 3A, 9.10.4). Ring 0.
 */
void rest_while(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks);

/* Between two looks at a word, without sleep: PAUSE. */
static inline void rest_briefly(void)
{
    __asm__ volatile("pause" ::: "memory");
}

#endif
