/* floor: times the timer, empty samples and bodies that touch no memory, like any other points. */
#include "floor_rule.h"

#include "../../analysis/clock_step.h"
#include "../../cpu/processor.h"
#include "../../cpu/rest.h"
#include "../../lib/sort.h"
#include "../../probe/floor_probe.h"
#include "../../probe/mlp_probe.h"
#include "../../probe/native.h"
#include "../../probe/sentinel.h"
#include "../experiment.h"
#include "../settings.h"
#include "host_pages.h"

/* The lengths have no common divisor:
 * chains' times have none but the clock's step. Dispatch widths up to 8 divide their difference. */
#define ADDS_SHORT 257
#define ADDS_LONG 1937

/* Visits a second at most: all of them in ten milliseconds meet one state of the core. (Tried:
 * beside neighbours of an Intel family 6 model 207 guest, 60 runs without it read clocks of 0.68 to
 * 2.99 GHz, and 30 to 84 ticks back to back; with it 2.36 to 2.79, and 30 to 36.) */
#define PACE 1000

enum floor_case { CASE_TIMER, CASE_LFENCE, CASE_CPUID, CASE_CORE, CASE_PAYLOAD, CASES };

static const char *const case_names[CASES] = {FLOOR_TIMER, FLOOR_LFENCE, FLOOR_CPUID, FLOOR_CORE,
                                              FLOOR_PAYLOAD};

struct floor_point {
    enum floor_case case_id;
    unsigned n, k; /* chains of adds side by side, 0 for 9-byte NOPs; instructions */
    const char *metric;
};

static const struct floor_point points[] = {
    {CASE_TIMER, 0, 0, FLOOR_PAIR},
    {CASE_LFENCE, 0, 0, NULL},
    {CASE_CPUID, 0, 0, NULL},
    {CASE_CORE, 0, ADDS_SHORT, NULL},
    {CASE_CORE, 0, ADDS_LONG, NULL},
    {CASE_CORE, 1, ADDS_SHORT, NULL},
    {CASE_CORE, 1, ADDS_LONG, NULL},
    {CASE_CORE, FLOOR_CHAINS_MAX, ADDS_SHORT, NULL},
    {CASE_CORE, FLOOR_CHAINS_MAX, ADDS_LONG, NULL},
    {CASE_CORE, 1, ADDS_SHORT, FLOOR_FORWARD},
    {CASE_CORE, 1, ADDS_LONG, FLOOR_FORWARD},
    {CASE_CORE, FORWARD_CHAINS_MAX, ADDS_SHORT, FLOOR_FORWARD},
    {CASE_CORE, FORWARD_CHAINS_MAX, ADDS_LONG, FLOOR_FORWARD},
};
#define POINTS (sizeof points / sizeof *points)
#define BRIEF_SAMPLES (VISITS_LEAST * VISIT_SAMPLES_FEW)
#define INTERVALS (BRIEF_SAMPLES * POINTS)

/* Numbers of fillers that are counted without any load. */
static const unsigned payload[] = {0, ADDS_SHORT, ADDS_LONG};
#define PAYLOADS (sizeof payload / sizeof *payload)

struct floor_run {
    struct measurement *m;
    uint32_t least; /* ticks between two timestamps back to back; 0: not known */
    uint32_t step;  /* of the clock, by the intervals; 0: not known */
    uint32_t intervals, interval[INTERVALS];
    uint64_t next;                       /* ticks when the next visit may begin */
    uint64_t memory[FORWARD_CHAINS_MAX]; /* that stores write and loads read */
};

static size_t emit_body(const struct floor_run *f, const struct floor_point *point)
{
    const struct code_area *code = &f->m->platform->code;
    struct timing timing = {.order = point->case_id == CASE_CPUID ? ORDER_CPUID : ORDER_LFENCE,
                            .rdtscp = f->m->processor->rdtscp};
    struct mlp_shape empty = {.filler = FILLER_NOP, .timing = timing};
    struct floor_shape core = {.chains = point->n, .adds = point->k, .timing = timing};
    struct forward_shape forward = {.chains = point->n, .pairs = point->k, .timing = timing};
    if (point->case_id == CASE_TIMER)
        return floor_probe_emit_timer(code->write, code->bytes);
    if (point->metric != NULL)
        return forward_probe_emit(code->write, code->bytes, &forward);
    if (point->case_id == CASE_CORE)
        return floor_probe_emit(code->write, code->bytes, &core);
    return mlp_probe_emit(code->write, code->bytes, &empty, NULL);
}

/* Returns the ticks of a run; 0 where unordered timestamps come out the wrong way round. */
static uint32_t time_body(struct floor_run *f)
{
    struct platform *p = f->m->platform;
    int64_t elapsed = (int64_t)p->run_code(p, (uint8_t *)f->memory);
    return elapsed < 0 ? 0 : sample_of((uint64_t)elapsed);
}

static void publish_body(struct floor_run *f, const struct floor_point *point)
{
    struct platform *p = f->m->platform;
    p->publish_code(p, emit_body(f, point));
    p->run_code(p, (uint8_t *)f->memory); /* not timed: brings the new code into the caches */
}

/* Finds the clock's step, before all else is timed by it. */
static void find_clock_step(void *context)
{
    struct floor_run *f = context;
    for (unsigned i = 0; i < POINTS; i++) {
        publish_body(f, &points[i]);
        for (unsigned j = 0; j < INTERVALS / POINTS; j++)
            f->interval[f->intervals++] = time_body(f);
    }
    sort_numbers(f->interval, f->intervals);
    f->step = clock_step(f->interval, f->intervals);
}

static void time_floor_point(struct floor_run *f, const struct floor_point *point,
                             const struct samples *samples)
{
    publish_body(f, point);
    for (unsigned i = 0; i < samples->count; i++) {
        uint32_t ticks = samples->at[i] = time_body(f);
        if (point->case_id == CASE_TIMER && ticks > 0 && (f->least == 0 || ticks < f->least))
            f->least = ticks;
    }
}

static void count_payload(struct floor_run *f, const struct point *point,
                          const struct samples *samples)
{
    struct platform *p = f->m->platform;
    struct mlp_shape shape = {.fillers = (unsigned)point->k,
                              .filler = FILLER_ADD,
                              .timing = {.counting = samples->counting}};
    p->publish_code(p, mlp_probe_emit(p->code.write, p->code.bytes, &shape, NULL));
    p->run_code(p, NULL);
    samples_run(samples, p, NULL);
}

/* Waits for the next timed visit's turn. A model's visits have their own time. */
static void await_turn(struct floor_run *f)
{
    struct platform *p = f->m->platform;
    if (p->openly == NULL || f->m->is_emulated)
        return;
    while (native_ticks() < f->next)
        rest_briefly();
    f->next = native_ticks() + p->ticks_per_second / PACE;
}

static void visit_floor(void *context, const struct point *point, struct samples *samples)
{
    struct floor_run *f = context;
    if (samples->counting != NULL) {
        count_payload(f, point, samples);
    } else {
        await_turn(f);
        time_floor_point(f, &points[point->place], samples);
    }
}

/* Skips empty samples where LFENCE orders nothing: overlap cancels only between two lengths. */
static void add_floor_points(struct task *task, bool is_counted)
{
    const char *no_lfence = task->measurement->platform->no_lfence_order;
    if (no_lfence != NULL)
        measurement_skip(task->measurement, CASE_LFENCE, no_lfence);
    for (unsigned i = 0; i < POINTS; i++) {
        if (points[i].case_id == CASE_LFENCE && no_lfence != NULL)
            continue;
        bool is_timer = points[i].case_id == CASE_TIMER;
        struct point point = {.case_id = points[i].case_id,
                              .place = i,
                              .n = is_timer ? ROW_NONE : (int64_t)points[i].n,
                              .k = is_timer ? ROW_NONE : (int64_t)points[i].k,
                              .bytes = ROW_NONE,
                              .stage = ROW_NONE,
                              .metric = points[i].metric};
        task_add(task, &task->points, &point);
    }
    for (unsigned i = 0; is_counted && i < PAYLOADS; i++) {
        struct point point = {
            .case_id = CASE_PAYLOAD, .k = payload[i], .bytes = ROW_NONE, .stage = ROW_NONE};
        task_add(task, &task->counted, &point);
    }
}

/* True if a host may map a large page by small ones; an emulator's times cannot show it. */
static bool may_host_have_pages(const struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    bool is_asked = false, is_model = m->platform->openly == NULL;
    for (uint32_t i = 0; i < pages->count; i++)
        is_asked |= pages->index[i] != PAGE_4K;
    return is_asked && (is_model || m->processor->is_virtual) && !hypervisor_emulates(m->processor);
}

/* Adds what a hypervisor and CPUID say; a model has neither. */
static void add_machine(struct measurement *m)
{
    uint64_t bytes[PROCESSOR_CACHES];
    if (m->platform->openly == NULL)
        return;
    if (hypervisor_name(m->processor)[0] != '\0')
        measurement_add_value(m, CASE_CORE, FACTS_HYPERVISOR, "", 1);
    processor_caches(bytes);
    for (int64_t i = 0; i < PROCESSOR_CACHES; i++)
        if (bytes[i] > 0)
            measurement_add_value(m, CASE_CORE, FACTS_CPUID, "bytes", (double)bytes[i])->n = i + 1;
}

/* Adds the facts that need no samples, and what the timer's test found. */
static void add_facts(const struct floor_run *f)
{
    struct measurement *m = f->m;
    double published = m->states != NULL ? m->states->published : 0;
    /* Without `openly`, time is not a processor's, and a second has no ticks either. */
    if (m->platform->openly != NULL)
        measurement_add_value(m, CASE_CORE, FLOOR_RATE, "Hz",
                              (double)m->platform->ticks_per_second);
    if (published > 0)
        measurement_add_value(m, CASE_CORE, FLOOR_WIDTH, "additions", SENTINEL_ADDS / published);
    if (m->states != NULL && m->states->is_alone)
        measurement_add_value(m, CASE_CORE, FLOOR_ALONE, "", 1);
    if (hypervisor_emulates(m->processor))
        measurement_add_value(m, CASE_CORE, FLOOR_EMULATED, "", 1);
    if (may_host_have_pages(m) && host_pages_are_small(m))
        measurement_add_value(m, CASE_CORE, FACTS_SMALL_PAGES, "", 1);
    add_machine(m);
    measurement_add_value(m, CASE_TIMER, FLOOR_LEAST, "ticks", f->least);
    measurement_add_value(m, CASE_TIMER, FLOOR_STEP, "ticks", f->step);
}

static bool floor_measure(struct measurement *m)
{
    struct floor_run f = {.m = m};
    struct task task = settings_task(m, &f, visit_floor);
    uint32_t samples = m->is_emulated ? VISIT_SAMPLES_FEW : BRIEF_SAMPLES;
    if (m->brief)
        task.rules =
            (struct rounds_rules){.samples_min = samples, .samples_max = samples, .precision = 1};
    task.rules.visits_min = VISITS_LEAST;
    task.rules.visit_samples = VISIT_SAMPLES_FEW;
    for (unsigned i = 0; i < CASES; i++) {
        struct variant variant = {.has_page = false};
        name_copy(variant.pattern, case_names[i]);
        measurement_add_case(m, &variant, 0);
    }
    add_floor_points(&task, !m->brief);
    if (!m->platform->quietly(m->platform, find_clock_step, &f))
        measurement_fail(m, measurement_faulted);
    m->step = f.step;
    if (!engine_run(&task))
        return false;
    add_facts(&f);
    return m->failure == NULL;
}

static double floor_seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    (void)m;
    return 0.3; /* 260 visits at their pace */
}

const struct experiment experiment_floor = {
    .name = "floor",
    .shows = "the cost of measuring, and the fewest cycles an instruction takes",
    .turn = TURN_FIRST,
    .measure = floor_measure,
    .seconds = floor_seconds,
    .rule = &rule_floor,
};
