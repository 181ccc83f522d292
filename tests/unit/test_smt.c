/* test_smt: experiment smt on a made-up core whose sizes depend on what its sibling does. */
#include "../../kernel/experiments/loads/smt_rule.h"
#include "../../kernel/probe/chain_probe.h"
#include "../../kernel/probe/cycle.h"
#include "../../kernel/probe/load_sampler.h"
#include "../../kernel/probe/sentinel.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define KB 1024u
#define MB (1024u * KB)
#define WORKS 3
#define BUFFERS 6
#define CASES (WORKS * (FILLER_KINDS + 2))

static struct states states;
static unsigned chains, steps;         /* of the probe there is */
static uint64_t bytes;                 /* of the cycle there is */
static unsigned visits[SIBLING_WORKS]; /* of loads, by what was ordered */

static enum sibling_work ordered(void)
{
    assert_true(fake.inside && fake.orders > 0);
    switch (fake.ordered[fake.orders - 1].work) {
    case GENERATOR_REST:
        return SIBLING_IDLE;
    case GENERATOR_SPIN:
        return SIBLING_BUSY;
    default:
        return SIBLING_LOADING;
    }
}

/* Fillers that still fit beside two loads: half of them beside NOPs, less beside loads. */
static int64_t capacity(enum filler filler)
{
    static const int64_t left[SIBLING_WORKS] = {0, 12, 6, 5};
    return left[ordered()] * (20 - (int64_t)filler);
}

/* In place of kernel/probe/load_sampler.c. */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count)
{
    bool is_cached = sampler->conditions.data == DATA_CACHED;
    assert_compare(shape->loads, <=, sampler->conditions.loads);
    assert_numbers((sampler->window.page, sampler->conditions.tlb), (PAGE_4K, TLB_WARM));
    visits[ordered()]++;
    for (unsigned i = 0; i < count; i++) {
        bool is_in_turn = shape->loads == 2 && shape->fillers > capacity(shape->filler);
        uint32_t rounds = (shape->loads + BUFFERS - 1) / BUFFERS + is_in_turn;
        samples[i] = (is_cached ? 50 : 200 * rounds) + shape->loads + i % 2;
    }
}

/* In place of kernel/probe/cycle.c: no line is ever written. */
void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t size, bool is_paged)
{
    *cycle = (struct cycle){.base = base, .lines = size / LINE_BYTES, .is_paged = is_paged};
    assert_true(size <= fake.window.bytes && base == fake.window.base);
    bytes = size;
}

bool cycle_extend(struct cycle *cycle, uint64_t count)
{
    assert_true(fake.inside && cycle->lines > 0 && count > 0);
    return true;
}

uint8_t *cycle_line(const struct cycle *cycle, uint64_t place)
{
    return cycle->base + place % cycle->lines * LINE_BYTES;
}

/* In place of kernel/probe/chain_probe.c. */
size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *shape)
{
    assert_is_code(code, room);
    chains = shape->chains;
    steps = shape->steps;
    return 1;
}

static uint64_t walked; /* lines with each order, before what is timed */
static enum sibling_work walked_beside;

/* A loading sibling has half of both caches. */
static uint64_t run_chain(struct platform *self, uint8_t *base)
{
    assert_true(self == &fake.platform && base != NULL);
    unsigned part = ordered() == SIBLING_LOADING ? 2 : 1;
    uint64_t lines = bytes / LINE_BYTES;
    if (walked_beside != ordered())
        walked = 0;
    walked_beside = ordered();
    walked += (uint64_t)chains * steps;
    if (chains > 1)
        return 1;
    /* What was in the caches beside other work is gone. */
    assert_true(walked >= (lines < 65536 ? lines : 65536));
    return 30 + steps * (bytes <= 32 * KB / part ? 4 : bytes <= MB / part ? 14 : 60);
}

/* A sibling that spins takes half of the additions. */
static uint32_t side_by_side(struct platform *self)
{
    assert_ptr_equal(self, &fake.platform);
    return ordered() == SIBLING_BUSY ? 1200 : 600;
}

static uint32_t add_in_a_chain(struct platform *self)
{
    assert_ptr_equal(self, &fake.platform);
    return SENTINEL_CHAIN;
}

static void forget(void)
{
    memset(visits, 0, sizeof visits);
    memset(&states, 0, sizeof states);
    walked_beside = SIBLING_UNNAMED;
    m.states = &states;
}

SETUP(start)
{
    experiment_open("smt");
    fake.platform.run_code = run_chain;
    fake.platform.sentinel_side_by_side = side_by_side;
    fake.platform.sentinel_chain = add_in_a_chain;
    fake.others = 1;
    fake.generated_step = 512;
    choose(&config.pages, PAGE_2M, PAGE_4K);
    set_samples(25, 100, 0.1);
    config.mlp.bytes = 8u << 20;
    set_list(&config.mlp.loads, 1, 2, 3, 4, 5, 6, 7, 8);
    for (uint64_t size = 2 * KB; size <= 64 * MB; size *= 2)
        config.array.bytes.value[config.array.bytes.count++] = size;
    for (uint64_t k = 0; k <= 320; k += 32) {
        config.mlp.fillers.value[config.mlp.fillers.count++] = k;
        config.structures.fillers.value[config.structures.fillers.count++] = k;
    }
    experiment_begins = forget;
    forget();
}

TEARDOWN(stop)
{
    experiment_close();
}

static const char *const work_names[WORKS] = {"idle", "busy", "loading"};

static uint32_t case_of(const char *pattern, unsigned work)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s-%s", pattern, work_names[work]);
    return case_named(name);
}

static const struct row *row_of(uint32_t case_id, int64_t n, int64_t k)
{
    return row_where(case_id, "tsc", n, k, ROW_NONE, ANY);
}

/* --- what is measured ------------------------------------------------------------------------ */

TEST(each_case_with_each_work)
{
    measure();
    assert_numbers((m.case_count, fake.starts), (CASES, 1));
    assert_true(fake.started_as.are_siblings);
    assert_int_equal(fake.started_as.count, 0); /* all threads that there are */
    assert_numbers((fake.started_as.bytes, fake.stops), (config.mlp.bytes, 1));
    for (unsigned work = 0; work < WORKS; work++) {
        for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
            assert_non_null(row_of(case_of(filler_table[filler].name, work), 2, 64));
        assert_non_null(row_of(case_of("4k-warm", work), 8, 0));
        assert_non_null(row_of(case_of("4k-warm", work), 2, 64));
        case_of("chain-2m", work);
    }
    /* The same rounds: about as many visits with each. */
    for (unsigned i = SIBLING_IDLE; i < SIBLING_WORKS; i++)
        assert_in_range(visits[i], visits[SIBLING_IDLE] * 4 / 5, visits[SIBLING_IDLE] * 5 / 4);
}

/* Where they agree, fewer than there may be; */
TEST(samples_that_agree)
{
    config.samples_max = 1000;
    measure();
    assert_in_range(row_of(case_of("store", 1), 2, 64)->samples, 25, 399);
}

/* and however many were asked for, no more than a capacity needs. */
TEST(samples_of_a_patient_user)
{
    config.samples_min = config.samples_max = 1000;
    measure();
    assert_int_equal(row_of(case_of("store", 1), 2, 64)->samples, 400);
}

/* Small values of K are twice as dense, others half. */
TEST(values_of_k)
{
    m.is_emulated = true; /* nothing is refined */
    measure();
    for (int64_t k = 0; k <= 320; k += 16) {
        const struct row *row = row_of(case_of("store", 1), 2, k);
        assert_int_equal(row != NULL, k < 96 || k % 64 == 0);
    }
}

/* What is not told apart by the engine stays in one case; how often the core was shared, and the
 * sibling read, is a row of it. */
TEST(what_the_sibling_did)
{
    measure();
    for (unsigned work = 0; work < WORKS; work++)
        for (unsigned filler = 0; filler < FILLER_KINDS; filler++) {
            uint32_t case_id = case_of(filler_table[filler].name, work);
            const struct row *shared =
                row_where(case_id, "shared_percent", ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE);
            const struct row *reading =
                row_where(case_id, SMT_READING, ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE);
            assert_int_equal(m.cases[case_id].shared, 0);
            assert_true(work == 1 ? shared->median > 95 : shared->samples == 0); /* but the first */
            assert_int_equal(reading != NULL, work == 2);
            assert_true(reading == NULL || reading->median == 100);
        }
}

TEST(a_sibling_that_reads_nothing)
{
    fake.generated_step = 0;
    measure();
    const struct row *row =
        row_where(case_of("chain-2m", 2), SMT_READING, ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE);
    assert_int_equal(row->samples, 0);
}

/* Each work's jump is placed to one filler. */
TEST(jumps_are_refined)
{
    static const int64_t left[WORKS] = {12, 6, 5};
    measure();
    for (unsigned work = 0; work < WORKS; work++)
        for (unsigned filler = 0; filler < FILLER_KINDS; filler++) {
            uint32_t case_id = case_of(filler_table[filler].name, work);
            int64_t last = left[work] * (20 - (int64_t)filler);
            assert_compare(row_of(case_id, 2, last)->median, <, 300);
            assert_compare(row_of(case_id, 2, last + 1)->median, >, 300);
        }
    for (unsigned work = 0; work < WORKS; work++) /* and the loads beyond the buffers' */
        assert_non_null(
            row_where(case_of("4k-warm", work), "tsc_many", 2 * BUFFERS, ANY, ANY, ANY));
}

/* --- arrays ---------------------------------------------------------------------------------- */

/* Those asked for that are not too large, and more where a cache of the case ends. */
TEST(sizes_of_arrays)
{
    measure();
    for (unsigned work = 0; work < WORKS; work++) {
        uint32_t case_id = case_of("chain-2m", work);
        int64_t beyond_first = work == SIBLING_LOADING - SIBLING_IDLE ? 20 * KB : 40 * KB;
        assert_non_null(row_where(case_id, "tsc", 1, 288, 16 * MB, ANY));
        assert_null(row_where(case_id, "tsc", 1, 288, 64 * MB, ANY));
        assert_non_null(row_where(case_id, "tsc", 1, 32, beyond_first, ANY));
    }
}

TEST(other_pages_where_there_are_no_large_ones)
{
    fake.no_page[PAGE_2M] = "no large pages";
    measure();
    case_of("chain-4k", 0);
    assert_int_equal(m.case_count, CASES);
}

/* Arrays end where the memory does. */
TEST(a_small_window_for_arrays)
{
    fake.largest = 8u << 20;
    measure();
    for (unsigned work = 0; work < WORKS; work++) {
        uint32_t case_id = case_of("chain-4k", work);
        assert_compare(row_where(case_id, "tsc", 1, 288, 8 * MB, ANY)->samples, >, 0);
        assert_int_equal(row_where(case_id, "tsc", 1, 32, 16 * MB, ANY)->samples, 0);
    }
}
