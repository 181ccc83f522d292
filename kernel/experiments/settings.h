/* settings: what every case is measured under, as the configuration asks for it. */
#ifndef MLPBOOT_EXPERIMENTS_SETTINGS_H
#define MLPBOOT_EXPERIMENTS_SETTINGS_H

#include "../config/config.h"
#include "../engine/engine.h"

/* Prefetchers, and the node whose memory is used. */
struct setting {
    struct variant of;   /* with these, the user's label, and a page size */
    uint32_t node;       /* for a window's request */
    const char *refusal; /* why these cannot be had here; NULL: they can */
};

/* Iterates over the configured page sizes and, within each, over nodes and prefetchers:
 * `struct settings all = settings_start(m, nodes); while (settings_next(&all, &setting))`. */
struct settings {
    struct measurement *m;
    enum config_node nodes;
    uint32_t page;   /* of the next, its number in the configuration, */
    unsigned number; /* and its number with that page size */
};
struct settings settings_start(struct measurement *m, enum config_node nodes);

/* Fills in the next one; false: there is none, or the measurement has failed. Not from inside
 * `quietly`. */
bool settings_next(struct settings *all, struct setting *setting);

/* How many there are, of nodes as configured or as the experiment chooses: at least one. */
unsigned settings_count(const struct measurement *m, enum config_node nodes);

/* Number `i` of them with that page size. The first is the plainest. Prefetchers that are off are
 * refused where nothing shows that they are. Not from inside `quietly`. */
struct setting settings_get(struct measurement *m, enum config_node nodes, enum page_size page,
                            unsigned i);

/* Why a case of that setting and its order of timestamps cannot be had here; NULL: it can. */
const char *settings_refusal(const struct measurement *m, const struct setting *setting);

/* The stop rule as configured. */
struct rounds_rules settings_rules(const struct config *config);

/* The largest and the smallest value of a list. */
uint64_t list_most(const struct config_list *list);
uint64_t list_least(const struct config_list *list);

/* True if a list has a value. */
bool list_has(const struct config_list *list, uint64_t value);

#endif
