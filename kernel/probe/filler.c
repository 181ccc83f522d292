/* filler: the bytes of each kind; kinds that write a register take four in turn. */
#include "filler.h"

#include "../lib/string.h"

#define VARIANTS 4

/* Four chains, so that they are never the slowest part: K of them take K/4 cycles. */
static const struct {
    uint8_t length;
    uint8_t bytes[VARIANTS][8];
} fillers[FILLER_KINDS] = {
    [FILLER_NOP] = {1, {{0x90}, {0x90}, {0x90}, {0x90}}},
    /* nop dword [rax+rax+0]: the recommended eight-byte form (Intel SDM 2B, NOP) */
    [FILLER_LONG_NOP] = {8,
                         {{0x0f, 0x1f, 0x84, 0x00},
                          {0x0f, 0x1f, 0x84, 0x00},
                          {0x0f, 0x1f, 0x84, 0x00},
                          {0x0f, 0x1f, 0x84, 0x00}}},
    /* add rcx|rdx|rsi|r11, rdi: no immediate, which some processors add while renaming */
    [FILLER_ADD] =
        {3, {{0x48, 0x01, 0xf9}, {0x48, 0x01, 0xfa}, {0x48, 0x01, 0xfe}, {0x49, 0x01, 0xfb}}},
    /* paddd xmm1|xmm2|xmm3|xmm4, xmm0 */
    [FILLER_VECTOR_ADD] = {4,
                           {{0x66, 0x0f, 0xfe, 0xc8},
                            {0x66, 0x0f, 0xfe, 0xd0},
                            {0x66, 0x0f, 0xfe, 0xd8},
                            {0x66, 0x0f, 0xfe, 0xe0}}},
    /* mov rcx|rdx|rsi|r11, [rsp] */
    [FILLER_LOAD] = {4,
                     {{0x48, 0x8b, 0x0c, 0x24},
                      {0x48, 0x8b, 0x14, 0x24},
                      {0x48, 0x8b, 0x34, 0x24},
                      {0x4c, 0x8b, 0x1c, 0x24}}},
    /* mov [rsp], rcx|rdx|rsi|r11 */
    [FILLER_STORE] = {4,
                      {{0x48, 0x89, 0x0c, 0x24},
                       {0x48, 0x89, 0x14, 0x24},
                       {0x48, 0x89, 0x34, 0x24},
                       {0x4c, 0x89, 0x1c, 0x24}}},
    /* add rcx|rdx|rsi|r11, rax */
    [FILLER_WAITING_ADD] =
        {3, {{0x48, 0x01, 0xc1}, {0x48, 0x01, 0xc2}, {0x48, 0x01, 0xc6}, {0x49, 0x01, 0xc3}}},
};

void encode_fillers(struct encoder *e, enum filler kind, unsigned count)
{
    uint8_t unit[VARIANTS * sizeof fillers->bytes[0]];
    size_t length = fillers[kind].length;
    for (unsigned i = 0; i < VARIANTS; i++)
        memcpy(unit + i * length, fillers[kind].bytes[i], length);
    for (; count >= VARIANTS; count -= VARIANTS)
        encode_raw(e, unit, VARIANTS * length);
    encode_raw(e, unit, count * length);
}
