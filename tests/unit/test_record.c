/* test_record: files as they reach the platform, and what happens when it refuses them. */
#include "../../kernel/report/record.h"
#include "fake_platform.h"
#include "kit.h"

#define ROOM (4 * RECORD_LOG_BYTES)
#define STARTED 0x123456789abcdefull

static struct fake_platform fake;
static struct record record;

SETUP(start)
{
    fake_platform_open(&fake);
    record_init(&record, &fake.platform, STARTED);
}

static const struct text *text_of(const char *content)
{
    static char buffer[64];
    static struct text text;
    text_init(&text, buffer, sizeof buffer);
    text_printf(&text, "%s", content);
    return &text;
}

static void append(const char *file, const char *content)
{
    record_append(&record, file, text_of(content));
}

static void replace(const char *file, const char *content, bool is_last)
{
    record_replace(&record, file, text_of(content), is_last);
}

static const char *news_told;

static const char *tell_news(struct platform *self)
{
    (void)self;
    const char *news = news_told;
    news_told = NULL;
    return news;
}

TEST(what_became_of_places_is_in_the_log_once)
{
    fake.platform.news = tell_news;
    news_told = "the stick takes no more results\na server does\n";
    record_news(&record);
    record_news(&record);
    assert_string_equal(record.log.at, "event=place message=the stick takes no more results\n"
                                       "event=place message=a server does\n");
}

TEST(a_blank_line_of_news_is_one)
{
    record_lines(&record, "place", "\na\n\nb");
    assert_string_equal(record.log.at, "event=place message=\nevent=place message=a\n"
                                       "event=place message=\nevent=place message=b\n");
}

TEST(replace_saves_the_bytes)
{
    replace("run.json", "{\"status\": \"partial\"}\n", false);
    assert_string_equal(fake.file, "run.json");
    assert_string_equal(fake.replaced, "{\"status\": \"partial\"}\n");
    replace("run.json", "{}\n", true);
    assert_string_equal(fake.replaced, "{}\n");
    assert_int_equal(fake.appends, 0);
    assert_string_equal(fake.printed, "");
    assert_false(record.failed);
}

static unsigned times(const char *where, const char *words)
{
    unsigned count = 0;
    for (const char *at = where; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

/* Reads a block's lines, as blocks.h has them, up to its end; returns how many bytes they hold. */
static size_t read_lines(const char **at, char *to)
{
    size_t length = 0;
    unsigned byte;
    for (; **at == '|'; (*at)++) {
        bool goes_on = false;
        while (*++*at != '\n') {
            to[length++] = **at;
            if (**at != '\\')
                continue;
            goes_on = *++*at == '\n';
            if (goes_on)
                break;
            if (**at == 'x' && sscanf(*at + 1, "%2x", &byte) == 1) {
                to[length - 1] = (char)byte;
                *at += 2;
            }
        }
        length -= goes_on;
        if (!goes_on)
            to[length++] = '\n';
    }
    return length;
}

/* Writes so many digits of a text's checksum. */
static const char *digits_of(const char *text, size_t length, int digits)
{
    static char words[2 * SHA256_BYTES + 1];
    uint8_t digest[SHA256_BYTES];
    sha256(text, length, digest);
    for (int i = 0; i < digits / 2; i++)
        sprintf(words + 2 * i, "%02x", digest[i]);
    return words;
}

/* The console gives the file back, when the run has told where files end. */
static void assert_given_back(const char *file, unsigned version, const char *wanted)
{
    static char given[FAKE_TEXT_MAX], block[BLOCK_BYTES + BLOCK_TITLE_MAX], mark[64];
    char ends[128];
    unsigned long at, whole = 0;
    record_end_log(&record);
    memset(given, 0, sizeof given);
    snprintf(mark, sizeof mark, "=== mlpboot %s %s version %u ", record.run, file, version);
    for (const char *next = fake.printed; (next = strstr(next, mark)) != NULL;) {
        const char *words = next + strlen(mark), *end = strstr(words, " ===\n");
        const char *title = next + strlen("=== mlpboot "), *lines = end + 5;
        size_t length = read_lines(&lines, block);
        memcpy(block + length, title, (size_t)(end - title));
        next = lines;
        snprintf(ends, sizeof ends, "=== mlpboot end sha256 %s ===\n",
                 digits_of(block, length + (size_t)(end - title), BLOCK_CHECKSUM));
        assert_memory_equal(next, ends, strlen(ends));
        if (sscanf(words, "at %lu", &at) == 1)
            memcpy(given + at, block, length);
        else
            assert_int_equal(sscanf(words, "whole %lu", &whole), 1);
    }
    assert_int_equal(whole, strlen(wanted));
    assert_string_equal(given, wanted);
    assert_memory_equal(block, digits_of(given, whole, 2 * SHA256_BYTES), 2 * SHA256_BYTES);
}

static void assert_told(const char *file, const char *reason, unsigned often)
{
    char words[128];
    snprintf(words, sizeof words, "\n%s could not be saved: %s\n", file, reason);
    assert_int_equal(times(fake.printed, words), often);
}

/* What will be written again is printed once, should the run be cut short, and at its end. */
TEST(refused_replace_before_the_last)
{
    static char printed[FAKE_TEXT_MAX];
    fake.refuses = "write protected";
    replace("run.json", "{1}\n", false);
    assert_true(record.failed);
    assert_told("run.json", "write protected", 1);
    strcpy(printed, fake.printed);
    replace("run.json", "{2}\n", false);
    assert_string_equal(fake.printed, printed);
    fake.refuses = NULL; /* saved or not: the log of the console is to have it */
    replace("run.json", "{3}\n", true);
    assert_given_back("run.json", 1, "{1}\n");
    assert_given_back("run.json", 2, "{3}\n");
}

static const char *held_data; /* of results.csv; NULL: nothing is */

static bool held(struct platform *self, const char *file, const char **data, size_t *length)
{
    assert_ptr_equal(self, &fake.platform);
    if (held_data == NULL || strcmp(file, "results.csv") != 0)
        return false;
    *data = held_data;
    *length = strlen(held_data);
    return true;
}

/* What was saved before goes to the console, too, as far as it is there still; once. */
TEST(what_is_held_is_printed_from_the_start)
{
    fake.platform.held = held;
    append("results.csv", "a\n");
    append("results.csv", "b\n");
    append("verdicts.csv", "v\n");
    assert_string_equal(fake.printed, "");
    fake.refuses = "the stick was pulled";
    held_data = "a\nb\nc\n"; /* with what could not be saved */
    append("results.csv", "c\n");
    append("verdicts.csv", "w\n");
    assert_numbers((times(fake.printed, "\n|a\n|b\n"), times(fake.printed, "\n|c\n")), (1, 1));
    assert_int_equal(times(fake.printed, "|v\n"), 0); /* not held */
    assert_int_equal(times(fake.printed, " verdicts.csv version 1 at 2 bytes 2 "), 1);
    append("results.csv", "d\n");
    assert_given_back("results.csv", 1, "a\nb\nc\nd\n");
    held_data = NULL;
}

/* Less than was added is of no use, and what cannot be saved is not held if memory is short. */
TEST(what_is_held_in_part)
{
    fake.platform.held = held;
    held_data = "a\n";
    append("results.csv", "a\n");
    append("results.csv", "b\n");
    fake.refuses = "gone";
    append("results.csv", "c\n");
    assert_numbers((times(fake.printed, "|a\n"), times(fake.printed, " at 4 bytes 2 ")), (0, 1));
    held_data = NULL;
}

/* A file that was begun on the console is whole there, though the volume takes it again. */
TEST(what_was_begun_on_the_console_goes_on_there)
{
    fake.refuses = "full";
    append("results.csv", "a\n");
    fake.refuses = NULL;
    append("results.csv", "b\n");
    append("verdicts.csv", "v\n");
    assert_int_equal(times(fake.printed, "verdicts.csv"), 0);
    assert_string_equal(fake.appended, "b\nv\n");
    assert_given_back("results.csv", 1, "a\nb\n");
}

TEST(what_is_missing_is_told_with_the_last_reason)
{
    char memory[200];
    struct text text;
    text_init(&text, memory, sizeof memory);
    append("log.txt", "a\n");
    record_tell_missing(&record, &text);
    assert_string_equal(memory, "");
    fake.refuses = "the disk is full";
    append("results.csv", "a\n");
    replace("run.json", "{}\n", false);
    record_tell_missing(&record, &text);
    assert_string_equal(memory, "could not save results.csv run.json: the disk is full");
}

/* Nobody records a terminal: why each file is missing is all that is printed. */
TEST(nothing_is_printed_where_nobody_records_it)
{
    fake.platform.record = NULL;
    fake.refuses = "the disk is full";
    append("results.csv", "a\n");
    append("results.csv", "b\n");
    replace("run.json", "{}\n", false);
    replace("run.json", "{}\n", true);
    record_end_log(&record);
    assert_string_equal(fake.printed, "\nresults.csv could not be saved: the disk is full\n"
                                      "\nrun.json could not be saved: the disk is full\n"
                                      "\nlog.txt could not be saved: the disk is full\n");
    assert_true(record.failed);
}

TEST(a_reason_is_told_once_for_each_file)
{
    fake.refuses = "full";
    append("results.csv", "a\n");
    append("results.csv", "b\n");
    append("verdicts.csv", "v\n");
    assert_told("results.csv", "full", 1);
    assert_told("verdicts.csv", "full", 1);
    fake.refuses = "gone";
    append("results.csv", "c\n");
    append("verdicts.csv", "w\n");
    append("verdicts.csv", "x\n");
    assert_told("results.csv", "full", 1);
    assert_told("results.csv", "gone", 1);
    assert_told("verdicts.csv", "gone", 1);
}

/* Whatever is in them: lines that no console breaks, of characters that each has, and no blank at
 * their ends; blocks of two kilobytes that end with a line where there is one. */
TEST(blocks_of_any_bytes)
{
    static char content[12000];
    struct text text;
    fake.refuses = "full";
    text_init(&text, content, sizeof content);
    while (text.length < 3000)
        text_printf(&text, "%0*u L\xc3\xa4\\bel\t|=== mlpboot end ===  \n", (int)text.length % 97,
                    7u);
    while (text.length < 9000)
        text_char(&text, (char)(text.length * 89 % 255 + 1) == '\n'
                             ? 'n'
                             : (char)(text.length * 89 % 255 + 1));
    record_append(&record, "results.csv", &text);
    for (const char *line = strstr(fake.printed, "==="), *end; *line != '\0'; line = end + 1) {
        end = line + strcspn(line, "\n");
        assert_in_range(end - line, 1, BLOCK_COLUMNS);
        assert_int_not_equal(end[-1], ' ');
        for (const char *c = line; c < end; c++)
            assert_in_range(*c, ' ', '~');
    }
    assert_true(times(fake.printed, " bytes 2048 ===") >= 2); /* of what has no lines */
    assert_given_back("results.csv", 1, content);
}

/* As sha256sum has it of the text followed by the title: readers are others' work, too. */
TEST(the_checksum_of_a_block)
{
    const struct block_file file = {"89abcdef", "results.csv", 1};
    blocks_print(&fake.platform, &file, 0, "a,b\n1,2\n", 8);
    assert_non_null(strstr(fake.printed, "\n=== mlpboot end sha256 77b42b5974e6f65b ===\n"));
}

TEST(runs_have_names_of_their_own)
{
    static const struct {
        const char *folder, *name;
    } named[] = {{NULL, "89abcdef"},        {"0007", "0007-89abcdef"},
                 {"", "89abcdef"},          {"my run", "89abcdef"},
                 {"..", "89abcdef"},        {"a/b", "89abcdef"},
                 {"123456789", "89abcdef"}, {"12345678", "12345678-89abcdef"}};
    for (EACH(c, named)) {
        fake.platform.folder = c->folder;
        record_init(&record, &fake.platform, STARTED);
        assert_string_equal(record.run, c->name);
        assert_string_equal(fake.platform.run, c->name);
    }
}

/* Once failed, a later success does not make it whole again. */
TEST(failed_stays)
{
    fake.refuses = "gone";
    append("a", "x\n");
    fake.refuses = NULL;
    append("b", "x\n");
    replace("c", "x\n", true);
    record_event(&record, "event=e");
    record_save_log(&record);
    assert_true(record.failed);
    assert_string_equal(fake.appended, "x\nevent=e\n");
}

TEST(log)
{
    record_event(&record, "event=start version=%s platform=%s", "1.0", "efi");
    record_event(&record, "event=measured rows=%lu seconds=%.1f", 12ul, 3.25);
    assert_int_equal(fake.appends, 0); /* until it is asked for */
    record_save_log(&record);
    assert_string_equal(fake.file, "log.txt");
    assert_string_equal(fake.appended, "event=start version=1.0 platform=efi\n"
                                       "event=measured rows=12 seconds=3.3\n");
    record_event(&record, "event=done status=%s", "done");
    record_save_log(&record);
    assert_string_equal(fake.appended, "event=start version=1.0 platform=efi\n"
                                       "event=measured rows=12 seconds=3.3\n"
                                       "event=done status=done\n");
    assert_false(record.failed);
    assert_string_equal(fake.printed, "");
}

TEST(refused_log_is_printed_in_order)
{
    record_event(&record, "event=start");
    record_event(&record, "event=fault message=\"%s\"", "page fault");
    fake.refuses = "no medium";
    record_save_log(&record);
    assert_true(record.failed);
    assert_told("log.txt", "no medium", 1);
    /* What was printed is not saved a second time. */
    fake.refuses = NULL;
    record_event(&record, "event=done");
    record_save_log(&record);
    assert_string_equal(fake.appended, "event=done\n");
    assert_given_back("log.txt", 1,
                      "event=start\nevent=fault message=\"page fault\"\nevent=done\n");
}

/* More than twenty messages of a line's usual length fit between two saves. */
TEST(many_events)
{
    static char wanted[ROOM], line[256];
    wanted[0] = '\0';
    for (unsigned i = 0; i < 64; i++) {
        record_event(&record, "event=config_error message=\"%0150u\"", i);
        snprintf(line, sizeof line, "event=config_error message=\"%0150u\"\n", i);
        strcat(wanted, line);
    }
    record_save_log(&record);
    assert_string_equal(fake.appended, wanted);
}

TEST(init_is_clean)
{
    record.failed = true;
    record_event(&record, "event=old");
    record_init(&record, &fake.platform, STARTED);
    assert_false(record.failed);
    record_event(&record, "event=new");
    record_save_log(&record);
    assert_string_equal(fake.appended, "event=new\n");
}

/* --- files on the console -------------------------------------------------------------------- */

/* What a reader makes of it: lines between the markers, those that go on in the next joined. */
static void assert_recovered(const char *file, const char *wanted)
{
    char joined[FAKE_TEXT_MAX] = "", begin[64], end[64];
    snprintf(begin, sizeof begin, "=== mlpboot %s begin ===\n", file);
    snprintf(end, sizeof end, "=== mlpboot %s end ===\n", file);
    char *at = strstr(fake.printed, begin);
    assert_non_null(at);
    at += strlen(begin);
    char *until = strstr(at, end);
    assert_non_null(until);
    while (at < until) {
        size_t length = strcspn(at, "\n");
        bool goes_on = length == RECORD_COLUMNS + 1 && at[length - 1] == '\\';
        assert_in_range(length, 0, RECORD_COLUMNS + 1);
        strncat(joined, at, goes_on ? length - 1 : length + 1);
        at += length + 1;
    }
    assert_string_equal(joined, wanted);
}

TEST(log_is_printed_as_it_goes)
{
    fake.platform.prints_log = true;
    record_event(&record, "event=start");
    record_save_log(&record);
    assert_string_equal(fake.printed, "=== mlpboot log.txt begin ===\nevent=start\n");
    record_event(&record, "event=long text=%0100u", 7u);
    record_event(&record, "event=done");
    record_end_log(&record);
    assert_recovered("log.txt", fake.appended);
    assert_string_equal(strstr(fake.printed, "event=done"),
                        "event=done\n=== mlpboot log.txt end ===\n");
}

/* Whatever their length, and where a line itself ends in a backslash. */
TEST(lines_of_any_length)
{
    char line[3 * RECORD_COLUMNS + 1];
    fake.platform.prints_log = true;
    for (unsigned length = 0; length < 3 * RECORD_COLUMNS; length += length < 70 ? 35 : 1) {
        for (unsigned i = 0; i < length; i++)
            line[i] = i + 2 < length ? (char)('a' + i % 26) : '\\';
        line[length] = '\0';
        record_event(&record, "event=%s", line);
        record_save_log(&record);
    }
    record_end_log(&record);
    assert_recovered("log.txt", fake.appended);
}

/* --- report.html ------------------------------------------------------------------------------ */

static unsigned reports, failing_report; /* calls; the one that fails, and those after it */
static char reported[FAKE_TEXT_MAX];

static const char *report(struct platform *self, const char *data, size_t length)
{
    assert_ptr_equal(self, &fake.platform);
    assert_compare(strlen(reported) + length, <, sizeof reported);
    if (++reports >= failing_report && failing_report > 0)
        return "no room for it";
    strncat(reported, data, length);
    return NULL;
}

SETUP(start_report)
{
    start();
    fake.platform.report = report;
    fake.platform.folder = "0007";
    reports = failing_report = 0;
    reported[0] = '\0';
}

#define ELEMENT(file, how, text)                                                                   \
    "\n<script type=\"application/json\" class=\"file\">{\"run\":\"0007\",\"file\":\"" file        \
    "\",\"how\":\"" how "\",\"text\":\"" text "\"}</script>"

TEST(what_is_saved_is_in_the_report)
{
    append("results.csv", "a,b\n");
    replace("run.json", "{}\n", false);
    append("results.csv", "1,2\n");
    append("verdicts.csv", "");          /* of an experiment without any */
    replace("run.json", "{1}\n", false); /* neither the first nor the last: only in its file */
    replace("run.json", "{<}\n", true);
    record_event(&record, "event=done");
    record_end_log(&record);
    assert_string_equal(reported, ELEMENT("results.csv", "append", "a,b\\n")
                                      ELEMENT("run.json", "replace", "{}\\n")
                                          ELEMENT("results.csv", "append", "1,2\\n")
                                              ELEMENT("run.json", "replace", "{\\u003c}\\n")
                                                  ELEMENT("log.txt", "append", "event=done\\n"));
    assert_false(record.failed);
    assert_string_equal(fake.printed, "");
    fake_platform_assert_returned(&fake);
}

TEST(what_is_not_saved_is_not_in_the_report)
{
    fake.refuses = "the volume is full";
    append("results.csv", "a,b\n");
    replace("run.json", "{}\n", true);
    assert_int_equal(reports, 0);
}

/* Whichever call fails: the files are whole, it is told once, and nobody asks for it again. */
TEST(a_report_that_fails_costs_nothing_else)
{
    for (unsigned failing = 1; failing <= 3; failing++) {
        start_report();
        failing_report = failing;
        for (unsigned i = 0; i < 3; i++)
            append("results.csv", "a,b\n");
        replace("run.json", "{}\n", true);
        record_event(&record, "event=done");
        record_end_log(&record);
        assert_false(record.failed);
        assert_int_equal(reports, failing);
        assert_string_equal(fake.appended, "a,b\na,b\na,b\nevent=report reason=no room for it\n"
                                           "event=done\n");
        assert_string_equal(fake.replaced, "{}\n");
        assert_string_equal(fake.printed, failing == 1
                                              ? "\nreport.html is not written: no room for it\n"
                                              : "\nreport.html holds no more of this run: "
                                                "no room for it\n");
        assert_int_equal(times(reported, "<script"), failing - 1);
        fake_platform_assert_returned(&fake);
    }
}

TEST(no_memory_for_the_report)
{
    fake.failing = 1;
    append("results.csv", "a,b\n");
    append("results.csv", "1,2\n");
    assert_int_equal(reports, 0);
    assert_string_equal(fake.printed, "\nreport.html is not written: there is not enough memory\n");
    assert_string_equal(fake.appended, "a,b\n1,2\n");
}

static const char *take_all(struct platform *self, const char *file, const char *data,
                            size_t length)
{
    (void)self;
    (void)file;
    (void)data;
    (void)length;
    return NULL;
}

static size_t counted; /* of the letter X */

static const char *count(struct platform *self, const char *data, size_t length)
{
    (void)self;
    reports++;
    assert_in_range(length, 1, RECORD_REPORT_BYTES);
    for (size_t i = 0; i < length; i++)
        counted += data[i] == 'X';
    return NULL;
}

TEST(a_save_that_is_larger_than_an_element)
{
    static char content[2 * RECORD_REPORT_BYTES + 100];
    struct text text;
    fake.platform.append = take_all;
    fake.platform.report = count;
    text_init(&text, content, sizeof content);
    while (!text.truncated)
        text_char(&text, 'X');
    record_append(&record, "results.csv", &text);
    assert_numbers((reports, counted), (3, sizeof content - 1));
}
