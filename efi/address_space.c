/* address_space: allocates frames and tables, and maps them. */
#include "address_space.h"

#include "../kernel/cpu/msr.h"
#include "../kernel/cpu/registers.h"
#include "../kernel/lib/string.h"
#include "../kernel/probe/mlp_probe.h"

#define CODE_BYTES PROBE_CODE_BYTES
#define CODE_PAGES_NEEDED 16 /* tables for its two views, at any level */
#define GIGABYTE (1ull << 30)

const char *address_space_open(struct address_space *space, const struct processor *processor,
                               struct code_area *code)
{
    *space = (struct address_space){.processor = processor};
    space->code_frames = memory_allocate(CODE_BYTES, MEMORY_CODE);
    *code = (struct code_area){.bytes = CODE_BYTES};
    return space->code_frames != 0 ? NULL : "there is no memory for generated code";
}

/* By whether 1 GB pages are asked for, and whether a node is. */
static const char *const no_memory[2][2] = {
    {"there is not that much free memory in one piece",
     "the node has not that much free memory in one piece"},
    {"no gigabyte of plain memory has that much free",
     "no gigabyte of plain memory has that much of the node's free"},
};

/* Frames that pages of that size can map; sets region, region_bytes and physical. */
static const char *allocate_region(struct address_space *space, uint64_t bytes, enum page_size page)
{
    uint64_t align = page == PAGE_2M ? page_bytes(PAGE_2M) : MEMORY_PAGE;
    bool gigabytes = page == PAGE_1G, of_node = space->place != NULL;
    space->region_bytes = of_node ? bytes : bytes + align - MEMORY_PAGE;
    if (of_node)
        space->region = memory_allocate_within(bytes, page, space->place, space->places);
    else if (gigabytes)
        space->region = memory_allocate_within(bytes, page, &memory_everywhere, 1);
    else
        space->region = memory_allocate(space->region_bytes, MEMORY_DATA);
    if (space->region == 0)
        return no_memory[gigabytes][of_node];
    space->physical = (space->region + align - 1) & ~(align - 1);
    memset((void *)space->physical, 0, bytes);
    return NULL;
}

static const char *allocate_tables(struct address_space *space, uint64_t bytes, enum page_size page)
{
    uint32_t pages = pagetable_pages_needed(bytes, page) + CODE_PAGES_NEEDED;
    space->pool_bytes = (uint64_t)pages * MEMORY_PAGE;
    space->pool = memory_allocate(space->pool_bytes, MEMORY_DATA);
    if (space->pool == 0)
        return "there is no memory for page tables";
    unsigned levels = cr4_read() & CR4_LA57 ? 5 : 4;
    pagetable_init(&space->tables, (uint64_t *)space->pool, space->pool, pages, levels,
                   (const uint64_t *)(cr3_read() & PTE_FRAME));
    return NULL;
}

static bool map_code(struct address_space *space, uint64_t no_execute, struct code_area *code)
{
    struct page_tables *tables = &space->tables;
    uint64_t execute = pagetable_free_range(tables), write = execute + GIGABYTE;
    if (execute == 0 ||
        !pagetable_map(tables, execute, space->code_frames, CODE_BYTES, PAGE_4K, 0) ||
        !pagetable_map(tables, write, space->code_frames, CODE_BYTES, PAGE_4K,
                       PTE_WRITE | no_execute))
        return false;
    code->execute = (const uint8_t *)execute;
    code->write = (uint8_t *)write;
    return true;
}

/* A 1 GB page maps more than the region: the window starts inside it. */
static bool map_array(struct address_space *space, uint64_t no_execute, struct window *window)
{
    struct page_tables *tables = &space->tables;
    uint64_t size = page_bytes(window->page);
    uint64_t first = space->physical & ~(size - 1), inside = space->physical - first;
    uint64_t mapped = (inside + window->bytes + size - 1) & ~(size - 1);
    uint64_t base = pagetable_free_range(tables);
    if (base == 0 ||
        !pagetable_map(tables, base, first, mapped, window->page, PTE_WRITE | no_execute))
        return false;
    window->base = (uint8_t *)(base + inside);
    return true;
}

static const char *map_all(struct address_space *space, uint64_t seed, struct window *window,
                           struct code_area *code)
{
    uint64_t efer = 0; /* always there in long mode; without NXE the bit is a reserved one */
    msr_read(MSR_EFER, &efer);
    uint64_t no_execute = efer & EFER_NXE ? PTE_NX : 0;
    if (!map_code(space, no_execute, code) || !map_array(space, no_execute, window))
        return "the page tables have no room for the window";
    if (window->frames == FRAMES_SHUFFLED) {
        struct random random;
        random_seed(&random, seed);
        pagetable_shuffle(&space->tables, (uint64_t)window->base,
                          window->bytes / page_bytes(PAGE_4K), &random);
    }
    return NULL;
}

const char *address_space_map(struct address_space *space, uint64_t bytes, enum page_size page,
                              enum frame_order frames, uint64_t seed, struct window *window,
                              struct code_area *code)
{
    if (page == PAGE_1G && !space->processor->gigabyte_pages)
        return "the processor has no 1 GB pages";
    if (frames == FRAMES_SHUFFLED && page != PAGE_4K)
        return "only 4 KB frames can be shuffled";
    /* A gigabyte page does not have to be filled. */
    uint64_t unit = page == PAGE_1G ? MEMORY_PAGE : page_bytes(page);
    bytes = (bytes + unit - 1) & ~(unit - 1);
    *window = (struct window){.bytes = bytes, .page = page, .frames = frames};

    const char *reason = allocate_region(space, bytes, page);
    if (reason == NULL)
        reason = allocate_tables(space, bytes, page);
    if (reason == NULL)
        reason = map_all(space, seed, window, code);
    if (reason != NULL)
        address_space_unmap(space);
    return reason;
}

void address_space_unmap(struct address_space *space)
{
    if (space->pool != 0)
        memory_free(space->pool, space->pool_bytes);
    if (space->region != 0)
        memory_free(space->region, space->region_bytes);
    space->pool = space->region = 0;
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

uint64_t address_space_root(const struct address_space *space)
{
    return space->pool != 0 ? space->pool : cr3_read();
}
