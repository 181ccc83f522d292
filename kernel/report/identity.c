/* identity: the machine's texts and numbers by tables, and the hash over those that stay. */
#include "identity.h"

#include "../lib/sha256.h"

#define HASHED_BYTES 1024

enum part { SYSTEM, BOARD, BIOS, SOCKET, MODULE };

/* Private: only one machine has it. Lasting: it never changes. */
enum { OPEN, PRIVATE, LASTING, BOTH };

#define TEXT(part, type, name, is)                                                                 \
    {                                                                                              \
        part, #name, offsetof(struct machine_##type, name), is                                     \
    }
static const struct text_member {
    enum part part;
    const char *name;
    size_t at; /* in its part */
    unsigned is;
} text_members[] = {
    TEXT(SYSTEM, system, manufacturer, LASTING),
    TEXT(SYSTEM, system, product, LASTING),
    TEXT(SYSTEM, system, version, OPEN),
    TEXT(SYSTEM, system, serial, BOTH),
    TEXT(SYSTEM, system, uuid, BOTH),
    TEXT(SYSTEM, system, sku, OPEN),
    TEXT(SYSTEM, system, family, OPEN),
    TEXT(BOARD, board, manufacturer, LASTING),
    TEXT(BOARD, board, product, LASTING),
    TEXT(BOARD, board, version, OPEN),
    TEXT(BOARD, board, serial, BOTH),
    TEXT(BOARD, board, asset_tag, PRIVATE),
    TEXT(BIOS, bios, vendor, OPEN),
    TEXT(BIOS, bios, version, OPEN),
    TEXT(BIOS, bios, date, OPEN),
    TEXT(SOCKET, socket, socket, OPEN),
    TEXT(SOCKET, socket, manufacturer, OPEN),
    TEXT(SOCKET, socket, version, OPEN),
    TEXT(SOCKET, socket, serial, PRIVATE),
    TEXT(SOCKET, socket, asset_tag, PRIVATE),
    TEXT(SOCKET, socket, part, OPEN),
    TEXT(MODULE, module, slot, OPEN),
    TEXT(MODULE, module, bank, OPEN),
    TEXT(MODULE, module, manufacturer, OPEN),
    TEXT(MODULE, module, part, OPEN),
    TEXT(MODULE, module, serial, PRIVATE),
    TEXT(MODULE, module, asset_tag, PRIVATE),
};

#define MEMBERS(m)                                                                                 \
    const struct text_member *m = text_members;                                                    \
    m < text_members + sizeof text_members / sizeof *text_members;                                 \
    m++

/* --- the hash -------------------------------------------------------------------------------- */

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

/* --- run.json -------------------------------------------------------------------------------- */

static void put_texts(struct json *json, enum part part, const void *texts, bool is_anonymous)
{
    for (MEMBERS(m))
        if (m->part == part && !(m->is & PRIVATE && is_anonymous))
            json_text(json, m->name, (const char *)texts + m->at);
}

static void put_part(struct json *json, const char *name, enum part part, const void *texts,
                     bool is_anonymous)
{
    json_open(json, name);
    put_texts(json, part, texts, is_anonymous);
    json_close(json);
}

/* Writes null for 0, which means that the number is not known. */
static void put_number(struct json *json, const char *name, uint64_t value)
{
    json_number(json, name, value != 0 ? (double)value : __builtin_nan(""), 0);
}

static void put_socket(struct json *json, const struct machine_socket *socket, bool is_anonymous)
{
    put_texts(json, SOCKET, socket, is_anonymous);
    put_number(json, "mhz_max", socket->mhz_max);
    put_number(json, "mhz", socket->mhz);
    put_number(json, "cores", socket->cores);
    put_number(json, "cores_enabled", socket->cores_enabled);
    put_number(json, "threads", socket->threads);
}

static void put_module(struct json *json, const struct machine_module *module, bool is_anonymous)
{
    put_texts(json, MODULE, module, is_anonymous);
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
    bool is_anonymous = identity->is_anonymous;
    bool is_own = has_private(SYSTEM, &machine->system) || has_private(BOARD, &machine->board);
    json_text(json, "id_shared",
              is_own ? "" : "no serial number and no UUID is known: machines of one kind share it");
    json_text(json, "source", machine->source);
    json_text(json, "reason", machine->reason);
    put_part(json, "system", SYSTEM, &machine->system, is_anonymous);
    put_part(json, "board", BOARD, &machine->board, is_anonymous);
    put_part(json, "bios", BIOS, &machine->bios, is_anonymous);
    put_sockets(json, machine, is_anonymous);
    put_modules(json, machine, is_anonymous);
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
