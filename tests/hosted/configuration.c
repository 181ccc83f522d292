/* configuration: config.h for a command line: files, --set, and its help. */
#include "configuration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "describe.h"
#include "read_file.h"

static unsigned load_file(struct config *config, const char *path, struct text *errors)
{
    char *data = NULL;
    size_t length = 0;

    /* One byte more than may be there, so that config_read_file sees and says it is too much. */
    const char *reason = read_file(path, CONFIG_FILE_BYTES_MAX + 1, &data, &length);
    if (reason != NULL) {
        text_printf(errors, "%s: %s\n", path, reason);
        return 1;
    }
    unsigned wrong = config_read_file(config, path, data, length, errors);
    free(data);
    return wrong;
}

bool configuration_load(struct config *config, const char *path,
                        const struct option_values *assignments, struct text *errors)
{
    unsigned wrong = 0;

    memset(config, 0, sizeof *config);
    if (path != NULL)
        wrong += load_file(config, path, errors);
    for (unsigned i = 0; assignments != NULL && i < assignments->count; i++)
        wrong += config_read_setting(config, "--set", assignments->value[i], errors);
    if (wrong == 0)
        wrong = config_finish(config, errors);
    return wrong == 0;
}

/* Keys that a process can neither set nor needs; only a model can switch prefetchers. */
static bool is_unused(const struct config *config, const char *key, bool is_model)
{
    static const char *const unused[] = {"finish", "finish.seconds", "hang.seconds", "runs",
                                         "resume", "results.to",     "turbo",        "siblings"};

    for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++)
        if (strcmp(key, unused[i]) == 0)
            return true;
    return strcmp(key, "prefetch") == 0 && config->prefetch == PREFETCH_ON && !is_model;
}

void configuration_unused(const struct config *config, bool is_model, struct text *words)
{
    const char *before = "set, but without effect in a Linux process: ";

    for (uint32_t row = 0; row < config_key_count; row++) {
        if (!config->setting[row].is_set || !is_unused(config, config_keys[row].name, is_model))
            continue;
        text_printf(words, "%s%s", before, config_keys[row].name);
        before = ", ";
    }
    if (words->length > 0)
        text_char(words, '\n');
}

static void print_pages(FILE *to, const struct config_choices *pages)
{
    for (uint32_t i = 0; i < pages->count; i++)
        fprintf(to, " %s", page_names[pages->index[i]]);
}

void configuration_summary(FILE *to, const struct config *config)
{
    fprintf(to, "suite %s; experiments", config_keys[0].words[config->suite]);
    for (uint32_t i = 0; i < config->experiments.count; i++)
        fprintf(to, " %s", experiments[config->experiments.index[i]]->name);
    fputs("; pages", to);
    print_pages(to, &config->pages);
    fprintf(to, "; mlp: %" PRIu32 " x %" PRIu32 " points a case", config->mlp.loads.count,
            config->mlp.fillers.count);
    fprintf(to, "; %" PRIu64 " to %" PRIu64 " samples a point, to %g %%\n", config->samples_min,
            config->samples_max, config->samples_precision * 100);
}

void configuration_help(FILE *to)
{
    static char memory[DESCRIBE_BYTES_MAX];
    struct text keys;

    text_init(&keys, memory, sizeof memory);
    describe_help(&keys);
    fprintf(to, "\n%s\nExperiments:\n\n", memory);
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        fprintf(to, "  %-10s  %s\n", (*e)->name, (*e)->shows);
}
