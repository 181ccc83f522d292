/* efi_nodes: combines SRAT and SLIT, and checks the frames of windows. */
#include "efi_nodes.h"

#include "../kernel/lib/text.h"
#include "acpi.h"
#include "distances.h"
#include "firmware.h"
#include "memory.h"

/* A table, found once in a boot, or why it cannot be used; the reason names the table. */
struct node_table {
    const char *signature;
    bool is_sought;
    const struct acpi_header *table;
    char reason[96];
};

static struct node_table srat_source = {.signature = "SRAT"};
static struct node_table slit_source = {.signature = "SLIT"};

/* Returns NULL and the reason also if there are several: nothing says which of them is meant. */
static const struct acpi_header *find_node_table(struct node_table *source, const char **reason)
{
    static const EFI_GUID acpi_20 = ACPI_20_TABLE_GUID;
    const void *rsdp = firmware_configuration_table(&acpi_20);
    const char *why = "there are several such ACPI tables";
    if (!source->is_sought && acpi_count(rsdp, memory_is_mapped, source->signature) <= 1)
        source->table = acpi_find(rsdp, memory_is_mapped, source->signature, &why);
    if (!source->is_sought)
        text_write(source->reason, sizeof source->reason, "%s: %s", source->signature, why);
    source->is_sought = true;
    *reason = source->table != NULL ? NULL : source->reason;
    return source->table;
}

static void find_boot_node(struct platform_efi *p)
{
    struct memory_nodes *nodes = &p->nodes;
    bool sorted = nodes_sort(nodes, p->srat.own_known ? p->srat.own_domain : NODE_ANY);
    nodes->own_known = sorted && p->srat.own_known;
    if (!p->srat.own_known)
        nodes->reason = "SRAT: this processor is in no node";
    else if (!sorted)
        nodes->reason = "SRAT: this processor's node has no memory";
}

static void count_free(struct platform_efi *p)
{
    struct memory_range range[SRAT_RANGES_MAX];
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        unsigned ranges = srat_ranges_of(&p->srat, p->nodes.node[i].number, range);
        p->nodes.node[i].free_bytes = memory_free_within(range, ranges);
    }
}

/* Needs to run first: nodes are sorted by distance. */
static void read_distances(struct memory_nodes *nodes)
{
    const struct acpi_header *slit = find_node_table(&slit_source, &nodes->distances_reason);
    if (slit != NULL)
        nodes->distances_reason = slit_read(slit, nodes);
}

void nodes_find(struct platform_efi *p)
{
    struct memory_nodes *nodes = &p->nodes;
    nodes->source = "ACPI SRAT";
    const struct acpi_header *srat = find_node_table(&srat_source, &nodes->reason);
    if (srat != NULL)
        nodes->reason = srat_read(srat, p->processors.measuring->topology.apic_id, &p->srat);
    if (nodes->reason == NULL)
        nodes->reason = srat_list_nodes(&p->srat, nodes);
    if (nodes->reason != NULL) {
        nodes->distances_reason = nodes->reason;
        return;
    }
    read_distances(nodes);
    find_boot_node(p);
    count_free(p);
}

const char *nodes_of_processor(uint32_t apic_id, uint32_t *domain)
{
    struct srat srat;
    const char *reason;
    const struct acpi_header *table = find_node_table(&srat_source, &reason);
    if (table != NULL)
        reason = srat_read(table, apic_id, &srat);
    if (reason == NULL && !srat.own_known)
        reason = "SRAT: this processor is in no node";
    *domain = srat.own_domain;
    return reason;
}

void nodes_choose(struct platform_efi *p, uint32_t node)
{
    static struct memory_range range[SRAT_RANGES_MAX];
    p->space.place = NULL;
    if (node == NODE_ANY)
        return;
    p->space.places = srat_ranges_of(&p->srat, p->nodes.node[node].number, range);
    p->space.place = range;
}

const char *nodes_prove(struct platform_efi *p, uint32_t asked, const struct window *window)
{
    if (asked == NODE_ANY)
        return NULL;
    uint32_t number = p->nodes.node[asked].number;
    uint64_t size = page_bytes(window->page), bytes = address_space_bytes(&p->space, window);
    for (uint64_t at = 0; at < bytes; at += MEMORY_PAGE) {
        enum page_size page;
        const uint8_t *address = window->base + at / size * window->stride + at % size;
        uint64_t frame = address_space_frame(&p->space, address, &page);
        if (!srat_holds(&p->srat, number, frame, MEMORY_PAGE))
            return "a frame of the array is not on the node";
    }
    return NULL;
}
