/* array_rule: the levels of the caches, case by case. */
#include "../experiment.h"
#include "../sweeps/cache_levels.h"

static const struct headline headlines[] = {
    {40,
     "caches",
     "array",
     {"l1_bytes", "l2_bytes", "l3_bytes", "l4_bytes", "l5_bytes"},
     true,
     SEEN_NOTHING},
    {45,
     "read B/cycle",
     "array",
     {"l1_read_bandwidth", "l2_read_bandwidth", "l3_read_bandwidth", "l4_read_bandwidth",
      "memory_read_bandwidth"},
     true,
     SEEN_NOTHING},
    {50, "memory", "array", {"memory_latency", "one_load"}, false, SEEN_NOTHING},
    {.label = NULL},
};

const struct rule rule_array = {
    .headlines = headlines,
    .compare = cache_levels_judge,
    .verdicts = cache_level_verdicts,
    .gives = cache_levels_give,
    .needs_whole_pages = cache_levels_need_whole_pages,
};
