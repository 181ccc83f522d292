/* settings: page sizes, nodes and prefetchers of cases, as the configuration asks for them. */
#ifndef MLPBOOT_EXPERIMENTS_SETTINGS_H
#define MLPBOOT_EXPERIMENTS_SETTINGS_H

#include "../config/config.h"
#include "../engine/engine.h"
#include "../probe/load_sampler.h"

/* The prefetchers, and the node whose memory is used. */
struct setting {
    struct variant variant; /* with these, the user's label, and a page size */
    uint32_t node;          /* for a window's request */
    const char *refusal;    /* the reason if they cannot be had here; NULL */
};

/* Iterates over the configured page sizes and, within each, over nodes and prefetchers:
 * `struct settings all = {.m = m, .nodes = nodes}; while (settings_next(&all, &setting))`. */
struct settings {
    struct measurement *m;
    enum config_node nodes;
    /* Start as zeroes. */
    uint32_t page;   /* of the next setting, as a number in the configuration, */
    unsigned number; /* and the setting's number with that page size */
};

/* Fills in the next setting. False: no setting is left, or a failure. Not from inside `quietly`. */
bool settings_next(struct settings *all, struct setting *setting);

/* Returns the number of settings with one page size: at least one. */
unsigned settings_count(const struct measurement *m, enum config_node nodes);

/* Returns setting number `i` with that page size; the first is the plainest. Prefetchers off are
 * refused if no measurement shows that they are. Not from inside `quietly`. */
struct setting settings_get(struct measurement *m, enum config_node nodes, enum page_size page,
                            unsigned i);

/* Returns why a case of that setting and its order of timestamps cannot be had here, or NULL. */
const char *settings_refusal(const struct measurement *m, const struct setting *setting);

/* For a loop over the sibling's works beside which a case is measured, a single unnamed one if no
 * sibling was started for it: for (SIBLING_CASES(work, m)). */
#define SIBLING_CASES(work, m)                                                                     \
    enum sibling_work work = (m)->beside_sibling ? SIBLING_IDLE : SIBLING_UNNAMED;                 \
    work < ((m)->beside_sibling ? SIBLING_WORKS : SIBLING_IDLE);                                   \
    work++

/* Returns a task with the configured stop rule and seed, whose functions get `context`. Beside a
 * sibling, counts and capacities in three cases each need no finer times than it then has. */
struct task settings_task(struct measurement *m, void *context,
                          void (*visit)(void *, const struct point *, struct samples *));

#define SAMPLES_MOST 400 /* of a point that takes long, or is measured in three cases */

/* Sets more visits of fewer samples, SAMPLES_MOST at most, for chains of many loads: their visits
 * differ from each other. */
void settings_expect_scatter(struct rounds_rules *rules);

/* Returns the request for a window of a setting's pages and node. */
struct window_request settings_window(const struct measurement *m, const struct setting *setting,
                                      uint64_t bytes);

/* Returns the conditions of up to so many loads in memory, with a setting's pages and TLB. */
struct load_conditions settings_loads(const struct measurement *m, const struct setting *setting,
                                      uint64_t most);

/* Return the largest and the smallest value of a list. */
uint64_t list_most(const struct config_list *list);
uint64_t list_least(const struct config_list *list);

/* True if a list has a value. */
bool list_has(const struct config_list *list, uint64_t value);

#endif
