/* fuzz_verdicts: any bytes as verdicts.csv; behind its header, if they have none. */
#include "fuzz.h"

#include "../../kernel/report/csv.h"
#include "../hosted/read_verdicts.h"

static void check(const struct stored_verdict *verdict)
{
    fuzz_check_text(verdict->experiment, NAME_BYTES);
    fuzz_check_text(verdict->variant, NAME_BYTES);
    fuzz_check_text(verdict->name, NAME_BYTES);
    fuzz_check_text(verdict->unit, NAME_BYTES);
    fuzz_check_text(verdict->method, sizeof verdict->method);
    MUST(verdict->status <= VERDICT_ERROR);
    MUST(verdict->value != verdict->value || verdict->value - verdict->value == 0);
    MUST(stored_verdict_same(verdict, verdict));
}

static void read_all(const char *data, size_t size)
{
    struct verdicts_table table;
    char error[1024];

    if (read_verdicts_text("x.csv", data, size, &table, error, sizeof error)) {
        for (size_t i = 0; i < table.count; i++)
            check(&table.at[i]);
    } else {
        fuzz_check_reason(error);
        MUST(strncmp(error, "x.csv: ", 7) == 0 && table.count == 0);
    }
    verdicts_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t header = strlen(csv_verdicts_header);
    char *copy = fuzz_copy(data, size), *headed = malloc(header + size);

    MUST(headed != NULL);
    memcpy(headed, csv_verdicts_header, header);
    if (size > 0)
        memcpy(headed + header, data, size);
    read_all(copy, size);
    read_all(headed, header + size);
    free(headed);
    free(copy);
    return 0;
}
