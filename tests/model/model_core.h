/* model_core: runs decoded operations as an out-of-order core would, and keeps its time. */
#ifndef MLPBOOT_MODEL_CORE_H
#define MLPBOOT_MODEL_CORE_H

#include "model_clock.h"
#include "model_combining.h"
#include "model_counters.h"
#include "model_entries.h"
#include "model_limits.h"
#include "model_queue.h"
#include "model_sibling.h"
#include "model_windows.h"

#define MODEL_STACK_BYTES 4096
#define MODEL_WIDTH_MAX 16
#define MODEL_ERROR_MAX 120
#define MODEL_RUN_WORK 100 /* what a run takes the host besides its operations, in operations */

/* A dispatched operation. Times: UINT64_MAX: not known yet. */
struct model_flight {
    uint64_t dispatch, issue, complete, retire;
    uint64_t address; /* of a load, store or prefetch */
    uint64_t owned;   /* when a store may write to its line */
    /* While it waits for sources, it is in the list of each source's producer. */
    uint64_t ready; /* so far */
    uint32_t sources;
    uint32_t scheduler;               /* which one it waits in */
    uint32_t next[OPERATION_SOURCES]; /* further in each producer's list */
    uint32_t waiters;                 /* head of its own list; valid until it is complete */
    uint8_t place;                    /* where a load found its data: enum model_place */
};

/* All arrays have an element for each operation of the code. */
struct model_core {
    const struct model_parameters *parameters;
    struct model_windows *windows;
    struct model_counters *counters;
    struct operation *operation;
    struct model_flight *flight;
    uint32_t
        *returner[STRUCTURES]; /* by entry that is returned, in order: whose retirement frees it */
    uint32_t *resolved;        /* worklist */
    uint32_t *store;           /* the stores, in order */
    uint64_t *drained;         /* when each has written, of the first `stores_drained` */
    struct model_combining combining;
    struct model_queue loads; /* and all else of a window, by the time of their next stage */
    struct model_pool scheduler[MODEL_SCHEDULERS_MAX + 1],
        early_loads; /* these in the load queue */
    struct model_entries entries;
    size_t room, count; /* of the arrays; of the code */
    struct model_limits limits[BESIDE_WORKS];
    struct model_sibling sibling;
    struct model_clock tsc;

    /* State of one run: */
    struct model_limits now; /* one of them, copied: it is looked at all the time */
    uint64_t clock;          /* where the next run starts */
    uint64_t worked;         /* operations of all runs; and for each run, MODEL_RUN_WORK */
    uint64_t front;          /* no operation is dispatched before */
    uint64_t last_complete;  /* latest that is known */
    uint64_t fenced;         /* the first cycle after the last fence has retired */
    uint32_t dispatched, retired, incomplete;
    uint32_t stores, stores_drained;
    uint64_t last_drained;
    uint32_t counted; /* retired operations that the counters know of */
    uint32_t taken[STRUCTURES], returned[STRUCTURES]; /* entries, since the start */
    uint32_t spread;                                  /* operations that had any scheduler */
    uint64_t recent[MODEL_WIDTH_MAX];                 /* dispatch times by number modulo this */
    uint64_t value[REGISTERS], ready[REGISTERS];
    uint64_t vector[VECTOR_REGISTERS][VECTOR_BYTES_MAX / 8];
    uint32_t producer[REGISTERS];
    uint64_t stored[STORED_REGISTERS]; /* the address of each, */
    uint8_t last_stored;               /* and which one the last store wrote; or none */
    uint64_t first_time, last_time;    /* cycles in which RDTSC read; 0: nothing yet */
    struct random random;              /* of the noise of whole samples */
    struct random inert;
    const char *fault; /* NULL, or `error` */
    uint64_t stack[MODEL_STACK_BYTES / 8];
    char error[MODEL_ERROR_MAX];
};

/* Returns RSP at the code's start: 16-byte aligned before the return address was pushed. */
static inline uint64_t model_core_stack(const struct model_core *core)
{
    return (uintptr_t)core->stack + sizeof core->stack - 24;
}

/* All three must stay. False: not enough memory, and nothing to close. */
bool model_core_open(struct model_core *core, const struct model_parameters *parameters,
                     struct model_windows *windows, struct model_counters *counters);
void model_core_close(struct model_core *core);

/* Takes over new code. NULL, or what is wrong with it; then there is no code. */
const char *model_core_load(struct model_core *core, const uint8_t *code, size_t bytes);

/* Calls the code with `argument` in RDI; `result` is RAX. NULL, or why it did not end. */
const char *model_core_run(struct model_core *core, uint64_t argument, uint64_t *result);

/*
 * Carries out operation `number`, which is dispatched at `when`, on the values; operations come in
 * the code's order. False: it cannot be; `fault` of the core says why. In model_execute.c.
 */
bool model_execute(struct model_core *core, uint32_t number, uint64_t when);

/* Tells the counters, if any is programmed, what has retired by then. */
void model_core_count(struct model_core *core, uint64_t when);

/* Returns the ticks that so many additions take, in `chains` parallel chains; lets them pass. */
uint64_t model_core_add(struct model_core *core, uint64_t additions, uint64_t chains);

#endif
