/* linux_list: lists of numbers as Linux writes them into files, "0-3,8". */
#ifndef MLPBOOT_HOSTED_LINUX_LIST_H
#define MLPBOOT_HOSTED_LINUX_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define LINUX_LIST_MAX 1024

struct linux_list {
    uint32_t count, number[LINUX_LIST_MAX];
};

/* False: the file has no such list, or one with a number that is not below `limit`. If there are
 * more than LINUX_LIST_MAX numbers, it keeps the first. */
bool linux_list_read(const char *path, uint32_t limit, struct linux_list *list);

bool linux_list_has(const struct linux_list *list, uint32_t number);

#endif
