/* fuzz_results: any bytes as results.csv; rows that are accepted, written as a run writes them, are
 * accepted again and are written in the same way. */
#include "fuzz.h"

#include "../../kernel/data/tables.h"
#include "../../kernel/report/csv.h"
#include "../hosted/read_results.h"

static char error[1024];

static void check_row(const struct row *row)
{
    char name[NAME_BYTES];
    fuzz_check_text(row->variant.experiment, NAME_BYTES);
    fuzz_check_text(case_name(&row->variant, name), NAME_BYTES);
    fuzz_check_text(row->metric, NAME_BYTES);
    fuzz_check_text(row->unit, ROW_UNIT_BYTES);
    MUST(row->n >= ROW_NONE && row->k >= ROW_NONE && row->bytes >= ROW_NONE);
    MUST(row->stage >= ROW_NONE && row->metric[0] != '\0');
    if (row->samples == 0) {
        MUST(row->min != row->min && row->mean != row->mean);
        return;
    }
    MUST(row->min >= 0 && row->min <= row->p10 && row->p10 <= row->median);
    MUST(row->median <= row->p90 && row->p90 <= row->max && row->max <= 0x1p53);
}

static char *write_rows(const struct results_table *table, size_t *length)
{
    size_t room = (table->count + 1) * 2 * CSV_ROW_MAX;
    char *memory = malloc(room);
    struct text text;
    MUST(memory != NULL);
    text_init(&text, memory, room);
    text_printf(&text, "%s", csv_results_header);
    for (size_t i = 0; i < table->count; i++) {
        size_t before = text.length;
        csv_result(&text, &table->rows[i]);
        MUST(text.length - before <= CSV_ROW_MAX && memory[text.length - 1] == '\n');
    }
    MUST(!text.truncated);
    *length = text.length;
    return memory;
}

/* Three decimals may put numbers that are almost the same in another order, so only what was
 * written of what was accepted has to be accepted. */
static void check_round_trip(const struct results_table *table)
{
    struct results_table again, third;
    size_t length, second_length;
    char *first = write_rows(table, &length);
    if (read_results_text("again", first, length, &again, error, sizeof error)) {
        char *second = write_rows(&again, &second_length);
        MUST(again.count == table->count);
        MUST(read_results_text("third", second, second_length, &third, error, sizeof error));
        char *last = write_rows(&third, &length);
        MUST(length == second_length && memcmp(second, last, length) == 0);
        free(last);
        free(second);
        results_table_free(&third);
    }
    results_table_free(&again);
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results_table table;
    char *copy = fuzz_copy(data, size);
    if (read_results_text("x.csv", copy, size, &table, error, sizeof error)) {
        for (size_t i = 0; i < table.count; i++)
            check_row(&table.rows[i]);
        check_round_trip(&table);
    } else {
        fuzz_check_reason(error);
        MUST(strncmp(error, "x.csv: ", 7) == 0 && table.count == 0);
    }
    results_table_free(&table);
    free(copy);
    return 0;
}
