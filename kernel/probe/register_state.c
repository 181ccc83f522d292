/* register_state: clearing instructions that cores do while renaming, where there are any. */
#include "register_state.h"

#include "../cpu/cpuid.h"
#include "../cpu/processor.h"

#define AVX512VL (1u << 31) /* CPUID.(7,0):EBX */

enum vector_registers registers_usable(void)
{
    unsigned width = vector_width();
    if (width < 32)
        return VECTORS_SSE;
    bool has_short = (cpuid_read(7, 0).ebx & AVX512VL) != 0;
    return width == 64 && has_short ? VECTORS_AVX512 : VECTORS_AVX;
}

/* pxor xmm,xmm: with a prefix from the ninth on. */
static void clear_vectors(struct encoder *e)
{
    for (unsigned i = 0; i < 16; i++) {
        static const uint8_t start[] = {0x66, 0x45};
        uint8_t rest[] = {0x0f, 0xef, (uint8_t)(0xc0 | (i & 7) * 9)};
        encode_raw(e, start, i < 8 ? 1 : 2);
        encode_raw(e, rest, sizeof rest);
    }
}

/* vpxord xmm16,xmm16,xmm16 to xmm31: of 128 bits, since wide ones slow some cores' clocks; the
 * others are cleared with them. Then kxorw k0,k0,k0 to k7. */
static void clear_upper_vectors(struct encoder *e)
{
    for (unsigned i = 0; i < 16; i++) {
        uint8_t bytes[] = {
            0x62, (uint8_t)(i < 8 ? 0xa1 : 0x01), (uint8_t)(0x05 | (~i & 15) << 3), 0x00,
            0xef, (uint8_t)(0xc0 | (i & 7) * 9)};
        encode_raw(e, bytes, sizeof bytes);
    }
    for (unsigned i = 0; i < 8; i++) {
        uint8_t bytes[] = {0xc5, (uint8_t)(0x84 | (~i & 15) << 3), 0x47, (uint8_t)(0xc0 | i * 9)};
        encode_raw(e, bytes, sizeof bytes);
    }
}

void encode_clear_registers(struct encoder *e, enum vector_registers vectors)
{
    static const uint8_t vzeroall[] = {0xc5, 0xfc, 0x77};
    static const uint8_t registers[] = {RBX, RCX, RSI, RBP, R10, R11, R12, R13, R14, R15};
    if (vectors < VECTORS_AVX)
        clear_vectors(e);
    else
        encode_raw(e, vzeroall, sizeof vzeroall);
    if (vectors == VECTORS_AVX512)
        clear_upper_vectors(e);
    for (unsigned i = 0; i < sizeof registers; i++)
        encode_clear(e, registers[i]);
}
