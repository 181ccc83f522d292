/* linux_nodes: the memory nodes that Linux tells of, and windows on one of them. */
#ifndef MLPBOOT_HOSTED_LINUX_NODES_H
#define MLPBOOT_HOSTED_LINUX_NODES_H

#include "../../kernel/data/nodes.h"
#include "../../kernel/platform.h"

/*
 * Reads the nodes from a folder like /sys/devices/system/node; the own one is the one this thread
 * runs on. Where Linux does not let the process choose a node, there are none, with the reason.
 */
void linux_nodes_find(const char *folder, struct memory_nodes *nodes);

/* Has Linux take a mapping that was never touched from one node. NULL, or why it does not. */
const char *linux_nodes_bind(const struct memory_node *node, void *base, uint64_t bytes);

/*
 * Asks Linux for each 4 KB of a window where it is, and counts them for the node. NULL, or why that
 * is not proved.
 */
const char *linux_nodes_prove(const struct memory_node *node, const struct window *window);

#endif
