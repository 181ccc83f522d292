/* test_elements: any bytes, in pieces of any length, come out of a page's elements whole. */
#include "../../kernel/lib/utf8.h"
#include "../../kernel/report/elements.h"
#include "kit.h"

#define BEGIN "\n<script type=\"application/json\" class=\"file\">"
#define END "</script>"
#define OVERHEAD 8192 /* that the contract asks for */
#define HOSTILE                                                                                    \
    "</script><b>\"quoted\"</b><!-- \\ \\u003c \\n \x01\x1f\x7f \r\n\t\b\f ]]> <script> &lt; "     \
    "'\xc2\xb5-Lab Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x92\xa9 \xe2\x80\xa8"

static char memory[OVERHEAD + 65536], joined[1 << 20];
static size_t joined_length;
static unsigned elements, anew;

SETUP(start)
{
    joined_length = elements = anew = 0;
}

static unsigned hex(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
    char *end;
    unsigned value = (unsigned)strtoul(digits, &end, 16);
    assert_ptr_equal(end, digits + 4);
    return value;
}

/* One character of a JSON text as elements write it; returns what stands behind it. */
static const char *decode(const char *at, char *to)
{
    *to = *at;
    if (*at != '\\')
        return at + 1;
    if (at[1] == 'u') {
        *to = (char)hex(at + 2);
        assert_in_range((unsigned char)*to, 0, 0x7f);
        return at + 6;
    }
    assert_non_null(strchr("n\"\\", at[1]));
    *to = at[1] == 'n' ? '\n' : at[1];
    return at + 2;
}

/* The text between two quotes, added to `to`; returns what stands behind it. */
static const char *take_text(const char *at, char *to, size_t *length)
{
    assert_int_equal(*at++, '"');
    while (*at != '"') {
        assert_in_range((unsigned char)*at, 0x20, 0xff);
        at = decode(at, to + (*length)++);
    }
    return at + 1;
}

static const char *take(const char *at, const char *words)
{
    assert_memory_equal(at, words, strlen(words));
    return at + strlen(words);
}

/* A member whose text has to be that. */
static const char *take_member(const char *at, const char *name, const char *wanted)
{
    char text[1024];
    size_t length = 0;
    at = take_text(take(at, name), text, &length);
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(text, wanted, length);
    return at;
}

/* An element is nothing but what the format says, and nothing in it can end it. */
static void take_element(const struct text *text, const struct element *part)
{
    const char *at = take(text->at, BEGIN "{");
    assert_false(text->truncated);
    assert_int_equal(strlen(text->at), text->length);
    assert_null(strpbrk(at, "\r\n"));
    assert_string_equal(strchr(at, '<'), END);
    at = take_member(at, "\"run\":", part->run);
    at = take_member(at, ",\"file\":", part->file);
    at = take_member(at, ",\"how\":", part->starts_anew ? "replace" : "append");
    at = take_text(take(at, ",\"text\":"), joined, &joined_length);
    assert_string_equal(at, "}" END);
    elements++;
    anew += part->starts_anew;
}

static bool is_utf8 = true; /* what is put */

/* All of it through a buffer of that size. */
static void put(struct element part, const char *data, size_t length, size_t size)
{
    struct text text;
    text_init(&text, memory, size);
    for (size_t done = 0, taken; done < length || part.starts_anew; part.starts_anew = false) {
        taken = element_make(&text, &part, data + done, length - done);
        assert_true(taken > 0 || length == 0);
        done += taken;
        take_element(&text, &part);
        if (is_utf8 && done < length) /* no character is broken */
            assert_int_equal(utf8_whole(data, done), done);
    }
}

static void assert_joined(const char *data, size_t length)
{
    assert_int_equal(joined_length, length);
    assert_memory_equal(joined, data, length);
}

static const struct element results = {"0007", "results.csv", false};

TEST(as_the_format_says)
{
    struct text text;
    text_init(&text, memory, sizeof memory);
    assert_int_equal(element_make(&text, &results, "a,b\n1,\"<\"\n", 10), 10);
    assert_string_equal(text.at,
                        BEGIN "{\"run\":\"0007\",\"file\":\"results.csv\",\"how\":\"append\","
                              "\"text\":\"a,b\\n1,\\\"\\u003c\\\"\\n\"}" END);
}

TEST(hostile_texts_and_names)
{
    put(results, HOSTILE, sizeof HOSTILE, sizeof memory); /* its NUL, too */
    assert_joined(HOSTILE, sizeof HOSTILE);
    assert_int_equal(elements, 1);
    put((struct element){HOSTILE, HOSTILE, true}, "x", 1, sizeof memory);
    assert_int_equal(anew, 1);
}

TEST(an_empty_file_that_starts_anew_is_told)
{
    put(results, "", 0, sizeof memory);
    assert_int_equal(elements, 0);
    put((struct element){"0007", "run.json", true}, "", 0, sizeof memory);
    assert_numbers((elements, anew), (1, 1));
    assert_joined("", 0);
}

TEST(only_the_first_piece_starts_anew)
{
    static char data[200000];
    memset(data, '<', sizeof data);
    put((struct element){"0007", "run.json", true}, data, sizeof data, sizeof memory);
    assert_joined(data, sizeof data);
    assert_in_range(elements, 10, 20);
    assert_int_equal(anew, 1);
}

/* The break moves through every place between and inside of characters of each length. */
TEST(no_break_inside_a_character)
{
    static const char *const characters[] = {"x",        "\n",           "<",
                                             "\xc2\xb5", "\xe2\x82\xac", "\xf0\x9f\x92\xa9"};
    static char data[20000];
    for (unsigned i = 0; i < sizeof characters / sizeof *characters; i++)
        for (unsigned shift = 0; shift < 16; shift++) {
            size_t length = shift, each = strlen(characters[i]);
            start();
            memset(data, 'a', shift);
            for (; length + each <= sizeof data; length += each)
                memcpy(data + length, characters[i], each);
            put(results, data, length, OVERHEAD);
            assert_joined(data, length);
            assert_in_range(elements, 2, 16);
        }
}

/* What is no UTF-8 passes as it is, and never stops it. */
TEST(bytes_of_any_value)
{
    static char data[50000];
    for (unsigned round = 0; round < 20; round++) {
        start();
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = (char)(round < 10 ? below(256) : 0x80 + below(128));
        is_utf8 = false;
        put(results, data, sizeof data, OVERHEAD);
        is_utf8 = true;
        assert_joined(data, sizeof data);
    }
}

/* --- utf8 ------------------------------------------------------------------------------------- */

TEST(characters_that_can_be_shown)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"a", 1},
        {" ", 1},
        {"~", 1},
        {"\xc2\xa0", 2},
        {"\xc3\xbc!", 2},
        {"\xdf\xbf", 2},
        {"\xe0\xa0\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xee\x80\x80", 3},
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"", 0},
        {"\n", 0},
        {"\x1b", 0},
        {"\x7f", 0},
        {"\xc2\x80", 0},             /* control characters */
        {"\xc2\x9b", 0},             /* of which terminals obey this one */
        {"\xc2\x9f", 0},             /* */
        {"\x80", 0},                 /* nobody's continuation */
        {"\xc0\x80", 0},             /* NUL, longer than need be */
        {"\xc1\xbf", 0},             /* */
        {"\xe0\x9f\xbf", 0},         /* */
        {"\xf0\x8f\xbf\xbf", 0},     /* */
        {"\xed\xa0\x80", 0},         /* a surrogate */
        {"\xed\xbf\xbf", 0},         /* */
        {"\xf4\x90\x80\x80", 0},     /* beyond the last */
        {"\xf8\x88\x80\x80\x80", 0}, /* */
        {"\xff", 0},                 /* */
        {"\xc3", 0},                 /* not whole */
        {"\xe2\x82", 0},             /* */
        {"\xf0\x9f\x92", 0},         /* */
        {"\xe2\x82x", 0},            /* */
    };
    for (EACH(c, cases))
        assert_int_equal(utf8_printable(c->text, strlen(c->text)), c->length);
}

TEST(a_text_without_a_broken_character_at_its_end)
{
    static const char text[] = "a\xc2\xb5\xe2\x82\xac\xf0\x9f\x92\xa9z";
    static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t length = 0; length < sizeof whole / sizeof *whole; length++)
        assert_int_equal(utf8_whole(text, length), whole[length]);
    assert_numbers((utf8_whole("\x80\x80\x80\x80", 4), utf8_whole("a\xb5", 2)), (4, 2));
    assert_numbers((utf8_whole("\xff", 1), utf8_whole("\xc2\xb5\xb5", 3)), (1, 3));
}
