/* conditions: configuration and processor as JSON objects. */
#include "conditions.h"

#include "../cpu/processor.h"

void conditions_configuration(struct json *json, const struct config *config)
{
    json_open(json, "configuration");
    for (uint32_t i = 0; i < config_key_count; i++)
        json_text(json, config_keys[i].name, config->setting[i].value);
    json_close(json);
    json_open(json, "configured_by");
    for (uint32_t i = 0; i < config_key_count; i++)
        json_text(json, config_keys[i].name, config->setting[i].source);
    json_close(json);
}

static void describe_hypervisor(struct json *json, const struct processor *p)
{
    json_open(json, "hypervisor");
    json_text(json, "name", hypervisor_name(p));
    json_text(json, "signature", p->hypervisor);
    json_close(json);
}

/* Compact: with many nodes this is most of run.json. */
#define NUMBERS_MAX (NODES_MAX * 11 + 1)

/* The nodes' numbers in the order in which they are listed; or likewise distances to them. */
static void describe_list(struct json *json, const char *name, const struct memory_nodes *nodes,
                          const uint8_t *distance)
{
    struct text text = TEXT_OF(NUMBERS_MAX);
    for (uint32_t i = 0; i < nodes->count; i++)
        text_printf(&text, i > 0 ? " %u" : "%u",
                    distance != NULL ? distance[i] : nodes->node[i].number);
    json_text(json, name, text.at);
}

static void describe_node(struct json *json, const struct memory_nodes *nodes, uint32_t i)
{
    const struct memory_node *node = &nodes->node[i];
    char name[24];
    json_open(json, text_write(name, sizeof name, "node_%u", node->number));
    json_number(json, "bytes", (double)node->bytes, 0);
    json_number(json, "free_bytes", (double)node->free_bytes, 0);
    if (nodes->distances_reason == NULL)
        describe_list(json, "distances", nodes, nodes->distance[i]);
    else
        json_text(json, "distances", "");
    json_close(json);
}

void conditions_nodes(struct json *json, const struct memory_nodes *nodes)
{
    json_open(json, "numa");
    json_text(json, "source", nodes->source);
    json_number(json, "nodes", nodes->count, 0);
    json_number(json, "own", nodes->own_known ? nodes->node[0].number : __builtin_nan(""), 0);
    json_text(json, "reason", nodes->reason != NULL ? nodes->reason : "");
    json_text(json, "no_distances", nodes->distances_reason != NULL ? nodes->distances_reason : "");
    describe_list(json, "numbers", nodes, NULL);
    for (uint32_t i = 0; i < nodes->count; i++)
        describe_node(json, nodes, i);
    json_close(json);
}

/* Writes the bytes of each level of cache that CPUID tells. */
static void describe_caches(struct json *json)
{
    uint64_t bytes[PROCESSOR_CACHES];
    char name[] = "l1";
    processor_caches(bytes);
    json_open(json, "cache_bytes");
    for (unsigned i = 0; i < PROCESSOR_CACHES; i++) {
        name[1] = (char)('1' + i);
        if (bytes[i] > 0)
            json_number(json, name, (double)bytes[i], 0);
    }
    json_close(json);
}

void conditions_processor(struct json *json, const struct processor *p)
{
    json_open(json, "processor");
    json_text(json, "vendor", p->vendor_name);
    json_text(json, "brand", p->brand);
    json_number(json, "family", p->family, 0);
    json_number(json, "model", p->model, 0);
    json_number(json, "stepping", p->stepping, 0);
    json_bool(json, "virtual", p->is_virtual);
    json_bool(json, "rdtscp", p->rdtscp);
    json_bool(json, "gigabyte_pages", p->gigabyte_pages);
    json_bool(json, "invariant_tsc", p->invariant_tsc);
    describe_caches(json);
    json_close(json);
    if (p->is_virtual)
        describe_hypervisor(json, p);
}
