/* certificate: how quiet the machine was during a run, as proved by a spinning core. */
#ifndef MLPBOOT_EXPERIMENTS_CERTIFICATE_H
#define MLPBOOT_EXPERIMENTS_CERTIFICATE_H

#include "../../analysis/states.h"
#include "../../lib/json.h"
#include "../../platform.h"
#include "noise_rule.h"

#define CERTIFICATE_MILLISECONDS NOISE_BRIEF_MILLISECONDS

/* Starts as zeroes. */
struct certificate {
    struct noise_summary summary;
    struct variant of; /* the case of noise that it speaks of; of no experiment: none yet */
    char reason[ROW_UNIT_BYTES]; /* why nothing could be observed; empty */
    unsigned samples;            /* taken by the run itself, CERTIFICATE_MILLISECONDS each */
    bool has_experiment;         /* experiment noise added to it */
    const struct states *states; /* of the core; NULL: nobody looked for them */
};

/* Adds a sample's rows (of a brief measurement). */
void certificate_add_sample(struct certificate *certificate, const struct row *rows, size_t count);

/* Adds what experiment noise observed in the same case; any other experiment's rows add nothing. */
void certificate_add_rows(struct certificate *certificate, const struct row *rows, size_t count);

/* How far the rate in use is from the one by the second clock, in parts per million; NAN. */
double certificate_clock_error(const struct platform *platform);

/* Object "certificate" of run.json; what is not known is null. */
void certificate_json(const struct certificate *certificate, const struct platform *platform,
                      struct json *json);

/* Of the visits that looked, how many percent had a shared core; NAN: none looked. */
double certificate_shared_percent(const struct certificate *certificate);

/* "gaps to 1.5 us, 3/s over 1 us, 0 SMI"; nothing where nothing was observed. */
void certificate_observed(const struct certificate *certificate, struct text *text);

/* The same in one line, for the console. */
void certificate_line(const struct certificate *certificate, const struct platform *platform,
                      struct text *text);

#endif
