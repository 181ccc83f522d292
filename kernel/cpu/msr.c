/* msr: each access has a landing in the exception table, which the linker collects. */
#include "msr.h"

/* Inside an asm statement: a fault at label `from` continues at label `to`. */
#define EXTABLE(from, to)                                                                          \
    ".pushsection extable, \"a\"\n\t"                                                              \
    ".balign 4\n\t"                                                                                \
    ".long " #from " - .\n\t"                                                                      \
    ".long " #to " - .\n\t"                                                                        \
    ".popsection\n\t"

#define DEFINE_READ(name, instruction)                                                             \
    bool name(uint32_t index, uint64_t *value)                                                     \
    {                                                                                              \
        uint32_t low = 0, high = 0, done = 0;                                                      \
        __asm__ volatile("1: " instruction "\n\t"                                                  \
                         "mov $1, %2\n\t"                                                          \
                         "2:\n\t" EXTABLE(1b, 2b)                                                  \
                         : "+a"(low), "+d"(high), "+r"(done)                                       \
                         : "c"(index)                                                              \
                         : "memory");                                                              \
        if (done)                                                                                  \
            *value = (uint64_t)high << 32 | low;                                                   \
        return done;                                                                               \
    }

DEFINE_READ(msr_read, "rdmsr")
DEFINE_READ(counter_read, "rdpmc")

bool msr_write(uint32_t index, uint64_t value)
{
    uint32_t done = 0;
    __asm__ volatile("1: wrmsr\n\t"
                     "mov $1, %0\n\t"
                     "2:\n\t" EXTABLE(1b, 2b)
                     : "+r"(done)
                     : "c"(index), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
    return done;
}

bool memory_read(const uint8_t *address, uint8_t *value)
{
    uint32_t done = 0;
    uint8_t byte = 0;
    __asm__ volatile("1: movb (%2), %1\n\t"
                     "mov $1, %0\n\t"
                     "2:\n\t" EXTABLE(1b, 2b)
                     : "+r"(done), "+q"(byte)
                     : "r"(address)
                     : "memory");
    if (done)
        *value = byte;
    return done;
}

/* Both are relative to their own address, so that the image needs no relocation for them. */
struct extable_entry {
    int32_t from, to;
};

/* Start and end of the section: from linker/mlpboot.lds, or from the linker itself. */
extern const struct extable_entry __start_extable[], __stop_extable[];

static uint64_t target(const int32_t *field)
{
    return (uint64_t)field + (uint64_t)(int64_t)*field;
}

uint64_t extable_find(uint64_t address)
{
    for (const struct extable_entry *e = __start_extable; e < __stop_extable; e++)
        if (target(&e->from) == address)
            return target(&e->to);
    return 0;
}
