/* test_json_reader: members found, wrong texts named, and any bytes survived. */
#include "../../kernel/lib/json.h"
#include "../../kernel/lib/random.h"
#include "../hosted/json_reader.h"
#include "kit.h"

static char label[JSON_TEXT_MAX], brand[JSON_TEXT_MAX], error[512];
static double rate, gap;

static const struct json_member wanted[] = {
    {"label", label, NULL},
    {"processor.brand", brand, NULL},
    {"tsc_hz", NULL, &rate},
    {"certificate.max_gap_ns", NULL, &gap},
};

/* From memory of exactly that size, so that a byte too far is noticed. */
static bool read_bytes(const char *data, size_t length)
{
    char *exact = malloc(length + (length == 0));

    memcpy(exact, data, length);
    strcpy(error, "");
    bool is_right = json_read(exact, length, wanted, 4, error, sizeof(error));
    free(exact);
    return is_right;
}

static bool read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

TEST(members)
{
    assert_true(read_text(
        "{\"label\":\"a \\\"b\\\" \\u0041\\n\\u20ac\", \"other\":[1,{\"label\":\"no\"},[]],"
        "\r\n\t\"processor\" : {\"x\":true,\"brand\":\"Xeon\",\"label\":\"no\"},"
        "\"certificate\":{\"max_gap_ns\":-12.5e1,\"deep\":{\"max_gap_ns\":1}},"
        "\"tsc_hz\":2600000000}   \n"));
    assert_string_equal(label, "a \"b\" A??");
    assert_string_equal(brand, "Xeon");
    assert_true(rate == 2.6e9 && gap == -125);
    assert_true(read_text("{\"tsc_hz\":null,\"label\":null,\"tsc_hz\":1,\"tsc_hz\":2}"));
    assert_string_equal(label, "");
    assert_string_equal(brand, "");
    assert_true(rate == 2 && isnan(gap));
    assert_true(read_text("{}"));
    assert_true(isnan(rate));
}

/* A star is one name, whatever it is, and no more than one. */
TEST(any_name)
{
    static char microcode[JSON_TEXT_MAX];
    static const struct json_member of_cores[] = {{"cores.*.microcode", microcode, NULL}};
    const char *text = "{\"cores\":{\"measured\":2,\"core_1\":{\"microcode\":\"0x1\"},"
                       "\"core_12\":{\"microcode\":\"0x2\",\"x\":{\"microcode\":\"no\"}},"
                       "\"microcode\":\"no\"},\"core\":{\"a\":{\"microcode\":\"no\"}}}";

    assert_true(json_read(text, strlen(text), of_cores, 1, error, sizeof(error)));
    assert_string_equal(microcode, "0x2");
    text = "{\"cores\":{\"*\":{\"microcodes\":\"no\"}}}";
    assert_true(json_read(text, strlen(text), of_cores, 1, error, sizeof(error)));
    assert_string_equal(microcode, "");
}

/* As some editors leave it, and as results.csv is read too. */
TEST(byte_order_mark)
{
    assert_true(read_text("\xef\xbb\xbf{\"label\":\"a\"}"));
    assert_string_equal(label, "a");
    assert_false(read_text("\xef\xbb{\"label\":\"a\"}"));
    assert_false(read_text("\xef\xbb\xbf\xef\xbb\xbf{}"));
    assert_false(read_text("\xef\xbb\xbf"));
}

/* A text too long is cut; a path too long is nobody's. */
TEST(long)
{
    char text[2048] = "{\"label\":\"";

    memset(text + strlen(text), 'x', 600);
    strcat(text, "\",\"");
    memset(text + strlen(text), 'y', 600);
    strcat(text, "\":{\"label\":\"no\"},\"tsc_hz\":7}");
    assert_true(read_text(text));
    assert_int_equal(strlen(label), JSON_TEXT_MAX - 1);
    assert_true(rate == 7);
}

/* Paths and numbers around the longest that are kept. */
TEST(limits)
{
    char text[2048];

    for (int length = JSON_PATH_MAX - 8; length < JSON_PATH_MAX + 4; length++) {
        snprintf(text, sizeof text, "{\"%0*d\":{\"b\":{\"c\":1}},\"tsc_hz\":7}", length, 0);
        assert_true(read_text(text));
        assert_true(rate == 7);
    }
    for (int length = JSON_DIGITS_MAX - 4; length < JSON_DIGITS_MAX + 4; length++) {
        snprintf(text, sizeof text, "{\"tsc_hz\":1%0*d}", length - 1, 0);
        assert_int_equal(read_text(text), length < JSON_DIGITS_MAX);
    }
}

/* Beside each other there may be as many as one likes. */
TEST(many)
{
    char text[2048] = "{\"a\":[{}";

    for (unsigned i = 0; i < 100; i++)
        strcat(text, ",{},[]");
    strcat(text, "]}");
    assert_true(read_text(text));
}

TEST(wrong)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "line 1: expected an opening brace"},
        {"[]", "an opening brace"},
        {"no json", "an opening brace"},
        {"{", "a name in quotes"},
        {"{\n\"a\"\n1}", "line 3: expected a colon"},
        {"{\"a\":}", "a value"},
        {"{\"a\":nul}", "a value"},
        {"{\"a\":1", "a comma or a closing brace"},
        {"{\"a\":[1}", "a comma or a closing bracket"},
        {"{\"a\":1,}", "a name in quotes"},
        {"{\"a\":\"b}", "the closing quote"},
        {"{\"a\":\"b\n\"}", "the closing quote"},
        {"{\"a\":\"\\x\"}", "an escape that JSON has"},
        {"{\"a\":\"\\", "an escape that JSON has"},
        {"{\"a\":\"\\u12g4\"}", "four hexadecimal digits"},
        {"{\"a\":01}", "a value"},
        {"{\"a\":1.}", "a value"},
        {"{\"a\":-}", "a value"},
        {"{\"a\":1e}", "a value"},
        {"{} x", "nothing after"},
        {"{\"label\":1}", "a text or null for \"label\""},
        {"{\"label\":true}", "a text or null for \"label\""},
        {"{\"label\":{}}", "a text or null for \"label\""},
        {"{\"tsc_hz\":\"1\"}", "a number or null for \"tsc_hz\""},
        {"{\"tsc_hz\":[1]}", "a number or null for \"tsc_hz\""},
        {"{\"tsc_hz\":1e999}", "a smaller number for \"tsc_hz\""},
        {"{\"certificate\":{\"max_gap_ns\":false}}", "null for \"certificate.max_gap_ns\""},
        {"{\"tsc_hz\":1111111111111111111111111111111111111111111111111111111111111111111111}",
         "fewer digits for \"tsc_hz\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (read_text(cases[i].text))
            fail_msg("%s is taken for right", cases[i].text);
        if (strstr(error, cases[i].said) == NULL)
            fail_msg("%s: \"%s\" does not say %s", cases[i].text, error, cases[i].said);
    }
}

TEST(depth)
{
    char text[1024];

    for (unsigned depth = 1; depth < 200; depth++) {
        size_t length = 0;
        length += (size_t)sprintf(text, "{\"a\":");
        memset(text + length, '[', depth);
        memset(text + length + depth, ']', depth);
        strcpy(text + length + 2 * depth, "}");
        assert_int_equal(read_text(text), depth < JSON_DEPTH_MAX);
    }
}

/* What the other side writes comes back. */
static size_t write_run(char *memory, size_t size)
{
    struct text text;
    struct json json;

    text_init(&text, memory, size);
    json_begin(&json, &text);
    json_text(&json, "label", "a, \"b\" \\ c");
    json_number(&json, "tsc_hz", 2599998173, 0);
    json_open(&json, "processor");
    json_text(&json, "brand", "Xeon(R) \t 7");
    json_bool(&json, "virtual", true);
    json_close(&json);
    json_open(&json, "certificate");
    json_number(&json, "max_gap_ns", 1234.5, 1);
    json_number(&json, "smi", NAN, 0);
    json_end(&json);
    return text.length;
}

TEST(what_a_run_writes)
{
    char memory[2048];

    assert_true(read_bytes(memory, write_run(memory, sizeof memory)));
    assert_string_equal(label, "a, \"b\" \\ c");
    assert_string_equal(brand, "Xeon(R) ? 7");
    assert_true(rate == 2599998173 && gap == 1234.5);
}

static void write_down(void *context, const char *path, const char *text)
{
    char *all = context;

    assert_true(strlen(path) < JSON_PATH_MAX && strlen(text) < JSON_TEXT_MAX);
    if (strlen(all) + strlen(path) + strlen(text) + 3 < 1024)
        sprintf(all + strlen(all), "%s=%s;", path, text);
}

static bool visit_bytes(const char *data, size_t length, char *all)
{
    char *exact = malloc(length + (length == 0));

    memcpy(exact, data, length);
    strcpy(all, "");
    bool is_right = json_visit(exact, length, write_down, all, error, sizeof(error));
    free(exact);
    return is_right;
}

TEST(every_member)
{
    static const char text[] =
        "{\"a\":1.50,\"b\":{\"c\":\"x\\ty\",\"d\":null,\"e\":{}},\"f\":[1,{\"g\":2}],"
        "\"h\":true,\"a\":-2e3}";
    char all[1024];

    assert_true(visit_bytes(text, strlen(text), all));
    assert_string_equal(all, "a=1.50;b.c=x?y;b.d=;h=true;a=-2e3;");
    for (size_t i = 0; i < strlen(text); i++)
        assert_false(visit_bytes(text, i, all));
}

/* Every beginning of it is wrong, but for the blanks behind its end; no byte changed does harm. */
TEST(cut_and_changed)
{
    char memory[2048], changed[2048];
    size_t length = write_run(memory, sizeof memory);
    struct random random;

    for (size_t i = 0; i + 1 < length; i++)
        assert_false(read_bytes(memory, i));
    random_seed(&random, 1);
    for (unsigned trial = 0; trial < 100000; trial++) {
        memcpy(changed, memory, length);
        for (uint64_t i = random_below(&random, 4) + 1; i > 0; i--) {
            static const char signs[] = "{}[]\",:\\u0-.e tfn";
            char c = random_below(&random, 2) == 0 ? signs[random_below(&random, sizeof signs)]
                                                   : (char)random_below(&random, 256);
            changed[random_below(&random, length)] = c;
        }
        bool is_right = read_bytes(
            changed, random_below(&random, 8) == 0 ? random_below(&random, length) : length);
        assert_int_equal(error[0] == '\0', is_right);
        assert_true(strlen(label) < JSON_TEXT_MAX && strlen(brand) < JSON_TEXT_MAX);
        char all[1024];
        visit_bytes(changed, length, all);
    }
}
