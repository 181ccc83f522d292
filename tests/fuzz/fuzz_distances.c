/* fuzz_distances: any bytes as a SLIT of that length. */
#include "fuzz.h"

#include "../../efi/distances.h"

static struct memory_nodes nodes;

static void check_slit(const struct acpi_header *table)
{
    const char *reason = slit_read(table, &nodes);
    if (reason != NULL)
        fuzz_check_reason(reason);
    for (uint32_t i = 0; i < nodes.count; i++)
        for (uint32_t j = 0; j < nodes.count; j++) {
            uint8_t distance = nodes.distance[i][j];
            MUST(distance == 0 || (reason == NULL && (i == j ? distance == 10 : distance > 10)));
        }
}

/* Bytes of the header that nobody reads say which domains the nodes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < sizeof(struct acpi_header))
        return 0;
    struct acpi_header *table = fuzz_copy(data, size);
    table->length = (uint32_t)size;
    nodes.count = 1 + data[9] % NODES_MAX;
    for (uint32_t i = 0; i < nodes.count; i++)
        nodes.node[i].number = i * (1 + data[10] % 7u);
    memset(nodes.distance, 0xa5, sizeof nodes.distance);
    check_slit(table);
    free(table);
    return 0;
}
