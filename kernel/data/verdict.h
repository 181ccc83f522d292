/* verdict: one answer, a row of verdicts.csv, and lists of them. */
#ifndef MLPBOOT_DATA_VERDICT_H
#define MLPBOOT_DATA_VERDICT_H

#include <stdarg.h>
#include <stdbool.h>

#include "case.h"
#include "reason.h"

#define HEADLINE_NUMBERS 6

/* Names what a run sees beside its measurements, for a line without a verdict. */
enum headline_seen { SEEN_NOTHING, SEEN_SHARED_CORE, SEEN_NOISE, SEEN_KINDS };

/* The verdicts that a line shows: the first that answers; the surest, by its name, and the others
 * behind it; or all of them, levels of one case. */
enum headline_shows { SHOWS_FIRST, SHOWS_SUREST, SHOWS_LEVELS };

/*
 * The lines in their order: the enum's name, the label, the experiment that answers it, which of
 * its verdicts it shows, and what a run sees beside.
 */
#define HEADLINES(X)                                                                               \
    X(ROB, "ROB", "mlp", SHOWS_FIRST, SEEN_NOTHING)                                                \
    X(MLP, "MLP", "mlp", SHOWS_SUREST, SEEN_NOTHING)                                               \
    X(BUFFERS, "fill buffers", "mlp", SHOWS_FIRST, SEEN_NOTHING)                                   \
    X(CACHES, "caches", "array", SHOWS_LEVELS, SEEN_NOTHING)                                       \
    X(CLOCK, "core clock", "floor", SHOWS_FIRST, SEEN_NOTHING)                                     \
    X(READS, "read B/cycle", "array", SHOWS_LEVELS, SEEN_NOTHING)                                  \
    X(MEMORY, "memory", "array", SHOWS_FIRST, SEEN_NOTHING)                                        \
    X(TLB, "TLB", "tlb", SHOWS_LEVELS, SEEN_NOTHING)                                               \
    X(WALK, "page walk", "tlb", SHOWS_FIRST, SEEN_NOTHING)                                         \
    X(SHARED, "core shared", "noise", SHOWS_FIRST, SEEN_SHARED_CORE)                               \
    X(GAP, "longest gap", "noise", SHOWS_FIRST, SEEN_NOISE)

#define HEADLINE_ENUM(id, ...) HEADLINE_##id,
enum headline { HEADLINE_NONE, HEADLINES(HEADLINE_ENUM) HEADLINE_COUNT };

/* A verdict's line, and its number among the line's verdicts. */
struct headline_at {
    enum headline line;
    unsigned number;
};

enum verdict_status { VERDICT_OK, VERDICT_DOUBT, VERDICT_SKIP, VERDICT_ERROR };

#define VERDICT_METHOD_BYTES 240

struct verdict;

/* Names what an answer takes for granted of the machine: a set. Without it the answer is in doubt.
 */
enum verdict_needs {
    NEEDS_WHOLE_CORE = 1 << 0,  /* a sibling thread takes a part of what it counts */
    NEEDS_WHOLE_PAGES = 1 << 1, /* no piece of its large pages has a translation of its own, */
    NEEDS_HOST_PAGES = 1 << 2,  /* nor of any page, of other cases too */
    NEEDS_CLOCK = 1 << 3,       /* it is compared with ticks: in a guest another run has others */
    NEEDS_NO_CORE = 1 << 4,     /* it is of the clock alone: it holds in an emulator, too */
    NEEDS_MEMORY = 1 << 5,  /* it is compared with memory's pace, which a guest's neighbours use */
    NEEDS_COUNTERS = 1 << 6 /* only where something was counted is there such an answer */
};

/* The help of a row: the image shows nobody any, and leaves it out. */
#if __STDC_HOSTED__
#define MEANS(sentences) sentences
#else
#define MEANS(sentences) NULL
#endif

/*
 * A question that a case answers, one row each. Rules have lists of them, with no name at the end;
 * the manual's tables, the lines of the last page and the skips of a case come from the rows.
 */
struct question {
    const char *name, *unit;
    bool (*is_of)(const struct variant *variant); /* the cases that answer it; NULL: all */
    unsigned needs;                               /* a set of enum verdict_needs */
    /* Concludes the verdict by what the rule has read of the case; NULL: the rule adds it itself,
     * by several cases. */
    void (*judge)(const void *reading, struct verdict *verdict);
    const char *means;     /* for the manual; NULL: the row before says it */
    const char *leans_on;  /* another answer of the case that has to be ok; NULL */
    struct headline_at at; /* where the last page has it */
};

/* A row: name, unit, is_of, needs, judge, means, and what else it has. */
#define QUESTION(of_name, of_unit, of_cases, of_needs, by, ...)                                    \
    {                                                                                              \
        .name = of_name, .unit = of_unit, .is_of = of_cases, .needs = of_needs, .judge = by,       \
        .means = __VA_ARGS__                                                                       \
    }

struct verdict {
    const struct question *question;
    struct variant variant;
    double value, low, high; /* NAN if absent; empty in the file */
    unsigned needs;          /* as its question's; a rule that knows better takes some away */
    enum verdict_status status;
    enum reason reason;                /* why it is not ok */
    char method[VERDICT_METHOD_BYTES]; /* how it was found, or why it was not, in a few words */
};

/* A growing list in memory that the caller provides. */
struct verdict_list {
    struct verdict *at;
    size_t count, room;
    size_t lost;          /* verdicts that were added to the full list, */
    struct verdict spare; /* each of them here, over the one before */
};

/* "ok", "doubt", "skip", "error", in the order of the enum. */
extern const char *const verdict_status_names[];

/*
 * Adds a verdict without a value, status `skip`, empty method; the caller fills it. When the list
 * is full, returns a spare one that nobody reads.
 */
struct verdict *verdict_add(struct verdict_list *list, const struct variant *variant,
                            const struct question *question);

/* Sets status and reason, and the method: the reason's words, then what is printed. */
void verdict_conclude(struct verdict *verdict, enum verdict_status status, enum reason reason,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Does so from a list of arguments. */
void verdict_vconclude(struct verdict *verdict, enum verdict_status status, enum reason reason,
                       const char *format, va_list arguments) __attribute__((format(printf, 4, 0)));

/* Adds to the method, printf style. */
void verdict_append(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets value, low, high. */
void verdict_value(struct verdict *verdict, double value, double low, double high);

/* The first of that case and name, or NULL. */
const struct verdict *verdict_find(const struct verdict_list *list, const struct variant *variant,
                                   const char *name);

#endif
