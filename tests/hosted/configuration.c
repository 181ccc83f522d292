/* configuration: config.h for a command line: files, --set, and its help. */
#include "configuration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "read_file.h"

static unsigned load_file(struct config *config, const char *path, struct text *errors)
{
    char *data = NULL;
    size_t length = 0;

    /* One byte more than may be there, so that config_read_file sees and says it is too much. */
    if (!read_file(path, CONFIG_FILE_BYTES_MAX + 1, &data, &length)) {
        text_printf(errors, "%s: %s\n", path, strerror(errno));
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

    config_init(config);
    if (path != NULL)
        wrong += load_file(config, path, errors);
    for (unsigned i = 0; assignments != NULL && i < assignments->count; i++)
        wrong += config_read_setting(config, assignments->value[i], errors);
    if (wrong == 0)
        wrong = config_finish(config, errors);
    return wrong == 0;
}

static void print_pages(FILE *to, const struct config_choices *pages)
{
    for (uint32_t i = 0; i < pages->count; i++)
        fprintf(to, " %s", page_names[pages->index[i]]);
}

void configuration_summary(FILE *to, const struct config *config)
{
    fprintf(to, "suite %s; experiments", config->suite == SUITE_FULL ? "full" : "quick");
    for (uint32_t i = 0; i < config->experiments.count; i++)
        fprintf(to, " %s", experiments[config->experiments.index[i]]->name);
    fputs("; pages", to);
    print_pages(to, &config->pages);
    fprintf(to, "; mlp: %" PRIu32 " x %" PRIu32 " points a case", config->mlp.loads.count,
            config->mlp.fillers.count);
    fprintf(to, "; %" PRIu64 " to %" PRIu64 " samples a point, to %g %%\n", config->samples_min,
            config->samples_max, config->samples_precision * 100);
}

/* With the largest suffix that leaves a whole number, as it is written in a configuration. */
static void print_size(FILE *to, uint64_t bytes)
{
    static const char suffixes[] = {'\0', 'k', 'm', 'g'};
    unsigned i = 0;

    while (i < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    fprintf(to, "%" PRIu64, bytes);
    if (suffixes[i] != '\0')
        fputc(suffixes[i], to);
}

static void print_words(FILE *to, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        fprintf(to, "%s%s", i > 0 ? "|" : "", words[i]);
}

static void print_accepted(FILE *to, const struct config_key *key)
{
    switch (key->kind) {
    case CONFIG_NUMBER:
        fprintf(to, "%" PRIu64 " to %" PRIu64, key->min, key->max);
        break;
    case CONFIG_SIZE:
    case CONFIG_POWER:
        print_size(to, key->min);
        fputs(" to ", to);
        print_size(to, key->max);
        fputs(key->kind == CONFIG_POWER ? ", a power of two" : "", to);
        break;
    case CONFIG_FRACTION:
        fprintf(to, "%g to %g", (double)key->min / 1e6, (double)key->max / 1e6);
        break;
    case CONFIG_NUMBERS:
        fprintf(to, "numbers and ranges, %" PRIu64 " to %" PRIu64, key->min, key->max);
        break;
    case CONFIG_WORD:
        print_words(to, key->words);
        break;
    case CONFIG_WORDS:
        fputs("some of ", to);
        print_words(to, key->words);
        break;
    case CONFIG_TEXT:
        fprintf(to, "text, at most %d characters", CONFIG_VALUE_MAX);
        break;
    case CONFIG_SLUG:
        fprintf(to, "small letters, digits and dashes, at most %d", CONFIG_SLUG_MAX);
        break;
    }
}

void configuration_help(FILE *to)
{
    fputs("\nKeys of the configuration, one \"key = value\" a line, # starts a comment:\n", to);
    for (uint32_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        fprintf(to, "\n  %s =%s%s\n", key->name, *key->quick ? " " : "", key->quick);
        if (strcmp(key->quick, key->full) != 0)
            fprintf(to, "      with suite = full: %s\n", key->full);
        fprintf(to, "      %s\n      accepted: ", key->help);
        print_accepted(to, key);
        fputc('\n', to);
    }
    fputs("\nLists are blank-separated; ranges are 1-20, 0-320/8 (step) and 1k-1g*2 (factor);\n"
          "sizes take k, m and g.\n\nExperiments:\n\n",
          to);
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        fprintf(to, "  %-8s  %s\n", (*e)->name, (*e)->shows);
}
