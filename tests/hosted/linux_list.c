/* linux_list: lists of numbers as Linux writes them into files, "0-3,8". */
#include "linux_list.h"

#include <stdlib.h>

#include "read_file.h"

bool linux_list_read(const char *path, uint32_t limit, struct linux_list *list)
{
    char text[4096], *at = text, *end;

    list->count = 0;
    read_small_file(path, text, sizeof(text));
    do {
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end != at && *end == '-') {
            at = end + 1;
            last = strtoul(at, &end, 10);
        }
        if (end == at || last >= limit || (*end != ',' && *end != '\0'))
            return false;
        for (unsigned long i = first; i <= last && list->count < LINUX_LIST_MAX; i++)
            list->number[list->count++] = (uint32_t)i;
        at = end + 1;
    } while (*end == ',');
    return list->count > 0;
}

bool linux_list_has(const struct linux_list *list, uint32_t number)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->number[i] == number)
            return true;
    return false;
}
