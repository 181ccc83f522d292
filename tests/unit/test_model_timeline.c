/* test_model_timeline: spans of cycles on the modelled core, against the model's own account. */
#include "../../kernel/lib/random.h"
#include "kit.h"
#include "modelled.h"

#define CORES 20
#define SPANS 80 /* of each */

static uint64_t result[COUNTING_MAX];
static struct counting counting = {.result = result};
static struct counter_use uses[COUNTING_MAX];
static struct model_log account;

/* Every event, in two passes of seven, on counters that can count it; cycles close each span. */
static const struct {
    const char *key;
    uint8_t counter;
} passes[][COUNTING_MAX - 1] = {
    {{"instructions", 32},
     {"uops_issued", 4},
     {"uops_executed", 5},
     {"loads_retired", 0},
     {"l1d_pend_miss_pending", 1},
     {"l2_demand_data_rd", 2},
     {"dtlb_walk_pending", 3}},
    {{"dtlb_walk_completed", 0},
     {"l1d_pend_miss_fb_full", 1},
     {"l1d_pend_miss_pending_cycles", 2},
     {"dtlb_walk_active", 3},
     {"uops_executed", 6},
     {"uops_issued", 7},
     {"instructions", 32}},
};
#define PASSES (sizeof passes / sizeof *passes)

static const struct event *event_of(const char *key)
{
    const struct event *found = event_find(platform->counters->uarch, key);
    if (found == NULL)
        fail_msg("the model has no %s", key);
    return found;
}

static const char *program(unsigned pass)
{
    uses[0] = (struct counter_use){.event = event_of("core_cycles"), .counter = 33, .closes = true};
    for (unsigned i = 1; i < COUNTING_MAX; i++)
        uses[i] = (struct counter_use){.event = event_of(passes[pass][i - 1].key),
                                       .counter = passes[pass][i - 1].counter};
    counting.count = COUNTING_MAX;
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        counting.select[i] = event_rdpmc(uses[i].counter);
    return platform->count(platform, uses, COUNTING_MAX, &counting.start);
}

/* One sample of a span, as load_sampler takes it; the model keeps account of it. */
static void run_span(const struct mlp_shape *shape, unsigned tlb, uint64_t cycles)
{
    counting.span = cycles;
    publish(shape);
    prepare(shape->loads, tlb);
    platform->set_span(platform, cycles);
    account.count = 0;
    model.counters.activity.log = &account;
    platform->run_code(platform, window.base);
    model.counters.activity.log = NULL;
}

static uint32_t number_of(enum operation_kind kind)
{
    uint32_t i = 0;
    while (i < model.core.count && model.core.operation[i].kind != kind)
        i++;
    assert_compare(i, <, model.core.count);
    return i;
}

/* --- the same counts, event by event from the account ---------------------------------------- */

struct span {
    uint64_t start, end;
    uint32_t first; /* the WRMSR that starts it */
};

static bool is_in(const struct span *s, uint64_t cycle)
{
    return cycle >= s->start && cycle < s->end;
}

static uint64_t retired(const struct span *s, bool loads)
{
    uint64_t count = 0;
    for (uint32_t i = s->first; i < model.core.count; i++) {
        unsigned kind = model.core.operation[i].kind;
        bool is_load = kind == OPERATION_LOAD || kind == OPERATION_POP;
        count += is_in(s, model.core.flight[i].retire) && (is_load || !loads);
    }
    return count;
}

static uint64_t uops(const struct span *s, bool executed)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < model.core.count; i++)
        count += is_in(s, executed ? model.core.flight[i].issue : model.core.flight[i].dispatch);
    return count;
}

static uint64_t starts(const struct span *s, enum model_use use)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < account.count; i++)
        count += account.at[i].use == use && is_in(s, account.at[i].start);
    return count;
}

static uint64_t ends(const struct span *s, enum model_use use)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < account.count; i++)
        count += account.at[i].use == use && is_in(s, account.at[i].end);
    return count;
}

/* In use at any cycle, summed up; or, of each cycle, one if any is. */
static uint64_t in_use(const struct span *s, enum model_use use, bool any)
{
    uint64_t sum = 0;
    for (uint64_t cycle = s->start; cycle < s->end; cycle++) {
        uint64_t level = 0;
        for (unsigned i = 0; i < account.count; i++)
            level += account.at[i].use == use && cycle >= account.at[i].start &&
                     cycle < account.at[i].end;
        sum += any ? level > 0 : level;
    }
    return sum;
}

static uint64_t truth_of(const char *key, const struct span *s)
{
    if (strcmp(key, "instructions") == 0)
        return retired(s, false);
    if (strcmp(key, "loads_retired") == 0)
        return retired(s, true);
    if (strcmp(key, "uops_issued") == 0)
        return uops(s, false);
    if (strcmp(key, "uops_executed") == 0)
        return uops(s, true);
    if (strcmp(key, "l2_demand_data_rd") == 0)
        return starts(s, USE_BUFFERS);
    if (strcmp(key, "dtlb_walk_completed") == 0)
        return ends(s, USE_WALKERS);
    if (strcmp(key, "l1d_pend_miss_fb_full") == 0)
        return in_use(s, USE_QUEUE, true);
    bool any =
        strcmp(key, "l1d_pend_miss_pending_cycles") == 0 || strcmp(key, "dtlb_walk_active") == 0;
    return in_use(s, strncmp(key, "dtlb", 4) == 0 ? USE_WALKERS : USE_BUFFERS, any);
}

/* False: the counters were read before the span ended. */
static bool check_span(const char *what, unsigned pass, uint64_t cycles)
{
    uint32_t first = number_of(OPERATION_WRITE);
    const struct span s = {.start = model.core.flight[first].complete,
                           .end =
                               model.core.flight[first].complete + cycles + model.parameters.skid,
                           .first = first};
    if (model.core.flight[number_of(OPERATION_COUNT)].dispatch < s.end)
        return false;
    assert_int_equal((uint32_t)result[0] + cycles, cycles + model.parameters.skid);
    for (unsigned i = 1; i < COUNTING_MAX; i++) {
        const char *key = passes[pass][i - 1].key;
        if (result[i] != truth_of(key, &s))
            fail_msg("%s, %lu cycles: %s is %lu, not %lu", what, cycles, key, result[i],
                     truth_of(key, &s));
    }
    return true;
}

static uint64_t draw(struct random *random, uint64_t from, uint64_t to)
{
    return from + random_below(random, to - from + 1);
}

/* A core, a probe and a state of the TLB; every event at every cycle that is looked at. */
static void check_core(struct random *random)
{
    char text[256];
    const struct mlp_shape shape = {.loads = (unsigned)draw(random, 1, 20),
                                    .fillers = (unsigned)draw(random, 0, 80),
                                    .filler = (enum filler)draw(random, 0, FILLER_KINDS - 1),
                                    .dependent = draw(random, 0, 4) == 0,
                                    .timing = {.counting = &counting}};
    unsigned tlb = (unsigned)draw(random, TLB_WARM, TLB_WALKMEM), closed = 0;
    uint64_t step = draw(random, 1, 5);
    snprintf(text, sizeof(text),
             "rob=%lu,width=%lu,fill_buffers=%lu,walkers=%lu,memory=%lu,walk=%lu,load_queue=%lu,"
             "scheduler=%lu,skid=%lu,noise=0.%lu,counters=8",
             draw(random, 16, 640), draw(random, 1, 8), draw(random, 1, 32), draw(random, 1, 6),
             draw(random, 60, 300), draw(random, 10, 120), draw(random, 4, 128),
             draw(random, 4, 128), draw(random, 0, 9), draw(random, 0, 2));
    open_model(text, 64 * MB, PAGE_4K);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        assert_null(program(pass));
        for (unsigned i = 0; i < SPANS; i++) {
            run_span(&shape, tlb, 1 + i * step);
            closed += check_span(text, pass, 1 + i * step);
        }
    }
    assert_compare(closed, >, PASSES * 10);
}

TEST(every_event_stands_at_its_cycle)
{
    struct random random;
    random_seed(&random, 1);
    for (unsigned i = 0; i < CORES; i++)
        check_core(&random);
}

/* What the account says can be worked out by hand: three loads a cycle from the tenth on. */
TEST(a_simple_core_by_hand)
{
    const struct mlp_shape shape = {.loads = 6, .timing = {.counting = &counting}};
    open_model("width=3,memory=200,fill_buffers=4,counters=8", 64 * MB, PAGE_2M);
    assert_null(program(0));
    for (uint64_t t = 1; t <= 400; t++) {
        run_span(&shape, TLB_WARM, t);
        uint64_t misses = t <= 10 ? 0 : t <= 11 ? 3 : t <= 210 ? 4 : 6;
        uint64_t back = t <= 210 ? 0 : t <= 211 ? 3 : 4;
        assert_int_equal(result[6], misses);
        assert_int_equal(result[4], back); /* loads; the WRMSR is an instruction, too */
        assert_numbers((result[1], result[7]), (back + 1, 0));
    }
}

/* What a probe does not start stays where it was set; and it is not read like any other. */
TEST(a_span_is_asked_for)
{
    const struct mlp_shape shape = {.loads = 1, .timing = {.counting = &counting}};
    uint64_t value;
    open_model("counters=8", 64 * MB, PAGE_2M);
    assert_null(program(0));
    platform->set_span(platform, 100);
    assert_true(model_counters_read(&model.counters, event_rdpmc(33), model.core.clock, &value));
    assert_int_equal(value, (UINT64_C(1) << 48) - 100);
    assert_true(model_counters_read(&model.counters, event_rdpmc(32), model.core.clock, &value));
    assert_int_equal(value, 0);
    run_span(&shape, TLB_WARM, 100000); /* longer than the probe: they never stop */
    assert_compare((uint32_t)result[0] + 100000, <, 100000);
    model.counters.unit.no_freeze = "they do not stop";
    assert_string_equal(program(0), "they do not stop");
}

static void run_probe(void *context)
{
    run_span(context, TLB_WARM, 10);
}

static void count_plainly(void *context)
{
    (void)context;
    assert_null(platform->count(platform, &uses[1], 1, NULL));
    counting.count = 1;
}

TEST(nothing_else_is_written)
{
    struct mlp_shape shape = {.loads = 1, .timing = {.counting = &counting}};
    open_model("counters=8", 64 * MB, PAGE_2M);
    assert_null(program(0));
    counting.start.index = 0x1a0;
    assert_false(platform->quietly(platform, run_probe, &shape));
    assert_non_null(strstr(platform->fault, "writes register 0x1a0, which starts nothing"));
    assert_null(program(0));
    assert_true(platform->quietly(platform, count_plainly, NULL));
    assert_false(platform->quietly(platform, run_probe, &shape));
    assert_non_null(strstr(platform->fault, "writes register 0x38f, which starts nothing"));
}
