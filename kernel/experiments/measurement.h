/* measurement: what an experiment is given to measure with, and where its points go. */
#ifndef MLPBOOT_EXPERIMENTS_MEASUREMENT_H
#define MLPBOOT_EXPERIMENTS_MEASUREMENT_H

#include "../config/config.h"
#include "../cpu/cpuid.h"
#include "../platform.h"
#include "../probe/distribution.h"
#include "../report/results.h"
#include "experiment.h"

struct measurement {
    struct platform *platform;
    const struct config *config;
    const struct processor *processor;
    const struct experiment *experiment;

    struct result_row *rows; /* see measurement_reserve */
    size_t row_count, row_room;

    enum config_node nodes;        /* as configured, unless the experiment chooses */
    uint32_t node;                 /* for windows' requests: of the last setting applied */
    char setting[RESULT_NAME_MAX]; /* suffix of the last one applied */
    const char *variant;           /* the case being measured, for the progress line */
    unsigned cases, case_number;
    uint64_t started;    /* ticks */
    const char *failure; /* why the experiment ended early; NULL */
};

/* Of each page size, as in a case's name. */
extern const char *const measurement_page_names[PAGE_SIZES];

/*
 * Makes room for that many rows in all, and one for each of `cases`, which must be set. False: not
 * enough memory, said in `failure`.
 */
bool measurement_reserve(struct measurement *m, uint64_t rows);
void measurement_release(struct measurement *m);

/*
 * The settings asked for, of prefetchers and of the node whose memory is used; each case is
 * measured in all of them, the first being the plain one.
 */
unsigned measurement_settings(const struct measurement *m);

/*
 * Brings about number `i` of them, for windows mapped from now on; *suffix is what it, and the
 * configured `case`, add to a case's name, "-nopf-node1", until the next call. NULL, or why the
 * case cannot be had here.
 */
const char *measurement_set(struct measurement *m, unsigned i, const char **suffix);

/* Local memory, for windows of experiments that know no settings. */
void measurement_use_local_node(struct measurement *m);

/* Starts the next case; `variant` must stay. */
void measurement_start_case(struct measurement *m, const char *variant);

/* Adds a row of the current case, one of those reserved; the caller sets its coordinates. */
struct result_row *measurement_add(struct measurement *m, const char *metric, const char *unit,
                                   const struct distribution *d);

/* Says that the current case cannot be measured here, and why: a row of metric RESULT_SKIPPED. */
void measurement_skip(struct measurement *m, const char *reason);

/* A sweep_progress: rewrites the progress line. `context` is the measurement. */
void measurement_progress(void *context, double done);

#endif
