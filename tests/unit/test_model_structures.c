/* test_model_structures: how many fillers of any bytes stand between two loads from memory that
 * overlap, on cores whose structures work as those of real ones do. */
#include "../../kernel/experiments/noise/host_pages.h"
#include "../../kernel/probe/floor_probe.h"
#include "kit.h"
#include "modelled.h"

#define MEMORY 4000 /* far more cycles than any of these fillers take */
#define TIMER 30
#define CORE "memory=4000,timer=30,width=4,"
#define ZEN_4 CORE "rob=320,"
#define FORMS 4
#define K_MAX 2000

/* Bytes of an instruction or a few. */
struct piece {
    const char *bytes;
    size_t length;
};

#define PIECE(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* `setup`, a load, `behind` it, K fillers whose forms take turns, and a load. */
struct two_loads {
    struct piece setup, behind, form[FORMS];
};

static void encode_piece(struct encoder *e, const struct piece *piece)
{
    if (piece->length > 0)
        encode_raw(e, (const uint8_t *)piece->bytes, piece->length);
}

static uint64_t time_of(const struct two_loads *loads, unsigned k)
{
    struct encoder e;
    unsigned forms = 0;
    while (forms < FORMS && loads->form[forms].length > 0)
        forms++;
    e = (struct encoder){.at = platform->code.write, .room = platform->code.bytes};
    encode_timer_start(&e, fence_order);
    encode_piece(&e, &loads->setup);
    encode_load(&e, displacement[0]);
    encode_piece(&e, &loads->behind);
    for (unsigned i = 0; i < k; i++)
        encode_piece(&e, &loads->form[i % forms]);
    encode_load(&e, displacement[1]);
    encode_timer_stop(&e, fence_order);
    encode_return(&e);
    assert_false(e.overflow);
    platform->publish_code(platform, e.length);
    prepare(2, TLB_WARM);
    return platform->run_code(platform, window.base);
}

/* The last K at which both overlap. */
static unsigned last_k(const char *text, const struct two_loads *loads)
{
    unsigned low = 0, high = K_MAX;
    open_model(text, 64 * MB, PAGE_2M);
    if (time_of(loads, 0) >= TIMER + 2 * MEMORY)
        fail_msg("%s: two loads alone do not overlap", text);
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (time_of(loads, middle) < TIMER + 2 * MEMORY)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define LAST_K(text, ...) last_k(text, &(struct two_loads){__VA_ARGS__})

#define NOP_1 PIECE("\x90")
#define NOP_8 PIECE("\x0f\x1f\x84\x00\x00\x00\x00\x00")
#define NOP_9 PIECE("\x66\x0f\x1f\x84\x00\x00\x00\x00\x00")
#define NOP_15 PIECE("\x66\x66\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00")
#define ZEROING PIECE("\x31\xc9") /* xor ecx,ecx */
#define ADD PIECE("\x48\x01\xf9") /* add rcx,rdi */
#define ADD_OF_LOADED PIECE("\x48\x01\xc1")
#define MULTIPLY_LOADED PIECE("\x48\x0f\xaf\xc8") /* imul rcx,rax */
#define PADDD PIECE("\x66\x0f\xfe\xc8")           /* paddd xmm1,xmm0 */
#define LOAD_STACK PIECE("\x48\x8b\x0c\x24")      /* mov rcx,[rsp] */
#define LOAD_AT_RBX PIECE("\x48\x8b\x0b")
#define LOAD_BEHIND PIECE("\x48\x8b\x0c\x04") /* mov rcx,[rsp+rax] */
#define SET_RBX PIECE("\x48\x89\xe3")         /* mov rbx,rsp */

/* --- entries of the reorder buffer --- */

/* As seen on Zen 4, but that its 1-byte NOPs jump 4 earlier. */
TEST(nops_share_entries_up_to_so_many_bytes)
{
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {NOP_1}), 3 + 4 * 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {NOP_8}), 1 + 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {NOP_9}), 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {NOP_15}), 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {ZEROING}), 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .form = {ADD}), 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=16", .form = {NOP_9}), 1 + 318);
    /* 43 of them are fetched with the load, and the last of these stands alone */
    assert_int_equal(LAST_K(ZEN_4 "fuse=2", .form = {NOP_1}), 43 + 2 * (318 - 22));
    assert_int_equal(LAST_K(ZEN_4 "fuse=0", .form = {NOP_1}), 318);
    assert_int_equal(LAST_K(ZEN_4 "fuse=15,sibling=1", .form = {NOP_1}), 3 + 4 * 158);
}

/* 64 bytes are fetched at once: the load is in bytes 50 to 56, so a NOP of 8 stands in the next 64,
 * too. */
TEST(nops_do_not_share_entries_across_fetches)
{
    static const char filled[] = "\x0f\x1f\x84\x00\x00\x00\x00\x00\x0f\x1f\x84\x00\x00\x00\x00\x00"
                                 "\x0f\x1f\x84\x00\x00\x00\x00\x00\x0f\x1f\x84\x00\x00\x00\x00\x00"
                                 "\x0f\x1f\x40\x00";
    assert_int_equal(LAST_K(ZEN_4 "fuse=15", .setup = PIECE(filled), .form = {NOP_8}), 318);
}

TEST(operations_of_different_kinds_share_entries)
{
    static const struct piece lea = PIECE("\x48\x8d\x14\x0f"); /* lea rdx,[rdi+rcx] */
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {ADD, NOP_9}), 2 * 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {ZEROING, ADD}), 2 * 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {lea, PADDD}), 2 * 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1,vec_regs=186", .form = {lea, PADDD}), 2 * 186 + 1);
    assert_int_equal(LAST_K(ZEN_4 "pairs=0", .form = {ADD, NOP_9}), 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {NOP_9}), 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {ZEROING}), 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1", .form = {LOAD_STACK, NOP_9}), 318);
    assert_int_equal(LAST_K(ZEN_4 "pairs=1,fuse=15", .form = {NOP_9}), 318);
}

/* --- loads --- */

TEST(loads_of_the_stack_can_be_renamed)
{
    assert_int_equal(LAST_K(ZEN_4 "load_queue=136", .form = {LOAD_STACK}), 134);
    assert_int_equal(LAST_K(ZEN_4 "load_queue=136,stack_rename=1", .form = {LOAD_STACK}), 318);
    assert_int_equal(
        LAST_K(ZEN_4 "load_queue=136,stack_rename=1,int_regs=200", .form = {LOAD_STACK}), 198);
    assert_int_equal(
        LAST_K(ZEN_4 "load_queue=136,stack_rename=1", .setup = SET_RBX, .form = {LOAD_AT_RBX}),
        134);
    assert_int_equal(LAST_K(ZEN_4 "load_queue=136,stack_rename=1", .form = {LOAD_BEHIND}), 134);
    /* into a vector, too */
    assert_int_equal(LAST_K(ZEN_4 "load_queue=136,stack_rename=1", .setup = SET_RBX,
                            .form = {PIECE("\x0f\x10\x0b")}),
                     134);
}

/* They stay in the queue until the line is there, and need no buffer of their own. */
TEST(loads_of_a_missing_line_wait_for_it)
{
    char load[7] = "\x48\x8b\x8f"; /* mov rcx,[rdi+displacement] */
    open_model("", 64 * MB, PAGE_2M);
    memcpy(load + 3, &displacement[0], sizeof(displacement[0]));
    for (unsigned early = 0; early < 2; early++)
        for (unsigned buffers = 2; buffers <= 20; buffers += 18) {
            char text[128];
            snprintf(text, sizeof(text),
                     ZEN_4 "load_queue=48,stack_rename=1,early_release=%u,fill_buffers=%u", early,
                     buffers);
            assert_int_equal(LAST_K(text, .form = {{load, sizeof(load)}}), 46);
        }
    assert_int_equal(LAST_K(ZEN_4 "fill_buffers=2", .form = {{load, sizeof(load)}}), 318);
    assert_int_equal(LAST_K(ZEN_4 "load_queue=48,early_release=1", .form = {LOAD_STACK}), 318);
}

/* --- registers --- */

#define CLEAR_ALL "\xc5\xfc\x77"
/* vpxord zmmN,zmmN,zmmN of 16 to 31 */
#define CLEAR_UPPER_HALF                                                                           \
    "\x62\xa1\x7d\x40\xef\xc0\x62\xa1\x75\x40\xef\xc9\x62\xa1\x6d\x40\xef\xd2"                     \
    "\x62\xa1\x65\x40\xef\xdb\x62\xa1\x5d\x40\xef\xe4\x62\xa1\x55\x40\xef\xed"                     \
    "\x62\xa1\x4d\x40\xef\xf6\x62\xa1\x45\x40\xef\xff\x62\x01\x3d\x40\xef\xc0"                     \
    "\x62\x01\x35\x40\xef\xc9\x62\x01\x2d\x40\xef\xd2\x62\x01\x25\x40\xef\xdb"                     \
    "\x62\x01\x1d\x40\xef\xe4\x62\x01\x15\x40\xef\xed\x62\x01\x0d\x40\xef\xf6"                     \
    "\x62\x01\x05\x40\xef\xff"
#define CLEAR_MASKS                                                                                \
    "\xc5\xfc\x47\xc0\xc5\xf4\x47\xc9\xc5\xec\x47\xd2\xc5\xe4\x47\xdb"                             \
    "\xc5\xdc\x47\xe4\xc5\xd4\x47\xed\xc5\xcc\x47\xf6\xc5\xc4\x47\xff"

TEST(vector_registers_that_hold_values_take_entries)
{
    static const struct {
        const char *text;
        struct piece setup;
        unsigned last;
    } cases[] = {{"vec_regs=191", {"", 0}, 191},
                 {"vec_regs=191,vec_state=32", {"", 0}, 191 - 32},
                 {"vec_regs=191,vec_state=32", PIECE(CLEAR_ALL), 191 - 16},
                 {"vec_regs=191,vec_state=32", PIECE("\xc5\xf8\x77"), 191 - 32}, /* vzeroupper */
                 {"vec_regs=191,vec_state=32", PIECE(CLEAR_UPPER_HALF), 191 - 16},
                 {"vec_regs=191,vec_state=32", PIECE(CLEAR_ALL CLEAR_UPPER_HALF), 191},
                 {"vec_regs=191,vec_state=32", PIECE(CLEAR_ALL CLEAR_ALL), 191 - 16},
                 {"vec_regs=191,vec_state=16", PIECE(CLEAR_ALL), 191 - 16},
                 {"vec_regs=191,vec_state=16", PIECE(CLEAR_UPPER_HALF), 191},
                 {"vec_regs=191,vec_state=36", PIECE(CLEAR_ALL CLEAR_UPPER_HALF), 191 - 4},
                 {"vec_regs=191,vec_state=40", PIECE(CLEAR_ALL CLEAR_UPPER_HALF CLEAR_MASKS), 191},
                 /* pxor xmm15,xmm15 takes a register for its zero, vpxor none */
                 {"vec_regs=191,vec_state=32", PIECE("\x66\x45\x0f\xef\xff"), 191 - 32},
                 {"vec_regs=191,vec_state=32", PIECE("\xc4\x41\x01\xef\xff"), 191 - 31},
                 /* written again: paddd xmm8,xmm0 */
                 {"vec_regs=191,vec_state=32", PIECE(CLEAR_ALL "\x66\x44\x0f\xfe\xc0"), 191 - 17},
                 /* there is always one left, and half of the file beside a sibling */
                 {"vec_regs=8,vec_state=32", {"", 0}, 1},
                 {"vec_regs=190,vec_state=32,sibling=1", {"", 0}, 95 - 32},
                 {"vec_regs=330,vec_state=32", {"", 0}, 330 - 32},
                 {"vec_regs=330,vec_state=32", PIECE(CLEAR_ALL CLEAR_UPPER_HALF), 318}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), ZEN_4 "%s", cases[i].text);
        unsigned last = LAST_K(text, .setup = cases[i].setup, .form = {PADDD});
        if (last != cases[i].last)
            fail_msg("case %u: %s: %u", i, text, last);
    }
}

/* What stands behind the first load does not retire while that waits. */
TEST(registers_are_free_once_their_zeroing_retires)
{
    assert_int_equal(
        LAST_K(ZEN_4 "vec_regs=191,vec_state=32", .behind = PIECE(CLEAR_ALL), .form = {PADDD}),
        191 - 32);
}

TEST(integer_registers_that_hold_values_take_entries)
{
    /* xor r15d,r15d; xor r14d,r14d */
    static const struct piece two = PIECE("\x45\x31\xff\x45\x31\xf6");
    assert_int_equal(LAST_K(ZEN_4 "int_regs=200", .form = {ADD}), 198);
    assert_int_equal(LAST_K(ZEN_4 "int_regs=200,int_state=6", .form = {ADD}), 192);
    assert_int_equal(LAST_K(ZEN_4 "int_regs=200,int_state=6", .setup = two, .form = {ADD}), 194);
    assert_int_equal(LAST_K(ZEN_4 "int_regs=200,int_state=2", .setup = two, .form = {ADD}), 198);
    /* RCX is one of all; its fillers return a register each, the first one's is the state's. */
    assert_int_equal(LAST_K(ZEN_4 "int_regs=200,int_state=16", .form = {ADD}), 182);
}

/* --- schedulers --- */

TEST(the_fullest_scheduler_stops_all)
{
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24", .form = {ADD_OF_LOADED}), 23);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24", .form = {MULTIPLY_LOADED}), 23);
    /* The last load has a scheduler of its own. */
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=4", .form = {ADD_OF_LOADED}), 92);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=4", .form = {MULTIPLY_LOADED}), 24);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=4", .form = {LOAD_BEHIND}), 4 * 24 - 1);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=4", .form = {ADD}), 318);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=2", .form = {ADD_OF_LOADED}), 44);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=4,sibling=1", .form = {ADD_OF_LOADED}),
                     46);
    assert_int_equal(LAST_K(ZEN_4 "scheduler=24,schedulers=8", .form = {MULTIPLY_LOADED}), 24);
}

/* --- a sibling --- */

static uint64_t additions_of(const char *text)
{
    open_model(text, MB, PAGE_4K);
    return platform->sentinel_side_by_side(platform);
}

TEST(a_waiting_sibling_leaves_additions_alone)
{
    assert_int_equal(LAST_K(ZEN_4 "sibling=1,sibling_waits=1", .form = {NOP_9}), 158);
    assert_int_equal(LAST_K(ZEN_4 "sibling=1,sibling_waits=1,load_queue=96", .form = {LOAD_STACK}),
                     46);
    assert_int_equal(additions_of("sibling=1,sibling_waits=1"), additions_of("sibling=0"));
    assert_true(additions_of("sibling=1") > 1.9 * (double)additions_of("sibling=0"));
}

/* --- caches and TLBs --- */

static double step_of(const char *text, uint64_t bytes)
{
    uint8_t *pointer;
    open_model(text, 64 * MB, PAGE_2M);
    pointer = window.base;
    write_chain(bytes);
    follow(&pointer, 1, (unsigned)(bytes / 64), &fence_order);
    uint64_t shorter = follow(&pointer, 1, 500, &fence_order);
    return (double)(follow(&pointer, 1, 1500, &fence_order) - shorter) / 1000;
}

TEST(there_are_two_to_five_levels_of_cache)
{
    static const char five[] = "memory=200,l1_bytes=4k,l2_bytes=16k,l3_bytes=64k,l4_bytes=256k,"
                               "l5_bytes=1m,l1_latency=4,l2_latency=12,l3_latency=30,"
                               "l4_latency=50,l5_latency=80";
    static const double steps[] = {4, 12, 30, 50, 80, 200};
    for (unsigned i = 0; i < 6; i++)
        assert_compare(step_of(five, UINT64_C(4096) << 2 * i), ==, steps[i]);
    assert_true(step_of("l1_bytes=4k,l2_bytes=0,l3_bytes=64k", 16 << 10) == 40);
    assert_true(step_of("l1_bytes=4k,l2_bytes=16k,l3_bytes=0", 16 << 10) == 12);
    assert_true(step_of("l1_bytes=4k,l2_bytes=16k,l3_bytes=0", 64 << 10) == 200);
    assert_true(step_of("l1_bytes=4k,l2_bytes=0,l3_bytes=0", 8 << 10) == 200);
    assert_true(step_of("l1_bytes=4k,l2_bytes=0,l3_bytes=0,sibling=0.5", 4 << 10) == 4);
}

/* Lines in turn push each other out of any cache that is too small for all. */
TEST(a_victim_cache_adds_to_the_cache_before_it)
{
    static const char victim[] = "l1_bytes=4k,l2_bytes=16k,l3_bytes=32k,l3_victim=1";
    static const char five[] = "l1_bytes=4k,l2_bytes=16k,l3_bytes=32k,l4_bytes=64k,l3_victim=1";
    assert_true(step_of(victim, 16 << 10) == 12);
    assert_true(step_of(victim, 48 << 10) == 40);
    assert_true(step_of(victim, 64 << 10) == 200);
    assert_true(step_of("l1_bytes=4k,l2_bytes=16k,l3_bytes=32k", 48 << 10) == 200);
    assert_true(step_of(five, 48 << 10) == 40);
    assert_true(step_of(five, 64 << 10) == 60);
}

/* A line that is found in a victim cache leaves it, and one that is evicted is in no cache. */
TEST(a_victim_cache_holds_no_line_of_the_cache_before_it)
{
    struct model_memory *memory;
    open_model("l1_bytes=4k,l2_bytes=16k,l3_bytes=32k,l3_victim=1", MB, PAGE_2M);
    memory = model_windows_find(&model.windows, (uintptr_t)window.base);
    for (unsigned round = 0; round < 3; round++)
        for (uint32_t line = 0; line < (24 << 10) / 64; line++) {
            model_memory_touch(memory, (uintptr_t)window.base + line * 64);
            assert_true(model_cache_has(&memory->cache[1], line));
            assert_false(model_cache_has(&memory->cache[2], line));
        }
    assert_true(model_cache_has(&memory->cache[2], 0));
    model_memory_evict(memory, (uintptr_t)window.base);
    assert_false(model_cache_has(&memory->cache[2], 0));
}

/* Of the lines of a full set, in turn, the oldest is lost right before its use. */
TEST(a_random_cache_keeps_some_lines_of_a_set_that_is_too_full)
{
    static const struct {
        const char *text;
        uint64_t bytes;
        double hit, miss;
    } cases[] = {
        {"l1_bytes=16k,l2_bytes=1m,l1_random=", 16 << 10, 4, 12},
        {"l1_bytes=4k,l2_bytes=16k,l3_bytes=1m,l2_random=", 16 << 10, 12, 40},
        {"l1_bytes=4k,l2_bytes=8k,l3_bytes=16k,l3_random=", 16 << 10, 40, 200},
        {"l1_bytes=4k,l2_bytes=8k,l3_bytes=16k,l3_victim=1,l3_random=", 24 << 10, 40, 200},
    };
    for (EACH(c, cases)) {
        char text[2][128];
        for (unsigned i = 0; i < 2; i++)
            snprintf(text[i], sizeof text[i], "%s%u", c->text, i);
        assert_near(step_of(text[1], c->bytes), c->hit);
        assert_near(step_of(text[0], c->bytes * 5 / 4), c->miss);
        double step = step_of(text[1], c->bytes * 5 / 4);
        assert_within(step, c->hit + 0.1 * (c->miss - c->hit), c->hit + 0.9 * (c->miss - c->hit));
        assert_near(step_of(text[1], c->bytes * 5 / 4), step); /* by its seed */
    }
}

/* Loads of pages side by side, all of one page of 2 MB: one walk, or one each. */
static uint64_t cold_sample(const char *text, unsigned loads, unsigned tlb)
{
    open_model(text, 64 * MB, PAGE_2M);
    return sample_loads(loads, tlb);
}

#define TLBS "memory=200,timer=30,walk=60,width=16,"

TEST(small_pages_take_an_entry_for_each_4_kb)
{
    static const char *const levels[] = {TLBS "tlb=64", TLBS "dtlb=64"};
    for (unsigned i = 0; i < 2; i++) {
        char text[128];
        snprintf(text, sizeof(text), "%s,small_pages=1", levels[i]);
        assert_int_equal(cold_sample(levels[i], 4, TLB_COLD), 30 + 60 + 200);
        assert_int_equal(cold_sample(text, 4, TLB_COLD), 30 + 4 * 60 + 200);
        assert_int_equal(cold_sample(text, 4, TLB_WARM), 30 + 200);
        assert_int_equal(cold_sample(levels[i], 1, TLB_NATURAL), 30 + 200);
        assert_int_equal(cold_sample(text, 1, TLB_NATURAL), 30 + 60 + 200);
        /* INVLPG forgets all of them: the line after next has an entry of its own */
        prepare(4, TLB_WARM);
        platform->forget_pages(platform, window.base, &displacement[0], 1);
        assert_int_equal(platform->run_code(platform, window.base), 30 + 60 + 200);
    }
}

/* Pieces that a host's large page holds have one translation, whatever the levels of the TLB and
 * the sets of the first cache. */
TEST(small_pages_are_found)
{
    static const char *const levels[] = {TLBS "dtlb=64,l1_bytes=64k,l1_ways=2", TLBS "tlb=64",
                                         TLBS "dtlb=64", TLBS "dtlb=128,stlb=1536",
                                         TLBS "dtlb=64,dtlb_2m=8,stlb=1024,stlb_cost=3"};
    static struct processor processor = {.rdtscp = true};
    static struct measurement m = {.processor = &processor};
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
        for (unsigned small = 0; small < 2; small++) {
            open_model_of(64 * MB, PAGE_2M, "%s,small_pages=%u", levels[i], small);
            m.platform = platform;
            assert_true(host_pages_are_small(&m) == small);
        }
}

#define FIRST_PAGE 4096

/* How many of N pages are missed when they are used in turn. */
static unsigned missed(struct model_store_shape shape, uint64_t pages)
{
    struct model_store store;
    struct random random;
    unsigned count = 0;
    random_seed(&random, 1);
    assert_true(model_store_open(&store, &shape, &random));
    for (uint64_t i = 0; i < 4 * pages; i++) {
        uint64_t tag = FIRST_PAGE + i % pages;
        count += i >= 3 * pages && model_store_find(&store, tag) == NULL;
        model_store_enter(&store, tag);
    }
    model_store_close(&store);
    return count;
}

TEST(sets_chosen_by_chance_fill_one_after_the_other)
{
    for (unsigned hash = HASH_NONE; hash <= HASH_FOLDED; hash++) {
        struct model_store_shape even = {.entries = 512, .ways = 8, .hash = hash};
        assert_int_equal(missed(even, 512), 0);
        assert_compare(missed(even, 512 + 64), ==, 512 + 64);
    }
    struct model_store_shape shape = {.entries = 512, .ways = 8, .hash = HASH_MIXED};
    assert_int_equal(missed(shape, 128), 0);
    unsigned before = missed(shape, 384), at = missed(shape, 512), after = missed(shape, 640);
    assert_in_range(before, 10, 150);
    assert_in_range(at, 150, 400);
    assert_in_range(after, 400, 630);
}

/* --- bytes a cycle --- */

#define LINES 60

/* Cycles of 60 loads of whole lines, one after the other, which the second-level cache has or the
 * first. */
static uint64_t time_of_lines(const char *text, unsigned times)
{
    struct encoder e;
    uint64_t ticks = 0;
    open_model(text, 64 * MB, PAGE_2M);
    e = (struct encoder){.at = platform->code.write, .room = platform->code.bytes};
    encode_timer_start(&e, fence_order);
    for (unsigned i = 0; i < LINES; i++) { /* vmovups zmm0,[rdi+i*64] */
        uint8_t load[] = {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, (uint8_t)i};
        encode_raw(&e, load, sizeof(load));
    }
    encode_timer_stop(&e, fence_order);
    encode_return(&e);
    platform->publish_code(platform, e.length);
    for (unsigned i = 0; i < times; i++)
        ticks = platform->run_code(platform, window.base);
    return ticks - TIMER;
}

TEST(lines_come_as_fast_as_buffers_let_them)
{
    static const char small[] =
        "memory=400,timer=30,width=6,fill_buffers=10,l1_bytes=1k,l2_latency=12";
    /* the last six are dispatched behind nine cycles, and the last of them is read */
    assert_in_range(time_of_lines("memory=400,timer=30,width=6,l1_latency=4", 2), 10 + 3, 10 + 4);
    assert_in_range(time_of_lines(small, 2), 6 * 12, 6 * 12 + 2);
    assert_in_range(time_of_lines(small, 1), 6 * 400, 6 * 400 + 2 + 60); /* and a walk */
}

/* A load that reads what was stored takes so long, whichever it is that takes longer else. */
TEST(a_load_waits_for_the_store_that_it_reads)
{
    for (uint64_t cycles = 3; cycles <= 9; cycles += 3)
        for (unsigned chains = 1; chains <= 2; chains++) {
            uint64_t ticks[2], memory[2] = {0};
            open_model_of(64 * MB, PAGE_2M, "forwarding=%lu", (unsigned long)cycles);
            for (unsigned i = 0; i < 2; i++) {
                struct forward_shape shape = {
                    .chains = chains, .pairs = 100 + 200 * i, .timing = fence_order};
                platform->publish_code(platform, forward_probe_emit(platform->code.write,
                                                                    platform->code.bytes, &shape));
                ticks[i] = platform->run_code(platform, (uint8_t *)memory);
            }
            assert_int_equal(ticks[1] - ticks[0], 200 / chains * cycles);
        }
}

TEST(loads_pass_a_store_or_wait_for_its_address)
{
    static const struct {
        enum probe_store store;
        unsigned passes, memories;
    } cases[] = {{STORE_NONE, 0, 1}, {STORE_KNOWN, 0, 1}, {STORE_WAITS, 0, 2}, {STORE_WAITS, 1, 1}};
    for (EACH(c, cases)) {
        struct mlp_shape shape = {.loads = 4, .store = c->store, .timing = fence_order};
        open_model_of(64 * MB, PAGE_2M, CORE "rob=320,passes_stores=%u", c->passes);
        assert_int_equal((sample(&shape, TLB_WARM) - TIMER + MEMORY / 2) / MEMORY, c->memories);
    }
}
