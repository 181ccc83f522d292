/* test_loads_table: tables of N loads by K fillers, of all sizes, as the console shows them. */
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"

#include "kit.h"

#define CONSOLE_COLUMNS 79
#define PLOT_HEIGHT 12

static char memory[32768];
static struct text text;

#define ROWS_MAX (64 * 2048)

static struct row rows[ROWS_MAX];
static size_t row_count;
static char *line[256];
static unsigned line_count;

static double median_of(unsigned n, unsigned k)
{
    return 100 * n + k % 89;
}

static void make_rows(const char *variant, unsigned loads, unsigned fillers, unsigned step)
{
    row_count = 0;
    for (unsigned n = 1; n <= loads; n++)
        for (unsigned k = 0; k < fillers; k++) {
            struct row *row = &rows[row_count++];
            *row = rows_point("mlp", variant, n, k * step, median_of(n, k * step));
            rows_spread(row, 1);
        }
}

static void show(void)
{
    text_init(&text, memory, sizeof memory);
    rows_show(rows, row_count, loads_show, &text);
    assert_false(text.truncated);
    line_count = take_lines(memory, line, 256);
    for (unsigned i = 0; i < line_count; i++)
        if (strlen(line[i]) > CONSOLE_COLUMNS)
            fail_msg("%zu columns: %s", strlen(line[i]), line[i]);
}

/* The table's head is the line that names N and K; its rows follow until a blank line. */
static unsigned find_head(void)
{
    for (unsigned i = 0; i < line_count; i++)
        if (strstr(line[i], "N\\K") != NULL)
            return i;
    fail_msg("no head");
    return 0;
}

static unsigned numbers_of(const char *from, long *number, unsigned room)
{
    unsigned count = 0;
    char *end;

    for (long value; value = strtol(from, &end, 10), end != from; from = end) {
        assert_true(count < room);
        number[count++] = value;
    }
    assert_int_equal(strspn(from, " "), strlen(from));
    return count;
}

static void check_table(unsigned loads, unsigned fillers, unsigned step)
{
    long k[16], value[16];

    make_rows("2m", loads, fillers, step);
    show();
    unsigned head = find_head();
    unsigned columns = numbers_of(strstr(line[head], "N\\K") + 3, k, 16);
    assert_int_equal(columns, fillers < 10 ? fillers : 10);
    assert_int_equal(k[0], 0);
    assert_int_equal(k[columns - 1], (fillers - 1) * step);
    for (unsigned i = 1; i < columns; i++) {
        assert_true(k[i] > k[i - 1]);
        assert_int_equal(k[i] % step, 0);
    }
    for (unsigned n = 1; n <= loads; n++) {
        assert_int_equal(numbers_of(line[head + n], value, 16), columns + 1);
        assert_int_equal(value[0], n);
        for (unsigned i = 0; i < columns; i++)
            assert_int_equal(value[i + 1], (long)median_of(n, (unsigned)k[i]));
    }
    /* The curve stands below where there are two points of N = 2. */
    unsigned with_curve = loads >= 2 && fillers >= 2;
    assert_int_equal(line_count > head + loads + 1 + PLOT_HEIGHT, with_curve);
}

TEST(table_of_all_sizes)
{
    check_table(1, 1, 1);
    check_table(1, 20, 8);
    check_table(2, 1, 8);
    check_table(2, 2, 8);
    check_table(3, 9, 1);
    check_table(3, 10, 1);
    check_table(3, 11, 1);
    check_table(20, 41, 8);
    check_table(64, 41, 8);
    check_table(64, 2048, 2);
}

TEST(table_names_its_case)
{
    make_rows("1g-cold", 3, 5, 8);
    show();
    unsigned head = find_head(), named = 0;
    for (unsigned i = 0; i < head; i++)
        named += strstr(line[i], "mlp") != NULL && strstr(line[i], "1g-cold") != NULL;
    assert_int_equal(named, 1);
}

/* Cases with something appended: "-cold", "-node1", "-nopf". */
TEST(table_of_a_long_case)
{
    make_rows("4k-cold-node1-nopf", 3, 5, 8);
    show();
}

/* Rows that are counted, not timed, are none of its lines. */
TEST(table_of_counts_alone)
{
    make_rows("2m", 2, 2, 8);
    for (size_t i = 0; i < row_count; i++)
        strcpy(rows[i].metric, "instructions");
    show();
    assert_int_equal(line_count, find_head() + 1);
}

TEST(table_with_counts)
{
    make_rows("2m", 3, 3, 8);
    for (size_t i = 0, points = row_count; i < points; i++) {
        rows[row_count] = rows[i];
        rows[row_count].median = 7;
        strcpy(rows[row_count++].metric, i % 2 ? "zz" : "core_cycles");
    }
    rows[row_count] = rows_point("mlp", "2m", 0, 0, 37);
    strcpy(rows[row_count++].metric, "instructions");
    rows_shuffle(rows, row_count);
    show();
    long value[16];
    for (unsigned n = 1; n <= 3; n++) {
        assert_int_equal(numbers_of(line[find_head() + n], value, 16), 4);
        assert_int_equal(value[0], n);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(value[i + 1], (long)median_of(n, 8 * i));
    }
}

/* Where every sample was discarded there is no number. */
TEST(table_with_gaps)
{
    make_rows("2m", 3, 5, 8);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 2 || rows[i].k == 16) {
            rows[i].samples = 0;
            rows[i].min = rows[i].p10 = rows[i].median = rows[i].p90 = rows[i].max = NAN;
            rows[i].mean = NAN;
        }
    show();
    unsigned head = find_head(), dashes = 0;
    assert_int_equal(line_count, head + 4); /* no curve */
    for (unsigned n = 1; n <= 3; n++) {
        dashes = 0;
        for (const char *p = line[head + n]; *p != '\0'; p++)
            dashes += *p == '-';
        assert_int_equal(dashes, n == 2 ? 5 : 1);
        assert_null(strstr(line[head + n], "nan"));
    }
}

TEST(table_curve)
{
    make_rows("2m", 3, 40, 8);
    for (size_t i = 0; i < row_count; i++)
        rows_center(&rows[i], rows[i].n == 2 ? (rows[i].k < 160 ? 200 : 400) : 7);
    show();
    unsigned top = find_head() + 4;
    while (top < line_count && strchr(line[top], '|') == NULL)
        top++;
    assert_true(top + PLOT_HEIGHT + 2 <= line_count);
    assert_int_equal(strtol(line[top], NULL, 10), 400);
    /* The second half of the curve is at the top, the first half is not. */
    const char *curve = strchr(line[top], '|') + 1;
    assert_int_equal(curve[63], '*');
    assert_int_equal(strspn(curve, " "), 32);
}

/* A machine that traps CPUID takes a hundred thousand ticks and more for a sample. */
TEST(table_of_long_times)
{
    make_rows("2m", 3, 12, 8);
    for (size_t i = 0; i < row_count; i++)
        rows[i].median = 999999;
    show();
    for (size_t i = 0; i < row_count; i++)
        rows[i].median = 4294967295.0;
    show();
}

/* The curve of N = 2 alone, under the case's name. */
TEST(curve_alone)
{
    make_rows("2m", 3, 40, 8);
    text_init(&text, memory, sizeof memory);
    rows_show(rows, row_count, loads_show_curve, &text);
    assert_non_null(strstr(memory, "\nmlp, case 2m\nN = 2: median ticks over K\n"));
    assert_null(strstr(memory, "N\\K"));
}
