/* json_reader: reads RFC 8259 from front to back, and keeps the path to the current value. */
#include "json_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/lib/utf8.h"
#include "read_file.h"

struct json_input {
    const char *start, *at, *end;
    unsigned depth;
    char path[JSON_PATH_MAX]; /* of the current value */
    size_t path_length;       /* JSON_PATH_MAX or more: too long to be kept */
    const struct json_member *wanted;
    size_t count;
    json_visitor *visit; /* NULL: no visitor */
    void *context;       /* the visitor's */
    char *error;
    size_t error_size;
};

static bool read_value(struct json_input *r);

/* Keeps the error; always false. */
static bool fail(struct json_input *r, const char *expected)
{
    unsigned long line = 1;

    for (const char *p = r->start; p < r->at; p++)
        line += *p == '\n';
    snprintf(r->error, r->error_size, "line %lu: expected %s", line, expected);
    return false;
}

static void skip_blanks(struct json_input *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

static bool is_next(const struct json_input *r, char c)
{
    return r->at < r->end && *r->at == c;
}

static bool take_character(struct json_input *r, char c)
{
    skip_blanks(r);
    if (!is_next(r, c))
        return false;
    r->at++;
    return true;
}

/* True if the wanted path matches; its `*` is any one name. */
static bool is_path(const char *pattern, const char *path)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '*')
            path += strcspn(path, ".");
        else if (*pattern != *path++)
            return false;
    }
    return *path == '\0';
}

/* Returns the wanted member at the current path, or NULL. */
static const struct json_member *wanted(const struct json_input *r)
{
    for (size_t i = 0; i < r->count && r->path_length < JSON_PATH_MAX; i++)
        if (is_path(r->wanted[i].path, r->path))
            return &r->wanted[i];
    return NULL;
}

static bool is_visited(const struct json_input *r)
{
    return r->visit != NULL && r->path_length < JSON_PATH_MAX;
}

/* Reads four hexadecimal digits; other characters than ASCII become question marks. */
static bool read_code_point(struct json_input *r, char *c)
{
    unsigned value = 0;

    for (unsigned i = 0; i < 4; i++, r->at++) {
        if (r->at == r->end || !isxdigit((unsigned char)*r->at))
            return fail(r, "four hexadecimal digits after \\u");
        unsigned digit = (unsigned char)*r->at;
        value = value * 16 + (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    *c = value < 0x80 ? (char)value : '?';
    return true;
}

/* Reads what follows a backslash. */
static bool read_escape(struct json_input *r, char *c)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *found = r->at < r->end && *r->at != '\0' ? strchr(names, *r->at) : NULL;

    if (is_next(r, 'u')) {
        r->at++;
        return read_code_point(r, c);
    }
    if (found == NULL)
        return fail(r, "an escape that JSON has");
    *c = meanings[found - names];
    r->at++;
    return true;
}

/* Reads a character of `bytes` bytes; an unprintable one becomes a question mark. */
static bool read_character(struct json_input *r, char character[4], size_t *bytes)
{
    size_t length = utf8_printable(r->at, (size_t)(r->end - r->at));
    bool is_escape = *r->at == '\\';

    *bytes = length > 0 ? length : 1;
    memcpy(character, length > 0 ? r->at : "?", *bytes);
    r->at += *bytes;
    if (!is_escape)
        return true;
    bool is_right = read_escape(r, character);
    if (!isprint((unsigned char)*character))
        *character = '?';
    return is_right;
}

/* Reads text after the opening quote, as much as fits into `to`; *length is its whole length. */
static bool read_text(struct json_input *r, char *to, size_t room, size_t *length)
{
    char character[4];
    size_t bytes, kept = 0;

    *length = 0;
    while (!is_next(r, '"')) {
        if (r->at == r->end || (unsigned char)*r->at < 0x20)
            return fail(r, "the closing quote of a text");
        if (!read_character(r, character, &bytes))
            return false;
        *length += bytes;
        if (*length >= room)
            continue;
        memcpy(to + kept, character, bytes);
        kept = *length;
    }
    r->at++;
    to[kept] = '\0';
    return true;
}

/* Refuses a kind of value; always false. */
static bool refuse_kind(struct json_input *r, const char *kind)
{
    char expected[JSON_PATH_MAX + 64];

    snprintf(expected, sizeof(expected), "%s for \"%s\"", kind, r->path);
    return fail(r, expected);
}

static bool read_text_value(struct json_input *r)
{
    const struct json_member *member = wanted(r);
    char unwanted[JSON_TEXT_MAX];
    size_t length;

    if (member != NULL && member->text == NULL)
        return refuse_kind(r, "a number or null");
    r->at++;
    if (!read_text(r, member != NULL ? member->text : unwanted, JSON_TEXT_MAX, &length))
        return false;
    if (is_visited(r))
        r->visit(r->context, r->path, unwanted);
    return true;
}

static size_t skip_digits(struct json_input *r)
{
    const char *first = r->at;

    while (r->at < r->end && isdigit((unsigned char)*r->at))
        r->at++;
    return (size_t)(r->at - first);
}

/* Skips a number. True if it is one by RFC 8259. */
static bool skip_number(struct json_input *r)
{
    r->at += is_next(r, '-');
    bool is_zero = is_next(r, '0');
    size_t digits = skip_digits(r);
    if (digits == 0 || (is_zero && digits > 1))
        return false;
    if (is_next(r, '.')) {
        r->at++;
        if (skip_digits(r) == 0)
            return false;
    }
    if (!is_next(r, 'e') && !is_next(r, 'E'))
        return true;
    r->at++;
    r->at += is_next(r, '+') || is_next(r, '-');
    return skip_digits(r) > 0;
}

static bool read_number(struct json_input *r)
{
    const struct json_member *member = wanted(r);
    const char *first = r->at;
    char digits[JSON_DIGITS_MAX];

    if (member != NULL && member->number == NULL)
        return refuse_kind(r, "a text or null");
    if (!skip_number(r))
        return fail(r, "a value");
    size_t length = (size_t)(r->at - first);
    if (member == NULL && !is_visited(r))
        return true;
    if (length >= sizeof(digits))
        return refuse_kind(r, "fewer digits");
    memcpy(digits, first, length);
    digits[length] = '\0';
    if (member == NULL) {
        r->visit(r->context, r->path, digits);
        return true;
    }
    *member->number = strtod(digits, NULL);
    return isfinite(*member->number) || refuse_kind(r, "a smaller number");
}

static bool read_word(struct json_input *r)
{
    static const char *const words[] = {"null", "true", "false"};
    size_t left = (size_t)(r->end - r->at);

    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t length = strlen(words[i]);
        if (left < length || memcmp(r->at, words[i], length) != 0)
            continue;
        if (i > 0 && wanted(r) != NULL)
            return refuse_kind(r, wanted(r)->text != NULL ? "a text or null" : "a number or null");
        r->at += length;
        if (is_visited(r))
            r->visit(r->context, r->path, i > 0 ? words[i] : "");
        return true;
    }
    return fail(r, "a value");
}

/* Adds to the path; returns its length before. */
static size_t descend(struct json_input *r, const char *name, size_t length)
{
    size_t before = r->path_length, dot = before > 0;

    if (before + dot + length < JSON_PATH_MAX) {
        if (dot)
            r->path[before] = '.';
        memcpy(r->path + before + dot, name, length);
        r->path[before + dot + length] = '\0';
        r->path_length = before + dot + length;
    } else {
        r->path_length = JSON_PATH_MAX;
    }
    return before;
}

static void ascend(struct json_input *r, size_t before)
{
    r->path_length = before;
    if (before < JSON_PATH_MAX)
        r->path[before] = '\0';
}

static bool read_member(struct json_input *r)
{
    char name[JSON_PATH_MAX];
    size_t length;

    if (!take_character(r, '"'))
        return fail(r, "a name in quotes");
    if (!read_text(r, name, sizeof(name), &length))
        return false;
    if (!take_character(r, ':'))
        return fail(r, "a colon after a name");
    size_t before = descend(r, name, length);
    bool is_right = read_value(r);
    ascend(r, before);
    return is_right;
}

/* Reads an element of an array; its path cannot be wanted. */
static bool read_element(struct json_input *r)
{
    size_t before = r->path_length;

    r->path_length = JSON_PATH_MAX;
    bool is_right = read_value(r);
    ascend(r, before);
    return is_right;
}

static bool read_all(struct json_input *r, char end, bool read_one(struct json_input *r),
                     const char *why)
{
    if (wanted(r) != NULL)
        return refuse_kind(r, wanted(r)->text != NULL ? "a text or null" : "a number or null");
    r->at++;
    if (++r->depth > JSON_DEPTH_MAX)
        return fail(r, "fewer values in each other");
    if (!take_character(r, end)) {
        do {
            if (!read_one(r))
                return false;
        } while (take_character(r, ','));
        if (!take_character(r, end))
            return fail(r, why);
    }
    r->depth--;
    return true;
}

static bool read_value(struct json_input *r)
{
    skip_blanks(r);
    if (is_next(r, '"'))
        return read_text_value(r);
    if (is_next(r, '{'))
        return read_all(r, '}', read_member, "a comma or a closing brace");
    if (is_next(r, '['))
        return read_all(r, ']', read_element, "a comma or a closing bracket");
    if (is_next(r, '-') || (r->at < r->end && isdigit((unsigned char)*r->at)))
        return read_number(r);
    return read_word(r);
}

static bool read_all_of_it(struct json_input *r, const char *data, size_t length)
{
    r->start = data;
    r->at = data + byte_order_mark(data, length);
    r->end = data + length;
    skip_blanks(r);
    if (!is_next(r, '{'))
        return fail(r, "an opening brace");
    if (!read_value(r))
        return false;
    skip_blanks(r);
    return r->at == r->end || fail(r, "nothing after the closing brace");
}

bool json_read(const char *data, size_t length, const struct json_member *members, size_t count,
               char *error, size_t error_size)
{
    struct json_input r = {
        .wanted = members, .count = count, .error = error, .error_size = error_size};

    for (size_t i = 0; i < count; i++) {
        if (members[i].text != NULL)
            members[i].text[0] = '\0';
        else
            *members[i].number = NAN;
    }
    return read_all_of_it(&r, data, length);
}

bool json_visit(const char *data, size_t length, json_visitor *visit, void *context, char *error,
                size_t error_size)
{
    struct json_input r = {
        .visit = visit, .context = context, .error = error, .error_size = error_size};

    return read_all_of_it(&r, data, length);
}
