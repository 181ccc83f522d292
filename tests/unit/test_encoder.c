/* test_encoder: each instruction as a disassembler reads it, the room kept, and some run. */
#include "../../kernel/probe/encoder.h"
#include "../../kernel/probe/timing.h"
#include "call_and_look.h"
#include "kit.h"

#define ROOM 256
#define GUARD 0xa5

static uint8_t code[ROOM];
static struct encoder made; /* into it */

SETUP(start)
{
    made = (struct encoder){.at = code, .room = sizeof code};
}

/* The instructions of `bytes`, one blank between words, "; " between instructions. */
static void disassemble(const uint8_t *bytes, size_t length, char *out, size_t room)
{
    FILE *listing = disassembled(bytes, length);
    char line[256];
    out[0] = '\0';
    while (fgets(line, sizeof line, listing) != NULL) {
        char *tab = strchr(line, '\t');
        if (line[0] != ' ' || tab == NULL)
            continue;
        if (out[0] != '\0')
            strncat(out, "; ", room - strlen(out) - 1);
        for (char *word = strtok(tab, " \t\n"), *start = word; word != NULL;
             word = strtok(NULL, " \t\n")) {
            if (word != start)
                strncat(out, " ", room - strlen(out) - 1);
            strncat(out, word, room - strlen(out) - 1);
        }
    }
    fclose(listing);
}

/* What was made is this. */
static void check(const char *wanted)
{
    char seen[1024];
    assert_false(made.overflow);
    disassemble(made.at, made.length, seen, sizeof seen);
    assert_string_equal(seen, wanted);
}

static void encode_nops(struct encoder *e, size_t count)
{
    uint8_t nops[ROOM];
    memset(nops, 0x90, sizeof nops);
    encode_raw(e, nops, count);
}

#define SOME(name, encode)                                                                         \
    static void name(struct encoder *e)                                                            \
    {                                                                                              \
        encode;                                                                                    \
    }

SOME(some_load, encode_load(e, 0x1234))
SOME(some_dependent_load, encode_dependent_load(e, 0x1234))
SOME(some_slot, encode_load_slot(e, 3, 7, 2))
SOME(some_step, encode_follow(e, 12))
SOME(some_line, encode_line_address(e, 0x1234))

static void some_clear(struct encoder *e)
{
    static const unsigned registers[] = {0, 7, 8, 15};
    for (unsigned i = 0; i < 4; i++)
        encode_clear(e, registers[i]);
}

SOME(some_nops, encode_nops(e, 3))

/* The comments in encoder.h. */
static const struct {
    void (*encode)(struct encoder *e);
    const char *wanted;
} instructions[] = {
    {encode_cpuid_leaf_0, "xor eax,eax; cpuid"},
    {encode_lfence, "lfence"},
    {encode_mfence, "mfence"},
    {encode_rdtsc, "rdtsc"},
    {encode_rdtscp, "rdtscp"},
    {encode_keep_time, "mov r8,rax; mov r9,rdx"},
    {encode_elapsed_time, "shl rdx,0x20; or rax,rdx; shl r9,0x20; or r8,r9; sub rax,r8"},
    {encode_enter, "push rbx; push rbp; push r12; push r13; push r14; push r15; sub rsp,0x8"},
    {encode_leave, "add rsp,0x8; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx"},
    {some_clear, "xor eax,eax; xor edi,edi; xor r8d,r8d; xor r15d,r15d"},
    {some_line, "lea r15,[rdi+0x1234]"},
    {encode_return, "ret"},
    {some_load, "mov rax,QWORD PTR [rdi+0x1234]"},
    {some_dependent_load, "mov rax,QWORD PTR [rdi+rax*1+0x1234]"},
    {some_slot, "mov rbx,QWORD PTR [rdi+0x10]"},
    {some_step, "mov r12,QWORD PTR [r12]"},
    {some_nops, "nop; nop; nop"},
};

#define INSTRUCTIONS (sizeof instructions / sizeof *instructions)

TEST(instructions)
{
    for (size_t i = 0; i < INSTRUCTIONS; i++) {
        start();
        instructions[i].encode(&made);
        check(instructions[i].wanted);
    }
}

TEST(writing_a_register)
{
    encode_write_register(&made, 0x38f, 0x70000000f);
    encode_write_register(&made, 0xc0000301, 0x3f);
    check("mov ecx,0x38f; mov eax,0xf; mov edx,0x7; wrmsr; "
          "mov ecx,0xc0000301; mov eax,0x3f; mov edx,0x0; wrmsr");
}

TEST(counter_instructions)
{
    encode_read_counter(&made, 3);
    encode_read_counter(&made, 0x40000002);
    check("mov ecx,0x3; rdpmc; mov ecx,0x40000002; rdpmc");
    start();
    encode_copy(&made, 8, 0);
    encode_copy(&made, 3, 14);
    encode_subtract(&made, 0, 12);
    encode_subtract(&made, 13, 5);
    encode_constant(&made, 0, 0x123456789abcdef0);
    encode_constant(&made, 15, 1);
    check("mov r8,rax; mov rbx,r14; sub rax,r12; sub r13,rbp; movabs rax,0x123456789abcdef0; "
          "movabs r15,0x1");
}

/* Every counter is read the same number of instructions after its first reading. */
TEST(counting)
{
    uint64_t result[COUNTING_MAX];
    struct counting counting = {.count = 3, .select = {0, 2, 0x40000000}, .result = result};
    char wanted[512];
    encode_timer_start(&made, (struct timing){.counting = &counting});
    encode_timer_stop(&made, (struct timing){.counting = &counting});
    snprintf(wanted, sizeof wanted,
             "lfence; mov ecx,0x0; rdpmc; mov r8,rax; mov ecx,0x2; rdpmc; mov r9,rax; "
             "mov ecx,0x40000000; rdpmc; mov r10,rax; lfence; "
             "lfence; mov ecx,0x0; rdpmc; sub rax,r8; mov r8,rax; "
             "mov ecx,0x2; rdpmc; sub rax,r9; mov r9,rax; "
             "mov ecx,0x40000000; rdpmc; sub rax,r10; mov r10,rax; lfence; "
             "movabs rax,0x%lx; mov QWORD PTR [rax+0x0],r8; mov QWORD PTR [rax+0x8],r9; "
             "mov QWORD PTR [rax+0x10],r10",
             (unsigned long)result);
    check(wanted);
}

/* A register for each counter that may be asked for, none of them twice or used by bodies. */
TEST(counting_with_all_registers)
{
    static const char *const holders[COUNTING_MAX] = {"r8",  "r9",  "r10", "r12",
                                                      "rbx", "rbp", "r13", "r14"};
    uint64_t result[COUNTING_MAX];
    struct counting counting = {.count = COUNTING_MAX, .result = result};
    char seen[2048], wanted[64];
    encode_timer_start(&made, (struct timing){.counting = &counting});
    assert_false(made.overflow);
    disassemble(made.at, made.length, seen, sizeof seen);
    for (unsigned i = 0; i < COUNTING_MAX; i++) {
        snprintf(wanted, sizeof wanted, "mov %s,rax", holders[i]);
        assert_non_null(strstr(seen, wanted));
    }
}

TEST(accesses)
{
    static const struct {
        int32_t displacement;
        const char *text;
    } cases[] = {{0, "+0x0"},
                 {1, "+0x1"},
                 {0x7f, "+0x7f"},
                 {0x12345678, "+0x12345678"},
                 {INT32_MAX, "+0x7fffffff"},
                 {-64, "-0x40"},
                 {INT32_MIN, "-0x80000000"}};
    static const struct {
        void (*encode)(struct encoder *e, int32_t displacement);
        const char *before, *after;
    } accesses[] = {{encode_load, "mov rax,QWORD PTR [rdi", "]"},
                    {encode_dependent_load, "mov rax,QWORD PTR [rdi+rax*1", "]"},
                    {encode_prefetch, "prefetcht0 BYTE PTR [rdi", "]"},
                    {encode_store, "mov QWORD PTR [rdi", "],rax"},
                    {encode_store_past, "movnti QWORD PTR [rdi", "],rax"}};
    for (EACH(c, cases))
        for (size_t j = 0; j < sizeof accesses / sizeof *accesses; j++) {
            char wanted[128];
            start();
            accesses[j].encode(&made, c->displacement);
            snprintf(wanted, sizeof wanted, "%s%s%s", accesses[j].before, c->text,
                     accesses[j].after);
            check(wanted);
        }
}

static const char *const register_names[] = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

#define RSP 4
#define R12 12

/* All registers that may be one side or the other. */
TEST(vectors)
{
    encode_vector(&made, false, 16, 0, 64);
    encode_vector(&made, true, 16, 7, -64);
    check("movaps xmm0,XMMWORD PTR [rdi+0x40]; movaps XMMWORD PTR [rdi-0x40],xmm7");
    made = (struct encoder){.at = code, .room = sizeof code};
    encode_vector(&made, false, 32, 7, 4096);
    encode_vector(&made, true, 32, 0, 4096);
    encode_vector_end(&made, 32);
    check("vmovaps ymm7,YMMWORD PTR [rdi+0x1000]; vmovaps YMMWORD PTR [rdi+0x1000],ymm0; "
          "vzeroupper");
    made = (struct encoder){.at = code, .room = sizeof code};
    encode_vector(&made, false, 64, 3, 128);
    encode_vector(&made, true, 64, 3, 0x20000000);
    encode_vector_end(&made, 16); /* nothing */
    check("vmovaps zmm3,ZMMWORD PTR [rdi+0x80]; vmovaps ZMMWORD PTR [rdi+0x20000000],zmm3");
    made = (struct encoder){.at = code, .room = sizeof code};
    encode_lfence(&made);
    encode_next_turn(&made, 2048, 3);
    check("lfence; add rdi,0x800; cmp rdi,r11; cmovae rdi,rsi; dec rcx; jne 0x3");
}

TEST(slots)
{
    for (unsigned base = 0; base < 16; base++) {
        char wanted[2048] = "", one[128];
        if (base == RSP || base == R12)
            continue;
        start();
        for (unsigned reg = 0; reg < 16; reg++) {
            unsigned slot = (reg + base) % 12;
            encode_load_slot(&made, reg, base, slot);
            encode_store_slot(&made, base, slot, reg);
            snprintf(one, sizeof one, "%smov %s,QWORD PTR [%s+0x%x]; mov QWORD PTR [%s+0x%x],%s",
                     reg > 0 ? "; " : "", register_names[reg], register_names[base], 8 * slot,
                     register_names[base], 8 * slot, register_names[reg]);
            strcat(wanted, one);
        }
        check(wanted);
    }
}

/* As objdump writes it, without a displacement of 0. */
TEST(follow)
{
    for (unsigned reg = 0; reg < 16; reg++) {
        char seen[256], wanted[128];
        start();
        encode_follow(&made, reg);
        disassemble(made.at, made.length, seen, sizeof seen);
        char *zero = strstr(seen, "+0x0]");
        if (zero != NULL)
            strcpy(zero, "]");
        snprintf(wanted, sizeof wanted, "mov %s,QWORD PTR [%s]", register_names[reg],
                 register_names[reg]);
        assert_string_equal(seen, wanted);
    }
}

TEST(raw)
{
    for (unsigned count = 0; count <= ROOM - 3; count++) {
        memset(code, GUARD, sizeof code);
        start();
        encode_lfence(&made);
        encode_nops(&made, count);
        assert_false(made.overflow);
        assert_int_equal(made.length, 3 + count);
        for (unsigned i = 3; i < ROOM; i++)
            assert_int_equal(code[i], i < 3 + count ? 0x90 : GUARD);
    }
}

/* An instruction that does not fit leaves nothing, and nothing follows it. */
TEST(overflow)
{
    for (size_t i = 0; i < INSTRUCTIONS; i++) {
        start();
        instructions[i].encode(&made);
        size_t whole = made.length;
        assert_compare(whole, >, 0);
        assert_compare(whole, <, ROOM);
        for (size_t room = 0; room <= whole; room++) {
            memset(code, GUARD, sizeof code);
            made = (struct encoder){.at = code, .room = room};
            instructions[i].encode(&made);
            assert_int_equal(made.overflow, room < whole);
            assert_compare(made.length, <=, room);
            for (size_t at = room; at < ROOM; at++)
                assert_int_equal(code[at], GUARD);
            size_t length = made.length;
            encode_nops(&made, 1);
            assert_true(made.overflow);
            assert_numbers((made.length, code[room]), (length, GUARD));
        }
    }
}

/* Runs what was made, with `base` in RDI; returns RAX. */
static uint64_t run(const void *base)
{
    uint64_t kept[KEPT];
    uint8_t *at = code_open(ROOM);
    assert_false(made.overflow);
    memcpy(at, made.at, made.length);
    uint64_t result = call_and_look(at, base, kept);
    assert_true(is_all_kept(kept));
    code_close(at, ROOM);
    return result;
}

static void append(const uint8_t *bytes, size_t count)
{
    memcpy(made.at + made.length, bytes, count);
    made.length += count;
}

TEST(elapsed_time)
{
    static const uint8_t set_registers[] = {
        0x4c, 0x8b, 0x07,       /* mov r8,[rdi] */
        0x4c, 0x8b, 0x4f, 0x08, /* mov r9,[rdi+8] */
        0x48, 0x8b, 0x47, 0x10, /* mov rax,[rdi+16] */
        0x48, 0x8b, 0x57, 0x18, /* mov rdx,[rdi+24] */
    };
    static const uint64_t times[][2] = {{0, 0},
                                        {0, 1},
                                        {0xffffffff, 0x100000000},
                                        {0x1fffffff0, 0x20000000f},
                                        {0x123456789abcdef0, 0x123456799abcdef1},
                                        {0x7fffffffffffffff, 0x8000000000000123},
                                        {1, 0xffffffffffffffff}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        uint64_t before = times[i][0], after = times[i][1];
        uint64_t halves[] = {before & 0xffffffff, before >> 32, after & 0xffffffff, after >> 32};
        start();
        encode_enter(&made);
        append(set_registers, sizeof set_registers);
        encode_elapsed_time(&made);
        encode_leave(&made);
        encode_return(&made);
        assert_compare(run(halves), ==, after - before);
    }
}

/* Between two timestamps RDX:RAX is kept whole, and a result survives CPUID. */
TEST(keeping)
{
    static const uint8_t set_time[] = {
        0x48, 0x8b, 0x07,       /* mov rax,[rdi] */
        0x48, 0x8b, 0x57, 0x08, /* mov rdx,[rdi+8] */
    };
    static const uint8_t set_later[] = {
        0x48, 0x8b, 0x47, 0x10, /* mov rax,[rdi+16] */
        0x48, 0x8b, 0x57, 0x18, /* mov rdx,[rdi+24] */
    };
    uint64_t halves[] = {0xfffffff0, 5, 0x10, 6}; /* 0x5fffffff0, 0x600000010 */
    encode_enter(&made);
    append(set_time, sizeof set_time);
    encode_keep_time(&made);
    append(set_later, sizeof set_later);
    encode_elapsed_time(&made);
    encode_copy(&made, R10, RAX);
    encode_cpuid_leaf_0(&made);
    encode_copy(&made, RAX, R10);
    encode_leave(&made);
    encode_return(&made);
    assert_int_equal(run(halves), 0x20);
}
