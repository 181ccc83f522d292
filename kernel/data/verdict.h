/* verdict: one answer, a row of verdicts.csv, and lists of them. */
#ifndef MLPBOOT_DATA_VERDICT_H
#define MLPBOOT_DATA_VERDICT_H

#include <stdarg.h>

#include "case.h"

enum verdict_status { VERDICT_OK, VERDICT_DOUBT, VERDICT_SKIP, VERDICT_ERROR };

#define VERDICT_METHOD_BYTES 160

struct verdict {
    struct variant variant;
    char name[NAME_BYTES];
    double value, low, high; /* NAN if absent; empty in the file */
    char unit[NAME_BYTES];
    enum verdict_status status;
    char method[VERDICT_METHOD_BYTES]; /* how it was found, or why it was not, in a few words */
};

/* A growing list in memory that the caller provides. */
struct verdict_list {
    struct verdict *at;
    size_t count, room;
    size_t lost;          /* verdicts that were added to the full list, */
    struct verdict spare; /* each of them here, over the one before */
};

#define HEADLINE_NAMES_MAX 5

/* Names what a run sees beside its measurements, for a line without a verdict. */
enum headline_seen { SEEN_NOTHING, SEEN_SHARED_CORE, SEEN_NOISE, SEEN_KINDS };

/* A line of a run's last page; an experiment's rule has those that it answers. */
struct headline {
    unsigned place; /* lines stand in the order of rising places */
    const char *label, *experiment;
    const char *names[HEADLINE_NAMES_MAX]; /* the verdicts: all of them, or the first there is */
    bool is_list;                          /* all of them, levels, the first one first */
    enum headline_seen seen;
};

/* "ok", "doubt", "skip", "error". */
const char *verdict_status_name(enum verdict_status status);

/*
 * Adds a verdict without a value, status `skip`, empty method; the caller fills it. When the list
 * is full, returns a spare one that nobody reads.
 */
struct verdict *verdict_add(struct verdict_list *list, const struct variant *variant,
                            const char *name, const char *unit);

/* Sets status and method, printf style. */
void verdict_conclude(struct verdict *verdict, enum verdict_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets them from a list of arguments. */
void verdict_vconclude(struct verdict *verdict, enum verdict_status status, const char *format,
                       va_list arguments) __attribute__((format(printf, 3, 0)));

/* Sets value, low, high. */
void verdict_value(struct verdict *verdict, double value, double low, double high);

/* The first of that case and name, or NULL. */
const struct verdict *verdict_find(const struct verdict_list *list, const struct variant *variant,
                                   const char *name);

#endif
