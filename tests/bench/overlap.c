/* overlap: loads of each level that are under way at once, by plain C and the operating system's
 * clock alone, to hold against `l2_overlap`, `l3_overlap` and `memory_overlap`.
 *
 * usage: overlap SIZE...   (of arrays, in KB)
 *
 * For each size: nanoseconds of a load in one chain through all lines in random order, and of one
 * of many that do not need each other, each the median of RUNS, and how often the second fits into
 * the first. Those are loads of random lines, of which some hit in smaller caches; and lanes, as
 * many chains as are best, which go through the same lines evenly far apart, so that none hits
 * there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define LINE 64
#define LARGE_PAGE (2u << 20)
#define RUNS 41
#define LANES 96
#define LOADS (1u << 18) /* of a run */

static void *volatile sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static uint64_t draw(uint64_t below)
{
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x % below;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Draws an order of all lines (Fisher and Yates), and links them in it. */
static void link_lines(char *array, uint32_t *order, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines; i-- > 1;) {
        size_t j = draw(i + 1);
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(array + (size_t)order[i] * LINE) = array + (size_t)order[(i + 1) % lines] * LINE;
}

/* Goes on in each lane by turns. */
static void follow(void **at, unsigned lanes)
{
    if (lanes == 1) { /* in a register */
        void *p = at[0];
        for (unsigned i = 0; i < LOADS; i++)
            p = *(void **)p;
        at[0] = p;
        return;
    }
    for (unsigned i = 0; i < LOADS / lanes; i++)
        for (unsigned lane = 0; lane < lanes; lane++)
            at[lane] = *(void **)at[lane];
}

static void load_random(const char *array, const uint32_t *index)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < LOADS; i += 4) {
        sum += *(const uint64_t *)(array + (size_t)index[i] * LINE);
        sum += *(const uint64_t *)(array + (size_t)index[i + 1] * LINE);
        sum += *(const uint64_t *)(array + (size_t)index[i + 2] * LINE);
        sum += *(const uint64_t *)(array + (size_t)index[i + 3] * LINE);
    }
    sink = (void *)(uintptr_t)sum;
}

/* Returns nanoseconds of a load; 0 lanes: of random lines. */
static double measure(char *array, const uint32_t *order, size_t lines, unsigned lanes)
{
    static void *at[LANES];
    static uint32_t index[LOADS];
    double runs[RUNS];
    for (unsigned lane = 0; lane < lanes; lane++)
        at[lane] = array + (size_t)order[lane * lines / lanes] * LINE;
    for (int run = -1; run < RUNS; run++) { /* the first one fills the caches */
        for (unsigned i = 0; lanes == 0 && i < LOADS; i++)
            index[i] = (uint32_t)draw(lines);
        double start = now();
        if (lanes > 0)
            follow(at, lanes);
        else
            load_random(array, index);
        if (run >= 0)
            runs[run] = (now() - start) / (lanes > 0 ? LOADS / lanes * lanes : LOADS);
        sink = at[0];
    }
    qsort(runs, RUNS, sizeof *runs, compare);
    return runs[RUNS / 2];
}

int main(int count, char **words)
{
    printf("%10s %8s %8s %8s  %8s %6s %8s\n", "KB", "chain ns", "random", "overlap", "lanes", "at",
           "overlap");
    for (int i = 1; i < count; i++) {
        size_t bytes = strtoull(words[i], NULL, 10) * 1024, lines = bytes / LINE;
        char *room = mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint32_t *order = malloc(lines * sizeof *order);
        if (lines < 2 || room == MAP_FAILED || order == NULL) {
            fprintf(stderr, "overlap: an array of %s KB: a number from 1 on, as memory allows\n",
                    words[i]);
            return 1;
        }
        char *array = room + LARGE_PAGE - (uintptr_t)room % LARGE_PAGE;
        madvise(array, bytes, MADV_HUGEPAGE);
        link_lines(array, order, lines);
        double chain = measure(array, order, lines, 1);
        double random = measure(array, order, lines, 0), best = chain;
        unsigned best_lanes = 1;
        for (unsigned lanes = 2; lanes <= LANES; lanes += 1 + lanes / 8) {
            double ns = measure(array, order, lines, lanes);
            if (ns < best) {
                best = ns;
                best_lanes = lanes;
            }
        }
        printf("%10zu %8.2f %8.3f %8.2f  %8.3f %6u %8.2f\n", bytes / 1024, chain, random,
               chain / random, best, best_lanes, chain / best);
        fflush(stdout);
        free(order);
        munmap(room, bytes + LARGE_PAGE);
    }
    return 0;
}
