/* reason: why an answer is in doubt, or missing: the codes of verdicts.csv and their words. */
#ifndef MLPBOOT_DATA_REASON_H
#define MLPBOOT_DATA_REASON_H

/*
 * Every reason: the enum's name, its code, and its words. Codes are a contract: scripts count and
 * compare them. The words are for people; a verdict's method has them, and behind them the numbers.
 */
#define REASONS(X)                                                                                 \
    /* what the machine is, and who else uses it */                                                \
    X(EMULATED, "emulated", "does not apply (emulated)")                                           \
    X(CORE_MAY_BE_SHARED, "core-may-be-shared",                                                    \
      "only one pace of the core was seen, so a sibling may have shared it all the time: "         \
      "boot the image, or use an idle machine")                                                    \
    X(CORE_WAS_SHARED, "core-was-shared", "a sibling thread shared the core in most visits")       \
    X(SIBLING_DIFFERS, "sibling-differs", "the sibling did not do what the case says")             \
    X(OTHERS_ACTIVE, "others-active", "other cores move data while they should rest")              \
    X(OTHERS_USE_IT, "others-use-it", "at least this: others may use the rest")                    \
    X(GUEST, "guest", "a guest does not know its page frames and neighbours")                      \
    X(SMALL_HOST_PAGES, "small-host-pages",                                                        \
      "the host maps this memory with small pages: walks, or misses in a cache, may be included")  \
    X(UNAVAILABLE, "unavailable", "cannot be had here")                                            \
    X(NOT_COUNTED, "not-counted", "nothing counts it here")                                        \
    X(CLOCK_TOO_COARSE, "clock-too-coarse", "the time-stamp counter does not resolve it")          \
    /* what was measured */                                                                        \
    X(NOT_MEASURED, "not-measured", "a point or control that it needs was not measured")           \
    X(CASE_INCOMPLETE, "case-incomplete", "too few points of the case have samples")               \
    X(TOO_FEW_POINTS, "too-few-points", "it needs more points")                                    \
    X(TOO_FEW_SAMPLES, "too-few-samples", "it needs more samples, visits or passes")               \
    X(TOO_FEW_KEPT, "too-few-kept",                                                                \
      "fewer than a tenth of the samples were kept: use a quiet machine")                          \
    X(CLOCK_MOVED, "clock-moved",                                                                  \
      "the core's clock was another meanwhile: measure again once it is steady")                   \
    X(ENDED_EARLY, "ended-early", "the experiment ended early")                                    \
    X(RANGE_ENDS, "range-ends", "the range measured ends too soon")                                \
    X(SIZES_START_LARGE, "sizes-start-large",                                                      \
      "the smallest size measured may exceed the first level")                                     \
    X(SCATTER, "scatter", "the times scatter too much")                                            \
    /* edges and levels of curves */                                                               \
    X(NO_EDGE, "no-edge", "the time rises without a step")                                         \
    X(UNCLEAR_EDGE, "unclear-edge", "the points scatter too much to place the step")               \
    X(GRADUAL_EDGE, "gradual-edge", "the edge is gradual, and places no size")                     \
    X(EDGE_NOT_PLACED, "edge-not-placed", "the step was not placed to one point")                  \
    X(EDGE_NOT_CONFIRMED, "edge-not-confirmed",                                                    \
      "a later look does not confirm the step: the machine was not steady")                        \
    X(TWO_STATES, "two-states", "the core had two states with a step each: measure again")         \
    X(SMALL_RISE, "small-rise", "the rise is hardly above the scatter or the clock's step")        \
    X(LEVELS_TOO_CLOSE, "levels-too-close", "two levels may be too close to separate")             \
    X(LEVEL_HIDDEN, "level-hidden", "one more level may be hidden")                                \
    X(LEVEL_UNKNOWN, "level-unknown", "it is open which levels the last plateaus are")             \
    X(NO_SUCH_LEVEL, "no-such-level", "there is no such level")                                    \
    X(NOT_FLAT, "not-flat", "times within the level differ: neighbours may use it")                \
    X(NO_PLATEAU, "no-plateau", "too few sizes agree to show a plateau, so it may be a slope")     \
    X(MAY_BE_TLB, "may-be-tlb", "the step may be the TLB's, not a cache's")                        \
    X(CPUID_DIFFERS, "cpuid-differs", "CPUID reports another size")                                \
    /* what else it may be */                                                                      \
    X(ENDS_FIRST, "ends-first", "another structure ends first")                                    \
    X(MAY_END_FIRST, "may-end-first", "a structure of unknown size may end first")                 \
    X(FILLERS_DISAGREE, "fillers-disagree", "kinds of filler that should jump together do not")    \
    X(CONTROL_SHOWS_IT, "control-shows-it", "the control, which should not show it, does")         \
    X(NOT_MEMORY, "not-memory", "no slower than the control without memory accesses")              \
    X(PAGE_WALKS, "page-walks", "the time may be that of page walks")                              \
    X(STILL_HITS, "still-hits", "some of these pages may still hit the level before")              \
    X(NO_WALK, "no-walk", "these pages hit the TLB: no page walk was seen")                        \
    X(NO_SETS, "no-sets", "there is one set, or a hash selects it")                                \
    X(HIDDEN, "hidden", "the level before holds as many, and hides it")                            \
    X(NOT_SATURATED, "not-saturated", "these cores cannot saturate memory")                        \
    X(POLICY_OPEN, "policy-open", "the sizes allow more than one policy")                          \
    /* what contradicts it */                                                                      \
    X(LEANS_ON_DOUBT, "leans-on-doubt", "an answer that it leans on is not ok")                    \
    X(CONTRADICTS, "contradicts", "another measurement of the same contradicts it")                \
    X(NOT_LINEAR, "not-linear", "the times do not lie on a straight line")                         \
    X(NO_RISE, "no-rise", "the time or rate does not rise with the number")                        \
    X(FALLS, "falls", "a time or rate falls where it should rise")                                 \
    X(NO_DIFFERENCE, "no-difference", "no clear difference")                                       \
    X(COUNT_IS_OFF, "count-is-off", "a count is not what the code did")                            \
    X(WRONG_SUM, "wrong-sum", "no right sum proves that the words were read")

#define REASON_ENUM(id, code, words) REASON_##id,
enum reason { REASON_NONE, REASONS(REASON_ENUM) REASON_COUNT };

/* Each reason's code and its words; "" for none. */
extern const struct reason_text {
    const char *code, *words;
} reason_texts[REASON_COUNT];

#endif
