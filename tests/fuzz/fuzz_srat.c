/* fuzz_srat: any bytes as a System Resource Affinity Table of that length. */
#include "fuzz.h"

#include "../../efi/srat.h"

static uint64_t bytes_of(struct memory_range range)
{
    MUST(range.end > range.start);
    return range.end - range.start;
}

static void check_ranges(const struct srat *srat)
{
    MUST(srat->ranges <= SRAT_RANGES_MAX);
    for (unsigned i = 0; i < srat->ranges; i++) {
        bytes_of(srat->range[i]);
        for (unsigned j = 0; j < i; j++)
            MUST(srat->range[i].start >= srat->range[j].end ||
                 srat->range[j].start >= srat->range[i].end);
    }
}

/* A node's bytes are those of its ranges that are there, and all of those are in it. */
static void check_node(const struct srat *srat, const struct memory_node *node)
{
    static struct memory_range range[SRAT_RANGES_MAX];
    unsigned count = srat_ranges_of(srat, node->number, range);
    uint64_t bytes = 0;
    MUST(count >= 1 && count <= srat->ranges);
    for (unsigned i = 0; i < count; i++) {
        bytes += bytes_of(range[i]);
        MUST(srat_holds(srat, node->number, range[i].start, bytes_of(range[i])));
        MUST(!srat_holds(srat, node->number + 1, range[i].start, bytes_of(range[i])));
    }
    MUST(node->bytes <= bytes);
}

static void check_nodes(const struct srat *srat)
{
    static struct memory_nodes nodes;
    const char *reason = srat_list_nodes(srat, &nodes);
    MUST((reason == NULL) == (nodes.count > 0));
    MUST(nodes.count <= NODES_MAX);
    if (reason != NULL)
        fuzz_check_reason(reason);
    for (uint32_t i = 0; i < nodes.count; i++) {
        check_node(srat, &nodes.node[i]);
        for (uint32_t j = 0; j < i; j++)
            MUST(nodes.node[i].number != nodes.node[j].number);
    }
    if (nodes.count == 0)
        return;
    uint32_t own = nodes.node[nodes.count - 1].number;
    MUST(nodes_sort(&nodes, own) && nodes.node[0].number == own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct srat srat;
    if (size < 48)
        return 0;
    struct acpi_header *table = fuzz_copy(data, size);
    table->length = (uint32_t)size; /* acpi_find has held it against what may be read */
    const char *reason = srat_read(table, data[4], &srat);
    if (reason != NULL) {
        fuzz_check_reason(reason);
    } else {
        check_ranges(&srat);
        check_nodes(&srat);
    }
    free(table);
    return 0;
}
