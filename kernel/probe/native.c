/* native: CLFLUSH, page touching, and the call into generated code. */
#include "native.h"

#define CROWD_PAGES_MAX 8192 /* twice the largest second-level TLB of known processors */
/* Away from the sample's line, so that a pair or next-line prefetch misses it. */
#define HALF_PAGE 2048
#define PAIR_BYTES 128

static void wait_for_memory(void)
{
    /* MFENCE waits for the flushes, LFENCE for the loads (Intel SDM 2A, CLFLUSH and LFENCE). */
    __asm__ volatile("mfence\n\tlfence" ::: "memory");
}

#define EVICT(name, instruction)                                                                   \
    void name(struct platform *self, uint8_t *base, const int32_t *displacement, unsigned count)   \
    {                                                                                              \
        (void)self;                                                                                \
        for (unsigned i = 0; i < count; i++)                                                       \
            __asm__ volatile(instruction " %0" : "+m"(base[displacement[i]]));                     \
        wait_for_memory();                                                                         \
    }

EVICT(native_evict_side_by_side, "clflushopt")
EVICT(native_evict, "clflush")

/* Knuth's MMIX generator: its upper bits are random enough. */
static uint64_t next_random(uint64_t *state)
{
    return (*state = *state * 6364136223846793005u + 1442695040888963407u) >> 40;
}

/* Always at another distance: Golden Cove learns one, and then brings the line that was flushed. */
void native_touch_pages(struct platform *self, uint8_t *base, const int32_t *displacement,
                        unsigned count)
{
    static uint64_t state;
    (void)self;
    for (unsigned i = 0; i < count; i++) {
        uint64_t distance = HALF_PAGE + next_random(&state) % (HALF_PAGE / PAIR_BYTES) * PAIR_BYTES;
        (void)*(volatile uint8_t *)((uintptr_t)(base + displacement[i]) ^ distance);
    }
    wait_for_memory();
}

void native_crowd_tlb(struct platform *self, const struct window *window)
{
    (void)self;
    uint64_t step = page_bytes(window->page), pages = window->bytes / 2 / step;
    if (pages > CROWD_PAGES_MAX)
        pages = CROWD_PAGES_MAX;
    volatile const uint8_t *page = window->base + window->bytes - pages * step;
    for (uint64_t i = 0; i < pages; i++)
        (void)page[i * step];
    wait_for_memory();
}

/*
 * A serialising instruction has to stand between writing code at one address and running it at
 * another (Intel SDM 3A, 9.1.3 and 9.3). IRETQ to the next instruction is one at every privilege,
 * and a virtual machine does not trap it, as it does CPUID. First past a red zone, if there is one.
 */
void native_publish_code(struct platform *self, size_t bytes)
{
    uint64_t stack, word;
    (void)self;
    (void)bytes;
    __asm__ volatile("mov %%rsp, %0\n\t"
                     "lea -128(%%rsp), %%rsp\n\t"
                     "mov %%ss, %1\n\t"
                     "push %1\n\t"
                     "push %0\n\t"
                     "pushfq\n\t"
                     "mov %%cs, %1\n\t"
                     "push %1\n\t"
                     "lea 1f(%%rip), %1\n\t"
                     "push %1\n\t"
                     "iretq\n\t"
                     "1:"
                     : "=&r"(stack), "=&r"(word)::"memory", "cc");
}

/* So many turns of a loop take a cycle each, and no clock's step takes as many cycles. */
#define WAIT_TURNS 128

/*
 * A sample that always begins at the same place of a clock's step always measures the same number
 * of them.
 */
static void wait_at_random(void)
{
    static uint64_t state;
    uint64_t turns = 1 + next_random(&state) % WAIT_TURNS;
    __asm__ volatile("1:\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+r"(turns)
                     :
                     : "cc");
}

uint64_t native_run_code(struct platform *self, uint8_t *base)
{
    uint64_t (*probe)(uint8_t *) = (uint64_t(*)(uint8_t *))(uintptr_t)self->code.execute;
    wait_at_random();
    return probe(base);
}

void native_fault(void *unused)
{
    (void)unused;
    __asm__ volatile("ud2");
}

void native_fence(void)
{
    __asm__ volatile("lfence" ::: "memory");
}

uint64_t native_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}
