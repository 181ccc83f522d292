/* planned: what is planned for a configuration, given as KEY=VALUE..., on a machine with one
 * processor: bytes of results.csv, verdicts.csv, run.json, log.txt and of the page's data. */
#include <stdio.h>

#include "../../kernel/report/plan.h"

int main(int count, char **settings)
{
    static struct config config;
    static char memory[4096];
    struct text errors;
    unsigned wrong = 0;
    text_init(&errors, memory, sizeof memory);
    config_init(&config);
    for (int i = 1; i < count; i++)
        wrong += config_read_setting(&config, "planned", settings[i], &errors);
    if (wrong + config_finish(&config, &errors) > 0) {
        fputs(errors.at, stderr);
        return 1;
    }
    struct plan plan = plan_files(&config, 1);
    printf("%lu %lu %lu %lu %lu\n", plan.results, plan.verdicts, plan.conditions, plan.log,
           plan.report);
    return 0;
}
