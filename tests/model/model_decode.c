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
    enum opcode_prefix prefix;
    bool is_padded; /* by a prefix that changes nothing */
    enum encoding encoding;
    uint8_t rex;             /* W, R, X, B, wherever they are encoded; 0: none */
    uint8_t reg_high;        /* 16: of EVEX, the upper half of the registers */
    uint8_t second;          /* VEX and EVEX: another source */
    uint8_t vector_bytes;    /* 16, 32, 64 */
    unsigned constant_scale; /* of an address's constant of one byte */
};

/* Returns the next byte; past the end 0, and `at` exceeds `bytes`. */
static uint8_t next_byte(struct decoder *d)
{
    uint8_t byte = d->at < d->bytes ? d->code[d->at] : 0;

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
    uint8_t reg;       /* with REX.R */
    uint8_t register_; /* with REX.B; when not memory */
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

    m->reg = (uint8_t)((byte >> 3 & 7) | (d->rex & 4) << 1);
    m->register_ = (uint8_t)(low | (d->rex & 1) << 3);
    m->is_memory = mod != 3;
    if (!m->is_memory)
        return true;
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

static void computes(struct operation *o, enum operation_kind kind, uint8_t to, uint8_t value)
{
    o->kind = kind;
    o->to = to;
    o->value = value;
    o->structures = 1 << INT_REGS;
    o->is_scheduled = true;
    needs(o, to, value, REGISTER_NONE);
}

static void loads(struct operation *o, enum operation_kind kind, uint8_t to)
{
    o->kind = kind;
    o->to = to;
    o->structures = (to >= REGISTER_VECTOR ? 1 << VEC_REGS : 1 << INT_REGS) | 1 << LOAD_QUEUE;
    o->is_scheduled = true;
    needs(o, o->base, o->index, REGISTER_NONE);
}

static void stores(struct operation *o, enum operation_kind kind, uint8_t value)
{
    o->kind = kind;
    o->value = value;
    o->structures = 1 << STORE_QUEUE;
    o->is_scheduled = true;
    needs(o, o->base, o->index, value);
}

/* Makes an operation a move by renaming alone: no execution, no register of its own. */
static void moves(struct operation *o, uint8_t to, uint8_t value)
{
    o->kind = OPERATION_MOVE;
    o->to = to;
    o->value = value;
    needs(o, value, REGISTER_NONE, REGISTER_NONE);
}

static bool decode_move(struct decoder *d, uint8_t opcode)
{
    struct modrm m;
    bool is_load = opcode == 0x8b;

    if (!is_wide(d) || !read_modrm(d, &m))
        return false;
    if (!m.is_memory)
        moves(d->to, is_load ? m.reg : m.register_, is_load ? m.register_ : m.reg);
    else if (is_load)
        loads(d->to, OPERATION_LOAD, m.reg);
    else
        stores(d->to, OPERATION_STORE, m.reg);
    return true;
}

/* Decodes a constant for 64 bits, or for 32, which clears the others. */
static bool decode_set(struct decoder *d, uint8_t opcode)
{
    uint64_t low, high = 0;

    low = (uint32_t)next_constant(d, 4);
    if (is_wide(d))
        high = (uint32_t)next_constant(d, 4);
    computes(d->to, OPERATION_CONSTANT, (uint8_t)((opcode & 7) | (d->rex & 1) << 3), REGISTER_NONE);
    needs(d->to, REGISTER_NONE, REGISTER_NONE, REGISTER_NONE);
    d->to->constant = (int64_t)(high << 32 | low);
    return true;
}

/* Decodes 64-bit arithmetic of registers; and the clearing of one, also with 32 bits. */
static bool decode_arithmetic(struct decoder *d, enum operation_kind kind)
{
    struct modrm m;

    if (!read_modrm(d, &m) || m.is_memory)
        return false;
    if (kind == OPERATION_XOR && m.reg == m.register_) {
        d->to->kind = OPERATION_CLEAR;
        d->to->to = m.reg;
        return true;
    }
    computes(d->to, kind, m.register_, m.reg);
    return is_wide(d);
}

/* Groups 1 and 2 with a byte: add, sub; shl, shr. */
static bool decode_constant(struct decoder *d, uint8_t opcode)
{
    struct modrm m;

    if (!is_wide(d) || !read_modrm(d, &m) || m.is_memory)
        return false;
    int32_t constant = next_constant(d, 1);
    uint8_t extension = m.reg & 7;
    bool is_shift = opcode == 0xc1;
    if (is_shift && extension != 4 && extension != 5)
        return false;
    if (!is_shift && extension != 0 && extension != 5)
        return false;
    enum operation_kind kind = !is_shift        ? OPERATION_ADD_CONSTANT
                               : extension == 4 ? OPERATION_SHIFT_LEFT
                                                : OPERATION_SHIFT_RIGHT;
    computes(d->to, kind, m.register_, REGISTER_NONE);
    d->to->constant = is_shift ? constant & 63 : extension == 5 ? -constant : constant;
    return true;
}

static bool decode_address(struct decoder *d)
{
    struct modrm m;

    if (!is_wide(d) || !read_modrm(d, &m) || !m.is_memory)
        return false;
    computes(d->to, OPERATION_ADDRESS, m.reg, REGISTER_NONE);
    needs(d->to, d->to->base, d->to->index, REGISTER_NONE);
    return true;
}

/* Decodes a multiplication of registers. */
static bool decode_multiply(struct decoder *d)
{
    struct modrm m;

    if (!is_wide(d) || !read_modrm(d, &m) || m.is_memory)
        return false;
    computes(d->to, OPERATION_MULTIPLY, m.reg, m.register_);
    return true;
}

static bool read_vector_modrm(struct decoder *d, struct modrm *m)
{
    d->to->bytes = d->vector_bytes;
    d->to->keeps_upper = d->encoding == ENCODING_LEGACY;
    if (!read_modrm(d, m))
        return false;
    m->reg += d->reg_high;
    if (!m->is_memory && d->encoding == ENCODING_EVEX)
        m->register_ |= (d->rex & 2) << 3;
    return true;
}

/* Nothing but the register's name is changed. SSE merges with the upper half, which takes a
 * register (seen on Zen 4: pxor takes one, vpxor none). */
static void clears_vector(struct decoder *d, uint8_t to)
{
    d->to->kind = OPERATION_VECTOR_CLEAR;
    d->to->to = to;
    d->to->structures = d->to->keeps_upper ? 1 << VEC_REGS : 0;
}

/* Decodes an operation of vectors; the first one of a legacy instruction is a source as well. */
static bool decode_vector(struct decoder *d, enum operation_kind kind)
{
    struct modrm m;

    if (!read_vector_modrm(d, &m) || m.is_memory)
        return false;
    uint8_t to = REGISTER_VECTOR + m.reg, value = REGISTER_VECTOR + m.register_;
    uint8_t other = d->encoding == ENCODING_LEGACY ? to : REGISTER_VECTOR + d->second;
    if (kind == OPERATION_VECTOR_XOR && other == value) {
        clears_vector(d, to);
        return true;
    }
    computes(d->to, kind, to, value);
    d->to->structures = 1 << VEC_REGS;
    d->to->base = other;
    needs(d->to, other, value, d->to->keeps_upper ? to : REGISTER_NONE);
    return true;
}

/* Decodes loads, stores, and moves between registers. */
static bool decode_vector_move(struct decoder *d, bool is_load, bool is_aligned)
{
    struct modrm m;

    if (d->second != 0 || !read_vector_modrm(d, &m))
        return false;
    uint8_t reg = REGISTER_VECTOR + m.reg, other = REGISTER_VECTOR + m.register_;
    d->to->is_aligned = m.is_memory && is_aligned;
    if (!m.is_memory)
        moves(d->to, is_load ? reg : other, is_load ? other : reg);
    else if (is_load)
        loads(d->to, OPERATION_LOAD, reg);
    else
        stores(d->to, OPERATION_STORE, reg);
    if (!m.is_memory)
        d->to->kind = OPERATION_VECTOR_MOVE;
    return true;
}

/* Decodes VZEROALL and VZEROUPPER. */
static bool decode_clear_all(struct decoder *d)
{
    if (d->encoding != ENCODING_VEX || d->prefix != PREFIX_NONE || d->second != 0)
        return false;
    d->to->kind = d->vector_bytes == 32 ? OPERATION_CLEAR_ALL : OPERATION_CLEAR_UPPER;
    return true;
}

/* Decodes KXOR of a register with itself. */
static bool decode_mask_clear(struct decoder *d)
{
    struct modrm m;

    if (d->encoding != ENCODING_VEX || d->vector_bytes != 32 || !read_modrm(d, &m) || m.is_memory)
        return false;
    d->to->kind = OPERATION_MASK_CLEAR;
    d->to->to = REGISTER_MASK + m.reg;
    return m.reg < 8 && m.reg == m.register_ && m.reg == d->second;
}

static bool decode_long_nop(struct decoder *d)
{
    struct modrm m;

    if (!read_modrm(d, &m) || (m.reg & 7) != 0)
        return false;
    d->to->kind = OPERATION_NOP;
    return true;
}

/* Decodes a prefetch into all levels, the nearest of the hints. */
static bool decode_prefetch(struct decoder *d)
{
    struct modrm m;

    if (!read_modrm(d, &m) || !m.is_memory || (m.reg & 7) != 1)
        return false;
    d->to->kind = OPERATION_PREFETCH;
    d->to->structures = 1 << LOAD_QUEUE;
    d->to->is_scheduled = true;
    needs(d->to, d->to->base, d->to->index, REGISTER_NONE);
    return true;
}

static bool decode_store_past(struct decoder *d)
{
    struct modrm m;

    if (!is_wide(d) || !read_modrm(d, &m) || !m.is_memory)
        return false;
    stores(d->to, OPERATION_STORE_PAST, m.reg);
    return true;
}

static bool decode_fence(struct decoder *d)
{
    uint8_t which = next_byte(d);

    d->to->kind = which == 0xe8 ? OPERATION_FENCE : OPERATION_DRAIN;
    return which == 0xe8 || which == 0xf0;
}

static bool decode_exactly(struct decoder *d, const char *rest, enum operation_kind kind)
{
    for (; *rest != '\0'; rest++)
        if (next_byte(d) != (uint8_t)*rest)
            return false;
    d->to->kind = kind;
    return true;
}

static bool is_vector_prefix(const struct decoder *d)
{
    return d->prefix == PREFIX_NONE || d->prefix == PREFIX_66; /* PS and PD; else scalars */
}

/* Decodes a vector opcode behind 0F, or within VEX and EVEX. */
static bool decode_vector_opcode(struct decoder *d, uint8_t opcode)
{
    const bool is_aligned = d->prefix == PREFIX_66; /* of movdqa and movdqu */

    switch (opcode) {
    case 0x10: /* movups */
    case 0x11:
        return is_vector_prefix(d) && decode_vector_move(d, opcode == 0x10, false);
    case 0x28: /* movaps */
    case 0x29:
        return is_vector_prefix(d) && decode_vector_move(d, opcode == 0x28, true);
    case 0x47:
        return is_vector_prefix(d) && decode_mask_clear(d);
    case 0x57: /* xorps */
        return is_vector_prefix(d) && decode_vector(d, OPERATION_VECTOR_XOR);
    case 0x6f: /* movdqa, movdqu */
    case 0x7f:
        return (is_aligned || d->prefix == PREFIX_F3) &&
               decode_vector_move(d, opcode == 0x6f, is_aligned);
    case 0x77:
        return decode_clear_all(d);
    case 0xd4: /* paddq */
        return d->prefix == PREFIX_66 && decode_vector(d, OPERATION_VECTOR_ADD_8);
    case 0xef: /* pxor */
        return d->prefix == PREFIX_66 && decode_vector(d, OPERATION_VECTOR_XOR);
    case 0xfe: /* paddd */
        return d->prefix == PREFIX_66 && decode_vector(d, OPERATION_VECTOR_ADD_4);
    default:
        return false;
    }
}

static bool decode_two_byte(struct decoder *d)
{
    uint8_t opcode = next_byte(d);

    if (opcode == 0x1f)
        return decode_long_nop(d);
    if (d->prefix != PREFIX_NONE)
        return decode_vector_opcode(d, opcode);
    switch (opcode) {
    case 0x01:
        return decode_exactly(d, "\xf9", OPERATION_TIME_AFTER);
    case 0x18:
        return decode_prefetch(d);
    case 0x30:
        return decode_exactly(d, "", OPERATION_WRITE);
    case 0x31:
        return decode_exactly(d, "", OPERATION_TIME);
    case 0x33:
        return decode_exactly(d, "", OPERATION_COUNT);
    case 0xa2:
        return decode_exactly(d, "", OPERATION_IDENTIFY);
    case 0xae:
        return decode_fence(d);
    case 0xaf:
        return decode_multiply(d);
    case 0xc3:
        return decode_store_past(d);
    default:
        return decode_vector_opcode(d, opcode);
    }
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
    return (!is_long || (high & 31) == MAP_0F) && decode_vector_opcode(d, next_byte(d));
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
    return is_plain && (last >> 5 & 3) < 3 && decode_vector_opcode(d, next_byte(d));
}

/* Decodes PUSH and POP. The front end keeps RSP itself, which costs nothing. */
static bool decode_stack(struct decoder *d, uint8_t opcode)
{
    uint8_t reg = (uint8_t)((opcode & 7) | (d->rex & 1) << 3);

    d->to->base = REGISTER_RSP;
    if (opcode < 0x58)
        stores(d->to, OPERATION_PUSH, reg);
    else
        loads(d->to, OPERATION_POP, reg);
    return true;
}

static bool decode_opcode(struct decoder *d, uint8_t opcode)
{
    if (opcode == 0x0f)
        return decode_two_byte(d);
    if (opcode == 0x90) /* with REX.B it would exchange registers; behind F3 it is another one */
        return d->rex == 0 && d->prefix <= PREFIX_66 && decode_exactly(d, "", OPERATION_NOP);
    if (d->prefix != PREFIX_NONE)
        return false;
    if (opcode >= 0x50 && opcode < 0x60)
        return decode_stack(d, opcode);
    if (opcode >= 0xb8 && opcode < 0xc0)
        return decode_set(d, opcode);
    switch (opcode) {
    case 0x01:
        return decode_arithmetic(d, OPERATION_ADD);
    case 0x09:
        return decode_arithmetic(d, OPERATION_OR);
    case 0x21:
        return decode_arithmetic(d, OPERATION_AND);
    case 0x29:
        return decode_arithmetic(d, OPERATION_SUBTRACT);
    case 0x31:
        return decode_arithmetic(d, OPERATION_XOR);
    case 0x83:
    case 0xc1:
        return decode_constant(d, opcode);
    case 0x89:
    case 0x8b:
        return decode_move(d, opcode);
    case 0x8d:
        return decode_address(d);
    case 0xc3:
        return decode_exactly(d, "", OPERATION_RETURN);
    default:
        return false;
    }
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
    return decode_opcode(d, byte);
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
