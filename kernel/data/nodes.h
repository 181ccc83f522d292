/* nodes: describes a machine's memory nodes and their distances. */
#ifndef MLPBOOT_NODES_H
#define MLPBOOT_NODES_H

#include <stdbool.h>
#include <stdint.h>

#define NODES_MAX 64
#define NODE_ANY UINT32_MAX /* in place of an index: any memory */

struct memory_node {
    uint32_t number;            /* ACPI's proximity domain, or Linux's number */
    uint64_t bytes, free_bytes; /* in all; free at the start */
};

/* nodes_sort puts the own node, if known, first. */
struct memory_nodes {
    const char *source;           /* where this is from */
    uint32_t count;               /* 0: nodes are unknown */
    bool own_known;               /* the own node is known */
    const char *reason;           /* why nodes or the own node are unknown; NULL */
    const char *distances_reason; /* why those are unknown; NULL */
    struct memory_node node[NODES_MAX];
    uint8_t distance[NODES_MAX][NODES_MAX]; /* from, to: 10 is the own memory's; 0: unknown */
};

/*
 * Brings the node of that number to the front and sorts the others by their distance from it, then
 * by number. False: there is no such node, and all are sorted by number.
 */
bool nodes_sort(struct memory_nodes *nodes, uint32_t own);

/* Returns why there is no remote memory to measure; NULL: node[0] is local, the others remote. */
const char *nodes_no_remote(const struct memory_nodes *nodes);

#endif
