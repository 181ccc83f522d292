/* test_text: formatting, against libc's where both agree, and by table where they do not. */
#include <float.h>
#include <limits.h>

#include "../../kernel/lib/text.h"
#include "kit.h"

#define ROOM 512
#define RANDOM_VALUES 200000

static char seen_buffer[ROOM], expected[ROOM];
static struct text seen;

SETUP_ALL(start)
{
    text_init(&seen, seen_buffer, sizeof seen_buffer);
}

/* The same call to both must give the same text. */
#define ASSERT_AS_LIBC(...)                                                                        \
    do {                                                                                           \
        text_clear(&seen);                                                                         \
        text_printf(&seen, __VA_ARGS__);                                                           \
        snprintf(expected, sizeof expected, __VA_ARGS__);                                          \
        assert_string_equal(seen.at, expected);                                                    \
        assert_int_equal(seen.length, strlen(expected));                                           \
        assert_false(seen.truncated);                                                              \
    } while (0)

#define ASSERT_TEXT(wanted, ...)                                                                   \
    do {                                                                                           \
        text_clear(&seen);                                                                         \
        text_printf(&seen, __VA_ARGS__);                                                           \
        assert_string_equal(seen.at, wanted);                                                      \
    } while (0)

/* Any bits, but all sizes alike: shifted right by a random amount. */
static uint64_t random_bits(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> (state * 0x9e3779b97f4a7c15u >> 58);
}

TEST(plain)
{
    ASSERT_AS_LIBC("%s", "");
    ASSERT_AS_LIBC("plain");
    ASSERT_AS_LIBC("100%% of %c%c", 'a', 'b');
    ASSERT_AS_LIBC("%s,%d,%s,%u", "one", -2, "three", 4u);
    ASSERT_AS_LIBC("[%5c][%-5c]", 'x', 'y');
}

TEST(strings)
{
    const char *volatile null = NULL; /* volatile: the compiler may not warn of it */
    static const char unterminated[3] = {'a', 'b', 'c'};
    ASSERT_AS_LIBC("[%s][%10s][%-10s][%2s]", "word", "word", "word", "word");
    ASSERT_AS_LIBC("[%.0s][%.2s][%.9s][%.s]", "word", "word", "word", "word");
    ASSERT_AS_LIBC("[%6.2s][%-6.2s]", "word", "word");
    ASSERT_AS_LIBC("[%.*s][%.*s][%.*s]", 3, "word", 0, "word", -1, "word");
    ASSERT_AS_LIBC("%.*s", 3, unterminated);
    ASSERT_TEXT("[(null)]", "[%s]", null);
}

static void check_integers(uint64_t bits)
{
    int i = (int)bits;
    long long ll = (long long)bits;
    unsigned u = (unsigned)bits;
    unsigned long long ull = bits;
    ASSERT_AS_LIBC("%d %u %x", i, u, u);
    ASSERT_AS_LIBC("%lld %llu %llx", ll, ull, ull);
    ASSERT_AS_LIBC("%ld %lu %lx", (long)ll, (unsigned long)ull, (unsigned long)ull);
    ASSERT_AS_LIBC("%zu %zx %zd", (size_t)ull, (size_t)ull, (ptrdiff_t)ll);
    ASSERT_AS_LIBC("[%12d][%-12d][%012d][%3d]", i, i, i, i);
    ASSERT_AS_LIBC("[%20llx][%-20llx][%020llu]", ull, ull, ull);
}

TEST(integers)
{
    static const uint64_t edges[] = {
        0,         1,          9,  10,  UINT64_MAX, INT_MAX,    UINT_MAX,          1ull << 31,
        INT64_MAX, 1ull << 63, 99, 100, 1ull << 32, 0xdeadbeef, (uint64_t)INT_MIN,
    };
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        check_integers(edges[i]);
    for (unsigned i = 0; i < RANDOM_VALUES / 10; i++)
        check_integers(random_bits());
    ASSERT_AS_LIBC("[%05d][%05d][%1d]", 42, -42, -42);
}

/*
 * Whether a value lies exactly half way between two texts; there libc rounds to even, we away.
 * Such values have at most 10 binary places.
 */
static bool is_tie(double value, int decimals)
{
    static const long double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double whole, units = modf(fabs(value), &whole) * 1024;
    long double scaled = units * power[decimals] / 1024;
    return units == floor(units) && scaled - floorl(scaled) == 0.5L;
}

static void check_double(double value)
{
    for (int decimals = 0; decimals <= 9; decimals++)
        if (!is_tie(value, decimals))
            ASSERT_AS_LIBC("%.*f", decimals, value);
    if (!is_tie(value, 9))
        ASSERT_AS_LIBC("[%30.9f][%-30.9f][%030.9f]", value, value, value);
}

TEST(doubles)
{
    static const double edges[] = {
        0.0,
        -0.0,
        1,
        -1,
        0.1,
        0.3,
        1.005,
        2.675,
        0.999,
        0.9999999,
        0.999999999,
        9.9999e-10,
        4.9e-10,
        5.1e-10,
        1e-300,
        DBL_MIN,
        DBL_TRUE_MIN,
        1e15,
        1e18,
        9.2e18,
        123456789.987654321,
        1.0 / 3.0,
        2.0 / 3.0,
        4503599627370495.5,
        9007199254740993.0,
        9223372036854774784.0,
    };
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        check_double(edges[i]);
        check_double(-edges[i]);
    }
    for (unsigned i = 0; i < RANDOM_VALUES; i++) {
        double value = ldexp((double)random_bits(), -(int)(random_bits() % 100));
        if (value < 0x1p63)
            check_double(i % 2 ? value : -value);
    }
    ASSERT_AS_LIBC("%f %f", 0.1, 12345.678901);
}

TEST(double_ties_round_away_from_zero)
{
    ASSERT_TEXT("1 2 3 -1 -3", "%.0f %.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, -0.5, -2.5);
    ASSERT_TEXT("0.13 0.38 -0.13", "%.2f %.2f %.2f", 0.125, 0.375, -0.125);
    ASSERT_TEXT("0.000976563", "%.9f", 0x1p-10); /* 0.0009765625 */
    ASSERT_TEXT("10 1000.0", "%.0f %.1f", 9.5, 999.95000000000004547);
}

TEST(double_outside)
{
    ASSERT_TEXT("inf -inf nan", "%f %f %.2f", INFINITY, -INFINITY, NAN);
    ASSERT_TEXT("inf -inf", "%.1f %.1f", 0x1p63, -0x1p63);
    ASSERT_TEXT("nan", "%f", -NAN);
    ASSERT_TEXT("[  inf][-inf ]", "[%05f][%-5f]", INFINITY, -INFINITY);
    ASSERT_TEXT("0.333333333", "%.12f", 1.0 / 3.0); /* at most 9 decimals */
}

/* What is not understood is shown, not guessed: the arguments after it are unknown. */
TEST(unknown_letters)
{
    static const struct {
        const char *format, *wanted;
    } cases[] = {
        {"a %q b", "a %q b"},   {"%", "%"},     {"5 %", "5 %"},        {"%5", "%5"},
        {"%-08.3q", "%-08.3q"}, {"%ll", "%ll"}, {"x%d%q%d", "x7%q%d"},
    };
    for (EACH(c, cases)) {
        const char *volatile format = c->format; /* these formats are wrong on purpose */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
        ASSERT_TEXT(c->wanted, format, 7);
#pragma GCC diagnostic pop
    }
}

TEST(truncation)
{
    char buffer[ROOM];
    struct text text;
    for (size_t size = 1; size < 20; size++) {
        memset(buffer, '!', sizeof buffer);
        text_init(&text, buffer, size);
        text_printf(&text, "%s-%05d", "abcde", 12);
        snprintf(expected, size, "%s-%05d", "abcde", 12);
        assert_string_equal(buffer, expected);
        assert_numbers((text.length, text.truncated), (strlen(expected), size < 12));
        assert_int_equal(buffer[size], '!');
    }
    text_clear(&text);
    assert_int_equal(text.length, 0);
    assert_false(text.truncated);
    assert_string_equal(buffer, "");
}

/* A slip in a width must not keep the machine busy for minutes. */
TEST(huge_width)
{
    char buffer[8];
    struct text text;
    const char *volatile format = "%99999999999999999999d";
    text_init(&text, buffer, sizeof buffer);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    text_printf(&text, format, 1);
#pragma GCC diagnostic pop
    assert_string_equal(buffer, "       ");
    assert_true(text.truncated);
}

TEST(appending)
{
    text_clear(&seen);
    text_char(&seen, 'a');
    text_printf(&seen, "%d", 1);
    text_number(&seen, 2.5, 3);
    text_char(&seen, 'z');
    assert_string_equal(seen.at, "a12.5z");
    assert_int_equal(seen.length, 6);
}

TEST(number)
{
    static const struct {
        double value;
        unsigned decimals;
        const char *wanted;
    } cases[] = {
        {412.5, 3, "412.5"},
        {496, 3, "496"},
        {496, 0, "496"},
        {0, 9, "0"},
        {-0.0, 2, "0"},
        {-0.001, 2, "0"},
        {-0.005, 3, "-0.005"},
        {1000, 2, "1000"},
        {100.10, 2, "100.1"},
        {0.0005, 6, "0.0005"},
        {0.125, 2, "0.13"},
        {1e18, 3, "1000000000000000000"},
        {NAN, 3, "nan"},
        {INFINITY, 3, "inf"},
        {-INFINITY, 0, "-inf"},
        {99.999, 2, "100"},
        {1.0 / 3, 40, "0.333333333"},
        {10, 0, "10"},
        {-20, 1, "-20"},
    };
    for (EACH(c, cases)) {
        text_clear(&seen);
        text_number(&seen, c->value, c->decimals);
        assert_string_equal(seen.at, c->wanted);
    }
}

TEST(what_is_before_a_character_is_taken)
{
    struct piece rest = {"a=b\0c;d", 7};
    assert_true(piece_is(piece_until(&rest, ";="), "a"));
    assert_false(piece_take(&rest, ";"));
    assert_true(piece_take(&rest, "="));
    struct piece taken = piece_until(&rest, ";"); /* a NUL ends nothing */
    assert_int_equal(taken.length, 3);
    assert_memory_equal(taken.at, "b\0c", 3);
    assert_true(piece_is(rest, ";d"));
    assert_true(piece_is(piece_until(&rest, ";"), ""));
    assert_true(piece_is(piece_until(&rest, ""), ";d"));
    assert_int_equal(rest.length, 0);
    assert_false(piece_take(&rest, ";"));
    rest = piece_of("word");
    piece_drop(&rest, 3);
    assert_true(piece_is(rest, "d"));
    piece_drop(&rest, 1);
    assert_int_equal(rest.length, 0);
    assert_true(piece_is(piece_until(&rest, "="), ""));
}
