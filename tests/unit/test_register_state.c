/* test_register_state: a probe begins with registers that hold nothing, whatever they held. */
#include "../../kernel/probe/register_state.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 4096

static uint8_t *code;

SETUP_ALL(open)
{
    code = code_open(CODE_BYTES);
}

TEARDOWN_ALL(close)
{
    code_close(code, CODE_BYTES);
}

static size_t emit(enum vector_registers vectors)
{
    struct encoder e = {.at = code, .room = CODE_BYTES};
    encode_clear_registers(&e, vectors);
    encode_return(&e);
    assert_false(e.overflow);
    return e.length;
}

/* All that can be seen from here; those that a body needs stay. */
TEST(cleared)
{
    const uint32_t general = 1u << RBX | 1u << RCX | 1u << RSI | 1u << RBP | 0xfc00;
    for (enum vector_registers vectors = 0; vectors <= registers_usable(); vectors++) {
        struct all_registers r;
        emit(vectors);
        for (unsigned i = 0; i < 16; i++) {
            r.general[i] = i == RSP ? 0 : i + 1;
            r.vector[i][0] = r.vector[i][1] = ~(uint64_t)i;
        }
        call_with_all(code, &r);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(r.vector[i][0] | r.vector[i][1], 0);
            if (i != RSP)
                assert_int_equal(r.general[i], general >> i & 1 ? 0 : i + 1);
        }
    }
}

/* Counts the lines of a listing with these words. */
static unsigned lines_with(size_t length, const char *words)
{
    FILE *output = disassembled(code, length);
    char line[256];
    unsigned count = 0;
    while (fgets(line, sizeof line, output) != NULL)
        count += strstr(line, words) != NULL;
    fclose(output);
    return count;
}

/* Each is cleared by an instruction that only names itself. */
TEST(disassembled)
{
    char words[40];
    size_t length = emit(VECTORS_AVX512);
    assert_int_equal(lines_with(length, "vzeroall"), 1);
    for (unsigned i = 16; i < 32; i++) {
        snprintf(words, sizeof words, "xmm%u,xmm%u,xmm%u\n", i, i, i);
        assert_int_equal(lines_with(length, words), 1);
    }
    for (unsigned i = 0; i < 8; i++) {
        snprintf(words, sizeof words, "k%u,k%u,k%u\n", i, i, i);
        assert_int_equal(lines_with(length, words), 1);
    }
    assert_numbers((lines_with(length, "vpxord"), lines_with(length, "kxorw")), (16, 8));
    assert_int_equal(lines_with(emit(VECTORS_AVX), "xmm"), 0);
    assert_int_equal(lines_with(emit(VECTORS_SSE), "pxor"), 16);
    assert_int_equal(lines_with(emit(VECTORS_UNKNOWN), "vzeroall"), 0);
}
