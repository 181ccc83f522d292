/* known_loop: runs a chain of additions under a countdown; touches no memory. */
#include "unit.h"

void known_loop(uint64_t iterations)
{
    uint64_t sum = 0;
    __asm__ volatile("1:\n\t"
                     "lea 1(%1), %1\n\t"
                     "lea 1(%1), %1\n\t"
                     "lea 1(%1), %1\n\t"
                     "lea 1(%1), %1\n\t"
                     "lea 1(%1), %1\n\t"
                     "lea 1(%1), %1\n\t"
                     "dec %0\n\t"
                     "jnz 1b\n\t"
                     : "+r"(iterations), "+r"(sum)
                     :
                     : "cc");
}
