/* test_cycle: one cycle through every line. */
#include "../../kernel/probe/cycle.h"
#include "kit.h"

#define LINE LINE_BYTES
#define LINES_MAX 70000
#define GUARD 0xa5

static uint8_t *array;
static uint8_t seen[LINES_MAX];
static bool is_paged;

SETUP(not_paged)
{
    is_paged = false;
}

SETUP_ALL(allocate_array)
{
    array = aligned_alloc(LINE, (size_t)LINES_MAX * LINE);
    assert_non_null(array);
}

TEARDOWN_ALL(free_array)
{
    free(array);
}

static uint8_t *follow(uint8_t *line)
{
    return *(uint8_t **)(void *)line;
}

static size_t number_of(const uint8_t *line)
{
    return (size_t)(line - array) / LINE;
}

static void build(struct cycle *cycle, size_t bytes, uint64_t piece)
{
    memset(array, GUARD, (size_t)LINES_MAX * LINE);
    cycle_start(cycle, array, bytes, is_paged);
    while (!cycle_extend(cycle, piece))
        ;
}

static void assert_one_cycle(size_t lines)
{
    uint8_t *line = array;
    memset(seen, 0, lines);
    for (size_t i = 0; i < lines; i++) {
        size_t number = number_of(line);
        assert_true(line == array + number * LINE);
        assert_compare(number, <, lines);
        assert_false(seen[number]);
        seen[number] = 1;
        line = follow(line);
    }
    assert_ptr_equal(line, array);
    if (lines < LINES_MAX)
        assert_int_equal(array[lines * LINE], GUARD);
}

/* Every small size, and some larger ones. */
TEST(sizes)
{
    static const size_t sizes[] = {768, 1024, 1025, 4095, 5120, 6144, 7168, 65535, 65536, 69999};
    struct cycle cycle;
    for (size_t lines = 1; lines <= 600; lines++) {
        build(&cycle, lines * LINE, UINT64_MAX);
        assert_one_cycle(lines);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        build(&cycle, sizes[i] * LINE, UINT64_MAX);
        assert_one_cycle(sizes[i]);
    }
}

/* A place is exact in a power of two alone; chains that overlap by an eighth leave no line out. */
TEST(places_that_chains_start_at)
{
    static const size_t sizes[] = {8192, 9000, 10240, 12288, 14336, 40960, 49152, 57344, 65536};
    struct cycle cycle;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t apart = 224; apart <= 256; apart += 32) {
            size_t met = 0;
            build(&cycle, sizes[i] * LINE, UINT64_MAX);
            memset(seen, 0, sizes[i]);
            for (size_t place = 0; place < sizes[i]; place += apart) {
                uint8_t *line = cycle_line(&cycle, place);
                for (size_t step = 0; step < 256; step++, line = follow(line))
                    seen[number_of(line)] = 1;
            }
            for (size_t line = 0; line < sizes[i]; line++)
                met += seen[line];
            bool is_power = (sizes[i] & (sizes[i] - 1)) == 0;
            assert_compare(met, >=, is_power || apart < 256 ? sizes[i] : sizes[i] * 95 / 100);
            if (!is_power && apart == 256) /* what the overlap is for */
                assert_compare(met, <, sizes[i]);
        }
}

TEST(part_of_a_line_is_left)
{
    struct cycle cycle;
    build(&cycle, 16 * LINE + LINE - 1, UINT64_MAX);
    assert_int_equal(cycle.lines, 16);
    assert_one_cycle(16);
}

TEST(pieces_make_the_same)
{
    static uint8_t whole[1000 * LINE];
    struct cycle cycle;
    build(&cycle, sizeof whole, UINT64_MAX);
    memcpy(whole, array, sizeof whole);
    for (uint64_t piece = 1; piece <= 1025; piece += 64) {
        build(&cycle, sizeof whole, piece);
        assert_memory_equal(array, whole, sizeof whole);
    }
}

/* A prefetcher must not find a stride: no distance from line to line comes often. */
TEST(no_stride)
{
    static uint16_t times[2 * LINES_MAX];
    static const size_t sizes[] = {1024, 1280, 4096, 16384, 65536, 57344};
    struct cycle cycle;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t lines = sizes[i], most = 0, near = 0;
        build(&cycle, lines * LINE, UINT64_MAX);
        memset(times, 0, sizeof times);
        for (size_t line = 0; line < lines; line++) {
            size_t next = number_of(follow(array + line * LINE));
            size_t distance = next + lines - line;
            if (++times[distance] > most)
                most = times[distance];
            near += next + 2 >= line && next <= line + 2;
        }
        assert_compare(most, <=, 12 + lines / 200);
        assert_compare(near, <=, 12 + lines / 100);
    }
}

/* Lines asked for by place stand about as far apart in the cycle as their places. */
TEST(places)
{
    static const size_t sizes[] = {16, 20, 1024, 1280, 1792, 40000};
    struct cycle cycle;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t lines = sizes[i], off = lines / 8 + 4;
        build(&cycle, lines * LINE, UINT64_MAX);
        assert_ptr_equal(cycle_line(&cycle, 0), array);
        assert_ptr_equal(cycle_line(&cycle, lines), array);
        for (size_t chains = 1; chains <= 11; chains++) {
            uint8_t *line = array;
            size_t walked = 0;
            for (size_t c = 0; c < chains; c++) {
                uint8_t *wanted = cycle_line(&cycle, c * (lines / chains));
                for (size_t limit = 0; line != wanted; walked++, line = follow(line))
                    assert_true(limit++ < lines);
                assert_in_range(walked + off, c * (lines / chains), c * (lines / chains) + 2 * off);
            }
        }
    }
}

/* All lines once, whatever the size; of few pages in turn, eight of each, no two of them
 * neighbours. */
TEST(paged)
{
    static const size_t sizes[] = {1024, 1025, 4096, 6144, 16384, 20000, 65536, 69999};
    struct cycle cycle;
    is_paged = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        build(&cycle, sizes[i] * LINE, 1000);
        assert_one_cycle(sizes[i]);
    }
    build(&cycle, 65536 * LINE, UINT64_MAX);
    const uint8_t *line = array;
    for (size_t window = 0; window < 65536 / 128; window++) {
        uint8_t of_page[CYCLE_PAGES] = {0};
        uint64_t lines[CYCLE_PAGES] = {0};
        size_t first = number_of(line) / 1024;
        for (size_t j = 0; j < CYCLE_PAGES * CYCLE_PAGE_LINES; j++) {
            size_t page = number_of(line) / 64 % CYCLE_PAGES;
            assert_int_equal(number_of(line) / 1024, first);
            lines[page] |= 1ull << number_of(line) % 64;
            of_page[page]++;
            line = *(uint8_t *const *)(const void *)line;
        }
        for (size_t page = 0; page < CYCLE_PAGES; page++) {
            assert_int_equal(of_page[page], CYCLE_PAGE_LINES);
            assert_int_equal(lines[page] & lines[page] << 1, 0);
        }
    }
}
