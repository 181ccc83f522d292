/* generator: loops of whole lines; a block waits for a chain of additions. */
#include "generator.h"

#include "../cpu/vector_width.h"

#define LINE_BYTES 64
#define CHAIN_CYCLES 4     /* of one turn of the loop below */
#define PAUSE_AT_ONCE 512u /* cycles between two looks at the order */
#define SPIN_NOPS 256      /* between two looks: they stay in the caches of decoded instructions */

/* --- streams --------------------------------------------------------------------------------- */

/* A line's instructions, and the loop around them; one register is enough, since it is renamed. */
#define LINE_OF_8(each)                                                                            \
    each("0") each("8") each("16") each("24") each("32") each("40") each("48") each("56")
#define LINE_OF_16(each) each("0") each("16") each("32") each("48")
#define LINE_OF_32(each) each("0") each("32")

#define READ_8(at) "mov " at "(%[from]), %%rax\n\t"
#define READ_16(at) "movdqa " at "(%[from]), %%xmm0\n\t"
#define READ_32(at) "vmovdqu " at "(%[from]), %%ymm0\n\t"
#define WRITE_8(at) "mov %%rax, " at "(%[to])\n\t"
#define WRITE_16(at) "movdqa %%xmm0, " at "(%[to])\n\t"
#define WRITE_32(at) "vmovdqu %%ymm0, " at "(%[to])\n\t"
#define COPY_8(at) READ_8(at) WRITE_8(at)
#define COPY_16(at) READ_16(at) WRITE_16(at)
#define COPY_32(at) READ_32(at) WRITE_32(at)

/* Before the loop: what is written. */
#define FILL_8 "mov %[to], %%rax\n\t"
#define FILL_16 "movq %[to], %%xmm0\n\tpunpcklqdq %%xmm0, %%xmm0\n\t"
#define FILL_32 FILL_16 "vinsertf128 $1, %%xmm0, %%ymm0, %%ymm0\n\t"
/* After it: without this, instructions of 16 bytes become slow (Intel SDM volume 1, 14.1.2). */
#define END_8 ""
#define END_16 ""
#define END_32 "vzeroupper"

#define PASS(name, before, line, after)                                                            \
    static void name(uint8_t *to, const uint8_t *from, uint64_t lines)                             \
    {                                                                                              \
        __asm__ volatile(before "1:\n\t" line "add %[bytes], %[from]\n\t"                          \
                                "add %[bytes], %[to]\n\t"                                          \
                                "dec %[lines]\n\t"                                                 \
                                "jnz 1b\n\t" after                                                 \
                         : [to] "+r"(to), [from] "+r"(from), [lines] "+r"(lines)                   \
                         : [bytes] "i"(LINE_BYTES)                                                 \
                         : "rax", "xmm0", "cc", "memory");                                         \
    }

#define PASSES(bytes)                                                                              \
    PASS(read_##bytes, "", LINE_OF_##bytes(READ_##bytes), END_##bytes)                             \
    PASS(write_##bytes, FILL_##bytes, LINE_OF_##bytes(WRITE_##bytes), END_##bytes)                 \
    PASS(copy_##bytes, "", LINE_OF_##bytes(COPY_##bytes), END_##bytes)

PASSES(8)
PASSES(16)
PASSES(32)

static void (*const passes[GENERATOR_WORKS][STREAM_WIDTHS])(uint8_t *to, const uint8_t *from,
                                                            uint64_t lines) = {
    [GENERATOR_READ] = {read_8, read_16, read_32},
    [GENERATOR_WRITE] = {write_8, write_16, write_32},
    [GENERATOR_COPY] = {copy_8, copy_16, copy_32},
};

/* Returns the distance in bytes from a copy's source to its destination; 0 for other work. */
static uint64_t way(enum generator_work work, uint64_t bytes)
{
    return work == GENERATOR_COPY ? bytes / 2 : 0;
}

/* Returns how many of `bytes` one pass steps through: a copy's source is only half of them. */
static uint64_t length(enum generator_work work, uint64_t bytes)
{
    return bytes - way(work, bytes);
}

bool stream_is_possible(enum stream_width width)
{
    return width != STREAM_32 || vector_width() >= 32;
}

void stream_pass(enum generator_work work, enum stream_width width, uint8_t *memory, uint64_t bytes)
{
    passes[work][width](memory + way(work, bytes), memory, length(work, bytes) / LINE_BYTES);
}

/* --- generators ------------------------------------------------------------------------------ */

/* Takes so many cycles: serialized register additions, one cycle each. Some cores add constants for
 * free, and PAUSE takes 4 to 140 cycles. Returns `zero`, still 0, after the last one. */
static uint64_t chain(uint64_t zero, uint32_t cycles)
{
    uint32_t turns = (cycles + CHAIN_CYCLES - 1) / CHAIN_CYCLES;
    __asm__ volatile("1:\n\t"
                     ".rept %c2\n\t"
                     "add %0, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(zero), "+r"(turns)
                     : "i"(CHAIN_CYCLES)
                     : "cc");
    return zero;
}

static uint64_t wait(const struct generator *g, uint32_t sequence, uint64_t zero, uint32_t cycles)
{
    for (; cycles > PAUSE_AT_ONCE && g->sequence == sequence; cycles -= PAUSE_AT_ONCE)
        zero = chain(zero, PAUSE_AT_ONCE);
    return cycles > 0 ? chain(zero, cycles < PAUSE_AT_ONCE ? cycles : PAUSE_AT_ONCE) : zero;
}

/* Each block's addresses wait for the chain before it, and each chain for the one before: blocks
 * begin so many cycles apart, however long each takes and however early the core executes it. */
static void generate(struct generator *g, uint32_t sequence, enum generator_work work,
                     uint32_t pause)
{
    uint64_t step = length(work, GENERATOR_BLOCK), end = length(work, g->array_bytes);
    uint64_t zero = 0;
    while (g->sequence == sequence) {
        g->at = g->at + step <= end ? g->at : 0; /* a copy leaves half a block */
        uint8_t *from = g->array + g->at + zero;
        passes[work][STREAM_16](from + way(work, g->array_bytes), from, step / LINE_BYTES);
        g->done += GENERATOR_BLOCK;
        g->at += step;
        zero = wait(g, sequence, zero, pause);
    }
}

static void spin(const struct generator *g, uint32_t sequence)
{
    while (g->sequence == sequence)
        __asm__ volatile(".rept %c0\n\tnop\n\t.endr" ::"i"(SPIN_NOPS));
}

void generator_init(struct generator *g, uint8_t *array, uint64_t bytes,
                    void (*sleep)(struct generator *self, uint32_t sequence))
{
    *g = (struct generator){
        .sleep = sleep,
        .array = array,
        .array_bytes = bytes - bytes % GENERATOR_BLOCK,
        .sequence = 1,
    };
}

void generator_run(struct generator *g)
{
    if (g->array_bytes > 0)
        stream_pass(GENERATOR_WRITE, STREAM_16, g->array, g->array_bytes);
    for (uint32_t sequence; sequence = g->sequence, !g->leaves;) {
        struct generator_order order = g->order;
        g->begun = sequence;
        if (order.work == GENERATOR_REST)
            g->sleep(g, sequence);
        else if (order.work == GENERATOR_SPIN)
            spin(g, sequence);
        else
            generate(g, sequence, order.work, order.pause);
    }
}

void generator_order(struct generator *g, const struct generator_order *order)
{
    g->order = *order;
    g->sequence++;
}

void generator_leave(struct generator *g)
{
    g->leaves = true;
    g->sequence++;
}

bool generator_has_begun(const struct generator *g)
{
    return g->begun == g->sequence;
}
