/* test_read_verdicts: a stored verdicts.csv, and what is wrong with one. */
#include "../../kernel/report/csv.h"
#include "../hosted/read_verdicts.h"
#include "kit.h"

#define HEADER "experiment,case,name,value,low,high,unit,status,method\n"

static struct verdicts_table verdicts;
static char error[512];

static bool read_text(const char *text)
{
    return read_verdicts_text("v.csv", text, strlen(text), &verdicts, error, sizeof(error));
}

static void assert_wrong(const char *text, const char *message)
{
    assert_false(read_text(text));
    assert_null(verdicts.at);
    assert_int_equal(verdicts.count, 0);
    assert_string_equal(error, message);
}

TEST(reads_verdicts)
{
    assert_true(read_text(HEADER "mlp,2m,mlp,10,9.5,-1e1,loads,ok,\"a, \"\"b\"\"\"\n"
                                 "tlb,4k-warm,walk_cost,,,,ticks,skip,why \xc3\xa4\n"));
    assert_int_equal(verdicts.count, 2);
    const struct stored_verdict *v = verdicts.at;
    assert_string_equal(v->experiment, "mlp");
    assert_string_equal(v->variant, "2m");
    assert_string_equal(v->name, "mlp");
    assert_true(v->value == 10 && v->low == 9.5 && v->high == -10);
    assert_string_equal(v->unit, "loads");
    assert_int_equal(v->status, VERDICT_OK);
    assert_string_equal(v->method, "a, \"b\"");
    v++;
    assert_string_equal(v->variant, "4k-warm");
    assert_true(isnan(v->value) && isnan(v->low) && isnan(v->high));
    assert_int_equal(v->status, VERDICT_SKIP);
    assert_string_equal(v->method, "why ??");
    verdicts_table_free(&verdicts);
    assert_true(read_text(HEADER));
    assert_int_equal(verdicts.count, 0);
}

TEST(blank_lines_are_no_verdicts)
{
    assert_true(read_text(HEADER "mlp,2m,mlp,10,9,11,loads,ok,a\n\n\r\n\n"));
    assert_int_equal(verdicts.count, 1);
    verdicts_table_free(&verdicts);
    assert_true(read_text(HEADER "\n\n"));
    assert_int_equal(verdicts.count, 0);
}

TEST(names_what_is_wrong)
{
    assert_wrong("", "v.csv: is empty");
    assert_wrong("experiment,case\n", "v.csv: another header than verdicts.csv has");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1,loads,ok,cut sho", "v.csv: its last line was cut short");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1,loads,ok\n",
                 "v.csv: line 2: not as many columns as the header has");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1,loads,ok,a\nmlp,2m,mlp,1,1,1,loads,ok,a,b\n",
                 "v.csv: line 3: not as many columns as the header has");
    assert_wrong(HEADER "mlp,2m,mlp,0x10,1,1,loads,ok,a\n", "v.csv: line 2: not a number");
    assert_wrong(HEADER "mlp,2m,mlp,1,nan,1,loads,ok,a\n", "v.csv: line 2: not a number");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1e999,loads,ok,a\n", "v.csv: line 2: not a number");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1,loads,fine,a\n", "v.csv: line 2: no such status");
    assert_wrong(HEADER "mlp,2m,mlp,1,1,1,loads,ok,\"a\n",
                 "v.csv: line 2: a quote is opened and never closed");
    assert_false(read_verdicts("/nonexistent/v.csv", &verdicts, error, sizeof(error)));
    assert_string_equal(error, "/nonexistent/v.csv: No such file or directory");
}
