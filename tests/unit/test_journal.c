/* test_journal: registers noted, put back and masked, on a model of MSRs and a page of memory. */
#include <sys/mman.h>

#include "../../kernel/cpu/journal.h"
#include "../../kernel/cpu/msr.h"
#include "../../kernel/cpu/quiet.h"
#include "kit.h"

#define MSRS_MAX 64
#define WRITES_MAX 256

#define APIC_BASE 0x1b
#define APIC_ENABLED (1u << 11)
#define APIC_X2APIC (1u << 10)
#define DEADLINE 0x6e0
#define VERSION 0x30
#define TIMER 0x320
#define THERMAL 0x330
#define PERFORMANCE 0x340
#define LINT0 0x350
#define LINT1 0x360
#define ERROR 0x370
#define CMCI 0x2f0 /* corrected machine checks */
#define MASKED (1u << 16)
#define PENDING (1u << 12)
#define REMOTE_IRR (1u << 14)
#define PERIODIC (1u << 17)
#define DEADLINE_MODE (2u << 17)

/* A model-specific register: what is not in the model does not exist. */
struct msr {
    uint32_t index;
    uint64_t value;
    uint64_t reserved; /* writing one of these faults */
    uint64_t owned;    /* the hardware's: a write does not change them */
    bool no_write;     /* every write faults */
};

static struct {
    struct msr msr[MSRS_MAX];
    unsigned msrs;
    struct {
        uint32_t index;
        uint64_t value;
        uint32_t timer; /* what the timer's entry held at that moment */
    } write[WRITES_MAX];
    unsigned writes;
    bool x2apic;
    const struct journal *journal_seen;
    unsigned entries_at_write; /* in it, at the last write */
} model;

static struct journal journal;
static volatile uint32_t *page; /* the APIC's registers in memory */

static struct msr *find(uint32_t index)
{
    for (unsigned i = 0; i < model.msrs; i++)
        if (model.msr[i].index == index)
            return &model.msr[i];
    return NULL;
}

static struct msr *add(uint32_t index, uint64_t value)
{
    assert_compare(model.msrs, <, MSRS_MAX);
    model.msr[model.msrs] = (struct msr){.index = index, .value = value};
    return &model.msr[model.msrs++];
}

static uint32_t lvt(unsigned at)
{
    return model.x2apic ? (uint32_t)find(0x800 + at / 16)->value : page[at / 4];
}

/* In place of kernel/cpu/msr.c. */
bool msr_read(uint32_t index, uint64_t *value)
{
    const struct msr *msr = find(index);
    if (msr != NULL)
        *value = msr->value;
    return msr != NULL;
}

bool msr_write(uint32_t index, uint64_t value)
{
    struct msr *msr = find(index);
    if (msr == NULL || msr->no_write || (value & msr->reserved) != 0)
        return false;
    msr->value = (msr->value & msr->owned) | (value & ~msr->owned);
    assert_compare(model.writes, <, WRITES_MAX);
    model.write[model.writes].index = index;
    model.write[model.writes].value = value;
    model.write[model.writes].timer = model.x2apic && find(0x832) == NULL ? 0 : lvt(TIMER);
    model.writes++;
    if (model.journal_seen != NULL)
        model.entries_at_write = model.journal_seen->count;
    return true;
}

SETUP(start)
{
    memset(&model, 0, sizeof model);
    memset(&journal, 0, sizeof journal);
    for (unsigned i = 0; i < 1024; i++)
        page[i] = 0;
}

/* The address is taken from the lower bits of an MSR: the page must be low. */
SETUP_ALL(make_page)
{
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    page = at;
    assert_true(at != MAP_FAILED);
}

TEARDOWN_ALL(free_page)
{
    assert_int_equal(munmap((void *)page, 4096), 0);
}

/* Puts everything back, of which so many registers have failed to come back by now. */
static void undo(unsigned failed)
{
    journal_undo(&journal);
    assert_numbers((journal.count, journal.failed), (0, failed));
}

/* So many registers were written, and this one last. */
static void assert_wrote(unsigned writes, uint32_t index, uint64_t value)
{
    assert_numbers((model.writes, model.write[writes - 1].index), (writes, index));
    assert_int_equal(model.write[writes - 1].value, value);
}

/* --- the journal ----------------------------------------------------------------------------- */

TEST(writes_and_restores_in_reverse)
{
    static const uint32_t order[] = {0x10, 0x30, 0x20, 0x10, 0x40};
    const uint64_t upper = 0xbbbbbbbb00000000;
    enum { COUNT = 5 };
    for (uint32_t index = 0x10; index <= 0x40; index += 0x10)
        add(index, 0x2222222200000001u + index);
    page[8] = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(journal_msr(&journal, order[i], upper | i, 0));
        assert_true(journal_mmio(&journal, &page[8], 2 + i, 0));
        assert_numbers((find(order[i])->value, page[8]), (upper | i, 2 + i));
    }
    assert_int_equal(journal.count, 2 * COUNT);
    model.writes = 0;
    undo(0);
    assert_int_equal(model.writes, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(model.write[i].index, order[COUNT - 1 - i]);
    /* The register written twice had its second value in between. */
    assert_int_equal(model.write[1].value, upper);
    for (uint32_t index = 0x10; index <= 0x40; index += 0x10)
        assert_int_equal(find(index)->value, 0x2222222200000001u + index);
    assert_int_equal(page[8], 1);
}

TEST(absent_register)
{
    assert_false(journal_msr(&journal, 0x123, 1, 0));
    assert_false(journal_note_msr(&journal, 0x123));
    assert_numbers((journal.count, model.writes), (0, 0));
    undo(0);
}

TEST(refused_write)
{
    add(0x100, 5)->reserved = 0xf0;
    add(0x200, 6)->no_write = true;
    assert_false(journal_msr(&journal, 0x100, 0x10, 0));
    assert_false(journal_msr(&journal, 0x200, 1, 0));
    assert_numbers((journal.count, find(0x100)->value, find(0x200)->value), (0, 5, 6));
    assert_true(journal_msr(&journal, 0x100, 0x0f, 0));
    undo(0);
    assert_int_equal(find(0x100)->value, 5);
}

TEST(full_journal)
{
    add(0x100, 7);
    add(0x200, 8);
    page[0] = 9;
    for (unsigned i = 0; i < JOURNAL_ENTRIES_MAX; i++)
        assert_true(journal_msr(&journal, 0x100, 100 + i, 0));
    model.writes = 0;
    assert_false(journal_msr(&journal, 0x200, 1, 0));
    assert_false(journal_note_msr(&journal, 0x200));
    assert_false(journal_mmio(&journal, &page[0], 1, 0));
    assert_numbers((model.writes, find(0x200)->value, page[0]), (0, 8, 9));
    assert_int_equal(journal.count, JOURNAL_ENTRIES_MAX);
    undo(0);
    assert_int_equal(find(0x100)->value, 7);
    assert_true(journal_msr(&journal, 0x200, 1, 0)); /* room again */
}

/* Status bits are written as 0 and may read back as they like. */
TEST(status_bits)
{
    struct msr *msr = add(0x100, 0x1ff);
    assert_true(journal_msr(&journal, 0x100, 0x2ff, 0x0f));
    assert_wrote(1, 0x100, 0x2f0);
    msr->value |= 0x05; /* the hardware sets one */
    msr->owned = 0x0f;
    undo(0);
    assert_wrote(2, 0x100, 0x1f0);
    assert_int_equal(msr->value, 0x1f5);

    page[1] = 0x1ff;
    assert_true(journal_mmio(&journal, &page[1], 0x2ff, 0x0f));
    assert_int_equal(page[1], 0x2f0);
    undo(0);
    assert_int_equal(page[1], 0x1f0);
}

/* Each that is not as before counts, and the others are put back all the same. */
TEST(failures_count)
{
    for (uint32_t index = 1; index <= 5; index++) {
        add(index, 10 * index);
        assert_true(journal_msr(&journal, index, 1000, 0));
    }
    find(2)->no_write = true; /* cannot be written any more */
    find(4)->owned = 1u << 9; /* keeps a bit of 1000 */
    find(5)->index = 99;      /* is gone */
    undo(3);
    assert_numbers((find(1)->value, find(3)->value), (10, 30));
}

/* What cannot be written but is as before needs no writing; a note has nothing to compare. */
TEST(refused_on_the_way_back)
{
    add(1, 10);
    add(2, 20);
    assert_true(journal_msr(&journal, 1, 11, 0));
    assert_true(journal_note_msr(&journal, 2));
    find(1)->value = 10;
    find(1)->no_write = find(2)->no_write = true;
    undo(1);
    assert_int_equal(journal.failed_where, 2);
}

/* Of the bits that the hardware set meanwhile only those of the mask are cleared, and only those
 * that were clear before. */
TEST(sticky_bits)
{
    struct msr *status = add(0x38e, 0x11);
    struct msr *clear = add(0x390, 0);
    assert_true(journal_sticky(&journal, 0x38e, 0x390, 0x0f));
    assert_false(journal_sticky(&journal, 0x38f, 0x390, 0x0f));
    undo(0);
    assert_int_equal(model.writes, 0); /* nothing came up */

    assert_true(journal_sticky(&journal, 0x38e, 0x390, 0x0f));
    status->value = 0x17; /* 2 and 4 came up, and this register clears nothing */
    undo(1);
    assert_wrote(1, 0x390, 6);
    assert_int_equal(journal.failed_where, 0x38e);
    clear->no_write = true;
    status->value = 0x11;
    assert_true(journal_sticky(&journal, 0x38e, 0x390, 0x0f));
    status->value = 0x31; /* not of the mask */
    undo(1);
}

/* Whether bits came up in a status register that is gone nobody knows: that is no success. */
TEST(sticky_bits_unread)
{
    struct msr *status = add(0x38e, 0x11);
    add(0x390, 0);
    assert_true(journal_sticky(&journal, 0x38e, 0x390, 0x0f));
    status->index = 99;
    undo(1);
    assert_numbers((journal.failed_where, model.writes), (0x38e, 0));
}

/* The value is noted before the write: what ends the work in between is undone all the same. */
TEST(noted_before_written)
{
    add(0x100, 5);
    model.journal_seen = &journal;
    assert_true(journal_msr(&journal, 0x100, 6, 0));
    assert_int_equal(model.entries_at_write, 1);
}

/* A single bit, of the upper half as well. */
TEST(one_wrong_bit_counts)
{
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned way = 0; way < 2; way++) {
            uint64_t mask = 1ull << bit;
            start();
            struct msr *msr = add(0x100, 0);
            assert_true(journal_msr(&journal, 0x100, way ? ~0ull : mask, way ? ~mask : 0));
            msr->owned = way ? ~0ull : mask;
            undo(1);
        }
}

/* Only noted: nothing is written until the way back, and what then reads back does not matter. */
TEST(noted_register)
{
    struct msr *msr = add(0x100, 77);
    assert_true(journal_note_msr(&journal, 0x100));
    assert_int_equal(model.writes, 0);
    msr->value = 0;
    journal_undo(&journal);
    assert_wrote(1, 0x100, 77);
    msr->value = 5;
    assert_true(journal_note_msr(&journal, 0x100));
    msr->value = 0;
    msr->owned = ~0ull;
    undo(0);
}

/* --- the APIC -------------------------------------------------------------------------------- */

static const unsigned lvt_registers[] = {
    TIMER, LINT0, LINT1, ERROR, PERFORMANCE, THERMAL, CMCI,
};
#define LVTS 7

/* An APIC with so many entries, each its own value, none masked. */
static void make_apic(bool x2apic, unsigned entries)
{
    uint32_t version = 0x15 | (entries - 1) << 16;
    model.x2apic = x2apic;
    add(APIC_BASE, (uint64_t)page | APIC_ENABLED | 1u << 8 | (x2apic ? APIC_X2APIC : 0));
    add(DEADLINE, 0x123456789abc);
    if (x2apic)
        add(0x800 + VERSION / 16, version)->no_write = true;
    else
        page[VERSION / 4] = version;
    for (unsigned i = 0; i < entries && i < LVTS; i++)
        if (x2apic)
            add(0x800 + lvt_registers[i] / 16, 0x31 + i)->reserved = ~0x0007f7ffull;
        else
            page[lvt_registers[i] / 4] = 0x31 + i;
}

static void set_lvt(unsigned at, uint32_t value)
{
    if (model.x2apic)
        find(0x800 + at / 16)->value = value;
    else
        page[at / 4] = value;
}

static void check_entries(unsigned entries, uint32_t mask)
{
    for (unsigned i = 0; i < entries; i++)
        assert_int_equal(lvt(lvt_registers[i]), (0x31 + i) | mask);
}

/* Both ways to reach the registers, on a fresh APIC with all entries. */
#define EACH_WAY(x2apic)                                                                           \
    for (int x2apic = 0; x2apic < 2 && (start(), make_apic(x2apic, LVTS), true); x2apic++)

/* Only LVT registers are written: in memory nothing else of the page, of the MSRs no other. */
TEST(writes_nothing_else)
{
    make_apic(false, LVTS);
    for (unsigned i = 0; i < 1024; i++)
        if (page[i] == 0)
            page[i] = 0xa5a50000 + i;
    apic_mask(&journal, VENDOR_INTEL);
    undo(0);
    check_entries(LVTS, 0);
    for (unsigned i = 0; i < 1024; i++)
        assert_true(page[i] == 0xa5a50000 + i || i == VERSION / 4 || page[i] - 0x31 < LVTS);
    assert_int_equal(model.writes, 0);

    start();
    make_apic(true, LVTS);
    apic_mask(&journal, VENDOR_INTEL);
    journal_undo(&journal);
    assert_int_equal(model.writes, 2 * LVTS);
    for (unsigned i = 0; i < model.writes; i++)
        assert_in_range(model.write[i].index, 0x82f, 0x837);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(page[i], 0);
}

/* Every entry there is; more than are known do no harm. */
TEST(masks_every_entry)
{
    for (int x2apic = 0; x2apic < 2; x2apic++)
        for (unsigned entries = 1; entries <= 256; entries += entries <= LVTS ? 1 : 83) {
            unsigned known = entries < LVTS ? entries : LVTS;
            start();
            make_apic(x2apic, entries);
            apic_mask(&journal, VENDOR_INTEL);
            assert_int_equal(journal.count, known);
            check_entries(known, MASKED);
            for (unsigned i = known; !x2apic && i < LVTS; i++)
                assert_int_equal(page[lvt_registers[i] / 4], 0);
            undo(0);
            check_entries(known, 0);
        }
}

/* One entry is set otherwise than usual; all others are masked and put back. */
TEST(entries_that_are_left_alone)
{
    static const struct {
        enum processor_vendor vendor;
        unsigned at;
        uint32_t before;
        bool is_left;
    } cases[] = {/* The wire of the machine's NMI; a counter's NMI is nobody's but ours. */
                 {VENDOR_INTEL, LINT1, 0x400, true},
                 {VENDOR_INTEL, LINT0, 0x400, true},
                 {VENDOR_INTEL, PERFORMANCE, 0x400, false},
                 /* Entries that firmware masked. */
                 {VENDOR_INTEL, LINT1, 0x4000 | MASKED | REMOTE_IRR, true},
                 {VENDOR_INTEL, ERROR, 0xfe | MASKED, true},
                 /* There 2F0H is another vendor's: no register of AMD's. */
                 {VENDOR_AMD, CMCI, 0x400, true}};
    for (EACH(c, cases))
        EACH_WAY(x2apic)
        {
            set_lvt(c->at, c->before);
            apic_mask(&journal, c->vendor);
            assert_int_equal(journal.count, LVTS - c->is_left);
            for (unsigned moment = 0; moment < 2; moment++) {
                for (unsigned n = 0; n < LVTS; n++) {
                    bool is_it = lvt_registers[n] == c->at;
                    bool is_masked = moment == 0 && !(is_it && c->is_left);
                    assert_int_equal(lvt(lvt_registers[n]),
                                     (is_it ? c->before : 0x31 + n) | (is_masked ? MASKED : 0));
                }
                undo(0);
            }
        }
}

/* Delivery status and remote IRR belong to the hardware: never written as 1, never compared. */
TEST(status_of_entries)
{
    make_apic(true, LVTS);
    find(0x835)->value |= REMOTE_IRR | PENDING | 0x8000;
    find(0x835)->owned = REMOTE_IRR | PENDING;
    apic_mask(&journal, VENDOR_INTEL);
    assert_int_equal(lvt(LINT0), 0x32 | 0x8000 | MASKED | REMOTE_IRR | PENDING);
    find(0x835)->value &= ~(uint64_t)PENDING; /* delivered meanwhile */
    undo(0);
    for (unsigned i = 0; i < model.writes; i++)
        assert_int_equal(model.write[i].value & (REMOTE_IRR | PENDING), 0);
    assert_int_equal(lvt(LINT0), 0x32 | 0x8000 | REMOTE_IRR);
}

TEST(disabled_or_absent)
{
    EACH_WAY(x2apic)
    {
        find(APIC_BASE)->value &= ~(uint64_t)APIC_ENABLED;
        apic_mask(&journal, VENDOR_INTEL);
        assert_numbers((journal.count, model.writes), (0, 0));
        check_entries(LVTS, 0);
    }
    start();
    apic_mask(&journal, VENDOR_INTEL); /* no APIC at all */
    assert_numbers((journal.count, model.writes), (0, 0));
}

/* In TSC-deadline mode alone the deadline comes back, and only once the timer may fire again. */
TEST(deadline_is_armed_again)
{
    static const uint32_t modes[] = {0, PERIODIC, DEADLINE_MODE, DEADLINE_MODE | MASKED};
    for (unsigned mode = 0; mode < 4; mode++)
        EACH_WAY(x2apic)
        {
            uint32_t before = 0x31 | modes[mode];
            set_lvt(TIMER, before);
            apic_mask(&journal, VENDOR_INTEL);
            assert_int_equal(lvt(TIMER), before | MASKED);
            find(DEADLINE)->value = 0; /* it passed meanwhile */
            unsigned armed = 0;
            undo(0);
            for (unsigned i = 0; i < model.writes; i++)
                armed += model.write[i].index == DEADLINE;
            assert_int_equal(armed, (modes[mode] & DEADLINE_MODE) != 0);
            if (armed) {
                assert_wrote(model.writes, DEADLINE, 0x123456789abc);
                assert_int_equal(model.write[model.writes - 1].timer, before);
            }
            assert_int_equal(lvt(TIMER), before);
        }
}

/* Neither a deadline that passes at once, which reads back as 0, is a failure, nor one that is not
 * there. */
TEST(deadline_that_does_not_come_back)
{
    for (unsigned is_there = 0; is_there < 2; is_there++) {
        start();
        make_apic(true, LVTS);
        set_lvt(TIMER, 0x31 | DEADLINE_MODE);
        if (!is_there)
            find(DEADLINE)->index = 0x999;
        apic_mask(&journal, VENDOR_INTEL);
        assert_int_equal(journal.count, LVTS + is_there);
        if (is_there) {
            find(DEADLINE)->value = 0;
            find(DEADLINE)->owned = ~0ull;
        }
        undo(0);
        assert_int_equal(lvt(TIMER), 0x31 | DEADLINE_MODE);
    }
}

#define INITIAL 0x380
#define CURRENT 0x390

/* A timer that counts once: started anew where it came to its end while it was masked, and only
 * then. */
TEST(a_timer_that_ended_meanwhile_is_started_anew)
{
    static const struct {
        uint32_t mode, before, after;
        bool starts;
    } cases[] = {{0, 500, 0, true},
                 {0, 500, 1, false},
                 {0, 0, 0, false},
                 {MASKED, 500, 0, false},
                 {PERIODIC, 500, 0, false}};
    for (EACH(c, cases))
        EACH_WAY(x2apic)
        {
            if (x2apic) {
                add(0x800 + INITIAL / 16, 0);
                add(0x800 + CURRENT / 16, 0);
            }
            set_lvt(TIMER, 0x31 | c->mode);
            set_lvt(INITIAL, 1000);
            set_lvt(CURRENT, c->before);
            apic_mask(&journal, VENDOR_INTEL);
            set_lvt(INITIAL, 7); /* so that a write shows in memory, too */
            set_lvt(CURRENT, c->after);
            undo(0);
            assert_int_equal(lvt(INITIAL), c->starts ? 1000 : 7);
            assert_int_equal(lvt(TIMER), 0x31 | c->mode);
        }
}
