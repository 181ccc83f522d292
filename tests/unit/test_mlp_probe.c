/* test_mlp_probe: probes as a disassembler reads them, in too little room, and run. */
#include <cpuid.h>
#include <sys/mman.h>

#include "../../kernel/probe/mlp_probe.h"
#include "call_and_look.h"
#include "kit.h"

#define GUARD 0xa5
#define LINE 64
#define WORDS 8 /* of a line */
#define LISTING_MAX (PROBE_FILLERS_MAX + WORDS * PROBE_LOADS_MAX + 100)

static uint8_t code[PROBE_CODE_BYTES + 64], *area; /* to look at, and to run */
static int32_t displacement[PROBE_LOADS_MAX];

SETUP_ALL(open_area)
{
    area = code_open(PROBE_CODE_BYTES);
}

TEARDOWN_ALL(close_area)
{
    code_close(area, PROBE_CODE_BYTES);
}

/* All kinds of displacements, none twice. */
SETUP(draw_displacements)
{
    uint64_t bits = 1;
    for (unsigned i = 0; i < PROBE_LOADS_MAX; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        displacement[i] = (int32_t)(bits >> 32) & ~0x3f;
    }
    displacement[0] = 0;
    displacement[3] = 64;
    displacement[5] = INT32_MAX;
    displacement[6] = INT32_MIN;
}

/*
 * A listing as a string, a letter for each instruction, so that it can be compared: T rdtsc,
 * P rdtscp, F lfence, M mfence, C cpuid, L load, D dependent load, H prefetch, S store, N movnti,
 * n filler, < push, > pop, r ret, and . for what only computes in registers. The displacements of
 * all that access the window go to `load`.
 */
struct listing {
    char letter[LISTING_MAX + 1];
    size_t count, loads;
    int64_t load[WORDS * PROBE_LOADS_MAX];
};

/* How an instruction of each kind starts and ends. */
static const struct {
    const char *start, *end;
} filler_forms[FILLER_KINDS] = {
    [FILLER_NOP] = {"nop", "nop"},
    [FILLER_LONG_NOP] = {"nop WORD PTR [", "]"},
    [FILLER_ZERO] = {"rex xor e", ""}, /* every fourth is xor r11d,r11d */
    [FILLER_ADD] = {"add r", ",rdi"},
    [FILLER_VECTOR_ADD] = {"paddd xmm", ",xmm0"},
    [FILLER_LOAD] = {"mov r", ",QWORD PTR [r15]"},
    [FILLER_LINE_LOAD] = {"mov r", ",QWORD PTR [r15]"},
    [FILLER_STORE] = {"mov QWORD PTR [r15],", ""},
    [FILLER_WAITING_ADD] = {"add r", ",rax"},
    [FILLER_WAITING_LOAD] = {"mov r", ",QWORD PTR [r15+rax*1]"},
    [FILLER_MULTIPLY] = {"imul r", ",rax"},
};

static bool is_filler(const char *instruction, enum filler kind)
{
    const char *start = filler_forms[kind].start, *end = filler_forms[kind].end;
    size_t length = strlen(instruction);
    if (kind == FILLER_ZERO && strcmp(instruction, "xor r11d,r11d") == 0)
        return true;
    return strncmp(instruction, start, strlen(start)) == 0 && length >= strlen(end) &&
           strcmp(instruction + length - strlen(end), end) == 0;
}

static char note_load(const char *instruction, struct listing *listing)
{
    static const struct {
        const char *form;
        char letter;
    } forms[] = {
        {"mov rax,QWORD PTR [rdi+rax*1%c0x%lx]%n", 'D'}, {"mov rax,QWORD PTR [rdi%c0x%lx]%n", 'L'},
        {"prefetcht0 BYTE PTR [rdi%c0x%lx]%n", 'H'},     {"mov QWORD PTR [rdi%c0x%lx],rax%n", 'S'},
        {"movnti QWORD PTR [rdi%c0x%lx],rax%n", 'N'},
    };
    char sign;
    unsigned long value;
    for (EACH(c, forms)) {
        int end = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (sscanf(instruction, c->form, &sign, &value, &end) != 2 ||
            (size_t)end != strlen(instruction) || listing->loads == WORDS * PROBE_LOADS_MAX)
            continue;
#pragma GCC diagnostic pop
        listing->load[listing->loads++] = sign == '-' ? -(int64_t)value : (int64_t)value;
        return c->letter;
    }
    return '?';
}

static char letter_of(const char *instruction, enum filler kind, struct listing *listing)
{
    static const struct {
        const char *name;
        char letter;
    } names[] = {{"rdtsc", 'T'},       {"rdtscp", 'P'},      {"lfence", 'F'},
                 {"mfence", 'M'},      {"cpuid", 'C'},       {"ret", 'r'},
                 {"sub rsp,0x8", '.'}, {"add rsp,0x8", '.'}, {"mov r15,rsp", '.'}};
    static const char *const computing[] = {"mov ", "xor ",  "shl ",     "or ",     "sub ",
                                            "lea ", "pxor ", "vzeroall", "vpxord ", "kxorw "};
    for (EACH(c, names))
        if (strcmp(instruction, c->name) == 0)
            return c->letter;
    if (strncmp(instruction, "push ", 5) == 0)
        return '<';
    if (strncmp(instruction, "pop ", 4) == 0)
        return '>';
    if (strchr(listing->letter, 'T') != NULL && is_filler(instruction, kind))
        return 'n';
    if (strstr(instruction, "PTR") != NULL)
        return note_load(instruction, listing);
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
        if (strncmp(instruction, computing[i], strlen(computing[i])) == 0)
            return strstr(instruction, "rsp") == NULL ? '.' : '?';
    return '?';
}

static void disassemble(const uint8_t *bytes, size_t length, enum filler kind,
                        struct listing *listing)
{
    FILE *output = disassembled(bytes, length);
    char line[256];
    memset(listing, 0, sizeof *listing);
    while (fgets(line, sizeof line, output) != NULL) {
        char name[16] = "", operands[64] = "", instruction[96];
        char *tab = strchr(line, '\t');
        if (line[0] != ' ' || tab == NULL)
            continue;
        assert_true(sscanf(tab, " %15s %63[^\n]", name, operands) >= 1);
        snprintf(instruction, sizeof instruction, "%s%s%s", name, operands[0] ? " " : "", operands);
        assert_compare(listing->count, <, LISTING_MAX);
        listing->letter[listing->count++] = letter_of(instruction, kind, listing);
    }
    fclose(output);
}

static void drop_computing(char *letters)
{
    char *to = letters;
    for (const char *from = letters; *from != '\0'; from++)
        if (*from != '.')
            *to++ = *from;
    *to = '\0';
}

static void repeat(char *to, char letter, size_t count)
{
    to += strlen(to);
    memset(to, letter, count);
    to[count] = '\0';
}

/* What is between the timestamps. */
static void expect_body(const struct mlp_shape *shape, char *letters)
{
    static const char first[ACCESSES] = "LHS", *const last[ACCESSES] = {"L", "FL", "SM"};
    if (shape->access == ACCESS_NT) {
        repeat(letters, 'N', shape->loads * WORDS);
        strcat(letters, "M");
        return;
    }
    repeat(letters, shape->dependent ? 'D' : first[shape->access], shape->loads - 1);
    repeat(letters, 'n', shape->fillers);
    strcat(letters, shape->dependent ? "D" : last[shape->access]);
}

/* What mlp_probe.h says of the shape, as letters. */
static void expect(const struct mlp_shape *shape, char *letters)
{
    bool by_cpuid = shape->timing.order == ORDER_CPUID;
    strcpy(letters, by_cpuid ? "<<<<<<CT" : "<<<<<<FTF");
    expect_body(shape, letters);
    strcat(letters, shape->timing.rdtscp ? "P" : "FT");
    strcat(letters, by_cpuid ? "C>>>>>>r" : "F>>>>>>r");
}

static void check_shape(const struct mlp_shape *shape)
{
    static struct listing listing;
    static char wanted[LISTING_MAX + 1];
    size_t length = mlp_probe_emit(code, PROBE_CODE_BYTES, shape, displacement), moves = 0;
    assert_compare(length, >, 0);
    assert_compare(length, <=, PROBE_CODE_BYTES);
    disassemble(code, length, shape->filler, &listing);
    /* What else stands in the body, or right before it, would share the reorder buffer with it. */
    const char *body = strpbrk(listing.letter, "nLDHSN");
    bool is_nt = shape->access == ACCESS_NT, stores = is_nt || shape->access == ACCESS_STORE;
    size_t accesses = is_nt ? WORDS * shape->loads : shape->loads + shape->fillers;
    if (shape->access != ACCESS_PREFETCH) /* which has a fence within */
        assert_int_equal(strspn(body, "nLDSN"), accesses);
    for (const char *before = body - 1; *before == '.'; before--)
        moves++;
    assert_true(moves <= 2u + (shape->dependent || stores || shape->filler == FILLER_WAITING_LOAD));

    drop_computing(listing.letter);
    expect(shape, wanted);
    assert_string_equal(listing.letter, wanted);
    assert_int_equal(listing.loads, is_nt ? WORDS * shape->loads : shape->loads);
    for (unsigned i = 0; !is_nt && i < shape->loads; i++)
        assert_int_equal(listing.load[i], displacement[i]);
    for (unsigned i = 0; is_nt && i < WORDS * shape->loads; i++) {
        unsigned line = shape->in_turn ? i / WORDS : i % shape->loads;
        unsigned word = shape->in_turn ? i % WORDS : i / shape->loads;
        assert_int_equal(listing.load[i], displacement[line] + (int32_t)(word * 8));
    }
}

/* Each order with and without RDTSCP, independent and dependent. */
#define WAYS 8
static struct mlp_shape shape_of(unsigned loads, enum filler filler, unsigned steps, unsigned way)
{
    return (struct mlp_shape){
        .loads = loads,
        .fillers = steps,
        .filler = filler,
        .dependent = (way & 4) != 0,
        .vectors = (enum vector_registers)way % 4,
        .timing = {.order = way & 1 ? ORDER_LFENCE : ORDER_CPUID, .rdtscp = (way & 2) != 0},
    };
}

TEST(disassembled)
{
    static const unsigned loads[] = {1, 2, 3, 10, 33, PROBE_LOADS_MAX};
    static const unsigned steps[] = {0, 1, 7, 186, PROBE_FILLERS_MAX};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
            for (unsigned way = 0; way < WAYS; way++) {
                struct mlp_shape shape = shape_of(loads[i], FILLER_NOP, steps[j], way);
                check_shape(&shape);
            }
}

/* In the place of loads: with either end, with fillers and without; in turn or side by side. */
TEST(other_accesses_disassembled)
{
    displacement[5] &= -LINE; /* the line that ends at the last byte */
    static const unsigned loads[] = {1, 2, 3, 10, 33, PROBE_LOADS_MAX};

    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (enum access access = ACCESS_PREFETCH; access < ACCESSES; access++)
            for (unsigned way = 0; way < 16; way++) {
                enum filler filler = way & 4 ? FILLER_STORE : FILLER_NOP;
                struct mlp_shape shape = shape_of(loads[i], filler, way & 4 ? 20 : 0, way & 3);
                shape.access = access;
                shape.in_turn = (way & 8) != 0;
                check_shape(&shape);
            }
}

TEST(every_filler_disassembled)
{
    static const unsigned steps[] = {1, 2, 3, 4, 5, 190, PROBE_FILLERS_MAX};
    for (enum filler kind = 0; kind < FILLER_KINDS; kind++)
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
            for (unsigned way = 0; way < 2; way++) {
                struct mlp_shape shape = shape_of(2, kind, steps[j], 3 * way);
                check_shape(&shape);
            }
}

/* Right behind the first load, and nothing else is moved but by its length. */
TEST(a_store_behind_the_first_load)
{
    static const uint8_t first_load[] = {0x48, 0x8b, 0x87};
    static const uint8_t stores[][4] = {{0x49, 0x89, 0x4f, 0}, {0x49, 0x89, 0x0c, 0x07}};
    static uint8_t plain[PROBE_CODE_BYTES];
    struct mlp_shape shape = shape_of(3, FILLER_NOP, 2, 3);
    size_t length = mlp_probe_emit(plain, sizeof plain, &shape, displacement), at = 0;
    while (memcmp(plain + at, first_load, sizeof first_load) != 0)
        at++;
    at += sizeof first_load + sizeof(int32_t);
    for (unsigned waits = 0; waits < 2; waits++) { /* mov [r15],rcx; mov [r15+rax],rcx */
        shape.store = waits ? STORE_WAITS : STORE_KNOWN;
        assert_int_equal(mlp_probe_emit(code, sizeof code, &shape, displacement), length + 4);
        assert_memory_equal(code, plain, at);
        assert_memory_equal(code + at, stores[waits], 4);
        assert_memory_equal(code + at + 4, plain + at, length - at);
    }
}

/* No byte beyond the room is written, and only a whole probe counts. */
static void check_room(const struct mlp_shape *shape, size_t room, size_t whole)
{
    memset(code, GUARD, sizeof code);
    size_t length = mlp_probe_emit(code, room, shape, displacement);
    assert_int_equal(length, room < whole ? 0 : whole);
    for (size_t i = room; i < sizeof code; i++)
        assert_int_equal(code[i], GUARD);
}

/* The largest of each kind has room enough, and not a byte less. */
static void check_largest(const struct mlp_shape *shape)
{
    size_t whole = mlp_probe_emit(code, PROBE_CODE_BYTES, shape, displacement);
    assert_in_range(whole, 1, PROBE_CODE_BYTES);
    for (size_t room = 0; room < whole; room += 997)
        check_room(shape, room, whole);
    check_room(shape, whole - 1, whole);
    check_room(shape, whole, whole);
}

TEST(the_largest)
{
    for (enum filler kind = 0; kind < FILLER_KINDS; kind++)
        for (unsigned way = 0; way < WAYS; way++) {
            struct mlp_shape shape = shape_of(PROBE_LOADS_MAX, kind, PROBE_FILLERS_MAX, way);
            check_largest(&shape);
        }
}

/* The largest fit as well; without any, stores leave a fence. */
TEST(other_accesses_at_their_ends)
{
    displacement[5] &= -LINE; /* the line that ends at the last byte */
    static struct listing listing;

    for (enum access access = ACCESS_PREFETCH; access < ACCESSES; access++) {
        struct mlp_shape shape = shape_of(PROBE_LOADS_MAX, FILLER_LONG_NOP, PROBE_FILLERS_MAX, 3);
        shape.access = access;
        check_largest(&shape);
        shape.loads = shape.fillers = 0;
        size_t whole = mlp_probe_emit(code, PROBE_CODE_BYTES, &shape, displacement);
        disassemble(code, whole, FILLER_NOP, &listing);
        drop_computing(listing.letter);
        assert_string_equal(listing.letter, access == ACCESS_PREFETCH ? "<<<<<<FTFFPF>>>>>>r"
                                                                      : "<<<<<<FTFMPF>>>>>>r");
    }
}

static uint64_t ticks_now(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static uint64_t first_ticks;
static bool ticks_vary;

static void run(const struct mlp_shape *shape, uint8_t *base)
{
    struct mlp_shape runs = *shape;
    if (runs.vectors > registers_usable())
        runs.vectors = registers_usable();
    assert_true(mlp_probe_emit(area, PROBE_CODE_BYTES, &runs, displacement) > 0);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t kept[KEPT] = {0}, before = ticks_now();
        uint64_t ticks = call_and_look(area, base, kept), around = ticks_now() - before;
        assert_compare(ticks, >, 0);
        assert_compare(ticks, <, 1ull << 40);
        assert_compare(ticks, <=, around); /* the interval lies within ours */
        assert_true(is_all_kept(kept));
        if (first_ticks == 0)
            first_ticks = ticks;
        ticks_vary |= ticks != first_ticks;
    }
}

TEST(run)
{
    static const unsigned loads[] = {1, 2, 5, 20, PROBE_LOADS_MAX};
    static const unsigned steps[] = {0, 1, 200, PROBE_FILLERS_MAX};
    size_t bytes = PROBE_LOADS_MAX * 4096 * 2;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    /* To both sides of the base, up to the last eight bytes. */
    for (unsigned i = 0; i < PROBE_LOADS_MAX; i++)
        displacement[i] = (int32_t)(i * 8192 - bytes / 2 + i * 32);
    displacement[1] = (int32_t)(bytes / 2 - 8);
    for (unsigned way = 0; way < WAYS; way++)
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
            for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
                for (enum filler kind = 0; kind < FILLER_KINDS; kind++) {
                    struct mlp_shape shape = shape_of(loads[i], kind, steps[j], way);
                    run(&shape, memory + bytes / 2);
                }
    assert_true(ticks_vary); /* it is a time, not something left in the register */
    munmap(memory, bytes);
}

/* Stores write zeroes, where they should and nowhere else; prefetches write nothing. */
TEST(run_other_accesses)
{
    enum { LINES = 24 };
    static _Alignas(LINE) uint8_t memory[2 * LINES * LINE];
    for (unsigned i = 0; i < LINES; i++)
        displacement[i] = (int32_t)(2 * (i * 7 % LINES) * LINE);
    for (enum access access = ACCESS_PREFETCH; access < ACCESSES; access++)
        for (unsigned way = 0; way < 4; way++) {
            struct mlp_shape shape = shape_of(LINES, FILLER_STORE, 3, 3);
            unsigned written = access == ACCESS_NT ? LINE : access == ACCESS_STORE ? 8 : 0;
            shape.access = access;
            shape.in_turn = (way & 1) != 0;
            memset(memory, GUARD, sizeof memory);
            run(&shape, memory);
            for (unsigned i = 0; i < sizeof memory; i++)
                assert_int_equal(memory[i], i % (2 * LINE) < written ? 0 : GUARD);
        }
}

/* As on real hardware, but for what the counters say. */
TEST(run_counting)
{
    static uint64_t result[COUNTING_MAX];
    static uint8_t memory[PROBE_LOADS_MAX * 64];
    struct counting counting = {.result = result};
    for (unsigned i = 0; i < PROBE_LOADS_MAX; i++)
        displacement[i] = (int32_t)i * 64;
    for (enum filler kind = 0; kind < FILLER_KINDS; kind++)
        for (counting.count = 1; counting.count <= COUNTING_MAX; counting.count++)
            for (unsigned way = 0; way < 4; way++) {
                struct mlp_shape shape = shape_of(way % 2 ? 10 : 0, kind, 50, way / 2 ? 4 : 0);
                uint64_t kept[KEPT];
                shape.timing.counting = &counting;
                size_t length = mlp_probe_emit(area, PROBE_CODE_BYTES, &shape, displacement);
                assert_compare(length, >, 0);
                assert_int_equal(code_read_time_for_counters(area, length), 2 * counting.count);
                memset(result, 0xff, sizeof result);
                call_and_look(area, memory, kept);
                assert_true(is_all_kept(kept));
                for (unsigned i = 0; i < COUNTING_MAX; i++)
                    if (i < counting.count)
                        assert_within((uint32_t)result[i], 1, UINT32_MAX - 1);
                    else
                        assert_compare(result[i], ==, UINT64_MAX); /* nobody wrote there */
            }
}
