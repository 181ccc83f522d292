/* journal: note, write, and put back in reverse. */
#include "journal.h"

#include "msr.h"

static volatile uint32_t *mmio(uint64_t where)
{
    return (volatile uint32_t *)where;
}

static void note(struct journal *journal, enum journal_kind kind, uint64_t where, uint64_t before,
                 uint64_t compared)
{
    journal->entry[journal->count++] = (struct journal_entry){kind, where, before, compared};
}

bool journal_note_msr(struct journal *journal, uint32_t index)
{
    uint64_t before;
    if (journal->count == JOURNAL_ENTRIES_MAX || !msr_read(index, &before))
        return false;
    note(journal, JOURNAL_MSR, index, before, 0);
    return true;
}

bool journal_msr(struct journal *journal, uint32_t index, uint64_t value, uint64_t status)
{
    uint64_t before;
    if (journal->count == JOURNAL_ENTRIES_MAX || !msr_read(index, &before) ||
        !msr_write(index, value & ~status))
        return false;
    note(journal, JOURNAL_MSR, index, before & ~status, ~status);
    return true;
}

bool journal_mmio(struct journal *journal, volatile uint32_t *address, uint32_t value,
                  uint32_t status)
{
    if (journal->count == JOURNAL_ENTRIES_MAX)
        return false;
    note(journal, JOURNAL_MMIO, (uint64_t)address, *address & ~status, (uint32_t)~status);
    *address = value & ~status;
    return true;
}

static bool put_back(const struct journal_entry *entry)
{
    uint64_t now;
    if (entry->kind == JOURNAL_MMIO) {
        *mmio(entry->where) = (uint32_t)entry->before;
        now = *mmio(entry->where);
    } else if (!msr_write((uint32_t)entry->where, entry->before) ||
               !msr_read((uint32_t)entry->where, &now)) {
        return false;
    }
    return ((now ^ entry->before) & entry->compared) == 0;
}

void journal_undo(struct journal *journal)
{
    while (journal->count > 0)
        if (!put_back(&journal->entry[--journal->count]))
            journal->failed++;
}
