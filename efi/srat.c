/* srat: reads entry by entry, and checks each against the table's end first. */
#include "srat.h"

#include <stddef.h>

#include "../kernel/lib/string.h"
#include "table_bytes.h"

enum {
    SRAT_FIRST_ENTRY = 48, /* after the header and 12 reserved bytes (ACPI 6.5, 5.2.16) */
    SRAT_WIDE_DOMAINS = 2, /* the first revision whose domains have 32 bits, not 8 */
    ENTRY_ENABLED = 1,
    MEMORY_PLUGGABLE = 2,
    MEMORY_PERSISTENT = 4,
};

struct srat_reader {
    const uint8_t *table;
    uint32_t apic_id;
    struct srat *srat;
};

static uint32_t domain_mask(const struct srat_reader *r)
{
    return ((const struct acpi_header *)r->table)->revision >= SRAT_WIDE_DOMAINS ? UINT32_MAX
                                                                                 : 0xff;
}

static const char *add_srat_processor(struct srat_reader *r, uint32_t apic_id, uint32_t domain)
{
    struct srat *srat = r->srat;
    if (apic_id != r->apic_id)
        return NULL;
    if (srat->own_known && srat->own_domain != domain)
        return "SRAT: this processor is in two nodes";
    srat->own_known = true;
    srat->own_domain = domain;
    return NULL;
}

/* Reads ACPI 6.5, 5.2.16.1: the upper three bytes of the domain are a field of their own. */
static const char *read_apic(struct srat_reader *r, const uint8_t *entry)
{
    if (!(table_field(entry, 4, 4) & ENTRY_ENABLED))
        return NULL;
    uint32_t domain = (uint32_t)(table_field(entry, 2, 1) | table_field(entry, 9, 3) << 8);
    return add_srat_processor(r, (uint32_t)table_field(entry, 3, 1), domain & domain_mask(r));
}

/* Reads ACPI 6.5, 5.2.16.3. */
static const char *read_x2apic(struct srat_reader *r, const uint8_t *entry)
{
    if (!(table_field(entry, 12, 4) & ENTRY_ENABLED))
        return NULL;
    return add_srat_processor(r, (uint32_t)table_field(entry, 8, 4),
                              (uint32_t)table_field(entry, 4, 4));
}

/* Reads ACPI 6.5, 5.2.16.2. */
static const char *read_srat_memory(struct srat_reader *r, const uint8_t *entry)
{
    struct srat *srat = r->srat;
    uint64_t start = table_field(entry, 8, 8), bytes = table_field(entry, 16, 8),
             flags = table_field(entry, 28, 4);
    if (!(flags & ENTRY_ENABLED) || flags & MEMORY_PERSISTENT || bytes == 0)
        return NULL;
    if (bytes > UINT64_MAX - start)
        return "SRAT: a range of memory has no end";
    for (unsigned i = 0; i < srat->ranges; i++)
        if (start < srat->range[i].end && srat->range[i].start < start + bytes)
            return "SRAT: two ranges of memory overlap";
    if (srat->ranges == SRAT_RANGES_MAX)
        return "SRAT: there are more ranges of memory than any machine has";
    srat->range[srat->ranges] = (struct memory_range){start, start + bytes};
    srat->domain[srat->ranges] = (uint32_t)table_field(entry, 2, 4) & domain_mask(r);
    srat->may_be_empty[srat->ranges++] = flags & MEMORY_PLUGGABLE;
    return NULL;
}

/* Readers by type; other types (interrupt controllers, devices) have no memory. */
static const struct {
    unsigned bytes;
    const char *(*read)(struct srat_reader *r, const uint8_t *entry);
} kinds[] = {{16, read_apic}, {40, read_srat_memory}, {24, read_x2apic}};

const char *srat_read(const struct acpi_header *table, uint32_t apic_id, struct srat *srat)
{
    struct srat_reader r = {(const uint8_t *)table, apic_id, srat};
    const char *reason = NULL;
    memset(srat, 0, sizeof *srat);
    for (uint32_t at = SRAT_FIRST_ENTRY; reason == NULL && at != table->length;) {
        if (at > table->length || table->length - at < 2)
            return "SRAT: the table is cut off";
        unsigned type = r.table[at], bytes = r.table[at + 1];
        if (bytes < 2 || bytes > table->length - at)
            return bytes < 2 ? "SRAT: an entry has no length" : "SRAT: an entry is cut off";
        if (type < sizeof kinds / sizeof *kinds) {
            if (bytes < kinds[type].bytes)
                return "SRAT: an entry is too short";
            reason = kinds[type].read(&r, r.table + at);
        }
        at += bytes;
    }
    return reason;
}

static uint32_t find_node(const struct memory_nodes *nodes, uint32_t number)
{
    uint32_t i = 0;
    while (i < nodes->count && nodes->node[i].number != number)
        i++;
    return i;
}

const char *srat_list_nodes(const struct srat *srat, struct memory_nodes *nodes)
{
    nodes->count = 0;
    for (unsigned i = 0; i < srat->ranges; i++) {
        uint32_t node = find_node(nodes, srat->domain[i]);
        if (node == NODES_MAX) {
            nodes->count = 0;
            return "SRAT: there are more nodes than any machine has";
        }
        if (node == nodes->count)
            nodes->node[nodes->count++] = (struct memory_node){.number = srat->domain[i]};
        if (!srat->may_be_empty[i])
            nodes->node[node].bytes += srat->range[i].end - srat->range[i].start;
    }
    return nodes->count > 0 ? NULL : "SRAT: no memory belongs to any node";
}

unsigned srat_ranges_of(const struct srat *srat, uint32_t domain, struct memory_range *range)
{
    unsigned count = 0;
    for (unsigned i = 0; i < srat->ranges; i++)
        if (srat->domain[i] == domain)
            range[count++] = srat->range[i];
    return count;
}

bool srat_holds(const struct srat *srat, uint32_t domain, uint64_t address, uint64_t bytes)
{
    const struct memory_range asked = {address, address + bytes};
    uint64_t held = 0;
    if (bytes == 0 || bytes > UINT64_MAX - address)
        return false;
    for (unsigned i = 0; i < srat->ranges; i++)
        if (srat->domain[i] == domain)
            held += memory_range_bytes(memory_range_common(srat->range[i], asked));
    return held == bytes; /* ranges do not overlap, see read_memory */
}
