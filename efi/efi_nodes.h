/* efi_nodes: reads the memory nodes of the firmware's tables, and places windows on a node. */
#ifndef MLPBOOT_EFI_EFI_NODES_H
#define MLPBOOT_EFI_EFI_NODES_H

#include "platform_efi.h"

/*
 * Reads SRAT and SLIT into `nodes` and `srat`, as seen by the processor that measures; a
 * table that is refused leaves its reason.
 */
void nodes_find(struct platform_efi *platform);

/* Finds the proximity domain of the processor with that APIC id. Returns NULL, or why not. */
const char *nodes_of_processor(uint32_t apic_id, uint32_t *domain);

/* Chooses the node of the next window: an index, or NODE_ANY. */
void nodes_choose(struct platform_efi *platform, uint32_t node);

/*
 * Looks up every frame of a new window in the page tables. Returns NULL, or why one is not on the
 * node that was asked for.
 */
const char *nodes_prove(struct platform_efi *platform, uint32_t node, const struct window *window);

#endif
