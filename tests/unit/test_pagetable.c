/* test_pagetable: tables in host memory, read by a walker written for this test alone. */
#include "../../kernel/cpu/cpuid.h"
#include "../../kernel/cpu/pagetable.h"
#include "kit.h"

#define PHYSICAL 0x123456000ull /* where the processor would see the pool */
#define POOL_PAGES 3000
#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)
#define TB (1024 * GB)

#define BIT_PRESENT 0x1ull
#define BIT_WRITE 0x2ull
#define BIT_ACCESSED 0x20ull
#define BIT_DIRTY 0x40ull
#define BIT_LARGE 0x80ull
#define BIT_NX 0x8000000000000000ull
#define ADDRESS 0x000ffffffffff000ull

static uint64_t firmware_root[512], firmware_copy[512];
static uint64_t *pool;
static struct page_tables tables;
static struct table_pool root_pool;

/* Pools that come and go beside the first: fewer pages, other addresses. */
#define FURTHER 3
#define FURTHER_PAGES 40
static uint64_t further_pages[FURTHER][FURTHER_PAGES * 512] __attribute__((aligned(4096)));
static struct table_pool further[FURTHER];
static const uint64_t further_physical[FURTHER] = {
    PHYSICAL - FURTHER_PAGES * 4096ull, /* ends where the first starts */
    0x7000000, 0x000ffffff0000000,      /* high up */
};

SETUP_ALL(make_pool)
{
    pool = aligned_alloc(4096, (POOL_PAGES + 1) * 4096);
    assert_non_null(pool);
}

TEARDOWN_ALL(free_pool)
{
    free(pool);
}

/* The firmware has tables of its own: low memory, some of the upper half, and around ours. */
static void fill_firmware_root(void)
{
    memset(firmware_root, 0, sizeof firmware_root);
    firmware_root[0] = 0x7f000000 | 0x67;
    firmware_root[1] = (PHYSICAL - 4096) | 0x23;
    firmware_root[2] = (PHYSICAL + POOL_PAGES * 4096ull) | 0x3;
    firmware_root[255] = 0x7f001000 | 0x63 | BIT_NX;
    firmware_root[256] = 0x0000fffff0000000 | 0x7;
    firmware_root[511] = 0x7f002000 | 0x27;
    memcpy(firmware_copy, firmware_root, sizeof firmware_root);
}

/* The pool holds what somebody left there. */
static void begin(uint32_t pages, unsigned levels)
{
    assert_within(pages, 1, POOL_PAGES);
    fill_firmware_root();
    memset(pool, 0xa5, (pages + 1) * 4096ull);
    memset(further, 0, sizeof further);
    root_pool = (struct table_pool){.at = pool, .physical = PHYSICAL, .pages = pages};
    pagetable_init(&tables, &root_pool, levels, firmware_root);
}

static uint64_t canonical(uint64_t root_index, unsigned levels)
{
    unsigned shift = levels == 5 ? 48 : 39;
    uint64_t address = root_index << shift;
    return root_index >= 256 ? address | (shift == 48 ? 0xfe00000000000000 : 0xffff000000000000)
                             : address;
}

struct translation {
    bool found;
    uint64_t physical, size, entry, *at;
};

/* The table at that physical address, of whichever pool; NULL: it is not ours, or is the root. */
static uint64_t *table_at(uint64_t physical)
{
    uint64_t offset = physical - PHYSICAL;
    if (offset / 4096 > 0 && offset / 4096 < root_pool.used)
        return pool + offset / 8;
    for (unsigned i = 0; i < FURTHER; i++)
        if (physical - further_physical[i] < further[i].used * 4096ull)
            return further_pages[i] + (physical - further_physical[i]) / 8;
    return NULL;
}

/* As the processor would: Intel SDM volume 3A, 4.5. Only through our own tables. */
static struct translation walk(uint64_t address, unsigned levels)
{
    static const unsigned shifts[] = {48, 39, 30, 21, 12};
    struct translation t = {.found = false};
    uint64_t *table = pool;
    for (unsigned level = 5 - levels; level < 5; level++) {
        uint64_t size = 1ull << shifts[level];
        uint64_t *entry = &table[address / size % 512];
        if ((*entry & BIT_PRESENT) == 0)
            return t;
        bool is_leaf = level == 4 || (level >= 2 && (*entry & BIT_LARGE) != 0);
        if (is_leaf) {
            uint64_t frame = *entry & ADDRESS;
            assert_int_equal(frame % size, 0);
            t = (struct translation){true, frame + address % size, size, *entry, entry};
            return t;
        }
        table = table_at(*entry & ADDRESS);
        if (level == 5 - levels && table == NULL)
            return t;
        assert_non_null(table);
        /* Tables in between allow everything; what is allowed stands in the last entry. */
        assert_compare((*entry & BIT_NX), ==, 0);
        assert_compare((*entry & BIT_WRITE), !=, 0);
    }
    return t;
}

static void check_mapping(uint64_t virtual, uint64_t physical, uint64_t bytes, enum page_size page,
                          uint64_t flags, unsigned levels)
{
    static const uint64_t sizes[] = {4 * KB, 2 * MB, 1 * GB};
    uint64_t size = sizes[page];
    for (uint64_t offset = 0; offset < bytes; offset += size) {
        uint64_t within = offset * 7919 % size;
        struct translation t = walk(virtual + offset + within, levels);
        assert_true(t.found);
        assert_numbers((t.physical, t.size), (physical + offset + within, size));
        assert_true((t.entry & (BIT_WRITE | BIT_NX)) == flags);
        assert_compare((t.entry & BIT_ACCESSED), !=, 0);
        assert_compare((t.entry & BIT_DIRTY), !=, 0);
        assert_int_equal((t.entry & BIT_LARGE) != 0, page != PAGE_4K);
        /* Nothing else: not for user mode, no write-through, not uncached, not global. */
        assert_true((t.entry & 0x7ff0000000000f1c) == 0);
        enum page_size seen = PAGE_SIZES;
        assert_ptr_equal(pagetable_entry(&tables, virtual + offset + within, &seen), t.at);
        assert_int_equal(seen, page);
    }
}

static void check_firmware_kept(void)
{
    assert_memory_equal(firmware_root, firmware_copy, sizeof firmware_root);
    for (unsigned i = 0; i < 256; i++)
        if (firmware_copy[i] != 0)
            assert_compare(pool[i], ==, firmware_copy[i]);
}

TEST(map)
{
    static const struct {
        enum page_size page;
        uint64_t bytes, offset;
    } cases[] = {{PAGE_4K, 4 * KB, 0},
                 {PAGE_4K, 4 * KB, 511 * 4 * KB},
                 {PAGE_4K, 4 * MB, 0},
                 {PAGE_4K, 6 * MB + 12 * KB, 2 * MB - 8 * KB},
                 {PAGE_4K, 8 * KB, 1 * GB - 4 * KB},
                 {PAGE_4K, 8 * KB, 511 * GB + 1020 * MB},
                 {PAGE_2M, 2 * MB, 0},
                 {PAGE_2M, 3 * GB, 510 * 2 * MB},
                 {PAGE_2M, 4 * MB, 1 * GB - 2 * MB},
                 {PAGE_1G, 1 * GB, 0},
                 {PAGE_1G, 5 * GB, 100 * GB},
                 {PAGE_1G, 4 * GB, 510 * GB}};
    static const uint64_t flags[] = {0, BIT_WRITE, BIT_NX, BIT_WRITE | BIT_NX};
    static const unsigned roots[] = {3, 100, 253, 300, 509};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned levels = 4; levels <= 5; levels++)
            for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
                uint64_t virtual = canonical(roots[r], levels) + cases[i].offset;
                uint64_t physical = 5 * TB + 3 * GB, bytes = cases[i].bytes;
                begin(POOL_PAGES, levels);
                assert_true(pagetable_map(&tables, virtual, physical, bytes, cases[i].page,
                                          flags[(i + r) % 4]));
                check_mapping(virtual, physical, bytes, cases[i].page, flags[(i + r) % 4], levels);
                assert_false(walk(virtual - 1, levels).found);
                assert_false(walk(virtual + bytes, levels).found);
                check_firmware_kept();
            }
}

TEST(refuses_what_is_mapped)
{
    uint64_t base = canonical(40, 4);
    static const struct {
        uint64_t offset, bytes;
        enum page_size page;
    } refused[] = {
        {0, 4 * KB, PAGE_4K},                          /* the same 4 KB page */
        {4 * KB, 4 * KB, PAGE_4K},                     /* the last of the range */
        {0, 2 * MB, PAGE_2M},                          /* over a table of 4 KB pages */
        {0, 1 * GB, PAGE_1G},                          /* over tables */
        {1 * GB, 2 * MB, PAGE_2M},                     /* the same 2 MB page */
        {1 * GB + 8 * KB, 4 * KB, PAGE_4K},            /* inside a 2 MB page */
        {1 * GB - 2 * MB, 4 * MB, PAGE_2M},            /* runs into it */
        {2 * GB, 1 * GB, PAGE_1G},                     /* the same 1 GB page */
        {2 * GB + 4 * MB, 2 * MB, PAGE_2M},            /* inside a 1 GB page */
        {2 * GB + 512 * MB + 4 * KB, 4 * KB, PAGE_4K}, /* inside a 1 GB page */
    };
    for (EACH(c, refused)) {
        begin(POOL_PAGES, 4);
        assert_true(pagetable_map(&tables, base, 7 * GB, 8 * KB, PAGE_4K, 0));
        assert_true(pagetable_map(&tables, base + 1 * GB, 8 * GB, 2 * MB, PAGE_2M, 0));
        assert_true(pagetable_map(&tables, base + 2 * GB, 9 * GB, 1 * GB, PAGE_1G, 0));
        assert_false(
            pagetable_map(&tables, base + c->offset, 20 * GB, c->bytes, c->page, BIT_WRITE));
        check_mapping(base, 7 * GB, 8 * KB, PAGE_4K, 0, 4);
        check_mapping(base + 1 * GB, 8 * GB, 2 * MB, PAGE_2M, 0, 4);
        check_mapping(base + 2 * GB, 9 * GB, 1 * GB, PAGE_1G, 0, 4);
    }
}

/* Below the firmware's root entries nothing is ours: not to be mapped, not to be found. */
TEST(leaves_the_firmware_alone)
{
    for (unsigned levels = 4; levels <= 5; levels++)
        for (unsigned i = 0; i < 256; i++) {
            enum page_size page;
            begin(POOL_PAGES, levels);
            if (firmware_copy[i] == 0)
                continue;
            uint64_t virtual = canonical(i, levels) + 5 * GB;
            assert_false(pagetable_map(&tables, virtual, 0, 4 * KB, PAGE_4K, BIT_WRITE));
            assert_false(pagetable_map(&tables, virtual, 0, 2 * MB, PAGE_2M, BIT_WRITE));
            assert_false(pagetable_map(&tables, virtual, 0, 1 * GB, PAGE_1G, BIT_WRITE));
            assert_null(pagetable_entry(&tables, virtual, &page));
            assert_memory_equal(pool, firmware_copy, 2048);
            check_firmware_kept();
        }
}

/* Not even where its table stands right behind ours. */
TEST(table_behind_the_pool)
{
    enum page_size page;
    begin(1, 4);
    pool[7] = (PHYSICAL + 4096) | BIT_PRESENT | BIT_WRITE;
    memset(pool + 512, 0xe3, 4096);
    assert_null(pagetable_entry(&tables, canonical(7, 4), &page));
    assert_false(pagetable_map(&tables, canonical(7, 4), 0, 1 * GB, PAGE_1G, 0));
}

/* A range that runs from an empty root entry into a firmware's. */
TEST(runs_into_the_firmware)
{
    begin(POOL_PAGES, 4);
    assert_false(pagetable_map(&tables, canonical(255, 4) - 1 * GB, 0, 2 * GB, PAGE_1G, 0));
    check_firmware_kept();
}

TEST(entry_of_nothing)
{
    uint64_t base = canonical(70, 4);
    enum page_size page;
    begin(POOL_PAGES, 4);
    assert_null(pagetable_entry(&tables, base, &page));
    assert_true(pagetable_map(&tables, base + 2 * MB, 4 * MB, 4 * KB, PAGE_4K, 0));
    assert_null(pagetable_entry(&tables, base, &page));
    assert_null(pagetable_entry(&tables, base + 2 * MB + 4 * KB, &page));
    assert_null(pagetable_entry(&tables, base + 1 * GB, &page));
    assert_null(pagetable_entry(&tables, base + 512 * GB, &page));
    assert_non_null(pagetable_entry(&tables, base + 2 * MB + 4095, &page));
}

/* With one page less than it takes it fails, and writes to no page beyond. */
TEST(out_of_pages)
{
    static const struct {
        enum page_size page;
        uint64_t bytes;
    } cases[] = {{PAGE_4K, 8 * MB}, {PAGE_2M, 3 * GB}, {PAGE_1G, 2 * GB}};
    for (EACH(c, cases))
        for (unsigned levels = 4; levels <= 5; levels++) {
            uint64_t virtual = canonical(90, levels);
            begin(POOL_PAGES, levels);
            assert_true(pagetable_map(&tables, virtual, 4 * GB, c->bytes, c->page, 0));
            uint32_t used = root_pool.used;
            for (uint32_t pages = 1; pages <= used; pages++) {
                begin(pages, levels);
                memset(pool + pages * 512ull, 0xa5, 4096);
                assert_int_equal(pagetable_map(&tables, virtual, 4 * GB, c->bytes, c->page, 0),
                                 pages == used);
                assert_compare(root_pool.used, <=, pages);
                for (uint64_t j = 0; j < pages * 512ull; j++) /* no table is at address 0 */
                    assert_false(pool[j] & BIT_PRESENT && pool[j] >> 12 == 0);
                for (unsigned j = 0; j < 512; j++)
                    assert_compare(pool[pages * 512ull + j], ==, 0xa5a5a5a5a5a5a5a5);
                check_firmware_kept();
            }
        }
}

/* Exactly so many pages are enough, wherever the range starts, and few are left over. */
TEST(pages_needed)
{
    static const uint64_t counts[] = {1,    2,    3,    511,  512,          513,
                                      1023, 1024, 1025, 5000, 512 * 512 + 2};
    for (enum page_size page = PAGE_4K; page < PAGE_SIZES; page++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (unsigned levels = 4; levels <= 5; levels++) {
                uint64_t size = page_bytes(page), bytes = counts[i] * size;
                /* In the middle of a table, and across each kind of table's end. */
                uint64_t ends[] = {0, 2 * MB, 1 * GB, 512 * GB, 256 * TB};
                if (page == PAGE_1G && levels == 4 && counts[i] > 5000)
                    continue; /* more than the address space holds */
                for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
                    uint64_t virtual = canonical(100, levels) + ends[e];
                    if (ends[e] >= size)
                        virtual -= (counts[i] + 1) / 2 * size;
                    if (levels == 4 && ends[e] > 512 * GB)
                        continue;
                    uint32_t pages = pagetable_pages_needed(counts[i], size, page);
                    begin(pages, levels);
                    assert_true(pagetable_map(&tables, virtual, 0, bytes, page, 0));
                    assert_in_range(pages, root_pool.used, root_pool.used + 8);
                }
            }
}

/* Each page may need tables of its own. */
TEST(pages_needed_far_apart)
{
    for (enum page_size page = PAGE_4K; page < PAGE_SIZES; page++)
        for (uint64_t stride = page_bytes(page); stride <= 512 * GB; stride *= 2)
            for (uint64_t count = 1; count <= 100; count += 33) {
                uint32_t pages = pagetable_pages_needed(count, stride, page);
                begin(pages, 4);
                for (uint64_t i = 0; i < count; i++)
                    assert_true(pagetable_map(&tables, canonical(300, 4) + i * stride, 0,
                                              page_bytes(page), page, 0));
                assert_in_range(pages, root_pool.used, root_pool.used + 8);
            }
}

TEST(free_range)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        begin(1, levels);
        for (unsigned i = 256; i < 512; i++) {
            assert_true(pagetable_free_range(&tables, 1) == canonical(i, levels));
            pool[i] = 0x1003;
        }
        assert_true(pagetable_free_range(&tables, 1) == 0);
        pool[400] = 0;
        assert_true(pagetable_free_range(&tables, 1) == canonical(400, levels));
    }
    assert_numbers((canonical(256, 4), canonical(256, 5)),
                   (0xffff800000000000, 0xff00000000000000));
    assert_numbers((canonical(511, 4), canonical(511, 5)),
                   (0xffffff8000000000, 0xffff000000000000));
}

static void check_shuffled(uint64_t virtual, uint64_t physical, uint64_t count, uint64_t flags)
{
    bool *seen = calloc(count, sizeof *seen);
    uint64_t in_place = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct translation t = walk(virtual + i * 4096, 4);
        assert_true(t.found);
        assert_compare(t.size, ==, 4096);
        assert_true((t.entry & ~ADDRESS) == (flags | BIT_PRESENT | BIT_ACCESSED | BIT_DIRTY));
        uint64_t frame = (t.physical - physical) / 4096;
        assert_compare(frame, <, count);
        assert_false(seen[frame]);
        seen[frame] = true;
        in_place += frame == i;
    }
    if (count >= 10)
        assert_compare(in_place, <, count / 2);
    free(seen);
}

TEST(shuffle)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 10, 512, 1500};
    uint64_t virtual = canonical(60, 4) + 2 * MB - 40 * KB, physical = 3 * TB;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct random random, before;
        begin(POOL_PAGES, 4);
        random_seed(&random, i);
        before = random;
        /* A page more on either side that must stay where it is. */
        assert_true(pagetable_map(&tables, virtual - 4096, 2 * TB, 4096, PAGE_4K, 0));
        assert_true(pagetable_map(&tables, virtual, physical, counts[i] * 4096, PAGE_4K,
                                  BIT_WRITE | BIT_NX));
        assert_true(pagetable_map(&tables, virtual + counts[i] * 4096, 4 * TB, 4096, PAGE_4K, 0));
        uint32_t used = root_pool.used;
        pagetable_shuffle(&tables, virtual, counts[i], &random);
        check_shuffled(virtual, physical, counts[i], BIT_WRITE | BIT_NX);
        assert_int_equal(memcmp(&random, &before, sizeof before) != 0, counts[i] > 1);
        check_mapping(virtual - 4096, 2 * TB, 4096, PAGE_4K, 0, 4);
        check_mapping(virtual + counts[i] * 4096, 4 * TB, 4096, PAGE_4K, 0, 4);
        assert_int_equal(root_pool.used, used);
    }
}

static void add_pool(unsigned i)
{
    further[i] = (struct table_pool){
        .at = further_pages[i], .physical = further_physical[i], .pages = FURTHER_PAGES};
    memset(further_pages[i], 0xa5, sizeof further_pages[i]);
    pagetable_add_pool(&tables, &further[i]);
}

/* A window as the platform maps it: a pool and a free range of its own. */
static uint64_t map_in_pool(unsigned i, uint64_t bytes, enum page_size page)
{
    add_pool(i);
    uint64_t at = pagetable_free_range(&tables, bytes);
    assert_compare(at, !=, 0);
    assert_true(pagetable_map(&tables, at, (i + 1) * TB, bytes, page, BIT_WRITE));
    return at;
}

static void check_gone(uint64_t virtual, uint64_t bytes, unsigned levels)
{
    enum page_size page;
    assert_false(walk(virtual, levels).found || walk(virtual + bytes - 1, levels).found);
    assert_null(pagetable_entry(&tables, virtual, &page));
    for (unsigned i = 256; i < 512; i++)
        if (canonical(i, levels) == virtual)
            assert_compare(pool[i], ==, 0);
}

/* Three pools go in every order; what is left stays mapped, and the place can be had again. */
TEST(pools_come_and_go)
{
    static const enum page_size pages[FURTHER] = {PAGE_4K, PAGE_2M, PAGE_1G};
    static const uint64_t bytes[FURTHER] = {6 * MB + 4 * KB, 3 * GB, 5 * GB};
    static const unsigned orders[][FURTHER] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (unsigned levels = 4; levels <= 5; levels++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            uint64_t at[FURTHER], code;
            begin(10, levels);
            code = pagetable_free_range(&tables, 2 * MB);
            assert_true(pagetable_map(&tables, code, 5 * TB, 2 * MB, PAGE_4K, 0));
            for (unsigned i = 0; i < FURTHER; i++) {
                at[i] = map_in_pool(i, bytes[i], pages[i]);
                assert_true(at[i] == code + (i + 1) * (levels == 5 ? 256 * TB : 512 * GB));
            }
            for (unsigned gone = 0; gone <= FURTHER; gone++) {
                for (unsigned j = gone; j < FURTHER; j++) {
                    unsigned i = orders[o][j];
                    check_mapping(at[i], (i + 1) * TB, bytes[i], pages[i], BIT_WRITE, levels);
                }
                check_mapping(code, 5 * TB, 2 * MB, PAGE_4K, 0, levels);
                check_firmware_kept();
                if (gone == FURTHER)
                    break;
                unsigned i = orders[o][gone];
                pagetable_remove_pool(&tables, &further[i]);
                memset(further_pages[i], 0xa5, sizeof further_pages[i]); /* another's now */
                check_gone(at[i], bytes[i], levels);
            }
            assert_ptr_equal(tables.pools, &root_pool);
            assert_compare(map_in_pool(1, 4 * KB, PAGE_4K), ==, at[0]);
        }
}

/* A range takes its tables from the pool that has its root entry, whatever was added since. */
TEST(ranges_keep_their_pool)
{
    begin(10, 4);
    uint64_t a = map_in_pool(0, 4 * KB, PAGE_4K), b = map_in_pool(1, 4 * KB, PAGE_4K);
    uint32_t used = further[1].used;
    assert_true(pagetable_map(&tables, a + 4 * MB, 7 * TB, 4 * KB, PAGE_4K, 0));
    assert_int_equal(further[1].used, used);
    pagetable_remove_pool(&tables, &further[1]);
    check_gone(b, 4 * KB, 4);
    check_mapping(a + 4 * MB, 7 * TB, 4 * KB, PAGE_4K, 0, 4);
}

/* What a pool's own page limit left half mapped goes with the pool. */
TEST(a_half_mapped_pool_goes)
{
    begin(10, 4);
    uint64_t kept = map_in_pool(0, 4 * KB, PAGE_4K), used = further[0].used;
    add_pool(1);
    uint64_t at = pagetable_free_range(&tables, 1 * GB);
    assert_false(pagetable_map(&tables, at, 0, 1 * GB, PAGE_4K, 0));
    assert_numbers((further[1].used, further[0].used), (FURTHER_PAGES, used));
    pagetable_remove_pool(&tables, &further[1]);
    check_gone(at, 4 * KB, 4);
    check_mapping(kept, 1 * TB, 4 * KB, PAGE_4K, BIT_WRITE, 4);
}

/* What the firmware changes in its root is taken over; what is ours stays. */
TEST(refresh)
{
    begin(POOL_PAGES, 4);
    uint64_t at = pagetable_free_range(&tables, 2 * MB);
    assert_true(pagetable_map(&tables, at, 0, 2 * MB, PAGE_2M, 0));
    firmware_root[5] = firmware_copy[5] = 0x7f003000 | 0x23;
    firmware_root[256] = firmware_copy[256] = 0;
    pagetable_refresh(&tables, firmware_root);
    check_firmware_kept();
    check_mapping(at, 0, 2 * MB, PAGE_2M, 0, 4);
}

/* Ranges larger than one entry's need several side by side. */
TEST(free_range_of_several_entries)
{
    begin(1, 4);
    pool[257] = pool[260] = pool[511] = 0x1003;
    assert_true(pagetable_free_range(&tables, 512 * GB) == canonical(256, 4));
    assert_true(pagetable_free_range(&tables, 512 * GB + 1) == canonical(258, 4));
    assert_true(pagetable_free_range(&tables, 2 * 512 * GB + 1) == canonical(261, 4));
    assert_true(pagetable_free_range(&tables, 250 * 512 * GB) == canonical(261, 4));
    assert_true(pagetable_free_range(&tables, 250 * 512 * GB + 1) == 0);
}

/* --- the firmware's tables, which are identity mapped ----------------------------------------- */

static struct cpuid_result encryption;

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    assert_int_equal(leaf, 0x8000001f);
    return encryption;
}

static bool maps(const uint64_t *root, unsigned levels, uint64_t start, uint64_t bytes)
{
    return pagetable_maps(root, levels, PTE_FRAME, start, bytes, 0);
}

TEST(what_the_firmware_maps_to_itself)
{
    static uint64_t table[5][512] __attribute__((aligned(4096)));
    const uint64_t small = 5ull << 30, flags = PTE_PRESENT | PTE_WRITE, pat = 1ull << 12;
    memset(table, 0, sizeof table);
    for (unsigned level = 5; level > 3;
         level--) /* everything below is in the first entry of these */
        table[5 - level][0] = (uint64_t)table[6 - level] | flags | PTE_ACCESSED;
    table[2][3] = 3ull << 30 | flags | PTE_LARGE | PTE_NX;
    table[2][5] = (uint64_t)table[3] | flags;
    table[3][0] = (uint64_t)table[4] | flags;
    table[3][1] = (small + (2 << 20)) | flags | PTE_LARGE | pat;
    table[3][2] = (small + (8 << 20)) | flags | PTE_LARGE; /* elsewhere */
    for (unsigned i = 0; i < 512; i++)
        table[4][i] = (small + i * 4096) | (i == 7 ? 0 : flags);
    for (unsigned levels = 4; levels <= 5; levels++) {
        const uint64_t *root = table[5 - levels];
        assert_true(maps(root, levels, 3ull << 30, 1 << 30));
        assert_false(maps(root, levels, 3ull << 30, (1 << 30) + 1));
        assert_false(maps(root, levels, (3ull << 30) - 1, 2));
        assert_true(maps(root, levels, small, 7 * 4096));
        assert_false(maps(root, levels, small, 7 * 4096 + 1));
        assert_true(maps(root, levels, small + 8 * 4096 + 5, 3 << 20));
        assert_false(maps(root, levels, small + (4 << 20), 1));
        assert_false(maps(root, levels, 1ull << 40, 4096));
        /* Every level has to let one write. */
        table[3][0] &= ~PTE_WRITE;
        assert_true(maps(root, levels, small, 4096));
        assert_false(pagetable_maps(root, levels, PTE_FRAME, small, 4096, PTE_WRITE));
        table[3][0] |= PTE_WRITE;
        table[4][1] &= ~PTE_WRITE;
        assert_true(pagetable_maps(root, levels, PTE_FRAME, small, 4096, PTE_WRITE));
        assert_false(pagetable_maps(root, levels, PTE_FRAME, small, 4097, PTE_WRITE));
        table[4][1] |= PTE_WRITE;
    }
}

/* The bit that tells encrypted memory is in each entry, of tables and of pages, as in a guest of
 * AMD's. */
TEST(what_an_encrypted_guest_maps)
{
    static const unsigned bits[] = {47, 51};
    static uint64_t table[4][512] __attribute__((aligned(4096)));
    const uint64_t flags = PTE_PRESENT | PTE_WRITE;
    for (unsigned i = 0; i < 2; i++) {
        encryption = (struct cpuid_result){.eax = 2, .ebx = 5 << 6 | bits[i]};
        uint64_t frame = pagetable_frame(), bit = 1ull << bits[i];
        memset(table, 0, sizeof table);
        for (unsigned level = 0; level < 3; level++)
            table[level][0] = (uint64_t)table[level + 1] | bit | flags;
        table[3][0] = bit | flags;
        assert_true(frame == (ADDRESS & ~bit));
        assert_true(pagetable_maps(table[0], 4, frame, 0, 4096, PTE_WRITE));
        assert_false(pagetable_maps(table[0], 4, frame, 0, 4097, 0));
    }
    encryption =
        (struct cpuid_result){.eax = 0, .ebx = 47}; /* another vendor's leaf says nothing */
    assert_true(pagetable_frame() == ADDRESS);
}
