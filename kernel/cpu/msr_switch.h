/* msr_switch: sets the switches of one MSR through the journal and reads them back. */
#ifndef MLPBOOT_CPU_MSR_SWITCH_H
#define MLPBOOT_CPU_MSR_SWITCH_H

#include "../data/case.h"
#include "../lib/text.h"
#include "journal.h"

/* A bit and what it switches. Lists end at a bit without a name. */
struct msr_bit {
    uint8_t bit;
    const char *name;
};

/* One register and its switches: as found, as asked for, and as read back. */
struct msr_switch {
    const char *name;              /* "prefetch", "turbo" ... */
    uint32_t msr;                  /* 0: no register was looked at */
    bool is_read;                  /* before is known */
    uint64_t before, asked, after; /* the whole register; after: as read back */
    const char *why_not;           /* NULL: in force. Else why it is not controllable */
    const struct msr_bit *bits;    /* the names of its switches; NULL: it has none */
    uint64_t disable, enable;      /* which of them it has: a 1 switches off, or on */
};

/*
 * Sets the bits of `mask` to those of `value` and leaves the others; the journal restores them.
 * Writes nothing if the register already holds the value: firmware may have locked it, and a
 * written clock request takes effect again. Fills *s in any case; why_not gives the reason if there
 * is no register or the bits do not stick. True if the value is in force.
 */
bool msr_switch_write(struct msr_switch *s, struct journal *journal, uint32_t msr, uint64_t mask,
                      uint64_t value);

/* Sets all switches of s->disable and s->enable in the same way; SETTING_LEAVE only reads. */
bool msr_switch_set(struct msr_switch *s, struct journal *journal, uint32_t msr,
                    enum setting_choice choice);

/* Adds each switch as it was found: "L2 streamer on, L1 stride off". Adds nothing if the register
 * has no switches or could not be read. */
void msr_switch_found(const struct msr_switch *s, struct text *text);

/* Returns how many switches were found on, and adds to *all how many there are. */
unsigned msr_switch_count_on(const struct msr_switch *s, unsigned *all);

#endif
