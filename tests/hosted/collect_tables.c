/* collect_tables: one table of columns for each table of the database; all else is made from them.
 */
#include "collect_tables.h"

#include <math.h>
#include <string.h>

/* What belongs to a machine, and stays as long as its id does. */
static const struct collect_column machines[] = {
    {"id", COLLECT_TEXT, .is_key = true, .path = "machine.id"},
    {"id_shared", COLLECT_TEXT, .path = "machine.id_shared"},
    {"vendor", COLLECT_TEXT, .path = "processor.vendor"},
    {"brand", COLLECT_TEXT, .path = "processor.brand"},
    {"family", COLLECT_WHOLE, .path = "processor.family"},
    {"model", COLLECT_WHOLE, .path = "processor.model"},
    {"stepping", COLLECT_WHOLE, .path = "processor.stepping"},
    {"system_manufacturer", COLLECT_TEXT, .path = "machine.system.manufacturer"},
    {"system_product", COLLECT_TEXT, .path = "machine.system.product"},
    {"system_version", COLLECT_TEXT, .path = "machine.system.version"},
    {"board_manufacturer", COLLECT_TEXT, .path = "machine.board.manufacturer"},
    {"board_product", COLLECT_TEXT, .path = "machine.board.product"},
    {"board_version", COLLECT_TEXT, .path = "machine.board.version"},
};

/* What may be another in the next run. */
static const struct collect_column runs[] = {
    {"id", COLLECT_TEXT, .is_key = true},
    {"machine", COLLECT_TEXT, .of = "machines"},
    {"folder", COLLECT_TEXT, .path = NULL},
    {"label", COLLECT_TEXT, .path = "label"},
    {"version", COLLECT_TEXT, .path = "version"},
    {"platform", COLLECT_TEXT, .path = "platform"},
    {"status", COLLECT_TEXT, .path = "status"},
    {"suite", COLLECT_TEXT, .path = "configuration.suite"},
    {"experiments", COLLECT_TEXT, .path = "configuration.experiments"},
    {"utc_start", COLLECT_TEXT, .path = "machine.utc_start"},
    {"utc_end", COLLECT_TEXT, .path = "machine.utc_end"},
    {"seconds", COLLECT_NUMBER, .path = "seconds"},
    {"cores_measured", COLLECT_WHOLE, .path = "machine.cores.measured"},
    {"core_type", COLLECT_TEXT, .path = "machine.cores.*.type"},
    {"microcode", COLLECT_TEXT, .path = "machine.cores.*.microcode"},
    {"bios_vendor", COLLECT_TEXT, .path = "machine.bios.vendor"},
    {"bios_version", COLLECT_TEXT, .path = "machine.bios.version"},
    {"bios_date", COLLECT_TEXT, .path = "machine.bios.date"},
    {"hypervisor", COLLECT_TEXT, .path = "hypervisor.name"},
    {"kernel", COLLECT_TEXT, .path = "linux.kernel"},
    {"tsc_hz", COLLECT_WHOLE, .path = "tsc_hz"},
    {"prefetch", COLLECT_TEXT, .path = "certificate.prefetch"},
    {"turbo", COLLECT_TEXT, .path = "certificate.turbo"},
    {"siblings", COLLECT_TEXT, .path = "certificate.siblings"},
    {"interrupts", COLLECT_TEXT, .path = "certificate.interrupts"},
    {"max_gap_ns", COLLECT_NUMBER, .path = "certificate.max_gap_ns"},
    {"gaps_over_1us_per_second", COLLECT_NUMBER, .path = "certificate.gaps_over_1us_per_second"},
    {"smi_during_run", COLLECT_WHOLE, .path = "certificate.smi_during_run"},
    {"frequency_drift_percent", COLLECT_NUMBER, .path = "certificate.frequency_drift_percent"},
    {"cycles_per_tick", COLLECT_NUMBER, .path = "certificate.cycles_per_tick"},
    {"tsc_difference_ppm", COLLECT_NUMBER, .path = "certificate.tsc_difference_ppm"},
    {"core_shared_percent", COLLECT_NUMBER, .path = "certificate.core_shared_percent"},
    {"run_json", COLLECT_JSON, .path = NULL},
};

#define AT(member) .offset = offsetof(struct collected_verdict, member)

static const struct collect_column verdicts[] = {
    {"run", COLLECT_TEXT, .is_key = true, .of = "runs", AT(run)},
    {"experiment", COLLECT_TEXT, .is_key = true, AT(is.experiment)},
    {"case", COLLECT_TEXT, .is_key = true, AT(is.variant)},
    {"name", COLLECT_TEXT, .is_key = true, AT(is.name)},
    {"value", COLLECT_NUMBER, AT(is.value)},
    {"low", COLLECT_NUMBER, AT(is.low)},
    {"high", COLLECT_NUMBER, AT(is.high)},
    {"unit", COLLECT_TEXT, AT(is.unit)},
    {"status", COLLECT_TEXT, AT(status)},
    {"method", COLLECT_TEXT, AT(is.method)},
};

#undef AT
#define AT(member) .offset = offsetof(struct collected_point, member)

/* Its key has the line: the same point and metric may have been looked at several times. */
static const struct collect_column points[] = {
    {"run", COLLECT_TEXT, .is_key = true, .of = "runs", AT(run)},
    {"line", COLLECT_WHOLE, .is_key = true, AT(line)},
    {"experiment", COLLECT_TEXT, AT(is.variant.experiment)},
    {"case", COLLECT_TEXT, AT(variant)},
    {"n", COLLECT_WHOLE, AT(is.n)},
    {"k", COLLECT_WHOLE, AT(is.k)},
    {"bytes", COLLECT_WHOLE, AT(is.bytes)},
    {"stage", COLLECT_WHOLE, AT(is.stage)},
    {"metric", COLLECT_TEXT, AT(is.metric)},
    {"unit", COLLECT_TEXT, AT(is.unit)},
    {"samples", COLLECT_WHOLE, AT(is.samples)},
    {"discarded", COLLECT_WHOLE, AT(is.discarded)},
    {"min", COLLECT_NUMBER, AT(is.min)},
    {"p10", COLLECT_NUMBER, AT(is.p10)},
    {"median", COLLECT_NUMBER, AT(is.median)},
    {"p90", COLLECT_NUMBER, AT(is.p90)},
    {"max", COLLECT_NUMBER, AT(is.max)},
    {"mean", COLLECT_NUMBER, AT(is.mean)},
    {"p1", COLLECT_NUMBER, AT(is.p1)},
    {"visits", COLLECT_WHOLE, AT(is.visits)},
    {"center", COLLECT_NUMBER, AT(is.center)},
    {"center_error", COLLECT_NUMBER, AT(is.center_error)},
    {"mean_error", COLLECT_NUMBER, AT(is.mean_error)},
    {"attempt", COLLECT_WHOLE, AT(is.attempt)},
};

#define TABLE(name)                                                                                \
    {                                                                                              \
#name, name, sizeof(name) / sizeof(*(name))                                                \
    }

const struct collect_table collect_tables[TABLES] = {
    [TABLE_MACHINES] = TABLE(machines),
    [TABLE_RUNS] = TABLE(runs),
    [TABLE_VERDICTS] = TABLE(verdicts),
    [TABLE_POINTS] = TABLE(points),
};

/* --- cells ----------------------------------------------------------------------------------- */

struct collect_cell collect_text(const struct collect_column *column, const char *text,
                                 size_t length)
{
    return (struct collect_cell){.kind = column->kind,
                                 .is_null = length == 0 && !column->is_key,
                                 .text = text,
                                 .length = length};
}

struct collect_cell collect_number(const struct collect_column *column, double number)
{
    bool is_whole = column->kind == COLLECT_WHOLE;
    bool fits = !isnan(number) && (!is_whole || fabs(number) < 9e18);

    return (struct collect_cell){.kind = column->kind,
                                 .is_null = !fits,
                                 .whole = fits && is_whole ? (int64_t)number : 0,
                                 .number = number};
}

/* A whole number below 0 is one that does not apply, see ROW_NONE. */
static struct collect_cell cell_at(const struct collect_column *column, const char *at)
{
    if (column->kind == COLLECT_NUMBER)
        return collect_number(column, *(const double *)(const void *)at);
    if (column->kind == COLLECT_TEXT)
        return collect_text(column, at, strlen(at));
    int64_t whole = *(const int64_t *)(const void *)at;
    return (struct collect_cell){.kind = COLLECT_WHOLE, .is_null = whole < 0, .whole = whole};
}

void collect_cells(enum collect_table_name table, const void *from,
                   struct collect_cell cells[COLLECT_COLUMNS_MAX])
{
    const struct collect_table *schema = &collect_tables[table];

    for (size_t i = 0; i < schema->count; i++)
        cells[i] = cell_at(&schema->columns[i], (const char *)from + schema->columns[i].offset);
}

/* --- statements ------------------------------------------------------------------------------ */

/* Names are quoted: `case` is a word of SQL. */
void collect_names(FILE *to, enum collect_table_name table)
{
    const struct collect_table *schema = &collect_tables[table];

    for (size_t i = 0; i < schema->count; i++)
        fprintf(to, "%s\"%s\"", i > 0 ? ", " : "", schema->columns[i].name);
}

static size_t put_key(FILE *to, const struct collect_table *schema)
{
    size_t count = 0;

    fputs(", PRIMARY KEY (", to);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->columns[i].is_key)
            fprintf(to, "%s\"%s\"", count++ > 0 ? ", " : "", schema->columns[i].name);
    fputs(")", to);
    return count;
}

void collect_create(FILE *to, const struct collect_dialect *dialect, enum collect_table_name table)
{
    const struct collect_table *schema = &collect_tables[table];

    fprintf(to, "CREATE TABLE \"%s\" (", schema->name);
    for (size_t i = 0; i < schema->count; i++) {
        const struct collect_column *column = &schema->columns[i];
        fprintf(to, "%s\"%s\" %s", i > 0 ? ", " : "", column->name, dialect->type[column->kind]);
        fputs(column->is_key ? " NOT NULL" : "", to);
        if (column->of != NULL)
            fprintf(to, " REFERENCES \"%s\" (\"id\")", column->of);
    }
    size_t parts = put_key(to, schema);
    fprintf(to, ")%s", parts > 1 ? dialect->clustered : "");
}

void collect_insert(FILE *to, const struct collect_dialect *dialect, enum collect_table_name table)
{
    const struct collect_table *schema = &collect_tables[table];

    fprintf(to, "INSERT INTO \"%s\" (", schema->name);
    collect_names(to, table);
    fputs(") VALUES (", to);
    for (size_t i = 0; i < schema->count; i++)
        fprintf(to, "%s%c%zu", i > 0 ? ", " : "", dialect->parameter, i + 1);
    fputs(")", to);
}
