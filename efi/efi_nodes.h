/* efi_nodes: the memory nodes that the firmware tells of, and windows on one of them. */
#ifndef MLPBOOT_EFI_EFI_NODES_H
#define MLPBOOT_EFI_EFI_NODES_H

#include "platform_efi.h"

/*
 * Reads SRAT, SLIT and HMAT into `nodes` and `srat`, as seen by the processor that measures; what
 * is not believed leaves its reason.
 */
void nodes_find(struct platform_efi *platform);

/* The proximity domain of the processor with that APIC id. NULL, or why it is not known. */
const char *nodes_of_processor(uint32_t apic_id, uint32_t *domain);

/* Has the next window allocated on a node: an index, or NODE_ANY. */
void nodes_choose(struct platform_efi *platform, uint32_t node);

/*
 * Looks every frame of a window just mapped up in the page tables and counts it for the node it was
 * asked of, if it was. NULL, or why it is not of that node.
 */
const char *nodes_prove(struct platform_efi *platform, uint32_t node, const struct window *window);

#endif
