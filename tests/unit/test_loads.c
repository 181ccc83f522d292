/* test_loads: mlp, structures, tlb and numa measure cores made up here, by one engine. */
#include "../../kernel/experiments/loads.h"
#include "../../kernel/pmu/event_table.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define VISITS_MAX 40000
#define FIXED(n) (1ull << (COUNTER_FIXED + (n)))

static struct memory_nodes nodes;

/* What each visit was asked for. */
static struct seen {
    struct load_conditions conditions;
    struct window window;
    struct mlp_shape shape;
    bool prefetch;
} seen[VISITS_MAX];
static unsigned visits;

/* How many fillers still fit beside two loads of such a case. */
static int64_t (*capacity)(const struct seen *visit);

static int64_t capacity_of_state(const struct seen *visit)
{
    return 70 + 31 * (int64_t)visit->conditions.page + 9 * (int64_t)visit->conditions.tlb +
           4 * (int64_t)visit->shape.filler + !visit->prefetch;
}

/* Two loads one after the other take twice as long as side by side. */
static uint32_t time_of(const struct seen *visit)
{
    unsigned n = visit->shape.loads;
    if (visit->shape.dependent)
        return 200 * n;
    if (n == 2 && visit->shape.fillers > capacity(visit))
        return 400;
    return 200 + n;
}

/* In place of kernel/probe/load_sampler.c. */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count)
{
    struct seen visit = {sampler->conditions, sampler->window, *shape, fake.prefetch};
    assert_true(fake.inside && visits < VISITS_MAX);
    assert_ptr_equal(sampler->platform, &fake.platform);
    assert_true(shape->loads <= sampler->conditions.loads);
    if (shape->timing.counting == NULL) {
        seen[visits++] = visit;
        for (unsigned i = 0; i < count; i++)
            samples[i] = time_of(&visit) + i % 3;
        return;
    }
    for (unsigned j = 0; j < shape->timing.counting->count; j++)
        for (unsigned i = 0; i < count; i++)
            samples[j * count + i] = shape->loads * 1000 + shape->fillers;
}

/* --- helpers --------------------------------------------------------------------------------- */

static void set_list(struct config_list *list, uint32_t count, const uint64_t *values)
{
    list->count = count;
    memcpy(list->value, values, count * sizeof *values);
}

static void forget_visits(void)
{
    visits = 0;
}

SETUP(start)
{
    static const uint64_t loads[] = {1, 2, 3, 10}, steps[] = {0, 64, 128, 192, 256};
    static const uint64_t chain[] = {1, 2, 5};
    experiment_open("mlp");
    memset(&nodes, 0, sizeof nodes);
    nodes.reason = "no nodes here";
    fake.platform.nodes = &nodes;
    config.pages = (struct config_choices){.count = 1, .index = {PAGE_2M}};
    config.samples_min = 25;
    config.samples_max = 50;
    config.samples_precision = 0.1;
    config.seed = 42;
    config.mlp.bytes = 8u << 20;
    config.mlp.tlb.count = config.mlp.order.count = 1;
    set_list(&config.mlp.loads, 4, loads);
    set_list(&config.mlp.fillers, 5, steps);
    set_list(&config.mlp.dependent, 3, chain);
    set_list(&config.structures.fillers, 5, steps);
    set_list(&config.tlb.loads, 3, loads);
    capacity = capacity_of_state;
    experiment_begins = forget_visits;
    forget_visits();
}

TEARDOWN(stop)
{
    experiment_close();
}

static const char *name_of_case(uint32_t of)
{
    static char name[NAME_BYTES];
    return case_name(&m.cases[of].of, name);
}

static const struct row *row_of(uint32_t of, int64_t n, int64_t k, const char *metric)
{
    return row_where(of, metric, n, k, ANY, ANY);
}

static size_t rows_of(uint32_t of)
{
    size_t count;
    rows_of_case(&m, of, &count);
    return count;
}

/* The jump of a case is known to one filler. */
static void assert_placed(uint32_t of, int64_t last_low)
{
    const struct row *low = row_of(of, 2, last_low, "tsc");
    const struct row *high = row_of(of, 2, last_low + 1, "tsc");
    if (low == NULL || high == NULL)
        fail_msg("the jump of %s is not placed at %d", name_of_case(of), (int)last_low);
    assert_in_range(low->median, 202, 204);
    assert_in_range(high->median, 400, 402);
}

/* --- mlp ------------------------------------------------------------------------------------- */

TEST(a_table_and_a_chain)
{
    measure();
    assert_int_equal(m.case_count, 2);
    assert_string_equal(name_of_case(0), "2m");
    assert_string_equal(name_of_case(1), "2m-dependent");
    for (uint32_t i = 0; i < config.mlp.loads.count; i++)
        for (uint32_t j = 0; j < config.mlp.fillers.count; j++) {
            int64_t n = (int64_t)config.mlp.loads.value[i],
                    k = (int64_t)config.mlp.fillers.value[j];
            const struct row *row = row_of(0, n, k, "tsc");
            assert_non_null(row);
            assert_in_range(row->samples, 25, 50);
        }
    assert_int_equal(rows_of(1), 3); /* a chain is not refined */
    for (uint32_t i = 0; i < 3; i++) {
        int64_t n = (int64_t)config.mlp.dependent.value[i];
        assert_in_range(row_of(1, n, 0, "tsc")->median, 200 * n, 200 * n + 2);
    }
}

TEST(the_jump_is_placed_to_one_filler)
{
    measure();
    assert_placed(0, 101);
    assert_in_range(rows_of(0), 20 + 15, 20 + 64);
    for (unsigned i = 0; i < visits; i++) /* nothing but the jump is looked at more closely */
        assert_true(seen[i].shape.loads == 2 || seen[i].shape.fillers % 64 == 0);
}

/* Every case its own, whatever the others are. */
TEST(every_page_and_state_is_refined)
{
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_4K, PAGE_2M}};
    config.mlp.tlb =
        (struct config_choices){.count = 3, .index = {TLB_NATURAL, TLB_WARM, TLB_COLD}};
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_int_equal(m.case_count, 2 * 2 * 3 * 2);
    assert_placed(case_named("4k"), 70);
    assert_placed(case_named("4k-warm"), 79);
    assert_placed(case_named("4k-cold"), 88);
    assert_placed(case_named("2m"), 101);
    assert_placed(case_named("2m-warm"), 110);
    assert_placed(case_named("2m-cold"), 119);
    assert_placed(case_named("4k-nopf"), 71);
    assert_placed(case_named("2m-cold-nopf"), 120);
}

/* Both page sizes, and all states, take turns in each round. */
TEST(cases_share_their_rounds)
{
    unsigned changes = 0, large = 0, chains = 0;

    config.pages = (struct config_choices){.count = 2, .index = {PAGE_4K, PAGE_2M}};
    measure();
    unsigned first = 2 * (4 * 5 + 3); /* points before any is refined */
    for (unsigned i = 0; i < first; i++) {
        changes += i > 0 && seen[i].conditions.page != seen[i - 1].conditions.page;
        large += seen[i].conditions.page == PAGE_2M;
        chains += seen[i].shape.dependent;
    }
    assert_int_equal(large, first / 2);
    assert_int_equal(chains, 2 * 3);
    assert_in_range(changes, first / 4, first);
    /* So do they when they are refined: by halves, each in places that both know. */
    changes = 0;
    for (unsigned i = visits - 60; i < visits; i++)
        changes += seen[i].conditions.page != seen[i - 1].conditions.page;
    assert_true(changes >= 10);
}

static int64_t beyond(const struct seen *visit)
{
    (void)visit;
    return 1000;
}

/* Twice on either side of the jump, and of mlp's tables alone. */
TEST(long_nops_beside_the_jump)
{
    unsigned long_nops = 0, below = 0;
    int64_t jump = 0;
    measure();
    for (uint32_t i = 0; i < m.row_count; i++)
        if (m.rows[i].n == 2 && strcmp(m.rows[i].metric, "tsc") == 0 && m.rows[i].median < 300 &&
            m.rows[i].k > jump)
            jump = m.rows[i].k;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "tsc_long_nop") == 0) {
            assert_true(case_same(&m.rows[i].of, &m.cases[0].of));
            assert_int_equal(m.rows[i].n, 2);
            long_nops++;
            below += m.rows[i].k <= jump;
        }
    assert_int_equal(long_nops, 4);
    assert_int_equal(below, 2);
    unsigned visited = 0;
    for (unsigned i = 0; i < visits; i++)
        visited += seen[i].shape.filler == FILLER_LONG_NOP;
    assert_true(visited >= 4);
}

/* As far as a probe has room, and no closer than that. */
TEST(no_jump_is_looked_for_beyond)
{
    capacity = beyond;
    measure();
    int64_t most = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        most = m.rows[i].n == 2 && m.rows[i].k > most ? m.rows[i].k : most;
    assert_in_range(most, 1024, 2048); /* from 256 on, and the jump is at 1000 */
    assert_in_range(rows_of(0), 20 + 2 * 16, 20 + 3 * 16 + 3 * 15);
}

static int64_t never(const struct seen *visit)
{
    (void)visit;
    return 1000000;
}

TEST(no_jump_at_all)
{
    capacity = never;
    measure();
    int64_t most = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        most = m.rows[i].n == 2 && m.rows[i].k > most ? m.rows[i].k : most;
    assert_int_equal(most, PROBE_FILLERS_MAX);
    assert_int_equal(rows_of(0), 20 + 4 * 16);
}

/* An emulator has none anywhere. */
TEST(no_jump_is_looked_for_in_an_emulator)
{
    capacity = never;
    processor.is_virtual = true;
    strcpy(processor.hypervisor, "TCGTCGTCGTCG");
    measure();
    assert_int_equal(rows_of(0), 20);
}

/* A core that does not stay what it was: there is an end to it. */
static int64_t wandering(const struct seen *visit)
{
    (void)visit;
    return (int64_t)below(256);
}

TEST(refinement_ends)
{
    capacity = wandering;
    for (unsigned i = 0; i < 10; i++) {
        experiment_again();
        config.seed = i;
        measure();
        assert_in_range(rows_of(0), 20, 20 + 128);
    }
}

/* A table of two loads that jumps between 64 and 128. */
static uint32_t added_to(struct loads *l, uint32_t of, uint32_t added)
{
    static const int64_t k[] = {0, 64, 128, 192};
    struct row rows[4 + 1];
    struct table table = {&m.cases[of].of, rows, 5};
    uint32_t before = l->task.points.count;
    for (unsigned i = 0; i < 5; i++) {
        double ticks = i == 4 ? 200 : k[i] < 100 ? 202 : 400;
        rows[i] = (struct row){.of = m.cases[of].of,
                               .n = i == 4 ? 1 : 2,
                               .k = i == 4 ? 0 : k[i],
                               .metric = "tsc",
                               .samples = 50,
                               .min = ticks,
                               .p10 = ticks,
                               .median = ticks,
                               .p90 = ticks,
                               .max = ticks,
                               .mean = ticks};
    }
    l->task.refine(l, of, &table, added);
    return l->task.points.count - before;
}

/* So many of a case at most; of a chain, none. */
TEST(refinement_has_a_limit)
{
    struct setting setting = {.of = {.has_page = true, .page = PAGE_4K}, .node = NODE_ANY};
    struct load_conditions conditions = {.bytes = 1 << 20, .loads = 2, .seed = 1};
    struct loads *l = loads_start(&m, true);
    bool can_be_had;
    uint32_t table = loads_add_case(l, &setting, &conditions, FILLER_NOP, &can_be_had);
    assert_true(can_be_had);
    setting.of.dependent = true;
    uint32_t chain = loads_add_case(l, &setting, &conditions, FILLER_NOP, &can_be_had);
    assert_true(can_be_had);
    assert_int_equal(added_to(l, table, 0), 15);
    for (uint32_t i = 0; i < 15; i++) { /* evenly, and strictly between */
        assert_int_equal(l->task.points.at[i].k, 64 + 4 * (i + 1));
        assert_true(l->task.points.at[i].n == 2 && l->task.points.at[i].of == table);
    }
    assert_int_equal(added_to(l, table, 128 - 16), 15);
    assert_int_equal(added_to(l, table, 128 - 16 + 1), 0);
    assert_int_equal(added_to(l, chain, 0), 0);
    m.failure = "it is enough";
    assert_false(loads_measure(l));
}

/* --- how the probe is asked ------------------------------------------------------------------ */

TEST(orders_and_shapes)
{
    config.mlp.order = (struct config_choices){.count = 2, .index = {ORDER_LFENCE, ORDER_CPUID}};
    processor.rdtscp = true;
    measure();
    assert_int_equal(m.case_count, 4);
    case_named("2m-cpuid");
    case_named("2m-cpuid-dependent");
    unsigned ordered = 0;
    for (unsigned i = 0; i < visits; i++) {
        const struct mlp_shape *shape = &seen[i].shape;
        assert_true(shape->timing.rdtscp);
        assert_true(shape->filler == FILLER_NOP || shape->filler == FILLER_LONG_NOP);
        assert_int_equal(seen[i].conditions.data, DATA_MEMORY);
        ordered += shape->timing.order == ORDER_CPUID;
    }
    assert_in_range(ordered, visits / 3, visits * 2 / 3);
    processor.rdtscp = false;
}

/* --- windows --------------------------------------------------------------------------------- */

/* A table and its chain, and cases that differ in more than the window, share one. */
TEST(one_window_for_cases_alike)
{
    config.mlp.tlb = (struct config_choices){.count = 2, .index = {TLB_NATURAL, TLB_WARM}};
    config.mlp.order = (struct config_choices){.count = 2, .index = {ORDER_LFENCE, ORDER_CPUID}};
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_int_equal(fake.maps, 1);
    assert_int_equal(fake.unmaps, 1);
    assert_true(fake.asked[0].bytes == config.mlp.bytes);
}

TEST(windows_are_what_is_configured)
{
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_4K, PAGE_2M}};
    config.mlp.frames = FRAMES_SHUFFLED;
    config.seed = 77;
    measure();
    assert_int_equal(fake.maps, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fake.asked[i].frames, FRAMES_SHUFFLED);
        assert_int_equal(fake.asked[i].page, i == 0 ? PAGE_4K : PAGE_2M);
        assert_true(fake.asked[i].seed == 77);
    }
    assert_null(fake.asked[0].twin);
    assert_non_null(fake.asked[1].twin); /* over the same frames, where it can be */
    for (unsigned i = 0; i < visits; i++)
        assert_int_equal(seen[i].window.page, seen[i].conditions.page);
}

/* Every load needs a page of its own to walk to. */
TEST(cold_states_need_more)
{
    config.mlp.tlb = (struct config_choices){.count = 2, .index = {TLB_NATURAL, TLB_COLD}};
    measure();
    assert_int_equal(fake.maps, 2);
    assert_true(fake.asked[1].bytes == 4 * 32 * (2ull << 20));
}

/* Both share a window, and pieces of it for the longer one of them. */
TEST(a_chain_longer_than_the_table)
{
    config.mlp.dependent.value[2] = 60;
    config.mlp.tlb.index[0] = TLB_COLD;
    measure();
    assert_int_equal(fake.maps, 1);
    assert_true(fake.asked[0].bytes == 4 * 80 * (2ull << 20));
    assert_non_null(row_of(1, 60, 0, "tsc"));
}

/* --- what cannot be had ---------------------------------------------------------------------- */

TEST(skipped_beside_measured)
{
    config.pages = (struct config_choices){.count = 3, .index = {PAGE_1G, PAGE_2M, PAGE_4K}};
    config.mlp.tlb = (struct config_choices){.count = 2, .index = {TLB_NATURAL, TLB_COLD}};
    fake.no_page[PAGE_1G] = "no such pages";
    fake.platform.forget_pages = NULL;
    measure();
    uint32_t skipped[] = {case_named("1g"), case_named("1g-cold"), case_named("2m-cold"),
                          case_named("4k-cold")};
    for (unsigned i = 0; i < 4; i++) {
        size_t count;
        const struct row *row = rows_of_case(&m, skipped[i], &count);
        assert_int_equal(count, 1);
        assert_true(m.cases[skipped[i]].is_skipped);
        assert_string_equal(row->metric, ROW_SKIPPED);
        assert_string_equal(row->unit, i == 0 ? "no such pages"
                                              : "this platform cannot invalidate a translation");
    }
    assert_placed(case_named("2m"), 101);
    assert_placed(case_named("4k"), 70);
    assert_int_equal(m.case_count, 4 + 2 * 2); /* what is skipped has no chain of its own */
}

TEST(prefetchers_that_stay)
{
    fake.no_prefetch = "no register";
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_true(m.cases[case_named("2m-nopf")].is_skipped);
    assert_placed(case_named("2m"), 101);
    for (unsigned i = 0; i < visits; i++)
        assert_true(seen[i].prefetch);
}

TEST(all_skipped)
{
    fake.no_page[PAGE_2M] = "none";
    measure();
    assert_int_equal(m.row_count, 1);
    assert_int_equal(fake.slices, 0);
}

TEST(a_fault)
{
    fake.fault_at = 1;
    assert_false(run());
    assert_string_equal(m.failure, "a fault ended the measurement");
}

/* --- counting -------------------------------------------------------------------------------- */

TEST(counted_at_the_edges_of_the_table)
{
    fake_platform_offer(&fake, microarchitecture_named("haswell"), 0xf | FIXED(0) | FIXED(1));
    measure();
    for (uint32_t j = 0; j < config.mlp.fillers.count; j++) {
        int64_t k = (int64_t)config.mlp.fillers.value[j];
        for (uint32_t i = 0; i < config.mlp.loads.count; i++) {
            int64_t n = (int64_t)config.mlp.loads.value[i];
            const struct row *row = row_of(0, n, k, "instructions");
            assert_int_equal(row != NULL, k == 0 || n == 2);
            if (row != NULL)
                assert_true(row->median == (double)(n * 1000 + k));
        }
    }
    /* Without loads: what reading the counters costs. Of a chain, nothing. */
    assert_non_null(row_of(0, 0, 0, "instructions"));
    assert_int_equal(rows_of(1), 3);
    unsigned levels = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (m.rows[i].stage != ROW_NONE) {
            assert_true(m.rows[i].n == 10 && m.rows[i].k == 0);
            levels++;
        }
    assert_int_equal(levels, 64);
}

/* --- structures ------------------------------------------------------------------------------ */

TEST(structures)
{
    m.experiment = "structures";
    measure();
    assert_int_equal(m.case_count, FILLER_KINDS);
    for (uint32_t of = 0; of < FILLER_KINDS; of++) {
        assert_string_equal(name_of_case(of), filler_table[of].name);
        assert_placed(of, 70 + 9 * TLB_WARM + 4 * (int64_t)of);
    }
    assert_int_equal(fake.maps, 1);
    /* A round visits every filler at each of the five K first asked for, before any comes again. */
    unsigned visited[FILLER_KINDS] = {0};
    for (unsigned i = 0; i < FILLER_KINDS * 5; i++)
        visited[seen[i].shape.filler]++;
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        assert_int_equal(visited[filler], 5);
    for (unsigned i = 0; i < visits; i++) {
        assert_int_equal(seen[i].shape.loads, 2);
        assert_int_equal(seen[i].conditions.tlb, TLB_WARM);
        assert_int_equal(seen[i].conditions.page, PAGE_4K);
    }
    assert_int_equal(fake.asked[0].node, NODE_ANY);
}

/* --- tlb ------------------------------------------------------------------------------------- */

TEST(tlb)
{
    static const char *const names[] = {"4k", "4k-warm", "4k-cold", "4k-walkmem",
                                        "2m", "2m-warm", "2m-cold", "2m-walkmem"};
    m.experiment = "tlb";
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_4K, PAGE_2M}};
    config.node = CONFIG_NODE_ALL; /* its data is cached */
    measure();
    assert_int_equal(m.case_count, 8);
    for (uint32_t of = 0; of < 8; of++) {
        assert_string_equal(name_of_case(of), names[of]);
        assert_int_equal(rows_of(of), 3);
        for (int64_t n = 1; n <= 3; n++)
            assert_non_null(row_of(of, n, 0, "tsc"));
    }
    for (unsigned i = 0; i < visits; i++)
        assert_int_equal(seen[i].conditions.data, DATA_CACHED);
}

TEST(tlb_that_nobody_can_forget)
{
    m.experiment = "tlb";
    fake.platform.evict_translations = NULL;
    measure();
    for (uint32_t of = 0; of < m.case_count; of++)
        assert_int_equal(m.cases[of].is_skipped, m.cases[of].of.tlb == TLB_WALKMEM);
}

/* --- numa ------------------------------------------------------------------------------------ */

static void make_nodes(uint32_t count)
{
    nodes = (struct memory_nodes){.count = count, .own_known = true};
    for (uint32_t i = 0; i < count; i++)
        nodes.node[i].number = 10 + i;
}

TEST(numa)
{
    m.experiment = "numa";
    make_nodes(3);
    measure();
    assert_int_equal(m.case_count, 3);
    case_named("2m");
    for (uint32_t of = 0; of < 3; of++) {
        assert_int_equal(fake.asked[of].node, of);
        assert_null(fake.asked[of].twin);
        assert_placed(of, 101);
        /* One row and one column of the table, each point once. */
        for (uint32_t i = 0; i < config.mlp.loads.count; i++)
            assert_non_null(row_of(of, (int64_t)config.mlp.loads.value[i], 0, "tsc"));
        for (uint32_t j = 0; j < config.mlp.fillers.count; j++)
            assert_non_null(row_of(of, 2, (int64_t)config.mlp.fillers.value[j], "tsc"));
        assert_null(row_of(of, 1, 64, "tsc"));
    }
    case_named("2m-node11");
    case_named("2m-node12");
}

/* What is compared is measured whatever the lists are. */
TEST(numa_with_other_lists)
{
    static const uint64_t loads[] = {3, 4}, steps[] = {64, 128};
    m.experiment = "numa";
    make_nodes(2);
    set_list(&config.mlp.loads, 2, loads);
    set_list(&config.mlp.fillers, 2, steps);
    measure();
    for (uint32_t of = 0; of < 2; of++) {
        static const int64_t wanted[] = {1, 2, 3, 4, 10};
        for (unsigned i = 0; i < 5; i++)
            assert_non_null(row_of(of, wanted[i], 64, "tsc"));
    }
}

TEST(numa_with_one_node)
{
    m.experiment = "numa";
    make_nodes(1);
    config.pages = (struct config_choices){.count = 2, .index = {PAGE_2M, PAGE_4K}};
    measure();
    assert_int_equal(m.case_count, 1);
    assert_string_equal(name_of_case(0), "2m-remote");
    assert_true(m.cases[0].is_skipped);
    assert_string_equal(m.rows[0].unit, "this machine has one memory node");
}

/* --- want of memory -------------------------------------------------------------------------- */

/* At any call, in any of them: it is said, and everything is given back. */
TEST(no_memory_at_any_call)
{
    static const char *const names[] = {"mlp", "structures", "tlb", "numa"};
    config.pages = (struct config_choices){.count = 3, .index = {PAGE_4K, PAGE_2M, PAGE_1G}};
    config.mlp.tlb = (struct config_choices){
        .count = 4, .index = {TLB_NATURAL, TLB_WARM, TLB_COLD, TLB_WALKMEM}};
    config.prefetch = PREFETCH_BOTH;
    fake.no_page[PAGE_1G] = "none";
    make_nodes(2);
    for (unsigned i = 0; i < 4; i++) {
        m.experiment = names[i];
        assert_no_memory_is_said();
    }
}
