/* identity: the machine's texts and numbers by tables, and the hash over those that stay. */
#include "identity.h"

#include "../lib/sha256.h"

#define HASHED_BYTES 1024

#define SYSTEM(name) offsetof(struct machine, system.name)
#define BOARD(name) offsetof(struct machine, board.name)
#define BIOS(name) offsetof(struct machine, bios.name)
#define SOCKET(name) offsetof(struct machine_socket, name)
#define MODULE(name) offsetof(struct machine_module, name)

/* A text's place in struct machine. Private: only one machine has it. Lasting: it never changes. */
struct text_member {
    const char *name;
    size_t at;
    bool is_private, is_lasting;
};

static const struct text_member system_texts[] = {
    {"manufacturer", SYSTEM(manufacturer), false, true},
    {"product", SYSTEM(product), false, true},
    {"version", SYSTEM(version), false, false},
    {"serial", SYSTEM(serial), true, true},
    {"uuid", SYSTEM(uuid), true, true},
    {"sku", SYSTEM(sku), false, false},
    {"family", SYSTEM(family), false, false},
    {.name = NULL},
};

static const struct text_member board_texts[] = {
    {"manufacturer", BOARD(manufacturer), false, true}, {"product", BOARD(product), false, true},
    {"version", BOARD(version), false, false},          {"serial", BOARD(serial), true, true},
    {"asset_tag", BOARD(asset_tag), true, false},       {.name = NULL},
};

static const struct text_member bios_texts[] = {
    {"vendor", BIOS(vendor), false, false},
    {"version", BIOS(version), false, false},
    {"date", BIOS(date), false, false},
    {.name = NULL},
};

static const struct text_member socket_texts[] = {
    {"socket", SOCKET(socket), false, false},
    {"manufacturer", SOCKET(manufacturer), false, false},
    {"version", SOCKET(version), false, false},
    {"serial", SOCKET(serial), true, false},
    {"asset_tag", SOCKET(asset_tag), true, false},
    {"part", SOCKET(part), false, false},
    {.name = NULL},
};

static const struct text_member module_texts[] = {
    {"slot", MODULE(slot), false, false},
    {"bank", MODULE(bank), false, false},
    {"manufacturer", MODULE(manufacturer), false, false},
    {"part", MODULE(part), false, false},
    {"serial", MODULE(serial), true, false},
    {"asset_tag", MODULE(asset_tag), true, false},
    {.name = NULL},
};

/* --- the hash -------------------------------------------------------------------------------- */

static void add_lasting(struct text *text, const struct machine *machine, const char *part,
                        const struct text_member *members)
{
    for (const struct text_member *m = members; m->name != NULL; m++)
        if (m->is_lasting)
            text_printf(text, "%s.%s=%s\n", part, m->name, (const char *)machine + m->at);
}

void identity_id(const struct identity *identity, char id[IDENTITY_ID_MAX])
{
    char hashed[HASHED_BYTES];
    uint8_t digest[SHA256_BYTES];
    struct text text;
    text_init(&text, id, IDENTITY_ID_MAX);
    if (identity->machine == NULL)
        return;
    text_init(&text, hashed, sizeof hashed);
    add_lasting(&text, identity->machine, "system", system_texts);
    add_lasting(&text, identity->machine, "board", board_texts);
    text_printf(&text, "processor=%s\n", identity->processor->brand);
    sha256(hashed, text.length, digest);
    text_init(&text, id, IDENTITY_ID_MAX);
    for (unsigned i = 0; i < (IDENTITY_ID_MAX - 1) / 2; i++)
        text_printf(&text, "%02x", digest[i]);
}

/* True if a lasting text, such as a serial number, is that of a single machine. */
static bool has_private(const struct machine *machine, const struct text_member *members)
{
    for (const struct text_member *m = members; m->name != NULL; m++)
        if (m->is_lasting && m->is_private && *((const char *)machine + m->at) != '\0')
            return true;
    return false;
}

/* --- run.json -------------------------------------------------------------------------------- */

static void put_texts(struct json *json, const void *part, const struct text_member *members,
                      bool is_anonymous)
{
    for (const struct text_member *m = members; m->name != NULL; m++)
        if (!(m->is_private && is_anonymous))
            json_text(json, m->name, (const char *)part + m->at);
}

static void put_part(struct json *json, const char *name, const struct identity *identity,
                     const struct text_member *members)
{
    json_open(json, name);
    put_texts(json, identity->machine, members, identity->is_anonymous);
    json_close(json);
}

/* Writes null for 0, which means that the number is not known. */
static void put_number(struct json *json, const char *name, uint64_t value)
{
    json_number(json, name, value != 0 ? (double)value : __builtin_nan(""), 0);
}

static void put_socket(struct json *json, const struct machine_socket *socket, bool is_anonymous)
{
    put_texts(json, socket, socket_texts, is_anonymous);
    put_number(json, "mhz_max", socket->mhz_max);
    put_number(json, "mhz", socket->mhz);
    put_number(json, "cores", socket->cores);
    put_number(json, "cores_enabled", socket->cores_enabled);
    put_number(json, "threads", socket->threads);
}

static void put_module(struct json *json, const struct machine_module *module, bool is_anonymous)
{
    put_texts(json, module, module_texts, is_anonymous);
    json_text(json, "type", module->type);
    put_number(json, "bytes", module->bytes);
    put_number(json, "mts_max", module->mts_max);
    put_number(json, "mts", module->mts);
    put_number(json, "ranks", module->ranks);
}

static void put_sockets(struct json *json, const struct machine *machine, bool is_anonymous)
{
    char name[24];
    json_open(json, "processors");
    json_number(json, "filled", machine->sockets, 0);
    for (uint32_t i = 0; i < machine->sockets && i < MACHINE_SOCKETS_MAX; i++) {
        json_open(json, text_write(name, sizeof name, "socket_%u", i));
        put_socket(json, &machine->socket[i], is_anonymous);
        json_close(json);
    }
    json_close(json);
}

static void put_modules(struct json *json, const struct machine *machine, bool is_anonymous)
{
    char name[24];
    json_open(json, "memory");
    json_number(json, "slots", machine->slots, 0);
    json_number(json, "filled", machine->modules, 0);
    for (uint32_t i = 0; i < machine->modules && i < MACHINE_MODULES_MAX; i++) {
        json_open(json, text_write(name, sizeof name, "module_%u", i));
        put_module(json, &machine->module[i], is_anonymous);
        json_close(json);
    }
    json_close(json);
}

static void put_machine(struct json *json, const struct identity *identity)
{
    const struct machine *machine = identity->machine;
    bool is_own = has_private(machine, system_texts) || has_private(machine, board_texts);
    json_text(json, "id_shared",
              is_own ? "" : "no serial number and no UUID is known: machines of one kind share it");
    json_text(json, "source", machine->source);
    json_text(json, "reason", machine->reason);
    put_part(json, "system", identity, system_texts);
    put_part(json, "board", identity, board_texts);
    put_part(json, "bios", identity, bios_texts);
    put_sockets(json, machine, identity->is_anonymous);
    put_modules(json, machine, identity->is_anonymous);
}

static void put_core(struct json *json, const struct identity_core *core)
{
    static const char *const types[] = {[CORE_ANY] = "one type",
                                        [CORE_PERFORMANCE] = "P",
                                        [CORE_EFFICIENT] = "E",
                                        [CORE_LOW_POWER] = "LP-E"};
    char name[24];
    json_open(json, text_write(name, sizeof name, "core_%u", core->is.apic_id));
    json_hex(json, "signature", core->is.signature);
    json_number(json, "apic_id", core->is.apic_id, 0);
    json_text(json, "type", types[core->is.type]);
    if (core->microcode != 0)
        json_hex(json, "microcode", core->microcode);
    else
        json_text(json, "microcode", "");
    json_close(json);
}

/* Writes each measured core by its APIC id, as the names of cases have it. */
static void put_cores(struct json *json, const struct identity *identity)
{
    json_open(json, "cores");
    json_number(json, "measured", identity->cores, 0);
    for (uint32_t i = 0; i < identity->cores && i < IDENTITY_CORES_MAX; i++)
        put_core(json, &identity->core[i]);
    json_close(json);
}

void identity_json(const struct identity *identity, struct json *json)
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
    put_cores(json, identity);
    if (identity->machine != NULL)
        put_machine(json, identity);
    json_close(json);
}
