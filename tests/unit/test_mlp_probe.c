/* test_mlp_probe: probes as a disassembler reads them, in too little room, and run. */
#include <cpuid.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../kernel/probe/mlp_probe.h"

#define GUARD 0xa5
#define LISTING_MAX (PROBE_FILLERS_MAX + PROBE_LOADS_MAX + 100)

static uint8_t code[PROBE_CODE_BYTES + 64];
static int32_t displacement[PROBE_LOADS_MAX];

/* All kinds of displacements, none twice. */
static int draw_displacements(void **state)
{
    uint64_t bits = 1;

    (void)state;
    for (unsigned i = 0; i < PROBE_LOADS_MAX; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        displacement[i] = (int32_t)(bits >> 32) & ~0x3f;
    }
    displacement[0] = 0;
    displacement[3] = 64;
    displacement[5] = INT32_MAX;
    displacement[6] = INT32_MIN;
    return 0;
}

/*
 * A listing as a string, a letter for each instruction, so that it can be compared: T rdtsc,
 * P rdtscp, F lfence, C cpuid, L load, n nop, < push, > pop, r ret, and . for what only computes
 * in registers. Loads' displacements go to `loads`.
 */
struct listing {
    char letter[LISTING_MAX + 1];
    size_t count, loads;
    int64_t load[PROBE_LOADS_MAX];
};

static char letter_of(const char *instruction, struct listing *listing)
{
    static const struct {
        const char *name;
        char letter;
    } names[] = {
        {"rdtsc", 'T'}, {"rdtscp", 'P'},   {"lfence", 'F'},  {"cpuid", 'C'},
        {"nop", 'n'},   {"push rbx", '<'}, {"pop rbx", '>'}, {"ret", 'r'},
    };
    static const char *const computing[] = {"mov ", "xor ", "shl ", "or ", "sub ", "lea "};
    const char *pointer = strstr(instruction, "PTR");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(instruction, names[i].name) == 0)
            return names[i].letter;
    if (pointer != NULL) {
        char sign;
        unsigned long value;
        if (sscanf(instruction, "mov r%*2[a-z0-9],QWORD PTR [rdi%c0x%lx]", &sign, &value) != 2 ||
            listing->loads == PROBE_LOADS_MAX)
            return '?';
        listing->load[listing->loads++] = sign == '-' ? -(int64_t)value : (int64_t)value;
        return 'L';
    }
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
        if (strncmp(instruction, computing[i], strlen(computing[i])) == 0)
            return strstr(instruction, "rsp") == NULL ? '.' : '?';
    return '?';
}

static void disassemble(const uint8_t *bytes, size_t length, struct listing *listing)
{
    char path[] = "/tmp/mlpboot-probe-XXXXXX", command[256], line[256];
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
    snprintf(command, sizeof command,
             "LC_ALL=C objdump -D -z -b binary -m i386:x86-64 -M intel --no-show-raw-insn %s",
             path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    memset(listing, 0, sizeof *listing);
    while (fgets(line, sizeof line, output) != NULL) {
        char name[16] = "", operands[64] = "", instruction[96];
        char *tab = strchr(line, '\t');
        if (line[0] != ' ' || tab == NULL)
            continue;
        assert_true(sscanf(tab, " %15s %63[^\n]", name, operands) >= 1);
        snprintf(instruction, sizeof instruction, "%s%s%s", name, operands[0] ? " " : "", operands);
        assert_true(listing->count < LISTING_MAX);
        listing->letter[listing->count++] = letter_of(instruction, listing);
    }
    assert_int_equal(pclose(output), 0);
    unlink(path);
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

/* What mlp_probe.h says of the shape, as letters. */
static void expect(const struct mlp_shape *shape, char *letters)
{
    bool by_cpuid = shape->order == ORDER_CPUID;

    strcpy(letters, by_cpuid ? "<CT" : "<FTF");
    repeat(letters, 'L', shape->loads - 1);
    repeat(letters, 'n', shape->fillers);
    strcat(letters, shape->rdtscp ? "LP" : "LFT");
    strcat(letters, by_cpuid ? "C>r" : "F>r");
}

static void check_shape(const struct mlp_shape *shape)
{
    static struct listing listing;
    static char wanted[LISTING_MAX + 1];
    size_t length = mlp_probe_emit(code, PROBE_CODE_BYTES, shape, displacement), moves = 0;

    assert_true(length > 0 && length <= PROBE_CODE_BYTES);
    disassemble(code, length, &listing);
    /* What else stands in the body, or right before it, would share the reorder buffer with it. */
    const char *body = strpbrk(listing.letter, "nL");
    size_t body_length = strspn(body, "nL");
    assert_int_equal(body_length, shape->loads + shape->fillers);
    for (const char *before = body - 1; *before == '.'; before--)
        moves++;
    assert_true(moves <= 2);

    drop_computing(listing.letter);
    expect(shape, wanted);
    assert_string_equal(listing.letter, wanted);
    assert_int_equal(listing.loads, shape->loads);
    for (unsigned i = 0; i < shape->loads; i++)
        assert_int_equal(listing.load[i], displacement[i]);
}

#define FOR_EACH_WAY(shape)                                                                        \
    for (unsigned way = 0; way < 4 && ((shape).order = way & 1 ? ORDER_LFENCE : ORDER_CPUID,       \
                                      (shape).rdtscp = way >> 1, true);                            \
         way++)

static void test_disassembled(void **state)
{
    static const unsigned loads[] = {1, 2, 3, 10, 33, PROBE_LOADS_MAX};
    static const unsigned fillers[] = {0, 1, 7, 186, PROBE_FILLERS_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (size_t j = 0; j < sizeof fillers / sizeof *fillers; j++) {
            struct mlp_shape shape = {.loads = loads[i], .fillers = fillers[j]};
            FOR_EACH_WAY(shape)
            check_shape(&shape);
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

static void test_too_little_room(void **state)
{
    static const unsigned shapes[][2] = {{1, 0}, {2, 5}, {10, 40}, {PROBE_LOADS_MAX, 100}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct mlp_shape shape = {.loads = shapes[i][0], .fillers = shapes[i][1]};
        FOR_EACH_WAY(shape)
        {
            size_t whole = mlp_probe_emit(code, PROBE_CODE_BYTES, &shape, displacement);
            for (size_t room = 0; room <= whole + 1; room++)
                check_room(&shape, room, whole);
        }
    }
}

static void test_too_little_room_for_the_largest(void **state)
{
    struct mlp_shape shape = {.loads = PROBE_LOADS_MAX, .fillers = PROBE_FILLERS_MAX};

    (void)state;
    FOR_EACH_WAY(shape)
    {
        size_t whole = mlp_probe_emit(code, PROBE_CODE_BYTES, &shape, displacement);
        assert_true(whole > 0);
        for (size_t room = 0; room < whole; room += 97)
            check_room(&shape, room, whole);
        check_room(&shape, whole - 1, whole);
        check_room(&shape, whole, whole);
    }
}

/*
 * uint64_t call_and_look(probe, base, kept): calls the probe with a pattern in every register that
 * it is to keep, and stores what is in them afterwards: RBX, RBP, RSI, RDI, R11 to R15, and by how
 * much RSP moved.
 */
#define KEPT 10
uint64_t call_and_look(const void *probe, void *base, uint64_t kept[KEPT]);
__asm__(".pushsection .text\n"
        ".globl call_and_look\n"
        ".type call_and_look, @function\n"
        "call_and_look:\n"
        "    push %rbx\n"
        "    push %rbp\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    push %rdx\n"
        "    mov %rsp, stack_before(%rip)\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov $0x1111111111111111, %rbx\n"
        "    mov $0x2222222222222222, %rbp\n"
        "    mov $0x3333333333333333, %rsi\n"
        "    mov $0x4444444444444444, %r11\n"
        "    mov $0x5555555555555555, %r12\n"
        "    mov $0x6666666666666666, %r13\n"
        "    mov $0x7777777777777777, %r14\n"
        "    mov $0x8888888888888888, %r15\n"
        "    call *%rax\n"
        "    mov stack_before(%rip), %rdx\n"
        "    mov %rsp, %rcx\n"
        "    sub %rdx, %rcx\n"
        "    mov %rdx, %rsp\n"
        "    pop %rdx\n"
        "    mov %rbx, (%rdx)\n"
        "    mov %rbp, 8(%rdx)\n"
        "    mov %rsi, 16(%rdx)\n"
        "    mov %rdi, 24(%rdx)\n"
        "    mov %r11, 32(%rdx)\n"
        "    mov %r12, 40(%rdx)\n"
        "    mov %r13, 48(%rdx)\n"
        "    mov %r14, 56(%rdx)\n"
        "    mov %r15, 64(%rdx)\n"
        "    mov %rcx, 72(%rdx)\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        ".popsection\n"
        ".pushsection .bss\n"
        ".balign 8\n"
        "stack_before: .zero 8\n"
        ".popsection\n");

static bool has_rdtscp(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1u << 27) != 0;
}

static void run_once(const struct mlp_shape *shape, void *area, uint8_t *base)
{
    uint64_t kept[KEPT] = {0};

    assert_int_equal(mprotect(area, PROBE_CODE_BYTES, PROT_READ | PROT_WRITE), 0);
    assert_true(mlp_probe_emit(area, PROBE_CODE_BYTES, shape, displacement) > 0);
    assert_int_equal(mprotect(area, PROBE_CODE_BYTES, PROT_READ | PROT_EXEC), 0);
    for (unsigned run = 0; run < 3; run++) {
        uint64_t ticks = call_and_look(area, base, kept);
        assert_true(ticks > 0 && ticks < 1ull << 40);
        assert_true(kept[0] == 0x1111111111111111);
        assert_true(kept[1] == 0x2222222222222222);
        assert_true(kept[2] == 0x3333333333333333);
        assert_true(kept[3] == (uint64_t)base);
        assert_true(kept[4] == 0x4444444444444444);
        assert_true(kept[5] == 0x5555555555555555);
        assert_true(kept[6] == 0x6666666666666666);
        assert_true(kept[7] == 0x7777777777777777);
        assert_true(kept[8] == 0x8888888888888888);
        assert_true(kept[9] == 0);
    }
}

/* On any processor: RDTSCP only where there is one. */
static void test_run(void **state)
{
    static const unsigned loads[] = {1, 2, 5, 20, PROBE_LOADS_MAX};
    static const unsigned fillers[] = {0, 1, 200, PROBE_FILLERS_MAX};
    size_t bytes = PROBE_LOADS_MAX * 4096 * 2;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *area =
        mmap(NULL, PROBE_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(memory != MAP_FAILED && area != MAP_FAILED);
    /* To both sides of the base, up to the last eight bytes. */
    for (unsigned i = 0; i < PROBE_LOADS_MAX; i++)
        displacement[i] = (int32_t)(i * 8192 - bytes / 2 + i * 64);
    displacement[1] = (int32_t)(bytes / 2 - 8);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (size_t j = 0; j < sizeof fillers / sizeof *fillers; j++) {
            struct mlp_shape shape = {.loads = loads[i], .fillers = fillers[j]};
            FOR_EACH_WAY(shape)
            if (!shape.rdtscp || has_rdtscp())
                run_once(&shape, area, memory + bytes / 2);
        }
    munmap(memory, bytes);
    munmap(area, PROBE_CODE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_disassembled, draw_displacements),
        cmocka_unit_test_setup(test_too_little_room, draw_displacements),
        cmocka_unit_test_setup(test_too_little_room_for_the_largest, draw_displacements),
        cmocka_unit_test(test_run),
    };

    return cmocka_run_group_tests_name("mlp_probe", tests, NULL, NULL);
}
