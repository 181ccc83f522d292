/* state: control, segment and table registers, the local APIC, and listed MSRs, in hexadecimal. */
#include "state.h"

#include "../../../kernel/cpu/registers.h"

/* Mere results of arithmetic. */
#define RFLAGS_ARITHMETIC 0x8d5ul /* CF PF AF ZF SF OF */
#define MXCSR_EXCEPTIONS 0x3fu

#define MSR_APIC_BASE 0x1b
#define MSR_PAT 0x277
#define MSR_X2APIC 0x800
#define MSR_EFER 0xc0000080
#define BASE_ENABLED (1u << 11)
#define BASE_X2APIC (1u << 10)
#define BASE_ADDRESS 0xffffff000ull

/* Intel SDM volume 3A, chapter 11; the LVT in the order of "max LVT entry" in the version. */
#define APIC_VERSION 0x30
#define LVT_STATUS (1u << 12 | 1u << 14) /* delivery status, remote IRR */
static const struct {
    const char *name;
    uint16_t at;
} lvt[] = {{"timer", 0x320}, {"counters", 0x340}, {"lint0", 0x350}, {"lint1", 0x360},
           {"error", 0x370}, {"thermal", 0x330},  {"cmci", 0x2f0}},
  apic_others[] = {
      {"tpr", 0x80}, {"spurious", 0xf0}, {"timer-initial", 0x380}, {"timer-divide", 0x3e0}};

SEGMENT_REGISTER(es)
SEGMENT_REGISTER(fs)
SEGMENT_REGISTER(gs)

static uint64_t dr7_read(void)
{
    uint64_t value;
    __asm__ volatile("mov %%dr7, %0" : "=r"(value));
    return value;
}

/* Not the image's: those catch faults by its IDT, which is not loaded here. */
uint64_t state_msr(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(index) : "memory");
    return (uint64_t)high << 32 | low;
}

void state_set_msr(uint32_t index, uint64_t value)
{
    __asm__ volatile("wrmsr" ::"c"(index), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

static uint32_t mxcsr(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

/* FNV-1a: whether a descriptor table still holds what it held. */
static uint64_t hash(struct descriptor_pointer table)
{
    uint64_t value = 0xcbf29ce484222325;
    for (unsigned i = 0; i <= table.limit; i++)
        value = (value ^ ((const uint8_t *)table.base)[i]) * 0x100000001b3;
    return value;
}

static uint32_t apic_read(uint64_t base, unsigned at)
{
    if (base & BASE_X2APIC)
        return (uint32_t)state_msr(MSR_X2APIC + at / 16);
    return *(volatile uint32_t *)((base & BASE_ADDRESS) + at);
}

static void tell_apic(const char *moment, const char *whose, struct text *text)
{
    uint64_t base = state_msr(MSR_APIC_BASE);
    if (!(base & BASE_ENABLED))
        return;
    unsigned entries = (apic_read(base, APIC_VERSION) >> 16 & 0xff) + 1;
    for (unsigned i = 0; i < entries && i < sizeof lvt / sizeof *lvt; i++)
        text_printf(text, "%s %slvt-%s %x\n", moment, whose, lvt[i].name,
                    apic_read(base, lvt[i].at) & ~LVT_STATUS);
    for (unsigned i = 0; i < sizeof apic_others / sizeof *apic_others; i++)
        text_printf(text, "%s %sapic-%s %x\n", moment, whose, apic_others[i].name,
                    apic_read(base, apic_others[i].at));
}

static void tell_registers(const char *moment, const char *whose, struct text *text)
{
    struct descriptor_pointer gdt = gdtr_read(), idt = idtr_read();
    const struct {
        const char *name;
        uint64_t value;
    } registers[] = {
        {"cr0", cr0_read()},
        {"cr3", cr3_read()},
        {"cr4", cr4_read()},
        {"dr7", dr7_read()},
        {"rflags", rflags_read() & ~RFLAGS_ARITHMETIC},
        {"mxcsr", mxcsr() & ~MXCSR_EXCEPTIONS},
        {"cs", cs_read()},
        {"ds", ds_read()},
        {"es", es_read()},
        {"fs", fs_read()},
        {"gs", gs_read()},
        {"ss", ss_read()},
        {"tr", tr_read()},
        {"gdt-base", gdt.base},
        {"gdt-limit", gdt.limit},
        {"gdt-hash", hash(gdt)},
        {"idt-base", idt.base},
        {"idt-limit", idt.limit},
        {"idt-hash", hash(idt)},
        {"efer", state_msr(MSR_EFER)},
        {"pat", state_msr(MSR_PAT)},
        {"apic-base", state_msr(MSR_APIC_BASE)},
    };
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
        text_printf(text, "%s %s%s %lx\n", moment, whose, registers[i].name, registers[i].value);
}

void state_set(const struct list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->msr[i].set)
            state_set_msr(list->msr[i].index, list->msr[i].value);
}

void state_tell(const struct list *list, const char *moment, const char *whose, struct text *text)
{
    tell_registers(moment, whose, text);
    tell_apic(moment, whose, text);
    for (unsigned i = 0; i < list->count; i++)
        text_printf(text, "%s %smsr-%x %lx\n", moment, whose, list->msr[i].index,
                    state_msr(list->msr[i].index));
}
