/* setting: some bits of a register asked for, and what became of it; a record for run.json. */
#ifndef MLPBOOT_CPU_SETTING_H
#define MLPBOOT_CPU_SETTING_H

#include "journal.h"

enum setting_choice { SETTING_LEAVE, SETTING_OFF, SETTING_ON };

struct setting {
    const char *name;              /* "prefetch", "turbo" ... */
    uint32_t msr;                  /* 0: no register was touched */
    uint64_t before, asked, after; /* the whole register; after: as read back */
    const char *why_not;           /* NULL: in force. Else why it is not controllable */
};

/*
 * Sets the bits of `mask` to those of `value` and leaves the others; the journal knows the way
 * back. A register that is as asked for is not written: firmware may have locked it, and the clock
 * need not be asked again for what it does. Fills *setting whatever happens; without a register, or
 * where bits do not stick, why_not says so. False when not in force.
 */
bool setting_apply(struct setting *setting, struct journal *journal, uint32_t msr, uint64_t mask,
                   uint64_t value);

#endif
