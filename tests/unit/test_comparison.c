/* test_comparison: the rule against tests/data/comparisons.csv, which the page is tested with too.
 */
#include "../../kernel/lib/random.h"
#include "../hosted/comparison.h"
#include "../hosted/csv_reader.h"
#include "../hosted/read_file.h"
#include "kit.h"

#define VECTORS "tests/data/comparisons.csv"
#define COLUMNS 13

/* In the file's order. */
enum { A_VALUE, A_LOW, A_HIGH, A_STATUS, B_VALUE, COMPARISONS = 8, OUTCOME, DIFFERENCE, LOW, HIGH };

static struct csv_field field[COLUMNS];

/* False at the end of the file. */
static bool next_line(struct csv_reader *reader)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (!csv_next(reader, &field[i])) {
            assert_null(reader->error);
            return false;
        }
        assert_int_equal(field[i].is_last, i == COLUMNS - 1);
    }
    return true;
}

static double number(unsigned column)
{
    return field[column].length == 0 ? NAN : strtod(field[column].text, NULL);
}

static enum verdict_status status(const char *text)
{
    enum verdict_status s = VERDICT_OK;

    while (strcmp(verdict_status_name(s), text) != 0)
        s++;
    return s;
}

static struct compared read_compared(unsigned from)
{
    return (struct compared){number(from), number(from + 1), number(from + 2),
                             status(field[from + 3].text)};
}

/* The file has up to six decimals, and ln 2 of the analysis eight. */
static void assert_number(double seen, unsigned column)
{
    double wanted = number(column);

    if (isnan(seen) != isnan(wanted) || fabs(seen - wanted) > 1e-5 + 1e-8 * fabs(wanted))
        fail_msg("line %lu: %.9g is not \"%s\"", field[0].line, seen, field[column].text);
}

static void check_line(void)
{
    struct compared a = read_compared(A_VALUE), b = read_compared(B_VALUE);
    struct comparison c = compare_values(&a, &b, (size_t)number(COMPARISONS));

    if (strcmp(comparison_name(c.outcome), field[OUTCOME].text) != 0)
        fail_msg("line %lu: %s is not %s", field[0].line, comparison_name(c.outcome),
                 field[OUTCOME].text);
    assert_number(c.difference, DIFFERENCE);
    assert_number(c.low, LOW);
    assert_number(c.high, HIGH);
}

TEST(vectors)
{
    struct csv_reader reader;
    char *data;
    size_t length, lines = 0;

    assert_true(read_file(VECTORS, 1 << 20, &data, &length));
    csv_start(&reader, data, length);
    assert_true(next_line(&reader)); /* the header */
    assert_string_equal(field[OUTCOME].text, "outcome");
    for (; next_line(&reader); lines++)
        check_line();
    assert_true(lines >= 40);
    free(data);
}

static struct compared any(void)
{
    double value = 1000 * (uniform() - 0.5), reach = pow(10, 4 * uniform() - 3);

    return (struct compared){value, value - reach * uniform(), value + reach * uniform(),
                             VERDICT_OK};
}

/* Whichever run comes first; and more comparisons never make a difference, nor a sameness. */
TEST(other_way_round)
{
    for (unsigned i = 0; i < 20000; i++) {
        struct compared a = any(), b = any();
        struct comparison few = compare_values(&a, &b, 1), back = compare_values(&b, &a, 1);
        struct comparison many = compare_values(&a, &b, 1000);
        assert_int_equal(few.outcome, back.outcome);
        assert_true(near(few.low, -back.high) && near(few.high, -back.low));
        assert_true(few.low <= few.difference && few.difference <= few.high);
        assert_true(many.low <= few.low && few.high <= many.high);
        assert_true(many.outcome == few.outcome || many.outcome == COMPARISON_OPEN ||
                    few.outcome == COMPARISON_DIFFERENT);
    }
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* Of runs of one machine with intervals of 95 %, at most one pair in twenty has any difference. */
TEST(one_machine)
{
    const unsigned pairs = 2000, verdicts = 50;
    unsigned wrong = 0;

    for (unsigned i = 0; i < pairs; i++) {
        unsigned different = 0;
        for (unsigned j = 0; j < verdicts; j++) {
            double a = 400 + normal(), b = 400 + normal();
            struct compared first = {a, a - 1.96, a + 1.96, VERDICT_OK};
            struct compared second = {b, b - 1.96, b + 1.96, VERDICT_OK};
            struct comparison c = compare_values(&first, &second, verdicts);
            different += c.outcome == COMPARISON_DIFFERENT;
        }
        wrong += different > 0;
    }
    assert_true(wrong <= pairs / 20);
}

/* What overflows cannot be told apart. */
TEST(far_ends)
{
    const struct compared huge = {1e308, -1e308, 1e308, VERDICT_OK};
    const struct compared other = {-1e308, -1e308, 1e308, VERDICT_OK};
    struct comparison c = compare_values(&huge, &other, 10);

    assert_int_equal(c.outcome, COMPARISON_OPEN);
    c = compare_values(&huge, &huge, 10);
    assert_int_equal(c.outcome, COMPARISON_OPEN);
}
