/* test_loads: mlp, structures, tlb and numa measure cores made up here, by one engine. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/experiments/sweeps/accesses_rule.h"
#include "../../kernel/experiments/sweeps/loads.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "../../kernel/experiments/tlb/tlb_capacity.h"
#include "../../kernel/pmu/event.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define VISITS_MAX 200000
#define NEVER 1000000
#define EPOCH 8 /* visits of each reference */
#define FIXED(n) (1ull << (COUNTER_FIXED + (n)))

/* What each visit was asked for. */
static struct seen {
    struct load_conditions conditions;
    struct mlp_shape shape;
    enum page_size mapped;
    bool prefetch;
    uint32_t place;
} seen[VISITS_MAX];
static unsigned visits;

/* The visits for slowest loads, which are not among these; every so many are interrupted. */
static unsigned batches, interrupted_each;
static bool store_stops; /* loads wait for the address of a store before them */

/* How many fillers still fit beside two loads of such a case. */
static int64_t (*capacity)(const struct seen *visit);

#define CAPACITY(name, fillers)                                                                    \
    static int64_t name(const struct seen *visit)                                                  \
    {                                                                                              \
        (void)visit;                                                                               \
        return fillers;                                                                            \
    }

static int64_t capacity_of_state(const struct seen *visit)
{
    return 70 + 31 * (int64_t)visit->conditions.page + 9 * (int64_t)visit->conditions.tlb +
           4 * (int64_t)visit->shape.filler + !visit->prefetch;
}

static unsigned buffers; /* loads beyond so many wait for those */

/* Two loads in turn take twice as long as side by side; in the caches, none takes long. */
static uint32_t time_of(const struct seen *visit)
{
    unsigned n = visit->shape.loads;
    if (visit->shape.store == STORE_WAITS && store_stops)
        return 400 + n;
    if (visit->conditions.data == DATA_CACHED)
        return 50 + n;
    if (visit->shape.dependent)
        return 200 * n;
    if (n > buffers)
        return 200 * ((n + buffers - 1) / buffers) + n;
    if (n == 2 && visit->shape.fillers > capacity(visit))
        return 400;
    return 200 + n;
}

/* In place of kernel/probe/load_sampler.c. */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count)
{
    struct seen visit = {sampler->conditions, *shape, sampler->window.page, fake.prefetch,
                         sampler->place};
    assert_true(fake.inside && visits < VISITS_MAX);
    assert_ptr_equal(sampler->platform, &fake.platform);
    assert_compare(shape->loads, <=, sampler->conditions.loads);
    if (count == LOADS_AT_A_TIME) {
        bool hits = sampler->conditions.data == DATA_CACHED;
        assert_true(!hits || sampler->conditions.tlb == TLB_WARM);
        for (unsigned i = 0; i < count; i++)
            samples[i] = hits ? 50 : 201 + i;
        if (interrupted_each > 0 && ++batches % interrupted_each == 0)
            samples[0] = 10000;
        return;
    }
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

static void forget_visits(void)
{
    visits = 0;
}

SETUP(start)
{
    experiment_open("mlp");
    choose(&config.pages, PAGE_2M);
    set_samples(25, 200, 0.1);
    config.seed = 42;
    config.mlp.bytes = 8u << 20;
    config.mlp.filler = SWEEP_NOP;
    config.mlp.tlb.count = config.mlp.order.count = config.mlp.access.count = 1;
    set_list(&config.mlp.loads, 1, 2, 3, 10);
    set_list(&config.mlp.fillers, 0, 64, 128, 192, 256);
    set_list(&config.mlp.dependent, 1, 2, 5);
    set_list(&config.structures.fillers, 0, 64, 128, 192, 256);
    set_list(&config.tlb.loads, 1, 2, 3);
    capacity = capacity_of_state;
    buffers = 6;
    batches = interrupted_each = 0;
    store_stops = false;
    experiment_begins = forget_visits;
    forget_visits();
}

TEARDOWN(stop)
{
    experiment_close();
}

static const char *name_of_case(uint32_t case_id)
{
    static char name[NAME_BYTES];
    return case_name(&m.cases[case_id].variant, name);
}

static const struct row *row_of(uint32_t case_id, int64_t n, int64_t k, const char *metric)
{
    return row_where(case_id, metric, n, k, ANY, ANY);
}

static size_t rows_with(uint32_t case_id, const char *metric)
{
    size_t found = 0;
    for (const struct row *row = m.rows; row < m.rows + m.row_count; row++)
        found +=
            case_same(&row->variant, &m.cases[case_id].variant) && strcmp(row->metric, metric) == 0;
    return found;
}

/* Of the table itself, beside what is compared with it. */
static size_t rows_of(uint32_t case_id)
{
    return rows_with(case_id, "tsc");
}

/* The jump of a case is known to one filler. */
static void assert_placed(uint32_t case_id, int64_t last_low)
{
    const struct row *low = row_of(case_id, 2, last_low, "tsc");
    const struct row *high = row_of(case_id, 2, last_low + 1, "tsc");
    if (low == NULL || high == NULL)
        fail_msg("the jump of %s is not placed at %d", name_of_case(case_id), (int)last_low);
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
            /* Many samples where the fastest of them matter; one visit of what no rule reads. */
            if (k == 0)
                assert_int_equal(row->samples, 500);
            else
                assert_int_equal(row->samples, n > 2 ? 25 : 200);
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

/* Steps of 32 are narrowed to two fillers at once, and then to one. */
TEST(a_jump_that_is_two_fillers_wide)
{
    set_list(&config.mlp.fillers, 0, 32, 64, 96, 128, 160);
    measure();
    assert_placed(0, 101);
}

/* --- what is compared with a table ------------------------------------------------------------ */

static size_t looks_at(int64_t n, int64_t k)
{
    size_t found = 0;
    for (const struct row *row = m.rows; row < m.rows + m.row_count; row++)
        found += row->n == n && row->k == k && strcmp(row->metric, LOADS_AGAIN) == 0;
    return found;
}

static uint64_t last_attempt(void)
{
    uint64_t last = 0;
    for (const struct row *row = m.rows; row < m.rows + m.row_count; row++)
        if (strcmp(row->metric, "tsc") == 0 && row->attempt > last)
            last = row->attempt;
    return last;
}

/* Each time a jump is narrowed down: the ends of the bracket it was in, and as far as K goes. */
TEST(jumps_are_looked_at_again)
{
    measure();
    assert_compare(looks_at(2, 64), >=, 1);
    assert_compare(looks_at(2, 128), >=, 1);
    assert_compare(looks_at(2, 101), >=, 1);
    assert_compare(looks_at(2, 102), >=, 1);
    assert_compare(looks_at(2, 0), >=, 2);
    assert_compare(looks_at(2, 256), >=, 2);
    assert_int_equal(last_attempt(), 0); /* they agree: nothing begins again */
}

/* Placed, a jump is looked at twice more, each time later by half a second or as long as all took.
 */
TEST(later_looks_are_apart_in_time)
{
    measure();
    for (int64_t look = 1; look <= 2; look++)
        for (int64_t k = 101; k <= 102; k++)
            assert_non_null(row_where(0, LOADS_AGAIN, 2, k, ANY, look));
    assert_null(row_where(0, LOADS_AGAIN, 2, 101, ANY, 3));
    assert_non_null(row_where(0, LOADS_AGAIN, 2, 100, ANY, 2)); /* as far as it may move */
    assert_non_null(row_where(0, LOADS_AGAIN, 2, 103, ANY, 2));
}

/* What jumps over N are compared with is measured whatever the list is. */
TEST(one_load_is_always_measured)
{
    set_list(&config.mlp.loads, 2, 3);
    measure();
    assert_non_null(row_of(0, 1, 0, "tsc"));
}

static int64_t first_capacity, second_capacity;
static unsigned changes_at; /* visits */

CAPACITY(changing, visits < changes_at ? first_capacity : second_capacity)

static bool is_in_attempt(uint64_t attempt, int64_t k)
{
    bool is_there = false;
    for (const struct row *row = m.rows; row < m.rows + m.row_count; row++)
        is_there |= row->n == 2 && row->k == k && row->attempt == attempt && row_is(row, "tsc");
    return is_there;
}

/* Returns the number of visits before the first that narrows the jump down. */
static unsigned visits_before_narrowing(void)
{
    unsigned i = 0;
    measure();
    while (i < visits && (seen[i].shape.loads != 2 || seen[i].shape.fillers % 64 == 0))
        i++;
    assert_in_range(i, 1, visits - 1);
    experiment_again();
    return i;
}

static void assert_whole_attempt(uint64_t attempt)
{
    for (uint32_t j = 0; j < config.mlp.fillers.count; j++)
        assert_true(is_in_attempt(attempt, (int64_t)config.mlp.fillers.value[j]));
}

/* A core that becomes another one while it is measured: what it is now is measured from scratch. */
TEST(a_jump_that_moves_is_measured_again)
{
    changes_at = visits_before_narrowing();
    capacity = changing;
    first_capacity = 100;
    second_capacity = 200;
    measure();
    assert_int_equal(last_attempt(), 1);
    assert_whole_attempt(1);
    assert_true(is_in_attempt(1, 200));
    assert_true(is_in_attempt(1, 201));
}

/* A core whose size changes at fixed visits, whatever the engine does. */
CAPACITY(to_and_fro, visits / (changes_at * 3 / 2) % 2 ? 40 : 200)

/* One that does so all the time is left at the third attempt. */
TEST(attempts_have_an_end)
{
    changes_at = visits_before_narrowing();
    capacity = to_and_fro;
    measure();
    assert_int_equal(last_attempt(), 2);
    for (uint64_t attempt = 0; attempt <= 2; attempt++)
        assert_whole_attempt(attempt);
}

static void use_dense_loads(void)
{
    set_list(&config.mlp.loads, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

static void use_accesses(uint32_t count, const uint8_t *accesses)
{
    config.mlp.access.count = count;
    memcpy(config.mlp.access.index, accesses, count);
}

static int64_t most_loads(void)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "tsc") == 0 && m.rows[i].n > most)
            most = m.rows[i].n;
    return most;
}

/* Fifteen more at a time, until the fastest samples jump. */
TEST(loads_are_added_until_they_wait)
{
    use_dense_loads();
    static const unsigned ends[][2] = {{9, 10}, {10, 25}, {24, 25}, {25, 40}, {39, 40}};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        experiment_again();
        buffers = ends[i][0];
        measure();
        assert_int_equal(most_loads(), ends[i][1]);
        for (int64_t n = 11; n <= most_loads(); n++)
            assert_true(row_of(0, n, 0, "tsc")->samples >= 500);
    }
}

/* The search for an end stops where nothing ends, and where two loads in turn are faster. With
 * pages to walk to, no more than was asked for has room. Stores may be fewer than memory lets by,
 * or leave faster than they come: they are added however long they take. */
TEST(loads_that_never_wait)
{
    static const uint8_t store = ACCESS_STORE;
    buffers = NEVER;
    for (unsigned way = 0; way < 3; way++) {
        experiment_again();
        use_dense_loads();
        config.mlp.tlb.index[0] = way == 1 ? TLB_COLD : TLB_NATURAL;
        if (way == 2)
            use_accesses(1, &store);
        measure();
        assert_int_equal(most_loads(), way == 1 ? 10 : 10 + 8 * 15);
        assert_int_equal(rows_with(0, LOADS_MANY) + rows_with(0, LOADS_SAME_LINE), 0);
        assert_int_equal(rows_with(0, ACCESSES_STORE_HITS), 0);
    }
    experiment_again();
    config.mlp.access.index[0] = ACCESS_LOAD;
    config.mlp.loads.count = 4;
    config.mlp.loads.value[3] = 250; /* takes longer than two in turn */
    measure();
    assert_numbers((most_loads(), rows_of(0)), (250, 4 * 5 + 15 + 3));
}

/* Once a jump over N is found: it again, as many of one line, and many times as many. */
TEST(what_makes_buffers_an_answer)
{
    static const unsigned found[] = {7, 70};
    use_dense_loads();
    for (unsigned i = 0; i < 2; i++) {
        buffers = found[i];
        experiment_again();
        measure();
        for (int64_t n = buffers - 1; n <= buffers + 2; n++)
            assert_int_equal(looks_at(n, 0), 1);
        assert_int_equal(rows_with(0, LOADS_SAME_LINE), 1);
        assert_non_null(row_of(0, 2, buffers, LOADS_SAME_LINE));
        assert_int_equal(rows_with(0, LOADS_MANY), i == 0 ? 3 : 2);
        for (int64_t times = i == 0 ? 2 : 1; times <= (i == 0 ? 4 : 2); times++)
            assert_non_null(row_of(0, times * buffers, 0, LOADS_MANY));
    }
    unsigned hits = 0;
    for (unsigned i = 0; i < visits; i++)
        if (seen[i].shape.filler == FILLER_LINE_LOAD) {
            assert_numbers((seen[i].shape.fillers, seen[i].shape.loads), (buffers, 2));
            assert_int_equal(seen[i].conditions.data, DATA_MEMORY);
            hits++;
        }
    assert_compare(hits, >=, 4);
}

/* Each is a case of its own, of N alone; a chain and places are of loads only. */
TEST(a_case_for_each_access)
{
    static const uint8_t all[] = {ACCESS_LOAD, ACCESS_PREFETCH, ACCESS_STORE, ACCESS_NT};
    static const char *const names[] = {"2m", "2m-dependent", "2m-prefetch", "2m-store", "2m-nt"};
    use_accesses(4, all);
    measure();
    assert_int_equal(m.case_count, 5);
    for (uint32_t case_id = 0; case_id < 5; case_id++) {
        assert_string_equal(name_of_case(case_id), names[case_id]);
        assert_int_equal(rows_with(case_id, LOADS_PLACE) > 0, case_id == 0);
        assert_int_equal(rows_with(case_id, LOADS_CACHED), case_id != 1);
        assert_int_equal(rows_with(case_id, ACCESSES_EMPTY), case_id > 2);
        assert_int_equal(rows_with(case_id, LOADS_ZEROES) > 0, case_id == 0);
        assert_compare(rows_with(case_id, DRIFT_METRIC), >, 0);
    }
    for (unsigned i = 0; i < visits; i++)
        if (seen[i].shape.access != ACCESS_LOAD) {
            assert_numbers((seen[i].shape.dependent, seen[i].place), (false, 0));
            assert_true(seen[i].shape.fillers == 0 || seen[i].shape.filler == FILLER_STORE);
        }
    use_accesses(1, all + 2); /* without loads, too */
    experiment_again();
    measure();
    assert_int_equal(m.case_count, 1);
    assert_string_equal(name_of_case(0), "2m-store");
}

/* What of each access could contradict a jump, and how it is measured. */
static const struct {
    const char *metric;
    int64_t more_n; /* than buffers; or with two, as many fillers */
    enum filler filler;
    enum data_state data;
    bool in_turn, has_many;
} controls[ACCESSES] = {
    [ACCESS_PREFETCH] = {ACCESSES_PREFETCH_HITS, 2, FILLER_NOP, DATA_LAST_IN_MEMORY, false, false},
    [ACCESS_STORE] = {ACCESSES_STORE_HITS, 0, FILLER_STORE, DATA_MEMORY, false, true},
    [ACCESS_NT] = {ACCESSES_IN_TURN, 2, FILLER_NOP, DATA_MEMORY, true, false},
};

static bool is_control(const struct seen *visit, enum access access)
{
    return visit->shape.filler == controls[access].filler &&
           visit->conditions.data == controls[access].data &&
           visit->shape.in_turn == controls[access].in_turn;
}

TEST(what_makes_buffers_of_other_accesses_an_answer)
{
    use_dense_loads();
    for (uint8_t access = ACCESS_PREFETCH; access < ACCESSES; access++) {
        use_accesses(1, &access);
        buffers = 30 + access;
        experiment_again();
        measure();
        bool is_of_two = controls[access].more_n == 0;
        int64_t n = is_of_two ? 2 : buffers + controls[access].more_n;
        int64_t k = is_of_two ? buffers : 0;
        assert_numbers((most_loads(), rows_with(0, controls[access].metric)), (40, 1));
        assert_non_null(row_of(0, n, k, controls[access].metric));
        assert_int_equal(rows_with(0, LOADS_MANY), controls[access].has_many ? 3 : 0);
        assert_int_equal(rows_with(0, LOADS_AGAIN), 4);
        for (int64_t i = buffers - 1; i <= buffers + 2; i++)
            assert_int_equal(looks_at(i, 0), 1);
        unsigned found = 0;
        for (unsigned i = 0; i < visits; i++) {
            assert_int_equal(seen[i].shape.access, access);
            found += is_control(&seen[i], access) && seen[i].shape.loads == n &&
                     seen[i].shape.fillers == k;
        }
        assert_compare(found, >=, 4);
    }
}

/* One load, not evicted, with the code of one that was; and only where one was asked for first. */
TEST(one_load_in_the_caches)
{
    measure();
    assert_numbers((rows_with(0, LOADS_CACHED), rows_with(1, LOADS_CACHED)), (1, 0));
    const struct row *cached = row_of(0, 1, 0, LOADS_CACHED);
    assert_in_range(cached->median, 51, 53);
    assert_in_range(row_of(0, 1, 0, "tsc")->median, 201, 203);
}

/* One load in each part of the memory. */
TEST(places)
{
    bool visited[LOAD_PLACES + 1] = {false};
    measure();
    assert_numbers((rows_with(0, LOADS_PLACE), rows_with(1, LOADS_PLACE)), (LOAD_PLACES, 0));
    for (int64_t place = 1; place <= LOAD_PLACES; place++)
        assert_non_null(row_where(0, LOADS_PLACE, 1, 0, ANY, place));
    for (unsigned i = 0; i < visits; i++) {
        assert_in_range(seen[i].place, 0, LOAD_PLACES);
        assert_true(seen[i].place == 0 || seen[i].shape.loads == 1);
        visited[seen[i].place] = true;
    }
    for (unsigned place = 0; place <= LOAD_PLACES; place++)
        assert_true(visited[place]);
}

static void assert_slowest(const char *metric, int64_t loads, double ticks)
{
    const struct row *row = row_where(0, metric, 1, 0, ANY, loads);
    assert_int_equal(row->samples, 25);
    assert_true(row->min == ticks && row->max == ticks);
}

/* A sample is the slowest of so many loads; those among which one was interrupted are taken again,
 * unless it is most of them. */
TEST(the_slowest_loads)
{
    static const unsigned each[] = {0, 3};
    for (unsigned i = 0; i < 2; i++) {
        experiment_again();
        interrupted_each = each[i];
        measure();
        assert_numbers((rows_with(0, LOADS_SLOWEST), rows_with(1, LOADS_SLOWEST)), (2, 0));
        assert_slowest(LOADS_SLOWEST, LOADS_TO_P99, 201 + LOADS_AT_A_TIME - 1);
        assert_slowest(LOADS_SLOWEST, LOADS_TO_P999, 201 + LOADS_AT_A_TIME - 1);
        assert_slowest(LOADS_SLOWEST_CACHED, LOADS_TO_P99, 50);
    }
    experiment_again();
    interrupted_each = 1;
    measure();
    assert_int_equal(row_where(0, LOADS_SLOWEST, 1, 0, ANY, LOADS_TO_P99)->samples, 0);
}

TEST(no_tail_in_an_emulator)
{
    m.is_emulated = true;
    measure();
    assert_int_equal(rows_with(0, LOADS_SLOWEST), 0);
}

/* One load, half of the most and the most that overlap; one where nothing is known of these. */
TEST(loads_behind_a_store)
{
    static const char *const metrics[] = {LOADS_STORE_KNOWN, LOADS_STORE_WAITS};
    static const unsigned ns[] = {2, 3, 6};
    use_dense_loads();
    store_stops = true;
    measure();
    for (unsigned waits = 0; waits < 2; waits++) {
        assert_int_equal(rows_with(0, metrics[waits]), 3);
        for (unsigned i = 0; i < 3; i++)
            assert_in_range(row_of(0, ns[i], 0, metrics[waits])->median,
                            (waits ? 400 : 200) + ns[i], (waits ? 400 : 200) + ns[i] + 2);
    }
    assert_int_equal(rows_with(1, LOADS_STORE_WAITS), 0);
    experiment_again();
    buffers = NEVER;
    measure();
    assert_int_equal(rows_with(0, LOADS_STORE_WAITS), 1);
    assert_non_null(row_of(0, 2, 0, LOADS_STORE_WAITS));
}

/* One load, two in turn, and a chain: again before all else, and after each batch of points. */
TEST(references)
{
    measure();
    size_t epochs = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, DRIFT_METRIC) == 0 && m.rows[i].stage + 1 > (int64_t)epochs)
            epochs = (size_t)m.rows[i].stage + 1;
    assert_in_range(epochs, 3, 8);
    for (int64_t epoch = 0; epoch < (int64_t)epochs; epoch++) {
        assert_int_equal(row_where(0, DRIFT_METRIC, 1, 0, ANY, epoch)->samples, 200);
        assert_int_equal(row_where(0, DRIFT_METRIC, 2, 256, ANY, epoch)->visits, 8);
        assert_non_null(row_where(1, DRIFT_METRIC, 5, 0, ANY, epoch));
    }
}

/* Every case its own, whatever the others are. */
TEST(every_page_and_state_is_refined)
{
    choose(&config.pages, PAGE_4K, PAGE_2M);
    choose(&config.mlp.tlb, TLB_NATURAL, TLB_WARM, TLB_COLD);
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

static bool is_same_point(const struct seen *a, const struct seen *b)
{
    return a->shape.loads == b->shape.loads && a->shape.fillers == b->shape.fillers &&
           a->shape.dependent == b->shape.dependent && a->place == b->place &&
           a->conditions.page == b->conditions.page && a->conditions.data == b->conditions.data;
}

/* Both page sizes, and all states, take turns in each round. */
TEST(cases_share_their_rounds)
{
    unsigned changes = 0, large = 0, chains = 0;
    choose(&config.pages, PAGE_4K, PAGE_2M);
    measure();
    unsigned epoch = EPOCH * 2 * 3;                     /* before and after the points */
    unsigned first = 2 * (4 * 5 + 1 + LOAD_PLACES + 3); /* points before any is refined */
    for (unsigned i = epoch; i < epoch + first; i++) {
        for (unsigned j = epoch; j < i; j++) /* each point of either case once */
            assert_false(is_same_point(&seen[i], &seen[j]));
        changes += i > epoch && seen[i].conditions.page != seen[i - 1].conditions.page;
        large += seen[i].conditions.page == PAGE_2M;
        chains += seen[i].shape.dependent;
    }
    assert_numbers((large, chains), (first / 2, 2 * 3));
    assert_in_range(changes, first / 4, first);
    /* So do they when they are refined: by halves, each in places that both know. */
    changes = 0;
    for (unsigned i = visits - epoch - 60; i < visits - epoch; i++)
        changes += seen[i].conditions.page != seen[i - 1].conditions.page;
    assert_in_range(changes, 60 / 4, 60 * 3 / 4);
}

CAPACITY(beyond, 1000)

/* Twice on either side of the jump, the nearer to one entry, and of mlp's tables alone. */
TEST(zeroed_registers_beside_the_jump)
{
    unsigned zeroes = 0, below = 0, near = 0;
    int64_t jump = 0;
    measure();
    for (uint32_t i = 0; i < m.row_count; i++)
        if (m.rows[i].n == 2 && strcmp(m.rows[i].metric, "tsc") == 0 && m.rows[i].median < 300 &&
            m.rows[i].k > jump)
            jump = m.rows[i].k;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, LOADS_ZEROES) == 0) {
            assert_true(case_same(&m.rows[i].variant, &m.cases[0].variant));
            assert_int_equal(m.rows[i].n, 2);
            zeroes++;
            near += m.rows[i].k == jump - 1 || m.rows[i].k == jump + 2;
            below += m.rows[i].k <= jump;
        }
    assert_numbers((zeroes, near, below), (4, 2, 2));
    unsigned visited = 0;
    for (unsigned i = 0; i < visits; i++)
        visited += seen[i].shape.filler == FILLER_ZERO;
    assert_compare(visited, >=, 4);
}

static int64_t most_fillers(void)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        most = m.rows[i].n == 2 && m.rows[i].k > most ? m.rows[i].k : most;
    return most;
}

CAPACITY(never, 1000000)

/* As far as a probe has room, and no closer than that; an emulator has none anywhere. */
TEST(no_jump_is_looked_for_beyond)
{
    static const struct {
        int64_t (*capacity)(const struct seen *visit);
        bool is_emulated;
        int64_t fillers[2];
        size_t rows[2];
    } cases[] = {
        {beyond, false, {1024, 2048}, {20 + 2 * 16, 20 + 3 * 16 + 3 * 15}}, /* from 256 on */
        {never, false, {PROBE_FILLERS_MAX, PROBE_FILLERS_MAX}, {90, 90}},   /* and N from 4 to 9 */
        {never, true, {256, 256}, {20, 20}},
    };
    for (EACH(c, cases)) {
        experiment_again();
        capacity = c->capacity;
        m.is_emulated = c->is_emulated;
        measure();
        assert_within(most_fillers(), c->fillers[0], c->fillers[1]);
        assert_within(rows_of(0), c->rows[0], c->rows[1]);
    }
}

CAPACITY(few, 11)

/* It is looked for where it is: at fewer fillers than the second K has, and not beyond all. */
TEST(a_jump_before_the_second_k)
{
    int64_t fast = 0, slow = INT64_MAX;
    capacity = few;
    measure();
    for (uint32_t i = 0; i < m.row_count; i++) {
        const struct row *row = &m.rows[i];
        if (row->n != 2 || strcmp(row->metric, "tsc") != 0 ||
            !case_same(&row->variant, &m.cases[0].variant))
            continue;
        if (row->median < 300)
            fast = row->k > fast ? row->k : fast;
        else
            slow = row->k < slow ? row->k : slow;
    }
    assert_int_equal(slow, fast + 1);
    assert_within(fast, 8, 12);
    assert_int_equal(most_fillers(), 256);
}

/* A core that does not stay what it was: there is an end to it. */
CAPACITY(wandering, (int64_t)below(256))

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
static uint32_t added_to(struct loads *l, uint32_t case_id)
{
    static const int64_t k[] = {0, 64, 128, 192};
    struct row rows[4 + 1];
    struct table table = {&m.cases[case_id].variant, rows, 5, 0};
    uint32_t before = l->task.points.count;
    rows[4] = rows_point("mlp", "4k", 1, 0, 200);
    for (unsigned i = 0; i < 4; i++)
        rows[i] = rows_point("mlp", "4k", 2, k[i], k[i] < 100 ? 202 : 400);
    l->task.refine(l, case_id, &table);
    return l->task.points.count - before;
}

/* Of a chain, none. */
TEST(refines_between_and_looks_again)
{
    struct setting setting = {.variant = {.has_page = true, .page = PAGE_4K}, .node = NODE_ANY};
    struct load_conditions conditions = {.bytes = 1 << 20, .loads = 2, .seed = 1};
    struct loads loads, *l = &loads;
    loads_start(l, &m, true);
    assert_int_equal(l->task.contention, CONTENTION_APART);
    struct loads_case *c = loads_add_case(l, &setting, &conditions, FILLER_NOP);
    setting.variant.dependent = true;
    struct loads_case *of_chain = loads_add_case(l, &setting, &conditions, FILLER_NOP);
    assert_non_null(c);
    assert_non_null(of_chain);
    uint32_t table = c->number, chain = of_chain->number;
    assert_int_equal(added_to(l, table), 4 + 15);
    for (uint32_t i = 0; i < 4; i++) { /* both ends of the bracket and of K again */
        static const int64_t again[] = {0, 64, 128, 192};
        const struct point *point = &l->task.points.at[i];
        assert_numbers((point->n, point->k, point->case_id), (2, again[i], table));
        assert_string_equal(point->metric, LOADS_AGAIN);
    }
    for (uint32_t i = 0; i < 15; i++) { /* evenly, and strictly between */
        const struct point *point = &l->task.points.at[4 + i];
        assert_numbers((point->k, point->n, point->case_id), (64 + 4 * (i + 1), 2, table));
        assert_null(point->metric);
    }
    assert_int_equal(added_to(l, chain), 0);
    m.failure = "it is enough";
    assert_false(engine_run(&l->task));
}

/* --- how the probe is asked ------------------------------------------------------------------ */

TEST(orders_and_shapes)
{
    choose(&config.mlp.order, ORDER_LFENCE, ORDER_CPUID);
    processor.rdtscp = true;
    measure();
    assert_int_equal(m.case_count, 4);
    case_named("2m-cpuid");
    case_named("2m-cpuid-dependent");
    unsigned ordered = 0, cached = 0;
    for (unsigned i = 0; i < visits; i++) {
        const struct mlp_shape *shape = &seen[i].shape;
        assert_true(shape->timing.rdtscp);
        if (shape->filler == FILLER_LINE_LOAD) /* the control of the buffers that were found */
            assert_numbers((shape->loads, shape->fillers), (2, buffers));
        else
            assert_true(shape->filler == FILLER_NOP || shape->filler == FILLER_ZERO);
        bool is_cached = seen[i].conditions.data == DATA_CACHED;
        if (is_cached)
            assert_numbers((shape->loads, shape->fillers), (1, 0));
        cached += is_cached;
        ordered += shape->timing.order == ORDER_CPUID;
    }
    assert_in_range(ordered, visits / 3, visits * 2 / 3);
    assert_int_equal(cached, 2 * 8);
    processor.rdtscp = false;
}

/* --- windows --------------------------------------------------------------------------------- */

/* A table and its chain, and cases that differ in more than the window, share one. */
TEST(one_window_for_cases_alike)
{
    choose(&config.mlp.tlb, TLB_NATURAL, TLB_WARM);
    choose(&config.mlp.order, ORDER_LFENCE, ORDER_CPUID);
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_numbers((fake.maps, fake.unmaps, fake.asked[0].bytes), (1, 1, config.mlp.bytes));
}

TEST(windows_are_what_is_configured)
{
    choose(&config.pages, PAGE_4K, PAGE_2M);
    config.mlp.frames = FRAMES_SHUFFLED;
    config.seed = 77;
    measure();
    assert_int_equal(fake.maps, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fake.asked[i].frames, FRAMES_SHUFFLED);
        assert_numbers((fake.asked[i].page, fake.asked[i].seed), (i == 0 ? PAGE_4K : PAGE_2M, 77));
    }
    assert_null(fake.asked[0].twin);
    assert_non_null(fake.asked[1].twin); /* over the same frames, where it can be */
    for (unsigned i = 0; i < visits; i++)
        assert_int_equal(seen[i].mapped, seen[i].conditions.page);
}

/* Every load needs a page of its own to walk to. */
TEST(cold_states_need_more)
{
    choose(&config.mlp.tlb, TLB_NATURAL, TLB_COLD);
    measure();
    assert_numbers((fake.maps, fake.asked[1].bytes), (2, 4 * 32 * (2ull << 20)));
}

/* Both share a window, and pieces of it for the longer one of them. */
TEST(a_chain_longer_than_the_table)
{
    config.mlp.dependent.value[2] = 60;
    config.mlp.tlb.index[0] = TLB_COLD;
    measure();
    assert_numbers((fake.maps, fake.asked[0].bytes), (1, 4 * 80 * (2ull << 20)));
    assert_non_null(row_of(1, 60, 0, "tsc"));
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
                assert_compare(row->median, ==, (double)(n * 1000 + k));
        }
    }
    /* Without loads: what reading the counters costs. Of a chain, nothing. */
    assert_non_null(row_of(0, 0, 0, "instructions"));
    assert_int_equal(rows_of(1), 3);
    unsigned levels = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, "l1d_pend_miss_pending") == 0 && m.rows[i].stage != ROW_NONE) {
            assert_numbers((m.rows[i].n, m.rows[i].k), (10, 0));
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
    for (uint32_t case_id = 0; case_id < FILLER_KINDS; case_id++) {
        assert_string_equal(name_of_case(case_id), filler_table[case_id].name);
        assert_placed(case_id, 70 + 9 * TLB_WARM + 4 * (int64_t)case_id);
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
        assert_numbers((seen[i].conditions.tlb, seen[i].conditions.page), (TLB_WARM, PAGE_4K));
    }
    assert_int_equal(fake.asked[0].node, NODE_ANY);
}

/* --- tlb ------------------------------------------------------------------------------------- */

/* In place of kernel/experiments/tlb/tlb_capacity.c. */
bool capacity_measure(struct measurement *given)
{
    assert_ptr_equal(given, &m);
    return true;
}

unsigned capacity_tasks(const struct measurement *given)
{
    assert_ptr_equal(given, &m);
    return 1;
}

TEST(tlb)
{
    static const char *const names[] = {"4k", "4k-warm", "4k-cold", "4k-walkmem",
                                        "2m", "2m-warm", "2m-cold", "2m-walkmem"};
    m.experiment = "tlb";
    choose(&config.pages, PAGE_4K, PAGE_2M);
    config.node = CONFIG_NODE_ALL; /* its data is cached */
    measure();
    assert_int_equal(m.case_count, 8);
    for (uint32_t case_id = 0; case_id < 8; case_id++) {
        assert_string_equal(name_of_case(case_id), names[case_id]);
        assert_int_equal(rows_of(case_id), 3);
        for (int64_t n = 1; n <= 3; n++)
            assert_non_null(row_of(case_id, n, 0, "tsc"));
    }
    for (unsigned i = 0; i < visits; i++)
        assert_int_equal(seen[i].conditions.data, DATA_CACHED);
}

/* --- numa ------------------------------------------------------------------------------------ */

TEST(numa)
{
    m.experiment = "numa";
    make_nodes(3, 10);
    measure();
    assert_int_equal(m.case_count, 3);
    case_named("2m");
    for (uint32_t case_id = 0; case_id < 3; case_id++) {
        assert_int_equal(fake.asked[case_id].node, case_id);
        assert_null(fake.asked[case_id].twin);
        assert_placed(case_id, 101);
        /* One row and one column of the table, each point once. */
        for (uint32_t i = 0; i < config.mlp.loads.count; i++)
            assert_non_null(row_of(case_id, (int64_t)config.mlp.loads.value[i], 0, "tsc"));
        for (uint32_t j = 0; j < config.mlp.fillers.count; j++)
            assert_non_null(row_of(case_id, 2, (int64_t)config.mlp.fillers.value[j], "tsc"));
        assert_null(row_of(case_id, 1, 64, "tsc"));
        assert_int_equal(rows_with(case_id, LOADS_ZEROES), 4);
    }
    case_named("2m-node11");
    case_named("2m-node12");
}

/* What is compared is measured whatever the lists are. */
TEST(numa_with_other_lists)
{
    m.experiment = "numa";
    make_nodes(2, 10);
    set_list(&config.mlp.loads, 3, 4);
    set_list(&config.mlp.fillers, 64, 128);
    measure();
    for (uint32_t case_id = 0; case_id < 2; case_id++) {
        static const int64_t wanted[] = {1, 2, 3, 4, 10};
        for (unsigned i = 0; i < 5; i++)
            assert_non_null(row_of(case_id, wanted[i], 64, "tsc"));
    }
}
