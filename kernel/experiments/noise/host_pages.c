/* host_pages: the least time of a chain through pieces of a page, against that of close lines. */
#include "host_pages.h"

#include "../../engine/task.h"
#include "../../probe/chain_probe.h"

#define LINES 256 /* four in each of 64 sets of a first cache */
#define STRIDE 97 /* from a line to the next one of the chain: no stream, and each line once */
#define PIECE_BYTES page_bytes(PAGE_4K)
#define PIECE_LINES (PIECE_BYTES / LINE_BYTES)
#define STEPS (LINES + LINES)
#define SLOWER 1.3 /* the second level adds 3 cycles at least to the cache's 3 to 5 */

struct chain_run {
    struct platform *platform;
    struct timing timing;
    uint8_t *base, *next;
    uint32_t close, pieces; /* least ticks of each chain */
};

/* Returns a line: side by side, or one of each piece. By 5, those spread over all sets of a cache
 * that has more of them than a piece has lines. */
static uint8_t *line_at(const struct chain_run *c, uint64_t i, bool in_pieces)
{
    uint64_t line = (i + 5 * (i / PIECE_LINES)) % PIECE_LINES;
    return c->base + (in_pieces ? i * PIECE_BYTES + line * LINE_BYTES : i * LINE_BYTES);
}

static uint32_t time_chain(struct chain_run *c, bool in_pieces)
{
    struct platform *p = c->platform;
    uint32_t least = UINT32_MAX;
    for (uint64_t i = 0; i < LINES; i++)
        *(uint8_t **)(void *)line_at(c, i, in_pieces) = line_at(c, (i + STRIDE) % LINES, in_pieces);
    c->next = c->base;
    for (unsigned i = 0; i < VISIT_SAMPLES; i++) {
        uint32_t ticks = sample_of(p->run_code(p, (uint8_t *)&c->next));
        least = ticks < least ? ticks : least;
    }
    return least;
}

static void time_chains(void *context)
{
    struct chain_run *c = context;
    struct platform *p = c->platform;
    struct page_chain_shape shape = {.lead = LINES, .steps = STEPS, .timing = c->timing};
    p->publish_code(p, page_chain_emit(p->code.write, p->code.bytes, &shape));
    c->close = time_chain(c, false);
    c->pieces = time_chain(c, true);
}

bool host_pages_are_small(struct measurement *m)
{
    struct platform *p = m->platform;
    struct window_request request = {
        .bytes = page_bytes(PAGE_2M), .page = PAGE_2M, .node = NODE_ANY};
    struct window window;
    if (p->map_window(p, &request, &window) != NULL)
        return false;
    struct chain_run c = {.platform = p,
                          .timing = {.order = ORDER_LFENCE, .rdtscp = m->processor->rdtscp},
                          .base = window.base};
    bool is_done = p->quietly(p, time_chains, &c);
    p->unmap_window(p, &window);
    return is_done && c.pieces > SLOWER * c.close;
}
