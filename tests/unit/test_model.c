/* test_model: the modelled core against timings that can be worked out by hand. */
#include "../../kernel/probe/chain_probe.h"
#include "kit.h"
#include "modelled.h"

#define MEMORY 200
#define WALK 60
#define TIMER 30
#define IN_TURN (TIMER + 2 * MEMORY) /* what two loads take that do not overlap */

/* The standard model's numbers, which the cases below reckon with. */
#define STANDARD "memory=200,walk=60,timer=30,rob=192,fill_buffers=10,walkers=1,width=4"

static char error[512];

static void assert_refused(const char *text, const char *message)
{
    struct model_parameters parameters;
    assert_false(model_parameters_read(text, &parameters, error, sizeof(error)));
    assert_string_equal(error, message);
}

TEST(reads_parameters)
{
    struct model_parameters p;
    assert_true(model_parameters_read("", &p, error, sizeof(error)));
    assert_numbers((p.rob, p.level[2].bytes, p.noise), (192, 20 * MB, 0));
    assert_true(model_parameters_read("noise=0.02,rob=224,l2_bytes=1m,l1_bytes=49152,seed=7", &p,
                                      error, sizeof(error)));
    assert_numbers((p.rob, p.level[1].bytes, p.level[0].bytes, p.seed), (224, MB, 48 << 10, 7));
    assert_numbers((p.noise, p.fill_buffers), (0.02, 10));
}

TEST(refuses_wrong_parameters)
{
    assert_refused("rob=1", "model: rob=1: accepted: a whole number from 4 to 100000");
    assert_refused("rob=19k", "model: rob=19k: accepted: a whole number from 4 to 100000");
    assert_refused("rob=", "model: rob=: accepted: a whole number from 4 to 100000");
    assert_refused("rob=1.5", "model: rob=1.5: accepted: a whole number from 4 to 100000");
    assert_refused("walkers=65", "model: walkers=65: accepted: a whole number from 1 to 64");
    assert_refused("walkers=-1", "model: walkers=-1: accepted: a whole number from 1 to 64");
    assert_refused("seed=99999999999999999999999",
                   "model: seed=99999999999999999999999: accepted: a whole number from 0 to "
                   "1000000000000000");
    assert_refused("noise=0.6", "model: noise=0.6: accepted: a number from 0 to 0.5");
    assert_refused("noise=1e-1", "model: noise=1e-1: accepted: a number from 0 to 0.5");
    assert_refused("noise=0.0.1", "model: noise=0.0.1: accepted: a number from 0 to 0.5");
    assert_refused("noise=nan", "model: noise=nan: accepted: a number from 0 to 0.5");
    assert_refused("l1_bytes=2t", "model: l1_bytes=2t: accepted: a size from 64 to 1g");
    assert_refused("l1_bytes=2g", "model: l1_bytes=2g: accepted: a size from 64 to 1g");
    assert_refused("rob", "model: rob: no value; accepted: key=value,key=value,...");
    assert_refused("rob=8,", "model: : no value; accepted: key=value,key=value,...");
    assert_refused("rob=8,rob=9", "model: rob=9: given a second time");
    assert_false(model_parameters_read("robb=8", &(struct model_parameters){0}, error, 40));
    assert_string_equal(error, "model: robb: no such key; accepted: rob");
}

TEST(one_load_takes_memory_and_timer)
{
    struct mlp_shape shape = {.loads = 1};
    open_model(STANDARD, 64 * MB, PAGE_2M);
    for (unsigned i = 0; i < 4; i++) {
        shape.timing =
            (struct timing){.order = i < 2 ? ORDER_CPUID : ORDER_LFENCE, .rdtscp = i % 2 == 0};
        assert_int_equal(sample(&shape, TLB_WARM), MEMORY + TIMER);
    }
    assert_int_equal(sample_loads(1, TLB_WARM), MEMORY + TIMER);
    assert_int_equal(platform->run_code(platform, window.base), 4 + TIMER); /* now it is cached */
}

TEST(an_empty_interval_takes_the_timer)
{
    struct encoder e;
    open_model("timer=47", 64 * MB, PAGE_2M);
    for (unsigned i = 0; i < 4; i++) {
        struct timing timing = {.order = i < 2 ? ORDER_CPUID : ORDER_LFENCE, .rdtscp = i % 2 == 0};
        e = (struct encoder){.at = platform->code.write, .room = platform->code.bytes};
        encode_enter(&e);
        encode_timer_start(&e, timing);
        encode_timer_stop(&e, timing);
        encode_leave(&e);
        encode_return(&e);
        platform->publish_code(platform, e.length);
        /* LFENCE, two moves, LFENCE and RDTSC are more than one cycle can dispatch */
        assert_int_equal(platform->run_code(platform, window.base), i == 3 ? 48 : 47);
    }
}

/* Dispatched four a cycle, behind LFENCE and two moves. */
TEST(loads_overlap_up_to_the_fill_buffers)
{
    for (unsigned buffers = 1; buffers <= 20; buffers++) {
        open_model_of(64 * MB, PAGE_2M, "memory=200,timer=30,fill_buffers=%u", buffers);
        assert_int_equal(sample_loads(buffers, TLB_WARM), TIMER + MEMORY + (buffers + 2) / 4);
        assert_int_equal(sample_loads(buffers + 1, TLB_WARM), TIMER + 2 * MEMORY);
    }
}

TEST(dependent_loads_follow_each_other)
{
    struct mlp_shape shape = {.dependent = true, .timing = fence_order};
    open_model(STANDARD, 64 * MB, PAGE_2M);
    for (shape.loads = 1; shape.loads <= 20; shape.loads++)
        assert_int_equal(sample(&shape, TLB_WARM), TIMER + 1 + shape.loads * MEMORY);
}

TEST(reorder_buffer_ends_the_overlap)
{
    static const unsigned sizes[] = {16, 50, 128, 192, 224, 352, 512};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        open_model_of(64 * MB, PAGE_2M, "memory=200,timer=30,rob=%u", sizes[i]);
        assert_int_equal(last_overlap(FILLER_NOP, IN_TURN), sizes[i] - 2);
        assert_int_equal(last_overlap(FILLER_LONG_NOP, IN_TURN), sizes[i] - 2);
        assert_int_equal(sample_fillers(2, FILLER_NOP, sizes[i] - 2),
                         TIMER + MEMORY + (sizes[i] + 2) / 4);
        assert_int_equal(sample_fillers(2, FILLER_NOP, sizes[i] - 1), TIMER + 2 * MEMORY);
    }
}

TEST(a_page_entry_can_be_in_memory)
{
    open_model(STANDARD, 64 * MB, PAGE_4K);
    assert_int_equal(sample_loads(1, TLB_WALKMEM), TIMER + WALK + 2 * MEMORY);
    platform->evict(platform, window.base, displacement, 1);
    platform->forget_pages(platform, window.base, displacement, 1);
    assert_int_equal(platform->run_code(platform, window.base), TIMER + WALK + MEMORY);
}

TEST(a_crowd_is_larger_than_the_tlb_or_not)
{
    open_model(STANDARD, 64 * MB, PAGE_4K);
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + WALK + MEMORY);
    open_model(STANDARD ",tlb=10000", 64 * MB, PAGE_4K); /* the crowd has 8192 pages */
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + MEMORY);
    open_model(STANDARD, 64 * MB, PAGE_2M);
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + MEMORY);
    open_model(STANDARD ",tlb=16", 64 * MB, PAGE_2M); /* 16 pages */
    assert_int_equal(sample_loads(1, TLB_NATURAL), TIMER + WALK + MEMORY);
}

TEST(chains_side_by_side_overlap)
{
    uint8_t *pointer[CHAINS_MAX];
    uint64_t one, ten;
    open_model(STANDARD, 64 * MB, PAGE_2M);
    write_chain(64 * MB);
    for (unsigned i = 0; i < CHAINS_MAX; i++)
        pointer[i] = window.base + i * 2 * MB + i * 640;
    follow(pointer, CHAINS_MAX, 1, &fence_order); /* the TLB knows the pages */
    one = follow(pointer, 1, 100, &fence_order);
    assert_int_equal(one, TIMER + 1 + 4 + 100 * MEMORY); /* the chain's end is stored: 1 */
    ten = follow(pointer, 10, 100, &fence_order);
    assert_in_range(ten, one, one + 10);
    assert_in_range(follow(pointer, 11, 100, &fence_order), one * 11 / 10 - 50, one * 2);
}

static void cause_host_fault(void *context)
{
    (void)context;
    __asm__ volatile("ud2");
}

TEST(ends_quietly_on_what_it_cannot_do)
{
    static char pushes[601];
    static const struct {
        const char *code;
        size_t count;
        const char *fault;
    } wrong[] = {
        {"\x90\x0f\x0b\xc3", 4, "model: code offset 1 is no instruction known: 0f 0b c3"},
        {"\x90\x48\x8b", 3, "model: code offset 1 is no instruction known: 48 8b"},
        {"\x66\xb8\x01\x00\x90\x90\xc3", 7,
         "model: code offset 0 is no instruction known: 66 b8 01 00 90 90 c3"},
        {"\x90\x90", 2, "model: 2 bytes of code end without a return"},
        {"", 0, "model: 0 bytes of code end without a return"},
        {pushes, 601, "model: the instruction at code offset 509 leaves the stack"},
        /* push, push, pop; and pop */
        {"\x50\x50\x58\xc3", 4, "model: the return at code offset 3 finds 8 bytes on the stack"},
        {"\x58\xc3", 2, "model: the return at code offset 1 finds -8 bytes on the stack"},
    };
    uint64_t result;
    memset(pushes, 0x50, 600);
    pushes[600] = (char)0xc3;
    open_model(STANDARD, 64 * MB, PAGE_2M);
    for (EACH(c, wrong)) {
        assert_false(run_raw(c->code, c->count, &result));
        assert_string_equal(platform->fault, c->fault);
    }
    assert_false(platform->quietly(platform, cause_host_fault, NULL));
    assert_non_null(strstr(platform->fault, "SIGILL"));
    /* and goes on */
    assert_true(run_raw("\x48\x89\xf8\xc3", 4, &result)); /* mov rax,rdi */
    assert_int_equal(result, (uintptr_t)window.base);
}

static void assert_returns(const char *bytes, size_t count, uint64_t wanted)
{
    uint64_t result;
    assert_true(run_raw(bytes, count, &result));
    assert_int_equal(result, wanted);
}

TEST(values_are_a_processor_s)
{
    open_model(STANDARD, 64 * MB, PAGE_2M);
    const uintptr_t base = (uintptr_t)window.base;
    /* push rdi; push rbx; pop rcx; pop rax; sub rax,-8; lea rax,[rax+rcx*2+0x10]; ret */
    assert_returns("\x57\x53\x59\x58\x48\x83\xe8\xf8\x48\x8d\x44\x48\x10\xc3", 14, base + 0x18);
    /* mov [rdi+8],rdi; mov rax,[rdi+8]; shr rax,4; shl rax,4; ret */
    assert_returns("\x48\x89\x7f\x08\x48\x8b\x47\x08\x48\xc1\xe8\x04\x48\xc1\xe0\x04\xc3", 17,
                   base);
    assert_int_equal(*(uint64_t *)(window.base + 8), base);
    /* mov rax,0xfedcba9876543210 */
    assert_returns("\x48\xb8\x10\x32\x54\x76\x98\xba\xdc\xfe\xc3", 11, 0xfedcba9876543210);
    /* mov r13,0x80000000; mov rax,r13 */
    assert_returns("\x49\xbd\x00\x00\x00\x80\x00\x00\x00\x00\x4c\x89\xe8\xc3", 14, 0x80000000);
    /* mov rax,-1; mov eax,0x80000001 */
    assert_returns("\x48\xb8\xff\xff\xff\xff\xff\xff\xff\xff\xb8\x01\x00\x00\x80\xc3", 16,
                   0x80000001);
    assert_returns("\x41\xb9\x07\x00\x00\x00\x4c\x89\xc8\xc3", 10, 7); /* mov r9d,7; mov rax,r9 */
    /* mov eax,7; mov ecx,-5; imul rax,rcx */
    assert_returns("\xb8\x07\x00\x00\x00\xb9\xfb\xff\xff\xff\x48\x0f\xaf\xc1\xc3", 15,
                   7 * UINT64_C(0xfffffffb));
}

TEST(decodes_any_bytes_without_harm)
{
    static const uint8_t likely[] = {0x48, 0x49, 0x4c, 0x8b, 0x89, 0x01, 0x0f, 0x66,
                                     0x90, 0x1f, 0x84, 0x04, 0x24, 0x83, 0xc1, 0x50};
    struct operation *operations = malloc(64 * sizeof(*operations));
    struct random random;
    random_seed(&random, 1);
    for (unsigned i = 0; i < 100000; i++) {
        size_t count = random_below(&random, 65);
        uint8_t *code = malloc(count + 1); /* exactly as long, for the sanitizer */
        for (size_t j = 0; j < count; j++) {
            uint64_t bits = random_next(&random);
            code[j] = bits & 1 ? likely[bits >> 1 & 15] : (uint8_t)(bits >> 8);
        }
        code = realloc(code, count > 0 ? count : 1);
        assert_in_range(model_decode(code, count, operations, error, sizeof(error)), 0, count);
        free(code);
    }
    free(operations);
}

TEST(maps_every_kind_of_window)
{
    static const uint64_t bytes[PAGE_SIZES] = {4096, 2 * MB, 1024 * MB};
    open_model("", 1, PAGE_4K);
    for (unsigned page = 0; page < PAGE_SIZES; page++) {
        platform->unmap_window(platform, &window);
        assert_null(map_window(1, page, FRAMES_ORDERED, &window));
        assert_numbers((window.bytes, (uintptr_t)window.base % bytes[page]), (bytes[page], 0));
        assert_int_equal(window.base[window.bytes - 1], 0);
        platform->crowd_tlb(platform, &window);
        sample_loads(1, TLB_COLD); /* a window of one page is smaller than what is touched */
    }
    platform->unmap_window(platform, &window);
    assert_non_null(map_window(0, PAGE_4K, FRAMES_ORDERED, &window));
    assert_non_null(map_window(UINT64_MAX, PAGE_4K, FRAMES_ORDERED, &window));
}

#define WINDOWS 3
#define STEPS 40
static const struct window_request beside[WINDOWS] = {
    {.bytes = 64 * MB, .page = PAGE_4K, .node = NODE_ANY},
    {.bytes = 64 * MB, .page = PAGE_2M, .node = NODE_ANY},
    {.bytes = 64 * MB, .page = PAGE_4K, .node = 1},
};

/* In each state of the TLB, and then once more as the sample before left everything. */
static uint64_t sample_step(unsigned step)
{
    if (step % 2 == 0)
        return sample_loads(1 + step % 13, step / 2 % TLB_STATES);
    return platform->run_code(platform, window.base);
}

/* What windows hold in TLB, caches and page tables is their own, whatever is done in others. */
TEST(windows_at_once_are_as_one_after_the_other)
{
    static uint64_t alone[WINDOWS][STEPS], together[WINDOWS][STEPS];
    struct window mapped[WINDOWS];
    open_model(STANDARD ",remote=65,tlb=16", MB, PAGE_4K);
    platform->unmap_window(platform, &window);
    for (unsigned w = 0; w < WINDOWS; w++) {
        assert_null(platform->map_window(platform, &beside[w], &window));
        for (unsigned i = 0; i < STEPS; i++)
            alone[w][i] = sample_step(i);
        platform->unmap_window(platform, &window);
    }
    for (unsigned w = 0; w < WINDOWS; w++) {
        assert_null(platform->map_window(platform, &beside[w], &mapped[w]));
        assert_false(mapped[w].is_twin);
    }
    for (unsigned i = 0; i < STEPS; i++)
        for (unsigned w = 0; w < WINDOWS; w++) {
            window = mapped[w];
            together[w][i] = sample_step(i);
        }
    assert_memory_equal(alone, together, sizeof(alone));
    assert_memory_not_equal(alone[0], alone[1], sizeof(alone[0]));
    assert_memory_not_equal(alone[0], alone[2], sizeof(alone[0]));
    for (unsigned w = 0; w < WINDOWS; w++)
        platform->unmap_window(platform, &mapped[(w + 1) % WINDOWS]);
    window.base = NULL;
}

TEST(windows_go_in_any_order)
{
    struct window mapped[WINDOWS];
    open_model(STANDARD, MB, PAGE_4K);
    for (unsigned w = 0; w < WINDOWS; w++)
        assert_null(map_window(64 * MB, PAGE_2M, FRAMES_ORDERED, &mapped[w]));
    for (unsigned w = 0; w < WINDOWS; w++)
        mapped[w].base[0] = (uint8_t)(w + 1);
    platform->unmap_window(platform, &mapped[1]);
    assert_null(mapped[1].base);
    for (unsigned w = 0; w < WINDOWS; w += 2) {
        assert_int_equal(mapped[w].base[0], w + 1);
        window = mapped[w];
        assert_int_equal(sample_loads(1, TLB_WARM), TIMER + MEMORY);
    }
    window.base = NULL; /* what is left goes with the model */
}

TEST(maps_as_many_windows_as_it_says)
{
    struct window more;
    open_model("l3_bytes=1m", 1, PAGE_4K);
    for (unsigned i = 1; i < WINDOWS_MAX; i++)
        assert_null(map_window(1, PAGE_4K, FRAMES_ORDERED, &more));
    assert_string_equal(map_window(1, PAGE_4K, FRAMES_ORDERED, &more),
                        "there are as many windows as there can be");
    window.base = NULL; /* they all go with the model */
}
