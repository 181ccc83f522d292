/* screen: all verdicts as lines, and the end of a run as one page of a console of 80 x 25. */
#ifndef MLPBOOT_REPORT_SCREEN_H
#define MLPBOOT_REPORT_SCREEN_H

#include "../config/config.h"
#include "../data/verdict.h"
#include "../lib/text.h"

#define SCREEN_COLUMNS 79 /* one less than the console has, so that no line wraps */
#define SCREEN_LINES 22   /* at most; the rest is for what follows: the stick, and a prompt */
#define SCREEN_BYTES (SCREEN_LINES * (SCREEN_COLUMNS + 1) + 1)

/* The contents of a page. Texts of any bytes: what is not printable ASCII becomes `?`. */
struct screen {
    const char *trouble; /* what went wrong, which comes first; NULL or empty: nothing did */
    bool is_emulated;    /* no answer is a processor's: a line says so */
    const char *version, *platform, *status; /* of the run */
    double seconds;
    const char *machine; /* the processor, and what stands between us and it */
    const char *core;    /* how it was set */
    const struct verdict_list *verdicts;
    double ns_a_tick, cycles_a_tick;    /* 0: not known */
    const struct config_choices *asked; /* experiments that were asked for; NULL: not known */
    const char *seen[SEEN_KINDS]; /* beside the measurement, for lines without a verdict, or NULL */
    const char *results;          /* where they are */
};

/*
 * Adds a line for each verdict: status, case, name, value, interval and unit, and the reason for a
 * doubt. Verdicts that a case lacks for one reason share a line with that reason; so do those that
 * an experiment lacks in an emulator.
 */
void screen_verdicts(const struct verdict_list *verdicts, struct text *text);

/*
 * Adds the page: the machine, a line for each headline (its status, value, interval, unit and
 * case), the usual faults that nothing looked for, how many verdicts are in doubt, and where the
 * results are. The first case with the best
 * status is shown, one of the whole core before one of a shared one; others follow it as far as the
 * line goes. A line that is too short goes on in a second one while there is room.
 */
void screen_page(const struct screen *screen, struct text *text);

#endif
