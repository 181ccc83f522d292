/* efi_generators: gives identity-mapped memory to processors that others.h chooses. */
#include "efi_generators.h"

#include "efi_nodes.h"
#include "memory.h"
#include "others.h"
#include "watchdog.h"

#define LARGE_PAGE (2ull << 20)

static struct processors *own(struct platform *self)
{
    return &((struct platform_efi *)self)->processors;
}

/* Describes the processor that measures to others_choose, which knows no nodes. */
static bool own_is_known;
static uint32_t own_domain;

static bool is_near(const struct logical_processor *l)
{
    uint32_t domain;
    return !own_is_known ||
           (nodes_of_processor(l->topology.apic_id, &domain) == NULL && domain == own_domain);
}

/* Allocates memory, which the firmware maps with large pages if it can. Returns 0: none. */
static uint64_t allocate_generator(struct platform_efi *p, uint64_t bytes, uint32_t node)
{
    nodes_choose(p, node);
    uint64_t array = node == NODE_ANY ? memory_allocate_aligned(bytes, LARGE_PAGE)
                                      : memory_allocate_within(bytes, LARGE_PAGE, false,
                                                               p->space.place, p->space.places);
    if (array != 0 && !memory_is_plain(array, bytes)) {
        memory_free(array, bytes);
        array = 0;
    }
    return array;
}

static const char *employ(struct platform_efi *p, struct logical_processor *l,
                          const struct generators_request *request)
{
    uint64_t bytes = request->bytes - request->bytes % GENERATOR_BLOCK, array = 0;
    if (bytes > 0)
        array = allocate_generator(p, bytes, request->node);
    if (bytes > 0 && array == 0)
        return "there is too little memory for their arrays";
    const char *reason = processors_employ(&p->processors, l, (uint8_t *)array, bytes);
    if (reason != NULL && bytes > 0)
        memory_free(array, bytes);
    return reason;
}

const char *generators_start(struct platform *self, const struct generators_request *request,
                             unsigned *started)
{
    struct platform_efi *p = (struct platform_efi *)self;
    struct processors *all = own(self);
    const char *reason;
    *started = 0;
    own_is_known = nodes_of_processor(all->measuring->topology.apic_id, &own_domain) == NULL;
    others_choose(all, request->are_siblings, request->count, is_near, &reason);
    for (struct logical_processor *l = all->all; l < all->all + all->count && reason == NULL; l++) {
        if (!l->is_chosen)
            continue;
        reason = employ(p, l, request);
        *started += reason == NULL;
    }
    if (*started == 0)
        return reason;
    watchdog_rest();
    reason = processors_await(all);
    watchdog_feed();
    if (reason != NULL) {
        generators_stop(self);
        *started = 0;
    }
    return reason;
}

/* Frees no array of a generator that did not come back. */
void generators_stop(struct platform *self)
{
    struct processors *p = own(self);
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l->generator != NULL)
            processors_dismiss(l);
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++) {
        const struct generator *g = l->generator;
        if (g != NULL && processors_take_back(l) && g->array_bytes > 0)
            memory_free((uint64_t)g->array, g->array_bytes);
    }
}

/* Leaves it to `quietly` to name a generator that does not follow, at its end. */
void generators_order(struct platform *self, const struct generator_order *order)
{
    struct processors *p = own(self);
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (l->generator != NULL)
            generator_order(l->generator, order);
    processors_await(p);
}

uint64_t generators_done(struct platform *self)
{
    const struct processors *p = own(self);
    uint64_t bytes = 0;
    for (const struct logical_processor *l = p->all; l < p->all + p->count; l++)
        bytes += l->generator != NULL ? l->generator->done : 0;
    return bytes;
}
