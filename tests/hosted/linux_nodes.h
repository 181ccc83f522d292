/* linux_nodes: reads Linux's memory nodes, and places windows on a node. */
#ifndef MLPBOOT_HOSTED_LINUX_NODES_H
#define MLPBOOT_HOSTED_LINUX_NODES_H

#include "../../kernel/data/nodes.h"
#include "../../kernel/platform.h"

/*
 * Reads the nodes from a folder like /sys/devices/system/node; the own one is the one this thread
 * runs on. If Linux does not let the process choose a node, the list is empty, with the reason.
 */
void linux_nodes_find(const char *folder, struct memory_nodes *nodes);

/* Makes Linux allocate an untouched mapping on one node. Returns NULL, or why not. */
const char *linux_nodes_bind(const struct memory_node *node, void *base, uint64_t bytes);

/*
 * Asks Linux for the node of each 4 KB of a window. Returns NULL, or why they are not all on this
 * one.
 */
const char *linux_nodes_prove(const struct memory_node *node, const struct window *window);

#endif
