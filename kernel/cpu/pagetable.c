/* pagetable: descends level by level, adding tables from our own pages. Intel SDM 3A, chapter 4. */
#include "pagetable.h"

#include "../lib/string.h"

#define ENTRIES 512
#define TABLE_BYTES 4096

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

/* Our table at that physical address; NULL when it is not ours. */
static uint64_t *own_table(const struct page_tables *tables, uint64_t entry)
{
    uint64_t offset = (entry & PTE_FRAME) - tables->physical;
    if (offset >= (uint64_t)tables->used * TABLE_BYTES)
        return NULL;
    return tables->at + offset / sizeof *tables->at;
}

uint32_t pagetable_pages_needed(uint64_t bytes, enum page_size page)
{
    uint64_t pages = 1 + 4; /* the root, and one table of each level where the range starts */
    for (unsigned level = leaf_level(page); level < 5; level++)
        pages += bytes / ((uint64_t)ENTRIES << shift_of(level)) + 1;
    return (uint32_t)pages;
}

void pagetable_init(struct page_tables *tables, uint64_t *at, uint64_t physical, uint32_t pages,
                    unsigned levels, const uint64_t *firmware_root)
{
    *tables = (struct page_tables){at, physical, pages, 1, levels};
    memcpy(at, firmware_root, TABLE_BYTES / 2);
    memset(at + ENTRIES / 2, 0, TABLE_BYTES / 2);
}

uint64_t pagetable_free_range(const struct page_tables *tables)
{
    unsigned shift = shift_of(tables->levels);
    for (uint64_t i = ENTRIES / 2; i < ENTRIES; i++)
        if (tables->at[i] == 0)
            return ~0ull << (shift + 9) | i << shift; /* the top bit extends upwards */
    return 0;
}

static uint64_t *next_table(struct page_tables *tables, uint64_t *entry)
{
    if (*entry & PTE_PRESENT)
        return *entry & PTE_LARGE ? NULL : own_table(tables, *entry);
    if (tables->used == tables->pages)
        return NULL;
    uint64_t physical = tables->physical + (uint64_t)tables->used * TABLE_BYTES;
    tables->used++;
    *entry = physical | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;
    uint64_t *table = own_table(tables, physical);
    memset(table, 0, TABLE_BYTES);
    return table;
}

static bool map_page(struct page_tables *tables, uint64_t virtual, uint64_t entry, unsigned leaf)
{
    uint64_t *table = tables->at;
    for (unsigned level = tables->levels; level > leaf; level--) {
        table = next_table(tables, &table[index_of(virtual, level)]);
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
    uint64_t *table = tables->at;
    for (unsigned level = tables->levels; table != NULL && level > 0; level--) {
        uint64_t *entry = &table[index_of(virtual, level)];
        if (!(*entry & PTE_PRESENT))
            return NULL;
        if (level == 1 || (level <= 3 && *entry & PTE_LARGE)) {
            *page = (enum page_size)(level - 1);
            return entry;
        }
        table = own_table(tables, *entry);
    }
    return NULL;
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
