/* sentinel: additions in a loop between two timestamps. */
#include "sentinel.h"

#include "../data/point.h"
#include "native.h"

#define ADDS_A_TURN 48 /* a loop of so many fits into every cache of decoded instructions */

/* clang and gcc know .rept; the counter is nobody's chain. EBX is added: a core may do an addition
 * of a small constant while renaming, in no cycle at all. */
#define SENTINEL(name, adds, times, each)                                                          \
    uint32_t name(struct platform *self)                                                           \
    {                                                                                              \
        uint32_t turns = adds / ADDS_A_TURN;                                                       \
        (void)self;                                                                                \
        uint64_t start = native_ticks();                                                           \
        __asm__ volatile("1:\n\t.rept " times "\n\t" each ".endr\n\tdec %0\n\tjnz 1b"              \
                         : "+c"(turns)                                                             \
                         : "b"(1)                                                                  \
                         : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");            \
        return sample_of(native_ticks() - start);                                                  \
    }
#define ADD(to) "add %%ebx, %%" to "\n\t"

SENTINEL(sentinel_side_by_side, SENTINEL_ADDS, "6",
         ADD("eax") ADD("edx") ADD("esi") ADD("edi") ADD("r8d") ADD("r9d") ADD("r10d") ADD("r11d"))
SENTINEL(sentinel_chain, SENTINEL_CHAIN, "48", ADD("eax"))
