/* load_sampler: draws addresses, prepares the state, runs the probe. */
#include "load_sampler.h"

#include "../lib/string.h"

#define PAGE_BYTES page_bytes(PAGE_4K)
#define LINES_PER_PAGE (PAGE_BYTES / LINE_BYTES)
#define LINES_PER_HALF (LINES_PER_PAGE / 2)

#define LINES_BITS 14 /* for a table at most half full */
#define LINES_SLOTS (1u << LINES_BITS)
#define DRAWS_MAX 256

#define DISPLACEMENTS_END (1ull << 30) /* a displacement has 31 bits */

/*
 * Returns a quarter of the window: the first holds the displacements' pages, the base moves them by
 * up to another, and the second half is for crowd_tlb.
 */
static uint64_t quarter(const struct load_sampler *s)
{
    uint64_t bytes = s->window.bytes / 4;
    return bytes < DISPLACEMENTS_END ? bytes : DISPLACEMENTS_END;
}

/* Returns the range of displacements, and of the base besides. */
static uint64_t reach(const struct load_sampler *s)
{
    return s->place > 0 ? quarter(s) / LOAD_PLACES : quarter(s);
}

/* Returns the bytes of a load's piece of the window: a page if each has to walk, else 4 KB, the
 * reach of prefetchers. */
static uint64_t piece_bytes(const struct load_conditions *conditions)
{
    return conditions->tlb >= TLB_COLD ? page_bytes(conditions->page) : PAGE_BYTES;
}

/* Returns the least window: a quarter has pieces for every load, and bases for every sample. */
static uint64_t least_bytes(const struct load_conditions *conditions)
{
    uint64_t pieces = conditions->loads + conditions->loads / 3;
    return 4 * piece_bytes(conditions) * (pieces > LOAD_SAMPLES_MAX ? pieces : LOAD_SAMPLES_MAX);
}

static bool shares_piece(const struct load_sampler *s, unsigned count, int32_t candidate)
{
    uint64_t piece = piece_bytes(&s->conditions);
    for (unsigned i = 0; i < count; i++)
        if ((uint64_t)s->displacement[i] / piece == (uint64_t)candidate / piece)
            return true;
    return false;
}

/* True if the pages are touched after all lines of a visit were flushed. */
static bool touches_again(const struct load_conditions *conditions)
{
    return conditions->tlb == TLB_NATURAL && conditions->page > PAGE_4K;
}

/*
 * Draws random lines, each in its own piece; never a page's first line, which crowd_tlb uses. If
 * pages are touched again, all lines of a visit are in one half of their pages: the touches for one
 * sample go to the other half, and so bring back no line that was flushed for another sample.
 */
static void draw_displacements(struct load_sampler *s, unsigned loads)
{
    bool is_halved = touches_again(&s->conditions);
    uint64_t lines = is_halved ? LINES_PER_HALF : LINES_PER_PAGE;
    uint64_t first = is_halved ? random_below(&s->random, 2) * LINES_PER_HALF : 0;
    for (unsigned i = 0; i < loads; i++) {
        int32_t candidate;
        do {
            uint64_t page = random_below(&s->random, reach(s) / PAGE_BYTES);
            uint64_t line = first + 1 + random_below(&s->random, lines - 1);
            candidate = (int32_t)(page * PAGE_BYTES + line * LINE_BYTES);
        } while (shares_piece(s, i, candidate));
        s->displacement[i] = candidate;
    }
}

static uint8_t *draw_base(struct load_sampler *s)
{
    uint64_t piece = piece_bytes(&s->conditions);
    uint64_t start = s->place > 0 ? (s->place - 1) * 2 * reach(s) : 0;
    return s->window.base + (start / piece + random_below(&s->random, reach(s) / piece)) * piece;
}

/* Returns a line's slot in a hash table of the lines of a visit's samples so far, or an empty one
 * for it. Line 0, a page's first, is never drawn. */
static uint32_t *slot_of(uint32_t lines[LINES_SLOTS], uint32_t line)
{
    uint32_t at = line * 2654435761u; /* Knuth's multiplicative hash */
    at >>= 32 - LINES_BITS;
    while (lines[at] != 0 && lines[at] != line)
        at = (at + 1) % LINES_SLOTS;
    return &lines[at];
}

static uint32_t line_of(const struct load_sampler *s, const uint8_t *base, unsigned load)
{
    return (uint32_t)((uint64_t)(base - s->window.base + s->displacement[load]) / LINE_BYTES);
}

static bool meets(const struct load_sampler *s, uint32_t *lines, const uint8_t *base,
                  unsigned loads)
{
    for (unsigned i = 0; i < loads; i++)
        if (*slot_of(lines, line_of(s, base, i)) != 0)
            return true;
    return false;
}

/*
 * Draws bases so that no line occurs twice in a visit: a later sample would hit what an earlier one
 * loaded. With the most loads, some repeats are unavoidable.
 */
static void draw_bases(struct load_sampler *s, uint8_t **base, unsigned loads, unsigned count)
{
    static uint32_t lines[LINES_SLOTS];
    memset(lines, 0, sizeof lines);
    for (unsigned i = 0; i < count; i++) {
        base[i] = draw_base(s);
        for (unsigned tries = 1; tries < DRAWS_MAX && meets(s, lines, base[i], loads); tries++)
            base[i] = draw_base(s);
        for (unsigned j = 0; j < loads; j++)
            *slot_of(lines, line_of(s, base[i], j)) = line_of(s, base[i], j);
    }
}

static void prepare_data(struct load_sampler *s, uint8_t *base, unsigned loads)
{
    struct platform *p = s->platform;
    if (s->conditions.data == DATA_MEMORY)
        p->evict(p, base, s->displacement, loads);
    else
        p->run_code(p, base); /* the same loads that will be timed */
    if (s->conditions.data == DATA_LAST_IN_MEMORY)
        p->evict(p, base, s->displacement + loads - 1, 1);
}

static void prepare_tlb(struct load_sampler *s, uint8_t *base, unsigned loads)
{
    struct platform *p = s->platform;
    if (s->conditions.tlb == TLB_WARM) {
        p->touch_pages(p, base, s->displacement, loads);
    } else if (s->conditions.tlb != TLB_NATURAL) {
        p->forget_pages(p, base, s->displacement, loads);
        if (s->conditions.tlb == TLB_WALKMEM)
            p->evict_translations(p, base, s->displacement, loads);
    }
}

/* Flushes stored lines, which would otherwise be written back during other samples. */
static void write_back(struct load_sampler *s, const struct mlp_shape *shape, uint8_t *base)
{
    if (shape->access == ACCESS_STORE)
        s->platform->evict(s->platform, base, s->displacement, shape->loads);
}

/*
 * Takes samples in the natural state. Preparing a line's data brings its translation in, too: all
 * samples are prepared first, then the TLB is crowded once, then all samples run. If a hypervisor
 * maps a large page by small ones, each 4 KB piece has a translation of its own, which the flushes
 * of later samples evict: the pieces are touched again, as if a program had used the page.
 */
static void sample_naturally(struct load_sampler *s, const struct mlp_shape *shape,
                             uint32_t *samples, unsigned count)
{
    uint8_t *base[LOAD_SAMPLES_MAX];
    draw_bases(s, base, shape->loads, count);
    for (unsigned i = 0; i < count; i++)
        prepare_data(s, base[i], shape->loads);
    for (unsigned i = 0; i < count && touches_again(&s->conditions); i++)
        s->platform->touch_pages(s->platform, base[i], s->displacement, shape->loads);
    s->platform->crowd_tlb(s->platform, &s->window);
    for (unsigned i = 0; i < count; i++)
        counting_sample(shape->timing.counting, s->platform, base[i], samples, i, count);
    for (unsigned i = 0; i < count; i++)
        write_back(s, shape, base[i]);
}

static void sample_one_by_one(struct load_sampler *s, const struct mlp_shape *shape,
                              uint32_t *samples, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t *base = draw_base(s);
        prepare_data(s, base, shape->loads);
        prepare_tlb(s, base, shape->loads);
        counting_sample(shape->timing.counting, s->platform, base, samples, i, count);
        write_back(s, shape, base);
    }
}

void load_sampler_visit(struct load_sampler *s, const struct mlp_shape *shape, uint32_t *samples,
                        unsigned count)
{
    struct platform *p = s->platform;
    if (!s->keeps_lines || s->drawn != shape->loads)
        draw_displacements(s, shape->loads);
    s->drawn = shape->loads;
    if (s->vectors == VECTORS_UNKNOWN)
        s->vectors = registers_usable();
    struct mlp_shape cleared = *shape;
    cleared.vectors = s->vectors;
    size_t length = mlp_probe_emit(p->code.write, p->code.bytes, &cleared, s->displacement);
    p->publish_code(p, length);
    p->run_code(p, draw_base(s)); /* brings the new code into the caches; not counted */
    if (s->conditions.tlb == TLB_NATURAL)
        sample_naturally(s, shape, samples, count);
    else
        sample_one_by_one(s, shape, samples, count);
}

const char *load_conditions_refusal(const struct platform *platform,
                                    const struct load_conditions *conditions)
{
    if (conditions->tlb >= TLB_COLD && platform->forget_pages == NULL)
        return "this platform cannot invalidate a translation";
    if (conditions->tlb == TLB_WALKMEM && platform->evict_translations == NULL)
        return "this platform cannot evict page-table entries";
    if (least_bytes(conditions) / 4 > DISPLACEMENTS_END)
        return "that many pages of this size are more than one probe can reach";
    return NULL;
}

uint64_t load_conditions_bytes(const struct load_conditions *conditions)
{
    uint64_t least = least_bytes(conditions);
    return conditions->bytes < least ? least : conditions->bytes;
}

void load_sampler_init(struct load_sampler *s, struct platform *platform,
                       const struct load_conditions *conditions, const struct window *window)
{
    *s = (struct load_sampler){.platform = platform, .conditions = *conditions, .window = *window};
    random_seed(&s->random, conditions->seed);
}
