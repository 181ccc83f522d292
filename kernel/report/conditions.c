/* conditions: JSON objects, the machine's by a table, and the hash over what stays of a machine. */
#include "conditions.h"

#include "../engine/counted_plan.h"
#include "../lib/sha256.h"

#define UNKNOWN __builtin_nan("") /* null, as a number */

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

void conditions_nodes(struct json *json, const struct memory_nodes *nodes)
{
    char name[24];
    json_open(json, "numa");
    json_text(json, "source", nodes->source);
    json_number(json, "nodes", nodes->count, 0);
    json_number(json, "own", nodes->own_known ? nodes->node[0].number : UNKNOWN, 0);
    json_text(json, "reason", nodes->reason ?: "");
    json_text(json, "no_distances", nodes->distances_reason ?: "");
    describe_list(json, "numbers", nodes, NULL);
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct memory_node *node = &nodes->node[i];
        json_open(json, text_write(name, sizeof name, "node_%u", node->number));
        json_number(json, "bytes", (double)node->bytes, 0);
        json_number(json, "free_bytes", (double)node->free_bytes, 0);
        if (nodes->distances_reason == NULL)
            describe_list(json, "distances", nodes, nodes->distance[i]);
        else
            json_text(json, "distances", "");
        json_close(json);
    }
    json_close(json);
}

static void put_mhz(struct json *json, const char *name, unsigned mhz)
{
    json_number(json, name, mhz > 0 ? mhz : UNKNOWN, 0);
}

void conditions_uncore(struct json *json, const struct uncore_clock *clock)
{
    json_open(json, "uncore");
    json_text(json, "not_known", clock->why_not ?: "");
    put_mhz(json, "permitted_least_mhz", clock->permitted.least);
    put_mhz(json, "permitted_most_mhz", clock->permitted.most);
    for (unsigned most = 0; most < 2; most++) {
        json_open(json, most ? "most_mhz" : "least_mhz");
        for (const struct uncore_span *s = clock->span; s < clock->span + clock->spans; s++)
            put_mhz(json, s->step, most ? s->most : s->least);
        json_close(json);
    }
    json_close(json);
}

/* Tells what CPUID says; of a model it says nothing. */
static void describe_caches(struct json *json, const struct processor *p)
{
    uint64_t bytes[PROCESSOR_CACHES] = {0};
    char name[] = "l1";
    if (p->vendor != VENDOR_MODEL)
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
    describe_caches(json, p);
    json_close(json);
    if (!p->is_virtual)
        return;
    json_open(json, "hypervisor");
    json_text(json, "name", hypervisor_name(p));
    json_text(json, "signature", p->hypervisor);
    json_close(json);
}

#define HASHED_BYTES 1024

enum part { SYSTEM, BOARD, BIOS, SOCKET, MODULE };

/* Private: only one machine has it. Lasting: it never changes. All are texts, but for a pointer to
 * one, and numbers, of which 0 is not known. */
enum { OPEN, PRIVATE, LASTING, BOTH, POINTER, NUMBER = 8 };

#define MEMBER(part, type, name, is)                                                               \
    {                                                                                              \
        part, #name, offsetof(struct machine_##type, name),                                        \
            sizeof(((struct machine_##type *)NULL)->name), is                                      \
    }
static const struct member {
    enum part part;
    const char *name;
    size_t at, bytes; /* in its part */
    unsigned is;
} members[] = {
    MEMBER(SYSTEM, system, manufacturer, LASTING),
    MEMBER(SYSTEM, system, product, LASTING),
    MEMBER(SYSTEM, system, version, OPEN),
    MEMBER(SYSTEM, system, serial, BOTH),
    MEMBER(SYSTEM, system, uuid, BOTH),
    MEMBER(SYSTEM, system, sku, OPEN),
    MEMBER(SYSTEM, system, family, OPEN),
    MEMBER(BOARD, board, manufacturer, LASTING),
    MEMBER(BOARD, board, product, LASTING),
    MEMBER(BOARD, board, version, OPEN),
    MEMBER(BOARD, board, serial, BOTH),
    MEMBER(BOARD, board, asset_tag, PRIVATE),
    MEMBER(BIOS, bios, vendor, OPEN),
    MEMBER(BIOS, bios, version, OPEN),
    MEMBER(BIOS, bios, date, OPEN),
    MEMBER(SOCKET, socket, socket, OPEN),
    MEMBER(SOCKET, socket, manufacturer, OPEN),
    MEMBER(SOCKET, socket, version, OPEN),
    MEMBER(SOCKET, socket, serial, PRIVATE),
    MEMBER(SOCKET, socket, asset_tag, PRIVATE),
    MEMBER(SOCKET, socket, part, OPEN),
    MEMBER(SOCKET, socket, mhz_max, NUMBER),
    MEMBER(SOCKET, socket, mhz, NUMBER),
    MEMBER(SOCKET, socket, cores, NUMBER),
    MEMBER(SOCKET, socket, cores_enabled, NUMBER),
    MEMBER(SOCKET, socket, threads, NUMBER),
    MEMBER(MODULE, module, slot, OPEN),
    MEMBER(MODULE, module, bank, OPEN),
    MEMBER(MODULE, module, manufacturer, OPEN),
    MEMBER(MODULE, module, part, OPEN),
    MEMBER(MODULE, module, serial, PRIVATE),
    MEMBER(MODULE, module, asset_tag, PRIVATE),
    MEMBER(MODULE, module, type, POINTER),
    MEMBER(MODULE, module, bytes, NUMBER),
    MEMBER(MODULE, module, mts_max, NUMBER),
    MEMBER(MODULE, module, mts, NUMBER),
    MEMBER(MODULE, module, ranks, NUMBER),
};

#define MEMBERS(m)                                                                                 \
    const struct member *m = members;                                                              \
    m < members + sizeof members / sizeof *members;                                                \
    m++

static void add_lasting(struct text *text, enum part part, const char *name, const void *texts)
{
    for (MEMBERS(m))
        if (m->part == part && m->is & LASTING)
            text_printf(text, "%s.%s=%s\n", name, m->name, (const char *)texts + m->at);
}

void identity_id(const struct identity *identity, char id[IDENTITY_ID_MAX])
{
    uint8_t digest[SHA256_BYTES];
    struct text hashed = TEXT_OF(HASHED_BYTES), text;
    text_init(&text, id, IDENTITY_ID_MAX);
    if (identity->machine == NULL)
        return;
    add_lasting(&hashed, SYSTEM, "system", &identity->machine->system);
    add_lasting(&hashed, BOARD, "board", &identity->machine->board);
    text_printf(&hashed, "processor=%s\n", identity->processor->brand);
    sha256(hashed.at, hashed.length, digest);
    for (unsigned i = 0; i < (IDENTITY_ID_MAX - 1) / 2; i++)
        text_printf(&text, "%02x", digest[i]);
}

/* True if a lasting text, such as a serial number, is that of a single machine. */
static bool has_private(enum part part, const void *texts)
{
    for (MEMBERS(m))
        if (m->part == part && m->is == BOTH && *((const char *)texts + m->at) != '\0')
            return true;
    return false;
}

/* --- the machine ----------------------------------------------------------------------------- */

static void put_member(struct json *json, const struct member *m, const void *at)
{
    if (m->is != NUMBER) {
        json_text(json, m->name, m->is == POINTER ? *(const char *const *)at : at);
        return;
    }
    uint64_t number = m->bytes == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
    json_number(json, m->name, number != 0 ? (double)number : UNKNOWN, 0);
}

static void put_part(struct json *json, const char *name, enum part part, const void *start,
                     bool is_anonymous)
{
    json_open(json, name);
    for (MEMBERS(m))
        if (m->part == part && !(m->is & PRIVATE && is_anonymous))
            put_member(json, m, (const char *)start + m->at);
    json_close(json);
}

static void put_machine(struct json *json, const struct identity *identity)
{
    const struct machine *machine = identity->machine;
    bool is_anonymous = identity->is_anonymous;
    bool is_own = has_private(SYSTEM, &machine->system) || has_private(BOARD, &machine->board);
    char name[24];
    json_text(json, "id_shared",
              is_own ? "" : "no serial number and no UUID is known: machines of one kind share it");
    json_text(json, "source", machine->source);
    json_text(json, "reason", machine->reason);
    put_part(json, "system", SYSTEM, &machine->system, is_anonymous);
    put_part(json, "board", BOARD, &machine->board, is_anonymous);
    put_part(json, "bios", BIOS, &machine->bios, is_anonymous);
    json_open(json, "processors");
    json_number(json, "filled", machine->sockets, 0);
    for (uint32_t i = 0; i < machine->sockets && i < MACHINE_SOCKETS_MAX; i++)
        put_part(json, text_write(name, sizeof name, "socket_%u", i), SOCKET, &machine->socket[i],
                 is_anonymous);
    json_close(json);
    json_open(json, "memory");
    json_number(json, "slots", machine->slots, 0);
    json_number(json, "filled", machine->modules, 0);
    for (uint32_t i = 0; i < machine->modules && i < MACHINE_MODULES_MAX; i++)
        put_part(json, text_write(name, sizeof name, "module_%u", i), MODULE, &machine->module[i],
                 is_anonymous);
    json_close(json);
}

/* Names a core by its APIC id, as the names of cases do. */
static void put_core(struct json *json, const struct identity_core *core)
{
    static const char *const types[] = {[CORE_ANY] = "one type",
                                        [CORE_PERFORMANCE] = "P",
                                        [CORE_EFFICIENT] = "E",
                                        [CORE_LOW_POWER] = "LP-E"};
    char name[24];
    json_open(json, text_write(name, sizeof name, "core_%u", core->apic_id));
    json_hex(json, "signature", core->signature);
    json_number(json, "apic_id", core->apic_id, 0);
    json_text(json, "type", types[core->type]);
    if (core->microcode != 0)
        json_hex(json, "microcode", core->microcode);
    else
        json_text(json, "microcode", "");
    json_close(json);
}

void conditions_machine(struct json *json, const struct identity *identity)
{
    char id[IDENTITY_ID_MAX];
    identity_id(identity, id);
    json_open(json, "machine");
    json_text(json, "id", id);
    json_text(json, "boot", identity->machine != NULL ? identity->machine->boot : "");
    json_text(json, "utc_start", identity->utc_start);
    json_text(json, "utc_end", identity->utc_end);
    json_text(json, "clock", identity->clock);
    json_text(json, "no_utc", identity->no_utc);
    json_open(json, "cores");
    json_number(json, "measured", identity->cores, 0);
    for (uint32_t i = 0; i < identity->cores && i < IDENTITY_CORES_MAX; i++)
        put_core(json, &identity->core[i]);
    json_close(json);
    if (identity->machine != NULL)
        put_machine(json, identity);
    json_close(json);
}

/* --- noise ----------------------------------------------------------------------------------- */

static void put_known(struct json *json, const char *name, bool is_known, bool value)
{
    if (is_known)
        json_bool(json, name, value);
    else
        json_number(json, name, UNKNOWN, 0);
}

static void put_origin(struct json *json, const struct noise_report *r)
{
    char memory[ROW_UNIT_BYTES + 32];
    if (r->summary.seconds <= 0)
        text_write(memory, sizeof memory, "nothing%s%s", r->reason[0] != '\0' ? ": " : " yet",
                   r->reason);
    else
        text_write(memory, sizeof memory, "%u ms of spinning at the start%s of the run%s",
                   NOISE_BRIEF_MILLISECONDS, r->samples > 1 ? " and the end" : "",
                   r->has_experiment ? ", and experiment noise" : "");
    json_text(json, "obtained_by", memory);
}

static void put_observations(struct json *json, const struct noise_summary *s)
{
    bool known = s->seconds > 0, is_steady = false;
    double drift = UNKNOWN, reach = UNKNOWN;
    bool is_judged = noise_is_steady(s, &is_steady);
    noise_drift(s, &drift, &reach);
    json_number(json, "seconds_observed", s->seconds, 3);
    json_number(json, "gap_threshold_ns", known ? s->threshold : UNKNOWN, 1);
    json_number(json, "max_gap_ns", known ? s->max_gap : UNKNOWN, 1);
    json_number(json, "gaps_over_1us_per_second", known ? s->gaps_over_1us / s->seconds : UNKNOWN,
                3);
    json_number(json, "smi_during_run", s->smi_known ? s->smi_last - s->smi_first : UNKNOWN, 0);
    json_number(json, "frequency_drift_percent", drift, 3);
    json_number(json, "frequency_drift_reach", reach, 3);
    put_known(json, "frequency_steady", is_judged, is_steady);
    json_number(json, "cycles_per_tick", s->slices > 0 ? 1 / s->ticks_per_cycle : UNKNOWN, 4);
}

static void put_clock(struct json *json, const struct platform *platform)
{
    const struct clock_check *check = &platform->clock_check;
    bool checked = check->ticks_per_second > 0;
    json_number(json, "tsc_hz", (double)platform->ticks_per_second, 0);
    json_text(json, "tsc_second_clock", checked ? check->clock : "none");
    if (!checked)
        json_text(json, "tsc_not_checked", check->reason);
    json_number(json, "tsc_hz_by_second_clock", checked ? check->ticks_per_second : UNKNOWN, 0);
    json_number(json, "tsc_difference_ppm", noise_report_clock_error(platform), 1);
    put_known(json, "tsc_agrees", checked, noise_report_clocks_agree(platform));
}

void conditions_noise(struct json *json, const struct noise_report *r,
                      const struct platform *platform)
{
    json_open(json, "certificate");
    put_origin(json, r);
    json_text(json, "interrupts", platform->interrupts_remain == NULL ? "off" : "on");
    if (platform->interrupts_remain != NULL)
        json_text(json, "interrupts_why", platform->interrupts_remain);
    put_observations(json, &r->summary);
    put_clock(json, platform);
    json_text(json, "other_processors", platform->other_processors);
    if (platform->siblings != NULL)
        json_text(json, "siblings", platform->siblings);
    json_number(json, "core_shared_percent", noise_report_shared_percent(r), 1);
    json_text(json, "prefetch", platform->prefetch);
    json_text(json, "turbo", platform->turbo);
    json_close(json);
}

/* --- counting -------------------------------------------------------------------------------- */

static void put_events(struct json *json, const struct platform *platform)
{
    struct counted_plan plan;
    counted_plan_choose(&plan, platform);
    counted_plan_schedule(&plan, platform);
    json_text(json, "microarchitecture", platform->counters->uarch->name);
    json_number(json, "passes", plan.schedule.passes, 0);
    json_open(json, "events");
    for (unsigned i = 0; i < plan.events; i++)
        json_text(json, event_keys[plan.event[i]->key],
                  placement_reason(plan.schedule.assignment[i].placement));
    json_close(json);
}

void conditions_counting(struct json *json, const struct platform *platform)
{
    json_open(json, "counting");
    if (platform->counters == NULL)
        json_text(json, "none", platform->no_counters);
    else
        put_events(json, platform);
    json_close(json);
}
