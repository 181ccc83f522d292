/* array_rule: the levels of the caches. */
#include "../experiment.h"
#include "../sweeps/cache_levels.h"

const struct rule rule_array = {
    .questions =
        (const struct question *const[]){cache_level_questions, cache_overlap_questions, NULL},
    .judge_all = cache_levels_judge,
};
