/* encoder: the bytes of each instruction. */
#include "encoder.h"

#include "../lib/string.h"

/* An instruction, or a few, of fixed bytes. */
#define FIXED(name, ...)                                                                           \
    void encode_##name(struct encoder *e)                                                          \
    {                                                                                              \
        static const uint8_t bytes[] = {__VA_ARGS__};                                              \
        encode_raw(e, bytes, sizeof bytes);                                                        \
    }

FIXED(cpuid_leaf_0, 0x31, 0xc0, 0x0f, 0xa2)
FIXED(lfence, 0x0f, 0xae, 0xe8)
FIXED(mfence, 0x0f, 0xae, 0xf0)
FIXED(rdtsc, 0x0f, 0x31)
FIXED(rdtscp, 0x0f, 0x01, 0xf9)
FIXED(keep_time, 0x49, 0x89, 0xc0, 0x49, 0x89, 0xd1)
/* shl rdx,32; or rax,rdx; shl r9,32; or r8,r9; sub rax,r8 */
FIXED(elapsed_time, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x49, 0xc1, 0xe1, 0x20, 0x4d, 0x09,
      0xc8, 0x4c, 0x29, 0xc0)
FIXED(return, 0xc3)
FIXED(store_waiting, 0x49, 0x89, 0x0c, 0x07)
/* push rbx, rbp, r12 to r15; sub rsp,8 */
FIXED(enter, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x83, 0xec, 0x08)
FIXED(leave, 0x48, 0x83, 0xc4, 0x08, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b)

void encode_raw(struct encoder *e, const uint8_t *bytes, size_t count)
{
    if (e->overflow || count > e->room - e->length) {
        e->overflow = true;
        return;
    }
    memcpy(e->at + e->length, bytes, count);
    e->length += count;
}

void encode_read_counter(struct encoder *e, uint32_t index)
{
    uint8_t bytes[] = {0xb9, 0, 0, 0, 0, 0x0f, 0x33};
    memcpy(bytes + 1, &index, sizeof index);
    encode_raw(e, bytes, sizeof bytes);
}

void encode_write_register(struct encoder *e, uint32_t index, uint64_t value)
{
    uint8_t bytes[] = {0xb9, 0, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xba, 0, 0, 0, 0, 0x0f, 0x30};
    memcpy(bytes + 1, &index, sizeof index);
    memcpy(bytes + 6, &value, sizeof index); /* its low half */
    value >>= 32;
    memcpy(bytes + 11, &value, sizeof index);
    encode_raw(e, bytes, sizeof bytes);
}

static void register_pair(struct encoder *e, uint8_t opcode, unsigned to, unsigned from)
{
    uint8_t bytes[] = {(uint8_t)(0x48 | (from >> 3) << 2 | to >> 3), opcode,
                       (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7))};
    encode_raw(e, bytes, sizeof bytes);
}

#define REGISTER_PAIR(name, opcode)                                                                \
    void encode_##name(struct encoder *e, unsigned to, unsigned from)                              \
    {                                                                                              \
        register_pair(e, opcode, to, from);                                                        \
    }

REGISTER_PAIR(copy, 0x89)
REGISTER_PAIR(add, 0x01)
REGISTER_PAIR(subtract, 0x29)

void encode_clear(struct encoder *e, unsigned reg)
{
    uint8_t bytes[] = {0x45, 0x31, (uint8_t)(0xc0 | (reg & 7) * 9)};
    encode_raw(e, reg < R8 ? bytes + 1 : bytes, reg < R8 ? 2 : 3);
}

void encode_constant(struct encoder *e, unsigned to, uint64_t value)
{
    uint8_t bytes[10] = {(uint8_t)(0x48 | to >> 3), (uint8_t)(0xb8 | (to & 7))};
    memcpy(bytes + 2, &value, sizeof value);
    encode_raw(e, bytes, sizeof bytes);
}

/* Its opcode and ModRM, and a displacement of 32 bits from RDI. */
static void window_access(struct encoder *e, const uint8_t *opcode, size_t length,
                          int32_t displacement)
{
    encode_raw(e, opcode, length);
    encode_raw(e, (const uint8_t *)&displacement, sizeof displacement);
}

#define WINDOW_ACCESS(name, ...)                                                                   \
    void encode_##name(struct encoder *e, int32_t displacement)                                    \
    {                                                                                              \
        static const uint8_t opcode[] = {__VA_ARGS__};                                             \
        window_access(e, opcode, sizeof opcode, displacement);                                     \
    }

WINDOW_ACCESS(line_address, 0x4c, 0x8d, 0xbf)
WINDOW_ACCESS(load, 0x48, 0x8b, 0x87)
WINDOW_ACCESS(dependent_load, 0x48, 0x8b, 0x84, 0x07)
WINDOW_ACCESS(prefetch, 0x0f, 0x18, 0x8f)
WINDOW_ACCESS(store, 0x48, 0x89, 0x87)
WINDOW_ACCESS(store_past, 0x48, 0x0f, 0xc3, 0x87)

/* REX.W opcode ModRM(mod 01, reg, base) displacement: 8 bits, since there are few slots. */
static void slot_access(struct encoder *e, uint8_t opcode, unsigned reg, unsigned base,
                        unsigned slot)
{
    uint8_t bytes[4] = {
        (uint8_t)(0x48 | (reg >> 3) << 2 | base >> 3),
        opcode,
        (uint8_t)(0x40 | (reg & 7) << 3 | (base & 7)),
        (uint8_t)(8 * slot),
    };
    encode_raw(e, bytes, sizeof bytes);
}

void encode_load_slot(struct encoder *e, unsigned to, unsigned base, unsigned slot)
{
    slot_access(e, 0x8b, to, base, slot);
}

void encode_store_slot(struct encoder *e, unsigned base, unsigned slot, unsigned from)
{
    slot_access(e, 0x89, from, base, slot);
}

void encode_follow(struct encoder *e, unsigned reg)
{
    unsigned low = reg & 7;
    uint8_t rex = (uint8_t)(0x48 | (reg >> 3) << 2 | reg >> 3);
    if (low == 4) { /* rsp, r12 as a base need a SIB byte */
        uint8_t bytes[] = {rex, 0x8b, (uint8_t)(low << 3 | 4), 0x24};
        encode_raw(e, bytes, sizeof bytes);
    } else if (low == 5) { /* rbp, r13 need a displacement */
        slot_access(e, 0x8b, reg, reg, 0);
    } else {
        uint8_t bytes[] = {rex, 0x8b, (uint8_t)(low << 3 | low)};
        encode_raw(e, bytes, sizeof bytes);
    }
}

/* 0F 28 /r and 0F 29 /r, with a prefix for more than 16 bytes: VEX.256 or EVEX.512. */
void encode_vector(struct encoder *e, bool stores, unsigned width, unsigned reg,
                   int32_t displacement)
{
    static const struct {
        uint8_t length, bytes[4];
    } starts[] = {{1, {0x0f}}, {2, {0xc5, 0xfc}}, {4, {0x62, 0xf1, 0x7c, 0x48}}};
    uint8_t bytes[] = {stores ? 0x29 : 0x28, (uint8_t)(0x87 | reg << 3)};
    encode_raw(e, starts[width / 32].bytes, starts[width / 32].length);
    window_access(e, bytes, sizeof bytes, displacement);
}

void encode_vector_end(struct encoder *e, unsigned width)
{
    static const uint8_t vzeroupper[] = {0xc5, 0xf8, 0x77};
    if (width > 16)
        encode_raw(e, vzeroupper, sizeof vzeroupper);
}

void encode_next_turn(struct encoder *e, int32_t step, size_t start)
{
    static const uint8_t add[] = {0x48, 0x81, 0xc7};
    /* cmp rdi,r11; cmovae rdi,rsi; dec rcx; jnz */
    static const uint8_t rest[] = {0x4c, 0x39, 0xdf, 0x48, 0x0f, 0x43,
                                   0xfe, 0x48, 0xff, 0xc9, 0x0f, 0x85};
    window_access(e, add, sizeof add, step);
    encode_raw(e, rest, sizeof rest);
    int32_t back = (int32_t)start - (int32_t)(e->length + sizeof back);
    encode_raw(e, (const uint8_t *)&back, sizeof back);
}
