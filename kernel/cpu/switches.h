/* switches: sets what a measurement wants of the processor beyond silence: prefetchers and the
 * clock, by bits of MSRs that the journal restores; keeps what it got. */
#ifndef MLPBOOT_CPU_SWITCHES_H
#define MLPBOOT_CPU_SWITCHES_H

#include "../data/case.h"
#include "../lib/text.h"
#include "journal.h"
#include "processor.h"

/* A bit and what it switches. Lists end at a bit without a name. */
struct msr_bit {
    uint8_t bit;
    const char *name;
};

/* A register and its switches: as found, as asked for, and as read back. */
struct msr_switch {
    const char *name;              /* "prefetch", "turbo" ... */
    uint32_t msr;                  /* 0: no register was looked at */
    bool is_read;                  /* before is known */
    uint64_t before, asked, after; /* the whole register; after: as read back */
    const char *why_not;           /* NULL: in force. Else why it is not controllable */
    const struct msr_bit *bits;    /* the names of its switches; NULL: it has none */
    uint64_t disable, enable;      /* which of them it has: a 1 switches off, or on */
    uint64_t refused;              /* those that could not be set, while others were */
};

/*
 * Sets the bits of `mask` to those of `value` and leaves the others; the journal restores them.
 * Writes nothing if the register already holds the value: firmware may have locked it, and a
 * written clock request takes effect again. Fills *s in any case; why_not gives the reason if there
 * is no register or the bits do not stick. True if the value is in force.
 */
bool msr_switch_write(struct msr_switch *s, struct journal *journal, uint32_t msr, uint64_t mask,
                      uint64_t value);

/*
 * Sets all switches of s->disable and s->enable in the same way; SETTING_LEAVE only reads. If the
 * register refuses them together, since one of them is a reserved bit of this model, each is tried
 * alone. True if any is in force; s->refused has the others.
 */
bool msr_switch_set(struct msr_switch *s, struct journal *journal, uint32_t msr,
                    enum setting_choice choice);

/* Adds each switch as it was found: "L2 streamer on, L1 stride off". Adds nothing if the register
 * has no switches or could not be read. */
void msr_switch_found(const struct msr_switch *s, struct text *text);

/* Adds the names of those refused, commas between. */
void msr_switch_refused(const struct msr_switch *s, struct text *text);

/* Returns how many switches were found on, and adds to *all how many there are. */
unsigned msr_switch_count_on(const struct msr_switch *s, unsigned *all);

/* --- prefetch.c ------------------------------------------------------------------------------ */

#define PREFETCH_SWITCHES_MAX 3

/*
 * Fills one record for each register that controls prefetchers on this model, at least one, and
 * returns how many; SETTING_LEAVE writes none. The registers belong to a physical core. Needs
 * ring 0 with our own IDT. The sources stand beside the table.
 */
unsigned prefetch_apply(struct msr_switch switches[PREFETCH_SWITCHES_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice);

/* --- power.c --------------------------------------------------------------------------------- */

#define POWER_SWITCHES_MAX 3

/*
 * Sets turbo as chosen, and with either choice the hints to performance; SETTING_LEAVE only reads.
 * Fills a record for each and returns how many. If the processor chooses its own clock (HWP) and
 * turbo is to be off, holds it at the guaranteed frequency; never switches HWP on, since only a
 * reset switches it off. Needs ring 0 with our own IDT. Intel SDM 3B, "Power and thermal
 * management"; AMD APM 2, 17.2.
 */
unsigned power_apply(struct msr_switch switches[POWER_SWITCHES_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo);

/* --- both ------------------------------------------------------------------------------------ */

#define SWITCHES_MAX (PREFETCH_SWITCHES_MAX + POWER_SWITCHES_MAX)

struct switches {
    enum setting_choice prefetch, turbo;    /* as asked for */
    struct msr_switch record[SWITCHES_MAX]; /* of the last time they were applied */
    unsigned count;
    uint64_t
        settle_ticks; /* of the TSC: how long a core may keep its old clock; 0: not waited for */
};

/*
 * Sets what is asked for by the journal, reads the rest, fills the records. After a change of the
 * clock waits until the core has taken it: a boost goes on for about a millisecond, which 5 ms
 * cover. Ring 0, our own IDT.
 */
void switches_apply(struct switches *switches, const struct processor *processor,
                    struct journal *journal);

#endif
