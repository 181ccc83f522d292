/* sentinel: additions in a loop between two timestamps. */
#include "sentinel.h"

#include "../data/point.h"
#include "native.h"

#define ADDS_A_TURN 48 /* a loop of so many fits into every cache of decoded instructions */

/* clang and gcc know .rept; the counter is nobody's chain. EBX is added: a core may do an addition
 * of a small constant while renaming, in no cycle at all. */
uint32_t sentinel_side_by_side(struct platform *self)
{
    uint32_t turns = SENTINEL_ADDS / ADDS_A_TURN;
    (void)self;
    uint64_t start = native_ticks();
    __asm__ volatile("1:\n\t"
                     ".rept 6\n\t"
                     "add %%ebx, %%eax\n\t"
                     "add %%ebx, %%edx\n\t"
                     "add %%ebx, %%esi\n\t"
                     "add %%ebx, %%edi\n\t"
                     "add %%ebx, %%r8d\n\t"
                     "add %%ebx, %%r9d\n\t"
                     "add %%ebx, %%r10d\n\t"
                     "add %%ebx, %%r11d\n\t"
                     ".endr\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+c"(turns)
                     : "b"(1)
                     : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
    return sample_of(native_ticks() - start);
}

uint32_t sentinel_chain(struct platform *self)
{
    uint32_t turns = SENTINEL_CHAIN / ADDS_A_TURN;
    (void)self;
    uint64_t start = native_ticks();
    __asm__ volatile("1:\n\t"
                     ".rept 48\n\t"
                     "add %%ebx, %%eax\n\t"
                     ".endr\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+c"(turns)
                     : "b"(1)
                     : "rax", "cc");
    return sample_of(native_ticks() - start);
}
