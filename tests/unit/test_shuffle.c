/* test_shuffle: the measured loops against a shuffle written otherwise; passes; verdicts. */
#include "../../kernel/analysis/shuffle_rule.h"
#include "../../kernel/probe/shuffle_pass.h"
#include "kit.h"

#define LENGTH_MAX 20000
#define SEED 1234567

/* --- the reference --------------------------------------------------------------------------- */

/* SplitMix64 step by step; the high half of a product from four products of halves. */
static uint64_t reference_state;

static uint64_t reference_random(void)
{
    reference_state += UINT64_C(11400714819323198485);
    uint64_t word = reference_state;
    word ^= word >> 30;
    word *= UINT64_C(13787848793156543929);
    word ^= word >> 27;
    word *= UINT64_C(10723151780598845931);
    word ^= word >> 31;
    return word;
}

static uint32_t reference_below(uint64_t bound)
{
    uint64_t word = reference_random(), low = (word & UINT32_MAX) * bound;
    uint64_t high = (word >> 32) * bound + (low >> 32);
    return (uint32_t)(high >> 32);
}

/* A swap through a third place, which does nothing to an element and itself. */
static void reference_shuffle(uint32_t *data, size_t length, uint64_t seed)
{
    reference_state = seed;
    for (size_t place = length; place-- > 0;) {
        uint32_t partner = reference_below(place + 1), kept = data[partner];
        data[partner] = data[place];
        data[place] = kept;
    }
}

/* --- loops ----------------------------------------------------------------------------------- */

static uint32_t wanted[LENGTH_MAX], data[LENGTH_MAX], indices[LENGTH_MAX];

/* Runs a loop over the array in pieces, as chunks are, each of a random length up to `piece`. */
static void run_in_pieces(shuffle_run *run, uint32_t stage, size_t length, unsigned piece)
{
    static struct shuffle s;
    s = (struct shuffle){
        .data = data, .indices = indices, .state = SEED, .left = length, .stage = stage};
    for (size_t i = 0; i < length; i++)
        data[i] = (uint32_t)i * 3 + 1;
    while (s.left > 0) {
        uint64_t before = s.left, swaps = 1 + (uint64_t)rand() % piece;
        swaps = swaps < before ? swaps : before;
        run(&s, swaps);
        assert_int_equal(s.left, before - swaps);
    }
}

static void check_every_loop(size_t length, uint32_t stage, unsigned piece)
{
    uint64_t state = SEED;
    for (size_t i = 0; i < length; i++)
        wanted[i] = (uint32_t)i * 3 + 1;
    reference_shuffle(wanted, length, SEED);
    shuffle_precompute(indices, &state, length, 1);
    assert_true(state == reference_state);
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            run_in_pieces(shuffle_runs[loop][source], stage, length, piece);
            assert_memory_equal(data, wanted, length * sizeof *data);
        }
}

TEST(every_loop_shuffles_as_the_reference)
{
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 64, 100, 1023, 4097, LENGTH_MAX};
    static const uint32_t stages[] = {1, 2, 7, 8, 64, 100, SHUFFLE_STAGE_MAX};
    static const unsigned pieces[] = {1, 50, 4096, LENGTH_MAX};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned j = 0; j < sizeof stages / sizeof *stages; j++)
            for (unsigned k = 0; k < sizeof pieces / sizeof *pieces; k++)
                check_every_loop(lengths[i], stages[j], pieces[k]);
}

TEST(an_element_that_meets_itself_stays)
{
    for (uint32_t i = 0; i < 100; i++)
        indices[i] = i;
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
        run_in_pieces(shuffle_runs[loop][SHUFFLE_PRECOMPUTED], 8, 100, 100);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(data[i], i * 3 + 1);
    }
}

/* Below 2^19, an index is the generator's first 19 bits. */
TEST(the_generator_is_split_mix_64)
{
    /* The first numbers for state 1234567 of the authors' own splitmix64.c (Vigna, 2015). */
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    const uint64_t bound = 1 << 19;
    uint64_t state = SEED;
    uint32_t *many = calloc(bound, sizeof *many);
    assert_non_null(many);
    reference_state = SEED;
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++) {
        shuffle_precompute(many, &state, bound, bound);
        assert_int_equal(many[bound - 1], published[i] >> 45);
        assert_true(reference_random() == published[i]);
    }
    free(many);
}

/* --- passes ---------------------------------------------------------------------------------- */

static struct platform platform;
static struct shuffle_pass pass;
static uint32_t smi, smi_each;

static bool smi_count(struct platform *self, uint32_t *count)
{
    (void)self;
    *count = smi += smi_each;
    return true;
}

/* Five ticks a second: a slice is one piece, so that a test can look and change in between. */
SETUP(start_pass)
{
    smi = smi_each = 0;
    platform = (struct platform){.ticks_per_second = 5, .smi_count = smi_count};
    pass = (struct shuffle_pass){
        .platform = &platform, .data = data, .elements = LENGTH_MAX, .seed = SEED, .wanted = 500};
    memset(data, 0xff, sizeof data);
    memset(indices, 0xff, sizeof indices);
}

static void run_until(enum shuffle_phase phase)
{
    while (pass.phase != phase)
        shuffle_pass_slice(&pass);
}

TEST(a_pass_shuffles_the_whole_array)
{
    uint64_t weighted = 0;
    for (uint32_t i = 0; i < LENGTH_MAX; i++)
        wanted[i] = i;
    reference_shuffle(wanted, LENGTH_MAX, SEED);
    for (uint64_t i = 0; i < LENGTH_MAX; i++)
        weighted += wanted[i] * (i + 1);
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            start_pass();
            pass.indices = source == SHUFFLE_PRECOMPUTED ? indices : NULL;
            shuffle_pass_start(&pass, pass.indices != NULL ? SHUFFLE_INDEX : SHUFFLE_FILL, loop,
                               24);
            run_until(SHUFFLE_DONE);
            assert_memory_equal(data, wanted, sizeof data);
            assert_true(shuffle_pass_is_whole(&pass));
            assert_int_equal(shuffle_pass_checksum(&pass), (uint32_t)(weighted ^ weighted >> 32));
            /* 4080 swaps a chunk: whole stages of 24. */
            assert_int_equal(pass.count, LENGTH_MAX / 4080);
            assert_int_equal(pass.discarded, 0);
            for (uint32_t i = 0; i < pass.count; i++)
                assert_true(pass.ticks[i] > 0);
        }
}

TEST(indices_serve_for_several_passes)
{
    pass.indices = indices;
    shuffle_pass_start(&pass, SHUFFLE_INDEX, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_DONE);
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_DONE);
    assert_int_equal(shuffle_pass_checksum(&pass), first);
    assert_true(shuffle_pass_is_whole(&pass));
    assert_int_equal(pass.count, LENGTH_MAX / 4096);
}

TEST(fewer_samples_are_spread_over_the_shuffle)
{
    pass.wanted = 2;
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_RUN);
    uint64_t left[2];
    for (unsigned seen = 0; pass.phase == SHUFFLE_RUN;) {
        uint64_t before = pass.shuffle.left;
        shuffle_pass_slice(&pass);
        if (pass.count > seen)
            left[seen++] = before;
    }
    assert_int_equal(pass.count, 2);
    assert_int_equal(left[0], LENGTH_MAX);
    assert_int_equal(left[1], LENGTH_MAX - 2 * 4096);
}

TEST(a_lost_element_is_noticed)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
        run_until(SHUFFLE_CHECK);
        if (kind == 0)
            data[LENGTH_MAX / 2] = data[LENGTH_MAX / 2] == 0;
        else { /* the sum stays */
            data[10]++;
            data[20]--;
        }
        run_until(SHUFFLE_DONE);
        assert_false(shuffle_pass_is_whole(&pass));
    }
}

TEST(another_order_is_another_checksum)
{
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_DONE);
    uint32_t first = shuffle_pass_checksum(&pass);
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_STAGED, 8);
    run_until(SHUFFLE_CHECK);
    uint32_t kept = data[5];
    data[5] = data[6];
    data[6] = kept;
    run_until(SHUFFLE_DONE);
    assert_true(shuffle_pass_is_whole(&pass));
    assert_int_not_equal(shuffle_pass_checksum(&pass), first);
}

TEST(samples_with_a_system_management_interrupt_are_discarded)
{
    smi_each = 1;
    shuffle_pass_start(&pass, SHUFFLE_FILL, SHUFFLE_PLAIN, 8);
    run_until(SHUFFLE_DONE);
    assert_int_equal(pass.count, 0);
    assert_int_equal(pass.discarded, LENGTH_MAX / 4096);
}

/* --- verdicts -------------------------------------------------------------------------------- */

#define KILO 1024
#define MEGA (1024 * KILO)

static struct row rows[64];
static size_t count;
static struct verdict found[16];
static struct verdict_list verdicts;

SETUP(start_rows)
{
    count = 0;
    verdicts = (struct verdict_list){.at = found, .room = 16};
}

static struct row *add(const char *variant, int64_t bytes, int64_t stage, double ticks)
{
    struct row *row = &rows[count++];
    *row = (struct row){.n = ROW_NONE,
                               .k = 4000,
                               .bytes = bytes,
                               .stage = stage,
                               .samples = 400,
                               .min = 3900 * ticks,
                               .p10 = 3990 * ticks,
                               .median = 4000 * ticks,
                               .p90 = 4010 * ticks,
                               .max = 9000 * ticks,
                               .mean = 4100 * ticks};
    strcpy(row->experiment, "shuffle");
    strcpy(row->variant, variant);
    strcpy(row->metric, "tsc");
    strcpy(row->unit, "ticks");
    return row;
}

static const struct verdict *verdict(const char *variant, const char *name)
{
    for (size_t i = 0; i < verdicts.count; i++)
        if (strcmp(found[i].variant, variant) == 0 && strcmp(found[i].name, name) == 0)
            return &found[i];
    fail_msg("no %s of %s", name, variant);
    return NULL;
}

static void assert_verdict(const char *variant, const char *name, enum verdict_status status,
                           double value, const char *method)
{
    const struct verdict *v = verdict(variant, name);
    assert_int_equal(v->status, status);
    if (isnan(value))
        assert_true(isnan(v->value));
    else {
        assert_float_equal(v->value, value, 1e-6);
        assert_true(v->low <= v->value && v->value <= v->high);
    }
    assert_string_equal(v->method, method);
    assert_true(strlen(v->method) <= 73);
}

/* The published figures, as ticks: plain is flat, staged rises. */
static void add_published(void)
{
    static const int64_t stages[] = {8, 16, 32, 64};
    static const double plain[] = {46, 43, 43.2, 46.7}, staged[] = {40.3, 32.5, 30.6, 29};
    for (unsigned i = 0; i < 4; i++) {
        add("plain-onthefly-2m", 8 * MEGA, stages[i], 10);
        add("plain-onthefly-2m", 256 * MEGA, stages[i], plain[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        add("staged-onthefly-2m", 8 * MEGA, stages[i], 8);
        add("staged-onthefly-2m", 256 * MEGA, stages[i], staged[i]);
    }
}

TEST(the_published_figures_show_the_gain)
{
    add_published();
    shuffle_compare(rows, count, &verdicts);
    assert_int_equal(verdicts.count, 5);
    assert_verdict("plain-onthefly-2m", "swap_ticks", VERDICT_OK, 43,
                   "256m: median of the fastest stage; 8m 10.0");
    assert_verdict("plain-onthefly-2m", "plain_flatness", VERDICT_OK, (46.7 / 43 - 1) * 100,
                   "256m: slowest stage against fastest; 8m 0.0");
    assert_verdict("staged-onthefly-2m", "swap_ticks", VERDICT_OK, 29,
                   "256m: median of the fastest stage; 8m 8.0");
    assert_verdict("staged-onthefly-2m", "staged_gain", VERDICT_OK, (43 / 29.0 - 1) * 100,
                   "256m: plain against staged, fastest of each; 8m 25.0");
    /* It was still rising. */
    assert_verdict("staged-onthefly-2m", "best_stage", VERDICT_DOUBT, 64,
                   "256m: the longest of 4; a longer one may be faster still");
}

TEST(stages_that_cannot_be_told_apart_are_the_interval)
{
    add("staged-onthefly-4k", MEGA, 8, 12);
    add("staged-onthefly-4k", MEGA, 16, 10.001);
    add("staged-onthefly-4k", MEGA, 32, 10);
    add("staged-onthefly-4k", MEGA, 64, 10.002);
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("staged-onthefly-4k", "best_stage", VERDICT_OK, 32,
                   "1m: the fastest of 4 stages");
    assert_true(verdict("staged-onthefly-4k", "best_stage")->low == 16);
    assert_true(verdict("staged-onthefly-4k", "best_stage")->high == 64);
}

TEST(no_difference_is_in_doubt)
{
    add("plain-precomputed-4k", MEGA, 8, 10.001);
    add("staged-precomputed-4k", MEGA, 8, 10);
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("staged-precomputed-4k", "staged_gain", VERDICT_DOUBT, 0.01,
                   "1m: no difference beyond the scatter");
}

TEST(what_is_missing_is_said)
{
    add("plain-precomputed-4k", MEGA, 8, 10);
    add("staged-onthefly-4k-nopf", MEGA, 8, 10);
    struct row *missing = add("staged-onthefly-4k-nopf", 2 * MEGA, ROW_NONE, NAN);
    missing->samples = 0;
    missing->k = ROW_NONE;
    add("plain-onthefly-4k", MEGA, 8, 20); /* prefetchers on: not to be compared */
    *add("staged-onthefly-1g", MEGA, ROW_NONE, NAN) = *missing;
    strcpy(rows[count - 1].variant, "staged-onthefly-1g");
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("plain-precomputed-4k", "plain_flatness", VERDICT_SKIP, NAN,
                   "needs two stages or more");
    assert_verdict("staged-onthefly-4k-nopf", "swap_ticks", VERDICT_OK, 10,
                   "1m: median of the fastest stage");
    assert_verdict("staged-onthefly-4k-nopf", "staged_gain", VERDICT_SKIP, NAN,
                   "needs the plain loop in the same size");
    assert_verdict("staged-onthefly-1g", "swap_ticks", VERDICT_SKIP, NAN, "no size was measured");
}

TEST(other_sizes_are_told_as_far_as_they_fit)
{
    for (int64_t i = 1; i <= 9; i++)
        add("plain-onthefly-4k", i * MEGA, 8, 100.25 * (double)i);
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("plain-onthefly-4k", "swap_ticks", VERDICT_OK, 902.25,
                   "9m: median of the fastest stage; 8m 802.0; 7m 701.8; 6m 601.5; 5m 501.3");
}

/* A count of both halves of the ratio, as add() has times; deciles half a percent around. */
static void add_counts(const char *variant, int64_t bytes, int64_t stage, double mlp)
{
    static const char *const keys[] = {"l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles"};
    for (unsigned i = 0; i < 2; i++) {
        struct row *row = add(variant, bytes, stage, 0);
        row->mean = 100000 * (i == 0 ? mlp : 1);
        row->p10 = 0.995 * row->mean;
        row->p90 = 1.005 * row->mean;
        row->median = 7; /* a ratio of sums knows no median */
        row->samples = 50;
        strcpy(row->metric, keys[i]);
        strcpy(row->unit, "events");
    }
}

/* Stages and sizes in the experiment's order: times first, then counts; of each size in turn. */
static void add_counted(const char *variant, const double *mlp)
{
    static const int64_t stages[] = {8, 16, 32, 64};
    for (int64_t bytes = 8 * MEGA; bytes <= 256 * MEGA; bytes *= 32) {
        for (unsigned i = 0; i < 4; i++)
            add(variant, bytes, stages[i], 10);
        for (unsigned i = 0; i < 4; i++)
            add_counts(variant, bytes, stages[i], bytes == 256 * MEGA ? mlp[i] : 1);
    }
}

static bool has_verdict(const char *variant, const char *name)
{
    bool has = false;
    for (size_t i = 0; i < verdicts.count; i++)
        has |= strcmp(found[i].variant, variant) == 0 && strcmp(found[i].name, name) == 0;
    return has;
}

/* As published: 2.5 whatever the stage, and up to 5.4. */
TEST(the_published_ratio_is_that_of_the_longest_stage)
{
    static const double plain[] = {2.4, 2.5, 2.6, 2.5}, staged[] = {3.2, 4.1, 4.9, 5.4};
    add_counted("plain-onthefly-2m", plain);
    add_counted("staged-onthefly-2m", staged);
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("plain-onthefly-2m", "mlp_counted", VERDICT_OK, 2.5,
                   "256m: misses outstanding per cycle with a miss, stage 64");
    assert_verdict("staged-onthefly-2m", "mlp_counted", VERDICT_OK, 5.4,
                   "256m: misses outstanding per cycle with a miss, stage 64");
    const struct verdict *v = verdict("staged-onthefly-2m", "mlp_counted");
    double deviation = 0.01 / 2.563, error = deviation * sqrt(2.0 / 50);
    assert_float_equal(v->high - v->value, 1.96 * error * 5.4, 1e-4);
    assert_float_equal(v->value - v->low, 1.96 * error * 5.4, 1e-4);
    assert_string_equal(v->unit, "loads");
    assert_int_equal(verdicts.count, 3 + 4);
}

TEST(the_ratio_needs_both_halves_at_that_point)
{
    static const char *const missing[] = {"l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles"};
    static const double mlp[] = {3, 3, 3, 3};
    for (unsigned i = 0; i < 2; i++) {
        start_rows();
        add_counted("staged-onthefly-2m", mlp);
        for (size_t j = 0; j < count; j++)
            if (rows[j].bytes == 256 * MEGA && rows[j].stage == 64 &&
                strcmp(rows[j].metric, missing[i]) == 0)
                rows[j].samples = 0;
        shuffle_compare(rows, count, &verdicts);
        assert_true(has_verdict("staged-onthefly-2m", "best_stage"));
        assert_false(has_verdict("staged-onthefly-2m", "mlp_counted"));
    }
    start_rows();
    add_published();
    shuffle_compare(rows, count, &verdicts);
    assert_false(has_verdict("staged-onthefly-2m", "mlp_counted"));
}

TEST(derived_cycles_do_as_well_and_scatter_is_in_doubt)
{
    static const double mlp[] = {2, 2, 2, 2};
    add_counted("plain-precomputed-4k", mlp);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].metric, "l1d_pend_miss_pending_cycles") == 0) {
            strcpy(rows[i].metric, "l1d_pend_miss_pending_cycles_derived");
            rows[i].p10 = 0.5 * rows[i].mean;
        }
    shuffle_compare(rows, count, &verdicts);
    assert_verdict("plain-precomputed-4k", "mlp_counted", VERDICT_DOUBT, 2,
                   "256m: misses outstanding per cycle with a miss, stage 64");
}
