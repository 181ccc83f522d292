/* settings: what a measurement wants of the processor beyond silence, and what it got. */
#ifndef MLPBOOT_CPU_SETTINGS_H
#define MLPBOOT_CPU_SETTINGS_H

#include "power.h"
#include "prefetch.h"

#define SETTINGS_MAX (PREFETCH_SETTINGS_MAX + POWER_SETTINGS_MAX)

struct settings {
    enum setting_choice prefetch, turbo; /* as asked for; LEAVE: not touched */
    bool performance;                    /* hints to performance, even where turbo is left */
    struct setting record[SETTINGS_MAX]; /* of the last time they were applied */
    unsigned count;
};

/* Applies what is asked for through the journal and fills the records. Ring 0, our IDT loaded. */
void settings_apply(struct settings *settings, const struct processor *processor,
                    struct journal *journal);

#endif
