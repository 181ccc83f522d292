/* core_choice: which logical processor is to measure. */
#ifndef MLPBOOT_DATA_CORE_CHOICE_H
#define MLPBOOT_DATA_CORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct piece; /* lib/text.h */

enum core_wish {
    WISH_BOOT,        /* the one that the firmware started */
    WISH_PERFORMANCE, /* the first of that kind */
    WISH_EFFICIENT,
    WISH_ALL,    /* one after the other */
    WISH_NUMBER, /* the one with that APIC id */
    WISH_NODE    /* the first of that memory node */
};

struct core_choice {
    enum core_wish wish;
    uint32_t number; /* an APIC id, or a node's number */
};

/* The processors that are started besides the one that measures: its siblings may be put to sleep,
 * any of them can be generators, and the findings about each are reported. */
enum others { OTHERS_NONE, OTHERS_SIBLINGS, OTHERS_ALL };

/* Reads "boot", "12", "p", "e", "node1" or "all"; false: it is none of them. */
bool core_choice_read(struct piece text, struct core_choice *choice);

#endif
