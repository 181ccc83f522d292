/* test_model_generators: what other cores do to the modelled one's loads, against closed forms. */
#include "kit.h"
#include "modelled.h"

#define LINE 64.0
#define BLOCK_LINES (GENERATOR_BLOCK / 64)
#define TIMER 30
#define SAMPLES 4000
#define CHAIN 24
#define CLOSE 0.05

/* A model with other cores at its memory. */
struct setting {
    unsigned cores, fill_buffers, memory, seed;
    double bandwidth; /* bytes a cycle */
};

static struct setting setting;
static unsigned started;

static void open_setting(void)
{
    open_model_of(64 * MB, PAGE_2M,
                  "cores=%u,fill_buffers=%u,memory=%u,bandwidth=%g,seed=%u,timer=%d,noise=0",
                  setting.cores, setting.fill_buffers, setting.memory, setting.bandwidth,
                  setting.seed, TIMER);
}

static const char *start_cores(unsigned count)
{
    const struct generators_request request = {.count = count, .bytes = MB, .node = NODE_ANY};
    return platform->start_generators(platform, &request, &started);
}

static void order(enum generator_work work, uint32_t pause)
{
    const struct generator_order to = {work, pause};
    platform->order_generators(platform, &to);
}

/* Cycles for one line; and from one block of a core to the next, at its fastest. */
static double line_cycles(void)
{
    return LINE / setting.bandwidth;
}

static double block_cycles(void)
{
    return (double)BLOCK_LINES * setting.memory / setting.fill_buffers;
}

/* Share of the time in which the memory is busy with what all cores would have at this pause. */
static double busy(double pause)
{
    double block = pause > block_cycles() ? pause : block_cycles();
    return setting.cores * BLOCK_LINES / block * line_cycles();
}

static uint32_t pause_of(double share)
{
    return (uint32_t)(setting.cores * BLOCK_LINES * line_cycles() / share + 0.5);
}

/* M/D/1. */
static double waiting(double share)
{
    return share * line_cycles() / (2 * (1 - share));
}

/* Returns the mean time of a chain's load; tells the bytes a cycle that cores moved meanwhile. */
static double chain(double *moved)
{
    const struct mlp_shape shape = {.loads = CHAIN, .dependent = true, .timing = fence_order};
    uint64_t bytes = platform->generated(platform), clock = model.core.clock;
    double sum = 0;
    for (unsigned i = 0; i < SAMPLES / CHAIN; i++)
        sum += (double)sample(&shape, TLB_WARM) - TIMER;
    *moved = (double)(platform->generated(platform) - bytes) / (double)(model.core.clock - clock);
    return sum / (SAMPLES / CHAIN) / CHAIN;
}

static void draw(unsigned number)
{
    struct random random;
    random_seed(&random, number);
    setting = (struct setting){
        .cores = 2 + (unsigned)random_below(&random, 30),
        .fill_buffers = 8 + (unsigned)random_below(&random, 24),
        .memory = 150 + (unsigned)random_below(&random, 300),
        .seed = number,
    };
    /* They can ask for half as much again as memory has, at least. */
    setting.bandwidth = setting.cores * GENERATOR_BLOCK / block_cycles() /
                        (1.5 + (double)random_below(&random, 200) / 100);
    open_setting();
}

static void assert_close(double value, double wanted, double share)
{
    if (!(value >= wanted * (1 - share) && value <= wanted * (1 + share)))
        fail_msg("%.2f in place of %.2f: %u cores, %u buffers, memory %u, %.2f bytes a cycle",
                 value, wanted, setting.cores, setting.fill_buffers, setting.memory,
                 setting.bandwidth);
}

/* --- the queue ------------------------------------------------------------------------------- */

TEST(a_load_waits_as_the_closed_form_says)
{
    static const double shares[] = {0.2, 0.4, 0.6, 0.8};
    static const enum generator_work works[] = {GENERATOR_READ, GENERATOR_WRITE, GENERATOR_COPY};
    for (unsigned number = 1; number <= 8; number++) {
        draw(number);
        assert_null(start_cores(0));
        assert_int_equal(started, setting.cores);
        for (unsigned i = 0; i < 4; i++) {
            double moved, share = busy(pause_of(shares[i]));
            order(works[(number + i) % 3], pause_of(shares[i]));
            assert_close(chain(&moved), setting.memory + waiting(share), CLOSE);
            assert_close(moved, share * setting.bandwidth, CLOSE);
        }
    }
}

/* Of the waiting alone, which is a small part of the whole, by loads far from each other. */
TEST(the_waiting_alone)
{
    double sum = 0;
    setting = (struct setting){.cores = 7, .fill_buffers = 12, .memory = 200, .bandwidth = 8};
    open_setting();
    assert_null(start_cores(0));
    order(GENERATOR_READ, pause_of(0.7));
    for (unsigned i = 0; i < 4 * SAMPLES; i++)
        sum += (double)sample_loads(1, TLB_WARM) - TIMER - setting.memory;
    /* A line is asked for in whole cycles: half of one later, in the mean. */
    assert_close(sum / (4 * SAMPLES) - 0.5, waiting(0.7), CLOSE);
}

TEST(fewer_cores_move_less)
{
    double moved;
    setting = (struct setting){.cores = 8, .fill_buffers = 10, .memory = 400, .bandwidth = 64};
    open_setting();
    assert_null(start_cores(2));
    assert_int_equal(started, 2);
    order(GENERATOR_WRITE, 0);
    chain(&moved);
    assert_close(moved, 2 * GENERATOR_BLOCK / block_cycles(), CLOSE);
    order(GENERATOR_WRITE, (uint32_t)(4 * block_cycles()));
    chain(&moved);
    assert_close(moved, 2 * GENERATOR_BLOCK / block_cycles() / 4, CLOSE);
}

/* Memory that gives any number of lines keeps nobody waiting. */
TEST(without_a_bandwidth_nobody_waits)
{
    double moved;
    setting = (struct setting){.cores = 8, .fill_buffers = 10, .memory = 400};
    open_setting();
    assert_null(start_cores(0));
    order(GENERATOR_READ, 0);
    assert_close(chain(&moved), setting.memory, 0.01);
    assert_close(moved, 8 * GENERATOR_BLOCK / block_cycles(), CLOSE);
}

/* --- orders ---------------------------------------------------------------------------------- */

/* Whether a load meets an idle memory again, and nothing is moved. */
static void assert_idle(void)
{
    double moved, cycles = chain(&moved);
    assert_compare(cycles, >=, setting.memory);
    assert_compare(cycles, <, setting.memory * 1.01);
    assert_compare(moved, ==, 0);
}

TEST(who_rests_or_spins_moves_nothing)
{
    double moved;
    draw(3);
    assert_idle();
    assert_null(start_cores(0));
    assert_idle();
    order(GENERATOR_READ, 0);
    assert_true(chain(&moved) > setting.memory * 1.1);
    for (int i = 0; i < 50; i++) /* what waited is gone */
        chain(&moved), order(GENERATOR_REST, 0);
    assert_idle();
    order(GENERATOR_SPIN, 0);
    assert_idle();
    order(GENERATOR_COPY, 0);
    assert_true(chain(&moved) > setting.memory * 1.1);
    platform->stop_generators(platform);
    chain(&moved);
    assert_idle();
    assert_null(start_cores(0));
    assert_compare(platform->generated(platform), ==, 0); /* counted anew */
}

TEST(the_same_seed_the_same_cycles)
{
    double first[2], moved[2];
    for (int i = 0; i < 2; i++) {
        draw(5);
        assert_null(start_cores(0));
        order(GENERATOR_READ, pause_of(0.5));
        first[i] = chain(&moved[i]);
    }
    assert_numbers((first[0], moved[0]), (first[1], moved[1]));
    setting.seed = 77;
    open_setting();
    assert_null(start_cores(0));
    order(GENERATOR_READ, pause_of(0.5));
    assert_true(chain(&moved[1]) != first[0]);
}

/* By the clock that probes read, rates are those by the model's cycles. */
TEST(a_probe_tells_the_models_time)
{
    double moved;
    draw(4);
    for (int i = 0; i < 2; i++) {
        uint8_t *code = platform->code.write;
        platform->publish_code(platform, timing_emit_now(code, platform->code.bytes));
        uint64_t clock = model.core.clock, ticks = platform->run_code(platform, NULL);
        assert_in_range(ticks, clock, model.core.clock);
        chain(&moved);
    }
}

static void fault(void *context)
{
    (void)context;
    platform->publish_code(platform, 1); /* of code that is none */
}

/* As on other platforms a fault stops them. */
TEST(a_fault_stops_them)
{
    draw(2);
    assert_null(start_cores(0));
    order(GENERATOR_READ, 0);
    platform->code.write[0] = 0x0f;
    assert_false(platform->quietly(platform, fault, NULL));
    double moved;
    chain(&moved);
    assert_idle();
}
