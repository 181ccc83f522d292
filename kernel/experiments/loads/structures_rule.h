/* structures_rule: the sizes of structures by where each filler's time jumps. */
#ifndef MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H
#define MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H

#include "../../probe/filler.h"
#include "../answer.h"

/*
 * All sizes, in the order of their verdicts. In the columns: the enum's name; the verdict, in the
 * case of the first filler, and its unit; the structure; the filler whose jump is its end; the
 * meaning, for the manual; the
 * other fillers of which one has to jump at the same K, or another structure may have ended (0:
 * there is no doubt of that); the sizes whose entries the filler takes besides; what is added to
 * the first K beyond the jump; the entries more that there may be; and the method.
 */
#define SIZES(X)                                                                                   \
    X(ROB, "rob_entries", "entries", "the reorder buffer", LONG_NOP,                               \
      "fillers and both loads: 9-byte NOPs (case `long-nop`); control: zeroed registers (`zero`)", \
      ALIKE(ZERO), 0, 1, 0,                                                                        \
      "9-byte NOPs before the jump plus both loads; zeroed registers jump at the same K")          \
    X(NOPS, "nops_in_flight", "fillers", "the room for NOPs in flight", NOP,                       \
      "1-byte NOPs, several of which may share a ROB entry", 0, 0, -1, 3,                          \
      "1-byte NOPs before the jump of two loads: several may share a ROB entry")                   \
    X(INTEGER, "integer_registers", "registers", "the integer register file", ADD,                 \
      "additions and both loads, without architectural registers", 0, TOO(ROB), 1, 0,              \
      "additions before the jump plus both loads; architectural registers are not counted")        \
    X(VECTOR, "vector_registers", "registers", "the vector register file", VECTOR_ADD,             \
      "vector additions, without architectural registers", 0, TOO(ROB), -1, 0,                     \
      "vector additions before the jump; architectural registers are not counted")                 \
    X(LOADS, "loads_in_flight", "loads", "the room for loads in flight", LOAD,                     \
      "loads and both that miss, until they retire: fillers hit L1", 0, TOO(ROB) | TOO(INTEGER),   \
      1, 0, "loads that hit before the jump plus both loads")                                      \
    X(WAITING, "loads_waiting", "loads", "the room for waiting loads", WAITING_LOAD,               \
      "loads and both that miss, until data arrive: addresses that need the first load's result; " \
      "control: loads of its line (`line-load`)",                                                  \
      ALIKE(LINE_LOAD), TOO(ROB) | TOO(INTEGER), 1, 0,                                             \
      "loads waiting for their address before the jump plus both loads; loads waiting for the "    \
      "line jump at the same K")                                                                   \
    X(LOAD_QUEUE, "load_queue", "entries", "the load queue", LINE_LOAD,                            \
      "loads of the missing line and both loads; control: loads that hit (`load`)", ALIKE(LOAD),   \
      TOO(ROB) | TOO(INTEGER), 1, 0,                                                               \
      "loads of the missing line before the jump plus both loads; completed loads jump at the "    \
      "same K")                                                                                    \
    X(STORE_QUEUE, "store_queue", "entries", "the store queue", STORE, "stores", 0, TOO(ROB), -1,  \
      0, "stores before the jump; the loads take no entry")                                        \
    X(SCHEDULER, "scheduler_entries", "entries", "the scheduler", WAITING_ADD,                     \
      "additions that wait for the first load, perhaps the last load too; control: "               \
      "multiplications (`multiply`)",                                                              \
      ALIKE(MULTIPLY), TOO(ROB) | TOO(INTEGER), -1, 1,                                             \
      "waiting additions before the jump; multiplications, on one port, jump at the same K; the "  \
      "last load may take an entry, too")                                                          \
    X(PORT, "port_scheduler", "entries", "the scheduler of one port", MULTIPLY,                    \
      "multiplications that wait, on one port", 0, TOO(ROB) | TOO(INTEGER), -1, 1,                 \
      "waiting multiplications before the jump; the last load may take an entry, too")

#define SIZE_ENUM(id, ...) SIZE_##id,
enum size_kind { SIZES(SIZE_ENUM) SIZE_KINDS };

/* A bit of a set of sizes, and of a set of fillers. */
#define TOO(id) (1u << SIZE_##id)
#define ALIKE(id) (1u << FILLER_##id)

/* The sizes of which nothing is known where another structure ends first. */
#define SIZES_WITHOUT_BOUND TOO(VECTOR)

extern const struct question structures_questions[];

/*
 * Adds the verdicts of all sizes whose first filler has a case that is `like` this one but for its
 * pattern, the filler's name. A structure that is not smaller than the others that its filler uses,
 * the reorder buffer above all, is not seen: doubt, with the least it can be. So is one whose
 * fillers do not agree to one entry; of the reorder buffer, which every filler takes at most an
 * entry of, the nearer jump is reported. Each state of the core is compared with itself.
 */
void structures_compare(const struct evidence *evidence, const struct variant *like);

#endif
