/* switches: sets what a measurement wants of the processor beyond silence; keeps what it got. */
#ifndef MLPBOOT_CPU_SWITCHES_H
#define MLPBOOT_CPU_SWITCHES_H

#include "power.h"
#include "prefetch.h"

#define SWITCHES_MAX (PREFETCH_SWITCHES_MAX + POWER_SWITCHES_MAX)

struct switches {
    enum setting_choice prefetch, turbo;    /* as asked for */
    struct msr_switch record[SWITCHES_MAX]; /* of the last time they were applied */
    unsigned count;
};

/* Sets what is asked for by the journal, reads the rest, fills the records. Ring 0, our own IDT. */
void switches_apply(struct switches *switches, const struct processor *processor,
                    struct journal *journal);

#endif
