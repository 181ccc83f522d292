/* selftest: proves, before anything is measured, that the window maps what it says. */
#include "../kernel/cpu/registers.h"
#include "../kernel/lib/text.h"
#include "platform_efi.h"

#define WINDOW_BYTES (8ull << 20)
#define SEED 1
#define TAG 0x6d6c70626f6f7400ull /* "mlpboot" */

struct check {
    struct platform_efi *platform;
    const struct window *window;
    const char *failure;
};

/*
 * Every 4 KB of the window: written at its physical address, read at its virtual one. Together with
 * frames that all lie in the region and differ in sum from none, that is a permutation of them.
 */
static void check_frames(struct check *c)
{
    const struct address_space *space = &c->platform->space;
    uint64_t step = page_bytes(PAGE_4K), sum = 0;
    for (uint64_t offset = 0; offset < c->window->bytes; offset += step) {
        enum page_size page;
        uint64_t physical = address_space_frame(space, c->window->base + offset, &page);
        uint64_t index = physical - space->physical;
        if (physical == 0 || page != c->window->page)
            c->failure = "a page has another size than asked";
        else if (index >= c->window->bytes)
            c->failure = "a frame lies outside the region";
        else if (c->window->frames == FRAMES_ORDERED && index != offset)
            c->failure = "a frame is out of order";
        if (c->failure != NULL)
            return;
        *(volatile uint64_t *)physical = TAG + offset;
        sum += index - offset;
    }
    if (sum != 0)
        c->failure = "a frame stands behind two pages";
    for (uint64_t offset = 0; offset < c->window->bytes; offset += step)
        if (*(volatile uint64_t *)(c->window->base + offset) != TAG + offset)
            c->failure = "a page shows another frame than its entry says";
}

/* Exchanges two entries; only after INVLPG, or a reload of CR3, must the change be seen. */
static void check_translations(struct check *c)
{
    enum page_size page;
    volatile uint64_t *first = (uint64_t *)c->window->base;
    volatile uint64_t *second = (uint64_t *)(c->window->base + page_bytes(c->window->page));
    uint64_t *a = pagetable_entry(&c->platform->space.tables, (uint64_t)first, &page);
    uint64_t *b = pagetable_entry(&c->platform->space.tables, (uint64_t)second, &page);
    uint64_t of_first = *first, of_second = *second, entry = *a;

    *a = *b;
    invlpg((const void *)first);
    if (*first != of_second)
        c->failure = "INVLPG does not bring a changed entry in";
    *a = entry;
    cr3_write(cr3_read());
    if (*first != of_first)
        c->failure = "reloading CR3 does not bring a changed entry in";
    *a = entry & ~PTE_ACCESSED;
    invlpg((const void *)first);
    (void)*first;
    if (!(*(volatile uint64_t *)a & PTE_ACCESSED))
        c->failure = "an access after INVLPG does not walk the page tables";
}

static void check_window(void *context)
{
    struct check *c = context;
    check_frames(c);
    if (c->failure == NULL && c->window->page != PAGE_1G)
        check_translations(c);
}

static const char *check_mapping(struct platform_efi *p, enum page_size page,
                                 enum frame_order frames)
{
    struct window window;
    struct check check = {.platform = p, .window = &window};
    struct platform *self = &p->base;
    const char *reason = self->map_window(self, WINDOW_BYTES, page, frames, SEED, &window);
    if (reason != NULL) /* every machine has 4 KB pages; larger ones are skipped where asked for */
        return page == PAGE_4K ? reason : NULL;
    bool finished = self->quietly(self, check_window, &check);
    self->unmap_window(self, &window);
    return finished ? check.failure : self->fault;
}

const char *platform_efi_selftest(struct platform *self)
{
    static const struct {
        enum page_size page;
        enum frame_order frames;
    } mappings[] = {
        {PAGE_4K, FRAMES_ORDERED},
        {PAGE_4K, FRAMES_SHUFFLED},
        {PAGE_2M, FRAMES_ORDERED},
        {PAGE_1G, FRAMES_ORDERED},
    };
    const char *failure = NULL;
    for (unsigned i = 0; failure == NULL && i < sizeof mappings / sizeof *mappings; i++)
        failure = check_mapping((struct platform_efi *)self, mappings[i].page, mappings[i].frames);
    return failure;
}
