/* list: the model-specific registers that a test asks to be watched. */
#ifndef MLPBOOT_WATCH_LIST_H
#define MLPBOOT_WATCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define LIST_MSRS_MAX 128

struct list {
    bool waits; /* the firmware starts other processors only where the caller waits */
    unsigned count;
    struct {
        uint32_t index;
        bool set; /* to `value`, before anything is watched */
        uint64_t value;
    } msr[LIST_MSRS_MAX];
};

/*
 * Reads lines "waits", "read INDEX" and "set INDEX VALUE", numbers in hexadecimal without a prefix.
 * The number of the first wrong line, 0 when none is. A register that the processor does not have
 * is not noticed here: reading it faults, the firmware says so and stops.
 */
unsigned list_parse(struct list *list, const char *text);

#endif
