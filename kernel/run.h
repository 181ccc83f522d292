/* run: one whole run, from a checked configuration to verdicts and a closed log. */
#ifndef MLPBOOT_RUN_H
#define MLPBOOT_RUN_H

#include "config/config.h"
#include "platform.h"

/* The name of the step in which other processors are started first; a run does without them. */
#define STEP_PROCESSORS "processors"

enum run_status { RUN_DONE, RUN_PARTIAL, RUN_ERROR, RUN_NOTHING };

/* The source tree's version, set by the build: "1.0-0123456789ab". */
extern const char mlpboot_version[];

/*
 * Runs the configured experiments on a platform, saves each one's results as soon as it ends,
 * prints its verdicts, and writes the log's last line. RUN_PARTIAL: something could not be
 * saved and was printed instead, or an experiment was left out (platform->avoids). RUN_ERROR: the
 * self-test or an experiment failed. RUN_NOTHING: no case that was asked for could be measured.
 */
enum run_status run_all(struct platform *platform, const struct config *config);

/* Prints why nothing is measured, one reason a line, and leaves it in the log. Its status is
 * RUN_NOTHING. */
void run_refuse(struct platform *platform, const char *errors);

#endif
