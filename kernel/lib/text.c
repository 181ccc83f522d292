/* text: formats into a caller's buffer, printf style. */
#include "text.h"

#include "string.h"

#define DECIMALS_MAX 9
#define DECIMALS_USUAL 6     /* of a %f without precision, as in C */
#define NUMBER_CHARACTERS 32 /* 20 digits, or 19 digits, a point and 9 decimals */
#define NUMBER_DIGITS_MAX 9  /* of a piece's number: it fits 32 bits */
#define COUNT_MAX 9999       /* of a width or precision: a typing error does not pad forever */
#define FIXED_LIMIT 0x1p63   /* larger numbers are not written out */
#define MANTISSA_BITS 52     /* stored ones of a double */
#define EXPONENT_MASK 0x7ff
#define EXPONENT_OF_UNIT 1075 /* a double is mantissa * 2^(exponent - this) */

static const uint64_t power_of_ten[DECIMALS_MAX + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

/* l, ll and z mean the same size. */
_Static_assert(sizeof(long) == sizeof(long long) && sizeof(long) == sizeof(size_t), "64 bits");

struct spec {
    bool left;
    bool zero;
    unsigned width;
    int precision; /* -1: none */
    bool is_long;
};

struct piece piece_of(const char *text)
{
    return (struct piece){text, strlen(text)};
}

bool piece_is(struct piece piece, const char *word)
{
    return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

unsigned piece_place(struct piece piece, const char *const *words)
{
    unsigned place = 0;
    while (words[place] != NULL && !piece_is(piece, words[place]))
        place++;
    return place;
}

bool piece_number(struct piece piece, uint32_t *number)
{
    uint32_t value = 0;
    if (piece.length == 0 || piece.length > NUMBER_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < piece.length; i++) {
        if (piece.at[i] < '0' || piece.at[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(piece.at[i] - '0');
    }
    *number = value;
    return true;
}

bool piece_is_numbered(struct piece piece, const char *word, uint32_t *number)
{
    return piece_take(&piece, word) && !(piece.length > 1 && piece.at[0] == '0') &&
           piece_number(piece, number);
}

static bool is_one_of(char c, const char *characters)
{
    while (*characters != '\0' && *characters != c)
        characters++;
    return *characters != '\0';
}

void piece_drop(struct piece *rest, size_t length)
{
    rest->at += length;
    rest->length -= length;
}

struct piece piece_until(struct piece *rest, const char *ends)
{
    struct piece taken = {rest->at, 0};
    while (taken.length < rest->length && !is_one_of(rest->at[taken.length], ends))
        taken.length++;
    piece_drop(rest, taken.length);
    return taken;
}

bool piece_take(struct piece *rest, const char *word)
{
    size_t length = strlen(word);
    if (rest->length < length || memcmp(rest->at, word, length) != 0)
        return false;
    piece_drop(rest, length);
    return true;
}

void text_init(struct text *text, char *buffer, size_t size)
{
    text->at = buffer;
    text->size = size;
    text_clear(text);
}

void text_clear(struct text *text)
{
    text->at[0] = '\0';
    text->length = 0;
    text->truncated = false;
}

void text_char(struct text *text, char c)
{
    if (text->length + 1 >= text->size) {
        text->truncated = true;
        return;
    }
    text->at[text->length++] = c;
    text->at[text->length] = '\0';
}

static void put_repeated(struct text *text, char c, size_t times)
{
    while (times-- > 0)
        text_char(text, c);
}

/* Puts `sign` (0: none) and `body` into a field of the width asked for. */
static void put_field(struct text *text, const struct spec *spec, char sign, const char *body,
                      size_t length)
{
    size_t used = length + (sign != 0);
    size_t padding = spec->width > used ? spec->width - used : 0;
    if (!spec->left && !spec->zero)
        put_repeated(text, ' ', padding);
    if (sign != 0)
        text_char(text, sign);
    if (!spec->left && spec->zero)
        put_repeated(text, '0', padding);
    for (size_t i = 0; i < length; i++)
        text_char(text, body[i]);
    if (spec->left)
        put_repeated(text, ' ', padding);
}

/* Writes `value` so that it ends before `end`; returns where it starts. */
static char *write_integer(char *end, uint64_t value, unsigned base)
{
    do {
        *--end = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    return end;
}

static void put_integer(struct text *text, const struct spec *spec, char sign, uint64_t magnitude,
                        unsigned base)
{
    char buffer[NUMBER_CHARACTERS], *end = buffer + sizeof buffer;
    char *start = write_integer(end, magnitude, base);
    put_field(text, spec, sign, start, (size_t)(end - start));
}

/*
 * Scales a fraction below 1 by 10^decimals, rounded half up. Exact: the mantissa's 53 bits times
 * 10^9 fit into 128 bits, and the bits shifted out decide.
 */
static uint64_t scale_fraction(double fraction, unsigned decimals)
{
    union {
        double value;
        uint64_t bits;
    } view = {fraction};
    unsigned exponent = (view.bits >> MANTISSA_BITS) & EXPONENT_MASK;
    uint64_t unit = (uint64_t)1 << MANTISSA_BITS;
    unsigned shift = EXPONENT_OF_UNIT - exponent;
    if (exponent == 0 || shift > 120)
        return 0; /* far less than half of the last decimal */
    unsigned __int128 scaled =
        (unsigned __int128)(unit | (view.bits & (unit - 1))) * power_of_ten[decimals];
    return (uint64_t)(scaled >> shift) + ((uint64_t)(scaled >> (shift - 1)) & 1);
}

static void put_fixed(struct text *text, struct spec *spec, double value)
{
    char buffer[NUMBER_CHARACTERS], *end = buffer + sizeof buffer, *start = end;
    unsigned decimals = spec->precision < 0 ? DECIMALS_USUAL : (unsigned)spec->precision;
    char sign = __builtin_signbit(value) ? '-' : 0;
    double magnitude = sign ? -value : value;

    if (!(magnitude < FIXED_LIMIT)) {
        bool is_nan = value != value;
        spec->zero = false;
        put_field(text, spec, is_nan ? 0 : sign, is_nan ? "nan" : "inf", 3);
        return;
    }
    if (decimals > DECIMALS_MAX)
        decimals = DECIMALS_MAX;
    uint64_t whole = (uint64_t)magnitude;
    uint64_t fraction = scale_fraction(magnitude - (double)whole, decimals);
    if (fraction >= power_of_ten[decimals]) {
        fraction -= power_of_ten[decimals];
        whole++;
    }
    if (decimals > 0) {
        start = write_integer(end, fraction, 10);
        while (end - start < (ptrdiff_t)decimals)
            *--start = '0';
        *--start = '.';
    }
    start = write_integer(start, whole, 10);
    put_field(text, spec, sign, start, (size_t)(end - start));
}

static void put_string(struct text *text, struct spec *spec, const char *string)
{
    size_t length = 0;
    if (string == NULL)
        string = "(null)";
    /* a precision allows text without a NUL */
    while ((spec->precision < 0 || length < (size_t)spec->precision) && string[length] != '\0')
        length++;
    spec->zero = false;
    put_field(text, spec, 0, string, length);
}

static int read_count(const char **format)
{
    int count = 0;
    for (; **format >= '0' && **format <= '9'; (*format)++)
        if (count <= COUNT_MAX)
            count = count * 10 + (**format - '0');
    return count <= COUNT_MAX ? count : COUNT_MAX;
}

/* Reads what stands between '%' and the letter; returns where the letter is. */
static const char *read_spec(const char *format, struct spec *spec, va_list *arguments)
{
    *spec = (struct spec){.precision = -1};
    for (; *format == '-' || *format == '0'; format++) {
        spec->left |= *format == '-';
        spec->zero |= *format == '0';
    }
    spec->width = (unsigned)read_count(&format);
    if (*format == '.') {
        format++;
        if (*format == '*') {
            format++;
            spec->precision = va_arg(*arguments, int);
        } else {
            spec->precision = read_count(&format);
        }
    }
    for (; *format == 'z' || *format == 'l'; format++)
        spec->is_long = true;
    return format;
}

/* Puts one argument. False: not a letter known here. */
static bool put_argument(struct text *text, char letter, struct spec *spec, va_list *arguments)
{
    int64_t number;
    uint64_t bits;
    char c;
    switch (letter) {
    case '%':
        text_char(text, '%');
        return true;
    case 'c':
        c = (char)va_arg(*arguments, int);
        spec->zero = false;
        put_field(text, spec, 0, &c, 1);
        return true;
    case 's':
        put_string(text, spec, va_arg(*arguments, const char *));
        return true;
    case 'd':
        number = spec->is_long ? va_arg(*arguments, long) : va_arg(*arguments, int);
        put_integer(text, spec, number < 0 ? '-' : 0,
                    number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
        return true;
    case 'u':
    case 'x':
        bits = spec->is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
        put_integer(text, spec, 0, bits, letter == 'x' ? 16 : 10);
        return true;
    case 'f':
        put_fixed(text, spec, va_arg(*arguments, double));
        return true;
    default:
        return false;
    }
}

void text_vprintf(struct text *text, const char *format, va_list list)
{
    va_list arguments; /* a copy: as a parameter it may be a pointer, whose address is no list's */
    va_copy(arguments, list);
    while (*format != '\0') {
        struct spec spec;
        const char *start = format;
        if (*format != '%') {
            text_char(text, *format++);
            continue;
        }
        format = read_spec(format + 1, &spec, &arguments);
        if (*format == '\0' || !put_argument(text, *format, &spec, &arguments)) {
            /* the types of the remaining arguments are unknown now: show the format instead */
            while (*start != '\0')
                text_char(text, *start++);
            break;
        }
        format++;
    }
    va_end(arguments);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_vprintf(text, format, list);
    va_end(list);
}

char *text_write(char *buffer, size_t size, const char *format, ...)
{
    struct text text;
    va_list list;
    text_init(&text, buffer, size);
    va_start(list, format);
    text_vprintf(&text, format, list);
    va_end(list);
    return buffer;
}

const char *size_text(char buffer[SIZE_TEXT_MAX], uint64_t bytes)
{
    static const char *const units[] = {"", "k", "m", "g"};
    unsigned unit = 0;
    for (; unit < 3 && bytes != 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    return text_write(buffer, SIZE_TEXT_MAX, "%lu%s", (unsigned long)bytes, units[unit]);
}

void text_number(struct text *text, double value, unsigned decimals)
{
    struct text number = TEXT_OF(NUMBER_CHARACTERS + 1);
    text_printf(&number, "%.*f", (int)decimals, value);
    struct piece fraction = {number.at, number.length};
    piece_until(&fraction, ".");
    for (size_t left = fraction.length; left > 0 && number.at[number.length - 1] == '0'; left--)
        number.length--;
    number.length -= fraction.length > 0 && number.at[number.length - 1] == '.';
    number.at[number.length] = '\0';
    text_printf(text, "%s", strcmp(number.at, "-0") == 0 ? "0" : number.at);
}
