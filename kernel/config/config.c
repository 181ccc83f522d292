/* config: reads lines of settings, fills in defaults, checks values against each other. */
#include "config.h"

#include "../lib/string.h"
#include "value.h"

#define REPORTED_MAX 20 /* errors reported one by one; further ones are only counted */
#define REASON_MAX 200
#define EDITS_MAX 2 /* by which a wrong key may differ from the one that was meant */
#define KEY_MAX 31  /* characters of a key */

/* A source of settings while it is read, and its errors: starts as config, name, errors and no
 * unreported text. */
struct config_reader {
    struct config *config;
    const char *name;
    uint32_t line; /* 0: no lines, or the whole file */
    unsigned count;
    struct text *errors;
    struct text unreported;                /* takes errors beyond REPORTED_MAX */
    uint32_t line_of_key[CONFIG_KEYS_MAX]; /* in this file, by row; 0: not seen yet */
};

/* Says how many errors were not told, and returns how many there were in all. */
static unsigned reader_end(struct config_reader *reader)
{
    if (reader->count > REPORTED_MAX)
        text_printf(reader->errors, "%s: and %u more errors\n", reader->name,
                    reader->count - REPORTED_MAX);
    return reader->count;
}

/* Starts one error's line: "file:line: key = value: ". The caller completes it, "\n" included. */
static struct text *begin_error(struct config_reader *reader, const struct config_key *key,
                                struct piece seen)
{
    struct text *out = reader->count < REPORTED_MAX ? reader->errors : &reader->unreported;
    reader->count++;
    text_printf(out, "%s", reader->name);
    if (reader->line > 0)
        text_printf(out, ":%u", reader->line);
    text_printf(out, ": ");
    if (key != NULL)
        text_printf(out, "%s = ", key->name);
    piece_show(out, seen);
    if (key != NULL || seen.length > 0)
        text_printf(out, ": ");
    return out;
}

static void report(struct config_reader *reader, struct piece seen, const char *why)
{
    text_printf(begin_error(reader, NULL, seen), "%s\n", why);
}

/* Returns how many characters to insert, drop or replace (Levenshtein); case does not count. */
static unsigned count_edits(struct piece seen, const char *name)
{
    unsigned row[KEY_MAX + 1], length = (unsigned)strlen(name);
    for (unsigned j = 0; j <= length; j++)
        row[j] = j;
    for (unsigned i = 0; i < seen.length; i++) {
        unsigned diagonal = row[0];
        char c = seen.at[i] | ' '; /* all characters of keys have this bit */
        row[0]++;
        for (unsigned j = 0; j < length; j++) {
            unsigned kept = diagonal + (c != name[j]);
            unsigned fewer = row[j] < row[j + 1] ? row[j] : row[j + 1];
            diagonal = row[j + 1];
            row[j + 1] = kept <= fewer ? kept : fewer + 1;
        }
    }
    return row[length];
}

static void report_unknown_key(struct config_reader *reader, struct piece name)
{
    struct text *out = begin_error(reader, NULL, name);
    unsigned fewest = EDITS_MAX + 1;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < config_key_count; i++) {
        unsigned edits = count_edits(name, config_keys[i].name);
        nearest = edits < fewest ? config_keys[i].name : nearest;
        fewest = edits < fewest ? edits : fewest;
    }
    text_printf(out, "unknown key; %s%s%saccepted: those in the shipped %s or run --help\n",
                nearest != NULL ? "did you mean " : "", nearest ?: "", nearest != NULL ? "? " : "",
                CONFIG_FILE_NAME);
}

/* Converts a value into its field. False: an error was reported. */
static bool convert(struct config_reader *reader, const struct config_key *key, struct piece value)
{
    struct text reason = TEXT_OF(REASON_MAX), *out;
    if (value_read(key, value, (char *)reader->config + key->offset, &reason))
        return true;
    out = begin_error(reader, key, value);
    text_printf(out, "%s; accepted: ", reason.at);
    value_accepted(key, out);
    text_printf(out, "\n");
    return false;
}

static void set_value(struct config_setting *setting, struct piece value, const char *source,
                      uint32_t line)
{
    struct text text;
    text_init(&text, setting->value, sizeof setting->value);
    for (size_t i = 0; i < value.length; i++)
        text_char(&text, value.at[i] == '\t' ? ' ' : value.at[i]);
    setting->source = source;
    setting->line = line;
}

/* Returns a key's row; config_key_count if there is no such key. */
static uint32_t find_key(struct piece name)
{
    uint32_t row = 0;
    while (row < config_key_count && !piece_is(name, config_keys[row].name))
        row++;
    return row;
}

bool config_knows(const char *assignment)
{
    struct piece rest = piece_of(assignment);
    return find_key(piece_trim(piece_until(&rest, "="))) < config_key_count;
}

/* Reads "key = value"; comments are gone. */
static void read_assignment(struct config_reader *reader, struct piece statement)
{
    struct piece value = statement, name = piece_trim(piece_until(&value, "="));
    bool is_assignment = piece_take(&value, "=");
    uint32_t row = find_key(name);
    const struct config_key *key = &config_keys[row];
    value = piece_trim(value);
    if (!is_assignment) {
        report(reader, statement, "'=' is missing; accepted: key = value");
    } else if (name.length == 0) {
        report(reader, statement, "the key is missing; accepted: key = value");
    } else if (row == config_key_count) {
        report_unknown_key(reader, name);
    } else if (reader->line_of_key[row] > 0) {
        text_printf(begin_error(reader, key, value),
                    "already set in line %u; accepted: each key once\n", reader->line_of_key[row]);
    } else {
        reader->line_of_key[row] = reader->line;
        if (convert(reader, key, value)) {
            set_value(&reader->config->setting[row], value, reader->name, reader->line);
            reader->config->setting[row].is_set = true;
        }
    }
}

/* True if the line has no control characters but tabs; else an error was reported. */
static bool is_text(struct config_reader *reader, struct piece line)
{
    for (size_t i = 0; i < line.length; i++) {
        unsigned char byte = (unsigned char)line.at[i];
        if ((byte >= ' ' && byte != 0x7f) || byte == '\t')
            continue;
        text_printf(begin_error(reader, NULL, line),
                    "control byte 0x%02x in column %zu; accepted: plain text%s\n", byte, i + 1,
                    byte == 0 ? ", not UTF-16" : "");
        return false;
    }
    return true;
}

static void read_line(struct config_reader *reader, struct piece line)
{
    if (line.length > 0 && line.at[line.length - 1] == '\r')
        line.length--;
    if (!is_text(reader, line))
        return;
    line = piece_trim(piece_until(&line, "#"));
    if (line.length > 0)
        read_assignment(reader, line);
}

unsigned config_read_file(struct config *config, const char *name, const char *data, size_t length,
                          struct text *errors)
{
    struct config_reader reader = {config, name, .errors = errors, .unreported = TEXT_OF(1)};
    struct piece rest = {data, length};
    if (length > CONFIG_FILE_BYTES_MAX) {
        text_printf(begin_error(&reader, NULL, piece_of("")),
                    "%zu bytes are too many; accepted: up to %u\n", length, CONFIG_FILE_BYTES_MAX);
        return reader_end(&reader);
    }
    if (piece_take(&rest, "\xff\xfe") || piece_take(&rest, "\xfe\xff")) {
        report(&reader, piece_of(""), "the file is UTF-16; save it as plain text");
        return reader_end(&reader);
    }
    /* some editors put a byte order mark in front of UTF-8, too */
    piece_take(&rest, "\xef\xbb\xbf");
    while (rest.length > 0) {
        reader.line++;
        read_line(&reader, piece_until(&rest, "\n"));
        piece_take(&rest, "\n");
    }
    return reader_end(&reader);
}

unsigned config_read_setting(struct config *config, const char *name, const char *assignment,
                             struct text *errors)
{
    struct config_reader reader = {config, name, .errors = errors, .unreported = TEXT_OF(1)};
    struct piece statement = piece_of(assignment);
    if (is_text(&reader, statement))
        read_assignment(&reader, piece_trim(statement));
    return reader_end(&reader);
}

static void point_at(struct config_reader *reader, const struct config_setting *setting)
{
    reader->name = setting->source;
    reader->line = setting->line;
}

/* Checks samples.min against samples.max; the message names both, as one may be a default. */
static void check_samples(struct config_reader *reader)
{
    static const char least[] = "samples.min", most[] = "samples.max";
    uint32_t low_row = find_key(piece_of(least)), high_row = find_key(piece_of(most));
    const struct config_setting *low = &reader->config->setting[low_row];
    const struct config_setting *high = &reader->config->setting[high_row];
    bool blame_low = low->is_set;
    const struct config_setting *seen = blame_low ? low : high, *other = blame_low ? high : low;
    if (reader->config->samples_min <= reader->config->samples_max)
        return;
    point_at(reader, seen);
    text_printf(
        begin_error(reader, &config_keys[blame_low ? low_row : high_row], piece_of(seen->value)),
        "%s than %s = %s (%s); accepted: %s up to %s\n", blame_low ? "more" : "less",
        blame_low ? most : least, other->value, other->source, least, most);
}

static const char *default_of(const struct config *config, const struct config_key *key)
{
    if (config->is_emulated && key->emulated != NULL)
        return key->emulated;
    return key->by_suite[config->suite];
}

unsigned config_finish(struct config *config, struct text *errors)
{
    struct config_reader reader = {config, "default", .errors = errors, .unreported = TEXT_OF(1)};
    for (uint32_t row = 0; row < config_key_count; row++) {
        const struct config_key *key = &config_keys[row];
        struct config_setting *setting = &config->setting[row];
        if (!setting->is_set)
            set_value(setting, piece_of(default_of(config, key)), "default", 0);
        point_at(&reader, setting);
        convert(&reader, key, piece_of(setting->value));
    }
    config->runs_is_set = config->setting[find_key(piece_of("runs"))].is_set;
    if (reader.count == 0)
        check_samples(&reader);
    return reader_end(&reader);
}
