/* settings: what a measurement wants of the processor beyond silence, and what it got. */
#ifndef MLPBOOT_CPU_SETTINGS_H
#define MLPBOOT_CPU_SETTINGS_H

#include "journal.h"
#include "processor.h"

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

/* --- prefetch.c: the hardware prefetchers of the core we run on, off or on -------------------- */

#define PREFETCH_SETTINGS_MAX 3

/*
 * Fills one record per register that controls prefetchers on this model, at least one, and returns
 * how many. The registers belong to a physical core. Ring 0 with our own IDT loaded. Sources stand
 * beside the table.
 */
unsigned prefetch_apply(struct setting settings[PREFETCH_SETTINGS_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice);

/* --- power.c: turbo and energy hints, for a clock that stands still or runs its fastest ------- */

#define POWER_SETTINGS_MAX 3

/*
 * Turbo as chosen, and the hints to performance; fills a record for each and returns how many.
 * Where the processor chooses its own clock (HWP) and turbo is to be off, it is held at the
 * guaranteed frequency; HWP is never switched on, since only a reset switches it off. Ring 0 with
 * our own IDT loaded. Intel SDM 3B, "Power and thermal management"; AMD APM 2, 17.2.
 */
unsigned power_apply(struct setting settings[POWER_SETTINGS_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo);

/* --- settings.c: both ------------------------------------------------------------------------- */

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
