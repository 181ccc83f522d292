/* test_model_counters: compares the modelled core's counters with counts worked out by hand. */
#include "../../kernel/probe/chain_probe.h"
#include "kit.h"
#include "modelled.h"

#define MEMORY 200
#define WALK 60

/* So wide that ten loads side by side start in one cycle. */
#define STANDARD "memory=200,walk=60,rob=192,fill_buffers=10,width=16,counters=8"

static uint64_t result[COUNTING_MAX];

/* The pass to program. */
static struct event event[COUNTING_MAX];
static struct counter_use uses[COUNTING_MAX];
static struct counting counting = {.result = result};

/* Finds an event of the whole table, whether or not the model counts it. */
static const struct event *known_event(const char *key)
{
    const struct processor processor = {.vendor = VENDOR_INTEL, .family = 6, .model = 0xcf};
    const struct event *found = event_find(microarchitecture_find(&processor, CORE_ANY), key);
    assert_non_null(found);
    return found;
}

static struct event *add_use(const char *key, unsigned counter)
{
    unsigned i = counting.count++;
    event[i] = *known_event(key);
    uses[i] = (struct counter_use){.event = &event[i], .counter = (uint8_t)counter};
    counting.select[i] = event_rdpmc(counter);
    return &event[i];
}

static const char *program(void)
{
    return platform->count(platform, uses, counting.count, NULL);
}

static void run_counted(struct mlp_shape shape, unsigned tlb)
{
    shape.timing.counting = &counting;
    sample(&shape, tlb);
}

/* Sets result[] to what the pass counts in the body. Returns the first count. */
static uint32_t count_body(struct mlp_shape shape, unsigned tlb)
{
    uint64_t empty[COUNTING_MAX];
    assert_null(program());
    run_counted((struct mlp_shape){.loads = 0}, TLB_WARM);
    memcpy(empty, result, sizeof(empty));
    run_counted(shape, tlb);
    for (unsigned i = 0; i < counting.count; i++)
        result[i] = (uint32_t)(result[i] - empty[i]);
    return (uint32_t)result[0];
}

static const char *program_one(const char *key, unsigned counter)
{
    counting.count = 0;
    add_use(key, counter);
    return program();
}

/* Counts one event of N loads. */
static uint32_t count_loads(const char *key, unsigned loads, unsigned tlb)
{
    assert_null(program_one(key, 0));
    return count_body((struct mlp_shape){.loads = loads}, tlb);
}

/* Counts the cycles of N loads, in a warm TLB, in which the event adds at least `cmask`. */
static uint32_t count_masked(const char *key, unsigned loads, uint8_t cmask)
{
    counting.count = 0;
    add_use(key, 0)->cmask = cmask;
    return count_body((struct mlp_shape){.loads = loads}, TLB_WARM);
}

/* Everything it counts, and nothing else, on counters that can count it. */
TEST(offers_what_it_counts)
{
    static const char *const keys[] = {
        "core_cycles",
        "core_cycles_gp",
        "dtlb_stlb_hit",
        "dtlb_walk_active",
        "dtlb_walk_completed",
        "dtlb_walk_pending",
        "instructions",
        "instructions_gp",
        "l1d_pend_miss_fb_full",
        "l1d_pend_miss_pending",
        "l1d_pend_miss_pending_cycles",
        "l2_demand_data_rd",
        "l2_requests_all",
        "l2_requests_miss",
        "load_fb_hit",
        "load_l1_hit",
        "load_l1_miss",
        "load_l2_hit",
        "load_l2_miss",
        "load_l3_hit",
        "load_l3_miss",
        "loads_retired",
        "uops_executed",
        "uops_issued",
    };
    const struct event *wanted[SCHEDULE_EVENTS_MAX];
    struct schedule schedule;
    open_model("", 64 * MB, PAGE_2M);
    const struct microarchitecture *uarch = platform->counters->uarch;
    assert_int_equal(platform->counters->set.usable, EVENT_FIXED(3) - EVENT_FIXED(0) + 0xf);
    assert_int_equal(uarch->count, sizeof keys / sizeof *keys);
    for (unsigned i = 0; i < uarch->count; i++) {
        wanted[i] = event_at(uarch, i);
        assert_string_equal(event_keys[wanted[i]->key], keys[i]);
    }
    assert_true(schedule_events(&schedule, wanted, uarch->count, &platform->counters->set));
    for (unsigned i = 0; i < uarch->count; i++) {
        struct counter_use use = {.event = wanted[i], .counter = schedule.assignment[i].counter};
        assert_int_equal(schedule.assignment[i].placement, PLACEMENT_DONE);
        assert_null(platform->count(platform, &use, 1, NULL));
    }
}

TEST(has_as_many_counters_as_asked_for)
{
    open_model("counters=0", 64 * MB, PAGE_2M);
    assert_null(platform->counters);
    assert_string_equal(platform->no_counters, "the model was given none (counters=0)");
    assert_string_equal(program_one("instructions", 32), "the counter is not usable here");
    open_model("counters=2", 64 * MB, PAGE_2M);
    assert_null(platform->no_counters);
    assert_int_equal(platform->counters->set.usable, EVENT_FIXED(3) - EVENT_FIXED(0) + 3);
    assert_null(program_one("instructions_gp", 1));
    add_use("instructions_gp", 2);
    assert_string_equal(program(), "the counter is not usable here");
}

TEST(refuses_passes_that_cannot_be)
{
    open_model(STANDARD, 64 * MB, PAGE_2M);
    assert_string_equal(program_one("instructions_gp", 35), "the counter is not usable here");
    assert_string_equal(program_one("instructions", 33), "the counter cannot count this event");
    assert_string_equal(program_one("loads_retired", 4), "the counter cannot count this event");
    assert_string_equal(program_one("llc_miss", 0), "the model does not count llc_miss");
    assert_null(program_one("instructions_gp", 0));
    add_use("core_cycles_gp", 0);
    assert_string_equal(program(), "the counter is used twice in one pass");
    assert_null(program_one("l1d_pend_miss_pending_cycles", 0));
    event[0].wide = 1;
    assert_string_equal(program(), "only AMD's extended counters can be merged");
    program_one("instructions_gp", 0);
    event[0].cmask = 1;
    assert_string_equal(program(), "the model does not count instructions_gp with such a mask");
}

/* Reads general counter 2; programs fixed counter 1 before if *context is true. */
static void read_counter_two(void *context)
{
    struct encoder e;
    bool *is_programmed = context;
    if (*is_programmed)
        assert_null(program_one("core_cycles", 33));
    e = (struct encoder){.at = platform->code.write, .room = platform->code.bytes};
    encode_read_counter(&e, 2);
    encode_return(&e);
    platform->publish_code(platform, e.length);
    platform->run_code(platform, window.base);
}

static void assert_no_counter_two(bool is_programmed)
{
    assert_false(platform->quietly(platform, read_counter_two, &is_programmed));
    assert_string_equal(platform->fault, "model: the instruction at code offset 5 reads counter "
                                         "0x2, which is not programmed");
}

static void count_on_two(void *context)
{
    (void)context;
    assert_null(program_one("core_cycles_gp", 2));
}

TEST(reads_only_what_is_programmed)
{
    open_model(STANDARD, 64 * MB, PAGE_2M);
    assert_no_counter_two(false);
    assert_no_counter_two(true);
    assert_null(program_one("core_cycles_gp", 2));
    run_counted((struct mlp_shape){.loads = 1}, TLB_WARM);
    add_use("llc_miss", 0);
    assert_non_null(program()); /* and with that, nothing counts */
    assert_no_counter_two(false);
    assert_true(platform->quietly(platform, count_on_two, NULL)); /* until it ends */
    assert_no_counter_two(false);
}

TEST(counters_of_cycles_go_on_during_smis)
{
    uint64_t value[2];
    open_model("counters=4,smi_us=100,smi_ms=0.1", MB, PAGE_2M);
    assert_null(program_one("core_cycles", 33));
    for (unsigned i = 0; i < 2; i++)
        assert_true(model_counters_read(&model.counters, event_rdpmc(33),
                                        model.core.clock + i * 2600000, &value[i]));
    assert_int_equal(value[1] - value[0], 2600000 + 10 * 260000);
}

static void assert_instructions(struct mlp_shape shape)
{
    unsigned clear = shape.dependent || shape.filler == FILLER_WAITING_LOAD ? 1 : 0;
    count_body(shape, TLB_WARM);
    for (unsigned i = 0; i < counting.count; i++)
        assert_int_equal(result[i], shape.loads + shape.fillers + clear);
}

TEST(instructions_are_exact_at_every_place)
{
    static const unsigned loads[] = {1, 2, 3, 11, 20}, steps[] = {0, 1, 2, 3, 190, 191, 1000};
    static const char *const models[] = {STANDARD, "counters=8", "counters=8,width=1",
                                         "counters=8,width=3,rob=16,scheduler=4,noise=0.1"};
    for (unsigned m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        open_model(models[m], 64 * MB, PAGE_2M);
        counting.count = 0;
        for (unsigned i = 0; i < COUNTING_MAX; i++)
            add_use("instructions_gp", (i + 3) % COUNTING_MAX);
        for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
            for (unsigned j = 0; j < sizeof(steps) / sizeof(steps[0]); j++)
                for (unsigned kind = 0; kind < FILLER_KINDS; kind++)
                    assert_instructions((struct mlp_shape){.loads = loads[i],
                                                           .fillers = steps[j],
                                                           .filler = kind,
                                                           .dependent = (i + j) % 2});
    }
}

static uint64_t read_between_runs(unsigned counter)
{
    uint64_t value = 0;
    assert_true(
        model_counters_read(&model.counters, event_rdpmc(counter), model.core.clock, &value));
    return value;
}

TEST(buffers_when_more_loads_want_one)
{
    static const char pending[] = "l1d_pend_miss_pending", full[] = "l1d_pend_miss_fb_full";
    static const struct {
        const char *key;
        unsigned loads, latencies; /* memory latencies counted */
        uint8_t cmask;
    } cases[] = {
        {pending, 20, 20, 0},  {pending, 20, 2, 1}, {pending, 20, 2, 10}, {pending, 20, 0, 11},
        {pending, 20, 0, 255}, {pending, 14, 2, 4}, {pending, 14, 1, 5},  {full, 10, 0, 0},
        {full, 11, 1, 0},      {full, 20, 1, 0},    {full, 21, 2, 0},     {full, 21, 2, 1},
        {full, 21, 0, 2},
    };
    open_model(STANDARD, 64 * MB, PAGE_2M);
    for (EACH(c, cases))
        assert_int_equal(count_masked(c->key, c->loads, c->cmask), c->latencies * MEMORY);
}

TEST(walks_are_counted_where_there_are_any)
{
    static const char *const models[] = {STANDARD ",walkers=1", STANDARD ",walkers=2",
                                         STANDARD ",walkers=4"};
    for (unsigned m = 0; m < 3; m++) {
        unsigned walkers = 1u << m;
        open_model(models[m], 64 * MB, PAGE_4K);
        for (unsigned loads = 4; loads <= 12; loads += 4) {
            assert_int_equal(count_loads("dtlb_walk_completed", loads, TLB_COLD), loads);
            assert_int_equal(count_loads("dtlb_walk_pending", loads, TLB_COLD), loads * WALK);
            assert_int_equal(count_loads("dtlb_walk_active", loads, TLB_COLD),
                             loads * WALK / walkers);
            assert_int_equal(count_loads("dtlb_walk_active", loads, TLB_WALKMEM),
                             loads * (WALK + MEMORY) / walkers);
            assert_int_equal(count_loads("dtlb_stlb_hit", loads, TLB_COLD), 0);
            assert_int_equal(count_loads("dtlb_walk_completed", loads, TLB_WARM), 0);
            assert_int_equal(count_loads("dtlb_walk_pending", loads, TLB_WARM), 0);
            assert_int_equal(count_loads("dtlb_walk_active", loads, TLB_WARM), 0);
        }
    }
    open_model(STANDARD ",walkers=2", 64 * MB, PAGE_4K);
    counting.count = 0;
    add_use("dtlb_walk_active", 0)->cmask = 2;
    assert_int_equal(count_body((struct mlp_shape){.loads = 5}, TLB_COLD), 2 * WALK);
    open_model(STANDARD, 64 * MB, PAGE_2M); /* all in one page */
    assert_int_equal(count_loads("dtlb_walk_completed", 4, TLB_COLD), 1);
}

/* Checks every event of loads: N times if the loads find their data there, or else not at all. */
static void assert_found(const char *parameters, enum tlb_state state, const char *const *yes)
{
    static const char *const keys[] = {
        "load_l1_hit",  "load_l1_miss", "load_l2_hit",     "load_l2_miss",     "load_l3_hit",
        "load_l3_miss", "load_fb_hit",  "l2_requests_all", "l2_requests_miss", "l2_demand_data_rd"};
    open_model(parameters, 64 * MB, PAGE_2M);
    assert_int_equal(count_loads("loads_retired", 4, state), 4);
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        unsigned expected = 0;
        for (unsigned j = 0; yes[j] != NULL; j++)
            if (strcmp(yes[j], keys[i]) == 0)
                expected = 4;
        if (count_loads(keys[i], 4, state) != expected)
            fail_msg("%s: %u, expected %u of %s", parameters, (unsigned)result[0], expected,
                     keys[i]);
    }
}

TEST(loads_are_counted_by_where_their_data_was)
{
#define BEYOND_L1 "load_l1_miss", "l2_requests_all", "l2_demand_data_rd"
#define BEYOND_L2 BEYOND_L1, "load_l2_miss", "l2_requests_miss"
    static const char *const l1[] = {"load_l1_hit", NULL};
    static const char *const l2[] = {BEYOND_L1, "load_l2_hit", NULL};
    static const char *const l3[] = {BEYOND_L2, "load_l3_hit", NULL};
    static const char *const memory[] = {BEYOND_L2, "load_l3_miss", NULL};
    assert_found(STANDARD, AGAIN, l1);
    assert_found(STANDARD ",l1_bytes=64", AGAIN, l2);
    assert_found(STANDARD ",l1_bytes=64,l2_bytes=64", AGAIN, l3);
    assert_found(STANDARD ",l1_bytes=64,l2_bytes=64,l3_bytes=64", AGAIN, memory);
    assert_found(STANDARD, TLB_WARM, memory);
}

TEST(a_line_on_its_way_is_no_miss)
{
    open_model(STANDARD, 64 * MB, PAGE_2M);
    displacement[1] = displacement[0] + 8;
    displacement[3] = displacement[0] + 16;
    assert_int_equal(count_loads("load_fb_hit", 4, TLB_WARM), 2);
    assert_int_equal(count_loads("load_l1_miss", 4, TLB_WARM), 2);
    assert_int_equal(count_loads("load_l3_miss", 4, TLB_WARM), 2);
    assert_int_equal(count_loads("load_l1_hit", 4, TLB_WARM), 0);
    assert_int_equal(count_loads("loads_retired", 4, TLB_WARM), 4);
    assert_int_equal(count_loads("l1d_pend_miss_pending", 4, TLB_WARM), 2 * MEMORY);
    assert_int_equal(count_loads("l2_requests_all", 4, TLB_WARM), 2);
    assert_int_equal(count_loads("load_fb_hit", 4, AGAIN), 0);
    open_model("memory=2,l1_latency=4,width=16", 64 * MB,
               PAGE_2M); /* there before a hit would be */
    displacement[1] = displacement[0] + 8;
    assert_int_equal(count_loads("load_fb_hit", 2, TLB_WARM), 1);
}

TEST(chains_are_counted_step_by_step)
{
    const struct timing timing = {.counting = &counting};
    uint8_t *pointer[CHAINS_COUNTED_MAX];
    uint64_t shorter[COUNTING_MAX];
    open_model(STANDARD, 64 * MB, PAGE_2M);
    write_chain(64 * MB);
    for (unsigned i = 0; i < CHAINS_COUNTED_MAX; i++)
        pointer[i] = window.base + i * 2 * MB;
    counting.count = 0;
    add_use("instructions", 32);
    add_use("core_cycles", 33);
    add_use("loads_retired", 0);
    add_use("load_l3_miss", 1);
    add_use("l1d_pend_miss_pending", 2);
    add_use("l1d_pend_miss_pending_cycles", 3);
    add_use("instructions_gp", 4);
    add_use("core_cycles_gp", 7);
    assert_null(program());
    follow(pointer, CHAINS_COUNTED_MAX, 1, &timing); /* the TLB knows the pages */
    for (unsigned chains = 1; chains <= CHAINS_COUNTED_MAX; chains++) {
        const unsigned wanted[COUNTING_MAX] = {50 * chains, 50 * MEMORY,          50 * chains,
                                               50 * chains, 50 * chains * MEMORY, 50 * MEMORY,
                                               50 * chains, 50 * MEMORY};
        follow(pointer, chains, 50, &timing);
        memcpy(shorter, result, sizeof(shorter));
        follow(pointer, chains, 100, &timing);
        for (unsigned i = 0; i < COUNTING_MAX; i++)
            assert_int_equal((uint32_t)(result[i] - shorter[i]), wanted[i]);
    }
    assert_ptr_equal(pointer[3], window.base + 6 * MB + (1 + 150) * 64);
    assert_ptr_equal(pointer[0], window.base + (1 + 4 * 150) * 64);
}

/* Reads the counter, loads RCX from the window's start, and does nothing 100 times. */
static void start_reading_early(struct encoder *e)
{
    displacement[0] = 0;
    *e = (struct encoder){.at = platform->code.write, .room = platform->code.bytes};
    encode_read_counter(e, 0);
    encode_copy(e, R8, RAX);
    encode_load_slot(e, RCX, RDI, 0);
    encode_fillers(e, FILLER_NOP, 100);
}

static uint64_t end_reading_early(struct encoder *e)
{
    encode_subtract(e, RAX, R8);
    encode_return(e);
    platform->publish_code(platform, e->length);
    prepare(1, TLB_COLD);
    return (uint32_t)platform->run_code(platform, window.base);
}

/* Reads the counter without an LFENCE, 26 cycles after the load has started. */
static uint64_t read_too_early(const char *key)
{
    struct encoder e;
    assert_null(program_one(key, 0));
    start_reading_early(&e);
    encode_read_counter(&e, 0);
    return end_reading_early(&e);
}

TEST(without_a_fence_only_what_happened_counts)
{
    open_model("walk=20,memory=200", 64 * MB, PAGE_4K);
    assert_int_equal(read_too_early("instructions_gp"), 2); /* RDPMC itself, and the move */
    assert_int_equal(read_too_early("loads_retired"), 0);
    assert_int_equal(read_too_early("dtlb_walk_pending"), 20);
    assert_int_equal(read_too_early("dtlb_walk_completed"), 1);
    assert_int_equal(read_too_early("l1d_pend_miss_pending"), 6);
    assert_int_equal(read_too_early("l2_requests_miss"), 1);
    open_model("walk=60,memory=200", 64 * MB, PAGE_4K);
    assert_int_equal(read_too_early("dtlb_walk_pending"), 26);
    assert_int_equal(read_too_early("dtlb_walk_completed"), 0);
    assert_int_equal(read_too_early("l2_requests_miss"), 0);
}

/* The load says which counter, 0: it is read when that is known, with a cycle's worth retired. */
TEST(what_has_retired_is_what_width_allows)
{
    static const uint8_t rdpmc[] = {0x0f, 0x33};
    struct encoder e;
    open_model("width=4", 64 * MB, PAGE_4K);
    assert_null(program_one("instructions_gp", 0));
    start_reading_early(&e);
    encode_raw(&e, rdpmc, sizeof(rdpmc));
    assert_int_equal(end_reading_early(&e), 2 + 4);
}

TEST(every_pass_starts_from_nothing)
{
    static const char *const keys[] = {"instructions_gp", "core_cycles_gp", "loads_retired",
                                       "dtlb_walk_pending", "l2_requests_all"};
    uint64_t start;
    open_model(STANDARD, 64 * MB, PAGE_4K);
    assert_null(program_one("instructions_gp", 0));
    start = read_between_runs(0);
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        counting.count = 0;
        add_use(keys[i], 0);
        run_counted((struct mlp_shape){.loads = 3}, TLB_COLD);
        assert_null(program());
        assert_int_equal(read_between_runs(0), start);
        run_counted((struct mlp_shape){.loads = 3}, TLB_COLD);
        assert_compare(read_between_runs(0), >, start);
    }
}

TEST(runs_are_counted_to_their_end)
{
    open_model(STANDARD, 64 * MB, PAGE_2M);
    assert_null(program_one("instructions_gp", 0));
    const uint64_t start = read_between_runs(0);
    memcpy(platform->code.write, "\x90\x90\x48\x8b\x07\xc3", 6); /* nop; nop; mov rax,[rdi]; ret */
    platform->publish_code(platform, 6);
    for (unsigned runs = 1; runs <= 2; runs++) {
        platform->run_code(platform, window.base);
        assert_int_equal(read_between_runs(0), start + 4 * runs);
    }
}

TEST(counting_takes_no_time)
{
    open_model(STANDARD ",noise=0", 64 * MB, PAGE_4K);
    for (unsigned loads = 1; loads <= 24; loads++) {
        model_counters_stop(&model.counters);
        uint64_t before = sample_loads(loads, TLB_COLD);
        assert_null(program_one("dtlb_walk_active", 0));
        assert_int_equal(sample_loads(loads, TLB_COLD), before);
    }
}

#define CYCLES 400

/* Compares with counts made cycle by cycle. */
static void assert_occupied(const struct model_occupancy *occupancy, const unsigned *in_use,
                            uint64_t now)
{
    uint64_t sum = 0, least[8] = {0};
    for (uint64_t cycle = 0; cycle < now; cycle++) {
        sum += in_use[cycle];
        for (unsigned i = 0; i < 8; i++)
            least[i] += in_use[cycle] >= i;
    }
    assert_int_equal(occupancy->sum, sum);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(model_occupancy_at_least(occupancy, i), least[i]);
}

TEST(occupancy_is_what_each_cycle_shows)
{
    struct model_occupancy occupancy;
    struct random random;
    random_seed(&random, 1);
    assert_true(model_occupancy_open(&occupancy, CYCLES));
    for (unsigned round = 0; round < 100; round++) {
        unsigned in_use[CYCLES] = {0};
        uint64_t started[CYCLES], ended[CYCLES], now = 0;
        unsigned count = 0;
        model_occupancy_clear(&occupancy, 0);
        while (now < CYCLES / 2) {
            uint64_t start = now + random_below(&random, 20),
                     length = 1 + random_below(&random, 100);
            for (uint64_t cycle = start; cycle < start + length; cycle++)
                in_use[cycle]++;
            started[count] = start;
            ended[count++] = start + length;
            model_occupancy_add(&occupancy, now, start, start + length);
            now += random_below(&random, 15);
            model_occupancy_advance(&occupancy, now);
            assert_occupied(&occupancy, in_use, now);
            unsigned so_far = 0, until = 0;
            for (unsigned i = 0; i < count; i++) {
                so_far += started[i] <= now;
                until += ended[i] <= now;
            }
            assert_numbers((occupancy.started, occupancy.ended), (so_far, until));
        }
    }
    model_occupancy_close(&occupancy);
}
