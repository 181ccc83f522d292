/* experiment: what every experiment is, and the table of them. */
#ifndef MLPBOOT_EXPERIMENTS_EXPERIMENT_H
#define MLPBOOT_EXPERIMENTS_EXPERIMENT_H

#include <stdbool.h>

#include "../report/results.h"

struct measurement;
struct text;

struct experiment {
    const char *name;
    const char *shows; /* one line for --help and the README */
    /*
     * Measures every configured case, adding rows as it goes. False: a fault or a lack of memory
     * ended it early, and `failure` says why.
     */
    bool (*measure)(struct measurement *measurement);
    /* Adds the verdicts of one case, from that case's rows alone. Pure. */
    void (*judge)(const struct result_row *rows, size_t count, struct verdict_list *verdicts);
    /* Adds verdicts that need several cases, from the rows of all. Pure; NULL: there are none. */
    void (*compare)(const struct result_row *rows, size_t count, struct verdict_list *verdicts);
    const char *const *verdicts; /* the names judge gives, NULL at the end */
    /* Shows one case's rows on the console; NULL: they are not worth it. */
    void (*show)(const struct result_row *rows, size_t count, struct text *text);
};

extern const struct experiment experiments[];
extern const unsigned experiment_count;

/* Their names in the same order, NULL at the end. */
extern const char *const experiment_names[];

/* NULL where there is none of that name. */
const struct experiment *experiment_find(const char *name);

#endif
