/* processors: the firmware's MP services start others; each then waits at a station for orders. */
#include "processors.h"

#include <stddef.h>

#include "../kernel/cpu/descriptors.h"
#include "../kernel/cpu/entry.h"
#include "../kernel/cpu/msr.h"
#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "../kernel/probe/native.h"
#include "console.h"
#include "firmware.h"
#include "memory.h"
#include "watchdog.h"

#define STATION_BYTES (160ul << 10) /* the station and at least 128 KB of stack */
#define START_MILLISECONDS 1000
#define BACK_MILLISECONDS                                                                          \
    10000 /* edk2 polls every 100 ms, by a clock that runs 20 times slow in Bochs */
#define LOOK_MICROSECONDS 1000000
#define APART_MILLISECONDS 50 /* two looks at least, so that waking up does not count */
#define WORK_SECONDS 120      /* far longer than any slice or an emulator's self-test */
#define BEGIN_SECONDS 60      /* an emulator takes long to write an array once */
#define AWAKE 0.1             /* a processor that is awake for more of the time runs */
#define PROCESSORS_MOST 65536 /* more are no answer but garbage */
#define SILENT_MAX 3          /* so many that do not answer, and no other is tried */

/* GetProcessorInfo fills this; later versions of the table are longer. */
struct processor_information {
    uint64_t apic_id;
    uint32_t flags;
    uint32_t place[16];
};
#define FLAG_BOOT 1u
#define FLAG_ENABLED 2u
#define FLAG_HEALTHY 4u

/* EFI_MP_SERVICES_PROTOCOL (PI specification 1.8, volume 2, 13.4). */
struct mp_services {
    EFI_STATUS(EFIAPI *count)(struct mp_services *self, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)(struct mp_services *self, UINTN number, void *buffer);
    void *start_all;
    EFI_STATUS(EFIAPI *start)
    (struct mp_services *self, void *procedure, UINTN number, EFI_EVENT when_back,
     UINTN microseconds, void *argument, BOOLEAN *finished);
    void *rest[3];
};

enum order { ORDER_REST, ORDER_WORK, ORDER_GENERATE, ORDER_LEAVE };

/*
 * Carries the orders and answers between another processor and ours. No code here calls the
 * firmware: its services, but for these, are for one processor. Each word that a processor waits
 * for has a cache line of its own.
 */
struct station {
    struct crossing crossing; /* first: crossing_enter gets this pointer */
    const struct processor *identity;
    struct logical_processor *whose;
    EFI_EVENT back; /* signalled when the firmware sees that the processor is back */
    struct topology topology;
    enum core_type type;
    struct awake_clock clock;
    uint64_t asleep_ticks;
    uint64_t since;
    volatile bool is_here;
    bool is_called; /* firmware starts it anew for each piece of work */
    struct quiet *quiet;
    void (*work)(void *context);
    void *context;
    enum quiet_result result;
    struct generator generator;
    volatile uint32_t order __attribute__((aligned(REST_LINE)));
    volatile uint32_t is_done __attribute__((aligned(REST_LINE)));
};

_Static_assert(GENERATOR_APART >= REST_LINE, "a generator waits for a word, too");
_Static_assert(sizeof(struct station) <= STATION_BYTES - (128ul << 10), "room for the stack");

static const EFI_GUID mp_services_guid = {
    0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

/* --- on the other processor ------------------------------------------------------------------ */

/* Reads MPERF, if CPUID announces it (leaf 6, ECX[0]: Intel SDM 3B, 15.2; AMD APM 2, 17.5) and it
 * exists: emulators may lack it. */
static void read_clock(void *context)
{
    struct awake_clock *clock = context;
    clock->is_known = cpuid_read(6, 0).ecx & 1 && msr_read(MSR_MPERF, &clock->awake);
    clock->ticks = native_ticks();
}

/* Reads inside the quiet section, which catches faults; nobody else is in it during a look. */
static void look_around(void *context)
{
    struct station *s = context;
    struct quiet quiet = {.processor = s->identity, .cr3 = cr3_read()};
    topology_read(s->identity, &s->topology);
    s->type = processor_core_type(s->identity);
    quiet_run(&quiet, read_clock, &s->clock);
    s->is_here = true;
}

static void work_quietly(struct station *s)
{
    s->result = quiet_run(s->quiet, s->work, s->context);
    s->order = s->is_called ? ORDER_LEAVE : ORDER_REST;
    s->is_done = true;
}

/* Rests as a processor without work does. */
static void rest_as_generator(struct generator *generator, uint32_t sequence)
{
    struct station *s = (void *)((char *)generator - offsetof(struct station, generator));
    rest_while(&generator->sequence, sequence, &s->asleep_ticks);
}

/* Follows orders until the last. Generators use the firmware's page tables: only one processor at a
 * time can be in a quiet section, and a generator's loops raise no exceptions. */
static void attend(void *context)
{
    struct station *s = context;
    const struct descriptor_pointer before = descriptors_join();
    s->is_here = true;
    while (s->order != ORDER_LEAVE) {
        rest_while(&s->order, ORDER_REST, &s->asleep_ticks);
        if (s->order == ORDER_WORK) {
            work_quietly(s);
        } else if (s->order == ORDER_GENERATE) {
            generator_run(&s->generator);
            s->is_done = true;
        }
    }
    idtr_write(&before);
}

/* --- on ours --------------------------------------------------------------------------------- */

static const char *refuse(struct processors *p, const struct logical_processor *l, const char *why)
{
    return text_write(p->refusal, sizeof p->refusal, "the processor with APIC id %u: %s",
                      l->topology.apic_id, why);
}

/* Gives up a processor, which may be at work and still use any of our memory. */
static const char *lose(struct logical_processor *l, const char *why)
{
    memory_keep();
    console_printf("\nThe processor with APIC id %u %s. It may still use memory: none is freed.\n",
                   l->topology.apic_id, why);
    return l->why_not = why;
}

/* Returns NULL if there is no memory. */
static struct station *new_station(struct processors *p, struct logical_processor *l,
                                   void (*work)(void *context))
{
    uint64_t memory = memory_allocate(STATION_BYTES);
    struct station *s = (struct station *)memory;
    if (memory == 0)
        return NULL;
    *s = (struct station){
        .crossing = {.work = work, .context = s, .stack_end = (char *)s + STATION_BYTES},
        .identity = p->identity,
        .whose = l,
    };
    return s;
}

static void free_station(struct station *s)
{
    memory_free((uint64_t)s, STATION_BYTES);
}

static EFI_STATUS start(struct processors *p, struct station *s, UINTN microseconds)
{
    BOOLEAN finished = 0;
    return p->services->start(p->services, (void *)crossing_enter, s->whose->number, s->back,
                              microseconds, s, s->back != NULL ? NULL : &finished);
}

/* Returns why a start is not tried, or NULL. */
static const char *why_not_tried(const struct processors *p)
{
    return p->silent >= SILENT_MAX ? "is left alone, since others did not answer" : NULL;
}

/* Looks at one processor. One that does not answer is left alone, and keeps its stack. */
static const char *look(struct processors *p, struct logical_processor *l)
{
    if (why_not_tried(p) != NULL)
        return why_not_tried(p);
    struct station *s = new_station(p, l, look_around);
    if (s == NULL)
        return "has no memory for its stack";
    watchdog_feed();
    EFI_STATUS status = start(p, s, LOOK_MICROSECONDS);
    if (status == EFI_TIMEOUT || (!EFI_ERROR(status) && !s->is_here)) {
        p->silent++;
        return "does not answer";
    }
    if (!EFI_ERROR(status)) {
        l->looks++;
        l->topology = s->topology;
        l->type = s->type;
        l->clock = s->clock;
    }
    free_station(s);
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

void processors_ask(struct processors *p, struct logical_processor *l)
{
    if (l != p->boot && l->why_not == NULL && l->looks == 0)
        l->why_not = look(p, l);
}

/* Looks at every processor that had a look, at most so many, whose clock tells when it is awake,
 * and that is not kept; waits before the first. `during` gets its share of awake time since the
 * last look. */
static void look_again(struct processors *p, unsigned looks, unsigned milliseconds)
{
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++) {
        struct awake_clock last = l->clock;
        if (!last.is_known || l->looks > looks || l->why_not != NULL || l->station != NULL)
            continue;
        if (milliseconds > 0)
            firmware_pause(milliseconds);
        milliseconds = 0;
        l->why_not = look(p, l);
        l->during = l->why_not == NULL ? rest_share_awake(&last, &l->clock) : __builtin_nan("");
        if (l->looks == 2)
            l->before = l->during;
    }
}

bool processors_are_siblings(const struct logical_processor *a, const struct logical_processor *b)
{
    return a != b && topology_same_core(&a->topology, &b->topology);
}

static bool has_generators(const struct processors *p)
{
    for (const struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l->generator != NULL)
            return true;
    return false;
}

static bool is_kept(const struct processors *p, const struct logical_processor *l)
{
    return l == p->measuring ||
           (p->halts_siblings && rest_is_possible() && processors_are_siblings(p->measuring, l));
}

static void summarize_processors(struct processors *p)
{
    if (p->why_not != NULL)
        return;
    unsigned asleep = 0, awake = 0, silent = 0, others = p->count - 1;
    struct text text;
    for (const struct logical_processor *l = p->all; l < p->all + p->count; l++) {
        silent += l->why_not != NULL;
        asleep += l != p->boot && l->during <= AWAKE;
        awake += l != p->boot && l->during > AWAKE;
    }
    text_init(&text, p->summary, sizeof p->summary);
    text_printf(&text, "%u of %u by the firmware's MP services", others, p->count);
    if (others > 0)
        text_printf(&text, ": %u asleep by MPERF, %u running, %u of which that is not known",
                    asleep, awake, others - asleep - awake);
    if (silent > 0)
        text_printf(&text, "; %u not started", silent);
    if (p->undescribed > 0)
        text_printf(&text, "; %u not described", p->undescribed);
}

/* Gives it our own processor's bits that number threads, until it tells its own. */
static void add_processor(struct processors *p, unsigned number, const struct topology *own)
{
    struct processor_information information = {.flags = 0};
    struct logical_processor *l = &p->all[p->count];
    if (EFI_ERROR(p->services->information(p->services, number, &information))) {
        p->undescribed++;
        return;
    }
    *l = (struct logical_processor){
        .number = number,
        .topology = {(uint32_t)information.apic_id, own->thread_bits, own->source},
        .before = __builtin_nan(""),
        .during = __builtin_nan(""),
    };
    if (information.flags & FLAG_BOOT)
        p->boot = l;
    else if (!(information.flags & FLAG_ENABLED))
        l->why_not = "is disabled by the firmware";
    else if (!(information.flags & FLAG_HEALTHY))
        l->why_not = "is not healthy, says the firmware";
    p->count++;
}

static void free_list(struct processors *p)
{
    if (p->listed > 0)
        memory_free((uint64_t)p->all, p->listed * sizeof *p->all);
    p->listed = 0;
}

/* Returns NULL, or why the number of processors is unknown. */
static const char *find_services(struct mp_services **services, UINTN *count)
{
    EFI_GUID guid = mp_services_guid;
    UINTN enabled;
    void *protocol = NULL;
    *count = 0;
    if (EFI_ERROR(firmware_boot->LocateProtocol(&guid, NULL, &protocol)) || protocol == NULL)
        return "the firmware has no MP services";
    *services = protocol;
    EFI_STATUS status = (*services)->count(*services, count, &enabled);
    return EFI_ERROR(status) || *count == 0 || *count > PROCESSORS_MOST
               ? "the firmware's MP services do not say how many there are"
               : NULL;
}

/* Returns NULL, or why only our own processor is known. */
static const char *list(struct processors *p, const struct topology *own)
{
    UINTN count;
    const char *reason = find_services(&p->services, &count);
    if (reason != NULL)
        return reason;
    uint64_t memory = memory_allocate(count * sizeof *p->all);
    if (memory == 0)
        return "there is no memory for a list of all";
    p->all = (struct logical_processor *)memory;
    p->listed = (unsigned)count;
    for (unsigned i = 0; i < count; i++)
        add_processor(p, i, own);
    return p->boot != NULL ? NULL : "the firmware's MP services do not know ours";
}

void processors_open(struct processors *p, const struct processor *identity,
                     uint64_t ticks_per_second)
{
    static struct logical_processor alone;
    struct topology own;
    topology_read(identity, &own);
    *p = (struct processors){.identity = identity, .ticks_per_second = ticks_per_second};
    p->why_not = list(p, &own);
    if (p->why_not != NULL) {
        free_list(p);
        p->services = NULL;
        p->all = p->boot = &alone;
        p->count = 1;
        text_write(p->summary, sizeof p->summary, "left as the firmware parked them: %s",
                   p->why_not);
    }
    p->measuring = p->boot;
    p->boot->topology = own;
    p->boot->type = processor_core_type(identity);
}

void processors_leave(struct processors *p)
{
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l != p->boot && l->why_not == NULL)
            l->why_not = "is left alone, as this run does with all others";
}

void processors_meet(struct processors *p, bool all)
{
    processors_ask(p, p->measuring); /* first: it tells which are its siblings */
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (all || processors_are_siblings(p->measuring, l))
            processors_ask(p, l);
    look_again(p, 1, APART_MILLISECONDS);
    summarize_processors(p);
}

void processors_look(struct processors *p)
{
    look_again(p, UINT32_MAX, 0);
    summarize_processors(p);
}

/* Waits until a processor has arrived, or until the firmware has noticed that it is back. */
static bool wait_until(struct station *s, bool here)
{
    for (unsigned i = 0; i < (here ? START_MILLISECONDS : BACK_MILLISECONDS); i++) {
        if (here ? s->is_here : firmware_boot->CheckEvent(s->back) == EFI_SUCCESS)
            return true;
        if (!here)
            s->order = ORDER_LEAVE; /* once more, should MONITOR have missed it */
        firmware_pause(1);
    }
    return false;
}

/*
 * Starts a processor without waiting for it. PI allows that until the firmware has signalled ready
 * to boot; later, firmware may insist on waiting and then starts the processor for each piece of
 * work.
 */
static const char *keep_processor(struct processors *p, struct logical_processor *l)
{
    if (why_not_tried(p) != NULL)
        return why_not_tried(p);
    watchdog_feed();
    struct station *s = new_station(p, l, attend);
    if (s == NULL)
        return "has no memory for its stack";
    EFI_STATUS status = firmware_boot->CreateEvent(0, TPL_CALLBACK, NULL, NULL, &s->back);
    if (!EFI_ERROR(status))
        status = start(p, s, 0);
    if (status == EFI_UNSUPPORTED && l == p->measuring) {
        firmware_boot->CloseEvent(s->back);
        s->back = NULL;
        s->is_called = true;
        l->station = s;
        return NULL;
    }
    if (EFI_ERROR(status)) {
        if (s->back != NULL)
            firmware_boot->CloseEvent(s->back);
        free_station(s);
        return firmware_status(status);
    }
    l->station = s;
    s->since = native_ticks();
    if (wait_until(s, true))
        return NULL;
    p->silent++;
    return l->why_not = "does not start";
}

/* Waits for a processor that already has its order to leave. */
static void let_go(struct logical_processor *l)
{
    struct station *s = l->station;
    l->station = NULL;
    if (!s->is_called) {
        l->kept_ticks += native_ticks() - s->since;
        if (l->why_not == NULL && !wait_until(s, false))
            lose(l, "did not come back");
        if (l->why_not != NULL)
            return;
        firmware_boot->CloseEvent(s->back);
    }
    l->asleep_ticks += s->asleep_ticks;
    free_station(s);
}

/* Writes words for the noise report; `failed` is the last reason why one could not be kept. */
static void say_siblings(struct processors *p, unsigned siblings, unsigned kept, const char *failed)
{
    bool may_be_unknown = p->why_not != NULL || p->undescribed > 0;
    if (siblings == 0 && may_be_unknown && p->measuring->topology.thread_bits > 0)
        text_write(p->siblings, sizeof p->siblings, "not known: %s",
                   p->why_not != NULL ? p->why_not
                                      : "the firmware does not describe each processor");
    else if (siblings == 0)
        text_write(p->siblings, sizeof p->siblings, "there are none");
    else if (!p->halts_siblings || !rest_is_possible())
        text_write(p->siblings, sizeof p->siblings, "%u, as the firmware parked them%s", siblings,
                   p->halts_siblings ? ": the processor has no MWAIT that works" : "");
    else
        text_write(p->siblings, sizeof p->siblings, "%u, of which %u asleep in MWAIT%s%s", siblings,
                   kept, failed != NULL ? "; one: " : "", failed != NULL ? failed : "");
}

const char *processors_gather(struct processors *p)
{
    unsigned siblings = 0, kept = 0;
    const char *failed = NULL;
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++) {
        bool is_sibling = processors_are_siblings(p->measuring, l);
        const char *reason = l->why_not;
        siblings += is_sibling;
        if (l != p->boot && l->station == NULL && reason == NULL && is_kept(p, l))
            reason = keep_processor(p, l);
        if (reason != NULL && l == p->measuring)
            return refuse(p, l, reason);
        if (is_sibling && reason != NULL)
            failed = reason;
        kept += is_sibling && reason == NULL && (l->station != NULL || l == p->boot);
    }
    if (!has_generators(p)) { /* generators may be siblings, and do not sleep */
        say_siblings(p, siblings, kept, failed);
        p->siblings_sleep =
            p->halts_siblings && rest_is_possible() && siblings > 0 && kept == siblings;
    }
    return NULL;
}

/* Starts the work: by a call of the firmware, or by a word. */
static EFI_STATUS order_work(struct processors *p, struct station *s)
{
    s->is_done = false;
    s->order = ORDER_WORK;
    return s->is_called ? start(p, s, WORK_SECONDS * 1000000ul) : EFI_SUCCESS;
}

static bool wait_for_work(const struct processors *p, struct station *s, bool sleeps)
{
    uint64_t end = native_ticks() + WORK_SECONDS * p->ticks_per_second;
    while (!s->is_done && native_ticks() < end)
        if (sleeps)
            rest_once(&s->is_done, false, &p->boot->asleep_ticks);
        else
            rest_briefly();
    return s->is_done;
}

/*
 * Raises the TPL to keep the firmware's events out; quiet_run does the rest. CLI alone would not
 * do, since every RestoreTPL below the highest level turns interrupts on again (edk2, Tpl.c).
 */
static enum quiet_result run_here(struct quiet *quiet, void (*work)(void *context), void *context)
{
    EFI_TPL level = firmware_boot->RaiseTPL(TPL_HIGH_LEVEL);
    enum quiet_result result = quiet_run(quiet, work, context);
    firmware_boot->RestoreTPL(level);
    return result;
}

/*
 * Puts our processor to sleep if it shares the core; otherwise it polls, with interrupts off: the
 * firmware's handlers take cache and memory. Its timer, some hundred interrupts a second of a
 * microsecond or two, is all that ends a sleep in which nobody stores, so that stays on.
 */
static bool wait_quietly(const struct processors *p, struct station *s)
{
    bool sleeps = processors_are_siblings(p->boot, s->whose) && rest_is_possible();
    EFI_TPL level = firmware_boot->RaiseTPL(sleeps ? TPL_NOTIFY : TPL_HIGH_LEVEL);
    uint64_t flags = rflags_read();
    if (!sleeps)
        interrupts_disable();
    bool is_done = wait_for_work(p, s, sleeps);
    rflags_write(flags);
    firmware_boot->RestoreTPL(level);
    return is_done;
}

static const char *run_there(struct processors *p, struct quiet *quiet, void (*work)(void *context),
                             void *context, enum quiet_result *result)
{
    struct logical_processor *l = p->measuring;
    struct station *s = l->station;
    s->quiet = quiet;
    s->work = work;
    s->context = context;
    EFI_STATUS status = order_work(p, s);
    if (EFI_ERROR(status) && status != EFI_TIMEOUT)
        return refuse(p, l, firmware_status(status));
    if (status == EFI_TIMEOUT || !wait_quietly(p, s))
        return refuse(p, l, lose(l, "did not come back from its work"));
    *result = s->result;
    return NULL;
}

const char *processors_run(struct processors *p, struct quiet *quiet, void (*work)(void *context),
                           void *context, enum quiet_result *result)
{
    const char *reason = NULL;
    if (p->measuring == p->boot)
        *result = run_here(quiet, work, context);
    else
        reason = run_there(p, quiet, work, context, result);
    if (reason == NULL && *result == QUIET_DONE && quiet->apic_id != p->measuring->topology.apic_id)
        reason = refuse(p, p->measuring, "was to measure, and another one did");
    return reason;
}

/* --- generators ------------------------------------------------------------------------------ */

const char *processors_employ(struct processors *p, struct logical_processor *l, uint8_t *array,
                              uint64_t bytes)
{
    const char *reason = l->why_not;
    if (reason == NULL && l->station == NULL)
        reason = keep_processor(p, l);
    if (reason != NULL)
        return refuse(p, l, reason);
    struct station *s = l->station;
    generator_init(&s->generator, array, bytes, rest_as_generator);
    s->is_done = false;
    s->order = ORDER_GENERATE;
    l->generator = &s->generator;
    return NULL;
}

const char *processors_await(struct processors *p)
{
    uint64_t end = native_ticks() + BEGIN_SECONDS * p->ticks_per_second;
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++) {
        if (l->generator == NULL)
            continue;
        while (l->why_not == NULL && !generator_has_begun(l->generator))
            if (native_ticks() < end)
                rest_briefly();
            else
                l->why_not = "does not do what it is ordered";
        if (l->why_not != NULL)
            return refuse(p, l, l->why_not);
    }
    return NULL;
}

/* Sends the generator back to its station, where no work is left. */
void processors_dismiss(struct logical_processor *l)
{
    l->station->order = ORDER_REST;
    generator_leave(l->generator);
}

bool processors_take_back(struct logical_processor *l)
{
    const struct station *s = l->station;
    l->generated += l->generator->done;
    l->generator = NULL;
    for (unsigned i = 0; i < START_MILLISECONDS && !s->is_done; i++)
        firmware_pause(1);
    if (!s->is_done)
        lose(l, "did not end its work");
    return s->is_done;
}

/* --- the end --------------------------------------------------------------------------------- */

void processors_release(struct processors *p)
{
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l->station != NULL)
            l->station->order = ORDER_LEAVE;
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l->station != NULL)
            let_go(l);
}

void processors_close(struct processors *p)
{
    processors_release(p);
    free_list(p);
}

static void describe_rest(double awake, const char *name, struct json *json)
{
    json_text(json, name, awake <= AWAKE ? "asleep" : awake > AWAKE ? "running" : "not known");
}

static void describe_one(const struct processors *p, const struct logical_processor *l,
                         struct json *json)
{
    char name[24];
    double share =
        l->kept_ticks > 0 ? (double)l->asleep_ticks / (double)l->kept_ticks : __builtin_nan("");
    json_open(json, text_write(name, sizeof name, "apic_%u", l->topology.apic_id));
    json_bool(json, "sibling", processors_are_siblings(l, p->measuring));
    describe_rest(l->before, "before", json);
    describe_rest(l->during, "since", json);
    json_number(json, "awake_percent_before", 100 * l->before, 1);
    json_number(json, "awake_percent_since", 100 * l->during, 1);
    json_number(json, "kept_seconds", (double)l->kept_ticks / (double)p->ticks_per_second, 3);
    json_number(json, "kept_asleep_percent", 100 * share, 1);
    json_number(json, "generated_bytes", (double)l->generated, 0);
    json_text(json, "not_started", l->why_not != NULL ? l->why_not : "");
    json_close(json);
}

void processors_describe(const struct processors *p, const struct quiet *quiet, struct json *json)
{
    static const char *const types[] = {"", "performance", "efficient", "low power"};
    json_open(json, "processors");
    json_number(json, "count", p->count, 0);
    json_text(json, "not_listed", p->why_not != NULL ? p->why_not : "");
    json_number(json, "boot_apic_id", p->boot->topology.apic_id, 0);
    json_number(json, "measuring_apic_id", p->measuring->topology.apic_id, 0);
    json_number(json, "apic_id_while_measuring", quiet->apic_id, 0);
    json_text(json, "core_type", types[p->measuring->type]);
    json_number(json, "thread_bits", p->measuring->topology.thread_bits, 0);
    json_text(json, "thread_bits_source", p->measuring->topology.source);
    for (const struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l != p->boot)
            describe_one(p, l, json);
    json_close(json);
}
