/* experiments: one measurement on one platform, in the place of a test's own. */
#include "experiments.h"
#include "../../kernel/experiments/facts.h"

#include "../../kernel/engine/measurement.h"
#include "../../kernel/pmu/event.h"
#include "kit.h"

struct fake_platform fake;
struct config config;
struct processor processor;
struct measurement m;
struct memory_nodes nodes;
uint64_t now, now_step;
void (*experiment_begins)(void);

/* In place of kernel/probe/native.c. */
uint64_t native_ticks(void)
{
    return now += now_step;
}

/* In place of kernel/engine/prefetch_proof.c: what is switched off is off. */
const char *prefetch_proof(struct measurement *given)
{
    assert_ptr_equal(given, &m);
    return NULL;
}

void experiment_open(const char *name)
{
    fake_platform_open(&fake);
    nodes = (struct memory_nodes){.reason = "no nodes here"};
    fake.platform.nodes = &nodes;
    memset(&config, 0, sizeof config);
    memset(&processor, 0, sizeof processor);
    now_step = 1;
    experiment_begins = NULL;
    experiment_begin(name, false);
}

void experiment_close(void)
{
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

void experiment_begin(const char *name, bool brief)
{
    static const struct facts nothing;
    m = (struct measurement){.platform = &fake.platform,
                             .facts = &nothing,
                             .config = &config,
                             .processor = &processor,
                             .experiment = name,
                             .brief = brief};
    if (experiment_begins != NULL)
        experiment_begins();
}

void experiment_again(void)
{
    experiment_close();
    experiment_begin(m.experiment, m.brief);
    fake.slices = fake.maps = fake.unmaps = 0;
    fake.printed[0] = '\0';
}

void make_nodes(uint32_t count, uint32_t number)
{
    nodes = (struct memory_nodes){.count = count, .own_known = true};
    for (uint32_t i = 0; i < count; i++)
        nodes.node[i].number = number + i;
}

void set_values(struct config_list *list, const uint64_t *values, size_t count)
{
    list->count = (uint32_t)count;
    memcpy(list->value, values, count * sizeof *values);
}

void set_choices(struct config_choices *choices, const uint8_t *index, size_t count)
{
    choices->count = (uint32_t)count;
    memcpy(choices->index, index, count * sizeof *index);
}

void set_samples(uint32_t min, uint32_t max, double precision)
{
    config.samples_min = min;
    config.samples_max = max;
    config.samples_precision = precision;
}

bool run(void)
{
    bool finished = experiment_find(m.experiment)->measure(&m);
    if (finished)
        rows_gather(&m);
    return finished;
}

void measure(void)
{
    assert_true(run());
    assert_null(m.failure);
}

uint32_t case_named(const char *name)
{
    uint32_t case_id = 0;
    while (case_id < m.case_count && !is_case(&m.cases[case_id].variant, name))
        case_id++;
    if (case_id == m.case_count)
        fail_msg("no case %s", name);
    return case_id;
}

static bool is_at(int64_t wanted, int64_t coordinate)
{
    return wanted == ANY || wanted == coordinate;
}

const struct row *row_where(uint32_t case_id, const char *metric, int64_t n, int64_t k,
                            int64_t bytes, int64_t stage)
{
    const struct row *found = NULL;
    for (const struct row *row = m.rows; row < m.rows + m.row_count; row++)
        if (case_same(&row->variant, &m.cases[case_id].variant) &&
            strcmp(row->metric, metric) == 0 && is_at(n, row->n) && is_at(k, row->k) &&
            is_at(bytes, row->bytes) && is_at(stage, row->stage)) {
            assert_null(found);
            found = row;
        }
    return found;
}

static void assert_case_skipped(uint32_t case_id, const char *reason)
{
    const struct row *row = row_where(case_id, ROW_SKIPPED, ANY, ANY, ANY, ANY);
    assert_non_null(row);
    assert_string_equal(row->unit, reason);
    assert_true(m.cases[case_id].is_skipped);
}

void assert_skipped(const char *name, const char *reason)
{
    assert_case_skipped(case_named(name), reason);
}

void assert_all_skipped(const char *reason)
{
    for (uint32_t i = 0; i < m.case_count; i++)
        assert_case_skipped(i, reason);
    assert_int_equal(m.row_count, m.case_count);
}

void assert_is_code(const uint8_t *code, size_t room)
{
    assert_ptr_equal(code, fake.code);
    assert_int_equal(room, sizeof fake.code);
}

void offer_counters(void)
{
    fake_platform_offer(&fake, microarchitecture_named("haswell"),
                        0xf | EVENT_FIXED(0) | EVENT_FIXED(1));
    fake.offer.set.architectural = 0;
}
