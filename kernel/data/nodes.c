/* nodes: sorts by distance from the own node. */
#include "nodes.h"

#include <stddef.h>

static void swap_nodes(struct memory_nodes *nodes, uint32_t a, uint32_t b)
{
    struct memory_node node = nodes->node[a];
    nodes->node[a] = nodes->node[b];
    nodes->node[b] = node;
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint8_t from = nodes->distance[a][i];
        nodes->distance[a][i] = nodes->distance[b][i];
        nodes->distance[b][i] = from;
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint8_t to = nodes->distance[i][a];
        nodes->distance[i][a] = nodes->distance[i][b];
        nodes->distance[i][b] = to;
    }
}

static bool comes_before(const struct memory_nodes *nodes, uint32_t a, uint32_t b)
{
    if (nodes->own_known && nodes->distance[0][a] != nodes->distance[0][b])
        return nodes->distance[0][a] < nodes->distance[0][b];
    return nodes->node[a].number < nodes->node[b].number;
}

bool nodes_sort(struct memory_nodes *nodes, uint32_t own)
{
    nodes->own_known = false;
    for (uint32_t i = 0; i < nodes->count && !nodes->own_known; i++) {
        nodes->own_known = nodes->node[i].number == own;
        if (nodes->own_known)
            swap_nodes(nodes, 0, i);
    }
    for (uint32_t i = nodes->own_known ? 2 : 1; i < nodes->count; i++)
        for (uint32_t j = i; j > (nodes->own_known ? 1 : 0) && comes_before(nodes, j, j - 1); j--)
            swap_nodes(nodes, j, j - 1);
    return nodes->own_known;
}

const char *nodes_no_remote(const struct memory_nodes *nodes)
{
    if (nodes->count == 0 || !nodes->own_known)
        return nodes->reason;
    return nodes->count == 1 ? "this machine has one memory node" : NULL;
}
