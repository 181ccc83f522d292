/* pagetable: descends level by level, adding tables from our own pages. Intel SDM 3A, chapter 4. */
#include "pagetable.h"

#include "../lib/string.h"
#include "cpuid.h"

#define ENTRIES 512
#define TABLE_BYTES 4096
#define ENCRYPTS 3u /* EAX: SME, SEV */

/* Level 1 holds 4 KB pages, level 2 2 MB, level 3 1 GB. */
static unsigned leaf_level(enum page_size page)
{
    return (unsigned)page + 1;
}

static unsigned shift_of(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static unsigned index_of(uint64_t virtual, unsigned level)
{
    return virtual >> shift_of(level) & (ENTRIES - 1);
}

/* The pool's table at that physical address; NULL when it is not one. */
static uint64_t *table_in(const struct table_pool *pool, uint64_t entry)
{
    uint64_t offset = (entry & PTE_FRAME) - pool->physical;
    if (offset >= (uint64_t)pool->used * TABLE_BYTES)
        return NULL;
    return pool->at + offset / sizeof *pool->at;
}

/* The pool that the table of a root's entry is in; NULL: the firmware's, or none. */
static struct table_pool *pool_of(const struct page_tables *tables, uint64_t entry)
{
    struct table_pool *pool = entry & PTE_PRESENT ? tables->pools : NULL;
    while (pool != NULL && table_in(pool, entry) == NULL)
        pool = pool->next;
    return pool;
}

uint32_t pagetable_pages_needed(uint64_t count, uint64_t stride, enum page_size page)
{
    uint64_t pages = 1 + 4; /* the root, and one table of each level where the range starts */
    for (unsigned level = leaf_level(page); level < 5; level++) {
        uint64_t of_one = ((uint64_t)ENTRIES << shift_of(level)) / stride; /* pages of a table */
        pages += of_one > 1 ? count / of_one + 1 : count;
    }
    return (uint32_t)pages;
}

void pagetable_refresh(struct page_tables *tables, const uint64_t *firmware_root)
{
    memcpy(tables->root, firmware_root, TABLE_BYTES / 2);
}

void pagetable_init(struct page_tables *tables, struct table_pool *pool, unsigned levels,
                    const uint64_t *firmware_root)
{
    *tables = (struct page_tables){.root = pool->at, .levels = levels};
    pagetable_add_pool(tables, pool);
    pool->used = 1;
    pagetable_refresh(tables, firmware_root);
    memset(tables->root + ENTRIES / 2, 0, TABLE_BYTES / 2);
}

void pagetable_add_pool(struct page_tables *tables, struct table_pool *pool)
{
    pool->used = 0;
    pool->next = tables->pools;
    tables->pools = pool;
}

void pagetable_remove_pool(struct page_tables *tables, struct table_pool *pool)
{
    struct table_pool **link = &tables->pools;
    for (unsigned i = 0; i < ENTRIES; i++)
        if (tables->root[i] & PTE_PRESENT && table_in(pool, tables->root[i]) != NULL)
            tables->root[i] = 0;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
}

uint64_t pagetable_free_range(const struct page_tables *tables, uint64_t bytes)
{
    unsigned shift = shift_of(tables->levels);
    uint64_t first = ENTRIES / 2;
    for (uint64_t i = first; i < ENTRIES; i++)
        if (tables->root[i] != 0)
            first = i + 1;
        else if (bytes <= (i + 1 - first) << shift)
            return ~0ull << (shift + 9) | first << shift; /* the top bit extends upwards */
    return 0;
}

/* Returns the table below an entry, a new one if the entry is empty; NULL: the pool is used up. */
static uint64_t *next_table(struct table_pool *pool, uint64_t *entry)
{
    if (*entry & PTE_PRESENT)
        return *entry & PTE_LARGE ? NULL : table_in(pool, *entry);
    if (pool->used == pool->pages)
        return NULL;
    *entry = (pool->physical + (uint64_t)pool->used++ * TABLE_BYTES) | PTE_PRESENT | PTE_WRITE |
             PTE_ACCESSED;
    return memset(table_in(pool, *entry), 0, TABLE_BYTES);
}

static bool map_page(struct page_tables *tables, uint64_t virtual, uint64_t entry, unsigned leaf)
{
    uint64_t *table = tables->root, root = table[index_of(virtual, tables->levels)];
    struct table_pool *pool = root & PTE_PRESENT ? pool_of(tables, root) : tables->pools;
    if (pool == NULL)
        return false;
    for (unsigned level = tables->levels; level > leaf; level--) {
        table = next_table(pool, &table[index_of(virtual, level)]);
        if (table == NULL)
            return false;
    }
    uint64_t *slot = &table[index_of(virtual, leaf)];
    if (*slot != 0)
        return false;
    *slot = entry;
    return true;
}

bool pagetable_map(struct page_tables *tables, uint64_t virtual, uint64_t physical, uint64_t bytes,
                   enum page_size page, uint64_t flags)
{
    uint64_t entry = flags | PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY;
    if (page != PAGE_4K)
        entry |= PTE_LARGE;
    for (uint64_t offset = 0; offset < bytes; offset += page_bytes(page))
        if (!map_page(tables, virtual + offset, (physical + offset) | entry, leaf_level(page)))
            return false;
    return true;
}

uint64_t *pagetable_entry(const struct page_tables *tables, uint64_t virtual, enum page_size *page)
{
    uint64_t *table = tables->root;
    const struct table_pool *pool = pool_of(tables, table[index_of(virtual, tables->levels)]);
    if (pool == NULL)
        return NULL;
    for (unsigned level = tables->levels; table != NULL && level > 0; level--) {
        uint64_t *entry = &table[index_of(virtual, level)];
        if (!(*entry & PTE_PRESENT))
            return NULL;
        if (level == 1 || (level <= 3 && *entry & PTE_LARGE)) {
            *page = (enum page_size)(level - 1);
            return entry;
        }
        table = table_in(pool, *entry);
    }
    return NULL;
}

uint64_t pagetable_frame(void)
{
    struct cpuid_result r = cpuid_read(LEAF_ENCRYPTION, 0);
    return r.eax & ENCRYPTS ? PTE_FRAME & ~(1ull << (r.ebx & 0x3f)) : PTE_FRAME;
}

bool pagetable_maps(const uint64_t *root, unsigned levels, uint64_t frame, uint64_t start,
                    uint64_t bytes, uint64_t rights)
{
    rights |= PTE_PRESENT;
    for (uint64_t at = start, size; at - start < bytes; at = (at | (size - 1)) + 1) {
        unsigned level = levels;
        uint64_t entry = root[index_of(at, level)];
        while ((entry & rights) == rights && level > 1 && !(level <= 3 && entry & PTE_LARGE))
            entry = ((const uint64_t *)(entry & frame))[index_of(at, --level)];
        size = 1ull << shift_of(level);
        if ((entry & rights) != rights || ((entry & frame) ^ at) >= size)
            return false;
    }
    return true;
}

void pagetable_shuffle(struct page_tables *tables, uint64_t virtual, uint64_t count,
                       struct random *random)
{
    enum page_size page;
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = random_below(random, i);
        uint64_t *a = pagetable_entry(tables, virtual + (i - 1) * page_bytes(PAGE_4K), &page);
        uint64_t *b = pagetable_entry(tables, virtual + j * page_bytes(PAGE_4K), &page);
        uint64_t kept = *a;
        *a = *b;
        *b = kept;
    }
}
