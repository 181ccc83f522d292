/* generator: loops of whole lines; a block waits for a chain of additions. */
#include "generator.h"

#include "../data/case.h"

#define CHAIN_CYCLES 4     /* of one turn of the loop below */
#define PAUSE_AT_ONCE 512u /* cycles between two looks at the order */
#define SPIN_NOPS 256      /* between two looks: they stay in the caches of decoded instructions */

/* --- blocks ---------------------------------------------------------------------------------- */

/* A line's instructions, and the loop around them; one register is enough, since it is renamed. */
#define LINE(each) each("0") each("16") each("32") each("48")
#define READ(at) "movdqa " at "(%[from]), %%xmm0\n\t"
#define WRITE(at) "movdqa %%xmm0, " at "(%[to])\n\t"
#define COPY(at) READ(at) WRITE(at)
#define FILL "movq %[to], %%xmm0\n\tpunpcklqdq %%xmm0, %%xmm0\n\t" /* with what is written */

#define PASS(name, before, each)                                                                   \
    static void name(uint8_t *to, const uint8_t *from, uint64_t lines)                             \
    {                                                                                              \
        __asm__ volatile(before "1:\n\t" LINE(each) "add %[bytes], %[from]\n\t"                    \
                                                    "add %[bytes], %[to]\n\t"                      \
                                                    "dec %[lines]\n\t"                             \
                                                    "jnz 1b"                                       \
                         : [to] "+r"(to), [from] "+r"(from), [lines] "+r"(lines)                   \
                         : [bytes] "i"(LINE_BYTES)                                                 \
                         : "xmm0", "cc", "memory");                                                \
    }

PASS(read_lines, "", READ)
PASS(write_lines, FILL, WRITE)
PASS(copy_lines, "", COPY)

static void (*const passes[GENERATOR_WORKS])(uint8_t *to, const uint8_t *from, uint64_t lines) = {
    [GENERATOR_READ] = read_lines,
    [GENERATOR_WRITE] = write_lines,
    [GENERATOR_COPY] = copy_lines,
};

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
    uint64_t step = generator_span(work, GENERATOR_BLOCK), zero = 0;
    uint64_t end = generator_span(work, g->array_bytes), away = g->array_bytes - end;
    while (g->sequence == sequence) {
        g->at = g->at + step <= end ? g->at : 0; /* a copy leaves half a block */
        uint8_t *from = g->array + g->at + zero;
        passes[work](from + away, from, step / LINE_BYTES);
        g->done += GENERATOR_BLOCK;
        g->at += step;
        zero = wait(g, sequence, zero, pause);
    }
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
        write_lines(g->array, g->array, g->array_bytes / LINE_BYTES);
    for (uint32_t sequence; sequence = g->sequence, !g->leaves;) {
        struct generator_order order = g->order;
        g->begun = sequence;
        if (order.work == GENERATOR_REST)
            g->sleep(g, sequence);
        else if (order.work != GENERATOR_SPIN)
            generate(g, sequence, order.work, order.pause);
        while (g->sequence == sequence && order.work == GENERATOR_SPIN)
            __asm__ volatile(".rept %c0\n\tnop\n\t.endr" ::"i"(SPIN_NOPS));
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
