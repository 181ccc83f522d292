/* test_replies: what servers answer, in words. */
#include "../../efi/network/replies.h"
#include "kit.h"

/* Places in UEFI's list that its text numbers by name. */
TEST(statuses_are_counted_as_uefi_does)
{
    static const uint32_t statuses[][2] = {{0, 0},    {1, 100},  {3, 200},  {4, 201},
                                           {7, 204},  {16, 307}, {21, 404}, {35, 500},
                                           {40, 505}, {41, 308}, {42, 0},   {UINT32_MAX, 0}};
    for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++)
        assert_int_equal(reply_http_status(statuses[i][0]), statuses[i][1]);
}

TEST(statuses_have_words)
{
    char words[REPLY_WORDS_MAX];
    assert_string_equal(reply_http_words(403, words), "the server answered 403 (forbidden)");
    assert_string_equal(
        reply_http_words(302, words),
        "the server answered 302 (it names another address, which is not followed)");
    assert_string_equal(reply_http_words(304, words), "the server answered 304");
    assert_string_equal(reply_http_words(0, words),
                        "the server answered with a status that the firmware does not know");
}

/* A length that nobody understands is not that of an empty file. */
TEST(a_length_is_a_number_and_nothing_else)
{
    static const char *const wrong[] = {"",    "x",    "-1",  "12x",    "1 2",
                                        " 12", "0x10", "1,1", "12, 12", "18446744073709551616"};
    assert_numbers((reply_length("0"), reply_length("1048577")), (0, 1048577));
    assert_numbers((reply_length("007"), reply_length("12 \t")), (7, 12));
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(reply_length(wrong[i]), REPLY_LENGTH_UNKNOWN);
}

/* A user looks for the fault where these say it is. */
TEST(each_word_belongs_to_its_number)
{
    static const struct {
        unsigned status;
        const char *says;
    } http[] = {
        {401, "password"}, {403, "forbidden"}, {404, "not found"},    {405, "method"},
        {409, "conflict"}, {411, "length"},    {413, "too large"},    {500, "error of its own"},
        {501, "not impl"}, {503, "not avail"}, {502, "answered 502"}, {400, "answered 400"},
    };
    static const char *const tftp[] = {
        "does not name", "file not found", "access",  "disk full", "illegal",
        "unknown tran",  "already exists", "no such", "option",
    };
    char words[REPLY_WORDS_MAX];
    for (EACH(c, http))
        assert_non_null(strstr(reply_http_words(c->status, words), c->says));
    for (uint16_t i = 0; i < sizeof tftp / sizeof *tftp; i++)
        assert_non_null(strstr(reply_tftp_words(i, "", 0, words), tftp[i]));
    assert_non_null(strstr(reply_tftp_words(9, "", 0, words), "does not name"));
}

TEST(tftp_errors_are_told_as_the_server_does)
{
    char words[REPLY_WORDS_MAX], endless[400];
    assert_string_equal(reply_tftp_words(1, "No such file\0junk", 17, words),
                        "the server answered error 1: No such file");
    assert_string_equal(reply_tftp_words(2, "", 0, words),
                        "the server answered error 2: access violation");
    assert_string_equal(reply_tftp_words(999, "\0", 1, words),
                        "the server answered error 999: an error that it does not name");
    assert_string_equal(reply_tftp_words(0, "a\x1b[2J\xff", 6, words),
                        "the server answered error 0: a?[2J?");
    memset(endless, 'x', sizeof endless);
    assert_int_equal(strlen(reply_tftp_words(0, endless, sizeof endless, words)),
                     REPLY_WORDS_MAX - 1);
}
