/* test_access_probe: loads from a table's addresses, timed and counted, here and on the model. */
#include "../../kernel/lib/random.h"
#include "../../kernel/probe/chain_probe.h"
#include "call_and_look.h"
#include "kit.h"
#include "modelled.h"

#define CODE_BYTES 65536
#define MOST 288
#define KB 1024u
#define SAMPLES 60

static uint8_t *code;
static uint8_t *address[MOST];

SETUP_ALL(open)
{
    code = code_open(CODE_BYTES);
}

TEARDOWN_ALL(close)
{
    code_close(code, CODE_BYTES);
    close_model();
}

/* --- here ------------------------------------------------------------------------------------ */

static size_t emit(unsigned accesses, struct timing timing)
{
    memset(code, 0xcc, CODE_BYTES);
    size_t length = access_probe_emit(code, CODE_BYTES, accesses, timing);
    assert_compare(length, >, 0);
    return length;
}

/* As many addresses as it was told are followed: a further one would fault. */
TEST(timed)
{
    static const unsigned counts[] = {0, 1, 32, MOST};
    static uint64_t there;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned way = 0; way < 2; way++) {
            uint64_t kept[KEPT];
            for (unsigned j = 0; j < MOST; j++)
                address[j] = j < counts[i] ? (uint8_t *)&there : NULL;
            emit(counts[i], (struct timing){.order = ORDER_LFENCE, .rdtscp = way});
            uint64_t ticks = call_and_look(code, address, kept);
            assert_true(is_all_kept(kept));
            assert_compare(ticks, <, 1ull << 40);
        }
}

TEST(counted)
{
    uint64_t result[COUNTING_MAX], kept[KEPT];
    struct counting counting = {.result = result};
    for (unsigned i = 0; i < MOST; i++)
        address[i] = (uint8_t *)&result[0];
    for (counting.count = 1; counting.count <= COUNTING_MAX; counting.count++) {
        size_t length = emit(MOST, (struct timing){.counting = &counting});
        assert_int_equal(code_read_time_for_counters(code, length), 2 * counting.count);
        memset(result, 0xff, sizeof result);
        call_and_look(code, address, kept);
        assert_true(is_all_kept(kept));
        for (unsigned i = 0; i < counting.count; i++)
            assert_compare((uint32_t)result[i], <, UINT32_MAX);
    }
}

TEST(too_little_room)
{
    size_t length = emit(20, (struct timing){.order = ORDER_LFENCE});
    for (size_t room = 0; room < length; room++)
        assert_int_equal(access_probe_emit(code, room, 20, (struct timing){.rdtscp = false}), 0);
}

/* --- on the model ---------------------------------------------------------------------------- */

static struct random chance;

static void publish_accesses(unsigned accesses)
{
    struct platform *p = platform;
    struct timing timing = {.order = ORDER_LFENCE};
    p->publish_code(p, access_probe_emit(p->code.write, p->code.bytes, accesses, timing));
}

static void meet_all(uint64_t lines)
{
    publish_accesses(MOST);
    for (uint64_t line = 0; line < lines; line += MOST) {
        for (unsigned i = 0; i < MOST; i++)
            address[i] = window.base + (line + i) % lines * 64;
        platform->run_code(platform, (uint8_t *)address);
    }
}

static double mean_time(unsigned accesses, uint64_t lines)
{
    uint64_t all = 0;
    publish_accesses(accesses);
    for (unsigned sample = 0; sample < SAMPLES; sample++) {
        for (unsigned i = 0; i < accesses; i++)
            address[i] = window.base + random_below(&chance, lines) * 64;
        all += platform->run_code(platform, (uint8_t *)address);
    }
    return (double)all / SAMPLES;
}

static double time_of(uint64_t bytes)
{
    return (mean_time(MOST, bytes / 64) - mean_time(32, bytes / 64)) / (MOST - 32);
}

/* Of an access once all lines were met. */
static double time_again(uint64_t bytes)
{
    meet_all(bytes / 64);
    return time_of(bytes);
}

/*
 * What misses the first level waits for one of four buffers, for 16 cycles: four cycles a miss. Of
 * twice the cache's size half of the accesses hit, of four times a quarter.
 */
TEST(a_share_hits)
{
    open_model("l1_bytes=32768,l2_bytes=2097152,l2_latency=16,fill_buffers=4,rob=512", 64 * MB,
               PAGE_2M);
    random_seed(&chance, 3);
    assert_compare(time_again(16 * KB), <=, 0.5);
    assert_compare(fabs(time_again(64 * KB) - 4 * 0.5), <, 0.15);
    assert_compare(fabs(time_again(128 * KB) - 4 * 0.75), <, 0.15);
    assert_compare(fabs(time_again(512 * KB) - 4 * 0.9375), <, 0.15);
}

/* No access waits for another: as many misses at a time as there are buffers. */
TEST(accesses_overlap)
{
    open_model("memory=200,fill_buffers=10,rob=512", 64 * MB, PAGE_2M);
    random_seed(&chance, 3);
    double each = time_of(64 * MB);
    assert_compare(each, >, 19);
    assert_compare(each, <, 22);
}
