/* test_model_instructions: what the modelled core decodes beyond the probes that this tree holds,
 * and what comes out. */
#include "kit.h"
#include "modelled.h"

#define ALL_MAX 512

static char error[128];
static uint8_t found[VECTOR_BYTES_MAX], wanted[VECTOR_BYTES_MAX];

/* --- decoding --- */

static size_t decode(const char *code, size_t bytes, struct operation *operations)
{
    return model_decode((const uint8_t *)code, bytes, operations, error, sizeof(error));
}

/* Of one instruction and a return. */
static struct operation decode_alone(const char *code, size_t bytes)
{
    struct operation operations[ALL_MAX];
    char all[32];
    memcpy(all, code, bytes);
    all[bytes] = (char)0xc3;
    if (decode(all, bytes + 1, operations) != 2)
        fail_msg("%s", error);
    assert_int_equal(operations[0].length, bytes);
    return operations[0];
}

TEST(decodes_nops_of_every_length)
{
    static const char *const nops[] = {
        "\x90",
        "\x66\x90",
        "\x0f\x1f\x00",
        "\x0f\x1f\x40\x00",
        "\x0f\x1f\x44\x00\x00",
        "\x66\x0f\x1f\x44\x00\x00",
        "\x0f\x1f\x80\x00\x00\x00\x00",
        "\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00",
    };
    struct operation operations[ALL_MAX];
    for (unsigned i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
        struct operation o = decode_alone(nops[i], i + 1);
        assert_numbers((o.kind, o.structures), (OPERATION_NOP, 0));
        assert_false(o.is_scheduled);
    }
    /* no instruction has 16 bytes */
    assert_int_equal(decode("\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\xc3",
                            17, operations),
                     0);
}

#define VECTOR(n) (REGISTER_VECTOR + (n))
#define NONE REGISTER_NONE

TEST(decodes_registers_and_addresses)
{
    static const struct {
        const char *code;
        size_t length;
        uint8_t kind, to, value, base, bytes;
        int64_t constant;
    } cases[] = {
#define CODE(text) text, sizeof(text) - 1
        {CODE("\x48\x0f\xaf\xc7"), OPERATION_MULTIPLY, 0, 7, NONE, 8, 0}, /* imul rax,rdi */
        {CODE("\x31\xc9"), OPERATION_CLEAR, 1, NONE, NONE, 8, 0},
        {CODE("\x48\x89\xe3"), OPERATION_MOVE, 3, 4, NONE, 8, 0}, /* mov rbx,rsp */
        {CODE("\x48\x8b\x0b"), OPERATION_LOAD, 1, NONE, 3, 8, 0},
        {CODE("\x48\x8b\x53\x08"), OPERATION_LOAD, 2, NONE, 3, 8, 8},
        {CODE("\x49\x8b\x4d\x00"), OPERATION_LOAD, 1, NONE, 13, 8, 0},
        {CODE("\x0f\x10\x0f"), OPERATION_LOAD, VECTOR(1), NONE, 7, 16, 0},
        {CODE("\x0f\x11\x4f\x40"), OPERATION_STORE, NONE, VECTOR(1), 7, 16, 0x40},
        {CODE("\x44\x0f\x28\x0f"), OPERATION_LOAD, VECTOR(9), NONE, 7, 16, 0},
        {CODE("\x44\x0f\x29\x4f\x40"), OPERATION_STORE, NONE, VECTOR(9), 7, 16, 0x40},
        {CODE("\x66\x0f\x6f\x14\x4f"), OPERATION_LOAD, VECTOR(2), NONE, 7, 16, 0},
        {CODE("\xf3\x0f\x7f\x57\x40"), OPERATION_STORE, NONE, VECTOR(2), 7, 16, 0x40},
        {CODE("\xc5\xfc\x28\x1f"), OPERATION_LOAD, VECTOR(3), NONE, 7, 32, 0},
        {CODE("\xc5\xfc\x11\x5f\x40"), OPERATION_STORE, NONE, VECTOR(3), 7, 32, 0x40},
        {CODE("\xc5\x7d\x6f\x27"), OPERATION_LOAD, VECTOR(12), NONE, 7, 32, 0},
        {CODE("\xc4\x41\x7e\x7f\x60\x40"), OPERATION_STORE, NONE, VECTOR(12), 8, 32, 0x40},
        {CODE("\x62\xe1\x7c\x48\x28\x27"), OPERATION_LOAD, VECTOR(20), NONE, 7, 64, 0},
        {CODE("\x62\xe1\x7c\x48\x11\x67\x01"), OPERATION_STORE, NONE, VECTOR(20), 7, 64, 0x40},
        {CODE("\x62\xe1\xfd\x48\x6f\x27"), OPERATION_LOAD, VECTOR(20), NONE, 7, 64, 0},
        {CODE("\x62\xe1\xfe\x48\x7f\xa7\x23\x01\x00\x00"), OPERATION_STORE, NONE, VECTOR(20), 7, 64,
         0x123},
        /* vmovdqa32 zmm4,[r8+r9*8+0x40] */
        {CODE("\x62\x91\x7d\x48\x6f\x64\xc8\x01"), OPERATION_LOAD, VECTOR(4), NONE, 8, 64, 0x40},
        {CODE("\xc5\xf1\xef\xc9"), OPERATION_VECTOR_CLEAR, VECTOR(1), NONE, NONE, 16, 0},
        {CODE("\xc4\x41\x25\xef\xdb"), OPERATION_VECTOR_CLEAR, VECTOR(11), NONE, NONE, 32, 0},
        {CODE("\x62\xa1\x75\x40\xef\xc9"), OPERATION_VECTOR_CLEAR, VECTOR(17), NONE, NONE, 64, 0},
        {CODE("\x62\x01\x85\x40\xef\xff"), OPERATION_VECTOR_CLEAR, VECTOR(31), NONE, NONE, 64, 0},
        {CODE("\x66\x0f\xef\xc9"), OPERATION_VECTOR_CLEAR, VECTOR(1), NONE, NONE, 16, 0},
        {CODE("\x0f\x57\xc9"), OPERATION_VECTOR_CLEAR, VECTOR(1), NONE, NONE, 16, 0},
        {CODE("\xc5\xf0\x57\xc9"), OPERATION_VECTOR_CLEAR, VECTOR(1), NONE, NONE, 16, 0},
        {CODE("\xc5\xfc\x77"), OPERATION_CLEAR_ALL, NONE, NONE, NONE, 8, 0},
        {CODE("\xc5\xf8\x77"), OPERATION_CLEAR_UPPER, NONE, NONE, NONE, 8, 0},
        {CODE("\xc5\xf4\x47\xc9"), OPERATION_MASK_CLEAR, REGISTER_MASK + 1, NONE, NONE, 8, 0},
        {CODE("\xc4\xe1\xc4\x47\xff"), OPERATION_MASK_CLEAR, REGISTER_MASK + 7, NONE, NONE, 8, 0},
        {CODE("\xc5\xed\xfe\xcb"), OPERATION_VECTOR_ADD_4, VECTOR(1), VECTOR(3), VECTOR(2), 32, 0},
        {CODE("\x62\xa1\xcd\x40\xd4\xef"), OPERATION_VECTOR_ADD_8, VECTOR(21), VECTOR(23),
         VECTOR(22), 64, 0},
        {CODE("\x62\xc1\x4d\x40\xfe\xe8"), OPERATION_VECTOR_ADD_4, VECTOR(21), VECTOR(8),
         VECTOR(22), 64, 0},
        {CODE("\x66\x0f\xfe\xc8"), OPERATION_VECTOR_ADD_4, VECTOR(1), VECTOR(0), VECTOR(1), 16, 0},
        {CODE("\x0f\x28\xca"), OPERATION_VECTOR_MOVE, VECTOR(1), VECTOR(2), NONE, 16, 0},
        {CODE("\xc5\x7c\x28\xc9"), OPERATION_VECTOR_MOVE, VECTOR(9), VECTOR(1), NONE, 32, 0},
        {CODE("\x62\x81\x7c\x48\x28\xce"), OPERATION_VECTOR_MOVE, VECTOR(17), VECTOR(30), NONE, 64,
         0},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct operation o = decode_alone(cases[i].code, cases[i].length);
        if (o.kind != cases[i].kind || o.to != cases[i].to || o.value != cases[i].value ||
            o.base != cases[i].base || o.bytes != cases[i].bytes || o.constant != cases[i].constant)
            fail_msg("case %u: kind %u, to %u, value %u, base %u, %u bytes, constant %d", i, o.kind,
                     o.to, o.value, o.base, o.bytes, (int)o.constant);
        assert_false(o.kind == OPERATION_VECTOR_MOVE && (o.structures != 0 || o.is_scheduled));
    }
}

TEST(names_what_it_does_not_know)
{
    static const struct {
        const char *code;
        size_t length;
    } unknown[] = {
        {CODE("\x0f\x77")},                 /* emms */
        {CODE("\x62\xf1\x7c\x29\x28\x1f")}, /* vmovaps ymm3{k1},[rdi] */
        {CODE("\x62\xe1\xf5\x40\xef\x0f")}, /* vpxorq zmm17,zmm17,[rdi] */
        {CODE("\xf3\x0f\x10\x07")},         /* movss xmm0,[rdi] */
        {CODE("\xf3\x90")},                 /* pause */
        {CODE("\xf3\x0f\x1e\xfa")},         /* endbr64 */
        {CODE("\x66\x31\xc9")},             /* xor cx,cx */
        {CODE("\x2e\x0f\xfe\xc8")},         /* cs paddd mm1,mm0 */
        {CODE("\x66\x2e\x0f\xfe\xc8")},     /* cs paddd xmm1,xmm0 */
        {CODE("\xc5\xf4\x47\xca")},         /* kxorw k1,k1,k2 */
        {CODE("\xc4\xe3\xfd\x00\xca\x03")}, /* vpermq */
        {CODE("\xc4\xe2\x7d\x28\x1f")},     /* vpmuldq ymm3,ymm0,[rdi] */
        {CODE("\xc5\xf4\x28\x1f")},         /* vmovaps with a second source */
        {CODE("\x62\xf1\x7c\x68\x28\x1f")}, /* of 128 bytes */
        {CODE("\x48\x0f\xaf\x07")},         /* imul rax,[rdi] */
        {CODE("\x0f\xaf\xc7")},             /* imul eax,edi */
    };
    struct operation operations[ALL_MAX];
    for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        char all[32];
        memcpy(all, unknown[i].code, unknown[i].length);
        all[unknown[i].length] = (char)0xc3;
        if (decode(all, unknown[i].length + 1, operations) != 0)
            fail_msg("unknown %u", i);
        assert_contains(error, "code offset 0 is no instruction known: ");
    }
}

/* --- carrying out --- */

#define RESULTS 64 /* bytes of the window, where the code below stores */

/* The window's first bytes are all different; where results go, they are 0xee. */
static bool run_text(const char *bytes, size_t length)
{
    uint64_t result;
    for (unsigned i = 0; i < RESULTS; i++)
        window.base[i] = (uint8_t)(i * 5 + 0xc3);
    memset(window.base + RESULTS, 0xee, 4 * (size_t)VECTOR_BYTES_MAX);
    return run_raw(bytes, length, &result);
}

/* What is stored at the results: `wanted`, whose first bytes are the window's and the others
 * `fill`. */
static void assert_stored(const char *bytes, size_t length, unsigned kept, uint8_t fill)
{
    assert_true(run_text(bytes, length));
    memset(wanted, fill, sizeof(wanted));
    memcpy(wanted, window.base, kept);
    memcpy(found, window.base + RESULTS, sizeof(found));
    assert_memory_equal(found, wanted, sizeof(wanted));
}

#define STORED(kept, fill, text) assert_stored(text, sizeof(text) - 1, kept, fill)

TEST(vectors_are_copied_whole)
{
    open_model("", 4096, PAGE_4K);
    STORED(16, 0xee, "\x0f\x10\x0f\x0f\x11\x4f\x40\xc3");
    STORED(16, 0xee, "\x44\x0f\x28\x0f\x44\x0f\x29\x4f\x40\xc3");
    STORED(32, 0xee, "\xc5\xfc\x28\x1f\xc5\xfc\x11\x5f\x40\xc3");
    STORED(64, 0xee, "\x62\xe1\x7c\x48\x28\x27\x62\xe1\x7c\x48\x11\x67\x01\xc3");
    /* by another register: vmovups zmm30,[rdi]; vmovaps zmm17,zmm30; vmovups [rdi+64],zmm17 */
    STORED(64, 0xee,
           "\x62\x61\x7c\x48\x10\x37\x62\x81\x7c\x48\x28\xce\x62\xe1\x7c\x48\x11\x4f\x01\xc3");
}

#define LOAD_ZMM1 "\x62\xf1\x7c\x48\x10\x0f"
#define STORE_ZMM1 "\x62\xf1\x7c\x48\x11\x4f\x01\xc3"

TEST(what_is_beyond_a_vector_is_zeroed_or_kept)
{
    open_model("", 4096, PAGE_4K);
    STORED(0, 0, LOAD_ZMM1 "\xc5\xf1\xef\xc9" STORE_ZMM1);  /* vpxor xmm1,xmm1,xmm1 */
    STORED(0, 0, LOAD_ZMM1 "\xc5\xfc\x77" STORE_ZMM1);      /* vzeroall */
    STORED(16, 0, LOAD_ZMM1 "\xc5\xf8\x77" STORE_ZMM1);     /* vzeroupper */
    STORED(32, 0, LOAD_ZMM1 "\xc5\xfc\x10\x0f" STORE_ZMM1); /* vmovups ymm1,[rdi] */
    STORED(64, 0, LOAD_ZMM1 "\x0f\x10\x0f" STORE_ZMM1);     /* movups xmm1,[rdi] */
    /* pxor xmm1,xmm1: the lowest 16 bytes alone */
    assert_true(run_text(LOAD_ZMM1 "\x66\x0f\xef\xc9" STORE_ZMM1,
                         sizeof(LOAD_ZMM1 "\x66\x0f\xef\xc9" STORE_ZMM1) - 1));
    memset(wanted, 0, 16);
    memcpy(wanted + 16, window.base + 16, 48);
    assert_memory_equal(window.base + RESULTS, wanted, sizeof(wanted));
    /* ZMM16 to ZMM31 stay: vmovups zmm17,[rdi]; vzeroall; vmovups [rdi+64],zmm17 */
    STORED(64, 0, "\x62\xe1\x7c\x48\x10\x0f\xc5\xfc\x77\x62\xe1\x7c\x48\x11\x4f\x01\xc3");
}

TEST(vectors_are_added)
{
    uint32_t words[8];
    uint64_t longs[8];
    open_model("", 4096, PAGE_4K);
    /* vmovups ymm2,[rdi]; vmovups ymm3,[rdi+32]; vpaddd ymm1,ymm2,ymm3 */
    assert_true(run_text("\xc5\xfc\x10\x17\xc5\xfc\x10\x5f\x20\xc5\xed\xfe\xcb" STORE_ZMM1, 21));
    memcpy(words, window.base, sizeof(words));
    for (unsigned i = 0; i < 8; i++) {
        uint32_t other, sum;
        memcpy(&other, window.base + 32 + 4 * (size_t)i, sizeof(other));
        memcpy(&sum, window.base + RESULTS + 4 * (size_t)i, sizeof(sum));
        assert_int_equal(sum, (uint32_t)(words[i] + other));
    }
    /* vmovups zmm1,[rdi]; movups xmm2,[rdi+32]; paddq xmm1,xmm2 */
    assert_true(run_text(LOAD_ZMM1 "\x0f\x10\x57\x20\x66\x0f\xd4\xca" STORE_ZMM1, 22));
    memcpy(longs, window.base, sizeof(longs));
    for (unsigned i = 0; i < 8; i++) {
        uint64_t sum;
        memcpy(&sum, window.base + RESULTS + 8 * (size_t)i, sizeof(sum));
        assert_true(sum == longs[i] + (i < 2 ? longs[4 + i] : 0));
    }
}

TEST(what_is_aligned_has_to_be)
{
    open_model("", 4096, PAGE_4K);
    /* vmovups zmm1,[rdi+4] and vmovaps zmm1,[rdi+4] */
    assert_true(run_text("\x62\xf1\x7c\x48\x10\x8f\x04\x00\x00\x00\xc3", 11));
    assert_false(run_text("\x62\xf1\x7c\x48\x28\x8f\x04\x00\x00\x00\xc3", 11));
    assert_string_equal(
        platform->fault,
        "model: the instruction at code offset 0 has an address that is not aligned");
    assert_false(run_text("\x0f\x10\x44\x24\x20\xc3", 6)); /* movups xmm0,[rsp+32] */
    assert_contains(platform->fault, "leaves the stack");
}
