/* model_parameters: the sizes and latencies of the modelled core, read from "key=value,...". */
#ifndef MLPBOOT_MODEL_PARAMETERS_H
#define MLPBOOT_MODEL_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MODEL_CYCLES_PER_MS 2600000 /* 2.6 GHz, the base frequency of the standard core */

#define MODEL_CACHE_LEVELS 5

struct model_level {
    uint64_t bytes, latency; /* bytes: 0, or less than a line: there is no such level */
    uint64_t random;         /* 1: a full set loses any line, not the oldest */
    uint64_t victim;         /* 1: holds only lines that the level before lost */
};

/* Latencies in cycles. A structure as large as the reorder buffer or larger limits nothing. */
struct model_parameters {
    uint64_t rob, width; /* instructions in flight; dispatched and retired per cycle */
    uint64_t int_regs, vec_regs, load_queue, store_queue, scheduler;
    uint64_t fill_buffers, walkers, tlb;
    uint64_t memory, walk, timer;
    struct model_level level[MODEL_CACHE_LEVELS]; /* of cache, the nearest first */
    uint64_t counters;
    uint64_t skid;
    uint64_t remote; /* cycles more that memory of the second node takes; 0: no such node */
    double noise;
    uint64_t seed;

    /* Vices of real cores; 0: the core is without. */
    double sibling, sibling_ms;
    uint64_t known;
    uint64_t tsc_step;
    double drift, drift_ms;
    double smi_us, smi_ms;
    double clock_low, clock_steps, clock_ramp;
    double slow_share, slow_factor, banks;
    uint64_t refresh;
    double refresh_us;
    uint64_t inert;
    uint64_t fuse, pairs;
    uint64_t early_release, stack_rename;
    uint64_t int_state, vec_state;
    uint64_t schedulers, sibling_waits, small_pages;
    double bandwidth;
    uint64_t prefetchers;
    uint64_t cores;   /* others that can keep the memory busy */
    uint64_t threads; /* of the core; what each of them has beside the other: */
    uint64_t smt_rob, smt_int_regs, smt_vec_regs, smt_load_queue, smt_store_queue, smt_scheduler;
    uint64_t smt_fill_buffers, smt_caches;

    /* Fill buffers for others than loads; 0: they use those of loads. */
    uint64_t prefetch_buffers, write_buffers;
    uint64_t wc_buffers, wc_cycles;

    /* Two levels of TLB, which all windows share; 0: separate stores, sets of ways, second level
     * and walk caches are not there. Without `dtlb`, each window has one level of `tlb` pages. */
    uint64_t dtlb, dtlb_ways, dtlb_2m, dtlb_2m_ways, dtlb_1g, dtlb_1g_ways, dtlb_hash, dtlb_random;
    uint64_t stlb, stlb_ways, stlb_2m, stlb_2m_ways, stlb_1g, stlb_1g_ways, stlb_hash, stlb_random;
    uint64_t stlb_cost, pde_cache, pdpte_cache, pml4e_cache, walk_level;
    uint64_t l1_ways, alias_cost;
    uint64_t forwarding, passes_stores;
};

enum model_kind { MODEL_NUMBER, MODEL_SIZE, MODEL_FRACTION }; /* a size takes k, m, g */

/* One row for each key. Numbers and sizes are uint64_t, fractions double. */
struct model_key {
    const char *name;
    size_t offset; /* in struct model_parameters */
    enum model_kind kind;
    double least, most, standard;
    const char *help; /* a few words */
};

extern const struct model_key model_keys[];
extern const unsigned model_key_count;

double model_parameter(const struct model_parameters *parameters, const struct model_key *key);

/*
 * Reads "rob=192,l3_bytes=20m,..."; what is not named keeps its standard value, an empty text names
 * nothing. False: `error` names the key, the value seen and what is accepted.
 */
bool model_parameters_read(const char *text, struct model_parameters *parameters, char *error,
                           size_t error_size);

/* Prints a line for each key: what it is, its standard value, what is accepted. */
void model_parameters_help(FILE *to);

#endif
