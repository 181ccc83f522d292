/* test_load_options: what shells and boot managers hand over; garbage does no harm. */
#include "../../efi/load_options.h"
#include "../../kernel/config/config.h"
#include "kit.h"

static struct load_options options;
static char words[8192];
static struct text remarks;
static bool from_shell;

SETUP(start)
{
    text_init(&remarks, words, sizeof words);
    from_shell = true;
}

/* From memory of exactly that length, at an odd address. */
static void read_bytes(const void *data, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    assert_non_null(copy);
    memcpy(copy + 1, data, bytes);
    text_clear(&remarks);
    load_options_read(&options, copy + 1, bytes, from_shell, &remarks);
    free(copy);
}

/* As UTF-16, with or without its NUL. */
static void read_text(const char *text, bool with_end)
{
    static uint8_t wide[20000];
    size_t length = strlen(text);
    for (size_t i = 0; i <= length; i++) {
        wide[2 * i] = (uint8_t)text[i];
        wide[2 * i + 1] = 0;
    }
    read_bytes(wide, 2 * (length + with_end));
}

TEST(a_shell_s_line)
{
    for (unsigned with_end = 0; with_end < 2; with_end++) {
        read_text("fs0:\\BOOTX64.EFI mlp.loads=1-3  finish=exit\t", with_end);
        assert_int_equal(options.count, 2);
        assert_string_equal(options.setting[0], "mlp.loads=1-3");
        assert_string_equal(options.setting[1], "finish=exit");
        assert_string_equal(words, "");
    }
}

TEST(quotes_hold_a_value_together)
{
    read_text("mlpboot.efi \"pages=2m 4k\" mlp.loads=\"1 2 3\" label=\"\" case=\"a\"", true);
    assert_int_equal(options.count, 4);
    assert_string_equal(options.setting[0], "pages=2m 4k");
    assert_string_equal(options.setting[1], "mlp.loads=1 2 3");
    assert_string_equal(options.setting[2], "label=");
    assert_string_equal(options.setting[3], "case=a");
    assert_string_equal(words, "");
}

/* U-Boot hands over what is meant for Linux; only a person at a shell is told that it is wrong. */
TEST(options_of_another_program)
{
    static const char line[] = "root=/dev/sda3 rootwait mlp.loads=1-3";
    read_text(line, true);
    assert_int_equal(options.count, 2);
    assert_string_equal(options.setting[0], "root=/dev/sda3");
    from_shell = false;
    read_text(line, true);
    assert_int_equal(options.count, 1);
    assert_string_equal(options.setting[0], "mlp.loads=1-3");
    assert_string_equal(words, "load options: \"root=/dev/sda3\" is of no key there is; ignored\n"
                               "load options: \"rootwait\" is no key=value; ignored\n");
}

TEST(no_options)
{
    read_bytes("", 0);
    load_options_read(&options, NULL, 100, from_shell, &remarks);
    assert_int_equal(options.count, 0);
    read_text("", true);
    read_text(" \r\n\t ", true);
    read_text("BOOTX64.EFI", true);
    assert_int_equal(options.count, 0);
    assert_string_equal(words, "");
}

TEST(words_that_are_no_settings_are_named_and_ignored)
{
    read_text("quiet runs=3 \\EFI\\a=b\\x", true);
    assert_int_equal(options.count, 1);
    assert_string_equal(options.setting[0], "runs=3");
    assert_string_equal(words, "load options: \"quiet\" is no key=value; ignored\n"
                               "load options: \"\\EFI\\a=b\\x\" is no key=value; ignored\n");
}

/* The first is edk2's mark of the boot options that it makes itself. */
TEST(bytes_that_are_no_text_are_ignored_with_a_word)
{
    static const struct {
        const char *bytes;
        size_t length;
    } garbage[] = {{"\x4e\xac\x08\x81\x11\x9f\x59\x4d\x85\x0e\xe2\x1a\x52\x2c\x59\xb2", 16},
                   {"a\0=\0\1\0", 6},
                   {"\x01\"\0", 3}};
    from_shell = false;
    for (EACH(c, garbage)) {
        char expected[80];
        read_bytes(c->bytes, c->length);
        snprintf(expected, sizeof expected, "load options: %zu bytes that are no text; ignored\n",
                 c->length);
        assert_int_equal(options.count, 0);
        assert_string_equal(words, expected);
        assert_string_equal(options.error, "");
    }
}

#define BYTES(text) text, sizeof text - 1

/* efibootmgr hands over ASCII without -u, and NULs between the words with it; bcfg a file as it is.
 */
TEST(settings_of_every_encoding)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *first, *second;
    } cases[] = {
        {BYTES("runs=3 seed=1"), "runs=3", "seed=1"},
        {BYTES("runs=3\r\nseed=1\r\n\0"), "runs=3", "seed=1"},
        {BYTES("runs=3\0seed=1\0"), "runs=3", "seed=1"},
        {BYTES("\xef\xbb\xbfruns=3 label=Z\xc3\xbcrich"), "runs=3", "label=Z\xc3\xbcrich"},
        {BYTES("runs=3 label=Z\xfcrich"), "runs=3", "label=Z\xfcrich"},
        {BYTES("r\0u\0n\0s\0=\0\x33\0\0\0s\0e\0e\0d\0=\0\x31\0\0\0"), "runs=3", "seed=1"},
        {BYTES("\xff\xfer\0u\0n\0s\0=\0\x33\0 \0s\0e\0e\0d\0=\0\x31\0"), "runs=3", "seed=1"},
        {BYTES("\xfe\xff\0r\0u\0n\0s\0=\0\x33\0 \0s\0e\0e\0d\0=\0\x31"), "runs=3", "seed=1"},
        {BYTES("r\0u\0n\0s\0=\0\x33\0 \0l\0a\0b\0e\0l\0=\0\xfc\0\xac\x20"), "runs=3",
         "label=\xc3\xbc\xe2\x82\xac"},
        {BYTES("r\0u\0n\0s\0=\0\x33\0 \0s\0e\0e\0d\0=\0\x31\0\0\0\0\0g\0=\0a\0"), "runs=3",
         "seed=1"},
    };
    from_shell = false;
    for (EACH(c, cases)) {
        read_bytes(c->bytes, c->length);
        assert_int_equal(options.count, 2);
        assert_string_equal(options.setting[0], c->first);
        assert_string_equal(options.setting[1], c->second);
        assert_string_equal(words, "");
        assert_string_equal(options.error, "");
    }
}

/* The reader of settings sees a control character, half of a pair and half of a character. */
TEST(a_setting_that_is_no_text_is_refused)
{
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{BYTES("s\0e\0e\0d\0=\0\x07\0")},
                 {BYTES("l\0a\0b\0e\0l\0=\0\0\xd8")},
                 {BYTES("l\0a\0b\0e\0l\0=\0a")},
                 {BYTES("s\0e\0e\0d\0=\0\xfc\0")}};
    static struct config config;
    static char wrong[1024];
    struct text errors;
    for (EACH(c, cases))
        for (unsigned shell = 0; shell < 2; shell++) {
            from_shell = shell;
            text_init(&errors, wrong, sizeof wrong);
            read_bytes(c->bytes, c->length);
            assert_int_equal(options.count, 1);
            assert_int_equal(
                config_read_setting(&config, "load options", options.setting[0], &errors), 1);
        }
}

TEST(a_quote_that_is_not_closed_is_an_error)
{
    read_text("mlpboot.efi runs=3 \"pages=2m 4k finish=exit", true);
    assert_int_equal(options.count, 1);
    assert_string_equal(options.error, "load options: \"pages=2m 4k finish=exit\" has a quote that "
                                       "is not closed\n");
}

TEST(length_is_checked)
{
    static char text[LOAD_OPTIONS_CHARACTERS_MAX + 2];
    memset(text, 'x', LOAD_OPTIONS_CHARACTERS_MAX);
    text[1] = '=';
    read_text(text, true);
    assert_numbers((options.count, strlen(options.setting[0])), (1, LOAD_OPTIONS_CHARACTERS_MAX));
    text[LOAD_OPTIONS_CHARACTERS_MAX] = 'x';
    read_text(text, true);
    assert_string_equal(options.error, "load options: more than 4096 characters\n");
}

TEST(there_may_be_too_many)
{
    static char text[4 * (LOAD_OPTIONS_SETTINGS_MAX + 1) + 1];
    for (unsigned i = 0; i <= LOAD_OPTIONS_SETTINGS_MAX; i++)
        memcpy(text + 4 * i, "a=b ", 4);
    read_text(text, true);
    assert_int_equal(options.count, LOAD_OPTIONS_SETTINGS_MAX);
    assert_string_equal(options.error, "load options: \"a=b\" is one too many\n");
}
