/* test_collected_run: a folder's files as cells, its id, and any bytes survived. */
#include <sys/stat.h>
#include <unistd.h>

#include "../../kernel/lib/random.h"
#include "../../kernel/report/csv.h"
#include "../hosted/collected_run.h"
#include "kit.h"

#define JSON                                                                                       \
    "{\"program\": \"mlpboot\", \"schema\": 1, \"label\": \"B\xc3\xa4r\", \"tsc_hz\": 2600000000," \
    "\"seconds\": 1.5, \"processor\": {\"family\": 6}, \"certificate\": {\"smi_during_run\": "     \
    "null},"                                                                                       \
    "\"machine\": {\"id\": \"0123456789abcdef\", \"cores\": {\"measured\": 1, \"core_7\": "        \
    "{\"microcode\": \"0x2b\", \"type\": \"P\"}}}}"
#define VERDICT "mlp,2m,mlp,10,9,,loads,ok,\"a, b\"\n"
#define ROW "mlp,2m,3,,,,tsc,ticks,50,1,100,110,120.5,130,400,125.25,101,4,120.5,,0.5,0\n"

static char folder[] = "/tmp/mlpboot-collected-XXXXXX", error[8192];
static struct collected_run run;

static void write_file(const char *name, const char *data, size_t length)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_int_equal(fwrite(data, 1, length, to), length);
    fclose(to);
}

static void write_text(const char *name, const char *first, const char *second)
{
    char text[4096];

    write_file(name, text, (size_t)snprintf(text, sizeof(text), "%s%s", first, second));
}

static bool read_run(void)
{
    bool is_right = collected_run_open(&run, folder, error, sizeof(error)) &&
                    collected_run_read_rows(&run, error, sizeof(error));

    if (!is_right)
        collected_run_free(&run);
    return is_right;
}

SETUP_ALL(make_folder)
{
    assert_non_null(mkdtemp(folder));
}

SETUP(make_files)
{
    write_text("run.json", JSON, "\n   \n");
    write_text("verdicts.csv", csv_verdicts_header, VERDICT);
    write_text("results.csv", csv_results_header, ROW);
}

TEARDOWN_ALL(remove_folder)
{
    static const char *const names[] = {"run.json", "verdicts.csv", "results.csv"};
    char path[PATH_MAX];

    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* The cell of a column by its name. */
static const struct collect_cell *cell(enum collect_table_name table, const char *name,
                                       const struct collect_cell *cells)
{
    const struct collect_table *of = &collect_tables[table];
    size_t i = 0;

    while (i < of->count && strcmp(of->columns[i].name, name) != 0)
        i++;
    assert_true(i < of->count);
    return &cells[i];
}

static void assert_text(const struct collect_cell *of, const char *text)
{
    assert_false(of->is_null);
    assert_int_equal(of->length, strlen(text));
    assert_memory_equal(of->text, text, of->length);
}

TEST(cells_of_a_run)
{
    assert_true(read_run());
    assert_true(run.has_machine);
    assert_text(cell(TABLE_MACHINES, "id", run.machine.at), "0123456789abcdef");
    assert_int_equal(cell(TABLE_MACHINES, "family", run.machine.at)->whole, 6);
    assert_true(cell(TABLE_MACHINES, "brand", run.machine.at)->is_null);
    assert_text(cell(TABLE_RUNS, "machine", run.run.at), "0123456789abcdef");
    assert_text(cell(TABLE_RUNS, "label", run.run.at), "B\xc3\xa4r");
    assert_text(cell(TABLE_RUNS, "microcode", run.run.at), "0x2b");
    assert_text(cell(TABLE_RUNS, "core_type", run.run.at), "P");
    assert_text(cell(TABLE_RUNS, "folder", run.run.at), folder);
    assert_text(cell(TABLE_RUNS, "id", run.run.at), run.id);
    assert_text(cell(TABLE_RUNS, "run_json", run.run.at), JSON);
    assert_true(cell(TABLE_RUNS, "tsc_hz", run.run.at)->whole == 2600000000);
    assert_true(cell(TABLE_RUNS, "seconds", run.run.at)->number == 1.5);
    assert_true(cell(TABLE_RUNS, "smi_during_run", run.run.at)->is_null);
    collected_run_free(&run);
}

TEST(cells_of_rows)
{
    static struct collected_verdict verdict = {.run = "id", .status = "ok"};
    static struct collected_point point = {.run = "id", .variant = "2m", .line = 2};
    struct collect_cell cells[COLLECT_COLUMNS_MAX];

    assert_true(read_run());
    verdict.is = run.verdicts.at[0];
    collect_cells(TABLE_VERDICTS, &verdict, cells);
    assert_text(cell(TABLE_VERDICTS, "case", cells), "2m");
    assert_text(cell(TABLE_VERDICTS, "method", cells), "a, b");
    assert_true(cell(TABLE_VERDICTS, "low", cells)->number == 9);
    assert_true(cell(TABLE_VERDICTS, "high", cells)->is_null);
    point.is = run.points.rows[0];
    collect_cells(TABLE_POINTS, &point, cells);
    assert_int_equal(cell(TABLE_POINTS, "line", cells)->whole, 2);
    assert_int_equal(cell(TABLE_POINTS, "n", cells)->whole, 3);
    assert_true(cell(TABLE_POINTS, "k", cells)->is_null);
    assert_int_equal(cell(TABLE_POINTS, "samples", cells)->whole, 50);
    assert_true(cell(TABLE_POINTS, "median", cells)->number == 120.5);
    assert_true(cell(TABLE_POINTS, "center_error", cells)->is_null);
    collected_run_free(&run);
}

/* Of the bytes, but not of the padding; by any other program: sha256sum. */
TEST(id)
{
    char first[COLLECT_ID_BYTES];

    assert_true(read_run());
    strcpy(first, run.id);
    assert_int_equal(strlen(first), 64);
    collected_run_free(&run);
    write_text("run.json", JSON, "");
    assert_true(read_run());
    assert_string_equal(run.id, first);
    collected_run_free(&run);
    write_text("verdicts.csv", csv_verdicts_header, VERDICT VERDICT);
    assert_true(read_run());
    assert_string_not_equal(run.id, first);
    collected_run_free(&run);
}

/* Of several cores nobody can say which type they have; no core, no machine is no error. */
TEST(what_is_not_known)
{
    write_text("run.json",
               "{\"program\":\"mlpboot\",\"machine\":{\"cores\":{\"measured\":2,"
               "\"a\":{\"type\":\"P\"},\"b\":{\"type\":\"E\",\"microcode\":\"0x1\"}}}}",
               "");
    assert_true(read_run());
    assert_true(cell(TABLE_RUNS, "core_type", run.run.at)->is_null);
    assert_text(cell(TABLE_RUNS, "microcode", run.run.at), "0x1");
    assert_false(run.has_machine);
    assert_true(cell(TABLE_RUNS, "machine", run.run.at)->is_null);
    collected_run_free(&run);
}

/* Texts that are whole runs but for a byte: read or refused, and never more than that. */
TEST(any_bytes)
{
    struct random random;
    char text[2048];
    unsigned refused = 0;

    random_seed(&random, 7);
    for (unsigned i = 0; i < 300; i++) {
        size_t length = (size_t)snprintf(text, sizeof(text), "%s", JSON);
        text[random_below(&random, (uint32_t)length)] = (char)random_below(&random, 256);
        write_file("run.json", text, length - random_below(&random, 2));
        if (read_run())
            collected_run_free(&run);
        else
            refused++;
    }
    assert_true(refused > 150 && refused < 300);
}

/* What both databases are asked. */
TEST(statements)
{
    static const struct collect_dialect dialect = {
        .type = {"text", "bigint", "real", "json"}, .clustered = " CLUSTERED", .parameter = '$'};
    char text[4096];

    FILE *to = fmemopen(text, sizeof(text), "w");
    collect_create(to, &dialect, TABLE_VERDICTS);
    fclose(to);
    assert_string_equal(
        text, "CREATE TABLE \"verdicts\" (\"run\" text NOT NULL REFERENCES \"runs\" (\"id\"), "
              "\"experiment\" text NOT NULL, \"case\" text NOT NULL, \"name\" text NOT NULL, "
              "\"value\" real, \"low\" real, \"high\" real, \"unit\" text, \"status\" text, "
              "\"method\" text, PRIMARY KEY (\"run\", \"experiment\", \"case\", \"name\")) "
              "CLUSTERED");
    to = fmemopen(text, sizeof(text), "w");
    collect_insert(to, &dialect, TABLE_VERDICTS);
    fclose(to);
    assert_string_equal(text,
                        "INSERT INTO \"verdicts\" (\"run\", \"experiment\", \"case\", \"name\", "
                        "\"value\", \"low\", \"high\", \"unit\", \"status\", \"method\") VALUES "
                        "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    for (unsigned i = 0; i < TABLES; i++)
        assert_true(collect_tables[i].count <= COLLECT_COLUMNS_MAX);
}
