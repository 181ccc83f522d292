/* test_serial_log: logs as record writes them, and what lines, terminals and people make of them.
 */
#include "../../kernel/lib/text.h"
#include "../../kernel/report/record.h"
#include "../hosted/serial_log.h"
#include "fake_platform.h"
#include "kit.h"

#define LOG_MAX (2 * FAKE_TEXT_MAX)

static struct fake_platform fake;
static struct record record;
static char table[6000];   /* what results.csv is to hold */
static char made[LOG_MAX]; /* a log that is made of another, */
static size_t made_length; /* so long */
static struct serial_log log_read;

static void add(const char *file, const char *content)
{
    struct text text = {(char *)content, strlen(content) + 1, strlen(content), false};

    record_append(&record, file, &text);
}

static void replace(const char *content, bool final)
{
    struct text text = {(char *)content, strlen(content) + 1, strlen(content), false};

    record_replace(&record, "run.json", &text, final);
}

/* A run of which nothing can be saved. */
static void write_log(uint64_t started)
{
    static char memory[300];
    struct text text;

    fake_platform_open(&fake);
    fake.platform.folder = "0007";
    fake.platform.prints_log = true;
    fake.refuses = "the volume is full";
    record_init(&record, &fake.platform, started);
    replace("{", false); /* before anything of the log */
    record_event(&record, "event=start");
    record_save_log(&record);
    table[0] = '\0';
    for (unsigned i = 0; i < 60; i++) {
        text_init(&text, memory, sizeof memory);
        text_printf(&text, "mlp,2m-L\xc3\xa4\\bel,%u,%u,%0*u \n", i, (unsigned)started, (int)i, 7u);
        strcat(table, memory);
        add("results.csv", memory);
    }
    add("verdicts.csv", "experiment\n");
    replace("{}", true);
    record_event(&record, "event=done");
    record_end_log(&record);
}

/* The same, smaller: one block each of two files. */
static void write_small_log(void)
{
    write_log(1);
    fake.printed[0] = '\0';
    fake.platform.prints_log = false;
    record_init(&record, &fake.platform, 1);
    add("results.csv", "a,b\nc\\d\n");
    add("verdicts.csv", "e\n");
    record_end_log(&record);
}

static void make_of(const char *text)
{
    made_length = strlen(text);
    assert_true(made_length < sizeof made);
    memcpy(made, text, made_length + 1);
}

static void read_made(void)
{
    char *exact = malloc(made_length + 1); /* so that a sanitizer sees a step beyond it */

    memcpy(exact, made, made_length);
    assert_true(serial_log_read(&log_read, exact, made_length));
    free(exact);
}

static const struct serial_file *file_of(size_t run, const char *name, unsigned version)
{
    assert_true(run < log_read.count);
    for (size_t i = 0; i < log_read.runs[run].count; i++)
        if (strcmp(log_read.runs[run].files[i].name, name) == 0 &&
            log_read.runs[run].files[i].version == version)
            return &log_read.runs[run].files[i];
    return NULL;
}

static void assert_file(size_t run, const char *name, unsigned version, const char *wanted)
{
    const struct serial_file *file = file_of(run, name, version);
    struct serial_whole whole;

    assert_non_null(file);
    serial_file_join(file, &whole);
    assert_string_equal(whole.reason, "");
    assert_true(whole.is_whole);
    assert_int_equal(whole.length, strlen(wanted));
    assert_memory_equal(whole.data, wanted, whole.length);
    free(whole.data);
}

/* What a file that is not whole lacks, and what there is of it. */
static void assert_lacks(size_t run, const char *name, unsigned version, const char *reason,
                         const char *there)
{
    const struct serial_file *file = file_of(run, name, version);
    struct serial_whole whole;

    assert_non_null(file);
    serial_file_join(file, &whole);
    assert_false(whole.is_whole);
    assert_string_equal(whole.reason, reason);
    if (there != NULL) {
        assert_int_equal(whole.length, strlen(there));
        assert_memory_equal(whole.data, there, whole.length);
    }
    free(whole.data);
}

/* The log of write_log(1), in whatever form. */
static void assert_all_there(void)
{
    read_made();
    assert_int_equal(log_read.count, 1);
    assert_int_equal(log_read.lost, 0);
    assert_string_equal(log_read.runs[0].name, "0007-00000001");
    assert_file(0, "results.csv", 1, table);
    assert_file(0, "verdicts.csv", 1, "experiment\n");
    assert_file(0, "run.json", 1, "{");
    assert_file(0, "run.json", 2, "{}");
    assert_file(0, "log.txt", 1, "event=start\nevent=done\n");
    assert_file(0, "log.txt", 0, "event=start\nevent=done\n");
    serial_log_free(&log_read);
}

/* The log anew, each line through a function that appends what it likes to `made`. */
static void remake(void (*line)(struct text *to, const char *at, int length, unsigned number))
{
    struct text text;
    unsigned number = 0;

    text_init(&text, made, sizeof made);
    for (const char *at = fake.printed; *at != '\0'; at += strcspn(at, "\n") + 1)
        line(&text, at, (int)strcspn(at, "\n"), number++);
    assert_false(text.truncated);
    made_length = text.length;
}

TEST(a_log_as_it_was_printed)
{
    write_log(1);
    make_of(fake.printed);
    assert_all_there();
}

static void as_a_terminal(struct text *to, const char *at, int length, unsigned number)
{
    static const char *const before[] = {
        "\x1b[0m\x1b[37m\x1b[40m", "\x1b[2J\x1b[01;01H", "\r", "\x1b]0;a title\a", "\x1b", "\b"};

    text_printf(to, "%s%.*s\x1b[K%.*s\r\n", before[number % 6], length / 2, at, length - length / 2,
                at + length / 2);
}

static void with_times(struct text *to, const char *at, int length, unsigned number)
{
    text_printf(to, "[%08u.%03u] %.*s\n", number, number % 1000, length, at);
}

static void with_others(struct text *to, const char *at, int length, unsigned number)
{
    text_printf(to, "%.*s\n", length, at);
    if (number % 3 == 0)
        text_printf(to, "50%% mlp a | b\n\nevent\n  |x\n=== mlpboot\n=== \n");
}

static void twice(struct text *to, const char *at, int length, unsigned number)
{
    static const char *block;

    if (strncmp(at, "=== mlpboot 0007", 16) == 0)
        block = at;
    text_printf(to, "%.*s\n", length, at);
    if (strncmp(at, "=== mlpboot end", 15) == 0)
        text_printf(to, "%.*s\n", (int)(at + length - block), block);
    (void)number;
}

TEST(what_is_added_on_the_way_is_dropped)
{
    write_log(1);
    remake(as_a_terminal);
    assert_all_there();
    remake(with_times);
    assert_all_there();
    remake(with_others);
    assert_all_there();
    remake(twice);
    assert_all_there();
}

TEST(blocks_in_another_order)
{
    write_small_log();
    char *second = strstr(fake.printed + 1, "\n=== mlpboot 0007-00000001 verdicts");
    assert_non_null(second);
    snprintf(made, sizeof made, "%s%.*s\n", second, (int)(second - fake.printed), fake.printed);
    made_length = strlen(made);
    read_made();
    assert_file(0, "results.csv", 1, "a,b\nc\\d\n");
    assert_file(0, "verdicts.csv", 1, "e\n");
    serial_log_free(&log_read);
}

TEST(several_runs)
{
    struct text text;
    static char first[sizeof table];

    text_init(&text, made, sizeof made);
    write_log(1);
    strcpy(first, table);
    text_printf(&text, "%s%s", fake.printed, "BdsDxe: loading Boot0001\n");
    write_log(2);
    text_printf(&text, "%s", fake.printed);
    made_length = text.length;
    read_made();
    assert_int_equal(log_read.count, 2);
    assert_string_equal(log_read.runs[1].name, "0007-00000002");
    assert_file(0, "results.csv", 1, first);
    assert_file(1, "results.csv", 1, table);
    assert_file(1, "log.txt", 0, "event=start\nevent=done\n");
    serial_log_free(&log_read);
}

/* --- damage: what is called whole is right, whatever happened ----------------------------------
 */

static const char *wanted_of(const char *name)
{
    if (strcmp(name, "results.csv") == 0)
        return "a,b\nc\\d\n";
    return strcmp(name, "verdicts.csv") == 0 ? "e\n" : "";
}

static void assert_right_or_told(void)
{
    struct serial_whole whole;

    read_made();
    for (size_t i = 0; i < log_read.count; i++)
        for (size_t j = 0; j < log_read.runs[i].count; j++) {
            const struct serial_file *file = &log_read.runs[i].files[j];
            const char *wanted = wanted_of(file->name);
            serial_file_join(file, &whole);
            assert_true(whole.is_whole == (whole.reason[0] == '\0'));
            if (whole.is_whole) {
                assert_string_equal(log_read.runs[i].name, "0007-00000001");
                assert_int_equal(whole.length, strlen(wanted));
                assert_memory_equal(whole.data, wanted, whole.length);
            }
            free(whole.data);
        }
    serial_log_free(&log_read);
}

TEST(any_byte_damaged)
{
    write_small_log();
    size_t length = strlen(fake.printed);
    for (size_t at = 0; at < length; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            make_of(fake.printed);
            made[at] ^= (char)(1u << bit);
            assert_right_or_told();
        }
        make_of(fake.printed); /* dropped */
        memmove(made + at, made + at + 1, length - at);
        made_length--;
        assert_right_or_told();
        make_of(fake.printed); /* another one in front of it */
        memmove(made + at + 1, made + at, length - at);
        made[at] = "|\n\\\x1b= "[at % 6];
        made_length++;
        assert_right_or_told();
    }
}

TEST(cut_off_anywhere)
{
    write_small_log();
    size_t length = strlen(fake.printed);
    for (size_t at = 0; at < length; at++) {
        make_of(fake.printed); /* at its end */
        made_length = at;
        assert_right_or_told();
        make_of(fake.printed + at); /* at its beginning */
        assert_right_or_told();
    }
}

/* Copies the log without so many bytes from where the words are. */
static void without(const char *words, size_t bytes)
{
    make_of(fake.printed);
    char *at = strstr(made, words);
    assert_non_null(at);
    memmove(at, at + bytes, made_length - (size_t)(at - made) - bytes + 1);
    made_length -= bytes;
}

TEST(damage_is_told_with_its_place)
{
    write_small_log();
    without("|c", 3);
    read_made();
    assert_lacks(0, "results.csv", 1, "bytes 0 to 7 came damaged", "");
    assert_file(0, "verdicts.csv", 1, "e\n");
    assert_int_equal(log_read.lost, 0);
    serial_log_free(&log_read);

    without("=== mlpboot 0007-00000001 results.csv version 1 at", 30);
    read_made();
    assert_lacks(0, "results.csv", 1, "bytes 0 to 7 are missing", "");
    assert_int_equal(log_read.lost, 1);
    serial_log_free(&log_read);

    without("=== mlpboot 0007-00000001 results.csv version 1 whole", 10);
    read_made();
    assert_lacks(0, "results.csv", 1, "where it ends is not in the log", "a,b\nc\\d\n");
    serial_log_free(&log_read);
}

/* One block of many: what there is keeps its order, and lines are whole. */
TEST(a_block_that_is_missing)
{
    write_log(1);
    char *block = strstr(fake.printed, "results.csv version 1 at 9");
    assert_non_null(block);
    unsigned long at, bytes;
    assert_int_equal(sscanf(block, "results.csv version 1 at %lu bytes %lu", &at, &bytes), 2);
    without("results.csv version 1 at 9", 1);
    read_made();
    char reason[80], there[sizeof table];
    snprintf(reason, sizeof reason, "bytes %lu to %lu are missing", at, at + bytes - 1);
    snprintf(there, sizeof there, "%.*s%s", (int)at, table, table + at + bytes);
    assert_lacks(0, "results.csv", 1, reason, there);
    serial_log_free(&log_read);
}

/* A run that was cut short tells no end; a file whose beginning was saved elsewhere, no beginning.
 */
TEST(beginnings_and_ends_that_are_missing)
{
    write_small_log();
    fake.printed[0] = '\0';
    record_init(&record, &fake.platform, 1);
    fake.refuses = NULL;
    add("results.csv", "saved\n");
    fake.refuses = "full";
    add("results.csv", "a\n");
    make_of(fake.printed);
    read_made();
    assert_lacks(0, "results.csv", 1, "bytes 0 to 5 are missing; where it ends is not in the log",
                 "a\n");
    serial_log_free(&log_read);
}

/* Machines that are alike to the last tick: what is right of each is not put together. */
TEST(two_runs_of_one_name)
{
    struct text text;

    text_init(&text, made, sizeof made);
    write_small_log();
    text_printf(&text, "%s", fake.printed);
    fake.printed[0] = '\0';
    record_init(&record, &fake.platform, 1);
    add("results.csv", "a,b\nx\\d\n");
    add("verdicts.csv", "e\n");
    record_end_log(&record);
    text_printf(&text, "%s", fake.printed);
    made_length = text.length;
    read_made();
    assert_lacks(0, "results.csv", 1, "blocks of the same place are not the same", "a,b\nc\\d\n");
    assert_file(0, "verdicts.csv", 1, "e\n");
    serial_log_free(&log_read);
}

/* --- what somebody else wrote ------------------------------------------------------------------
 */

/* A block with the right checksum, whatever it says. */
static void add_block(struct text *to, const char *title, const char *lines, const char *content)
{
    char sum[BLOCK_CHECKSUM + 1];

    block_checksum(content, strlen(content), title, strlen(title), sum);
    text_printf(to, "=== mlpboot %s ===\n%s=== mlpboot end sha256 %s ===\n", title, lines, sum);
}

TEST(titles_that_nothing_of_ours_writes)
{
    static const char *const titles[] = {
        "../x f version 1 at 0 bytes 2",
        "r ../f version 1 at 0 bytes 2",
        "r .f version 1 at 0 bytes 2",
        "r a/b version 1 at 0 bytes 2",
        "r f version 0 at 0 bytes 2",
        "r f version -1 at 0 bytes 2",
        "r f version 99999999999 at 0 bytes 2",
        "r f version 1 at 99999999999999999999999 bytes 2",
        "r f version 1 at  bytes 2",
        "r f version 1 at 0 bytes 2 2",
        "r f version 1 at 0 bytes 2k",
        "r  f version 1 at 0 bytes 2",
        "r f Version 1 at 0 bytes 2",
        "r averylongfilename version 1 at 0 bytes 2",
        "averylongnameofarun f version 1 at 0 bytes 2",
        "",
        " ",
    };

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        struct text text;
        text_init(&text, made, sizeof made);
        add_block(&text, titles[i], "|a\n", "a\n");
        made_length = text.length;
        read_made();
        assert_int_equal(log_read.count, 0);
        serial_log_free(&log_read);
    }
}

TEST(places_that_cannot_be)
{
    struct text text;

    text_init(&text, made, sizeof made);
    add_block(&text, "r f version 1 at 999999999999999 bytes 2", "|a\n", "a\n");
    add_block(&text, "r f version 1 at 1 bytes 2", "|b\n", "b\n");
    add_block(&text, "r f version 1 at 0 bytes 2", "|ab\\\n", "ab");
    add_block(&text, "r f version 1 at 0 bytes 999999999999999", "|ab\n", "ab\n");
    for (unsigned i = 10; i < 60; i += 4) {
        char title[64];
        snprintf(title, sizeof title, "r f version 1 at %u bytes 1", i);
        add_block(&text, title, "|c\\\n", "c");
    }
    made_length = text.length;
    read_made();
    assert_int_equal(log_read.count, 1);
    assert_lacks(0, "f", 1,
                 "bytes 3 to 9 came damaged; bytes 11 to 13 came damaged; bytes 15 to 17 came "
                 "damaged; bytes 19 to 21 came damaged; bytes 23 to 25 came damaged; bytes 27 to "
                 "29 came damaged; where it ends is not in the log; and 8 more such gaps",
                 "ab\n"
                 "ccccccccccccc"
                 "a\n");
    serial_log_free(&log_read);
}

TEST(a_run_of_a_thousand_files)
{
    struct text text;

    text_init(&text, made, sizeof made);
    for (unsigned i = 0; i < 1000; i++) {
        char title[64];
        snprintf(title, sizeof title, "r f%u version 1 at 0 bytes 2", i);
        add_block(&text, title, "|a\n", "a\n");
    }
    made_length = text.length;
    read_made();
    assert_in_range(log_read.runs[0].count, 10, 100);
    serial_log_free(&log_read);
}

/* Marks, bars, numbers and noise, in no order. */
TEST(noise)
{
    static const char *const words[] = {"=== mlpboot ",
                                        " ===",
                                        "\n",
                                        "\n",
                                        "|",
                                        "end sha256 0123456789abcdef",
                                        "log.txt begin",
                                        "log.txt end",
                                        "v.csv begin",
                                        "v.csv end",
                                        "r f version 1 at 0 bytes 2",
                                        "\\",
                                        "\\x4",
                                        "event=",
                                        "r f version 1 whole 2",
                                        "\x1b[",
                                        "\x1b]",
                                        "\x80\xff",
                                        "====",
                                        " 18446744073709551616",
                                        "\r"};
    uint64_t state = 1;

    for (unsigned round = 0; round < 3000; round++) {
        struct text text;
        text_init(&text, made, sizeof made);
        for (unsigned i = 0; i < 60; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            text_printf(&text, "%s", words[(state >> 33) % (sizeof words / sizeof *words)]);
        }
        made_length = text.length;
        read_made();
        for (size_t i = 0; i < log_read.count; i++)
            for (size_t j = 0; j < log_read.runs[i].count; j++) {
                struct serial_whole whole;
                serial_file_join(&log_read.runs[i].files[j], &whole);
                assert_true(!whole.is_whole || log_read.runs[i].files[j].version == 0);
                free(whole.data);
            }
        serial_log_free(&log_read);
    }
}

/* --- lines without blocks -----------------------------------------------------------------------
 */

#define LOG_BEGIN "=== mlpboot log.txt begin ===\n"
#define LOG_END "=== mlpboot log.txt end ===\n"
#define COLUMNS_7_TO_78 "890123456789012345678901234567890123456789012345678901234567890123456789"
#define SEVENTY_EIGHT "event=" COLUMNS_7_TO_78

TEST(lines_without_blocks)
{
    make_of("noise\n" LOG_BEGIN "event=start\nfloor: saved\n" SEVENTY_EIGHT "\\\nand more\n"
            "event=done\n" LOG_END "Verdicts\nthe end\n");
    read_made();
    assert_int_equal(log_read.count, 1);
    assert_string_equal(log_read.runs[0].name, "run-1");
    assert_file(0, "log.txt", 0, "event=start\n" SEVENTY_EIGHT "and more\nevent=done\n");
    serial_log_free(&log_read);
}

TEST(lines_without_blocks_that_lack_something)
{
    static const char lacks[] = "its beginning or its end is not in the log";

    make_of(LOG_BEGIN "event=start\n" LOG_BEGIN "event=start\nevent=done\n" LOG_END);
    read_made();
    assert_int_equal(log_read.count, 2);
    assert_lacks(0, "log.txt", 0, lacks, "event=start\n");
    assert_file(1, "log.txt", 0, "event=start\nevent=done\n");
    serial_log_free(&log_read);

    make_of("event=x\n" LOG_END LOG_BEGIN "event=\x80z\n" LOG_END);
    read_made();
    assert_lacks(0, "log.txt", 0, lacks, "");
    assert_lacks(1, "log.txt", 0, "it holds characters that no console prints", "event=\x80z\n");
    serial_log_free(&log_read);
}

/* A line of the log may say anything. */
TEST(a_label_that_looks_like_a_mark)
{
    make_of(LOG_BEGIN "event=start label==== mlpboot log.txt end ===\nevent=done\n" LOG_END);
    read_made();
    assert_file(0, "log.txt", 0, "event=start label==== mlpboot log.txt end ===\nevent=done\n");
    serial_log_free(&log_read);
}

TEST(nothing)
{
    make_of("");
    read_made();
    assert_int_equal(log_read.count, 0);
    serial_log_free(&log_read);
}
