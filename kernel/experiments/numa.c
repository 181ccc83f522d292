/* numa: one row and one column of mlp's table, node by node. */
#include "numa.h"

#include "load_case.h"

static const uint64_t compared[] = {1, 2, 10}; /* values of N that node_compare looks at */

#define COMPARED (sizeof compared / sizeof *compared)
#define POINTS_MAX(config) ((config)->mlp.loads.count + COMPARED + (config)->mlp.fillers.count)

/* Once each. */
static void add_point(struct load_point *plan, uint32_t *count, uint64_t n, uint64_t k)
{
    for (uint32_t i = 0; i < *count; i++)
        if (plan[i].n == n && plan[i].k == k)
            return;
    plan[(*count)++] = (struct load_point){.n = (uint16_t)n, .k = (uint16_t)k};
}

static uint32_t make_plan(const struct config *config, struct load_point *plan)
{
    const struct config_list *loads = &config->mlp.loads, *fillers = &config->mlp.fillers;
    uint64_t smallest = fillers->value[0];
    uint32_t count = 0;
    for (uint32_t i = 1; i < fillers->count; i++)
        if (fillers->value[i] < smallest)
            smallest = fillers->value[i];
    for (uint32_t i = 0; i < COMPARED; i++)
        add_point(plan, &count, compared[i], smallest);
    for (uint32_t i = 0; i < loads->count; i++)
        add_point(plan, &count, loads->value[i], smallest);
    for (uint32_t i = 0; i < fillers->count; i++)
        add_point(plan, &count, 2, fillers->value[i]);
    return count;
}

static bool measure_points(struct load_case *c)
{
    struct measurement *m = c->measurement;
    size_t first_row = m->row_count;
    uint64_t bytes = POINTS_MAX(m->config) * sizeof(struct load_point);
    struct load_point *plan = m->platform->allocate(m->platform, bytes);
    if (plan == NULL) {
        m->failure = "not enough memory for that many points";
        return false;
    }
    uint32_t count = make_plan(m->config, plan);
    bool finished = load_case_measure(c, plan, count) && load_case_refine(c, first_row);
    m->platform->release(m->platform, plan, bytes);
    return finished;
}

static bool measure_case(struct measurement *m, enum page_size page, unsigned setting)
{
    struct load_case c;
    char variant[NAME_BYTES];
    const char *suffix, *refusal = measurement_set(m, setting, &suffix);
    unsigned most = load_case_most_loads(&m->config->mlp.loads);
    struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = most > compared[COMPARED - 1] ? most : (unsigned)compared[COMPARED - 1],
        .page = page,
        .frames = m->config->mlp.frames,
        .tlb = TLB_NATURAL,
        .data = DATA_MEMORY,
        .seed = m->config->seed,
    };
    load_case_name(variant, page, TLB_NATURAL, suffix, "");
    if (!load_case_open(&c, m, variant, &conditions, refusal))
        return true;
    bool finished = measure_points(&c);
    load_case_close(&c);
    return finished;
}

bool numa_measure(struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    /* Without another node the local one is nothing new: one case says that there is none. */
    bool one = m->platform->nodes->count < 2;
    m->nodes = one ? CONFIG_NODE_REMOTE : CONFIG_NODE_ALL;
    unsigned settings = measurement_settings(m);
    m->cases = (one ? 1 : pages->count) * settings;
    if (!measurement_reserve(m, m->cases * (POINTS_MAX(m->config) + LOAD_CASE_REFINEMENTS)))
        return false;
    for (uint32_t i = 0; i < m->cases; i++)
        if (!measure_case(m, pages->index[i / settings], i % settings))
            return false;
    return true;
}
