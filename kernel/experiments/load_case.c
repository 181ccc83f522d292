/* load_case: from a plan to rows; coarse first, then fine where the jump is. */
#include "load_case.h"

#include "../analysis/cliff.h"
#include "../lib/text.h"
#include "../probe/sweep.h"
#include "counted.h"

#define REFINE_POINTS 15 /* between two values of K: the gap shrinks sixteen times a round */

static const char *const tlb_suffixes[] = {"", "-warm", "-cold", "-walkmem"};

void load_case_name(char *variant, enum page_size page, enum tlb_state tlb, const char *setting,
                    const char *suffix)
{
    struct text name;
    text_init(&name, variant, RESULT_NAME_MAX);
    text_printf(&name, "%s%s%s%s", measurement_page_names[page], tlb_suffixes[tlb], setting,
                suffix);
}

unsigned load_case_most_loads(const struct config_list *loads)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < loads->count; i++)
        if (loads->value[i] > most)
            most = loads->value[i];
    return (unsigned)most;
}

bool load_case_open(struct load_case *c, struct measurement *m, const char *variant,
                    const struct load_conditions *conditions, const char *refusal)
{
    struct load_conditions on_node = *conditions;
    on_node.node = m->node;
    *c = (struct load_case){.measurement = m, .order = ORDER_LFENCE};
    measurement_start_case(m, variant);
    const char *reason = refusal;
    if (reason == NULL)
        reason = load_sampler_open(&c->sampler, m->platform, &on_node);
    if (reason != NULL)
        measurement_skip(m, reason);
    return reason == NULL;
}

void load_case_close(struct load_case *c)
{
    load_sampler_close(&c->sampler);
}

static struct mlp_shape shape_of(const struct load_case *c, uint32_t point)
{
    return (struct mlp_shape){
        .loads = c->plan[point].n,
        .fillers = c->plan[point].k,
        .filler = c->filler,
        .dependent = c->dependent,
        .timing = {.order = c->order, .rdtscp = c->measurement->processor->rdtscp},
    };
}

static void visit(void *context, uint32_t point, uint32_t *ticks, unsigned count)
{
    struct load_case *c = context;
    struct mlp_shape shape = shape_of(c, point);
    load_sampler_visit(&c->sampler, &shape, ticks, count);
}

static void add_rows(struct load_case *c, const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->count; i++) {
        struct result_row *row = measurement_add(c->measurement, "tsc", "ticks", &sweep->points[i]);
        row->n = c->plan[i].n;
        row->k = c->plan[i].k;
    }
}

bool load_case_measure(struct load_case *c, const struct load_point *plan, uint32_t count)
{
    struct measurement *m = c->measurement;
    struct sweep sweep;
    struct sweep_rules rules = {
        .samples_min = (uint32_t)m->config->samples_min,
        .samples_max = (uint32_t)m->config->samples_max,
        .precision = m->config->samples_precision,
    };
    c->plan = plan;
    m->failure = sweep_open(&sweep, m->platform, count, &rules, m->config->seed);
    if (m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, c, measurement_progress, m);
    if (finished)
        add_rows(c, &sweep);
    else
        m->failure = "a fault ended the measurement";
    sweep_close(&sweep);
    return finished;
}

/* Up to REFINE_POINTS values of K strictly between two, evenly spread. */
static uint32_t plan_between(int64_t low, int64_t high, struct load_point *plan)
{
    int64_t step = (high - low) / (REFINE_POINTS + 1);
    uint32_t count = 0;
    if (step < 1)
        step = 1;
    for (int64_t k = low + step; k < high && count < REFINE_POINTS; k += step)
        plan[count++] = (struct load_point){.n = 2, .k = (uint16_t)k};
    return count;
}

bool load_case_refine(struct load_case *c, size_t first_row)
{
    struct measurement *m = c->measurement;
    struct load_point plan[REFINE_POINTS];
    for (uint32_t added = 0; added + REFINE_POINTS <= LOAD_CASE_REFINEMENTS;) {
        struct cliff cliff;
        cliff_locate(m->rows + first_row, m->row_count - first_row, &cliff);
        if (!cliff.found || cliff.first_high_k - cliff.last_low_k <= 1)
            return true;
        uint32_t count = plan_between(cliff.last_low_k, cliff.first_high_k, plan);
        if (!load_case_measure(c, plan, count))
            return false;
        added += count;
    }
    return true;
}

static void visit_counting(void *context, uint32_t point, const struct counting *counting,
                           uint32_t *samples, unsigned count)
{
    struct load_case *c = context;
    struct mlp_shape shape = shape_of(c, point);
    shape.timing.counting = counting;
    load_sampler_visit(&c->sampler, &shape, samples, count);
}

static void place(void *context, uint32_t point, struct result_row *row)
{
    struct load_case *c = context;
    row->n = c->plan[point].n;
    row->k = c->plan[point].k;
}

/* The point without loads first, the one with the most last. */
static uint32_t plan_counting(const struct load_point *plan, uint32_t count,
                              struct load_point *counted)
{
    uint32_t most = 0, kept = 0;
    uint16_t smallest_k = UINT16_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (plan[i].k < smallest_k)
            smallest_k = plan[i].k;
    counted[kept++] = (struct load_point){0, smallest_k};
    for (uint32_t i = 0; i < count; i++)
        if (plan[i].k == smallest_k || plan[i].n == 2)
            counted[kept++] = plan[i];
    for (uint32_t i = 1; i < kept; i++)
        if (counted[i].k == smallest_k && counted[i].n > counted[most].n)
            most = i;
    struct load_point last = counted[most];
    counted[most] = counted[kept - 1];
    counted[kept - 1] = last;
    return kept;
}

bool load_case_count(struct load_case *c, const struct load_point *plan, uint32_t count)
{
    static struct counted counted; /* too large for a firmware's stack */
    struct measurement *m = c->measurement;
    uint64_t bytes = ((uint64_t)count + 1) * sizeof *plan;
    if (m->platform->counters == NULL)
        return true;
    struct load_point *own = m->platform->allocate(m->platform, bytes);
    if (own == NULL) {
        m->failure = "not enough memory for that many points";
        return false;
    }
    uint32_t points = plan_counting(plan, count, own);
    counted =
        (struct counted){.measurement = m, .visit = visit_counting, .place = place, .context = c};
    c->plan = own;
    bool finished = counted_measure(&counted, points);
    c->plan = own + points - 1;
    finished = finished && counted_levels(&counted);
    m->platform->release(m->platform, own, bytes);
    return finished;
}

uint64_t load_case_counted_rows(const struct platform *platform, uint64_t loads, uint64_t fillers)
{
    return counted_rows(platform, loads + fillers + 1);
}
