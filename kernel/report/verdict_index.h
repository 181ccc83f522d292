/* verdict_index: finds verdicts by name and case, however many there are. */
#ifndef MLPBOOT_REPORT_VERDICT_INDEX_H
#define MLPBOOT_REPORT_VERDICT_INDEX_H

#include "../data/verdict.h"

/* A hash table over a list, which stays as it is meanwhile. */
struct verdict_index {
    const struct verdict_list *list;
    uint32_t *slot; /* 0, or a verdict's place in the list plus 1 */
    size_t slots;
};

/* Memory that verdict_index_make needs for so many verdicts, in bytes. */
uint64_t verdict_index_bytes(size_t verdicts);

/* `memory`: verdict_index_bytes(list->count), 4-byte aligned, kept as long as the index is. */
void verdict_index_make(const struct verdict_list *list, void *memory, struct verdict_index *index);

/* As verdict_find: the first of that case and name; NULL: there is none. */
const struct verdict *verdict_index_find(const struct verdict_index *index,
                                         const struct variant *of, const char *name);

/* The same of whichever experiment measured a case of that name. */
const struct verdict *verdict_index_find_anywhere(const struct verdict_index *index,
                                                  const struct variant *of, const char *name);

#endif
