/* floor: the timer, empty samples and bodies that touch no memory, visited like any other points.
 */
#include "floor.h"

#include "../analysis/floor_rule.h"
#include "../lib/string.h"
#include "../probe/floor_probe.h"
#include "../probe/mlp_probe.h"
#include "../probe/sweep.h"
#include "counted.h"

#define SAMPLES_OF_A_RUN 50 /* of each point, where the experiment was not asked for */
#define COUNTED_EVENTS 2    /* the first of the list: instructions and cycles */
/*
 * Both bodies fit into the caches of decoded instructions. The lengths have no common divisor, so
 * that chains of them have none but the timer's own; what they differ by divides by all widths of
 * dispatch up to 8.
 */
#define ADDS_SHORT 257
#define ADDS_LONG 1937

enum body { BODY_TIMER, BODY_NOPS, BODY_ADDS };

struct floor_point {
    const char *variant, *metric;
    enum body body;
    enum probe_order order;
    unsigned n, k; /* chains of adds side by side, none: NOPs; instructions */
};

static const struct floor_point points[] = {
    {FLOOR_TIMER, FLOOR_PAIR, BODY_TIMER, ORDER_LFENCE, 0, 0},
    {FLOOR_LFENCE, "tsc", BODY_NOPS, ORDER_LFENCE, 0, 0},
    {FLOOR_CPUID, "tsc", BODY_NOPS, ORDER_CPUID, 0, 0},
    {FLOOR_CORE, "tsc", BODY_NOPS, ORDER_LFENCE, 0, ADDS_SHORT},
    {FLOOR_CORE, "tsc", BODY_NOPS, ORDER_LFENCE, 0, ADDS_LONG},
    {FLOOR_CORE, "tsc", BODY_ADDS, ORDER_LFENCE, 1, ADDS_SHORT},
    {FLOOR_CORE, "tsc", BODY_ADDS, ORDER_LFENCE, 1, ADDS_LONG},
    {FLOOR_CORE, "tsc", BODY_ADDS, ORDER_LFENCE, FLOOR_CHAINS_MAX, ADDS_SHORT},
    {FLOOR_CORE, "tsc", BODY_ADDS, ORDER_LFENCE, FLOOR_CHAINS_MAX, ADDS_LONG},
};
#define POINTS (sizeof points / sizeof *points)
#define FURTHER_ROWS 3 /* least, step, rate */

/* Fillers counted without any load. */
static const unsigned payload[] = {0, ADDS_SHORT, ADDS_LONG};
#define PAYLOADS (sizeof payload / sizeof *payload)

struct floor_run {
    struct measurement *measurement;
    uint32_t least; /* ticks between two timestamps back to back; 0: none seen */
    uint32_t step;  /* common divisor of all intervals; 0: none seen */
};

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t emit(const struct floor_run *f, const struct floor_point *point)
{
    const struct code_area *code = &f->measurement->platform->code;
    struct timing timing = {.order = point->order, .rdtscp = f->measurement->processor->rdtscp};
    struct mlp_shape nops = {.fillers = point->k, .filler = FILLER_NOP, .timing = timing};
    struct floor_shape adds = {.chains = point->n, .adds = point->k, .timing = timing};
    switch (point->body) {
    case BODY_TIMER:
        return floor_probe_emit_timer(code->write, code->bytes);
    case BODY_NOPS:
        return mlp_probe_emit(code->write, code->bytes, &nops, NULL);
    default:
        return floor_probe_emit(code->write, code->bytes, &adds);
    }
}

/* Timestamps that nothing orders may come out the wrong way round: no time between them. */
static uint32_t time_one(struct floor_run *f)
{
    struct platform *p = f->measurement->platform;
    int64_t elapsed = (int64_t)p->run_code(p, NULL);
    uint32_t ticks = elapsed < 0 ? 0 : elapsed < UINT32_MAX ? (uint32_t)elapsed : UINT32_MAX;
    f->step = common_divisor(f->step, ticks);
    return ticks;
}

static void visit(void *context, uint32_t index, uint32_t *samples, unsigned count)
{
    struct floor_run *f = context;
    const struct floor_point *point = &points[index];
    struct platform *p = f->measurement->platform;
    p->publish_code(p, emit(f, point));
    p->run_code(p, NULL); /* brings the new code into the caches; not counted */
    for (unsigned i = 0; i < count; i++) {
        uint32_t ticks = samples[i] = time_one(f);
        if (point->body == BODY_TIMER && ticks > 0 && (f->least == 0 || ticks < f->least))
            f->least = ticks;
    }
}

/* A row of one value; without samples where it is not known, 0. */
static void add_value(struct measurement *m, const char *metric, const char *unit, double value)
{
    static const struct distribution none;
    struct result_row *row = measurement_add(m, metric, unit, &none);
    if (value == 0)
        return;
    row->samples = 1;
    row->min = row->p10 = row->median = row->p90 = row->max = row->mean = value;
}

static void add_rows(struct floor_run *f, const struct sweep *sweep)
{
    struct measurement *m = f->measurement;
    for (unsigned i = 0; i < POINTS; i++) {
        m->variant = points[i].variant;
        struct result_row *row = measurement_add(m, points[i].metric, "ticks", &sweep->points[i]);
        if (points[i].body == BODY_TIMER)
            continue;
        row->n = points[i].n;
        row->k = points[i].k;
    }
    /* `openly` is missing where time is not a processor's; then a second has no ticks either. */
    if (m->platform->openly != NULL)
        add_value(m, FLOOR_RATE, "Hz", (double)m->platform->ticks_per_second);
    m->variant = FLOOR_TIMER;
    add_value(m, FLOOR_LEAST, "ticks", f->least);
    add_value(m, FLOOR_STEP, "ticks", f->step);
}

static bool measure_points(struct measurement *m, const struct sweep_rules *rules)
{
    struct floor_run f = {.measurement = m};
    struct sweep sweep;
    m->failure = sweep_open(&sweep, m->platform, POINTS, rules, m->config->seed);
    if (m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, &f, measurement_progress, m);
    if (finished)
        add_rows(&f, &sweep);
    else
        m->failure = "a fault ended the measurement";
    sweep_close(&sweep);
    return finished;
}

static void visit_counting(void *context, uint32_t point, const struct counting *counting,
                           uint32_t *samples, unsigned count)
{
    struct measurement *m = context;
    struct platform *p = m->platform;
    struct mlp_shape shape = {
        .fillers = payload[point], .filler = FILLER_ADD, .timing = {.counting = counting}};
    p->publish_code(p, mlp_probe_emit(p->code.write, p->code.bytes, &shape, NULL));
    p->run_code(p, NULL);
    for (unsigned i = 0; i < count; i++) {
        p->run_code(p, NULL);
        for (unsigned j = 0; j < counting->count; j++)
            samples[j * count + i] = (uint32_t)counting->result[j];
    }
}

static void place(void *context, uint32_t point, struct result_row *row)
{
    (void)context;
    row->n = 0;
    row->k = payload[point];
}

static bool count_payload(struct measurement *m)
{
    static struct counted counted; /* too large for a firmware's stack */
    counted = (struct counted){.measurement = m,
                               .visit = visit_counting,
                               .place = place,
                               .context = m,
                               .first = COUNTED_EVENTS};
    m->variant = FLOOR_PAYLOAD;
    return counted_measure(&counted, PAYLOADS);
}

/* All cases are measured together, so that one line of progress is enough. */
static bool measure_all(struct measurement *m, const struct sweep_rules *rules, bool is_counted)
{
    struct platform *p = m->platform;
    struct window window;
    m->cases = 1;
    if (!measurement_reserve(m, POINTS + FURTHER_ROWS + counted_rows(p, PAYLOADS)))
        return false;
    measurement_start_case(m, FLOOR_CORE);
    /* Nothing touches it, but probes run only where there is one. */
    const struct window_request request = {
        .bytes = page_bytes(PAGE_4K), .page = PAGE_4K, .seed = m->config->seed, .node = m->node};
    const char *reason = p->map_window(p, &request, &window);
    if (reason != NULL) {
        measurement_skip(m, reason);
        return true;
    }
    bool finished = measure_points(m, rules) && (!is_counted || count_payload(m));
    p->unmap_window(p, &window);
    return finished;
}

bool floor_measure(struct measurement *m)
{
    struct sweep_rules rules = {
        .samples_min = (uint32_t)m->config->samples_min,
        .samples_max = (uint32_t)m->config->samples_max,
        .precision = m->config->samples_precision,
    };
    return measure_all(m, &rules, true);
}

bool floor_sample(struct measurement *m)
{
    struct sweep_rules rules = {
        .samples_min = SAMPLES_OF_A_RUN, .samples_max = SAMPLES_OF_A_RUN, .precision = 1};
    return measure_all(m, &rules, false);
}

static void add_coordinate(int64_t value, struct text *text)
{
    if (value == RESULT_NONE)
        text_printf(text, "      -");
    else
        text_printf(text, " %6ld", (long)value);
}

void floor_show(const struct result_row *rows, size_t count, struct text *text)
{
    text_printf(text, "\n%s, case %s: ticks of K instructions in N chains of additions (0: NOPs)\n",
                rows->experiment, rows->variant);
    text_printf(text, "%-24s %6s %6s %12s %12s %12s\n", "", "N", "K", "first decile", "median",
                "last decile");
    for (const struct result_row *row = rows; row < rows + count; row++) {
        text_printf(text, "%-24s", row->metric);
        add_coordinate(row->n, text);
        add_coordinate(row->k, text);
        if (row->samples > 0)
            text_printf(text, " %12.0f %12.0f %12.0f", row->p10, row->median, row->p90);
        text_char(text, '\n');
    }
}
