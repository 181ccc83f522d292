/* test_loaded: experiment loaded on a platform whose other processors are made up. */
#include "../../kernel/experiments/loaded/loaded_rule.h"
#include "../../kernel/probe/load_sampler.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define MB (1u << 20)
#define BYTES (8 * MB) /* of each generator's array */
#define TIMER 50
#define VISIT_TICKS 10000 /* of a visit, by the clock that code reads */
#define STEADY_PART 20000 /* of a second, that a new order is given */
#define PAUSES 3
#define RATES (PAUSES + 1)
#define LENGTHS 8 /* values of n: chains and side by side */

static const uint64_t pauses[PAUSES] = {0, 100, 1000};

/* --- the others, as they are asked ----------------------------------------------------------- */

static void (*order_fake)(struct platform *self, const struct generator_order *order);
static const char *(*start_fake)(struct platform *self, const struct generators_request *request,
                                 unsigned *started);
static uint64_t ordered_at;
static unsigned starts_whole; /* so many starts are as asked for; later ones have memory for two, */
static const char *no_more;   /* or are refused for this reason; NULL */

static void order(struct platform *self, const struct generator_order *given)
{
    order_fake(self, given);
    ordered_at = now;
}

static const char *start(struct platform *self, const struct generators_request *request,
                         unsigned *started)
{
    bool is_whole = fake.starts < starts_whole;
    if (!is_whole && no_more != NULL)
        return no_more;
    const char *reason = start_fake(self, request, started);
    *started = !is_whole && *started > 2 ? 2 : *started;
    return reason;
}

static struct generator_order last_order(void)
{
    return fake.started > 0 && fake.orders > 0 ? fake.ordered[fake.orders - 1]
                                               : (struct generator_order){0, 0};
}

/* What a load takes while they do that. */
static uint32_t latency(struct generator_order given)
{
    return given.work == GENERATOR_REST ? 200 : 200 + 20000 / (given.pause + 50);
}

/* --- our own core ---------------------------------------------------------------------------- */

static unsigned visits[GENERATOR_WORKS][RATES][LENGTHS];

static unsigned rate_of(struct generator_order given)
{
    unsigned i = 0;
    if (given.work == GENERATOR_REST)
        return PAUSES;
    while (pauses[i] != given.pause)
        i++;
    return i;
}

static unsigned length_of(const struct mlp_shape *shape)
{
    static const unsigned lengths[LENGTHS] = {LOADED_SHORT, LOADED_LONG, 1, 2, 4, 10, 20, 40};
    unsigned i = 0;
    while (lengths[i] != shape->loads)
        i++;
    assert_compare(shape->dependent, ==, (i < 2));
    return i;
}

/* In place of kernel/probe/load_sampler.c. */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count)
{
    struct generator_order given = last_order();
    assert_true(fake.inside && count <= LOAD_SAMPLES_MAX);
    assert_numbers((sampler->conditions.tlb, sampler->conditions.data), (TLB_WARM, DATA_MEMORY));
    if (fake.started > 0) {
        assert_true(now - ordered_at >=
                    fake.platform.ticks_per_second / STEADY_PART); /* the queues have settled */
        visits[given.work][rate_of(given)][length_of(shape)]++;
    }
    for (unsigned i = 0; i < count; i++)
        samples[i] = TIMER + shape->loads * latency(given);
    now += VISIT_TICKS;
}

/* The clock; nothing else runs code here. */
static uint64_t read_clock(struct platform *self, uint8_t *base)
{
    (void)self;
    (void)base;
    return now;
}

static uint64_t read_no_clock(struct platform *self, uint8_t *base)
{
    (void)self;
    (void)base;
    return 42;
}

static uint32_t pace(struct platform *self)
{
    (void)self;
    assert_true(fake.inside);
    return last_order().work == GENERATOR_REST ? 500 : 1000;
}

/* --- helpers --------------------------------------------------------------------------------- */

static void forget(void)
{
    memset(visits, 0, sizeof visits);
    fake.starts = fake.stops = fake.orders = 0;
}

SETUP(open)
{
    experiment_open("loaded");
    now_step = 1000;
    fake.platform.run_code = read_clock;
    fake.platform.sentinel_side_by_side = pace;
    order_fake = fake.platform.order_generators;
    start_fake = fake.platform.start_generators;
    fake.platform.order_generators = order;
    fake.platform.start_generators = start;
    fake.generated_step = 1000000;
    fake.no_prefetch = "no register";
    starts_whole = UINT32_MAX;
    no_more = NULL;
    choose(&config.pages, PAGE_2M);
    set_samples(20, 400, 0.1);
    config.mlp.bytes = 8 * MB;
    config.loaded.bytes = BYTES;
    set_list(&config.loaded.cores, 0);
    set_values(&config.loaded.pauses, pauses, PAUSES);
    experiment_begins = forget;
    forget();
}

TEARDOWN(close)
{
    experiment_close();
}

static const struct row *row_of(const char *name, const char *metric, int64_t n, int64_t k)
{
    return row_where(case_named(name), metric, n, k, ANY, ROW_NONE);
}

/* --- curves ---------------------------------------------------------------------------------- */

/* Returns the name of a case of one of the three works. */
static const char *case_of_work(unsigned i, const char *rest)
{
    static const char *const works[] = {"read", "write", "copy"};
    static char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s-%s", works[i], rest);
    return name;
}

/* Every rate has its chains, its loads side by side, and what was seen meanwhile. */
TEST(rows_of_every_rate)
{
    static const int64_t side_by_side[] = {1, 2, 4, 10, 20, 40};
    measure();
    for (unsigned i = 0; i < 3; i++) {
        const char *name = case_of_work(i, "2m-cores3");
        for (unsigned rate = 0; rate < RATES; rate++) {
            int64_t k = rate < PAUSES ? (int64_t)pauses[rate] : ROW_NONE;
            struct generator_order given = {rate < PAUSES ? GENERATOR_READ : GENERATOR_REST,
                                            rate < PAUSES ? (uint32_t)k : 0};
            const struct row *longer = row_of(name, LOADED_CHAIN, LOADED_LONG, k);
            const struct row *shorter = row_of(name, LOADED_CHAIN, LOADED_SHORT, k);
            assert_compare(longer->median, ==, TIMER + LOADED_LONG * latency(given));
            assert_compare(shorter->median, ==, TIMER + LOADED_SHORT * latency(given));
            assert_compare(longer->visits, >=, 8);
            assert_compare(shorter->visits, >=, 8);
            assert_string_equal(longer->unit, "ticks");
            for (unsigned j = 0; j < 6; j++)
                assert_true(row_of(name, "tsc", side_by_side[j], k)->samples >= 20);
        }
    }
}

/* 3 cores move a million bytes each from one look to the next, in 10000 ticks of a nanosecond. */
TEST(what_they_move)
{
    measure();
    for (unsigned rate = 0; rate < PAUSES; rate++) {
        const struct row *row =
            row_of("copy-2m-cores3", LOADED_TRAFFIC, LOADED_LONG, (int64_t)pauses[rate]);
        assert_near(row->median, 3e6 / VISIT_TICKS);
        assert_near(row->center, row->median);
        assert_string_equal(row->unit, "GB/s");
        const struct row *chain =
            row_of("copy-2m-cores3", LOADED_CHAIN, LOADED_LONG, (int64_t)pauses[rate]);
        assert_numbers((row->samples, row->visits), (chain->visits, chain->visits));
    }
    const struct row *rest = row_of("copy-2m-cores3", LOADED_TRAFFIC, LOADED_LONG, ROW_NONE);
    assert_compare(rest->max, ==, 0);
    assert_compare(rest->samples, >, 0);
}

TEST(a_clock_that_stands_still_tells_no_rate)
{
    fake.platform.run_code = read_no_clock;
    measure();
    assert_null(row_of("read-2m-cores3", LOADED_TRAFFIC, LOADED_LONG, 0));
}

TEST(the_sentinel_beside_them)
{
    measure();
    assert_true(row_of("read-2m-cores3", LOADED_PACE, LOADED_LONG, ROW_NONE)->max == 500);
    assert_true(row_of("read-2m-cores3", LOADED_PACE, LOADED_LONG, 100)->min == 1000);
    experiment_again();
    fake.platform.sentinel_side_by_side = NULL;
    measure();
    assert_null(row_of("read-2m-cores3", LOADED_PACE, LOADED_LONG, 100));
}

/* All of them as often as rest, in the same rounds, whatever they do. */
TEST(rest_is_visited_as_often_as_any_rate)
{
    measure();
    for (unsigned i = 0; i < 2; i++) /* chains */
        for (enum generator_work work = GENERATOR_READ; work <= GENERATOR_COPY; work++)
            for (unsigned rate = 0; rate < PAUSES; rate++) {
                unsigned rests = visits[GENERATOR_REST][PAUSES][i];
                assert_int_equal(visits[work][rate][i], 8);
                assert_compare(rests, >=, 3 * 8);
            }
    assert_int_equal(fake.starts, 2); /* one tried how many there are */
    assert_numbers((fake.stops, fake.started_as.bytes, fake.started_as.count), (2, BYTES, 3));
    assert_false(fake.started_as.are_siblings);
    bool differs = false;
    for (unsigned i = 4; i < 100; i++)
        differs |= fake.ordered[i].pause != fake.ordered[i % 4].pause;
    assert_true(differs);
}

TEST(pages_share_their_rounds)
{
    choose(&config.pages, PAGE_2M, PAGE_1G, PAGE_4K);
    fake.no_page[PAGE_1G] = "none of them";
    measure();
    assert_int_equal(fake.starts, 2);
    assert_non_null(row_of("write-4k-cores3", LOADED_CHAIN, LOADED_LONG, 0));
    assert_skipped("write-1g-cores3", "none of them");
}

/* The most samples of a point are of many loads each. */
TEST(as_many_samples_as_pay)
{
    config.samples_min = config.samples_max = 5000;
    measure();
    assert_int_equal(row_of("read-2m-cores3", LOADED_CHAIN, LOADED_LONG, 0)->samples, 400);
}

/* --- which cores, and whose memory ----------------------------------------------------------- */

TEST(numbers_of_cores)
{
    set_list(&config.loaded.cores, 1, 2);
    measure();
    assert_non_null(row_of("read-2m-cores1", LOADED_CHAIN, LOADED_LONG, 0));
    assert_non_null(row_of("read-2m-cores2", LOADED_CHAIN, LOADED_LONG, 0));
    assert_numbers((fake.starts, fake.started_as.count), (4, 2));
}

TEST(all_cores_may_be_a_number)
{
    set_list(&config.loaded.cores, 0, 3);
    measure();
    assert_int_equal(m.case_count, 3);
    assert_non_null(row_of("read-2m-cores3", LOADED_CHAIN, LOADED_LONG, 0));
}

TEST(fewer_with_memory_than_there_are)
{
    starts_whole = 0;
    measure();
    assert_non_null(row_of("read-2m-cores2", LOADED_TRAFFIC, LOADED_LONG, 0));
    experiment_again();
    set_list(&config.loaded.cores, 3);
    measure();
    assert_skipped("read-2m-cores3", "other cores with memory for each: only 2");
}

/* They were there when they were tried: nothing is measured without them. */
TEST(gone_when_it_matters)
{
    static const char *const reasons[] = {NULL, "they went to sleep"};
    starts_whole = 1;
    for (size_t i = 0; i < 2; i++) {
        no_more = reasons[i];
        measure();
        assert_int_equal(fake.orders, 0);
        assert_int_equal(row_of("read-2m-cores3", LOADED_CHAIN, LOADED_SHORT, ROW_NONE)->samples,
                         0);
        assert_null(row_of("read-2m-cores3", LOADED_CHAIN, LOADED_LONG, 0));
        experiment_again();
    }
}

TEST(memory_of_another_node)
{
    make_nodes(2, 6);
    config.node = CONFIG_NODE_ALL;
    measure();
    assert_non_null(row_of("read-2m-cores3", LOADED_CHAIN, LOADED_LONG, 0));
    assert_non_null(row_of("read-2m-node7-cores3", LOADED_CHAIN, LOADED_LONG, 0));
    assert_int_equal(fake.started_as.node, 1);
    for (unsigned i = 0; i < fake.maps; i++)
        assert_int_equal(fake.asked[i].node, i >= fake.maps / 2);
}

TEST(prefetchers)
{
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_skipped("read-2m-nopf-cores3", "no register");
    experiment_again();
    fake.no_prefetch = NULL;
    measure();
    assert_non_null(row_of("read-2m-nopf-cores3", LOADED_CHAIN, LOADED_LONG, 0));
    experiment_again();
    set_list(&config.loaded.cores, 5, 3); /* which is behind one that is refused */
    measure();
    assert_true(row_of("read-2m-nopf-cores3", LOADED_TRAFFIC, LOADED_LONG, 0)->median > 0);
}

TEST(seeds)
{
    static struct generator_order first[100];
    for (unsigned run = 0; run < 3; run++) {
        config.seed = run < 2 ? 5 : 6;
        measure();
        if (run == 0)
            memcpy(first, fake.ordered, sizeof first);
        else if (run == 1)
            assert_memory_equal(first, fake.ordered, sizeof first);
        else
            assert_memory_not_equal(first, fake.ordered, sizeof first);
        experiment_again();
    }
}
