/* bench: the published protocol and ours side by side, on the processor we stand on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../kernel/analysis/judge.h"
#include "../../kernel/config/config.h"
#include "../../kernel/experiments/load_case.h"
#include "../../kernel/report/csv.h"
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
    config_init(&config);
    unsigned wrong = config_read_setting(&config, "pages=2m", &errors);
    for (int i = 1; i < argc; i++)
        wrong += config_read_setting(&config, argv[i], &errors);
    wrong += config_finish(&config, &errors);
    if (wrong > 0)
        die(memory);
}

static void take_stock(const struct measurement *m, struct outcome *o)
{
    double ticks = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        ticks += m->rows[i].mean * (double)m->rows[i].samples;
        o->samples += m->rows[i].samples;
    }
    o->points = m->row_count;
    o->inside = ticks / (double)machine.platform.ticks_per_second;
    o->verdicts = (struct verdict_list){o->at, 0, VERDICTS_MAX};
    judge_results(m->rows, m->row_count, &o->verdicts);
}

static struct measurement start(void)
{
    return (struct measurement){
        .platform = &machine.platform,
        .config = &config,
        .processor = &processor,
        .experiment = experiment_find("mlp"),
        .cases = 1,
        .started = 0,
    };
}

static void run_ours(struct outcome *o)
{
    struct measurement m = start();
    double started = now();
    if (!m.experiment->measure(&m))
        die(m.failure);
    o->seconds = now() - started;
    take_stock(&m, o);
    measurement_release(&m);
}

/* An interrupted run would ruin the average: those that took so many times the shortest are left
 * out. */
#define INTERRUPTED 8

static unsigned add_up(const uint32_t *ticks, unsigned count, double *sum)
{
    uint32_t least = UINT32_MAX;
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (ticks[i] < least)
            least = ticks[i];
    for (unsigned i = 0; i < count; i++) {
        if (ticks[i] / INTERRUPTED > least)
            continue;
        *sum += ticks[i];
        kept++;
    }
    return kept;
}

/* One point: so many runs of one shape, averaged. The row has no spread, as published. */
static void average_point(struct load_case *c, struct mlp_shape *shape)
{
    uint32_t ticks[LOAD_SAMPLES_MAX];
    double sum = 0;
    unsigned runs = 0;
    for (unsigned i = 0; i < NAIVE_RUNS; i += LOAD_SAMPLES_MAX) {
        load_sampler_visit(&c->sampler, shape, ticks, LOAD_SAMPLES_MAX);
        runs += add_up(ticks, LOAD_SAMPLES_MAX, &sum);
    }
    struct distribution none = {0};
    struct result_row *row = measurement_add(c->measurement, "tsc", "ticks", &none);
    row->n = shape->loads;
    row->k = shape->fillers;
    row->samples = runs;
    row->min = row->p10 = row->median = row->p90 = row->max = row->mean = sum / runs;
}

struct naive {
    struct load_case c;
};

static void average_all(void *context)
{
    struct naive *naive = context;
    const struct config_list *loads = &config.mlp.loads, *fillers = &config.mlp.fillers;
    for (uint32_t i = 0; i < loads->count; i++) {
        for (uint32_t j = 0; j < fillers->count; j++) {
            struct mlp_shape shape = {
                .loads = (unsigned)loads->value[i],
                .fillers = (unsigned)fillers->value[j],
                .timing = {.order = ORDER_LFENCE, .rdtscp = processor.rdtscp},
            };
            average_point(&naive->c, &shape);
        }
        fprintf(stderr, "\rthe published protocol: N = %u ", (unsigned)loads->value[i]);
    }
    fprintf(stderr, "\n");
}

static void run_naive(struct outcome *o)
{
    struct measurement m = start();
    struct naive naive;
    struct load_conditions conditions = {.bytes = config.mlp.bytes,
                                         .loads = load_case_most_loads(&config.mlp.loads),
                                         .page = config.pages.index[0],
                                         .tlb = config.mlp.tlb.index[0],
                                         .seed = config.seed};
    double started = now();
    if (!measurement_reserve(&m, (uint64_t)config.mlp.loads.count * config.mlp.fillers.count))
        die(m.failure);
    if (!load_case_open(&naive.c, &m, "naive", &conditions))
        die("the window cannot be mapped here");
    machine.platform.quietly(&machine.platform, average_all, &naive);
    load_case_close(&naive.c);
    o->seconds = now() - started;
    take_stock(&m, o);
    measurement_release(&m);
}

static void print_verdicts(const struct outcome *o)
{
    for (size_t i = 0; i < o->verdicts.count; i++) {
        const struct verdict *v = &o->at[i];
        printf("%-10s %-14s %-20s %10.1f  [%.1f .. %.1f] %s %s\n", o->name, v->variant, v->name,
               v->value, v->low, v->high, v->unit, csv_status_name(v->status));
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
    static struct outcome ours = {.name = "ours"}, naive = {.name = "published"};
    configure(argc, argv);
    processor_identify(&processor);
    const char *reason = linux_platform_open(&machine, LINUX_ANY_CPU, NULL);
    if (reason != NULL)
        die(reason);
    machine.platform.print = print_nothing;
    run_ours(&ours);
    run_naive(&naive);
    print_verdicts(&ours);
    print_verdicts(&naive);
    print_cost(&ours);
    print_cost(&naive);
    printf("ratio      %.1f times less wall time\n", naive.seconds / ours.seconds);
    linux_platform_close(&machine);
    return 0;
}
