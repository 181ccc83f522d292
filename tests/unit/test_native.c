/*
 * test_native: lines that are flushed, pages that are touched and code that is run, on the
 * processor we stand on. What was flushed takes longer to read; what was touched is mapped.
 */
#include "../../kernel/probe/native.h"

#include <cpuid.h>
#include <sys/mman.h>

#include "call_and_look.h"
#include "kit.h"

#define PAGE 4096
#define PAGES 16 /* every second one is nobody's: who goes astray is killed */
#define LINE 64
#define TRIES 5 /* the host may disturb some */
#define ROUNDS 41

static uint8_t *memory;

/* --- pages ----------------------------------------------------------------------------------- */

static uint8_t *page_at(int number)
{
    return memory + (2 * (number + PAGES / 4) + 1) * PAGE; /* from -PAGES/4 to PAGES/4 - 1 */
}

/* Fresh ones, in which nothing was touched yet. */
SETUP(open)
{
    memory = mmap(NULL, (PAGES + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (int i = -PAGES / 4; i < PAGES / 4; i++)
        assert_int_equal(mprotect(page_at(i), PAGE, PROT_READ | PROT_WRITE), 0);
}

TEARDOWN(close)
{
    munmap(memory, (PAGES + 1) * PAGE);
}

static bool is_touched(uint8_t *page)
{
    unsigned char resident = 0;
    assert_int_equal(mincore(page, PAGE, &resident), 0);
    return resident & 1;
}

static int32_t displacement_of(int page, unsigned line)
{
    return (int32_t)(page_at(page) - page_at(0)) + (int32_t)line * LINE;
}

/* To both sides, and the base's own page; the first and the last of the list at its edges. */
static const int touched[] = {3, -4, 0, -1, 2};
#define TOUCHED (sizeof touched / sizeof *touched)

static void assert_touched(unsigned count)
{
    for (int i = -PAGES / 4; i < PAGES / 4; i++) {
        bool wanted = false;
        for (unsigned j = 0; j < count; j++)
            wanted |= touched[j] == i;
        assert_int_equal(is_touched(page_at(i)), wanted);
    }
}

TEST(touches_a_page_of_each_line)
{
    for (unsigned count = 0; count <= TOUCHED; count++) {
        int32_t displacement[TOUCHED];
        close();
        open();
        for (unsigned i = 0; i < TOUCHED; i++)
            displacement[i] = displacement_of(touched[i], i == 0 ? 63 : i == 1 ? 0 : 5 * i);
        native_touch_pages(NULL, page_at(0), displacement, count);
        assert_touched(count);
    }
}

/* --- lines ----------------------------------------------------------------------------------- */

static uint64_t time_of(const volatile uint8_t *at)
{
    uint64_t start = native_ticks();
    (void)*at;
    return native_ticks() - start;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* So many lines of every page, none near the others; all of them in the caches. */
static const unsigned lines[] = {0, 13, 31, 50, 63};
#define LINES (sizeof lines / sizeof *lines)
#define PLACES (PAGES / 2 * LINES)

static uint8_t *place_at(unsigned i)
{
    return page_at((int)(i / LINES) - PAGES / 4) + lines[i % LINES] * LINE;
}

static void bring_in(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        *(volatile uint8_t *)place_at(i) = 1;
    for (unsigned i = 0; i < PLACES; i++)
        (void)*(volatile uint8_t *)place_at(i);
    native_fence();
}

typedef void evict(struct platform *self, uint8_t *base, const int32_t *displacement,
                   unsigned count);

/* Every third place, by a base in the middle: to both sides, the first and the last. */
#define CHOSEN ((PLACES + 2) / 3)

static bool is_chosen(unsigned place)
{
    return place % 3 == 0;
}

/* The median time to read a place that was flushed or not. */
static uint64_t time_after(evict *flush, unsigned place)
{
    uint64_t ticks[ROUNDS];
    int32_t displacement[CHOSEN];
    for (unsigned i = 0; i < CHOSEN; i++)
        displacement[i] = (int32_t)(place_at(3 * i) - page_at(0));
    for (unsigned i = 0; i < ROUNDS; i++) {
        bring_in();
        flush(NULL, page_at(0), displacement, CHOSEN);
        ticks[i] = time_of(place_at(place));
    }
    qsort(ticks, ROUNDS, sizeof *ticks, by_size);
    return ticks[ROUNDS / 2];
}

/* Every place that was flushed takes longer than every one that was not. */
static bool flushes_what_it_should(evict *flush)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        uint64_t ticks = time_after(flush, i);
        if (is_chosen(i))
            least = ticks < least ? ticks : least;
        else
            most = ticks > most ? ticks : most;
    }
    return least > most + most / 4;
}

static void assert_flushes(evict *flush)
{
    bool seen = false;
    for (unsigned i = 0; i < TRIES && !seen; i++)
        seen = flushes_what_it_should(flush);
    assert_true(seen);
}

TEST(evicts_every_line_and_no_other)
{
    assert_flushes(native_evict);
}

TEST(evicts_side_by_side)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & 1u << 23) == 0)
        skip(); /* there is no CLFLUSHOPT */
    assert_flushes(native_evict_side_by_side);
}

static void flush_page_and_touch(struct platform *self, uint8_t *base, const int32_t *displacement,
                                 unsigned count)
{
    int32_t all[PAGE / LINE];
    for (unsigned i = 0; i < count; i++) {
        for (int32_t j = 0; j < PAGE / LINE; j++)
            all[j] = (displacement[i] & -PAGE) + j * LINE;
        native_evict(self, base, all, PAGE / LINE);
    }
    native_touch_pages(self, base, displacement, count);
}

/* The least time of a line in the other half of a sample's page, of the pair's same side. */
static uint64_t fastest_other(unsigned sample)
{
    uint64_t least = UINT64_MAX;
    for (unsigned distance = 32; distance < 64; distance += 2) {
        uint64_t ticks = time_of(page_at(-2) + (sample ^ distance) * LINE);
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* What is touched is half a page away or more: the sample's own line stays where it is. */
TEST(touches_another_line)
{
    static const unsigned sample = 17;
    bool seen = false;
    for (unsigned try = 0; try < TRIES && !seen; try++) {
        uint64_t own[ROUNDS], other[ROUNDS];
        int32_t displacement[1] = {displacement_of(-2, sample)};
        for (unsigned i = 0; i < ROUNDS; i++) {
            flush_page_and_touch(NULL, page_at(0), displacement, 1);
            own[i] = time_of(page_at(-2) + sample * LINE);
            flush_page_and_touch(NULL, page_at(0), displacement, 1);
            other[i] = fastest_other(sample);
        }
        qsort(own, ROUNDS, sizeof *own, by_size);
        qsort(other, ROUNDS, sizeof *other, by_size);
        seen = own[ROUNDS / 2] > other[ROUNDS / 2] + other[ROUNDS / 2] / 4;
    }
    assert_true(seen);
}

/* --- crowding -------------------------------------------------------------------------------- */

/* So many pages from the window's end back, a line in each, and nothing else. */
static void assert_crowds(enum page_size page, uint64_t bytes, uint64_t pages)
{
    uint64_t step = page_bytes(page);
    uint8_t *base = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct window window = {.base = base, .bytes = bytes, .page = page};
    uint64_t first = bytes - pages * step;
    assert_true(base != MAP_FAILED);
    assert_int_equal(madvise(base, bytes, MADV_NOHUGEPAGE), 0);
    assert_int_equal(mprotect(base + bytes, PAGE, PROT_NONE), 0);
    native_crowd_tlb(NULL, &window);
    for (uint64_t at = 0; at < bytes; at += PAGE)
        assert_int_equal(is_touched(base + at), at >= first && (at - first) % step == 0);
    munmap(base, bytes + PAGE);
}

TEST(crowds_the_second_half)
{
    assert_crowds(PAGE_4K, 8 * PAGE, 4);
    assert_crowds(PAGE_4K, 2 * 8192 * PAGE, 8192);
    assert_crowds(PAGE_4K, 2 * 8200 * PAGE, 8192); /* no more than the largest TLB needs */
    assert_crowds(PAGE_2M, 16ull << 20, 4);
}

/* --- code ------------------------------------------------------------------------------------ */

/* What was written last is what runs, with the base in RDI. */
TEST(code_is_run_as_it_was_written_last)
{
    static const uint8_t first[] = {0x48, 0x8d, 0x47, 0x01, 0xc3}; /* lea rax,[rdi+1]; ret */
    struct platform platform = {.code = {.bytes = PAGE}};
    uint8_t *area = code_open(PAGE);
    platform.code.write = area;
    platform.code.execute = area;
    for (uint8_t i = 0; i < 100; i++) {
        memcpy(area, first, sizeof first);
        area[3] = i;
        native_publish_code(&platform, sizeof first);
        assert_true(native_run_code(&platform, page_at(0)) == (uintptr_t)page_at(0) + i);
    }
    code_close(area, PAGE);
}

/* --- time ------------------------------------------------------------------------------------ */

TEST(time_goes_on)
{
    uint64_t before = native_ticks(), last = before;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t now = native_ticks();
        assert_compare(now, >=, last);
        last = now;
    }
    assert_compare(last, >, before);
}
