/* model_core: dispatch and retirement in order; in between, whatever is ready. */
#include "model_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT64_MAX
#define NOBODY UINT32_MAX
#define FIRST_CYCLE (UINT64_C(5) << 32) /* so that both halves of a timestamp count */
#define IDLE_CYCLES 1000                /* between two runs */
#define REFILL_CYCLES 10                /* of the front end that starts again behind WRMSR */
#define INERT_CYCLES 4                  /* of any instruction, in an emulator */

/* The fixed facts of each kind of operation; the rest is `latency`'s. */
static const struct {
    uint8_t cycles;  /* from its issue to its end */
    uint8_t written; /* so many of RAX, RDX, RCX and RBX */
    bool waits;      /* for all before it */
} facts[] = {
    [OPERATION_CONSTANT] = {.cycles = 1},
    [OPERATION_ADD... OPERATION_ADDRESS] = {.cycles = 1},
    [OPERATION_MULTIPLY] = {.cycles = 3},
    [OPERATION_VECTOR_XOR... OPERATION_VECTOR_ADD_8] = {.cycles = 1},
    [OPERATION_STORE... OPERATION_PUSH] = {.cycles = 1},
    [OPERATION_FENCE] = {.waits = true},
    [OPERATION_DRAIN] = {.waits = true},
    [OPERATION_IDENTIFY] = {.cycles = 100, .written = 4, .waits = true},
    [OPERATION_TIME] = {.written = 2},
    [OPERATION_TIME_AFTER] = {.written = 3, .waits = true},
    [OPERATION_COUNT] = {.cycles = 40, .written = 2},
    [OPERATION_WRITE] = {.cycles = 100, .waits = true},
    [OPERATION_RETURN] = {.cycles = 0},
};

/* A waiting operation and which of its sources: a link of a producer's list. */
#define LINK(number, source) ((number) << 2 | (source))

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

bool model_core_open(struct model_core *core, const struct model_parameters *parameters,
                     struct model_windows *windows, struct model_counters *counters)
{
    memset(core, 0, sizeof(*core));
    core->parameters = parameters;
    core->windows = windows;
    core->counters = counters;
    core->clock = FIRST_CYCLE;
    for (enum model_beside i = 0; i < BESIDE_WORKS; i++)
        core->limits[i] = model_limits_of(parameters, i);
    model_sibling_open(&core->sibling, parameters, core->clock);
    model_clock_open(&core->tsc, parameters, core->clock);
    model_random_open(&core->random, parameters, SEQUENCE_SAMPLE);
    model_random_open(&core->inert, parameters, SEQUENCE_INERT);
    return model_combining_open(&core->combining, parameters);
}

void model_core_close(struct model_core *core)
{
    free(core->operation);
    free(core->flight);
    free(core->resolved);
    free(core->store);
    free(core->drained);
    model_combining_close(&core->combining);
    free(core->loads.event);
    for (unsigned i = 0; i <= MODEL_SCHEDULERS_MAX; i++)
        free(core->scheduler[i].leaving.event);
    free(core->early_loads.leaving.event);
    free(core->entries.entry);
    free(core->entries.last);
    for (unsigned i = 0; i < STRUCTURES; i++)
        free(core->returner[i]);
    memset(core, 0, sizeof(*core));
}

/* Replaces an array by a new one of `count` elements. The old content is lost. */
#define GROW(array, count) (free(array), (array) = malloc((count) * sizeof(*(array))))

static bool make_room_in_rob(struct model_core *core, size_t count)
{
    if (count <= core->room)
        return true;
    core->room = 0;
    GROW(core->operation, count);
    GROW(core->flight, count);
    GROW(core->resolved, count);
    GROW(core->store, count);
    GROW(core->drained, count);
    GROW(core->loads.event, count);
    GROW(core->early_loads.leaving.event, count);
    GROW(core->entries.entry, count);
    GROW(core->entries.last, count);
    bool is_there = core->operation && core->flight && core->resolved && core->store &&
                    core->drained && core->loads.event && core->early_loads.leaving.event &&
                    core->entries.entry && core->entries.last;
    for (unsigned i = 0; i <= core->parameters->schedulers; i++)
        is_there = GROW(core->scheduler[i].leaving.event, count) && is_there;
    for (unsigned i = 0; i < STRUCTURES; i++) /* a register that holds a value returns one, too */
        is_there = GROW(core->returner[i], count + REGISTERS) && is_there;
    core->room = is_there ? count : 0;
    return is_there;
}

static bool is_load(const struct operation *o)
{
    return o->kind == OPERATION_LOAD || o->kind == OPERATION_POP;
}

/* True if the load reads at RSP without an index: its place on the stack is known. */
static bool is_renamed_load(const struct operation *o)
{
    return is_load(o) && o->base == REGISTER_RSP && o->index == REGISTER_NONE;
}

/* Adapts each operation to the parameters: the entries that it takes and returns. */
static void prepare_operations(struct model_core *core)
{
    const struct model_parameters *parameters = core->parameters;
    for (size_t i = 0; parameters->stack_rename > 0 && i < core->count; i++)
        if (is_renamed_load(&core->operation[i]))
            core->operation[i].structures &= (uint8_t) ~(1u << LOAD_QUEUE);
    model_entries_find_returned(parameters, core->operation, core->count);
    if (model_entries_are_shared(parameters))
        model_entries_find(&core->entries, parameters, core->operation, core->count);
}

const char *model_core_load(struct model_core *core, const uint8_t *code, size_t bytes)
{
    core->count = 0;
    if (!make_room_in_rob(core, bytes))
        return "not enough memory for its code";
    core->count = model_decode(code, bytes, core->operation, core->error, sizeof(core->error));
    prepare_operations(core);
    return core->count > 0 ? NULL : core->error;
}

/* Returns the window's memory that an operation uses; NULL: no window, such as the stack, which is
 * always in the first-level cache. */
static struct model_memory *memory_of(const struct model_core *core, uint32_t number)
{
    return model_windows_find(core->windows, core->flight[number].address);
}

/* Returns when a store has written, into the caches or past them. */
static uint64_t write_back(struct model_core *core, uint32_t number, uint64_t when)
{
    struct model_memory *memory = memory_of(core, number);
    if (memory == NULL || core->operation[number].kind != OPERATION_STORE_PAST)
        return when;
    model_memory_pass(memory, core->flight[number].address);
    return model_combining_write(&core->combining, core->now.wc_buffers,
                                 core->flight[number].address, when);
}

/* Lets stores write in order, once they have retired and their lines are there. */
static void drain_stores(struct model_core *core)
{
    for (; core->stores_drained < core->stores; core->stores_drained++) {
        uint32_t number = core->store[core->stores_drained];
        if (number >= core->retired || core->flight[number].owned == UNKNOWN)
            return;
        uint64_t when = later(core->flight[number].retire, core->flight[number].owned);
        core->last_drained = write_back(core, number, later(when, core->last_drained));
        core->drained[core->stores_drained] = core->last_drained;
    }
}

static void retire(struct model_core *core)
{
    const uint32_t width = core->now.width;
    while (core->retired < core->dispatched && core->flight[core->retired].complete != UNKNOWN) {
        struct model_flight *flight = &core->flight[core->retired];
        flight->retire = flight->complete;
        if (core->retired > 0)
            flight->retire = later(flight->retire, flight[-1].retire);
        if (core->retired >= width)
            flight->retire = later(flight->retire, (flight - width)->retire + 1);
        core->retired++;
    }
    drain_stores(core);
}

static uint64_t retirement(const struct model_core *core, uint32_t number)
{
    return number < core->retired ? core->flight[number].retire : UNKNOWN;
}

/* Returns when the ROB has room for an operation beyond the first so many. */
static uint64_t rob_room(const struct model_core *core, uint32_t number)
{
    const uint32_t rob = core->now.rob;
    if (!core->now.shares_entries)
        return retirement(core, number - rob);
    uint32_t entry = core->entries.entry[number];
    return entry >= rob ? retirement(core, core->entries.last[entry - rob]) : 0;
}

/* Returns the same for a structure that can be full before the ROB, from `when` on if known. */
static uint64_t structure_room(struct model_core *core, unsigned i, uint64_t when)
{
    const uint32_t entries = core->now.entries[i];
    if (when == UNKNOWN || core->taken[i] < entries)
        return when;
    if (i == STORE_QUEUE) {
        uint32_t first = core->stores - entries; /* of those that may still hold an entry */
        return first < core->stores_drained ? later(when, core->drained[first]) : UNKNOWN;
    }
    if (i == LOAD_QUEUE && core->now.is_load_queue_early)
        return model_pool_room(&core->early_loads, entries, when);
    return retirement(core, core->returner[i][core->taken[i] - entries]);
}

static bool leaves_early(const struct model_core *core, const struct operation *o)
{
    return core->now.is_load_queue_early && (o->structures >> LOAD_QUEUE & 1);
}

#define TURNS 6 /* all schedulers but the last are used in each, that one in one less */

/*
 * Returns the scheduler that the operation waits in. Loads and stores have one of their own,
 * multiplications one of the others; all else is spread, not quite evenly: on Zen 4, of four with
 * 24 entries each, one is full when 92 additions wait.
 */
static uint32_t scheduler_of(const struct model_core *core, const struct operation *o)
{
    const uint32_t count = core->now.schedulers;
    if (count == 1 || o->kind == OPERATION_MULTIPLY)
        return 0;
    if (o->kind >= OPERATION_LOAD)
        return count;
    return core->spread % (TURNS * count - 1) % count;
}

static uint64_t scheduler_room(struct model_core *core, const struct operation *o, uint64_t when)
{
    uint32_t i = scheduler_of(core, o);
    uint32_t entries = core->now.scheduler;
    if (i == core->now.schedulers)
        entries *= core->now.schedulers;
    return model_pool_room(&core->scheduler[i], entries, when);
}

/* Returns when an operation can be dispatched; UNKNOWN as long as a load decides that. */
static uint64_t earliest_dispatch(struct model_core *core, const struct operation *o,
                                  uint32_t number)
{
    const struct model_limits *limits = &core->now;
    uint64_t when = core->front;
    if (number >= limits->width)
        when = later(when, core->recent[(number - limits->width) % MODEL_WIDTH_MAX] + 1);
    if (o->is_scheduled && limits->is_scheduler_limited)
        when = scheduler_room(core, o, when);
    if (number >= limits->rob)
        when = later(when, rob_room(core, number));
    for (unsigned left = o->structures & limits->limited; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        when = later(when, structure_room(core, i, when));
    }
    if (o->kind == OPERATION_COUNT) /* reads then, and what stands before LFENCE has retired */
        when = later(when, later(core->fenced, core->ready[REGISTER_RCX]));
    if (facts[o->kind].waits)
        when = core->incomplete > 0 ? UNKNOWN : later(when, core->last_complete);
    if (o->kind == OPERATION_DRAIN)
        when = core->stores_drained < core->stores ? UNKNOWN : later(when, core->last_drained);
    return when;
}

static void complete(struct model_core *core, uint32_t number, uint64_t when)
{
    uint8_t to = core->operation[number].to;
    core->flight[number].complete = when;
    core->last_complete = later(core->last_complete, when);
    if (core->producer[to] == number)
        core->ready[to] = when;
    if (leaves_early(core, &core->operation[number])) {
        core->early_loads.staying--;
        model_queue_add(&core->early_loads.leaving, (struct model_event){.time = when});
    }
}

static bool is_store(const struct operation *o)
{
    return o->kind == OPERATION_STORE || o->kind == OPERATION_STORE_PAST ||
           o->kind == OPERATION_PUSH;
}

/* True if a load or prefetch goes to a window: its end is unknown until its turn in that memory. */
static bool is_timed_load(const struct model_core *core, uint32_t number)
{
    const struct operation *o = &core->operation[number];
    return (is_load(o) || o->kind == OPERATION_PREFETCH) && memory_of(core, number) != NULL;
}

/* Asks for a store's line. The store completes at once, but writes once its line is there. */
static void ask_for_line(struct model_core *core, uint32_t number, uint64_t when)
{
    bool is_timed = memory_of(core, number) != NULL;
    core->flight[number].owned = is_timed ? UNKNOWN : when;
    if (is_timed)
        model_queue_add(&core->loads, (struct model_event){.time = when, .number = number});
}

static uint64_t latency(struct model_core *core, const struct operation *o, uint64_t when)
{
    if (o->kind == OPERATION_TIME)
        return core->parameters->timer;
    if (o->kind == OPERATION_DRAIN)
        return model_combining_flush(&core->combining, when) - when;
    if (!is_load(o))
        return facts[o->kind].cycles;
    return o->source[2] != REGISTER_NONE && core->ready[o->source[2]] == when
               ? core->parameters->forwarding - facts[OPERATION_STORE].cycles
               : core->parameters->level[0].latency;
}

/* Issues an operation with all its sources. False: a window's load, whose end is not known yet. */
static bool issue(struct model_core *core, uint32_t number, uint64_t when)
{
    const struct operation *o = &core->operation[number];
    if (o->is_scheduled)
        core->flight[number].issue = when;
    if (core->now.is_scheduler_limited && o->is_scheduled && when > core->front)
        model_queue_add(&core->scheduler[core->flight[number].scheduler].leaving,
                        (struct model_event){.time = when, .number = number});
    if (is_timed_load(core, number)) {
        model_queue_add(&core->loads, (struct model_event){.time = when, .number = number});
        return false;
    }
    if (is_store(o))
        ask_for_line(core, number, when);
    complete(core, number, when + latency(core, o, when));
    return true;
}

/* Notes that one more source is there; issues the operation after the last. True: it completed. */
static bool wake(struct model_core *core, uint32_t number, uint64_t when)
{
    struct model_flight *waiting = &core->flight[number];
    waiting->ready = later(waiting->ready, when);
    if (--waiting->sources > 0)
        return false;
    core->scheduler[waiting->scheduler].staying -= core->operation[number].is_scheduled;
    return issue(core, number, waiting->ready);
}

/* Completes a load, then what waited for it, and so on. */
static void resolve(struct model_core *core, uint32_t load, uint64_t when)
{
    uint32_t count = 0;
    complete(core, load, when);
    core->resolved[count++] = load;
    while (count > 0) {
        uint32_t number = core->resolved[--count];
        core->incomplete--;
        for (uint32_t link = core->flight[number].waiters, next; link != NOBODY; link = next) {
            next = core->flight[link >> 2].next[link & 3];
            if (wake(core, link >> 2, core->flight[number].complete))
                core->resolved[count++] = link >> 2;
        }
    }
    retire(core);
}

/* Fetches the data of a load, a buffer for a prefetch, the line of a store. */
static void fetch(struct model_core *core, struct model_memory *memory, uint32_t number,
                  uint64_t when)
{
    const uint8_t kind = core->operation[number].kind;
    const uint64_t address = core->flight[number].address;
    enum model_place place;
    if (kind == OPERATION_STORE || kind == OPERATION_STORE_PAST) {
        core->flight[number].owned =
            kind == OPERATION_STORE ? model_memory_own(memory, address, when) : when;
        drain_stores(core);
    } else if (kind == OPERATION_PREFETCH) {
        resolve(core, number, model_memory_prefetch(memory, address, when));
    } else {
        uint64_t there = model_memory_fetch(memory, address, when, &place);
        core->flight[number].place = (uint8_t)place;
        resolve(core, number, there);
    }
}

/* Advances the earliest load by a stage: translation, then data. */
static void advance_load(struct model_core *core)
{
    struct model_event event = model_queue_take(&core->loads);
    struct model_memory *memory = memory_of(core, event.number);
    if (event.stage == 0) {
        uint64_t translated =
            model_memory_translate(memory, core->flight[event.number].address, event.time);
        if (translated > event.time) {
            model_queue_add(&core->loads, (struct model_event){translated, event.number, 1});
            return;
        }
    }
    fetch(core, memory, event.number, event.time);
}

/* Joins the lists of the sources that are not there yet. */
static void wait_for_sources(struct model_core *core, uint32_t number, uint64_t when)
{
    const struct operation *o = &core->operation[number];
    struct model_flight *waiting = &core->flight[number];
    waiting->ready = when;
    waiting->sources = 0;
    core->scheduler[waiting->scheduler].staying += o->is_scheduled;
    for (uint32_t i = 0; i < OPERATION_SOURCES; i++) {
        uint8_t source = o->source[i];
        if (core->ready[source] != UNKNOWN) {
            waiting->ready = later(waiting->ready, core->ready[source]);
            continue;
        }
        uint32_t *head = &core->flight[core->producer[source]].waiters;
        waiting->next[i] = *head;
        *head = LINK(number, i);
        waiting->sources++;
    }
}

static void block_front(struct model_core *core, uint32_t number, uint64_t until, unsigned count)
{
    static const uint8_t written[] = {REGISTER_RAX, REGISTER_RDX, REGISTER_RCX, REGISTER_RBX};
    for (unsigned i = 0; i < count; i++) {
        core->producer[written[i]] = number;
        core->ready[written[i]] = until;
    }
    core->front = until;
}

/* Takes entries of structures that can be full, and names those that its retirement returns. */
static void take_entries(struct model_core *core, const struct operation *o, uint32_t number)
{
    unsigned touched = o->structures | (o->returns[INT_REGS] > 0) << INT_REGS |
                       (o->returns[VEC_REGS] > 0) << VEC_REGS;
    for (unsigned left = touched & core->now.limited; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        bool is_taken = o->structures >> i & 1;
        core->taken[i] += is_taken;
        for (unsigned n = i < REGISTER_FILES ? o->returns[i] : is_taken; n > 0; n--)
            core->returner[i][core->returned[i]++] = number;
    }
}

/* Notes an operation's dispatch, which every operation goes through in the front end. */
static void enter_rob(struct model_core *core, const struct operation *o, uint32_t number,
                      uint64_t when)
{
    core->dispatched = number + 1;
    core->flight[number].place = PLACE_L1;
    core->recent[number % MODEL_WIDTH_MAX] = when;
    core->front = when;
    core->flight[number].dispatch = when;
    core->flight[number].issue = UNKNOWN;
    model_activity_dispatch(&core->counters->activity, when);
    take_entries(core, o, number);
}

/* Completes an operation that waits for nothing, and nothing for it, as most do: worth its own
 * path. An operation that faults ends the run like this, too. */
static void dispatch_nop(struct model_core *core, uint32_t number, uint64_t when)
{
    core->flight[number].complete = when;
    core->last_complete = later(core->last_complete, when);
    retire(core);
}

/* Runs WRMSR: later operations wait for it, and earlier ones do not count in its span. */
static void start_span(struct model_core *core, uint32_t number)
{
    uint64_t when = core->flight[number].complete;
    core->front = when + REFILL_CYCLES;
    core->counted = number;
    if (!model_counters_write(core->counters, (uint32_t)core->value[REGISTER_RCX],
                              core->value[REGISTER_RDX] << 32 | core->value[REGISTER_RAX], when)) {
        snprintf(core->error, sizeof(core->error),
                 "the instruction at code offset %u writes register 0x%x, which starts nothing",
                 core->operation[number].offset, (unsigned)core->value[REGISTER_RCX]);
        core->fault = core->error;
    }
}

/* Makes the vectors ready that VZEROALL clears. */
static void make_vectors_ready(struct model_core *core, uint64_t when)
{
    for (unsigned i = REGISTER_VECTOR; i < REGISTER_VECTOR + VECTOR_REGISTERS / 2; i++) {
        core->producer[i] = NOBODY;
        core->ready[i] = when;
    }
}

/* Ties an operation to the stores before it: a load to the one that wrote what it reads, or if
 * loads do not pass stores, to the last one. The stack's pushes and pops are renamed. */
static void follow_stores(struct model_core *core, struct operation *o, uint32_t number)
{
    uint64_t address = core->flight[number].address;
    uint8_t slot = address / 8 % STORED_REGISTERS;
    if (o->kind == OPERATION_STORE) {
        core->stored[slot] = address;
        o->to = core->last_stored = REGISTER_STORED + slot;
    } else if (o->kind == OPERATION_LOAD) {
        o->source[2] = core->stored[slot] == address     ? REGISTER_STORED + slot
                       : core->parameters->passes_stores ? REGISTER_NONE
                                                         : core->last_stored;
    }
}

static void dispatch(struct model_core *core, const struct operation *o, uint32_t number,
                     uint64_t when)
{
    follow_stores(core, &core->operation[number], number);
    uint64_t ready = later(core->ready[o->source[0]],
                           later(core->ready[o->source[1]], core->ready[o->source[2]]));
    bool is_waiting = ready == UNKNOWN;
    unsigned written = facts[o->kind].written;
    core->flight[number].complete = UNKNOWN;
    core->flight[number].waiters = NOBODY;
    core->flight[number].scheduler = scheduler_of(core, o);
    core->spread += o->is_scheduled && o->kind < OPERATION_LOAD;
    if (is_store(o)) {
        core->flight[number].owned = UNKNOWN;
        core->store[core->stores++] = number;
    }
    core->early_loads.staying += leaves_early(core, o);
    if (is_waiting)
        wait_for_sources(core, number, when);
    if (o->to != REGISTER_NONE) {
        core->producer[o->to] = number;
        core->ready[o->to] = UNKNOWN;
    }
    if (o->kind == OPERATION_CLEAR_ALL)
        make_vectors_ready(core, when);
    if (is_waiting || !issue(core, number, later(when, ready)))
        core->incomplete++;
    if (written > 0)
        block_front(core, number, core->flight[number].complete, written);
    retire(core);
    if (o->kind == OPERATION_FENCE)
        core->fenced = core->flight[number].retire + 1;
    if (o->kind == OPERATION_WRITE)
        start_span(core, number);
}

/*
 * Sets the run's share of the core, which it keeps to its end: a probe is far shorter than a
 * sibling's period, and a longer one would need structures that change size while they are in use.
 */
static void share(struct model_core *core)
{
    core->now = core->limits[model_sibling_beside(&core->sibling, core->clock)];
    model_windows_share(core->windows, &core->now);
}

static void start_instruction(struct model_core *core, uint64_t argument)
{
    share(core);
    core->front = core->last_complete = core->clock;
    core->dispatched = core->retired = core->incomplete = 0;
    core->stores = core->stores_drained = core->counted = 0;
    core->last_drained = 0;
    core->fenced = 0;
    core->loads.count = 0;
    for (unsigned i = 0; i <= core->now.schedulers; i++)
        core->scheduler[i].leaving.count = core->scheduler[i].staying = 0;
    core->spread = 0;
    core->early_loads.leaving.count = core->early_loads.staying = 0;
    core->first_time = core->last_time = 0;
    core->fault = NULL;
    memset(core->returned, 0, sizeof(core->returned));
    memset(core->taken, 0, sizeof(core->taken));
    memcpy(core->taken, core->now.held, sizeof(core->now.held));
    memset(core->ready, 0, sizeof(core->ready));
    memset(core->stored, 0, sizeof(core->stored));
    core->last_stored = REGISTER_NONE;
    memset(core->value, 0, sizeof(core->value));
    memset(core->vector, 0, sizeof(core->vector));
    memset(core->producer, 0xff, sizeof(core->producer));
    core->value[REGISTER_RDI] = argument;
    core->value[REGISTER_RSP] = model_core_stack(core);
}

/* Returns how many operations of this run issued from `start` to `end`, both included. */
static uint64_t executed(const struct model_core *core, uint64_t start, uint64_t end)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < core->dispatched; i++)
        count += core->flight[i].issue >= start && core->flight[i].issue <= end;
    return count;
}

void model_core_count(struct model_core *core, uint64_t when)
{
    struct model_activity *activity = &core->counters->activity;
    if (!activity->is_kept)
        return;
    if (when >= activity->end)
        when = activity->end - 1;
    for (; core->counted < core->retired; core->counted++) {
        if (core->flight[core->counted].retire > when)
            break;
        model_activity_retire(activity, is_load(&core->operation[core->counted])
                                            ? core->flight[core->counted].place
                                            : MODEL_PLACES);
    }
    if (core->counters->counts_executed)
        activity->executed = activity->executed_before + executed(core, activity->start, when);
}

/* Loads that come first in time go first: only so are walkers and fill buffers shared fairly. */
static uint64_t wait_for_dispatch(struct model_core *core, uint32_t number)
{
    for (;;) {
        uint64_t when = earliest_dispatch(core, &core->operation[number], number);
        if (core->loads.count == 0 || core->loads.event[0].time > when)
            return when;
        advance_load(core);
    }
}

static void run_out_of_order(struct model_core *core)
{
    for (uint32_t number = 0; number < core->count && core->fault == NULL; number++) {
        const struct operation *o = &core->operation[number];
        uint64_t when = wait_for_dispatch(core, number);
        enter_rob(core, o, number, when);
        if (o->kind == OPERATION_NOP || !model_execute(core, number, when))
            dispatch_nop(core, number, when);
        else
            dispatch(core, o, number, when);
    }
    while (core->loads.count > 0)
        advance_load(core);
}

static bool is_timestamp(const struct operation *o)
{
    return o->kind == OPERATION_TIME || o->kind == OPERATION_TIME_AFTER;
}

/* Runs code as an emulator does: one by one, all alike; reading the time takes a while. */
static void run_inert(struct model_core *core)
{
    for (uint32_t number = 0; number < core->count && core->fault == NULL; number++) {
        uint64_t when = core->last_complete + INERT_CYCLES;
        if (is_timestamp(&core->operation[number]))
            when += (uint64_t)((double)core->parameters->timer * model_exponential(&core->inert));
        model_execute(core, number, when);
        core->flight[number] = (struct model_flight){.complete = when, .retire = when};
        core->flight[number].place = PLACE_L1;
        core->last_complete = when;
        core->retired = number + 1;
    }
}

const char *model_core_run(struct model_core *core, uint64_t argument, uint64_t *result)
{
    if (core->count == 0)
        return "there is no code to run";
    start_instruction(core, argument);
    if (core->parameters->inert > 0)
        run_inert(core);
    else
        run_out_of_order(core);
    model_core_count(core, UNKNOWN);
    core->counters->activity.executed_before = core->counters->activity.executed;
    core->clock = later(core->last_complete, core->last_time) + IDLE_CYCLES;
    core->clock += model_clock_wait(&core->tsc);
    core->worked += core->count + MODEL_RUN_WORK;
    *result = core->value[REGISTER_RAX];
    return core->fault;
}

uint64_t model_core_add(struct model_core *core, uint64_t additions, uint64_t chains)
{
    uint64_t width = core->limits[model_sibling_beside(&core->sibling, core->clock)].width;
    uint64_t start = model_clock_read(&core->tsc, core->clock);
    core->worked += MODEL_RUN_WORK;
    if (core->parameters->inert)
        core->clock += additions * INERT_CYCLES;
    else
        core->clock += additions / (chains < width ? chains : width);
    return model_clock_read(&core->tsc, core->clock) - start;
}
