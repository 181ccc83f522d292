/* msr: each access has a landing in the exception table. */
#include "msr.h"

#include "extable.h"

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
