/* loads: cases of loads at random lines, which mlp, structures, tlb and numa share. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_H
#define MLPBOOT_EXPERIMENTS_LOADS_H

#include "../../engine/engine.h"
#include "../../engine/windows.h"
#include "../../probe/load_sampler.h"
#include "../settings.h"

/* One case: where its loads fall, and what stands between them. */
struct loads_case {
    struct load_sampler sampler;
    enum filler filler;
    enum probe_order order;
    enum data_state data;
    enum access access;
    bool dependent;
    bool is_table;      /* as it was set when the case was added */
    int64_t most_dense; /* every N from the first list's on is measured up to here */
    /* Of the whole core and of the shared one: the first K beyond a jump of N = 2 that was placed
     * to one filler, 0 before; and how often it was compared with long NOPs, and many loads asked
     * for. */
    int64_t seen_at[2];
    uint8_t compared[2], many[2];
};

/* All cases of an experiment, measured in the same rounds. */
struct loads {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct loads_case *cases; /* by number in the measurement */
    uint32_t room;
    /* Of cases added from now on, set after the start: N by K is searched for what limits it. NOPs
     * of eight bytes are compared with those of one; N with the smallest K is extended until the
     * fastest samples jump, and beyond. */
    bool is_table;
    uint64_t least_k;
};

/*
 * The one there is, empty: too large for a firmware's stack, and used by one experiment at a time.
 * With `refines`, points of N = 2 are added until its jump is placed to one filler.
 */
struct loads *loads_start(struct measurement *m, bool refines);

/*
 * Adds a case named by setting->of, whose access, order and dependence are the probe's; its window
 * is mapped, or one that is mapped already is used. Returns its number; false in *can_be_had: it is
 * skipped, by the setting's refusal or the platform's.
 */
uint32_t loads_add_case(struct loads *loads, const struct setting *setting,
                        const struct load_conditions *conditions, enum filler filler,
                        bool *can_be_had);

/* Adds a point of N loads with K fillers. */
void loads_add_point(struct loads *loads, uint32_t of, uint64_t n, uint64_t k);

/* Every N with every K, of which N with the smallest K, and K with N = 2, are counted as well. */
void loads_add_table(struct loads *loads, uint32_t of, const struct config_list *n,
                     const uint64_t *k, uint32_t k_count);

/* After a table's points: its list of N, to be extended. Adds what one access is compared with. */
void loads_extend(struct loads *loads, uint32_t of, const struct config_list *n);

/* One load in each part of the window, where that has 4 KB pages to a part: whether the place in
 * memory matters. */
void loads_add_places(struct loads *loads, uint32_t of);

/* A point that is measured in every epoch: how far times move by themselves. */
void loads_add_reference(struct loads *loads, uint32_t of, uint64_t n, uint64_t k);

/* As many loads as extending takes, where each has only a page of 4 KB for itself; else those. */
unsigned loads_most(const struct setting *setting, enum tlb_state tlb, unsigned configured);

/* Measures, and unmaps all windows. False: m->failure says why. */
bool loads_measure(struct loads *loads);

#endif
