/* rest: waits for a word in memory, asleep if possible. */
#ifndef MLPBOOT_CPU_REST_H
#define MLPBOOT_CPU_REST_H

#include <stdbool.h>
#include <stdint.h>

#define REST_LINE                                                                                  \
    128 /* bytes, the most that MONITOR may watch; a word to wait for is alone there */

/* The time that a processor was awake (MPERF), and the time-stamp counter. */
struct awake_clock {
    bool is_known;
    uint64_t awake, ticks;
};

/* Returns the awake share between two looks, 0 to 1; NAN if a look failed or no time passed. */
double rest_share_awake(const struct awake_clock *from, const struct awake_clock *to);

/* True if the processor has MONITOR and MWAIT that work, and firmware left them enabled. */
bool rest_is_possible(void);

/*
 * Sleeps in C1 by MONITOR and MWAIT until *word is no longer `value`, or until an interrupt that is
 * not masked; adds the time to *asleep_ticks. In C1 the clock stops, and a core's other threads
 * have all of the core (Intel SDM volume 3A, 9.10.4). Only if rest_is_possible. Ring 0.
 */
void rest_once(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks);

/* Returns when *word is no longer `value`: sleeps if rest_is_possible, else polls. Ring 0. */
void rest_while(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks);

/* Waits briefly between two looks at a word, without sleep: PAUSE. */
static inline void rest_briefly(void)
{
    __asm__ volatile("pause" ::: "memory");
}

#endif
