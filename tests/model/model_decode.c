/* model_decode: prefixes, opcode and ModRM (Intel SDM volume 2, chapter 2) of what probes hold. */
#include "model_decode.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 8
#define RIP_RELATIVE 5 /* ModRM's base when mod is 0: not supported */

#define MAP_0F 1 /* of opcodes, in VEX and EVEX */

/* Prefixes that belong to a vector instruction's opcode, as VEX and EVEX number them. */
enum opcode_prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };
enum encoding { ENCODING_LEGACY, ENCODING_VEX, ENCODING_EVEX };

/* The decoder, with the state of the current instruction from `prefix` on. */
struct decoder {
    const uint8_t *code;
    size_t bytes, at;
    struct operation *to;
    uint8_t opcode;
    enum opcode_prefix prefix;
    bool is_padded; /* by a prefix that changes nothing */
    enum encoding encoding;
    uint8_t rex;             /* W, R, X, B, wherever they are encoded; 0: none */
    uint8_t reg_high;        /* 16: of EVEX, the upper half of the registers */
    uint8_t second;          /* VEX and EVEX: another source */
    uint8_t vector_bytes;    /* 16, 32, 64 */
    unsigned constant_scale; /* of an address's constant of one byte */
};

/* Returns the byte at `at`; past the end 0. */
static uint8_t this_byte(const struct decoder *d)
{
    return d->at < d->bytes ? d->code[d->at] : 0;
}

/* Returns the next byte; past the end 0, and `at` exceeds `bytes`. */
static uint8_t next_byte(struct decoder *d)
{
    uint8_t byte = this_byte(d);
    d->at++;
    return byte;
}

static int32_t next_constant(struct decoder *d, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)next_byte(d) << (8 * i);
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

static bool is_wide(const struct decoder *d)
{
    return (d->rex & 8) != 0;
}

struct modrm {
    bool is_memory;
    uint8_t reg;       /* with REX.R, and EVEX's upper half */
    uint8_t register_; /* with REX.B, and of EVEX X; when not memory */
};

static bool read_sib(struct decoder *d, uint8_t mod)
{
    uint8_t sib = next_byte(d);
    uint8_t index = (uint8_t)((sib >> 3 & 7) | (d->rex & 2) << 2);
    if ((sib & 7) == RIP_RELATIVE && mod == 0)
        return false; /* an address without a base */
    d->to->base = (uint8_t)((sib & 7) | (d->rex & 1) << 3);
    d->to->index = index == REGISTER_RSP ? REGISTER_NONE : index;
    d->to->shift = sib >> 6;
    return true;
}

static bool read_modrm(struct decoder *d, struct modrm *m)
{
    uint8_t byte = next_byte(d), mod = byte >> 6, low = byte & 7;
    m->reg = (uint8_t)((byte >> 3 & 7) | (d->rex & 4) << 1 | d->reg_high);
    m->register_ = (uint8_t)(low | (d->rex & 1) << 3);
    m->is_memory = mod != 3;
    if (!m->is_memory) {
        m->register_ |= d->encoding == ENCODING_EVEX ? (d->rex & 2) << 3 : 0;
        return true;
    }
    if (low == RIP_RELATIVE && mod == 0)
        return false;
    d->to->base = m->register_;
    if (low == REGISTER_RSP && !read_sib(d, mod))
        return false;
    if (mod == 1)
        d->to->constant = (int64_t)next_constant(d, 1) * d->constant_scale;
    else if (mod == 2)
        d->to->constant = next_constant(d, 4);
    return true;
}

static void needs(struct operation *o, uint8_t a, uint8_t b, uint8_t c)
{
    o->source[0] = a;
    o->source[1] = b;
    o->source[2] = c;
}

static void computes(struct operation *o, uint8_t to, uint8_t value)
{
    o->to = to;
    o->value = value;
    o->structures = 1 << INT_REGS;
    o->is_scheduled = true;
    needs(o, to, value, REGISTER_NONE);
}

static void loads(struct operation *o, uint8_t to)
{
    o->to = to;
    o->structures = (to >= REGISTER_VECTOR ? 1 << VEC_REGS : 1 << INT_REGS) | 1 << LOAD_QUEUE;
    o->is_scheduled = true;
    needs(o, o->base, o->index, REGISTER_NONE);
}

static void stores(struct operation *o, uint8_t value)
{
    o->value = value;
    o->structures = 1 << STORE_QUEUE;
    o->is_scheduled = true;
    needs(o, o->base, o->index, value);
}

/* --- what the operands mean; false: there is no such instruction here --- */

static bool no_operands(struct decoder *d, const struct modrm *m)
{
    (void)d;
    (void)m;
    return true;
}

/* Two registers, the first of which is written. */
static bool to_register(struct decoder *d, const struct modrm *m)
{
    computes(d->to, m->register_, m->reg);
    return true;
}

/* The same the other way round. */
static bool to_reg(struct decoder *d, const struct modrm *m)
{
    computes(d->to, m->reg, m->register_);
    return true;
}

/* Clears a register, also with 32 bits. */
static bool exclusive_or(struct decoder *d, const struct modrm *m)
{
    if (m->reg != m->register_)
        return is_wide(d) && to_register(d, m);
    d->to->kind = OPERATION_CLEAR;
    d->to->to = m->reg;
    return true;
}

static bool with_constant(struct decoder *d, const struct modrm *m)
{
    int32_t constant = next_constant(d, 1);
    computes(d->to, m->register_, REGISTER_NONE);
    if (d->to->kind != OPERATION_ADD_CONSTANT)
        constant &= 63;
    else if ((m->reg & 7) == 5) /* sub */
        constant = -constant;
    d->to->constant = constant;
    return true;
}

/* The register in an opcode's last bits. */
static uint8_t register_of_opcode(const struct decoder *d)
{
    return (uint8_t)((d->opcode & 7) | (d->rex & 1) << 3);
}

/* A constant for 64 bits, or for 32, which clears the others. */
static bool set(struct decoder *d, const struct modrm *m)
{
    uint64_t low = (uint32_t)next_constant(d, 4);
    uint64_t high = is_wide(d) ? (uint32_t)next_constant(d, 4) : 0;
    (void)m;
    computes(d->to, register_of_opcode(d), REGISTER_NONE);
    needs(d->to, REGISTER_NONE, REGISTER_NONE, REGISTER_NONE);
    d->to->constant = (int64_t)(high << 32 | low);
    return true;
}

/* The front end keeps RSP itself, which costs nothing. */
static bool stack(struct decoder *d, const struct modrm *m)
{
    (void)m;
    d->to->base = REGISTER_RSP;
    if (d->to->kind == OPERATION_PUSH)
        stores(d->to, register_of_opcode(d));
    else
        loads(d->to, register_of_opcode(d));
    return true;
}

static bool address(struct decoder *d, const struct modrm *m)
{
    computes(d->to, m->reg, REGISTER_NONE);
    needs(d->to, d->to->base, d->to->index, REGISTER_NONE);
    return true;
}

static bool store_past(struct decoder *d, const struct modrm *m)
{
    stores(d->to, m->reg);
    return true;
}

/* Into all levels, the nearest of the hints. */
static bool prefetch(struct decoder *d, const struct modrm *m)
{
    (void)m;
    d->to->structures = 1 << LOAD_QUEUE;
    d->to->is_scheduled = true;
    needs(d->to, d->to->base, d->to->index, REGISTER_NONE);
    return true;
}

/* A load or a store; or between registers a move by renaming alone: no execution, no register. */
static bool move_in(struct decoder *d, uint8_t reg, uint8_t other, bool is_memory)
{
    bool is_load = d->to->kind == OPERATION_LOAD;
    if (is_memory && is_load)
        loads(d->to, reg);
    else if (is_memory)
        stores(d->to, reg);
    if (is_memory)
        return true;
    d->to->kind = reg >= REGISTER_VECTOR ? OPERATION_VECTOR_MOVE : OPERATION_MOVE;
    d->to->to = is_load ? reg : other;
    d->to->value = is_load ? other : reg;
    needs(d->to, d->to->value, REGISTER_NONE, REGISTER_NONE);
    return true;
}

static bool move(struct decoder *d, const struct modrm *m)
{
    return move_in(d, m->reg, m->register_, m->is_memory);
}

static bool move_vector(struct decoder *d, const struct modrm *m)
{
    return d->second == 0 &&
           move_in(d, REGISTER_VECTOR + m->reg, REGISTER_VECTOR + m->register_, m->is_memory);
}

static bool move_aligned(struct decoder *d, const struct modrm *m)
{
    d->to->is_aligned = m->is_memory;
    return move_vector(d, m);
}

/* The first operand of a legacy instruction is a source as well. */
static bool of_vectors(struct decoder *d, const struct modrm *m)
{
    uint8_t to = REGISTER_VECTOR + m->reg, value = REGISTER_VECTOR + m->register_;
    uint8_t other = d->to->keeps_upper ? to : REGISTER_VECTOR + d->second;
    if (d->to->kind == OPERATION_VECTOR_XOR && other == value) {
        /* Nothing but the register's name is changed. SSE merges with the upper half, which takes
         * a register (seen on Zen 4: pxor takes one, vpxor none). */
        d->to->kind = OPERATION_VECTOR_CLEAR;
        d->to->to = to;
        d->to->structures = d->to->keeps_upper ? 1 << VEC_REGS : 0;
        return true;
    }
    computes(d->to, to, value);
    d->to->structures = 1 << VEC_REGS;
    d->to->base = other;
    needs(d->to, other, value, d->to->keeps_upper ? to : REGISTER_NONE);
    return true;
}

static bool clear_all(struct decoder *d, const struct modrm *m)
{
    (void)m;
    d->to->kind = d->vector_bytes == 32 ? OPERATION_CLEAR_ALL : OPERATION_CLEAR_UPPER;
    return d->second == 0;
}

static bool clear_mask(struct decoder *d, const struct modrm *m)
{
    d->to->to = REGISTER_MASK + m->reg;
    return d->vector_bytes == 32 && m->reg < 8 && m->reg == m->register_ && m->reg == d->second;
}

/* --- the instructions --- */

/* Encodings and prefixes that an instruction may have. PS and PD are the same here. */
enum { LEGACY = 1 << ENCODING_LEGACY, VEX = 1 << ENCODING_VEX, ALL = LEGACY | VEX | 4 };
enum { PLAIN = 1 << PREFIX_NONE, X66 = 1 << PREFIX_66, XF3 = 1 << PREFIX_F3, PACKED = PLAIN | X66 };

/* Further needs of an instruction. */
enum { MODRM = 1, WIDE = 2, MEMORY = 4, VECTOR = 8, NO_REX = 16 };

/* Bits of the byte behind the opcode, and their value: any, registers, an extension, all. */
#define ANY 0, 0
#define REGS 0xc0, 0xc0
#define EXTENSION(n) 0x38, (n) << 3
#define REG_EXTENSION(n) 0xf8, 0xc0 | (n) << 3
#define BYTE(byte) 0xff, byte

static const struct instruction {
    uint16_t opcode, count; /* the first of so many; 0x0f..: behind 0F, or within VEX and EVEX */
    uint8_t encodings, prefixes, mask, value, needs, kind;
    bool (*operands)(struct decoder *d, const struct modrm *m);
} instructions[] = {
    {0x01, 1, LEGACY, PLAIN, REGS, MODRM | WIDE, OPERATION_ADD, to_register},
    {0x09, 1, LEGACY, PLAIN, REGS, MODRM | WIDE, OPERATION_OR, to_register},
    {0x21, 1, LEGACY, PLAIN, REGS, MODRM | WIDE, OPERATION_AND, to_register},
    {0x29, 1, LEGACY, PLAIN, REGS, MODRM | WIDE, OPERATION_SUBTRACT, to_register},
    {0x31, 1, LEGACY, PLAIN, REGS, MODRM, OPERATION_XOR, exclusive_or},
    {0x50, 8, LEGACY, PLAIN, ANY, 0, OPERATION_PUSH, stack},
    {0x58, 8, LEGACY, PLAIN, ANY, 0, OPERATION_POP, stack},
    {0x83, 1, LEGACY, PLAIN, REG_EXTENSION(0), MODRM | WIDE, OPERATION_ADD_CONSTANT, with_constant},
    {0x83, 1, LEGACY, PLAIN, REG_EXTENSION(5), MODRM | WIDE, OPERATION_ADD_CONSTANT, with_constant},
    {0x89, 1, LEGACY, PLAIN, ANY, MODRM | WIDE, OPERATION_STORE, move},
    {0x8b, 1, LEGACY, PLAIN, ANY, MODRM | WIDE, OPERATION_LOAD, move},
    {0x8d, 1, LEGACY, PLAIN, ANY, MODRM | WIDE | MEMORY, OPERATION_ADDRESS, address},
    /* with REX.B it would exchange registers; behind F3 it is another one */
    {0x90, 1, LEGACY, PACKED, ANY, NO_REX, OPERATION_NOP, no_operands},
    {0xb8, 8, LEGACY, PLAIN, ANY, 0, OPERATION_CONSTANT, set},
    {0xc1, 1, LEGACY, PLAIN, REG_EXTENSION(4), MODRM | WIDE, OPERATION_SHIFT_LEFT, with_constant},
    {0xc1, 1, LEGACY, PLAIN, REG_EXTENSION(5), MODRM | WIDE, OPERATION_SHIFT_RIGHT, with_constant},
    {0xc3, 1, LEGACY, PLAIN, ANY, 0, OPERATION_RETURN, no_operands},
    {0x0f01, 1, LEGACY, PLAIN, BYTE(0xf9), MODRM, OPERATION_TIME_AFTER, no_operands},
    {0x0f10, 1, ALL, PACKED, ANY, MODRM | VECTOR, OPERATION_LOAD, move_vector}, /* movups */
    {0x0f11, 1, ALL, PACKED, ANY, MODRM | VECTOR, OPERATION_STORE, move_vector},
    {0x0f18, 1, LEGACY, PLAIN, EXTENSION(1), MODRM | MEMORY, OPERATION_PREFETCH, prefetch},
    {0x0f1f, 1, LEGACY, PACKED | XF3, EXTENSION(0), MODRM, OPERATION_NOP, no_operands},
    {0x0f28, 1, ALL, PACKED, ANY, MODRM | VECTOR, OPERATION_LOAD, move_aligned}, /* movaps */
    {0x0f29, 1, ALL, PACKED, ANY, MODRM | VECTOR, OPERATION_STORE, move_aligned},
    {0x0f30, 1, LEGACY, PLAIN, ANY, 0, OPERATION_WRITE, no_operands},
    {0x0f31, 1, LEGACY, PLAIN, ANY, 0, OPERATION_TIME, no_operands},
    {0x0f33, 1, LEGACY, PLAIN, ANY, 0, OPERATION_COUNT, no_operands},
    {0x0f47, 1, VEX, PACKED, REGS, MODRM, OPERATION_MASK_CLEAR, clear_mask},
    {0x0f57, 1, ALL, PACKED, REGS, MODRM | VECTOR, OPERATION_VECTOR_XOR, of_vectors}, /* xorps */
    {0x0f6f, 1, ALL, X66, ANY, MODRM | VECTOR, OPERATION_LOAD, move_aligned},         /* movdqa */
    {0x0f7f, 1, ALL, X66, ANY, MODRM | VECTOR, OPERATION_STORE, move_aligned},
    {0x0f6f, 1, ALL, XF3, ANY, MODRM | VECTOR, OPERATION_LOAD, move_vector}, /* movdqu */
    {0x0f7f, 1, ALL, XF3, ANY, MODRM | VECTOR, OPERATION_STORE, move_vector},
    {0x0f77, 1, VEX, PLAIN, ANY, 0, OPERATION_CLEAR_UPPER, clear_all},
    {0x0fa2, 1, LEGACY, PLAIN, ANY, 0, OPERATION_IDENTIFY, no_operands},
    {0x0fae, 1, LEGACY, PLAIN, BYTE(0xe8), MODRM, OPERATION_FENCE, no_operands},
    {0x0fae, 1, LEGACY, PLAIN, BYTE(0xf0), MODRM, OPERATION_DRAIN, no_operands},
    {0x0faf, 1, LEGACY, PLAIN, REGS, MODRM | WIDE, OPERATION_MULTIPLY, to_reg},
    {0x0fc3, 1, LEGACY, PLAIN, ANY, MODRM | WIDE | MEMORY, OPERATION_STORE_PAST, store_past},
    {0x0fd4, 1, ALL, X66, REGS, MODRM | VECTOR, OPERATION_VECTOR_ADD_8, of_vectors}, /* paddq */
    {0x0fef, 1, ALL, X66, REGS, MODRM | VECTOR, OPERATION_VECTOR_XOR, of_vectors},   /* pxor */
    {0x0ffe, 1, ALL, X66, REGS, MODRM | VECTOR, OPERATION_VECTOR_ADD_4, of_vectors}, /* paddd */
};

static bool decode_operands(struct decoder *d, const struct instruction *i)
{
    struct modrm m = {.is_memory = false};
    d->to->kind = i->kind;
    if (i->needs & VECTOR) {
        d->to->bytes = d->vector_bytes;
        d->to->keeps_upper = d->encoding == ENCODING_LEGACY;
    }
    if ((i->needs & WIDE && !is_wide(d)) || (i->needs & NO_REX && d->rex != 0))
        return false;
    if (i->needs & MODRM && !read_modrm(d, &m))
        return false;
    return (m.is_memory || !(i->needs & MEMORY)) && i->operands(d, &m);
}

/* Decodes what stands behind the prefixes. */
static bool decode_opcode(struct decoder *d, bool is_map_0f)
{
    d->opcode = next_byte(d);
    const unsigned opcode = (is_map_0f ? 0x0f00 : 0) | d->opcode;
    for (size_t n = 0; n < sizeof instructions / sizeof *instructions; n++) {
        const struct instruction *i = &instructions[n];
        if (opcode - i->opcode < i->count && i->encodings >> d->encoding & 1 &&
            i->prefixes >> d->prefix & 1 && (this_byte(d) & i->mask) == i->value)
            return decode_operands(d, i);
    }
    return false;
}

/* Inverted: R, X, B of one byte and, of the next, W, a register, a bit of the length, a prefix. */
static void read_vex(struct decoder *d, uint8_t high, uint8_t low)
{
    d->encoding = ENCODING_VEX;
    d->rex = (uint8_t)(0x40 | (low >> 7) << 3 | (~high >> 5 & 7));
    d->second = ~low >> 3 & 15;
    d->vector_bytes = low & 4 ? 32 : 16;
    d->prefix = low & 3;
}

static bool decode_vex(struct decoder *d, bool is_long)
{
    uint8_t high = next_byte(d), low = high & 0x7f; /* of two bytes: W is 0, X and B are not set */
    if (is_long)
        low = next_byte(d);
    else
        high |= 0x60;
    read_vex(d, high, low);
    return (!is_long || (high & 31) == MAP_0F) && decode_opcode(d, true);
}

/* Decodes EVEX without masks, broadcasts and rounding. */
static bool decode_evex(struct decoder *d)
{
    uint8_t high = next_byte(d), low = next_byte(d), last = next_byte(d);
    read_vex(d, high, low);
    d->encoding = ENCODING_EVEX;
    d->reg_high = high & 0x10 ? 0 : 16;
    d->second |= last & 8 ? 0 : 16;
    d->vector_bytes = (uint8_t)(16 << (last >> 5 & 3));
    d->constant_scale = d->vector_bytes; /* as all whole vectors have it */
    bool is_plain = (high & 15) == MAP_0F && low & 4 && (last & 0x97) == 0;
    return is_plain && (last >> 5 & 3) < 3 && decode_opcode(d, true);
}

static bool decode_instruction(struct decoder *d)
{
    uint8_t byte = next_byte(d);
    for (; byte == 0x66 || byte == 0x2e; byte = next_byte(d)) {
        if (byte == 0x66)
            d->prefix = PREFIX_66;
        else
            d->is_padded = true;
    }
    if (byte == 0xf3) {
        d->prefix = PREFIX_F3;
        byte = next_byte(d);
    }
    if (d->prefix == PREFIX_NONE && (byte == 0xc4 || byte == 0xc5))
        return decode_vex(d, byte == 0xc4);
    if (d->prefix == PREFIX_NONE && byte == 0x62)
        return decode_evex(d);
    if ((byte & 0xf0) == 0x40) {
        d->rex = byte;
        byte = next_byte(d);
    }
    bool is_map_0f = byte == 0x0f;
    d->at -= !is_map_0f;
    return decode_opcode(d, is_map_0f);
}

/* Decodes the instruction at d->at, which moves behind it; all other state starts anew. */
static bool decode_one(struct decoder *d, struct operation *to)
{
    const size_t start = d->at;
    *d = (struct decoder){.code = d->code,
                          .bytes = d->bytes,
                          .at = start,
                          .to = to,
                          .vector_bytes = 16,
                          .constant_scale = 1};
    *to = (struct operation){
        .to = REGISTER_NONE,
        .source = {REGISTER_NONE, REGISTER_NONE, REGISTER_NONE},
        .value = REGISTER_NONE,
        .base = REGISTER_NONE,
        .index = REGISTER_NONE,
        .bytes = sizeof(uint64_t),
        .offset = (uint32_t)start,
    };
    bool is_known = decode_instruction(d);
    to->length = (uint8_t)(d->at - start);
    is_known = is_known && (!d->is_padded || to->kind == OPERATION_NOP);
    return is_known && d->at - start <= INSTRUCTION_BYTES_MAX;
}

static void complain(const struct decoder *d, size_t offset, char *error, size_t size)
{
    size_t length =
        (size_t)snprintf(error, size, "code offset %zu is no instruction known:", offset);
    for (size_t i = 0; i < SHOWN_BYTES && offset + i < d->bytes && length < size; i++)
        length += (size_t)snprintf(error + length, size - length, " %02x", d->code[offset + i]);
}

size_t model_decode(const uint8_t *code, size_t bytes, struct operation *operations, char *error,
                    size_t error_size)
{
    struct decoder d = {.code = code, .bytes = bytes};
    for (size_t count = 0; d.at < bytes; count++) {
        size_t offset = d.at;
        bool is_known = decode_one(&d, &operations[count]);
        if (!is_known || d.at > bytes) {
            complain(&d, offset, error, error_size);
            return 0;
        }
        if (operations[count].kind == OPERATION_RETURN)
            return count + 1;
    }
    snprintf(error, error_size, "%zu bytes of code end without a return", bytes);
    return 0;
}
