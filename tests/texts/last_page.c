/* last_page: prints the answers of a run's last page, from its rows: for README's picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/noise/noise_rule.h"
#include "../../kernel/report/screen.h"
#include "../hosted/stored_verdicts.h"

/* The lines about the run itself come before the answers, and those about its files after them. */
static void print_answers(char *page)
{
    char *answers = strstr(page, "\n\n"),
         *end = answers == NULL ? NULL : strstr(answers + 2, "\n\n");
    if (end != NULL)
        printf("%.*s\n", (int)(end - answers - 2), answers + 2);
}

int main(int argc, char **argv)
{
    char error[4608], page[SCREEN_BYTES];
    struct results_table table;
    struct verdict_list verdicts;
    struct noise_summary pace = {.slices = 0};
    struct text text;
    double ticks_per_second = argc == 3 ? atof(argv[2]) : 0;
    if (!(ticks_per_second > 0)) {
        fputs("usage: last-page RESULTS.csv TICKS_PER_SECOND\n", stderr);
        return 2;
    }
    if (!read_results(argv[1], &table, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    noise_summary_add(&pace, table.rows, table.count);
    if (!stored_verdicts(&table, &verdicts))
        return 1;
    text_init(&text, page, sizeof page);
    const struct screen screen = {
        .version = "",
        .platform = "",
        .status = "",
        .machine = "",
        .core = "",
        .trouble = "",
        .verdicts = &verdicts,
        .results = "",
        .ns_a_tick = 1e9 / ticks_per_second,
        .cycles_a_tick = pace.slices > 0 ? 1 / pace.ticks_per_cycle : 0,
    };
    screen_page(&screen, &text);
    print_answers(page);
    free(verdicts.at);
    results_table_free(&table);
    return 0;
}
