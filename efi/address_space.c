/* address_space: allocates frames and tables, and maps them. */
#include "address_space.h"

#include "../kernel/cpu/msr.h"
#include "../kernel/cpu/registers.h"
#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "../kernel/probe/mlp_probe.h"

#define CODE_BYTES PROBE_CODE_BYTES
#define CODE_PAGES_NEEDED 16 /* tables for its two views, at any level, and the root */
#define MEGABYTE (1ull << 20)
#define GIGABYTE (1ull << 30)

static const uint64_t *firmware_root(void)
{
    return (const uint64_t *)(cr3_read() & PTE_FRAME);
}

/* Allocates so many pages for tables. False: too little memory is free. */
static bool allocate_pool(struct table_pool *pool, uint32_t pages)
{
    uint64_t physical = memory_allocate((uint64_t)pages * MEMORY_PAGE);
    *pool = (struct table_pool){.at = (uint64_t *)physical, .physical = physical, .pages = pages};
    return physical != 0;
}

static bool efi_map_code(struct address_space *space, struct code_area *code)
{
    struct page_tables *tables = &space->tables;
    uint64_t execute = pagetable_free_range(tables, 2 * GIGABYTE), write = execute + GIGABYTE;
    if (execute == 0 ||
        !pagetable_map(tables, execute, space->code_frames, CODE_BYTES, PAGE_4K, 0) ||
        !pagetable_map(tables, write, space->code_frames, CODE_BYTES, PAGE_4K,
                       PTE_WRITE | space->no_execute))
        return false;
    *code = (struct code_area){
        .write = (uint8_t *)write, .execute = (const uint8_t *)execute, .bytes = CODE_BYTES};
    return true;
}

const char *address_space_open(struct address_space *space, const struct processor *processor,
                               struct code_area *code)
{
    uint64_t efer = 0; /* always there in long mode; without NXE the bit is a reserved one */
    msr_read(MSR_EFER, &efer);
    *space =
        (struct address_space){.processor = processor, .no_execute = efer & EFER_NXE ? PTE_NX : 0};
    space->code_frames = memory_allocate(CODE_BYTES);
    if (space->code_frames == 0)
        return "there is no memory for generated code";
    if (!allocate_pool(&space->pool, CODE_PAGES_NEEDED))
        return "there is no memory for page tables";
    pagetable_init(&space->tables, &space->pool, cr4_read() & CR4_LA57 ? 5 : 4, firmware_root());
    return efi_map_code(space, code) ? NULL : "the page tables have no room for generated code";
}

void address_space_close(struct address_space *space)
{
    if (space->code_frames != 0)
        memory_free(space->code_frames, CODE_BYTES);
    if (space->pool.physical != 0)
        memory_free(space->pool.physical, (uint64_t)space->pool.pages * MEMORY_PAGE);
    space->code_frames = space->pool.physical = 0;
}

/* Returns the mapping of the window with that base, or for NULL an unused one; NULL: not found. */
static struct mapping *find_mapping(const struct address_space *space, const uint8_t *base)
{
    for (unsigned i = 0; i < WINDOWS_MAX; i++)
        if (space->mapping[i].base == base)
            return (struct mapping *)&space->mapping[i];
    return NULL;
}

/* Returns an unused region, of as many as there can be windows. */
static struct region *unused_region(struct address_space *space)
{
    struct region *region = space->region;
    while (region->windows > 0)
        region++;
    return region;
}

/* Returns in words which size was asked for and which is free; valid until the next call. */
static const char *no_memory(const struct address_space *space, uint64_t bytes, bool gigabytes)
{
    /* Index: whether 1 GB pages are asked for, and whether a node is. */
    static const char *const lacks[2][2] = {
        {"there is not that much free memory in one piece",
         "the node has not that much free memory in one piece"},
        {"no gigabyte of plain memory has that much free",
         "no gigabyte of plain memory has that much of the node's free"},
    };
    static char reason[200];
    char asked[SIZE_TEXT_MAX], there[SIZE_TEXT_MAX];
    bool of_node = space->place != NULL;
    uint64_t free = memory_free_within(of_node ? space->place : &memory_everywhere,
                                       of_node ? space->places : 1);
    return text_write(reason, sizeof reason, "%s: %s asked for, %s free in all%s",
                      lacks[gigabytes][of_node], size_text(asked, bytes),
                      size_text(there, free & ~(MEGABYTE - 1)),
                      memory_was_unmapped() ? ", not all mapped" : "");
}

/* Allocates frames that pages of that size can map, and 2 MB pages wherever they would fit. */
static const char *allocate_region(const struct address_space *space, struct region *region,
                                   const struct window_request *request, uint64_t bytes)
{
    uint64_t align = bytes < page_bytes(PAGE_2M) ? MEMORY_PAGE : page_bytes(PAGE_2M);
    bool gigabytes = request->page == PAGE_1G, of_node = space->place != NULL;
    bytes = (bytes + align - 1) & ~(align - 1);
    uint64_t physical = 0;
    if (of_node)
        physical = memory_allocate_within(bytes, align, gigabytes, space->place, space->places);
    else if (gigabytes)
        physical = memory_allocate_within(bytes, align, true, &memory_everywhere, 1);
    else
        physical = memory_allocate_aligned(bytes, align);
    if (physical == 0)
        return no_memory(space, bytes, gigabytes);
    memset((void *)physical, 0, bytes);
    *region = (struct region){physical, bytes, request->node, .windows = 1};
    return NULL;
}

static bool may_share(const struct region *region, const struct window_request *request,
                      uint64_t bytes)
{
    if (bytes > region->bytes || (request->node != NODE_ANY && request->node != region->node))
        return false;
    if (request->page == PAGE_1G)
        return memory_in_gigabytes(region->physical, bytes);
    return region->physical % page_bytes(request->page) == 0;
}

/* Takes the twin's frames if they are suitable, else allocates others. */
static const char *find_region(struct address_space *space, struct mapping *mapping,
                               const struct window_request *request, struct window *window)
{
    bool asked = request->twin != NULL && request->twin->base != NULL;
    const struct mapping *twin = asked ? find_mapping(space, request->twin->base) : NULL;
    window->is_twin = twin != NULL && may_share(twin->region, request, mapping->bytes);
    mapping->region = window->is_twin ? twin->region : unused_region(space);
    if (!window->is_twin)
        return allocate_region(space, mapping->region, request, mapping->bytes);
    mapping->region->windows++;
    return NULL;
}

/* Returns where in its first page a window starts: a 1 GB page maps more than the region. */
static uint64_t inside_page(const struct mapping *mapping, const struct window *window)
{
    return mapping->region->physical & (page_bytes(window->page) - 1);
}

static uint64_t count_pages(const struct mapping *mapping, const struct window *window)
{
    uint64_t size = page_bytes(window->page);
    bool fills = mapping->frames != UINT64_MAX;
    return fills ? window->bytes / size
                 : (inside_page(mapping, window) + window->bytes + size - 1) / size;
}

static bool efi_map_frames(struct address_space *space, const struct mapping *mapping,
                           struct window *window)
{
    struct page_tables *tables = &space->tables;
    uint64_t size = page_bytes(window->page), count = count_pages(mapping, window);
    uint64_t inside = inside_page(mapping, window), first = mapping->region->physical - inside;
    uint64_t base = pagetable_free_range(tables, (count - 1) * window->stride + size);
    if (base == 0)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!pagetable_map(tables, base + i * window->stride, first + i % mapping->frames * size,
                           size, window->page, PTE_WRITE | space->no_execute))
            return false;
    window->base = (uint8_t *)(base + inside);
    return true;
}

static const char *efi_map_pages(struct address_space *space, struct mapping *mapping,
                                 uint64_t seed, struct window *window)
{
    uint64_t count = count_pages(mapping, window);
    if (!allocate_pool(&mapping->pool, pagetable_pages_needed(count, window->stride, window->page)))
        return "there is no memory for page tables";
    pagetable_add_pool(&space->tables, &mapping->pool);
    if (!efi_map_frames(space, mapping, window))
        return "the page tables have no room for the window";
    if (window->frames == FRAMES_SHUFFLED) {
        struct random random;
        random_seed(&random, seed);
        pagetable_shuffle(&space->tables, (uint64_t)window->base,
                          window->bytes / page_bytes(PAGE_4K), &random);
    }
    mapping->base = window->base;
    return NULL;
}

static const char *refuse(struct address_space *space, uint64_t address, uint64_t bytes,
                          uint64_t entry, enum page_size page)
{
    return memory_types_refuse(&space->types, address, bytes, entry, page, space->type_refusal,
                               sizeof space->type_refusal);
}

/* Checks the types of all of the window's pages, even if it fills only a part; of the tables walked
 * to them; and of the code that is run, whose entries choose the type that an entry of 0 does. */
static const char *check_type(struct address_space *space, const struct mapping *mapping,
                              const struct window *window)
{
    enum page_size page;
    const uint64_t *entry = pagetable_entry(&space->tables, (uint64_t)window->base, &page);
    const struct table_pool *pool = &mapping->pool;
    uint64_t size = page_bytes(window->page), first = mapping->region->physical & ~(size - 1);
    uint64_t end = (mapping->region->physical + mapping->bytes + size - 1) & ~(size - 1);
    const char *reason = space->types_unknown;
    if (reason == NULL)
        reason = refuse(space, first, end - first, *entry, page);
    if (reason == NULL)
        reason = refuse(space, pool->physical, pool->pages * MEMORY_PAGE, 0, PAGE_4K);
    if (reason == NULL)
        reason = refuse(space, space->code_frames, CODE_BYTES, 0, PAGE_4K);
    return reason;
}

/* Gives back what a mapping has, which may be only part of it. */
static void release(struct address_space *space, struct mapping *mapping)
{
    struct table_pool *pool = &mapping->pool;
    struct region *region = mapping->region;
    if (pool->physical != 0) {
        pagetable_remove_pool(&space->tables, pool);
        memory_free(pool->physical, (uint64_t)pool->pages * MEMORY_PAGE);
    }
    if (region->windows > 0 && --region->windows == 0)
        memory_free(region->physical, region->bytes);
    *mapping = (struct mapping){.base = NULL};
}

/* True if the pages are side by side, each with a frame of its own. */
static bool is_plain(const struct window_request *request)
{
    return request->distinct == 0 && request->stride <= page_bytes(request->page);
}

/* Returns why there can be no such window; NULL: it is possible. */
static const char *refuse_request(const struct address_space *space,
                                  const struct window_request *request)
{
    bool is_shuffled = request->frames == FRAMES_SHUFFLED;
    if (request->page == PAGE_1G && !space->processor->gigabyte_pages)
        return "the processor has no 1 GB pages";
    if (is_shuffled && request->page != PAGE_4K)
        return "only 4 KB frames can be shuffled";
    if (is_shuffled && !is_plain(request))
        return "only frames of pages side by side can be shuffled";
    if (request->stride > 0 && request->stride < page_bytes(request->page))
        return "pages cannot be closer than they are long";
    if (request->page == PAGE_1G && !is_plain(request) && request->distinct != 1)
        return "1 GB pages that are far apart have to share one frame";
    return NULL;
}

/* Sets how much of its frames a window shows. A gigabyte page does not have to be filled. */
static void set_extent(const struct window_request *request, struct mapping *mapping,
                       struct window *window)
{
    uint64_t size = page_bytes(request->page);
    bool plain = is_plain(request);
    uint64_t unit = plain && request->page == PAGE_1G ? MEMORY_PAGE : size;
    *window = (struct window){.bytes = (request->bytes + unit - 1) & ~(unit - 1),
                              .stride = request->stride > 0 ? request->stride : size,
                              .page = request->page,
                              .frames = request->frames};
    uint64_t count = window->bytes / size, distinct = request->distinct;
    mapping->frames = plain ? UINT64_MAX : distinct > 0 && distinct < count ? distinct : count;
    mapping->bytes = plain                      ? window->bytes
                     : request->page == PAGE_1G ? WINDOW_GIGABYTE_USED
                                                : mapping->frames * size;
}

const char *address_space_map(struct address_space *space, const struct window_request *request,
                              struct window *window)
{
    struct mapping *mapping = find_mapping(space, NULL);
    window->base = NULL;
    if (mapping == NULL)
        return "there are as many windows as there can be";
    const char *reason = refuse_request(space, request);
    if (reason != NULL)
        return reason;
    set_extent(request, mapping, window);
    reason = find_region(space, mapping, request, window);
    if (reason == NULL)
        reason = efi_map_pages(space, mapping, request->seed, window);
    if (reason == NULL)
        reason = check_type(space, mapping, window);
    if (reason == NULL) {
        space->array_at = mapping->region->physical;
        return NULL;
    }
    release(space, mapping);
    window->base = NULL;
    return reason;
}

void address_space_unmap(struct address_space *space, struct window *window)
{
    if (window->base != NULL)
        release(space, find_mapping(space, window->base));
    *window = (struct window){.base = NULL};
}

uint64_t address_space_frame(const struct address_space *space, const uint8_t *at,
                             enum page_size *page)
{
    const uint64_t *entry = pagetable_entry(&space->tables, (uint64_t)at, page);
    if (entry == NULL)
        return 0;
    uint64_t inside = page_bytes(*page) - 1;
    return (*entry & PTE_FRAME & ~inside) | ((uint64_t)at & inside);
}

uint64_t address_space_physical(const struct address_space *space, const struct window *window)
{
    return find_mapping(space, window->base)->region->physical;
}

uint64_t address_space_bytes(const struct address_space *space, const struct window *window)
{
    return find_mapping(space, window->base)->bytes;
}

uint64_t address_space_root(struct address_space *space)
{
    pagetable_refresh(&space->tables, firmware_root());
    return space->pool.physical;
}
