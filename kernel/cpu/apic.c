/* apic: the local vector table, through memory or MSRs. */
#include "quiet.h"

#include "msr.h"

#define BASE_ENABLED (1u << 11)
#define BASE_X2APIC (1u << 10)
#define BASE_ADDRESS 0xffffff000ull

#define REGISTER_VERSION 0x30
#define REGISTER_COMMAND 0x300 /* the destination is in the next register, but in x2APIC mode */
#define COMMAND_NMI 0x4400u    /* delivery mode 4, level asserted */
#define REGISTER_TIMER 0x320
#define REGISTER_LINT0 0x350
#define REGISTER_LINT1 0x360
#define LVT_MASKED (1u << 16)
#define LVT_MODE (7u << 8)
#define LVT_NMI (4u << 8)
#define LVT_STATUS (1u << 12 | 1u << 14) /* delivery status, remote IRR: read-only */
#define REGISTER_INITIAL_COUNT 0x380
#define TIMER_MODE (3u << 17)
#define TIMER_DEADLINE (2u << 17)

/* In the order of their number in the version register's "max LVT entry"; the last is CMCI. */
static const uint16_t lvt_registers[] = {REGISTER_TIMER, REGISTER_LINT0, REGISTER_LINT1, 0x370,
                                         0x340,          0x330,          0x2f0};

struct apic {
    bool x2apic;
    uint64_t base;
};

static uint64_t read(const struct apic *apic, unsigned at)
{
    uint64_t value = 0;
    if (apic->x2apic)
        msr_read(MSR_X2APIC + at / 16, &value);
    else
        value = *(volatile uint32_t *)(apic->base + at);
    return value;
}

static void write(const struct apic *apic, struct journal *journal, unsigned at, uint32_t value)
{
    if (apic->x2apic)
        journal_msr(journal, MSR_X2APIC + at / 16, value, LVT_STATUS);
    else
        journal_mmio(journal, (volatile uint32_t *)(apic->base + at), value, LVT_STATUS);
}

/* Finds this processor's APIC. False: it is off. */
static bool find(struct apic *apic)
{
    uint64_t base;
    if (!msr_read(MSR_APIC_BASE, &base) || !(base & BASE_ENABLED))
        return false;
    *apic = (struct apic){.x2apic = (base & BASE_X2APIC) != 0, .base = base & BASE_ADDRESS};
    return true;
}

void apic_send_nmi(uint32_t apic_id)
{
    struct apic apic;
    if (!find(&apic))
        return;
    if (apic.x2apic) {
        msr_write(MSR_X2APIC + REGISTER_COMMAND / 16, (uint64_t)apic_id << 32 | COMMAND_NMI);
    } else {
        *(volatile uint32_t *)(apic.base + REGISTER_COMMAND + 16) = apic_id << 24;
        *(volatile uint32_t *)(apic.base + REGISTER_COMMAND) = COMMAND_NMI;
    }
}

void apic_mask(struct journal *journal, enum processor_vendor vendor)
{
    struct apic apic;
    if (!find(&apic))
        return;
    unsigned entries = (read(&apic, REGISTER_VERSION) >> 16 & 0xff) + 1;
    unsigned known = sizeof lvt_registers / sizeof *lvt_registers - (vendor != VENDOR_INTEL);
    /* A deadline passed while masked is lost, and the firmware's timer with it: arm it again. */
    uint64_t timer = read(&apic, REGISTER_TIMER);
    if ((timer & TIMER_MODE) == TIMER_DEADLINE)
        journal_note_msr(journal, MSR_TSC_DEADLINE);
    if ((timer & (TIMER_MODE | LVT_MASKED)) == 0)
        journal_count(journal, apic.x2apic ? MSR_X2APIC + REGISTER_INITIAL_COUNT / 16 : 0,
                      apic.base + REGISTER_INITIAL_COUNT);
    for (unsigned i = 0; i < entries && i < known; i++) {
        unsigned at = lvt_registers[i];
        uint32_t value = (uint32_t)read(&apic, at);
        bool is_wire = at == REGISTER_LINT0 || at == REGISTER_LINT1; /* of the machine's own NMI? */
        if (!(value & LVT_MASKED) && !(is_wire && (value & LVT_MODE) == LVT_NMI))
            write(&apic, journal, at, value | LVT_MASKED);
    }
}
