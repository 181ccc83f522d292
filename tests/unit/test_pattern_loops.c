/* test_pattern_loops: compares the four orders, word by word, with how they are defined. */
#include "../../kernel/experiments/patterns/patterns_rule.h"
#include "../../kernel/probe/pattern_loops.h"
#include "kit.h"

#define MEGABYTES_MAX 16
#define WORDS_MAX (MEGABYTES_MAX << 17)
#define STRIDES 4096

enum { LINEAR, PAGE, HEAP, RANDOM };

static uint64_t *words;   /* each holds its own number, so that a sum of one tells which it was */
static uint32_t *visited; /* in that order */
static struct pattern_pass pass;

SETUP_ALL(allocate)
{
    words = malloc(WORDS_MAX * sizeof *words);
    visited = malloc(WORDS_MAX * sizeof *visited);
    for (uint64_t i = 0; words != NULL && i < WORDS_MAX; i++)
        words[i] = i;
    assert_non_null(words);
    assert_non_null(visited);
}

TEARDOWN_ALL(release)
{
    free(words);
    free(visited);
}

/* Makes a pass, one access at a time; returns the number of words. */
static uint64_t trace(unsigned pattern, uint64_t megabytes, uint64_t seed)
{
    uint64_t count = megabytes << 17;
    pattern_pass_start(&pass, words, megabytes << 20, seed);
    for (uint64_t i = 0; i < count; i++) {
        visited[i] = (uint32_t)pattern_loops[pattern].go(&pass, 1);
        assert_int_equal(pass.done, (i + 1) % count);
    }
    return count;
}

static void assert_each_once(uint64_t count)
{
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    for (uint64_t i = 0; i < count; i++) {
        assert_compare(visited[i], <, count);
        if (seen[visited[i]]++ != 0)
            fail_msg("word %u comes twice in %lu", visited[i], (unsigned long)count);
    }
    free(seen);
}

/* 514229 is odd, and the generator's period is full: nothing is left out in any size. */
TEST(every_word_once)
{
    for (uint64_t megabytes = 2; megabytes <= MEGABYTES_MAX; megabytes *= 2)
        for (unsigned pattern = 0; pattern < PATTERN_LOOPS; pattern++)
            assert_each_once(trace(pattern, megabytes, megabytes));
}

/* Computes the published orders by their recurrences: from -1 on. */
TEST(published_orders)
{
    uint64_t count, page_words = 262144;
    uint64_t linear = UINT64_MAX, page = UINT64_MAX, heap = UINT64_MAX;
    count = trace(LINEAR, 8, 1);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(visited[i], linear = (linear + 1) % count);
    count = trace(HEAP, 8, 1);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(visited[i], heap = (heap + 514229) % count);
    count = trace(PAGE, 8, 1);
    for (uint64_t i = 0; i < count; i++) {
        page = i / page_words * page_words + (page + 514229) % page_words;
        assert_int_equal(visited[i], page);
    }
}

/* Returns how often the most frequent of the strides came: rare in the random order, always the
 * same one in the heap's. */
static unsigned most_of_one_stride(uint64_t count)
{
    static unsigned seen[STRIDES];
    unsigned most = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 1; i < count; i++) {
        uint64_t stride = (visited[i] - (uint64_t)visited[i - 1]) % count * STRIDES / count;
        if (++seen[stride] > most)
            most = seen[stride];
    }
    return most;
}

TEST(the_random_order_has_no_stride)
{
    for (uint64_t megabytes = 2; megabytes <= MEGABYTES_MAX; megabytes *= 2) {
        uint64_t count = trace(RANDOM, megabytes, 1);
        assert_compare(most_of_one_stride(count), <, 2 * count / STRIDES);
    }
    uint64_t count = trace(HEAP, 4, 1);
    assert_int_equal(most_of_one_stride(count), count - 1);
}

/* Any of 64 lines of a 4 KB page follows any other as often as chance makes it. */
TEST(lines_of_the_random_order_are_not_in_turn)
{
    static unsigned pairs[64][64];
    uint64_t count = trace(RANDOM, MEGABYTES_MAX, 1);
    double each = (double)(count - 1) / (64 * 64), squares = 0;
    memset(pairs, 0, sizeof pairs);
    for (uint64_t i = 1; i < count; i++)
        pairs[visited[i - 1] / 8 % 64][visited[i] / 8 % 64]++;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++)
            squares += (pairs[i][j] - each) * (pairs[i][j] - each) / each;
    /* Chi squared with 4095 degrees of freedom: 4095, give or take four times 90. */
    assert_compare(squares, <, 4455);
}

TEST(seeds)
{
    trace(RANDOM, 2, 1);
    uint32_t one = visited[0], later = visited[1000];
    trace(RANDOM, 2, 2);
    assert_compare(visited[0], !=, one);
    assert_compare(visited[1000], !=, later);
    trace(RANDOM, 2, 1);
    assert_numbers((visited[0], visited[1000]), (one, later));
}

/* Reads the same words in pieces of any size, and again, so that the sum is the same. */
TEST(pieces)
{
    uint64_t count = 4 << 17;
    for (unsigned pattern = 0; pattern < PATTERN_LOOPS; pattern++) {
        pattern_pass_start(&pass, words, count * 8, 5);
        for (unsigned again = 0; again < 2; again++) {
            uint64_t sum = 0;
            for (uint64_t i = 0; i < count; i += 4096)
                sum += pattern_loops[pattern].go(&pass, 4096);
            assert_numbers((sum, pass.done), (count * (count - 1) / 2, 0));
        }
        uint64_t sum = 0;
        for (uint64_t i = 0; i < count; i += PATTERN_PAGE_WORDS)
            sum += pattern_loops[pattern].go(&pass, PATTERN_PAGE_WORDS);
        assert_int_equal(sum, count * (count - 1) / 2);
    }
}

static uint64_t whole_sum(unsigned pattern, uint64_t megabytes)
{
    uint64_t sum = 0;
    pattern_pass_start(&pass, words, megabytes << 20, 3);
    do
        sum += pattern_loops[pattern].go(&pass, PATTERN_PAGE_WORDS);
    while (pass.done != 0);
    return sum;
}

/* The array's words add up to the sum that its size gives; one wrong bit is noticed. */
TEST(fill_and_sum)
{
    pattern_fill(words, 0, 100);
    pattern_fill(words, 100, WORDS_MAX - 100);
    for (uint64_t i = 0; i < WORDS_MAX; i++)
        assert_int_equal(words[i], i % 262144 + i / 262144);
    for (unsigned pattern = 0; pattern < PATTERN_LOOPS; pattern++) {
        for (uint64_t megabytes = 2; megabytes <= MEGABYTES_MAX; megabytes *= 2)
            assert_true((double)whole_sum(pattern, megabytes) ==
                        patterns_sum((int64_t)megabytes << 20));
        words[12345] ^= 1ull << pattern * 15;
        assert_compare((double)whole_sum(pattern, 4), !=, patterns_sum(4 << 20));
        words[12345] ^= 1ull << pattern * 15;
    }
}
