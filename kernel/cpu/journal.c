/* journal: note, write, and put back in reverse. */
#include "journal.h"

#include "msr.h"

static volatile uint32_t *mmio(uint64_t where)
{
    return (volatile uint32_t *)where;
}

/* Adds an entry. False: the journal is full. */
static bool note(struct journal *journal, struct journal_entry entry)
{
    if (journal->count == JOURNAL_ENTRIES_MAX)
        return false;
    journal->entry[journal->count++] = entry;
    return true;
}

bool journal_note_msr(struct journal *journal, uint32_t index)
{
    uint64_t before;
    return msr_read(index, &before) &&
           note(journal, (struct journal_entry){JOURNAL_MSR, index, before, 0, 0});
}

bool journal_msr(struct journal *journal, uint32_t index, uint64_t value, uint64_t status)
{
    uint64_t before;
    /* Noted first: whatever ends the work after the write, the way back knows of it. */
    if (!msr_read(index, &before) ||
        !note(journal, (struct journal_entry){JOURNAL_MSR, index, before & ~status, ~status, 0}))
        return false;
    if (msr_write(index, value & ~status))
        return true;
    journal->count--;
    return false;
}

bool journal_sticky(struct journal *journal, uint32_t status, uint32_t clear, uint64_t mask)
{
    uint64_t before;
    return msr_read(status, &before) &&
           note(journal, (struct journal_entry){JOURNAL_STICKY, status, before & mask,
                                                ~before & mask, clear});
}

/* The current count is in the next register, 16 bytes on (Intel SDM 3A, 11.5.4). */
static uint64_t count_read(uint32_t msr, uint64_t address, bool current)
{
    uint64_t value = 0;
    if (msr == 0)
        return *mmio(address + 16 * current);
    msr_read(msr + current, &value);
    return value;
}

bool journal_count(struct journal *journal, uint32_t msr, uint64_t address)
{
    return count_read(msr, address, true) != 0 &&
           note(journal, (struct journal_entry){JOURNAL_COUNT, address,
                                                count_read(msr, address, false), 0, msr});
}

bool journal_mmio(struct journal *journal, volatile uint32_t *address, uint32_t value,
                  uint32_t status)
{
    if (!note(journal, (struct journal_entry){JOURNAL_MMIO, (uint64_t)address, *address & ~status,
                                              (uint32_t)~status, 0}))
        return false;
    *address = value & ~status;
    return true;
}

static bool put_back_mmio(const struct journal_entry *entry)
{
    *mmio(entry->where) = (uint32_t)entry->before;
    return ((*mmio(entry->where) ^ entry->before) & entry->compared) == 0;
}

/* A write that faults does no harm where the register is as before anyway. */
static bool put_back_msr(const struct journal_entry *entry)
{
    uint64_t now;
    bool written = msr_write((uint32_t)entry->where, entry->before);
    return (written || entry->compared != 0) && msr_read((uint32_t)entry->where, &now) &&
           ((now ^ entry->before) & entry->compared) == 0;
}

/* Here `compared` are the bits that were clear. */
static bool put_back_sticky(const struct journal_entry *entry)
{
    uint64_t now;
    if (!msr_read((uint32_t)entry->where, &now))
        return false;
    if ((now & entry->compared) == 0)
        return true;
    return msr_write(entry->clear, now & entry->compared) &&
           msr_read((uint32_t)entry->where, &now) && (now & entry->compared) == 0;
}

static bool put_back_count(const struct journal_entry *entry)
{
    if (count_read(entry->clear, entry->where, true) != 0)
        return true;
    if (entry->clear != 0)
        return msr_write(entry->clear, entry->before);
    *mmio(entry->where) = (uint32_t)entry->before;
    return true;
}

void journal_undo(struct journal *journal)
{
    static bool (*const put_back[])(const struct journal_entry *entry) = {
        [JOURNAL_MSR] = put_back_msr,
        [JOURNAL_MMIO] = put_back_mmio,
        [JOURNAL_STICKY] = put_back_sticky,
        [JOURNAL_COUNT] = put_back_count,
    };
    while (journal->count > 0) {
        const struct journal_entry *entry = &journal->entry[--journal->count];
        if (put_back[entry->kind](entry))
            continue;
        if (journal->failed++ == 0)
            journal->failed_where = entry->where;
    }
}
