/* nodes: the memory nodes of a machine, and how far they are from each other. */
#ifndef MLPBOOT_NODES_H
#define MLPBOOT_NODES_H

#include <stdbool.h>
#include <stdint.h>

#define NODES_MAX 64
#define NODE_ANY UINT32_MAX /* in place of an index: wherever there is memory */

/* What firmware says of accesses from the own node (ACPI 6.5, 5.2.28.4, data type). */
enum node_figure {
    NODE_LATENCY,
    NODE_READ_LATENCY,
    NODE_WRITE_LATENCY,
    NODE_BANDWIDTH,
    NODE_READ_BANDWIDTH,
    NODE_WRITE_BANDWIDTH,
    NODE_FIGURES
};

struct memory_node {
    uint32_t number;             /* ACPI's proximity domain, or Linux's number */
    uint64_t bytes, free_bytes;  /* in all, and free at the start */
    double figure[NODE_FIGURES]; /* ns, or MB/s; 0: not told */
};

/* Sorted by nodes_sort: the own node is node[0] where it is known. */
struct memory_nodes {
    const char *source;                            /* who says so */
    uint32_t count;                                /* 0: nothing is known of nodes */
    bool own_known;                                /* which of them has the processor we run on */
    const char *reason;                            /* why there are none, or no own one; NULL */
    const char *distances_reason, *figures_reason; /* why those are not known; NULL */
    struct memory_node node[NODES_MAX];
    uint8_t distance[NODES_MAX][NODES_MAX]; /* from, to: 10 is the own memory's; 0: not told */
};

/*
 * Brings the node of that number to the front and sorts the others by their distance from it, then
 * by number. False: there is no such node; then they are sorted by number.
 */
bool nodes_sort(struct memory_nodes *nodes, uint32_t own);

/*
 * Why there is nothing beside local memory to measure. NULL: node[0] is local and the others are
 * remote.
 */
const char *nodes_no_remote(const struct memory_nodes *nodes);

#endif
