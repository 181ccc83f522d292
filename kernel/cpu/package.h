/* package: reads what surrounds the cores and shifts the times of L3 and memory: the uncore's
 * clock, and the encryption of memory. */
#ifndef MLPBOOT_CPU_PACKAGE_H
#define MLPBOOT_CPU_PACKAGE_H

#include "processor.h"

#define UNCORE_SPANS_MAX 32

/* Millions of cycles a second, 0: not known. */
struct uncore_span {
    const char *step; /* the step of the run in which they were seen */
    unsigned least, most;
};

/* Starts as zeroes. */
struct uncore_clock {
    const char *why_not; /* why it is not known; NULL: it is, or nobody looked yet */
    struct uncore_span permitted, span[UNCORE_SPANS_MAX];
    unsigned spans;
};

/*
 * Adds the uncore's clock of this moment to the last span, or starts another one if the step's name
 * is another; further steps than UNCORE_SPANS_MAX are left out. Once it is not known it stays so.
 * Intel SDM 4, MSR_UNCORE_RATIO_LIMIT (620H) and MSR_UNCORE_PERF_STATUS (621H), in units of 100
 * MHz, since Haswell's servers; TPMI instead: Linux, drivers/platform/x86/intel/uncore-frequency.
 * Ring 0 with our own IDT loaded.
 */
void uncore_look(struct uncore_clock *clock, const struct processor *processor, const char *step);

/*
 * Returns in words if the array's memory is encrypted: "off", "on: AES-XTS-128", or "not known: "
 * and why. Ring 0 with our own IDT loaded. Intel SDM 4, IA32_TME_ACTIVATE (982H), and 2A, CPUID
 * (7,0):ECX[13]; AMD APM 2, 7.10, SYSCFG[SMEE] (C001_0010H), and CPUID leaf 8000001FH.
 */
const char *memory_encryption(const struct processor *processor);

#endif
