/* test_report: lines, objects and tables as the user gets them. */
#include "../../kernel/lib/json.h"
#include "../../kernel/report/csv.h"
#include "../../kernel/report/screen.h"
#include "rows.h"

#include "kit.h"

static char memory[16384];
static struct text text;

SETUP(start)
{
    text_init(&text, memory, sizeof memory);
}

/* --- csv ------------------------------------------------------------------------------------- */

static const struct row a_row = {
    .variant = {.experiment = "mlp", .has_page = true, .page = PAGE_2M, .tlb = TLB_COLD},
    .n = 2,
    .k = 186,
    .bytes = ROW_NONE,
    .stage = ROW_NONE,
    .metric = "tsc",
    .unit = "ticks",
    .samples = 400,
    .discarded = 25,
    .min = 398,
    .p10 = 401,
    .median = 412.5,
    .p90 = 430,
    .max = 4294967295,
    .mean = 415.3336,
    .p1 = 399,
    .visits = 16,
    .center = 412.25,
    .center_error = 3.25,
    .mean_error = 3.5,
};

static const struct question in_fillers = {.name = "rob_cliff_k", .unit = "fillers"},
                             in_bytes = {.name = "rob_cliff_k", .unit = "bytes"},
                             without_unit = {.name = "rob_cliff_k", .unit = ""};

static const struct verdict a_verdict = {
    .question = &in_fillers,
    .variant = {.experiment = "mlp", .has_page = true, .page = PAGE_2M},
    .value = 186,
    .low = 185,
    .high = 186.25,
    .status = VERDICT_OK,
    .method = "two-level fit",
};

/* Columns samples to p1 of that row. */
#define SAMPLES "400,25,398,401,412.5,430,4294967295,415.334,399,16,412.25,3.25,3.5"

static void assert_row(const struct row *row, const char *wanted)
{
    start();
    csv_result(&text, row);
    assert_string_equal(text.at, wanted);
}

static void assert_verdict(const struct verdict *verdict, const char *wanted)
{
    start();
    csv_verdict(&text, verdict);
    assert_string_equal(text.at, wanted);
}

TEST(headers)
{
    assert_string_equal(csv_results_header,
                        "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,"
                        "median,p90,max,mean,p1,visits,center,center_error,mean_error,attempt\n");
    assert_string_equal(csv_verdicts_header,
                        "experiment,case,name,value,low,high,unit,status,reason,method\n");
}

TEST(row)
{
    struct row row = a_row;
    assert_row(&row, "mlp,2m-cold,2,186,,,tsc,ticks," SAMPLES ",0\n");
    row.n = row.k = ROW_NONE;
    row.bytes = 8589934592;
    row.stage = 64;
    assert_row(&row, "mlp,2m-cold,,,8589934592,64,tsc,ticks," SAMPLES ",0\n");
    row.bytes = row.stage = 0;
    row.n = row.k = 0;
    row.attempt = 2;
    assert_row(&row, "mlp,2m-cold,0,0,0,0,tsc,ticks," SAMPLES ",2\n");
    row.variant = (struct variant){.experiment = "noise"};
    assert_row(&row, "noise,,0,0,0,0,tsc,ticks," SAMPLES ",2\n");
}

TEST(row_without_samples)
{
    struct row row = a_row;
    row.samples = 0;
    row.min = row.p10 = row.median = row.p90 = row.max = row.mean = row.p1 = NAN;
    row.center = row.center_error = row.mean_error = NAN;
    row.visits = 0;
    assert_row(&row, "mlp,2m-cold,2,186,,,tsc,ticks,0,25,,,,,,,,0,,,,0\n");
}

TEST(verdict)
{
    struct verdict verdict = a_verdict;
    assert_verdict(&verdict, "mlp,2m,rob_cliff_k,186,185,186.25,fillers,ok,,two-level fit\n");
    verdict.value = verdict.high = NAN;
    verdict.status = VERDICT_DOUBT;
    verdict.reason = REASON_RANGE_ENDS;
    assert_verdict(&verdict, "mlp,2m,rob_cliff_k,,185,,fillers,doubt,range-ends,two-level fit\n");
    verdict.low = NAN;
    verdict.question = &without_unit;
    verdict.method[0] = '\0';
    verdict.status = VERDICT_SKIP;
    assert_verdict(&verdict, "mlp,2m,rob_cliff_k,,,,,skip,range-ends,\n");
    verdict.status = VERDICT_ERROR;
    assert_verdict(&verdict, "mlp,2m,rob_cliff_k,,,,,error,range-ends,\n");
}

/* RFC 4180: quoted where needed, quotes doubled, else as it is. */
TEST(quoting)
{
    static const struct {
        const char *method, *wanted;
    } cases[] = {{"plain; with 'these' \t and \\", "plain; with 'these' \t and \\"},
                 {"a, b", "\"a, b\""},
                 {"say \"no\"", "\"say \"\"no\"\"\""},
                 {"\"", "\"\"\"\""},
                 {",", "\",\""},
                 {"two\nlines", "\"two\nlines\""},
                 {"a\rb", "\"a\rb\""},
                 {"\",\"", "\"\"\",\"\"\""},
                 {" blank ", " blank "}};
    for (EACH(c, cases)) {
        struct verdict verdict = a_verdict;
        char wanted[512];
        snprintf(verdict.method, sizeof verdict.method, "%s", c->method);
        snprintf(wanted, sizeof wanted, "mlp,2m,rob_cliff_k,186,185,186.25,fillers,ok,,%s\n",
                 c->wanted);
        assert_verdict(&verdict, wanted);
    }
}

TEST(quoted_names)
{
    struct row row = a_row;
    case_read("a,b", &row.variant);
    strcpy(row.unit, "\"");
    assert_row(&row, "mlp,\"a,b\",2,186,,,tsc,\"\"\"\"," SAMPLES ",0\n");
}

static void fill_name(char *name, size_t size, char c)
{
    memset(name, c, size - 1);
    name[size - 1] = '\0';
}

/* A case whose name has all the characters that one can have. */
static void fill_case(struct variant *variant, char experiment, char name)
{
    *variant = (struct variant){.has_page = false};
    fill_name(variant->experiment, sizeof variant->experiment, experiment);
    fill_name(variant->pattern, sizeof variant->pattern, name);
}

/* The longest lines that the structures can hold, every character quoted. */
TEST(longest_row)
{
    struct row row = a_row;
    fill_case(&row.variant, '"', '"');
    fill_name(row.metric, sizeof row.metric, '"');
    fill_name(row.unit, sizeof row.unit, '"');
    row.n = row.k = row.stage = row.bytes = INT64_MIN;
    row.samples = row.discarded = row.visits = row.attempt = UINT64_MAX;
    row.min = row.p10 = row.median = row.p90 = row.max = row.mean = -9.2e18;
    csv_result(&text, &row);
    assert_compare(text.length, <=, CSV_ROW_MAX);
}

TEST(longest_verdict)
{
    struct verdict verdict = a_verdict;
    char name[NAME_BYTES];
    fill_name(name, sizeof name, '"');
    verdict.question = &(const struct question){.name = name, .unit = name};
    fill_case(&verdict.variant, '"', '"');
    fill_name(verdict.method, sizeof verdict.method, '"');
    verdict.value = verdict.low = verdict.high = -9.2e18;
    for (verdict.reason = REASON_NONE; verdict.reason < REASON_COUNT; verdict.reason++) {
        start();
        csv_verdict(&text, &verdict);
        assert_compare(text.length, <=, CSV_ROW_MAX);
    }
}

/* --- json ------------------------------------------------------------------------------------ */

static struct json json;

SETUP(start_json)
{
    start();
    json_begin(&json, &text);
}

/* What another program reads in it, written without blanks; fails where it is no JSON. */
static const char *read_json(void)
{
    static char seen[4096];
    json_end(&json);
    assert_false(text.truncated);
    assert_int_equal(text.at[text.length - 1], '\n');
    FILE *output = output_of("/usr/bin/python3 -m json.tool --compact", text.at, text.length);
    size_t length = fread(seen, 1, sizeof seen - 1, output);
    fclose(output);
    while (length > 0 && seen[length - 1] == '\n')
        length--;
    seen[length] = '\0';
    return seen;
}

static void assert_json(const char *wanted)
{
    assert_string_equal(read_json(), wanted);
}

TEST(json_members)
{
    json_text(&json, "program", "mlpboot");
    json_number(&json, "tsc_hz", 2600000000.0, 0);
    json_number(&json, "seconds", 12.345, 1);
    json_number(&json, "negative", -0.25, 3);
    json_bool(&json, "yes", true);
    json_bool(&json, "no", false);
    assert_json("{\"program\":\"mlpboot\",\"tsc_hz\":2600000000,\"seconds\":12.3,"
                "\"negative\":-0.25,\"yes\":true,\"no\":false}");
}

TEST(json_nesting)
{
    assert_json("{}");
    start_json();
    json_open(&json, "first");
    json_text(&json, "a", "1");
    json_open(&json, "deeper");
    json_open(&json, "empty");
    json_close(&json);
    json_number(&json, "b", 2, 0);
    json_close(&json);
    json_text(&json, "c", "");
    json_close(&json);
    json_open(&json, "second");
    json_close(&json);
    json_bool(&json, "d", true);
    assert_json("{\"first\":{\"a\":\"1\",\"deeper\":{\"empty\":{},\"b\":2},\"c\":\"\"},"
                "\"second\":{},\"d\":true}");
}

TEST(json_escapes)
{
    char every[0x20], wanted[512] = "";
    for (int c = 1; c < 0x20; c++)
        every[c - 1] = (char)c;
    every[0x1f] = '\0';
    json_text(&json, "quote \" and \\", "C:\\path \"x\" / 'y'");
    json_text(&json, "control", every);
    json_text(&json, "plain", " !#$%&()*+,-.09:;<=>?@AZ[]^_`az{|}~");
    json_text(&json, "bytes", "\x80\xff\xe2\x82 \x7f\xc2\x9b");
    strcat(wanted, "{\"quote \\\" and \\\\\":\"C:\\\\path \\\"x\\\" / 'y'\",\"control\":\"");
    for (int c = 1; c < 0x20; c++) {
        char one[16];
        snprintf(one, sizeof one, "\\u%04x", c);
        strcat(wanted, c == 8    ? "\\b"
                       : c == 9  ? "\\t"
                       : c == 10 ? "\\n"
                       : c == 12 ? "\\f"
                       : c == 13 ? "\\r"
                                 : one);
    }
    strcat(wanted, "\",\"plain\":\" !#$%&()*+,-.09:;<=>?@AZ[]^_`az{|}~\",\"bytes\":\"???? ???\"}");
    assert_json(wanted);
}

TEST(json_in_any_language)
{
    json_text(&json, "\xc2\xb5", "Z\xc3\xbcrich \xe2\x82\xac");
    json_end(&json);
    assert_string_equal(text.at, "{\n  \"\xc2\xb5\": \"Z\xc3\xbcrich \xe2\x82\xac\"\n}\n");
}

TEST(json_not_a_number)
{
    json_number(&json, "nan", NAN, 3);
    json_number(&json, "plus", INFINITY, 3);
    json_number(&json, "minus", -INFINITY, 3);
    json_number(&json, "zero", -0.0, 3);
    assert_json("{\"nan\":null,\"plus\":null,\"minus\":null,\"zero\":0}");
}

/* Whatever becomes of a number too large to be written, the file stays JSON. */
TEST(json_huge_number)
{
    json_number(&json, "largest", 9.2e18, 3);
    json_number(&json, "huge", 1e19, 3);
    json_number(&json, "negative", -1e300, 0);
    read_json();
}

TEST(json_is_indented)
{
    char *line[16];
    json_text(&json, "a", "b");
    json_open(&json, "c");
    json_text(&json, "d", "e");
    json_end(&json);
    assert_int_equal(take_lines(memory, line, 16), 6);
    assert_string_equal(line[1], "  \"a\": \"b\",");
    assert_string_equal(line[3], "    \"d\": \"e\"");
    assert_string_equal(line[5], "}");
}

/* --- the list of verdicts -------------------------------------------------------------------- */

static void assert_lines(const struct verdict *verdicts, size_t count, const char *wanted)
{
    struct verdict *at = malloc(count * sizeof *at); /* the sanitizer sees reads beyond its end */
    assert_true(at != NULL || count == 0);
    memcpy(at, verdicts, count * sizeof *at);
    start();
    screen_verdicts(&(struct verdict_list){.at = at, .count = count}, &text);
    free(at);
    assert_string_equal(text.at, wanted);
}

/* The reason stands behind a doubt only, and a dash for a number that is missing. */
TEST(verdict_lines)
{
    struct verdict v = a_verdict;
    assert_lines(&v, 0, "");
    v.value = 412.56;
    assert_lines(&v, 1, "ok    mlp 2m rob_cliff_k: 413 [185 .. 186] fillers\n");
    v.status = VERDICT_DOUBT;
    v.value = v.high = NAN;
    strcpy(v.method, "no clear jump");
    assert_lines(&v, 1, "doubt mlp 2m rob_cliff_k: at least 185 fillers; no clear jump\n");
    v.low = NAN;
    v.question = &without_unit;
    assert_lines(&v, 1, "doubt mlp 2m rob_cliff_k: -; no clear jump\n");
    v.value = v.low = 1280 << 10;
    v.high = 2 << 20;
    v.status = VERDICT_OK;
    v.question = &in_bytes;
    assert_lines(&v, 1, "ok    mlp 2m rob_cliff_k: 1280k [1280k .. 2m]\n");
}

/* What a case lacks for one reason is one line, whatever stands around it. */
TEST(skipped_verdicts_share_a_line)
{
    static const struct question questions[] = {
        {.name = "v0", .unit = "fillers"}, {.name = "v1", .unit = "fillers"},
        {.name = "v2", .unit = "fillers"}, {.name = "v3", .unit = "fillers"},
        {.name = "v4", .unit = "fillers"}, {.name = "v5", .unit = "fillers"}};
    struct verdict v[6];
    for (unsigned i = 0; i < 6; i++) {
        v[i] = a_verdict;
        v[i].status = VERDICT_SKIP;
        v[i].question = &questions[i];
        strcpy(v[i].method, "no memory");
    }
    assert_lines(v, 1, "skip  mlp 2m v0: no memory\n");
    assert_lines(v, 6, "skip  mlp 2m v0 and 5 more: no memory\n");
    strcpy(v[3].method, "no such page");
    v[5].variant.page = PAGE_1G;
    assert_lines(v, 6,
                 "skip  mlp 2m v0 and 2 more: no memory\nskip  mlp 2m v3: no such page\n"
                 "skip  mlp 2m v4: no memory\nskip  mlp 1g v5: no memory\n");
    v[1].status = VERDICT_DOUBT;
    v[2].status = VERDICT_DOUBT;
    v[1].value = v[2].value = v[1].low = v[2].low = v[1].high = v[2].high = NAN;
    assert_lines(v, 3,
                 "skip  mlp 2m v0: no memory\ndoubt mlp 2m v1: - fillers; no memory\n"
                 "doubt mlp 2m v2: - fillers; no memory\n");
}
