/* spin: one core that does nothing but look at the time, and what it noticed. */
#ifndef MLPBOOT_PROBE_SPIN_H
#define MLPBOOT_PROBE_SPIN_H

#include "../platform.h"

/* --- gaps: a histogram of interruptions by decade of nanoseconds ----------------------------- */

#define GAPS_FIRST_DECADE 1 /* 10 ns up to 100 ns; it takes what is shorter, too */
#define GAPS_LAST_DECADE 9  /* 1 s and longer */
#define GAPS_STEPS 900      /* in a decade: three leading digits, 100 to 999 */

/* The gaps of one decade; all but `step` is exact. Times in nanoseconds. */
struct gap_decade {
    uint64_t count;
    double sum, min, max;      /* of no meaning while count is 0 */
    uint32_t step[GAPS_STEPS]; /* gaps by their three leading digits */
};

/* Some 37 KB, however many gaps there are: a workspace, not for a stack. Starts as zeroes. */
struct gaps {
    struct gap_decade decade[GAPS_LAST_DECADE + 1]; /* by exponent: gaps from 10^exponent ns up */
};

/* Adds a gap of more than 0 ns. */
void gaps_add(struct gaps *gaps, double ns);

/*
 * The gap of rank ceil(percent * count / 100), at least the first, to three digits and within min
 * and max; percent is 0 to 100. NAN if absent.
 */
double gaps_percentile(const struct gap_decade *decade, unsigned exponent, unsigned percent);

/* --- spinning -------------------------------------------------------------------------------- */

#define SPIN_CHAINS 100        /* in a slice, evenly spread */
#define SPIN_CHAIN_ADDS 16384u /* dependent additions of one chain: as many cycles */
#define SPIN_LOOPS 999         /* timed by spin_calibrate */

/*
 * A gap is when two successive readings of the time-stamp counter are further apart than
 * `threshold`. Between two pieces of watching stands a chain of additions each of which needs the
 * one before: one core cycle each on every x86-64 core (Fog, Instruction tables: ADD r,r), so that
 * its ticks show the core's frequency against the counter's. Some 40 KB.
 */
struct spin {
    double ns_per_tick;
    uint64_t slice_ticks;        /* length of the next slice */
    uint64_t threshold;          /* ticks; set by spin_calibrate */
    uint32_t loop[SPIN_LOOPS];   /* ticks between two readings, sorted; by spin_calibrate */
    uint32_t chain[SPIN_CHAINS]; /* ticks of each chain of the last slice, in order */
    uint64_t observed;           /* ticks the last slice watched; chains do not count */
    struct gaps gaps;            /* of all slices since spin_start */
    struct platform *platform;
    bool smi_known;
    uint32_t smi; /* count of system-management interrupts, read by spin_count_smi */
};

/* Forgets everything; `platform` must have its ticks_per_second. */
void spin_start(struct spin *spin, struct platform *platform);

/*
 * The following are work for `quietly` or `openly`; the context is the struct spin. Calibrate once
 * before the first slice: the threshold becomes four times the loop's median.
 */
void spin_calibrate(void *context);
void spin_slice(void *context);

/* For `quietly` alone: reads the count of system-management interrupts, where it is known. */
void spin_count_smi(void *context);

#endif
