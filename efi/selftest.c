/* selftest: proves before any measurement that windows map what they claim. */
#include "../kernel/cpu/registers.h"
#include "../kernel/lib/text.h"
#include "platform_efi.h"

#define WINDOW_BYTES (4ull << 20)
#define SEED 1
#define TAG 0x6d6c70626f6f7400ull /* "mlpboot" */

struct window_check {
    struct platform_efi *platform;
    const struct window *window;
    const char *failure;
};

/*
 * Writes every 4 KB of the window at its physical address and reads it at its virtual one. If all
 * frames lie in the region and their offsets have the right sum, they are a permutation of its
 * frames.
 */
static void check_frames(struct window_check *c)
{
    const struct address_space *space = &c->platform->space;
    uint64_t region = address_space_physical(space, c->window);
    uint64_t step = page_bytes(PAGE_4K), sum = 0;
    for (uint64_t offset = 0; offset < c->window->bytes; offset += step) {
        enum page_size page;
        uint64_t physical = address_space_frame(space, c->window->base + offset, &page);
        uint64_t index = physical - region;
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

/* Exchanges two entries; the change must be seen after INVLPG or a reload of CR3. */
static void check_translations(struct window_check *c)
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
    struct window_check *c = context;
    check_frames(c);
    if (c->failure == NULL && c->window->page != PAGE_1G)
        check_translations(c);
}

static struct window_request request_of(enum page_size page, enum frame_order frames)
{
    return (struct window_request){
        .bytes = WINDOW_BYTES, .page = page, .frames = frames, .seed = SEED, .node = NODE_ANY};
}

static const char *check_mapping(struct platform_efi *p, const struct window_request *request,
                                 void (*look)(void *check))
{
    struct window window;
    struct window_check check = {.platform = p, .window = &window};
    struct platform *self = &p->base;
    const char *reason = self->map_window(self, request, &window);
    if (reason != NULL) /* every machine has 4 KB pages; larger ones are skipped if missing */
        return request->page == PAGE_4K ? reason : NULL;
    bool finished = self->quietly(self, look, &check);
    self->unmap_window(self, &window);
    return finished ? check.failure : self->fault;
}

/* Checks that every page shows its frame, through its entry and in its memory, and that nothing is
 * mapped behind a page if pages lie apart. */
static void check_apart(void *context)
{
    struct window_check *c = context;
    const struct address_space *space = &c->platform->space;
    uint64_t region = address_space_physical(space, c->window), size = page_bytes(c->window->page);
    uint64_t count = c->window->bytes / size, frames = address_space_bytes(space, c->window) / size;
    enum page_size page;
    frames += frames == 0; /* a shared gigabyte may be filled in part */
    for (uint64_t i = 0; i < frames; i++)
        *(volatile uint64_t *)(region + i * size) = TAG + i;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = c->window->base + i * c->window->stride;
        if (address_space_frame(space, at, &page) != region + i % frames * size ||
            page != c->window->page)
            c->failure = "a page has another frame than those it shares, or another size";
        else if (c->window->stride > size && address_space_frame(space, at + size, &page) != 0)
            c->failure = "something is mapped between pages that are far apart";
        else if (*(const volatile uint64_t *)at != TAG + i % frames)
            c->failure = "a page that shares its frame shows another one";
        if (c->failure != NULL)
            return;
    }
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
    static const struct {
        enum page_size page;
        uint64_t pages, distinct, stride;
    } apart[] = {
        {PAGE_4K, 100, 8, 0},
        {PAGE_4K, 20, 8, 512ull << 30},
        {PAGE_2M, 40, 2, 0},
        {PAGE_1G, 40, 1, 0},
    };
    struct platform_efi *p = (struct platform_efi *)self;
    const char *failure = NULL;
    for (unsigned i = 0; failure == NULL && i < sizeof mappings / sizeof *mappings; i++) {
        const struct window_request request = request_of(mappings[i].page, mappings[i].frames);
        failure = check_mapping(p, &request, check_window);
    }
    for (unsigned i = 0; failure == NULL && i < sizeof apart / sizeof *apart; i++) {
        struct window_request request = request_of(apart[i].page, FRAMES_ORDERED);
        request.bytes = apart[i].pages * page_bytes(apart[i].page);
        request.distinct = apart[i].distinct;
        request.stride = apart[i].stride;
        failure = check_mapping(p, &request, check_apart);
    }
    return failure;
}
