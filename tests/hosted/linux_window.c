/* linux_window: maps the measured memory with exactly the pages asked for. */
#define _GNU_SOURCE 1 /* MAP_HUGE_SHIFT, memfd_create */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_fault.h"
#include "linux_memory.h"
#include "linux_nodes.h"
#include "platform_linux.h"
#include "read_file.h"

#define STEP_4K UINT64_C(4096)
#define STEP_2M (UINT64_C(2) << 20)
#define TOUCHES 64 /* of a window of small pages, each of every 64th page */
#define ALIGN_MAX (UINT64_C(1) << 30)
#define BYTES_MAX (UINT64_C(1) << 46) /* of a process's 47 bits of addresses */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static const struct linux_page {
    const char *name;
    unsigned shift;
    const char *pool; /* where Linux counts the free hugetlb pages */
} pages[PAGE_SIZES] = {
    [PAGE_4K] = {"4 KB", 12, NULL},
    [PAGE_2M] = {"2 MB", 21, "/sys/kernel/mm/hugepages/hugepages-2048kB"},
    [PAGE_1G] = {"1 GB", 30, "/sys/kernel/mm/hugepages/hugepages-1048576kB"},
};

#define REASON(linux_platform, ...)                                                                \
    (snprintf((linux_platform)->reason, sizeof((linux_platform)->reason), __VA_ARGS__),            \
     (linux_platform)->reason)

/* Writes to every page, so that each has its own frame. Linux often gives neighbouring frames one
 * after the other; a TLB of AMD joins neighbouring pages that have them (seen: 99 and 102 pages of
 * 4 KB in 96 entries). So neighbouring small pages are touched at different times. */
static void touch(void *context)
{
    const struct window *window = context;
    uint64_t times = window->page == PAGE_4K ? TOUCHES : 1;

    for (uint64_t first = 0; first < times; first++)
        for (uint64_t at = first * STEP_4K; at < window->bytes; at += times * STEP_4K)
            *(volatile uint8_t *)(window->base + at) = 0;
}

/* Returns the window's node; NULL: any. */
static struct memory_node *node_of(struct linux_platform *linux_platform,
                                   const struct window_request *request)
{
    return request->node != NODE_ANY ? &linux_platform->nodes.node[request->node] : NULL;
}

/* Touches the window under guard: a huge page that Linux promised but cannot give raises SIGBUS. */
static const char *populate(struct linux_platform *linux_platform, struct window *window,
                            const struct memory_node *node)
{
    char dump[LINUX_FAULT_DUMP_MAX];
    const char *reason = node != NULL ? linux_nodes_bind(node, window->base, window->bytes) : NULL;

    if (reason != NULL)
        return reason;
    if (!linux_fault_guard(touch, window, dump)) {
        return REASON(linux_platform, "Linux did not keep its promise of %s pages",
                      pages[window->page].name);
    }
    /* no swapping, as far as the limits allow; describe tells */
    linux_platform->is_locked &= mlock(window->base, window->bytes) == 0;
    return NULL;
}

static uint64_t free_pool_pages(enum page_size page)
{
    char path[128], text[32];

    snprintf(path, sizeof(path), "%s/free_hugepages", pages[page].pool);
    read_small_file(path, text, sizeof(text));
    return strtoull(text, NULL, 10);
}

/* Maps from the pool of huge pages that the machine's owner set aside. False: it has too few. */
static bool map_from_pool(struct linux_platform *linux_platform, struct window *window)
{
    unsigned shift = pages[window->page].shift;

    if (free_pool_pages(window->page) < window->bytes >> shift)
        return false;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)(shift << MAP_HUGE_SHIFT);
    void *base = mmap(NULL, window->bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (base == MAP_FAILED)
        return false;
    window->base = base;
    linux_window_keep(linux_platform, window, base, window->bytes);
    linux_platform->huge_pages = "hugetlb";
    return true;
}

/*
 * Reserves addresses with inaccessible memory around them: a neighbour that Linux merged with the
 * window would spoil both its pages and their count. Aligns to 2 MB or, for equal shares of a TLB's
 * sets, to the window's size, up to 1 GB.
 */
static const char *linux_reserve(struct linux_platform *linux_platform, struct window *window,
                                 uint64_t bytes)
{
    uint64_t align = STEP_2M;
    while (align < bytes && align < ALIGN_MAX)
        align *= 2;
    size_t reserved_bytes = bytes + align + 2 * STEP_2M;
    void *reserved =
        mmap(NULL, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return REASON(linux_platform, "Linux gives no memory: %s", strerror(errno));
    window->base = (uint8_t *)(((uintptr_t)reserved + STEP_2M + align - 1) & ~(align - 1));
    linux_window_keep(linux_platform, window, reserved, reserved_bytes);
    return NULL;
}

static const char *check_free(struct linux_platform *linux_platform, uint64_t bytes)
{
    if (bytes <= linux_memory_free())
        return NULL;
    return REASON(linux_platform,
                  "only %" PRIu64 " MB of memory can be taken, %" PRIu64 " MB are asked for",
                  linux_memory_free() >> 20, bytes >> 20);
}

static const char *map_ordinary(struct linux_platform *linux_platform, struct window *window,
                                const struct memory_node *node, int advice)
{
    const char *reason = check_free(linux_platform, window->bytes);
    if (reason == NULL)
        reason = linux_reserve(linux_platform, window, window->bytes);
    if (reason != NULL)
        return reason;
    /* a kernel without transparent huge pages refuses the advice; the check below decides */
    if (mprotect(window->base, window->bytes, PROT_READ | PROT_WRITE) != 0)
        return REASON(linux_platform, "Linux gives no memory: %s", strerror(errno));
    madvise(window->base, window->bytes, advice);
    return populate(linux_platform, window, node);
}

/* Returns how many of these bytes of addresses are on transparent huge pages. UINT64_MAX: Linux
 * does not tell. */
static uint64_t huge_bytes(const uint8_t *base, uint64_t bytes)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char *line = NULL;
    size_t room = 0;
    uint64_t kilobytes = 0, found = 0;
    uintptr_t start, end;
    bool is_ours = false, is_told = false;

    while (maps != NULL && getline(&line, &room, maps) > 0)
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
            is_ours = start - (uintptr_t)base < bytes;
        } else if (is_ours && (sscanf(line, "AnonHugePages: %" SCNu64 " kB", &kilobytes) == 1 ||
                               sscanf(line, "ShmemPmdMapped: %" SCNu64 " kB", &kilobytes) == 1)) {
            found += kilobytes * 1024;
            is_told = true;
        }
    free(line);
    if (maps != NULL)
        fclose(maps);
    return is_told ? found : UINT64_MAX;
}

/* Returns NULL if all these bytes of addresses are on huge pages of 2 MB, or why not. */
static const char *check_huge(struct linux_platform *linux_platform, const struct window *window,
                              uint64_t addresses)
{
    uint64_t huge = huge_bytes(window->base, addresses);

    if (huge == UINT64_MAX)
        return "Linux does not tell which pages it uses";
    if (huge != window->bytes) {
        return REASON(linux_platform,
                      "Linux gave 2 MB pages for %" PRIu64 " of %" PRIu64
                      " MB (switched off, or memory is fragmented)",
                      huge >> 20, window->bytes >> 20);
    }
    linux_platform->huge_pages = "transparent";
    return NULL;
}

static const char *map_4k(struct linux_platform *linux_platform, struct window *window,
                          const struct memory_node *node)
{
    const char *reason = map_ordinary(linux_platform, window, node, MADV_NOHUGEPAGE);

    if (reason != NULL)
        return reason;
    uint64_t huge = huge_bytes(window->base, window->bytes);
    if (huge != 0 && huge != UINT64_MAX) {
        return REASON(linux_platform, "Linux used huge pages for %" PRIu64 " of %" PRIu64 " MB",
                      huge >> 20, window->bytes >> 20);
    }
    return NULL;
}

static const char *map_2m(struct linux_platform *linux_platform, struct window *window,
                          const struct memory_node *node)
{
    if (map_from_pool(linux_platform, window))
        return populate(linux_platform, window, node);
    const char *reason = map_ordinary(linux_platform, window, node, MADV_HUGEPAGE);
    if (reason != NULL)
        return reason;
    if (huge_bytes(window->base, window->bytes) != window->bytes) {
        /* Linux 6.1 and later collapse pages on request, even if huge pages are off */
        madvise(window->base, window->bytes, MADV_COLLAPSE);
    }
    return check_huge(linux_platform, window, window->bytes);
}

static const char *no_gigabytes(struct linux_platform *linux_platform, uint64_t bytes)
{
    return REASON(linux_platform,
                  "%" PRIu64 " free 1 GB pages are needed, Linux has %" PRIu64
                  " (set aside with %s/nr_hugepages)",
                  bytes >> pages[PAGE_1G].shift, free_pool_pages(PAGE_1G), pages[PAGE_1G].pool);
}

static const char *map_1g(struct linux_platform *linux_platform, struct window *window,
                          const struct memory_node *node)
{
    if (map_from_pool(linux_platform, window))
        return populate(linux_platform, window, node);
    return no_gigabytes(linux_platform, window->bytes);
}

/* A memory file, whose pages may be mapped at many addresses. */
struct frames {
    int file;
    uint64_t count;
    bool is_of_pool; /* of hugetlb pages */
};

static const char *open_frames(struct linux_platform *linux_platform, struct frames *frames,
                               enum page_size page)
{
    unsigned shift = pages[page].shift, huge = MFD_HUGETLB | shift << MAP_HUGE_SHIFT;
    uint64_t bytes = frames->count << shift;

    frames->is_of_pool = page != PAGE_4K && free_pool_pages(page) >= frames->count;
    if (page == PAGE_1G && !frames->is_of_pool)
        return no_gigabytes(linux_platform, bytes);
    const char *reason = frames->is_of_pool ? NULL : check_free(linux_platform, bytes);
    if (reason != NULL)
        return reason;
    frames->file = memfd_create("mlpboot-frames", MFD_CLOEXEC | (frames->is_of_pool ? huge : 0));
    if (frames->file < 0 || ftruncate(frames->file, (off_t)bytes) != 0)
        return REASON(linux_platform, "Linux gives no file in memory: %s", strerror(errno));
    return NULL;
}

/* Touches every frame while the file is mapped once, in order, which settles its pages' kind. */
static const char *fill_frames(struct linux_platform *linux_platform, const struct frames *frames,
                               struct window *view, struct memory_node *node)
{
    const char *reason = linux_reserve(linux_platform, view, view->bytes);

    if (reason != NULL)
        return reason;
    if (mmap(view->base, view->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, frames->file,
             0) == MAP_FAILED)
        return REASON(linux_platform, "Linux gives no memory: %s", strerror(errno));
    madvise(view->base, view->bytes, view->page == PAGE_4K ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    reason = populate(linux_platform, view, node);
    if (reason == NULL && view->page == PAGE_2M && !frames->is_of_pool)
        madvise(view->base, view->bytes, MADV_COLLAPSE);
    return reason == NULL && node != NULL ? linux_nodes_prove(node, view) : reason;
}

/* Maps each page to its frame, consecutive frames together. */
static const char *linux_map_frames(struct linux_platform *linux_platform,
                                    const struct frames *frames, const struct window *window)
{
    uint64_t size = page_bytes(window->page), count = window->bytes / size;
    uint64_t piece = window->stride == size ? frames->count : 1;

    for (uint64_t i = 0; i < count; i += piece) {
        uint64_t first = i % frames->count, bytes = (piece < count - i ? piece : count - i) * size;
        uint8_t *at = window->base + i * window->stride;
        if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, frames->file,
                 (off_t)(first * size)) == MAP_FAILED) {
            return REASON(linux_platform,
                          "Linux maps no more than %" PRIu64 " of %" PRIu64 " pages: %s", i, count,
                          strerror(errno));
        }
        if (window->page == PAGE_4K)
            madvise(at, bytes, MADV_NOHUGEPAGE);
        if (i < frames->count) /* a lock keeps a frame, whatever is mapped to it */
            linux_platform->is_locked &= mlock(at, bytes) == 0;
    }
    return NULL;
}

/* Reads every page, so that it is in the page tables. */
static void read_pages(void *context)
{
    const struct window *window = context;
    uint64_t count = window->bytes / page_bytes(window->page);

    for (uint64_t i = 0; i < count; i++)
        (void)*(volatile uint8_t *)(window->base + i * window->stride);
}

static const char *linux_map_pages(struct linux_platform *linux_platform,
                                   const struct frames *frames, struct window *window)
{
    char dump[LINUX_FAULT_DUMP_MAX];
    uint64_t size = page_bytes(window->page);
    uint64_t addresses = (window->bytes / size - 1) * window->stride + size;
    const char *reason = linux_reserve(linux_platform, window, addresses);

    if (reason == NULL)
        reason = linux_map_frames(linux_platform, frames, window);
    if (reason == NULL && !linux_fault_guard(read_pages, window, dump))
        reason = "Linux did not keep its promise of memory";
    if (reason != NULL)
        return reason;
    if (frames->is_of_pool)
        linux_platform->huge_pages = "hugetlb";
    else if (window->page == PAGE_2M)
        reason = check_huge(linux_platform, window, addresses);
    return reason;
}

/* Maps pages that share frames, or lie apart, piece by piece from a memory file. */
static const char *linux_map_apart(struct platform *self, struct window *window, uint64_t distinct,
                                   struct memory_node *node)
{
    struct linux_platform *linux_platform = (struct linux_platform *)self;
    uint64_t size = page_bytes(window->page), count = window->bytes / size;
    struct frames frames = {.file = -1, .count = count};

    if (distinct > 0 && distinct < count)
        frames.count = distinct;
    struct window view = {.bytes = frames.count * size, .page = window->page, .stride = size};
    const char *reason = open_frames(linux_platform, &frames, window->page);
    if (reason == NULL)
        reason = fill_frames(linux_platform, &frames, &view, node);
    if (reason == NULL)
        reason = linux_map_pages(linux_platform, &frames, window);
    linux_unmap_window(self, &view);
    if (frames.file >= 0)
        close(frames.file);
    return reason;
}

const char *linux_window_room(const struct linux_platform *linux_platform)
{
    return linux_platform->windows < WINDOWS_MAX ? NULL
                                                 : "there are as many windows as there can be";
}

void linux_window_keep(struct linux_platform *linux_platform, const struct window *window,
                       void *start, size_t bytes)
{
    linux_platform->reservation[linux_platform->windows++] =
        (struct linux_reservation){window->base, start, bytes};
}

static const char *map_linux_window(struct linux_platform *linux_platform, struct window *window,
                                    struct memory_node *node)
{
    static const char *(*const map_pages[PAGE_SIZES])(struct linux_platform *, struct window *,
                                                      const struct memory_node *) = {
        [PAGE_4K] = map_4k, [PAGE_2M] = map_2m, [PAGE_1G] = map_1g};
    const char *reason = map_pages[window->page](linux_platform, window, node);

    return reason == NULL && node != NULL ? linux_nodes_prove(node, window) : reason;
}

/* Makes no twins: Linux never promises the same frames with pages of two sizes. */
const char *linux_map_window(struct platform *self, const struct window_request *request,
                             struct window *window)
{
    struct linux_platform *linux_platform = (struct linux_platform *)self;
    uint64_t bytes = request->bytes, step = UINT64_C(1) << pages[request->page].shift;
    uint64_t stride = request->stride > 0 ? request->stride : step;
    struct memory_node *node = node_of(linux_platform, request);

    *window = (struct window){.base = NULL};
    if (request->frames == FRAMES_SHUFFLED)
        return "Linux chooses the frames";
    if (bytes == 0 || bytes > BYTES_MAX)
        return REASON(linux_platform, "a process cannot map %" PRIu64 " bytes", bytes);
    if (stride < step || (bytes - 1) / step > (BYTES_MAX - step) / stride)
        return REASON(linux_platform, "a process cannot map pages %" PRIu64 " bytes apart", stride);
    const char *reason = linux_window_room(linux_platform);
    if (reason != NULL)
        return reason;
    *window = (struct window){.bytes = (bytes + step - 1) & ~(step - 1),
                              .stride = stride,
                              .page = request->page,
                              .frames = request->frames};
    if (request->distinct > 0 || stride > step)
        reason = linux_map_apart(self, window, request->distinct, node);
    else
        reason = map_linux_window(linux_platform, window, node);
    if (reason != NULL)
        linux_unmap_window(self, window);
    return reason;
}

void linux_unmap_window(struct platform *self, struct window *window)
{
    struct linux_platform *linux_platform = (struct linux_platform *)self;
    struct linux_reservation *r = linux_platform->reservation;
    struct linux_reservation *end = r + linux_platform->windows;

    while (r < end && r->base != window->base)
        r++;
    if (r < end) {
        munmap(r->start, r->bytes);
        *r = end[-1];
        linux_platform->windows--;
    }
    *window = (struct window){.base = NULL};
}
