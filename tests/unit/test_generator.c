/*
 * test_generator: a generator, run by a thread, does as it is ordered and counts what it did. Its
 * sleep is this file's.
 */
#include "../../kernel/probe/generator.h"

#include <pthread.h>
#include <sched.h>

#include "../../kernel/probe/native.h"
#include "kit.h"

#define BYTES (UINT64_C(64) << 10)
#define AROUND 4096
#define UNTOUCHED 0xa5
#define CORE_CYCLES_A_TICK 8 /* far more than of any core */

static uint8_t room[AROUND + BYTES + AROUND] __attribute__((aligned(64)));
static uint8_t *const memory = room + AROUND;

SETUP(fill)
{
    memset(room, UNTOUCHED, sizeof(room));
}

/* Neither too far nor too near. */
TEARDOWN(look_around)
{
    for (size_t i = 0; i < AROUND; i++)
        assert_numbers((room[i], memory[BYTES + i]), (UNTOUCHED, UNTOUCHED));
}

/* No word is zero, and none is as it was. */
static void assert_written(const uint8_t *from, uint64_t bytes)
{
    uint64_t word, as_it_was;
    memset(&as_it_was, UNTOUCHED, sizeof(as_it_was));
    for (uint64_t i = 0; i < bytes; i += sizeof(word)) {
        memcpy(&word, from + i, sizeof(word));
        if (word == 0 || word == as_it_was)
            fail_msg("byte %d was not written", (int)i);
    }
}

static void number_bytes(void)
{
    for (uint64_t i = 0; i < BYTES; i++)
        memory[i] = (uint8_t)(i / 256 + i);
}

static void assert_numbered(uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (memory[i] != (uint8_t)(i / 256 + i))
            fail_msg("byte %d is %d", (int)i, memory[i]);
}

/* Of arrays: one block, a few, and as much as there is. */
static const uint64_t sizes[] = {GENERATOR_BLOCK, 3 * GENERATOR_BLOCK, BYTES};
#define SIZES (sizeof sizes / sizeof *sizes)

static struct generator generator;
static pthread_t thread;
static volatile unsigned sleeps;

static void doze(struct generator *self, uint32_t sequence)
{
    assert_ptr_equal(self, &generator);
    sleeps++;
    while (generator.sequence == sequence)
        sched_yield();
}

static void *run(void *context)
{
    generator_run(context);
    return NULL;
}

static void wait_until_begun(void)
{
    while (!generator_has_begun(&generator))
        sched_yield();
}

static void start(uint64_t bytes)
{
    generator_init(&generator, memory, bytes, doze);
    assert_false(generator_has_begun(&generator));
    assert_int_equal(pthread_create(&thread, NULL, run, &generator), 0);
    wait_until_begun();
}

static void order(enum generator_work work, uint32_t pause)
{
    generator_order(&generator, &(struct generator_order){work, pause});
    wait_until_begun();
}

static void wait_until_done(uint64_t bytes)
{
    while (generator.done < bytes)
        sched_yield();
}

static void stop(void)
{
    generator_leave(&generator);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST(what_each_writes_lies_apart)
{
    const char *ours = (const char *)&generator.sequence, *its = (const char *)&generator.begun;
    assert_int_equal((uintptr_t)&generator % GENERATOR_APART, 0);
    assert_true((const char *)&generator.array_bytes < ours && its - ours >= GENERATOR_APART);
    assert_numbers(((uintptr_t)ours % GENERATOR_APART, (uintptr_t)its % GENERATOR_APART), (0, 0));
    assert_int_equal(sizeof(generator) % GENERATOR_APART, 0);
    assert_true((const char *)(&generator.leaves + 1) <= its);
    assert_true((const char *)(&generator + 1) - its >= GENERATOR_APART);
}

TEST(rests_at_first_with_its_array_written)
{
    for (size_t i = 0; i < SIZES; i++) {
        sleeps = 0;
        start(sizes[i]);
        assert_written(memory, sizes[i]);
        assert_true(sizes[i] == BYTES || memory[sizes[i]] == UNTOUCHED);
        while (sleeps == 0)
            sched_yield();
        assert_int_equal(generator.done, 0);
        stop();
        assert_numbers((generator.done, sleeps), (0, 1));
    }
}

TEST(counts_what_it_reads)
{
    start(BYTES);
    number_bytes();
    order(GENERATOR_READ, 0);
    wait_until_done(3 * BYTES);
    order(GENERATOR_REST, 0);
    uint64_t done = generator.done;
    assert_int_equal(done % GENERATOR_BLOCK, 0);
    assert_int_equal(generator.at, (done - 1) % BYTES + 1); /* at the end, or on its way there */
    order(GENERATOR_SPIN, 0);
    order(GENERATOR_REST, 0);
    assert_int_equal(generator.done, done);
    assert_numbered(BYTES);
    stop();
}

/* Each order goes on where the last one ended: little of it is in a cache then. */
TEST(writes_block_after_block)
{
    start(BYTES);
    memset(memory, UNTOUCHED, BYTES);
    order(GENERATOR_WRITE, 1000);
    wait_until_done(2 * GENERATOR_BLOCK);
    order(GENERATOR_REST, 0);
    uint64_t done = generator.done;
    if (done < BYTES) { /* else it was quick, and is round */
        assert_written(memory, done);
        assert_int_equal(memory[done], UNTOUCHED);
    }
    order(GENERATOR_WRITE, 0);
    wait_until_done(done + GENERATOR_BLOCK);
    wait_until_done(BYTES);
    stop();
    assert_written(memory, BYTES);
}

TEST(copies_all_of_the_half)
{
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t half = sizes[i] / 2;
        start(sizes[i]);
        number_bytes();
        memset(memory + half, UNTOUCHED, BYTES - half);
        order(GENERATOR_COPY, 0);
        wait_until_done(sizes[i]);
        order(GENERATOR_REST, 0);
        assert_int_equal(generator.done % GENERATOR_BLOCK, 0);
        assert_numbered(half);
        assert_memory_equal(memory, memory + half, half);
        for (uint64_t j = sizes[i]; j < BYTES; j++)
            assert_int_equal(memory[j], UNTOUCHED);
        stop();
    }
}

/* A pass of a copy ends at half of the array, of a read at its end. */
TEST(changes_from_one_work_to_another)
{
    static const enum generator_work works[] = {GENERATOR_READ,  GENERATOR_COPY, GENERATOR_SPIN,
                                                GENERATOR_WRITE, GENERATOR_COPY, GENERATOR_REST};
    start(5 * GENERATOR_BLOCK);
    for (unsigned i = 0; i < 60; i++) {
        order(works[i % 6], i % 7 * 10);
        assert_compare(generator.at, <=, 5 * GENERATOR_BLOCK);
    }
    stop();
    assert_int_equal(generator.done % GENERATOR_BLOCK, 0);
    for (uint64_t i = 5 * GENERATOR_BLOCK; i < BYTES; i++)
        assert_int_equal(memory[i], UNTOUCHED);
}

/* Never faster than the pause allows, however slow the machine is; and slower than without. */
TEST(pauses_between_blocks)
{
    const uint32_t pause = 100000;
    start(BYTES);
    order(GENERATOR_READ, pause);
    uint64_t before = generator.done, ticks = native_ticks();
    wait_until_done(before + 22 * GENERATOR_BLOCK);
    ticks = native_ticks() - ticks;
    assert_compare(ticks * CORE_CYCLES_A_TICK, >, 20 * (uint64_t)pause);
    stop();
}

/* A second and more of a pause does not keep it from the next order. */
TEST(leaves_a_long_pause)
{
    start(BYTES);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t before = generator.done;
        order(GENERATOR_READ, UINT32_MAX);
        wait_until_done(before + GENERATOR_BLOCK);
        order(GENERATOR_REST, 0);
        assert_int_equal(generator.done, before + GENERATOR_BLOCK);
    }
    stop();
}

/* What is beyond whole blocks stays unused. */
TEST(works_without_an_array)
{
    static const uint64_t too_small[] = {0, GENERATOR_BLOCK - 1};
    for (size_t i = 0; i < 2; i++) {
        start(too_small[i]);
        order(GENERATOR_SPIN, 0);
        order(GENERATOR_REST, 0);
        stop();
        assert_numbers((generator.done, memory[0]), (0, UNTOUCHED));
    }
    start(2 * GENERATOR_BLOCK - 1);
    order(GENERATOR_WRITE, 0);
    wait_until_done(10 * GENERATOR_BLOCK);
    stop();
    assert_written(memory, GENERATOR_BLOCK);
    assert_int_equal(memory[GENERATOR_BLOCK], UNTOUCHED);
}

/* Told to leave before it looked for the first time. */
TEST(leaves_at_once)
{
    sleeps = 0;
    generator_init(&generator, NULL, 0, doze);
    generator_leave(&generator);
    generator_run(&generator);
    assert_int_equal(sleeps, 0);
}
