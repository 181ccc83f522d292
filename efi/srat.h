/* srat: the System Resource Affinity Table: which memory and which processor is of which node. No
 * firmware header, so that tests can hand it tables of their own. */
#ifndef MLPBOOT_EFI_SRAT_H
#define MLPBOOT_EFI_SRAT_H

#include "../kernel/data/nodes.h"
#include "acpi.h"
#include "memory.h"

#define SRAT_RANGES_MAX 256

struct srat {
    struct memory_range range[SRAT_RANGES_MAX];
    uint32_t domain[SRAT_RANGES_MAX];   /* of each range: its proximity domain */
    bool may_be_empty[SRAT_RANGES_MAX]; /* memory may be plugged in here later */
    unsigned ranges;
    uint32_t own_domain; /* of the processor asked for */
    bool own_known;
};

/*
 * Reads a table that acpi_find returned (ACPI 6.5, 5.2.16): enabled ranges of memory that is not
 * persistent, and the domain of the processor with that x2APIC id. NULL, or why nothing in the
 * table is believed.
 */
const char *srat_read(const struct acpi_header *table, uint32_t apic_id, struct srat *srat);

/* Fills count, numbers and bytes of the nodes that have memory, unsorted. NULL, or the reason. */
const char *srat_list_nodes(const struct srat *srat, struct memory_nodes *nodes);

/* The ranges of one domain into `range`, at most SRAT_RANGES_MAX; returns how many there are. */
unsigned srat_ranges_of(const struct srat *srat, uint32_t domain, struct memory_range *range);

/* True if every byte is in a range of that domain. */
bool srat_holds(const struct srat *srat, uint32_t domain, uint64_t address, uint64_t bytes);

#endif
