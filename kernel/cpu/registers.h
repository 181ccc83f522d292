/* registers: one accessor for each register and instruction that C has no word for. Ring 0. */
#ifndef MLPBOOT_CPU_REGISTERS_H
#define MLPBOOT_CPU_REGISTERS_H

#include <stdint.h>

/* The operand of LGDT, LIDT and their stores. */
struct descriptor_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

#define CR0_WP (1ul << 16)
#define CR4_LA57 (1ul << 12)

#define CONTROL_REGISTER(name)                                                                     \
    static inline uint64_t name##_read(void)                                                       \
    {                                                                                              \
        uint64_t value;                                                                            \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value)::"memory");                           \
        return value;                                                                              \
    }                                                                                              \
    static inline void name##_write(uint64_t value)                                                \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #name ::"r"(value) : "memory");                              \
    }

CONTROL_REGISTER(cr0)
CONTROL_REGISTER(cr2)
CONTROL_REGISTER(cr3)
CONTROL_REGISTER(cr4)

#define SEGMENT_REGISTER(name)                                                                     \
    static inline uint16_t name##_read(void)                                                       \
    {                                                                                              \
        uint16_t value;                                                                            \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value));                                     \
        return value;                                                                              \
    }

SEGMENT_REGISTER(cs)
SEGMENT_REGISTER(ds)
SEGMENT_REGISTER(ss)

static inline uint64_t rflags_read(void)
{
    uint64_t value;
    __asm__ volatile("pushfq\n\tpop %0" : "=r"(value)::"memory");
    return value;
}

static inline void rflags_write(uint64_t value)
{
    __asm__ volatile("push %0\n\tpopfq" ::"r"(value) : "memory", "cc");
}

static inline void interrupts_disable(void)
{
    __asm__ volatile("cli" ::: "memory");
}

static inline uint32_t port_read_32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"(port));
    return value;
}

static inline void port_write_8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "d"(port));
}

static inline void invlpg(const void *address)
{
    __asm__ volatile("invlpg (%0)" ::"r"(address) : "memory");
}

static inline void clflush(const void *address)
{
    __asm__ volatile("clflush (%0)" ::"r"(address) : "memory");
}

static inline void mfence(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

#define TABLE_REGISTER(name, load, store)                                                          \
    static inline struct descriptor_pointer name##_read(void)                                      \
    {                                                                                              \
        struct descriptor_pointer value;                                                           \
        __asm__ volatile(store " %0" : "=m"(value));                                               \
        return value;                                                                              \
    }                                                                                              \
    static inline void name##_write(const struct descriptor_pointer *value)                        \
    {                                                                                              \
        __asm__ volatile(load " %0" ::"m"(*value) : "memory");                                     \
    }

TABLE_REGISTER(gdtr, "lgdt", "sgdt")
TABLE_REGISTER(idtr, "lidt", "sidt")

static inline uint16_t tr_read(void)
{
    uint16_t value;
    __asm__ volatile("str %0" : "=r"(value));
    return value;
}

static inline void tr_write(uint16_t selector)
{
    __asm__ volatile("ltr %0" ::"r"(selector) : "memory");
}

#endif
