/* bench: the published protocol and ours side by side, on the processor we stand on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../kernel/engine/windows.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/judge.h"
#include "../../kernel/experiments/settings.h"
#include "../../kernel/probe/load_sampler.h"
#include "../hosted/platform_linux.h"

#define VERDICTS_MAX 64
#define NAIVE_RUNS 50000 /* of every point, as published (IIT Delhi, 2018) */

struct outcome {
    const char *name;
    struct verdict at[VERDICTS_MAX];
    struct verdict_list verdicts;
    double seconds, inside; /* wall time, and of that inside measured bodies */
    uint64_t samples, points;
};

static struct linux_platform machine;
static struct config config;
static struct processor processor;
static double bookkeeping; /* seconds that are the bench's own, not the protocol's */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

/* Progress of the bench itself goes to standard error; the platform's own lines are dropped. */
static void print_nothing(struct platform *self, const char *text)
{
    (void)self;
    (void)text;
}

static void configure(int argc, char **argv)
{
    char memory[4096];
    struct text errors;
    text_init(&errors, memory, sizeof memory);
    memset(&config, 0, sizeof config);
    unsigned wrong = config_read_setting(&config, "--set", "pages=2m", &errors);
    for (int i = 1; i < argc; i++)
        wrong += config_read_setting(&config, "--set", argv[i], &errors);
    wrong += config_finish(&config, &errors);
    if (wrong > 0)
        die(memory);
}

static void take_stock(const struct measurement *m, struct outcome *o)
{
    static struct facts none;
    struct tables tables;
    void *memory = malloc(tables_bytes(m->row_count));
    double ticks = 0;
    if (memory == NULL)
        die("not enough memory");
    o->points = o->samples = 0;
    for (uint32_t i = 0; i < m->row_count; i++)
        if (row_is(&m->rows[i], "tsc")) {
            ticks += m->rows[i].mean * (double)m->rows[i].samples;
            o->samples += m->rows[i].samples;
            o->points++;
        }
    o->inside = ticks / (double)machine.platform.ticks_per_second;
    o->verdicts = (struct verdict_list){.at = o->at, .room = VERDICTS_MAX};
    tables_group(m->rows, m->row_count, memory, &tables);
    judge_tables(&tables, &none, &o->verdicts);
    free(memory);
}

static struct measurement start(void)
{
    return (struct measurement){
        .platform = &machine.platform,
        .config = &config,
        .processor = &processor,
        .experiment = experiment_mlp.name,
    };
}

/*
 * A virtual machine's host finds memory when it is first touched, which takes longer than measuring
 * in it: not the cost of whichever protocol comes first.
 */
static void touch_memory_once(void)
{
    struct window window;
    const struct window_request request = {.bytes = config.mlp.bytes,
                                           .page = config.pages.index[0],
                                           .seed = config.seed,
                                           .node = NODE_ANY};
    const char *reason = machine.platform.map_window(&machine.platform, &request, &window);
    if (reason != NULL)
        die(reason);
    machine.platform.unmap_window(&machine.platform, &window);
}

static void run_ours(struct outcome *o)
{
    struct measurement m = start();
    double started = now();
    if (!experiment_mlp.measure(&m))
        die(m.failure);
    o->seconds = now() - started;
    take_stock(&m, o);
    measurement_release(&m);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* An interrupted run would ruin the average: those of so many times the median are left out. */
#define INTERRUPTED 8

/* The row of all runs of one point; sorting them is not the protocol's time. */
static void add_point(struct measurement *m, uint32_t case_id, const struct mlp_shape *shape,
                      uint32_t *ticks)
{
    double started = now();
    struct distribution d = {.sorted = ticks, .count = NAIVE_RUNS};
    qsort(ticks, NAIVE_RUNS, sizeof *ticks, by_size);
    while (ticks[d.count - 1] / INTERRUPTED > ticks[NAIVE_RUNS / 2])
        d.count--;
    d.discarded = NAIVE_RUNS - d.count;
    for (uint32_t i = 0; i < d.count; i++)
        d.sum += ticks[i];
    struct row *row = measurement_add(m, case_id, "tsc", "ticks", &d);
    row->n = shape->loads;
    row->k = shape->fillers;
    bookkeeping += now() - started;
}

/* The published protocol: the points in order, each of them so many runs of one shape. */
struct naive {
    struct measurement m;
    struct load_sampler sampler;
    uint32_t case_id;
};

static void measure_point(struct naive *naive, const struct mlp_shape *shape)
{
    static uint32_t ticks[NAIVE_RUNS];
    for (uint32_t runs = 0, count; runs < NAIVE_RUNS; runs += count) {
        uint32_t left = NAIVE_RUNS - runs;
        count = left < LOAD_SAMPLES_MAX ? left : LOAD_SAMPLES_MAX;
        load_sampler_visit(&naive->sampler, shape, ticks + runs, count);
    }
    add_point(&naive->m, naive->case_id, shape, ticks);
}

static void measure_in_order(void *context)
{
    const struct config_list *loads = &config.mlp.loads, *fillers = &config.mlp.fillers;
    for (uint32_t i = 0; i < loads->count; i++) {
        for (uint32_t j = 0; j < fillers->count; j++) {
            struct mlp_shape shape = {
                .loads = (unsigned)loads->value[i],
                .fillers = (unsigned)fillers->value[j],
                .timing = {.order = ORDER_LFENCE, .rdtscp = processor.rdtscp},
            };
            measure_point(context, &shape);
        }
        fprintf(stderr, "\rthe published protocol: N = %u ", (unsigned)loads->value[i]);
    }
    fprintf(stderr, "\n");
}

/* As published, a point is its average alone: a row without spread. */
static void keep_averages_only(struct measurement *m)
{
    for (uint32_t i = 0; i < m->row_count; i++) {
        struct row *row = &m->rows[i];
        row->min = row->p10 = row->median = row->p90 = row->max = row->mean;
    }
}

static void run_naive(struct outcome *o, struct outcome *averages)
{
    static struct naive naive;
    const struct window *window;
    struct load_conditions conditions = {
        .bytes = config.mlp.bytes,
        .loads = (unsigned)list_most(&config.mlp.loads),
        .page = config.pages.index[0],
        .tlb = config.mlp.tlb.index[0],
        .seed = config.seed,
    };
    struct window_request request = {.bytes = load_conditions_bytes(&conditions),
                                     .page = conditions.page,
                                     .seed = config.seed,
                                     .node = NODE_ANY};
    naive.m = start();
    struct setting setting = settings_get(&naive.m, config.node, conditions.page, 0);
    setting.variant.tlb = conditions.tlb;
    double started = now();
    const char *reason = windows_get(&naive.m, &request, false, &window);
    if (reason != NULL)
        die(reason);
    naive.case_id = measurement_add_case(&naive.m, &setting.variant, 0);
    load_sampler_init(&naive.sampler, &machine.platform, &conditions, window);
    machine.platform.quietly(&machine.platform, measure_in_order, &naive);
    windows_close(&naive.m);
    if (naive.m.failure != NULL)
        die(naive.m.failure);
    o->seconds = averages->seconds = now() - started - bookkeeping;
    take_stock(&naive.m, o);
    keep_averages_only(&naive.m);
    take_stock(&naive.m, averages);
    measurement_release(&naive.m);
}

static void print_value(const struct verdict *v)
{
    if (v == NULL)
        printf("  %-28s", "-");
    else
        printf("  %7.1f [%6.1f ..%7.1f] %-5s", v->value, v->low, v->high,
               verdict_status_names[v->status]);
}

/* The verdicts of one side by side with those of the others. */
static void print_verdicts(const struct outcome *const *outcome, unsigned count)
{
    printf("%-24s", "");
    for (unsigned i = 0; i < count; i++)
        printf("  %-32s", outcome[i]->name);
    printf("\n");
    for (size_t i = 0; i < outcome[0]->verdicts.count; i++) {
        const struct verdict *v = &outcome[0]->at[i];
        char name[NAME_BYTES];
        if (verdict_find(&outcome[1]->verdicts, &v->variant, v->question->name) == NULL)
            continue;
        case_name(&v->variant, name);
        printf("%-4s%-20s", name, v->question->name);
        for (unsigned j = 0; j < count; j++)
            print_value(verdict_find(&outcome[j]->verdicts, &v->variant, v->question->name));
        printf("  %s\n", v->question->unit);
    }
}

static void print_cost(const struct outcome *o)
{
    double samples = (double)o->samples;
    printf("%-10s %8.2f s, %lu points, %lu samples, %.0f %% inside measured bodies, "
           "%.0f ns of harness per sample\n",
           o->name, o->seconds, (unsigned long)o->points, (unsigned long)o->samples,
           100 * o->inside / o->seconds, 1e9 * (o->seconds - o->inside) / samples);
}

int main(int argc, char **argv)
{
    static struct outcome ours = {.name = "ours"}, naive = {.name = "published"},
                          averages = {.name = "published, averages alone"};
    configure(argc, argv);
    processor_identify(&processor);
    const char *reason = linux_platform_open(&machine, LINUX_ANY_CPU, NULL);
    if (reason != NULL)
        die(reason);
    machine.platform.print = print_nothing;
    touch_memory_once();
    run_ours(&ours);
    run_naive(&naive, &averages);
    print_verdicts((const struct outcome *const[]){&ours, &naive, &averages}, 3);
    print_cost(&ours);
    print_cost(&naive);
    printf("ratio      %.1f times less wall time\n", naive.seconds / ours.seconds);
    linux_platform_close(&machine);
    return 0;
}
