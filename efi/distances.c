/* distances: matrices, looked at only after their size was held against the table's length. */
#include "distances.h"

#include <stddef.h>

#include "../kernel/lib/string.h"
#include "table_bytes.h"

#define DOMAINS_MAX 4096 /* in one matrix; more is a mistake */
#define DISTANCE_LOCAL 10
#define PICOSECONDS 1000.0 /* in a nanosecond */

enum {
    SLIT_COUNT = 36, /* 8 bytes (ACPI 6.5, 5.2.17) */
    SLIT_MATRIX = 44,
    HMAT_REVISION = 2, /* the first with these units */
    HMAT_FIRST = 40,   /* structure (ACPI 6.5, 5.2.28) */
    HMAT_LEAST = 8,    /* its type and length */
    HMAT_MATRIX = 1,   /* of that type: ACPI 6.5, 5.2.28.4 */
    HMAT_FLAGS = 8,
    HMAT_DATA_TYPE = 9,
    HMAT_INITIATORS = 12,
    HMAT_TARGETS = 16,
    HMAT_UNIT = 24,
    HMAT_LISTS = 32,
    HMAT_HIERARCHY = 15, /* of the flags: 0 is memory, the others are caches of it */
    HMAT_UNREACHABLE = 0xffff,
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

/* Of a structure of type 1 that is wholly in the table. */
static const char *check_matrix(const uint8_t *s, uint32_t length)
{
    if (length < HMAT_LISTS)
        return "HMAT: a matrix is too short";
    uint64_t initiators = table_field(s, HMAT_INITIATORS, 4),
             targets = table_field(s, HMAT_TARGETS, 4);
    if (initiators > DOMAINS_MAX || targets > DOMAINS_MAX)
        return "HMAT: there are more nodes than any machine has";
    if (length - HMAT_LISTS < 4 * (initiators + targets) + 2 * initiators * targets)
        return "HMAT: a structure is smaller than its matrix";
    return NULL;
}

/* Where a domain stands in a list of them; `count` where it does not. */
static uint64_t position(const uint8_t *list, uint64_t count, uint32_t domain)
{
    uint64_t i = 0;
    while (i < count && table_field(list, 4 * i, 4) != domain)
        i++;
    return i;
}

/* 0: not told. */
static double figure(const uint8_t *s, uint32_t from, uint32_t to)
{
    uint64_t initiators = table_field(s, HMAT_INITIATORS, 4),
             targets = table_field(s, HMAT_TARGETS, 4);
    const uint8_t *initiator = s + HMAT_LISTS, *target = initiator + 4 * initiators;
    uint64_t row = position(initiator, initiators, from), column = position(target, targets, to);
    if (row == initiators || column == targets)
        return 0;
    uint64_t value = table_field(target + 4 * targets, 2 * (row * targets + column), 2);
    if (value == HMAT_UNREACHABLE)
        return 0;
    return (double)value * (double)table_field(s, HMAT_UNIT, 8);
}

static void add_figures(const uint8_t *s, uint32_t from, struct memory_nodes *nodes)
{
    uint64_t kind = table_field(s, HMAT_DATA_TYPE, 1);
    if (table_field(s, HMAT_FLAGS, 1) & HMAT_HIERARCHY || kind >= NODE_FIGURES)
        return;
    for (uint32_t i = 0; i < nodes->count; i++) {
        double value = figure(s, from, nodes->node[i].number);
        if (value != 0 && nodes->node[i].figure[kind] == 0)
            nodes->node[i].figure[kind] = kind < NODE_BANDWIDTH ? value / PICOSECONDS : value;
    }
}

/* Reads the structures; `nodes` NULL only checks them, so that all are checked before any counts.
 */
static const char *walk_hmat(const struct acpi_header *table, uint32_t from,
                             struct memory_nodes *nodes)
{
    const uint8_t *start = (const uint8_t *)table;
    for (uint32_t at = HMAT_FIRST; at != table->length;) {
        if (at > table->length || table->length - at < HMAT_LEAST)
            return "HMAT: the table is cut off";
        uint32_t length = (uint32_t)table_field(start, at + 4, 4);
        if (length < HMAT_LEAST)
            return "HMAT: a structure has no length";
        if (length > table->length - at)
            return "HMAT: a structure is cut off";
        if (table_field(start, at, 2) == HMAT_MATRIX) {
            const char *reason = check_matrix(start + at, length);
            if (reason != NULL)
                return reason;
            if (nodes != NULL)
                add_figures(start + at, from, nodes);
        }
        at += length;
    }
    return NULL;
}

const char *hmat_read(const struct acpi_header *table, uint32_t from, struct memory_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        memset(nodes->node[i].figure, 0, sizeof nodes->node[i].figure);
    if (table->revision < HMAT_REVISION)
        return "HMAT: its revision has other units";
    const char *reason = walk_hmat(table, from, NULL);
    return reason != NULL ? reason : walk_hmat(table, from, nodes);
}
