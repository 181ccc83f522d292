/* fuzz_config: any bytes as mlpboot.cfg; what is accepted is sound, what is not is told. */
#define _GNU_SOURCE /* memmem */
#include "fuzz.h"

#include "../../kernel/config/config.h"
#include "../../kernel/lib/utf8.h"

/* What follows this line in the input is not the file but one --set. */
static const char separator[] = "\n--set ";

static void check_numbers(const struct config_key *key, const struct config_list *list)
{
    MUST(list->count >= 1 && list->count <= CONFIG_LIST_MAX);
    for (uint32_t i = 0; i < list->count; i++)
        MUST(list->value[i] >= key->min && list->value[i] <= key->max);
}

static void check_word(const struct config_key *key, uint32_t index)
{
    for (uint32_t i = 0; i <= index; i++)
        MUST(key->words[i] != NULL);
}

static void check_words(const struct config_key *key, const struct config_choices *choices)
{
    MUST(choices->count >= 1 && choices->count <= CONFIG_CHOICES_MAX);
    for (uint32_t i = 0; i < choices->count; i++) {
        check_word(key, choices->index[i]);
        for (uint32_t j = 0; j < i; j++)
            MUST(choices->index[i] != choices->index[j]);
    }
}

static void check_core(const struct core_choice *choice)
{
    MUST(choice->wish <= WISH_NODE && choice->number <= 999999999);
    MUST(choice->number == 0 || choice->wish >= WISH_NUMBER);
}

/* Printable UTF-8: a label may be anybody's name. */
static void check_text(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    MUST(length < size);
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = utf8_printable(text + at, length - at);
        MUST(bytes > 0);
    }
}

static void check_field(const struct config_key *key, const void *field)
{
    uint64_t number;
    double fraction;
    switch (key->kind) {
    case CONFIG_NUMBER:
    case CONFIG_SIZE:
    case CONFIG_POWER:
        memcpy(&number, field, sizeof number);
        MUST(number >= key->min && number <= key->max);
        MUST(key->kind != CONFIG_POWER || (number & (number - 1)) == 0);
        break;
    case CONFIG_FRACTION:
        memcpy(&fraction, field, sizeof fraction);
        MUST(fraction >= (double)key->min / 1e6 && fraction <= (double)key->max / 1e6);
        break;
    case CONFIG_NUMBERS:
    case CONFIG_SIZES:
        check_numbers(key, field);
        break;
    case CONFIG_WORD:
        MUST(key->bytes == 4);
        check_word(key, *(const uint32_t *)field);
        break;
    case CONFIG_WORDS:
        check_words(key, field);
        break;
    case CONFIG_CORE:
        check_core(field);
        break;
    case CONFIG_URL:
    case CONFIG_TEXT:
        check_text(field, key->bytes);
        break;
    case CONFIG_SLUG:
        MUST(key->bytes == CONFIG_SLUG_MAX + 1 && strlen(field) <= CONFIG_SLUG_MAX);
        MUST(strspn(field, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(field));
        break;
    }
}

/* Errors are told in whole printable lines that start with where they are. */
static void check_errors(const struct text *errors, unsigned count)
{
    const char *line = errors->at;
    MUST((count > 0) == (errors->length > 0));
    MUST(!errors->truncated);
    while (*line != '\0') {
        const char *end = strchr(line, '\n');
        MUST(end != NULL);
        MUST(strncmp(line, CONFIG_FILE_NAME ":", 12) == 0 || strncmp(line, "--set:", 6) == 0);
        for (; line < end; line++)
            MUST(*line >= ' ' && *line <= '~');
        line = end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config config;
    static char buffer[65536];
    struct text errors;
    unsigned count;
    const uint8_t *split = memmem(data, size, separator, sizeof separator - 1);
    size_t file_size = split == NULL ? size : (size_t)(split - data);
    text_init(&errors, buffer, sizeof buffer);
    memset(&config, 0, sizeof config);
    count = config_read_file(&config, CONFIG_FILE_NAME, (const char *)data, file_size, &errors);
    if (split != NULL) {
        size_t from = file_size + sizeof separator - 1;
        char *assignment = strndup((const char *)data + from, size - from);
        MUST(assignment != NULL);
        count += config_read_setting(&config, "--set", assignment, &errors);
        free(assignment);
    }
    check_errors(&errors, count);
    count += config_finish(&config, &errors); /* after errors it must at least be safe */
    check_errors(&errors, count);
    if (count > 0)
        return 0;
    for (uint32_t row = 0; row < config_key_count; row++) {
        check_field(&config_keys[row], (const char *)&config + config_keys[row].offset);
        check_text(config.setting[row].value, sizeof config.setting[row].value);
    }
    MUST(config.samples_min <= config.samples_max);
    return 0;
}
