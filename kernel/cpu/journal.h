/* journal: every register of the machine that is written, with its old value, for the way back. */
#ifndef MLPBOOT_CPU_JOURNAL_H
#define MLPBOOT_CPU_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_ENTRIES_MAX 64

enum journal_kind { JOURNAL_MSR, JOURNAL_MMIO, JOURNAL_STICKY, JOURNAL_COUNT };

struct journal_entry {
    enum journal_kind kind;
    uint64_t where; /* MSR number, or address of a 32-bit register */
    uint64_t before;
    uint64_t compared; /* the bits that must read back as before */
    uint32_t clear;    /* sticky bits: the MSR where writing a 1 clears one; a count: its MSR */
};

struct journal {
    struct journal_entry entry[JOURNAL_ENTRIES_MAX];
    unsigned count;
    unsigned failed;       /* entries that could not be put back or did not read back as before */
    uint64_t failed_where; /* the first of them, as in its entry */
};

/*
 * Writes a register and notes its old value. `status` are bits that the hardware owns: written as 0
 * and not compared. False, with nothing changed or noted, when the register cannot be read or
 * written, or the journal is full. Ring 0 with our own IDT loaded.
 */
bool journal_msr(struct journal *journal, uint32_t index, uint64_t value, uint64_t status);
bool journal_mmio(struct journal *journal, volatile uint32_t *address, uint32_t value,
                  uint32_t status);

/* Notes an MSR that the hardware changes by itself meanwhile, so that its value now comes back. */
bool journal_note_msr(struct journal *journal, uint32_t index);

/* Notes bits that hardware sets and ones written to another MSR clear: undoing clears those of
 * `mask` that are set then and were not before. False: `status` cannot be read, or the journal is
 * full. */
bool journal_sticky(struct journal *journal, uint32_t status, uint32_t clear, uint64_t mask);

/*
 * Notes the initial count of a local APIC's timer: undoing starts it anew if the timer, which
 * counts down to 0 once, got there meanwhile. `msr` is its MSR where there is one, else 0, and the
 * register is at `address`. False: it is not counting, or the journal is full.
 */
bool journal_count(struct journal *journal, uint32_t msr, uint64_t address);

/*
 * Puts everything back in reverse order, reads it back, and empties the journal. Registers that
 * cannot be put back are counted in `failed`, and the rest is put back all the same.
 */
void journal_undo(struct journal *journal);

#endif
