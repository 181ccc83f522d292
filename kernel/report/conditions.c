/* conditions: configuration and processor as JSON objects. */
#include "conditions.h"

#include "../cpu/hypervisor.h"

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
    struct hypervisor_hides hides = hypervisor_hides(p);
    json_open(json, "hypervisor");
    json_text(json, "name", hypervisor_name(p));
    json_text(json, "signature", p->hypervisor);
    json_open(json, "hides");
    json_bool(json, "counters", hides.counters);
    json_bool(json, "tlb_geometry", hides.tlb_geometry);
    json_bool(json, "tsc_rate", hides.tsc_rate);
    json_bool(json, "true_frequency", hides.true_frequency);
    json_bool(json, "gigabyte_pages", hides.gigabyte_pages);
    json_close(json);
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
    json_close(json);
    if (p->is_virtual)
        describe_hypervisor(json, p);
}
