/* test_record: files as they reach the platform, and what happens when it refuses them. */
#include "../../kernel/report/record.h"
#include "fake_platform.h"
#include "kit.h"

#define ROOM (4 * RECORD_LOG_BYTES)

static struct fake_platform fake;
static struct record record;

SETUP(start)
{
    fake_platform_open(&fake);
    record_init(&record, &fake.platform);
}

static void append(const char *file, const char *content)
{
    char buffer[64];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_printf(&text, "%s", content);
    record_append(&record, file, &text);
}

static void replace(const char *file, const char *content, bool is_last)
{
    char buffer[64];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_printf(&text, "%s", content);
    record_replace(&record, file, &text, is_last);
}

TEST(append_saves_the_bytes)
{
    append("results.csv", "a,b,c\n1,2,3\n");
    assert_string_equal(fake.file, "results.csv");
    assert_string_equal(fake.appended, "a,b,c\n1,2,3\n");
    append("results.csv", "4,5,6\n");
    assert_string_equal(fake.appended, "a,b,c\n1,2,3\n4,5,6\n");
    assert_int_equal(fake.appends, 2);
    assert_int_equal(fake.replaces, 0);
    assert_string_equal(fake.printed, "");
    assert_false(record.failed);
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

/* The console has the file's name, the reason, and the data alone between two markers. */
static void check_console(const char *file, const char *reason, const char *data)
{
    char begin[128], end[128];

    snprintf(begin, sizeof begin, "\n--- begin %s ---\n", file);
    snprintf(end, sizeof end, "--- end %s ---\n", file);
    char *first = strstr(fake.printed, begin);
    assert_non_null(first);
    char *start_of_data = first + strlen(begin), *last = strstr(start_of_data, end);
    assert_non_null(last);
    assert_true(last == start_of_data || last[-1] == '\n');
    assert_int_equal(last - start_of_data, strlen(data));
    assert_memory_equal(start_of_data, data, strlen(data));
    assert_string_equal(last + strlen(end), "");
    *first = '\0';
    assert_non_null(strstr(fake.printed, file));
    assert_non_null(strstr(fake.printed, reason));
}

TEST(refused_append)
{
    fake.refuses = "the volume is full";
    append("results.csv", "mlp,2m,1\nmlp,2m,2\n");
    assert_true(record.failed);
    check_console("results.csv", "the volume is full", "mlp,2m,1\nmlp,2m,2\n");
}

TEST(refused_replace)
{
    fake.refuses = "write protected";
    replace("run.json", "{\n  \"a\": 1\n}\n", true);
    assert_true(record.failed);
    check_console("run.json", "write protected", "{\n  \"a\": 1\n}\n");
}

/* What will be written again is not worth the console's room yet. */
TEST(refused_replace_before_the_last)
{
    fake.refuses = "write protected";
    replace("run.json", "{\n  \"a\": 1\n}\n", false);
    assert_true(record.failed);
    assert_string_equal(fake.printed, "\nrun.json could not be saved: write protected\n");
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
    check_console("log.txt", "no medium", "event=start\nevent=fault message=\"page fault\"\n");
    /* What was printed is not saved a second time. */
    fake.refuses = NULL;
    record_event(&record, "event=done");
    record_save_log(&record);
    assert_string_equal(fake.appended, "event=done\n");
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
    record_init(&record, &fake.platform);
    assert_false(record.failed);
    record_event(&record, "event=new");
    record_save_log(&record);
    assert_string_equal(fake.appended, "event=new\n");
}

/* --- files on the console -------------------------------------------------------------------- */

/* What a reader makes of it: lines between the markers, those that go on in the next joined. */
static void assert_recovered(const char *begin, const char *end, const char *wanted)
{
    char joined[FAKE_TEXT_MAX] = "";
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
    fake.platform.prints_files = true;
    record_event(&record, "event=start");
    record_save_log(&record);
    assert_string_equal(fake.printed, "=== mlpboot log.txt begin ===\nevent=start\n");
    record_event(&record, "event=long text=%0100u", 7u);
    record_event(&record, "event=done");
    record_end_log(&record);
    assert_recovered("=== mlpboot log.txt begin ===\n", "=== mlpboot log.txt end ===\n",
                     fake.appended);
    assert_string_equal(strstr(fake.printed, "event=done"),
                        "event=done\n=== mlpboot log.txt end ===\n");
}

/* Whatever their length, and where a line itself ends in a backslash. */
TEST(lines_of_any_length)
{
    static char content[FAKE_TEXT_MAX / 4];
    struct text text;

    fake.platform.prints_files = true;
    text_init(&text, content, sizeof content);
    for (unsigned length = 0; length < 3 * RECORD_COLUMNS; length += length < 70 ? 35 : 1) {
        for (unsigned i = 0; i < length; i++)
            text_char(&text, i + 2 < length ? (char)('a' + i % 26) : '\\');
        text_char(&text, '\n');
        if (text.length < 8000)
            continue;
        record_print(&record, "some.csv", &text);
        assert_recovered("=== mlpboot some.csv begin ===\n", "=== mlpboot some.csv end ===\n",
                         content);
        fake.printed[0] = '\0';
        text_clear(&text);
    }
    record_print(&record, "some.csv", &text);
    assert_recovered("=== mlpboot some.csv begin ===\n", "=== mlpboot some.csv end ===\n", content);
}

TEST(nothing_is_printed_where_files_are_kept)
{
    struct text text;
    char content[] = "one\n";

    text_init(&text, content, sizeof content);
    record_event(&record, "event=start");
    record_end_log(&record);
    record_print(&record, "some.csv", &text);
    assert_string_equal(fake.printed, "");
    assert_string_equal(fake.appended, "event=start\n");
}
