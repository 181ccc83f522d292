/* value: the parsers of one configuration value, one for each kind, and what each accepts. */
#include "value.h"

#include "../data/case.h"
#include "../lib/url.h"
#include "../lib/utf8.h"

#define SHOWN_MAX 60       /* characters of somebody's text in a message */
#define FRACTION_DIGITS 10 /* with these, comparing a fraction to its limits fits 64 bits */
#define MILLION 1000000
#define RANGES "; ranges a-b, a-b/step, a-b*factor"

struct number {
    struct piece text;
    uint64_t value;
    bool too_large; /* for 64 bits; `value` means nothing */
};

/* first-last/by or first-last*by; a single number is a range from itself to itself. */
struct range {
    struct number first, last, by;
    bool multiplies;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* Takes the next blank-separated word off the front; an empty one where there is no more. */
static struct piece take_word(struct piece *piece)
{
    *piece = piece_trim(*piece);
    return piece_until(piece, " \t");
}

struct piece piece_trim(struct piece piece)
{
    while (piece.length > 0 && is_blank(piece.at[0]))
        piece_drop(&piece, 1);
    while (piece.length > 0 && is_blank(piece.at[piece.length - 1]))
        piece.length--;
    return piece;
}

void piece_show(struct text *text, struct piece piece)
{
    size_t shown = piece.length <= SHOWN_MAX ? piece.length : SHOWN_MAX;
    for (size_t i = 0; i < shown; i++)
        text_char(text, is_printable(piece.at[i]) ? piece.at[i] : '?');
    if (shown < piece.length)
        text_printf(text, "...");
}

/* Says why a value is refused: a part of it, and what is wrong with that part. */
static bool refuse(struct text *reason, struct piece part, const char *why)
{
    piece_show(reason, part);
    text_printf(reason, " %s", why);
    return false;
}

/* Takes digits and, where `sized`, one of k, m, g off the front. False: no digit there. */
static bool take_number(struct piece *rest, bool sized, struct number *number)
{
    static const char *const suffixes[][2] = {{"k", "K"}, {"m", "M"}, {"g", "G"}};
    *number = (struct number){.text = {rest->at, 0}};
    while (rest->length > 0 && is_digit(rest->at[0])) {
        uint64_t digit = (uint64_t)(rest->at[0] - '0');
        number->too_large |= __builtin_mul_overflow(number->value, 10, &number->value);
        number->too_large |= __builtin_add_overflow(number->value, digit, &number->value);
        piece_drop(rest, 1);
    }
    if (rest->at == number->text.at)
        return false;
    for (unsigned i = 0; sized && i < 3; i++)
        if (piece_take(rest, suffixes[i][0]) || piece_take(rest, suffixes[i][1])) {
            uint64_t unit = 1024ull << 10 * i;
            number->too_large |= __builtin_mul_overflow(number->value, unit, &number->value);
            break;
        }
    number->text.length = (size_t)(rest->at - number->text.at);
    return true;
}

static bool is_within(const struct config_key *key, const struct number *number)
{
    return !number->too_large && number->value >= key->min && number->value <= key->max;
}

static bool read_number(const struct config_key *key, struct piece value, void *field,
                        struct text *reason)
{
    bool power = key->kind == CONFIG_POWER, sized = power || key->kind == CONFIG_SIZE;
    struct piece rest = value;
    struct number number;
    if (!take_number(&rest, sized, &number) || rest.length > 0)
        return refuse(reason, value, sized ? "is not a size" : "is not a number");
    if (!is_within(key, &number))
        return refuse(reason, value, "is out of range");
    if (power && (number.value & (number.value - 1)) != 0)
        return refuse(reason, value, "is not a power of two");
    *(uint64_t *)field = number.value;
    return true;
}

/* Reads digits, perhaps a point and more digits, perhaps a percent sign. */
static bool read_fraction(const struct config_key *key, struct piece value, void *field,
                          struct text *reason)
{
    struct piece rest = value;
    struct number whole, decimals = {0};
    uint64_t mantissa, scale = 1;
    if (!take_number(&rest, false, &whole) ||
        (piece_take(&rest, ".") && !take_number(&rest, false, &decimals)))
        return refuse(reason, value, "is not a fraction");
    if (piece_take(&rest, "%"))
        scale = 100;
    if (rest.length > 0)
        return refuse(reason, value, "is not a fraction");
    if (whole.text.length + decimals.text.length > FRACTION_DIGITS)
        return refuse(reason, value, "has too many digits");
    mantissa = whole.value;
    for (size_t i = 0; i < decimals.text.length; i++) {
        mantissa *= 10;
        scale *= 10;
    }
    mantissa += decimals.value;
    if (mantissa * MILLION < key->min * scale || mantissa * MILLION > key->max * scale)
        return refuse(reason, value, "is out of range");
    *(double *)field = (double)mantissa / (double)scale;
    return true;
}

/* Reads a, a-b, a-b/step or a-b*factor. False: written otherwise. */
static bool read_range(struct piece item, struct range *range)
{
    *range = (struct range){.by = {.value = 1}};
    if (!take_number(&item, true, &range->first))
        return false;
    range->last = range->first;
    if (piece_take(&item, "-")) {
        if (!take_number(&item, true, &range->last))
            return false;
        range->multiplies = piece_take(&item, "*");
        if ((range->multiplies || piece_take(&item, "/")) && !take_number(&item, true, &range->by))
            return false;
    }
    return item.length == 0;
}

static bool check_range(const struct config_key *key, struct piece item, const struct range *range,
                        struct text *reason)
{
    const struct number *wrong = !is_within(key, &range->first)  ? &range->first
                                 : !is_within(key, &range->last) ? &range->last
                                 : range->by.too_large           ? &range->by
                                                                 : NULL;
    if (wrong != NULL)
        return refuse(reason, wrong->text, "is out of range");
    if (range->first.value > range->last.value)
        return refuse(reason, item, "runs backwards");
    if (range->by.value == 0 && !range->multiplies)
        return refuse(reason, item, "has a step of 0");
    if (range->by.value < 2 && range->multiplies)
        return refuse(reason, item, "has a factor below 2");
    if (range->first.value == 0 && range->multiplies)
        return refuse(reason, item, "starts at 0, which no factor changes");
    return true;
}

/* Counts a range's numbers. A list's limits are far below 2^64: sums and steps do not overflow. */
static uint64_t range_count(const struct range *range)
{
    uint64_t first = range->first.value, last = range->last.value, by = range->by.value, count = 1;
    if (!range->multiplies)
        return (last - first) / by + 1;
    for (uint64_t value = first; value <= last / by; value *= by)
        count++;
    return count;
}

/* Adds a number, unless it is listed already: each is a point to measure. */
static bool add_number(struct config_list *list, uint64_t value, struct text *reason)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == value) {
            text_printf(reason, "%llu is listed twice", (unsigned long long)value);
            return false;
        }
    list->value[list->count++] = value;
    return true;
}

static bool add_range(struct config_list *list, const struct range *range, struct text *reason)
{
    uint64_t value = range->first.value, by = range->by.value;
    for (uint64_t left = range_count(range); left > 0; left--) {
        if (!add_number(list, value, reason))
            return false;
        value = range->multiplies ? value * by : value + by;
    }
    return true;
}

/* Counts on where no more numbers fit: an error names the length of any list. */
static bool read_numbers(const struct config_key *key, struct piece value, void *field,
                         struct text *reason)
{
    struct config_list *list = field;
    uint64_t count = 0;
    struct piece item;
    struct range range;
    list->count = 0;
    while (item = take_word(&value), item.length > 0) {
        if (!read_range(item, &range))
            return refuse(reason, item, "is neither a number nor a range");
        if (!check_range(key, item, &range, reason))
            return false;
        count += range_count(&range);
        if (count <= CONFIG_LIST_MAX && !add_range(list, &range, reason))
            return false;
    }
    if (count > CONFIG_LIST_MAX)
        text_printf(reason, "%llu numbers are too many", (unsigned long long)count);
    return count <= CONFIG_LIST_MAX;
}

static bool read_word(const struct config_key *key, struct piece value, void *field,
                      struct text *reason)
{
    unsigned index = piece_place(value, key->words);
    if (key->words[index] == NULL)
        return refuse(reason, value, "is not known");
    *(uint32_t *)field = index;
    return true;
}

static bool read_word_list(const struct config_key *key, struct piece value, void *field,
                           struct text *reason)
{
    struct config_choices *choices = field;
    struct piece word;
    choices->count = 0;
    while (word = take_word(&value), word.length > 0) {
        unsigned index = piece_place(word, key->words);
        if (key->words[index] == NULL)
            return refuse(reason, word,
                          word.at[word.length - 1] == ',' ? "has a comma: blanks part a list"
                                                          : "is not known");
        for (uint32_t i = 0; i < choices->count; i++)
            if (choices->index[i] == index)
                return refuse(reason, word, "is listed twice");
        if (choices->count == CONFIG_CHOICES_MAX)
            return refuse(reason, word, "is one word too many");
        choices->index[choices->count++] = (uint8_t)index;
    }
    return true;
}

static bool read_text(const struct config_key *key, struct piece value, void *field,
                      struct text *reason)
{
    (void)reason;
    text_write(field, key->bytes, "%.*s", (int)value.length, value.at);
    return true;
}

static bool read_slug(const struct config_key *key, struct piece value, void *field,
                      struct text *reason)
{
    char *slug = field;
    struct piece taken;
    (void)key;
    if (value.length > CONFIG_SLUG_MAX)
        return refuse(reason, value, "is too long");
    for (size_t i = 0; i < value.length; i++) {
        char c = value.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
            return refuse(reason, value, "has other characters");
        slug[i] = c;
    }
    slug[value.length] = '\0';
    taken.at = case_reserved_word(slug, &taken.length);
    if (taken.at != NULL)
        return refuse(reason, taken, "already has a meaning in the names of cases");
    return true;
}

static bool read_core(const struct config_key *key, struct piece value, void *field,
                      struct text *reason)
{
    (void)key;
    return core_choice_read(value, field) || refuse(reason, value, "is not known");
}

static bool read_url(const struct config_key *key, struct piece value, void *field,
                     struct text *reason)
{
    struct url url;
    const char *why = value.length > 0 ? url_read(value, &url) : NULL;
    return why == NULL ? read_text(key, value, field, reason) : refuse(reason, value, why);
}

static void put_limit(struct text *text, const struct config_key *key, uint64_t limit)
{
    char size[SIZE_TEXT_MAX];
    if (key->kind == CONFIG_FRACTION)
        text_number(text, (double)limit / MILLION, 6);
    else if (key->kind == CONFIG_NUMBER || key->kind == CONFIG_NUMBERS)
        text_printf(text, "%lu", limit);
    else
        text_printf(text, "%s", size_text(size, limit));
}

/* Adds the limits, and the longest list if they allow more different numbers. */
static void accept_limits(const struct config_key *key, struct text *text)
{
    text_printf(text, " from ");
    put_limit(text, key, key->min);
    text_printf(text, " to ");
    put_limit(text, key, key->max);
    if (key->kind != CONFIG_NUMBERS && key->kind != CONFIG_SIZES)
        return;
    text_printf(text, ", blank-separated");
    if (key->max - key->min >= CONFIG_LIST_MAX)
        text_printf(text, ", %u at most", CONFIG_LIST_MAX);
}

static void accept_word(const struct config_key *key, struct text *text)
{
    for (size_t i = 0; key->words[i] != NULL; i++)
        text_printf(text, "%s%s", i == 0 ? "" : ", ", key->words[i]);
}

static void accept_length(const struct config_key *key, struct text *text)
{
    text_printf(text, "%u", key->bytes - 1);
}

static const struct {
    bool (*read)(const struct config_key *key, struct piece value, void *field,
                 struct text *reason);
    const char *what; /* is accepted; then what depends on the key, or NULL; then the rest */
    void (*accepted)(const struct config_key *key, struct text *text);
    const char *rest;
} kinds[] = {
    [CONFIG_NUMBER] = {read_number, "a number", accept_limits, ""},
    [CONFIG_SIZE] = {read_number, "a size in bytes, or with k, m, g,", accept_limits, ""},
    [CONFIG_POWER] = {read_number, "a power of two in bytes, or with k, m, g,", accept_limits, ""},
    [CONFIG_FRACTION] = {read_fraction, "a fraction", accept_limits, ", or with %"},
    [CONFIG_NUMBERS] = {read_numbers, "numbers", accept_limits, RANGES},
    [CONFIG_SIZES] = {read_numbers, "sizes", accept_limits, RANGES},
    [CONFIG_WORD] = {read_word, "", accept_word, ""},
    [CONFIG_WORDS] = {read_word_list, "any of ", accept_word, ", blank-separated"},
    [CONFIG_TEXT] = {read_text, "up to ", accept_length, " bytes of text in UTF-8"},
    [CONFIG_URL] = {read_url,
                    "http://, https:// or tftp://, a server, a port if need be, and a path", NULL,
                    ""},
    [CONFIG_CORE] = {read_core, "boot, p, e, all, an APIC id, or node with a number", NULL, ""},
    [CONFIG_SLUG] = {read_slug, "up to ", accept_length,
                     " small letters, digits and dashes, but no word that mlpboot itself adds"},
};

/* Returns the length of the rest's first character; 0: values of that kind must not contain it. */
static size_t readable(const struct config_key *key, struct piece rest)
{
    if (is_blank(rest.at[0]))
        return 1;
    return key->kind == CONFIG_TEXT ? utf8_printable(rest.at, rest.length)
                                    : is_printable(rest.at[0]);
}

static bool may_be_empty(enum config_kind kind)
{
    return kind == CONFIG_TEXT || kind == CONFIG_SLUG || kind == CONFIG_URL;
}

/* Adds the value as it was meant, where all that is wrong are blanks before a unit, or units that a
 * value is written without: 64MB, 5s, 1 %. The field is void. */
static void suggest(const struct config_key *key, struct piece value, void *field,
                    struct text *reason)
{
    struct text meant = TEXT_OF(CONFIG_VALUE_MAX + 1), none = TEXT_OF(1);
    for (size_t i = 0; i < value.length; i++) {
        char c = is_blank(value.at[i]) ? ' ' : (char)(value.at[i] | ' ');
        bool is_unit = c == 'b' || c == 'i' || c == 's';
        /* the last character is no blank: values are trimmed */
        if (!is_unit && (c != ' ' || is_digit(value.at[i + 1])))
            text_char(&meant, c);
    }
    if (meant.length < value.length && kinds[key->kind].read(key, piece_of(meant.at), field, &none))
        text_printf(reason, "; write %s", meant.at);
}

bool value_read(const struct config_key *key, struct piece value, void *field, struct text *reason)
{
    if (value.length == 0 && !may_be_empty(key->kind)) {
        text_printf(reason, "the value is missing");
        return false;
    }
    if (value.length > CONFIG_VALUE_MAX) {
        text_printf(reason, "longer than %u characters", CONFIG_VALUE_MAX);
        return false;
    }
    for (size_t i = 0; i < value.length;) {
        size_t length = readable(key, (struct piece){value.at + i, value.length - i});
        if (length == 0) {
            text_printf(reason, "byte 0x%02x is not %s", (unsigned char)value.at[i],
                        key->kind == CONFIG_TEXT ? "printable UTF-8" : "plain ASCII");
            return false;
        }
        i += length;
    }
    bool is_right = kinds[key->kind].read(key, value, field, reason);
    if (!is_right && key->kind <= CONFIG_SIZES)
        suggest(key, value, field, reason);
    return is_right;
}

void value_accepted(const struct config_key *key, struct text *text)
{
    text_printf(text, "%s", kinds[key->kind].what);
    if (kinds[key->kind].accepted != NULL)
        kinds[key->kind].accepted(key, text);
    text_printf(text, "%s", kinds[key->kind].rest);
}
