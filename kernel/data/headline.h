/* headline: the lines of a run's last page, which answers are gathered on. */
#ifndef MLPBOOT_DATA_HEADLINE_H
#define MLPBOOT_DATA_HEADLINE_H

#include <stdbool.h>

#define HEADLINE_NUMBERS 6

/* Names what a run sees beside its measurements, for a line without a verdict. */
enum headline_seen { SEEN_NOTHING, SEEN_SHARED_CORE, SEEN_NOISE, SEEN_KINDS };

/*
 * The lines in their order: the enum's name, the label, the experiment that answers it, whether it
 * shows all its verdicts, levels, the first one first, or the best one; and what a run sees beside.
 */
#define HEADLINES(X)                                                                               \
    X(ROB, "ROB", "mlp", false, SEEN_NOTHING)                                                      \
    X(MLP, "MLP", "mlp", false, SEEN_NOTHING)                                                      \
    X(BUFFERS, "fill buffers", "mlp", false, SEEN_NOTHING)                                         \
    X(CACHES, "caches", "array", true, SEEN_NOTHING)                                               \
    X(READS, "read B/cycle", "array", true, SEEN_NOTHING)                                          \
    X(MEMORY, "memory", "array", false, SEEN_NOTHING)                                              \
    X(TLB, "TLB", "tlb", true, SEEN_NOTHING)                                                       \
    X(WALK, "page walk", "tlb", false, SEEN_NOTHING)                                               \
    X(SHARED, "core shared", "noise", false, SEEN_SHARED_CORE)                                     \
    X(GAP, "longest gap", "noise", false, SEEN_NOISE)

#define HEADLINE_ENUM(id, ...) HEADLINE_##id,
enum headline { HEADLINE_NONE, HEADLINES(HEADLINE_ENUM) HEADLINE_COUNT };

/* A verdict's line, and its number among the line's verdicts. */
struct headline_at {
    enum headline line;
    unsigned number;
};

#endif
