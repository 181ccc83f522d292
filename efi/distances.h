/* distances: the SLIT, how far memory is by the firmware's own figures. No firmware header, so
 * that tests can hand it tables of their own. */
#ifndef MLPBOOT_EFI_DISTANCES_H
#define MLPBOOT_EFI_DISTANCES_H

#include "../kernel/data/nodes.h"
#include "acpi.h"

/*
 * Fills the distances between the nodes from a System Locality Information Table that acpi_find
 * returned (ACPI 6.5, 5.2.17). NULL, or why it is not believed; then all are 0.
 */
const char *slit_read(const struct acpi_header *table, struct memory_nodes *nodes);

#endif
