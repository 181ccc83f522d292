/* test_read_results: stored tables of any origin, and what is wrong with one. */
#include "../hosted/read_results.h"
#include "kit.h"

#define HEADER                                                                                     \
    "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,median,p90,max,mean,"   \
    "p1,visits,center,center_error,mean_error,attempt\n"
#define ROW "mlp,2m,3,16,,,tsc,ticks,50,1,100,110,120.5,130,400,125.25,100,0,,,,0\n"
#define ONES "1,1,1,1,1,1,1,0,,,,0" /* numbers, no visits, the first attempt */

static struct results_table table;
static char error[512];

static bool read_text(const char *text)
{
    return read_results_text("t.csv", text, strlen(text), &table, error, sizeof(error));
}

static void assert_wrong(const char *text, const char *message)
{
    assert_false(read_text(text));
    assert_null(table.rows);
    assert_string_equal(error, message);
}

TEST(reads_a_row)
{
    assert_true(read_text(HEADER ROW));
    assert_int_equal(table.count, 1);
    const struct row *row = &table.rows[0];
    assert_string_equal(row->variant.experiment, "mlp");
    assert_true(row->variant.has_page);
    assert_compare(row->variant.page, ==, PAGE_2M);
    assert_string_equal(row->variant.pattern, "");
    assert_string_equal(row->variant.label, "");
    assert_numbers((row->n, row->k, row->bytes, row->stage), (3, 16, ROW_NONE, ROW_NONE));
    assert_string_equal(row->metric, "tsc");
    assert_string_equal(row->unit, "ticks");
    assert_numbers((row->samples, row->discarded), (50, 1));
    assert_numbers((row->min, row->p10, row->median), (100, 110, 120.5));
    assert_numbers((row->p90, row->max, row->mean), (130, 400, 125.25));
    results_table_free(&table);
}

/* Other programs leave files in another order, with more columns, CR LF, quotes, a byte mark. */
TEST(reads_files_of_other_origin)
{
    assert_true(read_text(
        "\xef\xbb\xbfmean,note,\"n\",case,experiment,k,bytes,stage,metric,unit,"
        "samples,discarded,min,p10,median,p90,max,p1,visits,center,center_error,mean_error,"
        "attempt\r\n"
        "3e2,\"a \"\"b\"\",\nc\",7,\"x,y\",mlp,,,,tsc,,5,0,1,2,3e2,400,+5e2,1,2,,,,2\r\n\r\n"
        ",,8,,mlp,,,,tsc,,0,0,,,,,,,0,,,,0"));
    assert_int_equal(table.count, 2);
    assert_string_equal(table.rows[0].variant.pattern, "x,y");
    assert_string_equal(table.rows[1].variant.pattern, "");
    assert_numbers((table.rows[0].attempt, table.rows[1].attempt, table.rows[0].n), (2, 0, 7));
    assert_numbers((table.rows[0].median, table.rows[0].p90), (300, 400));
    assert_numbers((table.rows[0].max, table.rows[0].mean), (500, 300));
    assert_true(isnan(table.rows[1].max) && isnan(table.rows[1].mean));
    results_table_free(&table);
}

TEST(reads_many_rows)
{
    const size_t rows = 5000;
    char *text = malloc(sizeof(HEADER) + rows * sizeof(ROW));
    char *at = stpcpy(text, HEADER);
    for (size_t i = 0; i < rows; i++)
        at = stpcpy(at, ROW);
    assert_true(read_text(text));
    assert_numbers((table.count, table.rows[rows - 1].mean), (rows, 125.25));
    results_table_free(&table);
    free(text);
}

TEST(names_what_is_wrong_with_the_header)
{
    assert_wrong("", "t.csv: is empty; its first line names the columns");
    assert_wrong("experiment,case\nmlp,2m\n", "t.csv: line 1, column n: missing from the header");
    assert_wrong(
        "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,median,p90,max,"
        "mean,p1,visits,center,center_error,attempt\n",
        "t.csv: line 1, column mean_error: missing from the header");
    assert_wrong("experiment,experiment\n",
                 "t.csv: line 1, column experiment: named twice in the header");
}

/* What a run leaves that ended before its first row. */
TEST(reads_a_header_alone)
{
    assert_true(read_text(HEADER));
    assert_int_equal(table.count, 0);
    assert_true(read_text(HEADER "\n\n"));
    assert_int_equal(table.count, 0);
    results_table_free(&table);
}

TEST(names_the_wrong_line)
{
    static const char with_nul[] = HEADER "mlp,2m,\0,,,,tsc,ticks,5,1," ONES "\n";
    assert_wrong(HEADER "mlp,2m,3\n", "t.csv: line 2: 3 fields; the header names 22 columns");
    assert_wrong(HEADER "mlp,2m,3,,,,tsc,ticks,5,1,1,1,1,1,1,1,1,0,,,,0,\n",
                 "t.csv: line 2: 23 fields; the header names 22 columns");
    assert_wrong(HEADER "mlp,\"2m,3,,\n",
                 "t.csv: line 2, column case: a quote is opened and never closed");
    assert_wrong(HEADER "mlp,\"2m\"x,3,,\n",
                 "t.csv: line 2, column case: text after a closing quote");
    assert_wrong(HEADER "mlp,2\"m,3,,\n",
                 "t.csv: line 2, column case: a quote inside a field that does not start with one");
    assert_false(
        read_results_text("t.csv", with_nul, sizeof(with_nul) - 1, &table, error, sizeof(error)));
    assert_string_equal(error, "t.csv: line 2, column n: a NUL byte; this is not a text file");
}

TEST(says_why_a_file_cannot_be_read)
{
    assert_false(read_results("/nowhere/results.csv", &table, error, sizeof(error)));
    assert_string_equal(error, "/nowhere/results.csv: No such file or directory");
    assert_false(read_results("/tmp", &table, error, sizeof(error)));
    assert_string_equal(error, "/tmp: Is a directory");
}

/* Every case goes through case_read, also where it changes from row to row and back. */
TEST(reads_cases)
{
    assert_true(read_text(HEADER "mlp,4k-cold-node1-mine-cpuid,,,,,tsc,,1,0," ONES "\n"
                                 "mlp,4k-cold-node1-mine-cpuid,,,,,ns,,1,0," ONES "\n"
                                 "patterns,page-2m-nopf,,,,,tsc,,1,0," ONES "\n"
                                 "noise,,,,,,tsc,,1,0," ONES "\n"
                                 "patterns,page-2m-nopf,,,,,tsc,,1,0," ONES "\n"));
    const struct variant *of = &table.rows[1].variant;
    assert_true(case_same(of, &table.rows[0].variant));
    assert_numbers((of->page, of->tlb, of->order), (PAGE_4K, TLB_COLD, ORDER_CPUID));
    assert_numbers((of->memory, of->node), (MEMORY_NODE, 1));
    assert_string_equal(of->label, "mine");
    assert_string_equal(table.rows[2].variant.pattern, "page");
    assert_true(table.rows[2].variant.prefetch_off);
    assert_compare(table.rows[2].variant.memory, ==, MEMORY_LOCAL);
    assert_false(table.rows[3].variant.has_page);
    assert_true(case_same(&table.rows[2].variant, &table.rows[4].variant));
    results_table_free(&table);
}

/* --- what no measurement can be, and what looks like it --------------------------------------- */

#define POINT "mlp,2m,3,,,,"
#define MEDIAN(text) POINT "tsc,ticks,50,1,100,110," text ",130,400,125,100,0,,,,0"
#define VISITED POINT "tsc,ticks,50,1,100,110,120,130,400,125,"
#define X32 "abcdefghijklmnopqrstuvwxyzabcdef"

#define NO_NUMBER " is not a number; accepted: a decimal one, as 120.5"
#define NEGATIVE " is negative; accepted: 0 and above"
#define TOO_LARGE " is too large; accepted: up to "
#define EMPTY "is empty, and the row has samples; accepted: a number"
#define ORDER "; accepted: min <= p10 <= median <= p90 <= max"
#define MEAN "; accepted: from min to max, 1 to 5"
#define P1 "; accepted: from min to p10, 100 to 110"
#define ASCII "; accepted: printable ASCII"

static const struct {
    const char *row, *column, *what;
} refused[] = {
    {MEDIAN("abc"), "median", "\"abc\"" NO_NUMBER},
    {MEDIAN("nan"), "median", "\"nan\"" NO_NUMBER},
    {MEDIAN("0x10"), "median", "\"0x10\"" NO_NUMBER},
    {MEDIAN("1e999"), "median", "\"1e999\"" TOO_LARGE "9007199254740992"},
    {MEDIAN(""), "median", EMPTY},
    {POINT "tsc,ticks,-50,1," ONES, "samples", "\"-50\"" NEGATIVE},
    {"mlp,2m,-3,,,,tsc,ticks,50,1," ONES, "n", "\"-3\"" NEGATIVE},
    {"mlp,2m,9223372036854775808,,,,tsc,ticks,50,1," ONES, "n",
     "\"9223372036854775808\"" TOO_LARGE "9223372036854775807"},
    {POINT "tsc,,18446744073709551616,0," ONES, "samples",
     "\"18446744073709551616\"" TOO_LARGE "18446744073709551615"},
    {POINT "tsc,ticks,,1,1,1,1,1,1,1,,0,,,,0", "samples",
     "\"\" is not a whole number; accepted: 0 and above"},
    {X32 X32 X32 ",2m,3,,,,tsc,ticks,5,1," ONES, "experiment",
     "\"" X32 X32 X32 "\" is longer than 95 characters"},
    {",2m,3,,,,tsc,ticks,5,1," ONES, "experiment", "is empty; accepted: 1 to 95 characters"},
    /* numbers out of order */
    {POINT "tsc,,9,0,2,1,3,4,5,3,2,0,,,,0", "p10", "1 is below min, 2" ORDER},
    {POINT "tsc,,9,0,1,3,2,4,5,3,1,0,,,,0", "median", "2 is below p10, 3" ORDER},
    {POINT "tsc,,9,0,1,2,4.5,4.25,5,3,1,0,,,,0", "p90", "4.25 is below median, 4.5" ORDER},
    {POINT "tsc,,9,0,1,2,3,5,4,3,1,0,,,,0", "max", "4 is below p90, 5" ORDER},
    {POINT "gap,,9,0,1,2,3,5,4,3,1,0,,,,0", "max", "4 is below p90, 5" ORDER},
    /* numbers have three decimals: a mean of rounded ones may be off by as much */
    {POINT "tsc,,9,0,1,2,3,4,5,5.1,1,0,,,,0", "mean", "5.1" MEAN},
    {POINT "tsc,,9,0,1,2,3,4,5,0.9,1,0,,,,0", "mean", "0.9" MEAN},
    {POINT "tsc,,9,0,1,2,3,4,5,5.002,1,0,,,,0", "mean", "5.002" MEAN},
    {POINT "tsc,,1,0,1,2,3,4,5,3,1,0,,,,0", "max",
     "5, and min is 1; accepted: all the same, of one sample"},
    /* times */
    {POINT "tsc,,9,0,0,0,0,0,0,0,0,0,,,,0", "max", "0; accepted: times above 0"},
    {POINT "ns,,9,0,0,0,0,0,0,0,0,0,,,,0", "max", "0; accepted: times above 0"},
    {POINT "tsc,,9,0,-5,-4,-3,-2,-1,-3,-5,0,,,,0", "min", "\"-5\"" NEGATIVE},
    {POINT "tsc,,9,0,-0.5,1,2,3,4,3,-0.5,0,,,,0", "min", "\"-0.5\"" NEGATIVE},
    {POINT "tsc,,9,0,1,2,3,4,1e308,5,1,0,,,,0", "max", "\"1e308\"" TOO_LARGE "9007199254740992"},
    {POINT "tsc,,9,0,1,2,3,4,9007199254740994,5,1,0,,,,0", "max",
     "\"9007199254740994\"" TOO_LARGE "9007199254740992"},
    /* samples */
    {POINT "tsc,,1,0,3,3,,3,3,3,3,0,,,,0", "median", EMPTY},
    {POINT "tsc,,0,9,,,3,,,,,0,,,,0", "median", "3, and the row has no samples; accepted: empty"},
    /* visits */
    {VISITED ",8,120,2,2,0", "p1", EMPTY},
    {VISITED "99,8,120,2,2,0", "p1", "99" P1},
    {VISITED "111,8,120,2,2,0", "p1", "111" P1},
    {VISITED "104,51,120,2,2,0", "visits", "51; accepted: no more than the 50 samples"},
    {VISITED "104,8,400.1,2,2,0", "center", "400.1; accepted: no more than max, 400"},
    {VISITED "104,8,120,-2,2,0", "center_error", "\"-2\"" NEGATIVE},
    {VISITED "104,8,120,2,-2,0", "mean_error", "\"-2\"" NEGATIVE},
    {VISITED "104,-8,120,2,2,0", "visits", "\"-8\"" NEGATIVE},
    /* what a terminal must not see */
    {"m\x1blp,2m,3,,,,tsc,,1,0," ONES, "experiment", "\"m?lp\" holds the byte 0x1b" ASCII},
    {"mlp,2m,3,,,,\"t\nsc\",,1,0," ONES, "metric", "\"t?sc\" holds the byte 0x0a" ASCII},
};

TEST(refuses_what_no_measurement_can_be)
{
    char text[1024], message[512];
    for (EACH(c, refused)) {
        snprintf(text, sizeof text, HEADER ROW "%s\n", c->row);
        snprintf(message, sizeof message, "t.csv: line 3, column %s: %s", c->column, c->what);
        assert_wrong(text, message);
    }
}

TEST(takes_what_is_least_like_a_row_of_times)
{
    static const char *const taken[] = {
        /* means of rounded numbers */
        "tsc,,9,0,1,2,3,4,5,5.0005,1,0,,,,0", "tsc,,9,0,1,2,3,4,5,0.9995,1,0,,,,0",
        "sum,,3,0,9007199254740991,9007199254740991,9007199254740991,9007199254740991,"
        "9007199254740991,9007199254740992,9007199254740991,0,,,,0",
        "tsc,,1,0,7.5,7.5,7.5,7.5,7.5,7.5,7.5,0,,,,0", "tsc,,2,0,1,1,2,3,3,2,1,0,,,,0",
        "loads_retired,,9,0,0,0,0,0,0,0,0,0,,,,0", /* a count */
        "pair,,9,0,0,0,0,0,0,0,0,0,,,,0",          /* timestamps that nothing orders */
        "tsc,,9,0,0,0,0,36,36,8,0,0,,,,0",         /* by a clock of steps */
        "tsc,,9,0,1,2,3,4,9007199254740992,5,1,0,,,,0", "tsc,,0,9,,,,,,,,0,,,,0",
        /* as runs write them */
        "smi,interrupts,2,0,17,17,18.5,20,20,18.5,17,0,,,,0",
        "threshold,ns,1,0,38.462,38.462,38.462,38.462,38.462,38.462,38.462,0,,,,0",
        "gap,ns,0,0,,,,,,,,0,,,,0",
        "gap,ns,2,0,100.021,100.021,150.5,200.25,200.25,150.136,100.021,0,,,,0",
        "skipped,\"SRAT: there is no such ACPI table, so one node\",0,0,,,,,,,,0,,,,0",
        "sum,sum,3,0,2199022206976,2199022206976,2199022206976,2199022206976,"
        "2199022206976,2199022206976,2199022206976,0,,,,0",
        "checksum,order,1,0,0,0,0,0,0,0,0,0,,,,0"};
    char text[1024];
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        snprintf(text, sizeof text, HEADER ROW POINT "%s\n", taken[i]);
        if (!read_text(text))
            fail_msg("%s: %s", taken[i], error);
        results_table_free(&table);
    }
}

/* Where a whole number just fits, and no more. */
TEST(reads_the_largest_whole_numbers)
{
    assert_true(read_text(
        HEADER "mlp,2m,9223372036854775807,,,,tsc,,18446744073709551615,0,1,1,1,1,1,1,1,0,,,,0\n"));
    assert_numbers((table.rows[0].n, table.rows[0].samples), (INT64_MAX, UINT64_MAX));
    results_table_free(&table);
}

/* --- what a terminal must not see ------------------------------------------------------------- */

TEST(refuses_names_with_bytes_that_are_no_ascii)
{
    static const char *const bytes[] = {"\x1b", "\x01", "\x1f", "\x7f", "\x80", "\xff", "\t"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        char text[512], message[256];
        unsigned byte = (unsigned char)bytes[i][0];
        snprintf(text, sizeof text, HEADER "mlp,2m%s[31m,3,,,,tsc,,1,0," ONES "\n", bytes[i]);
        snprintf(message, sizeof message,
                 "t.csv: line 2, column case: \"2m?[31m\" holds the byte 0x%02x; accepted: "
                 "printable ASCII",
                 byte);
        assert_wrong(text, message);
    }
}

TEST(replaces_what_cannot_be_printed_in_a_unit)
{
    assert_true(
        read_text(HEADER "mlp,2m,3,,,,skipped,\"a\x1b[2J\xc2\xb5s\n\x7f~ b\",0,0,,,,,,,,0,,,,0\n"));
    assert_string_equal(table.rows[0].unit, "a?[2J??s??~ b");
    results_table_free(&table);
}

/* No message shows a byte of the file that could be a command to a terminal. */
TEST(shows_only_ascii_in_messages)
{
    static const char *const texts[] = {
        HEADER "mlp,2m,\x1b,,,,tsc,,1,0," ONES "\n",
        HEADER "mlp,2m,,,,,tsc,,1,0,\x1b[31m,1,1,1,1,1,\x1b[31m,0,,,,0\n",
        HEADER "mlp,2m,,,,,tsc,,\x9b,0,1,1,1,1,1,1,1,0,,,,0\n",
        HEADER "mlp,\033[567890123456789012345678901234567890123456789012345678901,,,,,t,,,,,,,,,,,"
               "0,,,,0\n",
        HEADER "mlp,\x1b\"2m\n",
        "\x1b[31m\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(read_text(texts[i]));
        for (const char *c = error; *c != '\0'; c++)
            assert_in_range(*c, 0x20, 0x7e);
    }
}

/* --- visits ---------------------------------------------------------------------------------- */

TEST(reads_visits)
{
    assert_true(read_text(HEADER VISITED "104.5,8,119.75,2.25,2.5,0\n" VISITED "100,0,,,,0\n"));
    assert_int_equal(table.count, 2);
    const struct row *row = &table.rows[0];
    assert_numbers((row->p1, row->visits, row->center), (104.5, 8, 119.75));
    assert_numbers((row->center_error, row->mean_error), (2.25, 2.5));
    row = &table.rows[1];
    assert_true(isnan(row->center));
    assert_true(isnan(row->center_error) && isnan(row->mean_error));
    assert_int_equal(table.rows[1].visits, 0);
    results_table_free(&table);
}
