/* array_rule: the levels of the caches. */
#include "../experiment.h"
#include "../sweeps/cache_levels.h"

const struct rule rule_array = {
    .questions = {cache_level_questions},
    .judge_all = cache_levels_judge,
};
