/* test_string: the image's memory and string functions against libc's, at the edge of a page. */
#include <sys/mman.h>

#include "kit.h"

/* libc's functions, by address: their names mean ours from here on. */
static void *(*const libc_memmove)(void *, const void *, size_t) = memmove;
static int (*const libc_memcmp)(const void *, const void *, size_t) = memcmp;
static int (*const libc_strcmp)(const char *, const char *) = strcmp;

#define memcpy mlp_memcpy
#define memmove mlp_memmove
#define memset mlp_memset
#define memcmp mlp_memcmp
#define strlen mlp_strlen
#define strcmp mlp_strcmp
#include "../../kernel/lib/string.c"

#define PAGE 4096
#define LENGTH_MAX 300

/* A writable page, with pages on both sides that must not be touched. */
static unsigned char *page;

SETUP_ALL(make_page)
{
    unsigned char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    page = pages + PAGE;
    assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
}

static void fill(unsigned char *at, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        at[i] = (unsigned char)((i + seed) * 167 + 13);
}

/* Every length, against both ends of the page. */
TEST(memcpy)
{
    unsigned char source[LENGTH_MAX];
    for (size_t length = 0; length <= LENGTH_MAX; length++) {
        unsigned char *last = page + PAGE - length;
        fill(source, length, (unsigned)length);
        fill(page, PAGE, 1000);
        unsigned char before = last[-1], after = page[length];
        assert_ptr_equal(memcpy(last, source, length), last);
        assert_int_equal(libc_memcmp(last, source, length), 0);
        assert_int_equal(last[-1], before);
        assert_ptr_equal(memcpy(page, last, length), page);
        assert_int_equal(libc_memcmp(page, source, length), 0);
        assert_int_equal(page[length], after);
    }
}

/* Every overlap there can be of two short ranges. */
TEST(memmove)
{
    enum { ROOM = 48 };
    unsigned char expected[ROOM], seen[ROOM];
    for (size_t from = 0; from < ROOM; from++)
        for (size_t to = 0; to < ROOM; to++)
            for (size_t length = 0; length <= ROOM - (from > to ? from : to); length++) {
                fill(expected, ROOM, 5);
                fill(seen, ROOM, 5);
                libc_memmove(expected + to, expected + from, length);
                assert_ptr_equal(memmove(seen + to, seen + from, length), seen + to);
                assert_int_equal(libc_memcmp(seen, expected, ROOM), 0);
            }
}

TEST(memmove_at_page_ends)
{
    unsigned char copy[PAGE];
    fill(page, PAGE, 3);
    libc_memmove(copy, page, PAGE);
    for (size_t by = 1; by <= 80; by++) { /* more than is copied in one turn */
        memmove(page + by, page, PAGE - by);
        assert_int_equal(libc_memcmp(page + by, copy, PAGE - by), 0);
        memmove(page, page + by, PAGE - by);
        assert_int_equal(libc_memcmp(page, copy, PAGE - by), 0);
        libc_memmove(page, copy, PAGE);
    }
}

TEST(memset)
{
    static const int values[] = {0, 1, 0x7f, 0x80, 0xff, -1, 0x1234};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (size_t length = 0; length <= LENGTH_MAX; length++) {
            unsigned char *last = page + PAGE - length;
            fill(page, PAGE, 77);
            unsigned char before = last[-1];
            assert_ptr_equal(memset(last, values[v], length), last);
            for (size_t i = 0; i < length; i++)
                assert_int_equal(last[i], (unsigned char)values[v]);
            assert_int_equal(last[-1], before);
        }
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

TEST(memcmp)
{
    unsigned char other[LENGTH_MAX] = {0};
    assert_int_equal(memcmp(page, other, 0), 0);
    for (size_t length = 1; length <= LENGTH_MAX; length++) {
        unsigned char *last = page + PAGE - length;
        fill(last, length, 9);
        fill(other, length, 9);
        assert_int_equal(memcmp(last, other, length), 0);
        for (unsigned change = 1; change < 256; change += 127) {
            size_t at = (length * 7 + change) % length;
            other[at] = (unsigned char)(last[at] ^ change);
            assert_int_equal(sign(memcmp(last, other, length)),
                             sign(libc_memcmp(last, other, length)));
            assert_int_equal(sign(memcmp(other, last, length)),
                             -sign(libc_memcmp(last, other, length)));
            assert_int_equal(memcmp(last, other, at), 0);
            other[at] = last[at];
        }
    }
}

TEST(strlen)
{
    for (size_t length = 0; length < LENGTH_MAX; length++) {
        char *last = (char *)page + PAGE - length - 1;
        memset(last, 0xfe, length);
        last[length] = '\0';
        assert_int_equal(strlen(last), length);
    }
}

TEST(strcmp)
{
    static const char *const words[] = {"",    "a",    "b",    "ab",       "abc",
                                        "abd", "\x7f", "\x80", "\xff\x01", "mlp"};
    size_t count = sizeof words / sizeof words[0];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            size_t length = strlen(words[i]) + 1;
            char *last = (char *)page + PAGE - length;
            memcpy(last, words[i], length);
            assert_int_equal(sign(strcmp(last, words[j])), sign(libc_strcmp(last, words[j])));
        }
}
