/* distances: a matrix, looked at only after its size was held against the table's length. */
#include "distances.h"

#include <stddef.h>

#include "../kernel/lib/string.h"
#include "table_bytes.h"

#define DOMAINS_MAX 4096 /* more is a mistake */
#define DISTANCE_LOCAL 10

enum {
    SLIT_COUNT = 36, /* 8 bytes (ACPI 6.5, 5.2.17) */
    SLIT_MATRIX = 44,
};

/* NULL where the whole matrix is there and says what it may. */
static const char *check_slit(const struct acpi_header *table, uint64_t *count)
{
    if (table->length < SLIT_MATRIX)
        return "SLIT: the table is cut off";
    *count = table_field(table, SLIT_COUNT, 8);
    if (*count == 0 || *count > DOMAINS_MAX)
        return "SLIT: there are more nodes than any machine has, or none";
    if (table->length - SLIT_MATRIX < *count * *count)
        return "SLIT: the table is smaller than its matrix";
    for (uint64_t i = 0; i < *count * *count; i++) {
        uint64_t distance = table_field(table, SLIT_MATRIX + i, 1);
        if (i % (*count + 1) == 0 ? distance != DISTANCE_LOCAL : distance <= DISTANCE_LOCAL)
            return "SLIT: a node's distance to itself is not 10, or one to another not more";
    }
    return NULL;
}

const char *slit_read(const struct acpi_header *table, struct memory_nodes *nodes)
{
    uint64_t count;
    memset(nodes->distance, 0, sizeof nodes->distance);
    const char *reason = check_slit(table, &count);
    for (uint32_t i = 0; reason == NULL && i < nodes->count; i++)
        for (uint32_t j = 0; j < nodes->count; j++) {
            uint64_t from = nodes->node[i].number, to = nodes->node[j].number;
            if (from < count && to < count)
                nodes->distance[i][j] =
                    (uint8_t)table_field(table, SLIT_MATRIX + from * count + to, 1);
        }
    return reason;
}
