/* test_model_vices: what real cores do to measurements, one vice of the modelled core at a time. */
#include "kit.h"
#include "modelled.h"

#define MEMORY 200
#define WALK 60
#define TIMER 30
#define STANDARD "memory=200,walk=60,timer=30,rob=192,fill_buffers=10,walkers=1,width=4"

static char error[512];

static struct model_parameters parameters_of(const char *text)
{
    struct model_parameters parameters;
    assert_true(model_parameters_read(text, &parameters, error, sizeof(error)));
    return parameters;
}

static unsigned overlap_of(const char *text, enum filler filler)
{
    open_model(text, 64 * MB, PAGE_2M);
    return last_overlap(filler, TIMER + 2 * MEMORY);
}

static uint64_t sample_of(const char *text, unsigned loads, unsigned fillers)
{
    open_model(text, 64 * MB, PAGE_2M);
    return sample_fillers(loads, FILLER_NOP, fillers);
}

#define SAMPLES 20000

static void draw(const char *text, unsigned loads, unsigned fillers, uint64_t samples[SAMPLES])
{
    const struct mlp_shape shape = {.loads = loads, .fillers = fillers, .timing = fence_order};
    open_model(text, 64 * MB, PAGE_2M);
    publish(&shape);
    for (unsigned i = 0; i < SAMPLES; i++) {
        prepare(loads, TLB_WARM);
        samples[i] = platform->run_code(platform, window.base);
    }
}

static unsigned how_many(const uint64_t samples[SAMPLES], uint64_t value)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SAMPLES; i++)
        count += samples[i] == value;
    return count;
}

static double mean(const uint64_t samples[SAMPLES])
{
    double sum = 0;
    for (unsigned i = 0; i < SAMPLES; i++)
        sum += (double)samples[i];
    return sum / SAMPLES;
}

static uint64_t least(const uint64_t samples[SAMPLES])
{
    uint64_t value = samples[0];
    for (unsigned i = 1; i < SAMPLES; i++)
        value = samples[i] < value ? samples[i] : value;
    return value;
}

/* --- what ends the overlap of two loads --- */

TEST(each_structure_ends_the_overlap)
{
    static const struct {
        const char *parameters;
        enum filler filler;
        unsigned last;
    } cases[] = {
        {"int_regs=100", FILLER_ADD, 98},         /* both loads write a register as well */
        {"int_regs=100", FILLER_VECTOR_ADD, 190}, /* and these write none */
        {"int_regs=192", FILLER_ADD, 190},
        {"vec_regs=50", FILLER_VECTOR_ADD, 50}, /* the 51st is stuck, and what follows it */
        {"load_queue=40", FILLER_LOAD, 38},
        {"load_queue=40", FILLER_WAITING_LOAD, 38},
        {"load_queue=40", FILLER_WAITING_ADD, 190},
        {"load_queue=40,int_regs=30", FILLER_WAITING_LOAD, 28}, /* each writes a register */
        {"load_queue=40,scheduler=30", FILLER_WAITING_LOAD, 29},
        {"load_queue=40,scheduler=30", FILLER_LOAD, 38},
        {"store_queue=30", FILLER_STORE, 30},
        {"scheduler=20", FILLER_WAITING_ADD, 19}, /* the second load needs the last entry */
        {"scheduler=20", FILLER_ADD, 190},        /* these do not wait */
        {"scheduler=20,rob=16", FILLER_WAITING_ADD, 14},
        /* an awake sibling takes half */
        {"sibling=1", FILLER_NOP, 94},
        {"sibling=1,rob=7", FILLER_NOP, 1},
        {"sibling=1,int_regs=100", FILLER_ADD, 48},
        {"sibling=1,vec_regs=50", FILLER_VECTOR_ADD, 25},
        {"sibling=1,load_queue=40", FILLER_LOAD, 18},
        {"sibling=1,load_queue=40", FILLER_WAITING_LOAD, 18},
        {"sibling=1,store_queue=30", FILLER_STORE, 15},
        {"sibling=1,scheduler=20", FILLER_WAITING_ADD, 9},
        {"sibling=1,scheduler=1,rob=4", FILLER_NOP, 0},
        /* two NOPs share an entry */
        {"rob=100,fuse=2", FILLER_NOP, 2 * 98},
        {"rob=100,fuse=2", FILLER_LONG_NOP, 98},
        {"rob=100,fuse=2", FILLER_ADD, 98},
        {"rob=100,fuse=2,sibling=1", FILLER_NOP, 2 * 48},
        /* loads leave their queue with their data, unless they wait for the first load's */
        {"load_queue=40,early_release=1", FILLER_LOAD, 190},
        {"load_queue=40,early_release=1", FILLER_WAITING_LOAD, 38},
        {"load_queue=40,early_release=1,scheduler=30", FILLER_WAITING_LOAD, 29},
    };
    for (EACH(c, cases))
        if (overlap_of(c->parameters, c->filler) != c->last)
            fail_msg("%s, filler %u", c->parameters, (unsigned)c->filler);
}

/* --- the sibling --- */

#define HALVED STANDARD ",sibling=1"

TEST(an_awake_sibling_halves_the_throughput)
{
    uint64_t alone[2], shared[2];
    for (unsigned i = 0; i < 2; i++) {
        open_model("width=6,sibling=0", 64 * MB, PAGE_2M);
        alone[i] = sample_fillers(0, FILLER_NOP, 600 * i);
        open_model("width=6,sibling=1", 64 * MB, PAGE_2M);
        shared[i] = sample_fillers(0, FILLER_NOP, 600 * i);
    }
    assert_in_range(alone[1] - alone[0], 99, 101);
    assert_in_range(shared[1] - shared[0], 199, 201);
    open_model("width=1,sibling=1", 64 * MB, PAGE_2M);
    assert_in_range(sample_fillers(0, FILLER_NOP, 600), 600, 640);
}

/* Two loads with K between both sizes are side by side, or in turn; never anything else. */
TEST(a_sibling_comes_and_goes)
{
    static uint64_t samples[SAMPLES];
    uint64_t overlapped = sample_of(STANDARD, 2, 150), in_turn = sample_of(HALVED, 2, 150);
    unsigned changes = 0;
    assert_compare(in_turn, >, 2 * MEMORY);
    assert_compare(overlapped, <, 2 * MEMORY);
    draw(STANDARD ",sibling=0.3,sibling_ms=0.05", 2, 150, samples);
    for (unsigned i = 1; i < SAMPLES; i++)
        changes += samples[i] != samples[i - 1];
    unsigned alone = how_many(samples, overlapped);
    assert_in_range(alone, SAMPLES * 0.55, SAMPLES * 0.85);
    assert_int_equal(how_many(samples, in_turn), SAMPLES - alone);
    assert_in_range(changes, 150, 350); /* some 32 million cycles, 130,000 to a change */
}

TEST(a_sibling_is_awake_for_its_share)
{
    static const double shares[] = {0, 0.1, 0.5, 0.9, 1};
    for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        struct model_parameters parameters = parameters_of("sibling_ms=0.1,seed=5");
        struct model_sibling sibling;
        unsigned awake = 0;
        parameters.sibling = shares[i];
        model_sibling_open(&sibling, &parameters, 1000);
        for (unsigned now = 0; now < 1000000; now++)
            awake += model_sibling_beside(&sibling, 1000 + UINT64_C(2600) * now) == BESIDE_SOMEBODY;
        assert_true(fabs(awake / 1e6 - shares[i]) <
                    0.04 * (shares[i] != 0 && shares[i] != 1) + 1e-9);
    }
}

/* --- the clock --- */

TEST(timestamps_step_and_slip)
{
    static uint64_t samples[SAMPLES];
    unsigned odd = 0;
    draw(STANDARD ",tsc_step=26", 1, 0, samples);
    for (unsigned i = 0; i < SAMPLES; i++) {
        odd += samples[i] % 26 != 0;
        assert_in_range(samples[i], 8 * 26 - 1, 9 * 26 + 1);
    }
    assert_in_range(odd, 20, 70); /* two readings each */
    /* Starts lie anywhere in a step, so that means are what they would be without. */
    assert_compare(fabs(mean(samples) - (TIMER + MEMORY)), <, 0.5);
}

TEST(readings_never_go_back)
{
    struct model_parameters parameters = parameters_of("tsc_step=100,drift=0.2,drift_ms=0.1");
    struct model_clock clock;
    uint64_t before = 0;
    model_clock_open(&clock, &parameters, 0);
    for (uint64_t cycle = UINT64_C(5) << 32; cycle < (UINT64_C(5) << 32) + 1000000; cycle += 7) {
        uint64_t now = model_clock_read(&clock, cycle);
        assert_compare(now, >=, before);
        assert_compare(now % 100, <=, 1);
        before = now;
    }
}

#define UNITS 1000

/* How fast ticks ran against cycles in each unit of drift_ms. */
static void rates(const char *text, double rate[UNITS])
{
    const uint64_t unit = 10 * MODEL_CYCLES_PER_MS;
    struct model_parameters parameters = parameters_of(text);
    struct model_clock clock;
    model_clock_open(&clock, &parameters, 0);
    uint64_t before = model_clock_read(&clock, 0);
    for (unsigned i = 0; i < UNITS; i++) {
        uint64_t now = model_clock_read(&clock, (i + 1) * unit);
        rate[i] = (double)(now - before) / (double)unit;
        before = now;
    }
}

TEST(ticks_drift_against_cycles)
{
    static double rate[UNITS], other[UNITS];
    double squares = 0, changes = 0;
    rates("drift=0.01,drift_ms=10", rate);
    for (unsigned i = 0; i < UNITS; i++) {
        assert_compare(fabs(rate[i] - 1), <=, 0.02);
        squares += (rate[i] - 1) * (rate[i] - 1);
        changes += i > 0 ? fabs(rate[i] - rate[i - 1]) : 0;
    }
    assert_compare(fabs(sqrt(squares / UNITS) - 0.008), <, 0.002);
    assert_compare(fabs(changes / (UNITS - 1) - 0.01), <, 0.004);
    rates("drift=0.01,drift_ms=10,seed=2", other);
    assert_memory_not_equal(rate, other, sizeof(rate));
    rates("drift=0,drift_ms=10", rate);
    for (unsigned i = 0; i < UNITS; i++)
        assert_compare(rate[i], ==, 1);
}

TEST(the_clock_steps_from_full_to_least_by_turns)
{
    static double rate[UNITS]; /* of 10 ms of cycles: 10 ms of ticks, then 20 */
    rates("clock_steps=20,clock_low=0.5", rate);
    for (unsigned i = 0; i < UNITS; i++)
        assert_near(rate[i], i % 3 < 2 ? 1 : 2);
    rates("clock_steps=20", rate);
    for (unsigned i = 0; i < UNITS; i++)
        assert_near(rate[i], 1);
}

TEST(the_clock_rises_from_least_to_full)
{
    static double rate[UNITS]; /* 1000 ms of ticks have 60 units of cycles */
    rates("clock_ramp=1000,clock_low=0.2", rate);
    assert_compare(rate[0], >, 3.5);
    for (unsigned i = 1; i < UNITS; i++)
        assert_compare(rate[i], <=, rate[i - 1] + 1e-6);
    double ticks = 0;
    for (unsigned i = 0; i < 60; i++)
        ticks += rate[i];
    assert_near(ticks, 100);
    assert_near(rate[60], 1);
    struct model_parameters parameters = parameters_of("clock_ramp=1000,clock_low=0.2");
    struct model_clock late; /* the ramp is the core's, from its first cycle on */
    model_clock_open(&late, &parameters, 1000000);
    assert_int_equal(model_clock_read(&late, 1000000), 1000000);
    assert_int_equal(model_clock_read(&late, 1000100), 1000500);
}

/* --- memory --- */

TEST(noise_is_unbiased_and_has_outliers)
{
    static uint64_t samples[SAMPLES];
    double sum = 0, squares = 0, expected = TIMER + MEMORY;
    unsigned outliers = 0;
    draw(STANDARD ",noise=0.05,seed=3", 1, 0, samples);
    for (unsigned i = 0; i < SAMPLES; i++) {
        if ((double)samples[i] > 2 * expected) {
            outliers++;
            assert_compare((double)samples[i], <, 75 * expected);
            continue;
        }
        sum += (double)samples[i];
        squares += (double)(samples[i] * samples[i]);
    }
    double mean = sum / (SAMPLES - outliers);
    double deviation = sqrt(squares / (SAMPLES - outliers) - mean * mean);
    assert_compare(fabs(mean - expected), <, 0.02 * expected);
    assert_compare(fabs(deviation - hypot(0.05 * MEMORY, 0.0125 * expected)), <, 1);
    assert_in_range(outliers, SAMPLES / 400, SAMPLES / 100);
}

TEST(some_loads_are_slow)
{
    static uint64_t samples[SAMPLES];
    draw(STANDARD ",slow_share=0.1,slow_factor=2.5", 1, 0, samples);
    unsigned slow = how_many(samples, TIMER + MEMORY * 5 / 2);
    assert_in_range(slow, SAMPLES * 0.09, SAMPLES * 0.11);
    assert_int_equal(how_many(samples, TIMER + MEMORY), SAMPLES - slow);
    assert_int_equal(sample_of(STANDARD ",slow_share=1,slow_factor=3", 1, 0), TIMER + 3 * MEMORY);
}

/* Each row has its own latency, the same at any time. */
TEST(rows_differ)
{
    unsigned differing = 0;
    double sum = 0;
    open_model(STANDARD ",banks=0.5", 64 * MB, PAGE_2M);
    for (unsigned i = 0; i < 1000; i++) {
        displacement[0] = (int32_t)i * 8192;
        uint64_t first = sample_fillers(1, FILLER_NOP, 0);
        displacement[0] += 8192 - 64;
        assert_int_equal(sample_fillers(1, FILLER_NOP, 0), first);
        assert_in_range(first, TIMER + MEMORY, TIMER + MEMORY * 3 / 2);
        differing += first != TIMER + MEMORY * 5 / 4;
        sum += (double)first;
    }
    assert_compare(differing, >, 950);
    assert_compare(fabs(sum / 1000 - (TIMER + MEMORY * 1.25)), <, 3);
}

/* 6.4 bytes a cycle are a line in ten cycles. */
TEST(lines_come_no_faster_than_the_bandwidth)
{
    for (unsigned loads = 1; loads <= 40; loads++) {
        uint64_t ticks = sample_of("bandwidth=6.4,fill_buffers=64,timer=30,memory=200", loads, 0);
        assert_int_equal(ticks, TIMER + MEMORY + 10 * (loads - 1));
        ticks = sample_of("bandwidth=10,fill_buffers=64,timer=30,memory=200", loads, 0);
        assert_in_range(ticks, TIMER + MEMORY + 64 * (loads - 1) / 10,
                        TIMER + MEMORY + 64 * (loads - 1) / 10 + 1);
    }
    assert_int_equal(sample_of("bandwidth=0.5,timer=30,memory=200", 3, 0), TIMER + MEMORY + 256);
}

#define INTERVALS 1000

/* Draws samples in the middle of intervals of 2,600 cycles: a refresh is anywhere in its own. */
static void draw_intervals(const char *text, unsigned loads, uint64_t samples[INTERVALS])
{
    open_model(text, 64 * MB, PAGE_2M);
    for (unsigned i = 0; i < INTERVALS; i++) {
        model.core.clock += 10 * 2600 + 1300 - model.core.clock % 2600;
        samples[i] = sample_fillers(loads, FILLER_NOP, 0);
    }
}

TEST(a_load_waits_for_the_rest_of_a_refresh)
{
    static uint64_t samples[INTERVALS];
    unsigned waiting = 0;
    double waited = 0;
    draw_intervals(STANDARD ",refresh=260,refresh_us=1", 1, samples);
    for (unsigned i = 0; i < INTERVALS; i++) {
        assert_in_range(samples[i], TIMER + MEMORY, TIMER + MEMORY + 260);
        waiting += samples[i] > TIMER + MEMORY;
        waited += (double)samples[i] - (TIMER + MEMORY);
    }
    assert_in_range(waiting, 80, 140); /* 260 of 2,340 places of its start */
    assert_within(waited / waiting, 110, 150);
}

/* They do not wait for each other, and then come as fast as lines can. */
TEST(a_refresh_stops_all_loads_at_once)
{
    static const char *const widths[] = {STANDARD ",refresh=1300,refresh_us=1",
                                         STANDARD ",refresh=1300,refresh_us=1,bandwidth=16"};
    static uint64_t samples[INTERVALS];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t longest = 0;
        draw_intervals(widths[i], 10, samples);
        for (unsigned j = 0; j < INTERVALS; j++)
            longest = samples[j] > longest ? samples[j] : longest;
        /* a line each 4 cycles, or 2 cycles more until the last one is dispatched */
        assert_in_range(longest, TIMER + MEMORY + 1300 - 50 + 36 * i,
                        TIMER + MEMORY + 1300 + 36 * i + 2);
    }
}

/* --- SMIs --- */

TEST(an_smi_stops_the_core_and_no_clock)
{
    static uint64_t samples[SAMPLES], without[SAMPLES];
    draw(STANDARD, 1, 0, without);
    uint64_t cycles = model.core.clock;
    draw(STANDARD ",smi_us=100,smi_ms=0.1", 1, 0, samples);
    assert_int_equal(model.core.clock, cycles); /* the core's own cycles */
    unsigned stopped = how_many(samples, without[0] + 260000);
    assert_int_equal(how_many(samples, without[0]), SAMPLES - stopped);
    /* 230 of some 1,230 cycles are measured, and an SMI comes each 260,000. */
    double expected = SAMPLES * (TIMER + MEMORY) / 260000.0;
    assert_within(stopped, 0.5 * expected, 1.5 * expected);
    uint64_t start = model_clock_read(&model.core.tsc, cycles);
    assert_int_equal(model_clock_read(&model.core.tsc, cycles + 2600000) - start,
                     2600000 + 10 * 260000);
}

/* --- prefetchers --- */

/* N lines in a row from `first` on, each load after the one before. */
static uint64_t sample_row(unsigned loads, int32_t first)
{
    for (unsigned i = 0; i < loads; i++)
        displacement[i] = (first + (int32_t)i) * 64;
    publish(&(struct mlp_shape){.loads = loads, .dependent = true, .timing = fence_order});
    for (int32_t line = 0; line < 192; line++)
        platform->evict(platform, window.base, &(int32_t){line * 64}, 1);
    return platform->run_code(platform, window.base);
}

TEST(prefetchers_run_ahead_of_a_row)
{
    open_model(STANDARD ",prefetchers=1", 64 * MB, PAGE_2M);
    assert_string_equal(platform->prefetch, "as found: on");
    assert_int_equal(sample_row(2, 0), TIMER + 1 + 2 * MEMORY);
    assert_int_equal(sample_row(3, 0), TIMER + 1 + 3 * MEMORY);
    /* brought when the third was asked for: all four are there with it */
    assert_int_equal(sample_row(7, 0), TIMER + 1 + 3 * MEMORY + 4 * 4);
    assert_compare(sample_row(40, 0), <, TIMER + 20 * MEMORY);
    /* not out of their 4 KB: 61 to 63 in vain, then 64 and 65 */
    assert_int_equal(sample_row(5, 61), TIMER + 1 + 4 * MEMORY + 4);
}

TEST(prefetchers_can_be_switched_off)
{
    open_model(STANDARD ",prefetchers=1", 64 * MB, PAGE_2M);
    assert_null(platform->set_prefetch(platform, SETTING_OFF));
    assert_string_equal(platform->prefetch, "off");
    assert_int_equal(sample_row(40, 0), TIMER + 1 + 40 * MEMORY);
    assert_null(platform->set_prefetch(platform, SETTING_ON));
    assert_compare(sample_row(40, 0), <, TIMER + 20 * MEMORY);
    open_model(STANDARD, 64 * MB, PAGE_2M);
    assert_string_equal(platform->set_prefetch(platform, SETTING_ON), "a model has none");
    assert_int_equal(sample_row(40, 0), TIMER + 1 + 40 * MEMORY);
}

TEST(loads_here_and_there_are_no_row)
{
    uint64_t without[2];
    for (unsigned i = 0; i < 2; i++)
        without[i] = sample_of(STANDARD, 5 + 4 * i, 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(sample_of(STANDARD ",prefetchers=1", 5 + 4 * i, 0), without[i]);
}

TEST(several_streams_are_seen_at_once)
{
    struct model_prefetch prefetch = {0};
    assert_false(model_prefetch_sees_stream(&prefetch, 0));
    assert_false(model_prefetch_sees_stream(&prefetch, 1));
    assert_false(model_prefetch_sees_stream(&prefetch, 1)); /* counts once */
    assert_true(model_prefetch_sees_stream(&prefetch, 2));
    for (uint32_t step = 0; step < 5; step++)
        for (uint32_t stream = 1; stream <= MODEL_STREAMS; stream++)
            assert_int_equal(model_prefetch_sees_stream(&prefetch, stream * 1000 + step),
                             step >= 2);
    assert_false(model_prefetch_sees_stream(&prefetch, 3)); /* pushed out by the others */
}

/* --- entries that are taken or left in another way --- */

TEST(loads_from_memory_hold_their_places)
{
    assert_int_equal(sample_of(STANDARD ",load_queue=5,early_release=1", 5, 0), TIMER + MEMORY + 1);
    assert_in_range(sample_of(STANDARD ",load_queue=5,early_release=1", 6, 0), TIMER + 2 * MEMORY,
                    TIMER + 2 * MEMORY + 2);
    assert_in_range(sample_of(STANDARD ",load_queue=10,early_release=1,sibling=1", 6, 0),
                    TIMER + 2 * MEMORY, TIMER + 2 * MEMORY + 2);
}

/* --- an emulator --- */

TEST(an_inert_core_only_counts_instructions)
{
    static uint64_t samples[SAMPLES];
    static const unsigned loads[] = {0, 1, 20, 0, 0}, fillers[] = {0, 0, 0, 20, 2000};
    for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        draw(STANDARD ",inert=1", loads[i], fillers[i], samples);
        /* two moves, LFENCE and RDTSCP come after the first timestamp */
        assert_int_equal(least(samples), 4 * (4 + loads[i] + fillers[i]));
        assert_compare(fabs(mean(samples) - (double)least(samples) - TIMER), <, 2);
        assert_memory_not_equal(samples, samples + SAMPLES / 2, sizeof(samples) / 2);
    }
}

/* --- all of them --- */

#define EVERYTHING                                                                                 \
    STANDARD ",noise=0.05,seed=3,sibling=0.5,sibling_ms=0.1,tsc_step=7,drift=0.01,drift_ms=1,"     \
             "slow_share=0.1,banks=0.2,bandwidth=8,prefetchers=1,"                                 \
             "smi_us=100,smi_ms=1,refresh=900,refresh_us=3.9,l2_random=1,l3_victim=1,"             \
             "fuse=2,load_queue=30,early_release=1,scheduler=60"

TEST(a_seed_says_it_all)
{
    static uint64_t first[SAMPLES], again[SAMPLES], other[SAMPLES];
    draw(EVERYTHING, 3, 100, first);
    draw(EVERYTHING, 3, 100, again);
    assert_memory_equal(first, again, sizeof(first));
    draw(STANDARD ",noise=0.05,seed=3", 1, 0, again);
    draw(STANDARD ",noise=0.05,seed=4", 1, 0, other);
    assert_memory_not_equal(again, other, sizeof(first));
    draw(EVERYTHING ",inert=1", 3, 100, other);
    draw(EVERYTHING ",inert=1", 3, 100, again);
    assert_memory_equal(other, again, sizeof(first));
}
