/* linux_nodes: reads nodes from sysfs; three system calls choose a node and check pages. */
#define _GNU_SOURCE 1 /* syscall, getcpu */
#include "linux_nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_list.h"
#include "read_file.h"

#define STEP_4K UINT64_C(4096)
#define BATCH 1024   /* pages for one call */
#define NUMBERS 1024 /* Linux supports no more nodes (CONFIG_NODES_SHIFT) */
#define BITS_PER_WORD (CHAR_BIT * sizeof(unsigned long))
#define POLICY_BIND 2 /* MPOL_BIND of <linux/mempolicy.h> */

static void read_node_file(const char *folder, uint32_t number, const char *file, char *text,
                           size_t size)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/node%u/%s", folder, number, file);
    read_small_file(path, text, size);
}

/* Returns the bytes of a line "Node 0 NAME:  123 kB". */
static uint64_t node_memory(const char *folder, uint32_t number, const char *name)
{
    char text[8192], start[64];

    read_node_file(folder, number, "meminfo", text, sizeof(text));
    snprintf(start, sizeof(start), " %s:", name);
    const char *line = strstr(text, start);
    return line != NULL ? strtoull(line + strlen(start), NULL, 10) * 1024 : 0;
}

static const char *add_linux_node(const char *folder, uint32_t number, struct memory_nodes *nodes)
{
    uint64_t bytes = node_memory(folder, number, "MemTotal");

    if (bytes == 0) /* the node has processors only */
        return NULL;
    if (nodes->count == NODES_MAX)
        return "Linux has more memory nodes than are looked at";
    nodes->node[nodes->count++] = (struct memory_node){
        .number = number, .bytes = bytes, .free_bytes = node_memory(folder, number, "MemFree")};
    return NULL;
}

/* Reads a list of numbers such as "0-1,4" from a file. False: the file has no such list. */
static bool read_list(const char *folder, const char *file, struct linux_list *list)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return linux_list_read(path, NUMBERS, list);
}

static uint32_t find_node(const struct memory_nodes *nodes, uint32_t number)
{
    uint32_t i = 0;

    while (i < nodes->count && nodes->node[i].number != number)
        i++;
    return i;
}

/* Adds a node's "10 21 ...", whose columns are all online nodes, also those without memory. */
static void add_distances(const char *folder, struct memory_nodes *nodes)
{
    static struct linux_list online;

    if (!read_list(folder, "online", &online)) {
        nodes->distances_reason = "Linux does not tell which nodes are online";
        return;
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        char text[8192], *rest = text;
        read_node_file(folder, nodes->node[i].number, "distance", text, sizeof(text));
        for (uint32_t j = 0; j < online.count && *rest != '\0'; j++) {
            unsigned long distance = strtoul(rest, &rest, 10);
            uint32_t to = find_node(nodes, online.number[j]);
            if (to < nodes->count && distance <= UINT8_MAX)
                nodes->distance[i][to] = (uint8_t)distance;
        }
    }
}

const char *linux_nodes_bind(const struct memory_node *node, void *base, uint64_t bytes)
{
    static char reason[128];
    unsigned long mask[NUMBERS / BITS_PER_WORD] = {0};

    mask[node->number / BITS_PER_WORD] |= 1ul << node->number % BITS_PER_WORD;
    if (syscall(SYS_mbind, base, bytes, POLICY_BIND, mask, NUMBERS + 1ul, 0) == 0)
        return NULL;
    snprintf(reason, sizeof(reason), "Linux lets this process choose no memory node: %s",
             strerror(errno));
    return reason;
}

static const char *prove_batch(const struct memory_node *node, uint8_t *base, unsigned long pages)
{
    static void *page[BATCH];
    static int status[BATCH];

    for (unsigned long i = 0; i < pages; i++)
        page[i] = base + i * STEP_4K;
    /* without target nodes, move_pages(2) tells where pages are */
    if (syscall(SYS_move_pages, 0, pages, page, NULL, status, 0) != 0)
        return "Linux does not tell on which memory node a page is";
    for (unsigned long i = 0; i < pages; i++)
        if (status[i] != (int)node->number)
            return "a page of the array is not on the memory node asked for";
    return NULL;
}

const char *linux_nodes_prove(const struct memory_node *node, const struct window *window)
{
    for (uint64_t at = 0; at < window->bytes; at += BATCH * STEP_4K) {
        uint64_t pages = (window->bytes - at) / STEP_4K;
        const char *reason = prove_batch(node, window->base + at, pages < BATCH ? pages : BATCH);
        if (reason != NULL)
            return reason;
    }
    return NULL;
}

/* Tries the calls, which containers often forbid. Returns NULL, or the reason. */
static const char *try_calls(struct memory_node *node)
{
    struct window window = {.bytes = STEP_4K};
    void *base = mmap(NULL, STEP_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return "Linux gives no memory";
    window.base = base;
    const char *reason = linux_nodes_bind(node, base, STEP_4K);
    if (reason == NULL) {
        *window.base = 1;
        reason = linux_nodes_prove(node, &window);
    }
    munmap(base, STEP_4K);
    return reason;
}

static const char *find_cpu_node(struct memory_nodes *nodes)
{
    unsigned cpu, own;
    bool told = syscall(SYS_getcpu, &cpu, &own, NULL) == 0;

    if (nodes_sort(nodes, told ? own : NODE_ANY))
        return NULL;
    return told ? "this processor's node has no memory"
                : "Linux does not tell which node this processor is of";
}

static const char *add_nodes(const char *folder, struct memory_nodes *nodes)
{
    static struct linux_list list;
    const char *reason = NULL;

    if (!read_list(folder, "has_memory", &list))
        return "Linux tells of no memory nodes";
    for (uint32_t i = 0; reason == NULL && i < list.count; i++)
        reason = add_linux_node(folder, list.number[i], nodes);
    return reason == NULL && nodes->count == 0 ? "Linux tells of no memory nodes" : reason;
}

void linux_nodes_find(const char *folder, struct memory_nodes *nodes)
{
    memset(nodes, 0, sizeof(*nodes));
    nodes->source = "Linux";
    nodes->reason = add_nodes(folder, nodes);
    if (nodes->reason == NULL && nodes->count > 1)
        nodes->reason = try_calls(&nodes->node[0]);
    if (nodes->reason != NULL) {
        nodes->count = 0;
        return;
    }
    add_distances(folder, nodes);
    nodes->reason = find_cpu_node(nodes);
}
