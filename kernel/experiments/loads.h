/* loads: cases of loads at random lines, which mlp, structures, tlb and numa share. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_H
#define MLPBOOT_EXPERIMENTS_LOADS_H

#include "../engine/engine.h"
#include "../engine/windows.h"
#include "../probe/load_sampler.h"
#include "settings.h"

/* One case: where its loads fall, and what stands between them. */
struct loads_case {
    struct load_sampler sampler;
    enum filler filler;
    enum probe_order order;
    bool dependent;
    bool is_compared[2]; /* with long NOPs, of the whole core and of the shared one */
};

/* All cases of an experiment, measured in the same rounds. */
struct loads {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct loads_case *cases; /* by number in the measurement */
    uint32_t room;
    bool compares_nops; /* looks whether NOPs of eight bytes jump where NOPs of one byte do */
};

/*
 * The one there is, empty: too large for a firmware's stack, and used by one experiment at a time.
 * With `refines`, points of N = 2 are added until its jump is placed to one filler.
 */
struct loads *loads_start(struct measurement *m, bool refines);

/*
 * Adds a case named by setting->of, whose order and dependence are the probe's; its window is
 * mapped, or one that is mapped already is used. Returns its number; false in *can_be_had: it is
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

/* Measures, and unmaps all windows. False: m->failure says why. */
bool loads_measure(struct loads *loads);

#endif
