/* describe: each key's row in words: what it means, what it accepts, its defaults. */
#include "describe.h"

#include "../../kernel/config/config.h"
#include "../../kernel/config/value.h"
#include "../../kernel/lib/string.h"

#define COLUMNS 78
#define PARAGRAPH_MAX 512

static const char values_in_words[] =
    "Lists are blank-separated. 1-20 is a range, 0-320/8 a range with a step, 1k-1g*2 one with a "
    "factor. Sizes take k, m and g.";

/* Fills lines of at most COLUMNS with words, which single blanks separate; each has the prefix. */
static void put_paragraph(struct text *text, const char *prefix, const char *words)
{
    size_t column = 0;

    while (*words != '\0') {
        size_t length = 0;

        while (words[length] != '\0' && words[length] != ' ')
            length++;
        if (column > 0 && column + 1 + length > COLUMNS) {
            text_char(text, '\n');
            column = 0;
        }
        text_printf(text, "%s%.*s", column == 0 ? prefix : " ", (int)length, words);
        column += (column == 0 ? strlen(prefix) : 1) + length;
        words += length + (words[length] == ' ');
    }
    text_char(text, '\n');
}

/* True if the suite of that number, not quick, has another default than quick. */
static bool differs_in(unsigned suite, const struct config_key *key)
{
    return strcmp(key->by_suite[SUITE_QUICK], key->by_suite[suite]) != 0;
}

static const char *suite_name(unsigned suite)
{
    return config_keys[0].words[suite];
}

static void put_meaning(struct text *text, const struct config_key *key, const char *prefix)
{
    struct text paragraph = TEXT_OF(PARAGRAPH_MAX);

    put_paragraph(text, prefix, key->help);
    text_printf(&paragraph, "Accepted: ");
    value_accepted(key, &paragraph);
    put_paragraph(text, prefix, paragraph.at);
    for (unsigned suite = SUITE_QUICK + 1; suite < SUITES_MAX; suite++) {
        if (!differs_in(suite, key))
            continue;
        text_clear(&paragraph);
        text_printf(&paragraph, "In suite %s: %s", suite_name(suite), key->by_suite[suite]);
        put_paragraph(text, prefix, paragraph.at);
    }
}

static void put_default(struct text *text, const struct config_key *key, const char *prefix)
{
    const char *quick = key->by_suite[SUITE_QUICK];
    text_printf(text, "%s%s =%s%s\n", prefix, key->name, quick[0] == '\0' ? "" : " ", quick);
}

void describe_file(struct text *text)
{
    put_paragraph(text, "# ", CONFIG_FILE_NAME ": the configuration of mlpboot.");
    text_printf(text, "#\n");
    put_paragraph(text, "# ",
                  "Everything below is a comment that shows a key with its default, so that this "
                  "file changes nothing. To change a key, remove the '#' in front of it. One key = "
                  "value on each line; a '#' starts a comment. A line that is wrong is reported, "
                  "and nothing is measured.");
    text_printf(text, "#\n");
    put_paragraph(text, "# ", values_in_words);
    for (uint32_t i = 0; i < config_key_count; i++) {
        text_char(text, '\n');
        put_meaning(text, &config_keys[i], "# ");
        put_default(text, &config_keys[i], "#");
    }
}

void describe_help(struct text *text)
{
    put_paragraph(text, "",
                  "Keys of the configuration, each with its default. One key = value on each line; "
                  "a '#' starts a comment.");
    put_paragraph(text, "", values_in_words);
    for (uint32_t i = 0; i < config_key_count; i++) {
        text_char(text, '\n');
        put_default(text, &config_keys[i], "  ");
        put_meaning(text, &config_keys[i], "      ");
    }
}

/* Adds code to a cell: a word for an empty value. */
static void put_code(struct text *text, const char *code)
{
    text_printf(text, code[0] == '\0' ? " empty" : " `%s`", code);
}

/* Returns where `part` begins in the text, or the text's end. */
static const char *find_part(const char *text, const char *part)
{
    const size_t length = strlen(part);
    const char *end = text + strlen(text);

    for (; (size_t)(end - text) >= length; text++)
        if (memcmp(text, part, length) == 0)
            return text;
    return end;
}

/* Adds the limits of numbers, sizes, texts and addresses; the meaning has every accepted word. */
static void put_limits(struct text *text, const struct config_key *key)
{
    static const char from[] = " from ";
    bool is_list = key->kind == CONFIG_NUMBERS || key->kind == CONFIG_SIZES;
    struct text accepted = TEXT_OF(PARAGRAPH_MAX);

    if (key->kind == CONFIG_WORD || key->kind == CONFIG_WORDS || key->kind == CONFIG_CORE)
        return;
    value_accepted(key, &accepted);
    const char *limits = find_part(accepted.at, from);
    limits = *limits == '\0' ? accepted.at : limits + strlen(from);
    text_printf(text, "; %s%.*s", is_list ? "each " : "",
                (int)(find_part(limits, ", blank-separated") - limits), limits);
}

static void put_row(struct text *text, const struct config_key *key)
{
    text_char(text, '|');
    put_code(text, key->name);
    text_printf(text, " |");
    put_code(text, key->by_suite[SUITE_QUICK]);
    for (unsigned suite = SUITE_QUICK + 1; suite < SUITES_MAX; suite++)
        if (differs_in(suite, key)) {
            text_printf(text, ", %s:", suite_name(suite));
            put_code(text, key->by_suite[suite]);
        }
    put_limits(text, key);
    text_printf(text, " | %s |\n", key->help);
}

void describe_table(struct text *text)
{
    text_printf(text, "\n| key | default; limits | meaning |\n"
                      "|---|---|---|\n");
    for (uint32_t i = 0; i < config_key_count; i++)
        put_row(text, &config_keys[i]);
    text_char(text, '\n');
}
