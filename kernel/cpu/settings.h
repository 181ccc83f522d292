/* settings: what a measurement wants of the processor beyond silence, and what it got. */
#ifndef MLPBOOT_CPU_SETTINGS_H
#define MLPBOOT_CPU_SETTINGS_H

#include "../data/case.h"
#include "../lib/text.h"
#include "journal.h"
#include "processor.h"

/* What a bit switches. Lists end at one without a name. */
struct setting_bit {
    uint8_t bit;
    const char *name;
};

struct setting {
    const char *name;               /* "prefetch", "turbo" ... */
    uint32_t msr;                   /* 0: no register was looked at */
    bool is_read;                   /* before is known */
    uint64_t before, asked, after;  /* the whole register; after: as read back */
    const char *why_not;            /* NULL: in force. Else why it is not controllable */
    const struct setting_bit *bits; /* the names of its switches; NULL: it has none */
    uint64_t disable, enable;       /* which of them it has: a 1 switches off, or on */
};

/*
 * Sets the bits of `mask` to those of `value` and leaves the others; the journal knows the way
 * back. A register that is as asked for is not written: firmware may have locked it, and the clock
 * need not be asked again for what it does. Fills *setting whatever happens; without a register, or
 * where bits do not stick, why_not says so. False when not in force.
 */
bool setting_apply(struct setting *setting, struct journal *journal, uint32_t msr, uint64_t mask,
                   uint64_t value);

/* The same with all switches of setting->disable and setting->enable; SETTING_LEAVE only looks. */
bool setting_switch(struct setting *setting, struct journal *journal, uint32_t msr,
                    enum setting_choice choice);

/* Adds each switch as it was found: "L2 streamer on, L1 stride off". Nothing where the register has
 * none or could not be read. */
void setting_found(const struct setting *setting, struct text *text);

/* Counts the switches that were found on, and adds to *all how many there are; none likewise. */
unsigned setting_found_on(const struct setting *setting, unsigned *all);

/* --- prefetch.c: the hardware prefetchers of the core we run on, off or on -------------------- */

#define PREFETCH_SETTINGS_MAX 3

/*
 * Fills one record per register that controls prefetchers on this model, at least one, and returns
 * how many; SETTING_LEAVE writes none. The registers belong to a physical core, those of AMD's
 * family 15h and the L2 of 16h to several. Ring 0 with our own IDT loaded. Sources stand beside the
 * table.
 */
unsigned prefetch_apply(struct setting settings[PREFETCH_SETTINGS_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice);

/* --- power.c: turbo and energy hints, for a clock that stands still or runs its fastest ------- */

#define POWER_SETTINGS_MAX 3

/*
 * Turbo as chosen, and with either choice the hints to performance; SETTING_LEAVE only looks.
 * Fills a record for each and returns how many. Where the processor chooses its own clock (HWP) and
 * turbo is to be off, it is held at the guaranteed frequency; HWP is never switched on, since only
 * a reset switches it off. Ring 0 with our own IDT loaded. Intel SDM 3B, "Power and thermal
 * management"; AMD APM 2, 17.2.
 */
unsigned power_apply(struct setting settings[POWER_SETTINGS_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo);

/* --- settings.c: both ------------------------------------------------------------------------- */

#define SETTINGS_MAX (PREFETCH_SETTINGS_MAX + POWER_SETTINGS_MAX)

struct settings {
    enum setting_choice prefetch, turbo; /* as asked for */
    struct setting record[SETTINGS_MAX]; /* of the last time they were applied */
    unsigned count;
};

/*
 * Applies what is asked for through the journal, looks at what is not, and fills the records. Ring
 * 0, our IDT loaded.
 */
void settings_apply(struct settings *settings, const struct processor *processor,
                    struct journal *journal);

#endif
