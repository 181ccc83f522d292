/* extable: instructions that may fault, and where to go on when they do. */
#ifndef MLPBOOT_CPU_EXTABLE_H
#define MLPBOOT_CPU_EXTABLE_H

#include <stdint.h>

/* Inside an asm statement: a fault at label `from` continues at label `to`. */
#define EXTABLE(from, to)                                                                          \
    ".pushsection extable, \"a\"\n\t"                                                              \
    ".balign 4\n\t"                                                                                \
    ".long " #from " - .\n\t"                                                                      \
    ".long " #to " - .\n\t"                                                                        \
    ".popsection\n\t"

/* The address to go on at after a fault at `address`; 0 if none was foreseen. */
uint64_t extable_find(uint64_t address);

#endif
