/* descriptors: builds the tables of Intel SDM volume 3A, chapters 3, 6 and 8. */
#include "descriptors.h"

#include "../lib/string.h"
#include "exceptions.h"

#define GDT_ENTRIES_MAX 64
#define STACK_BYTES 8192
#define GATE_PRESENT_INTERRUPT 0x8e
#define TSS_AVAILABLE 0x89ul
#define TSS_BUSY_BIT (2ul << 40)
/* #VE, #HV, #VC, #SX: what the firmware of a TDX or SEV guest answers to go on at all. */
#define OF_ENCRYPTED_GUESTS (1u << 20 | 7u << 28)

struct tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map;
} __attribute__((packed));

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};

enum { IST_NONE, IST_NMI, IST_DOUBLE_FAULT, IST_MACHINE_CHECK, IST_COUNT };

static uint64_t gdt[GDT_ENTRIES_MAX + 2] __attribute__((aligned(16)));
static struct gate idt[256] __attribute__((aligned(16)));
static struct tss tss __attribute__((aligned(16)));
static uint8_t stacks[IST_COUNT][STACK_BYTES] __attribute__((aligned(16)));

static struct gate own_gate(unsigned vector, uint8_t ist)
{
    uint64_t entry = (uint64_t)exception_stubs + vector * EXCEPTION_STUB_BYTES;
    return (struct gate){
        .offset_low = (uint16_t)entry,
        .selector = cs_read(),
        .ist = ist,
        .type = GATE_PRESENT_INTERRUPT,
        .offset_middle = (uint16_t)(entry >> 16),
        .offset_high = (uint32_t)(entry >> 32),
    };
}

static void fill_idt(void)
{
    static const uint8_t ist[256] = {
        [VECTOR_NMI] = IST_NMI,
        [VECTOR_DOUBLE_FAULT] = IST_DOUBLE_FAULT,
        [VECTOR_MACHINE_CHECK] = IST_MACHINE_CHECK,
    };
    for (unsigned i = 0; i < 256; i++)
        idt[i] = own_gate(i, ist[i]);
}

/* Copies the firmware's descriptors and puts the TSS's behind them; returns its selector. */
static uint16_t fill_gdt(const struct descriptor_pointer *firmware, unsigned entries)
{
    uint64_t base = (uint64_t)&tss, limit = sizeof tss - 1;
    memcpy(gdt, (const void *)firmware->base, entries * 8);
    gdt[entries] =
        limit | (base & 0xffffff) << 16 | TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
    gdt[entries + 1] = base >> 32;
    return (uint16_t)(entries * 8);
}

bool descriptors_load(struct descriptors_before *before)
{
    *before = (struct descriptors_before){gdtr_read(), idtr_read(), tr_read()};
    /* Those in use must be among the copied ones; TR's may be our own, left from last time. */
    unsigned entries = (before->gdtr.limit + 1u) / 8;
    unsigned copied = entries < GDT_ENTRIES_MAX ? entries : GDT_ENTRIES_MAX;
    if (cs_read() / 8u >= copied || ss_read() / 8u >= copied || before->tr / 8u > copied)
        return false;
    tss = (struct tss){.io_map = sizeof tss};
    for (unsigned i = IST_NMI; i < IST_COUNT; i++)
        tss.ist[i - 1] = (uint64_t)(stacks[i] + STACK_BYTES);
    fill_idt();
    uint16_t selector = fill_gdt(&before->gdtr, copied);
    struct descriptor_pointer own_gdt = {(uint16_t)(selector + 15), (uint64_t)gdt};
    struct descriptor_pointer own_idt = {sizeof idt - 1, (uint64_t)idt};
    gdtr_write(&own_gdt);
    tr_write(selector);
    idtr_write(&own_idt);
    return true;
}

void descriptors_restore(const struct descriptors_before *before)
{
    idtr_write(&before->idtr);
    if (before->tr != 0) {
        /* LTR refuses a busy TSS; only our copy of its descriptor is changed. */
        gdt[before->tr / 8] &= ~TSS_BUSY_BIT;
        tr_write(before->tr);
    }
    gdtr_write(&before->gdtr);
}

bool descriptors_are_ours(void)
{
    return idtr_read().base == (uint64_t)idt;
}

/* --- exceptions of the firmware's code ------------------------------------------------------- */

static struct descriptor_pointer found, caught;

static void copy_gates(void)
{
    memcpy((void *)caught.base, (const void *)found.base, caught.limit + 1ul);
}

void descriptors_catch(void *memory)
{
    struct gate *gate = memory;
    found = idtr_read();
    caught = (struct descriptor_pointer){found.limit, (uint64_t)memory};
    if (caught.limit >= DESCRIPTORS_CATCH_BYTES)
        caught.limit = DESCRIPTORS_CATCH_BYTES - 1;
    copy_gates();
    for (unsigned i = 0; i < 32 && i < (caught.limit + 1u) / sizeof *gate; i++)
        if (!(OF_ENCRYPTED_GUESTS >> i & 1))
            gate[i] = own_gate(i, gate[i].ist);
    idtr_write(&caught);
}

struct descriptor_pointer descriptors_join(void)
{
    struct descriptor_pointer before = idtr_read();
    if (caught.base != 0)
        idtr_write(&caught);
    return before;
}

void descriptors_let_go(void)
{
    if (caught.base == 0)
        return;
    copy_gates();
    idtr_write(&found);
    caught.base = 0;
}

uint64_t descriptors_found(uint64_t vector)
{
    const struct gate *gate = (const struct gate *)found.base + vector;
    return gate->offset_low | (uint64_t)gate->offset_middle << 16 |
           (uint64_t)gate->offset_high << 32;
}
