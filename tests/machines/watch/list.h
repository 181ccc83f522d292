/* list: the model-specific registers that a test asks to be watched, and what else it asks for. */
#ifndef MLPBOOT_WATCH_LIST_H
#define MLPBOOT_WATCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define LIST_MSRS_MAX 128
#define LIST_TEXT_MAX 64
#define LIST_VICES_MAX 8

/* What the firmware lets nobody do; see protect.h. */
enum protection { PROTECT_NOTHING, PROTECT_IMAGE, PROTECT_ALL };

struct list {
    char hang[LIST_TEXT_MAX]; /* see hang.h; "": none */
    enum protection protects;
    unsigned vices;
    struct {
        char name[LIST_TEXT_MAX]; /* see vices.h */
        uint64_t number;
    } vice[LIST_VICES_MAX];
    unsigned count;
    struct {
        uint32_t index;
        bool set; /* to `value`, before anything is watched */
        uint64_t value;
    } msr[LIST_MSRS_MAX];
};

/*
 * Reads lines "read INDEX" and "set INDEX VALUE", numbers in hexadecimal without a prefix,
 * "hang TEXT", "vice NAME NUMBER", "protect image" and "protect all". The number of the first wrong
 * line, 0 when none is. A register that the processor does not have is not noticed here: reading it
 * faults, the firmware says so and stops.
 */
unsigned list_parse(struct list *list, const char *text);

#endif
