/* test_windows: what is mapped how often, over whose frames, and given back. */
#include "../../kernel/engine/measurement.h"
#include "fake_platform.h"
#include "kit.h"

#define KB 1024u

static struct fake_platform fake;
static struct measurement m;
static const struct window *window; /* that was got last */

SETUP(start)
{
    fake_platform_open(&fake);
    m = (struct measurement){.platform = &fake.platform};
}

TEARDOWN(stop)
{
    windows_close(&m);
    fake_platform_assert_returned(&fake);
}

static struct window_request request_of(uint64_t bytes)
{
    return (struct window_request){.bytes = bytes, .page = PAGE_4K, .seed = 1, .node = NODE_ANY};
}

static const struct window *get(const struct window_request *request, bool shares)
{
    window = NULL;
    assert_null(windows_get(&m, request, shares, &window));
    assert_non_null(window);
    assert_non_null(window->base);
    assert_compare(window->page, ==, request->page);
    assert_compare(window->bytes, >=, request->bytes);
    return window;
}

/* Whatever twin the platform was given: it is no part of the question. */
TEST(an_equal_request_is_mapped_once)
{
    struct window_request request = request_of(64 * KB);
    const struct window *first = get(&request, true);
    assert_ptr_equal(get(&request, true), first);
    assert_ptr_equal(get(&request, false), first);
    assert_int_equal(fake.maps, 1);
}

TEST(every_difference_is_another_window)
{
    struct window_request other[] = {request_of(64 * KB), request_of(64 * KB), request_of(64 * KB),
                                     request_of(64 * KB), request_of(64 * KB), request_of(128 * KB),
                                     request_of(64 * KB), request_of(64 * KB)};
    other[1].page = PAGE_2M;
    other[2].frames = FRAMES_SHUFFLED;
    other[3].seed = 2;
    other[4].node = 3;
    other[6].distinct = 4;
    other[7].stride = 1 << 20;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 8; i++) {
            get(&other[i], false);
            assert_int_equal(fake.maps, round == 0 ? i + 1 : 8);
        }
    for (unsigned i = 0; i < 8; i++) {
        assert_numbers((fake.asked[i].bytes, fake.asked[i].seed), (other[i].bytes, other[i].seed));
        assert_int_equal(fake.asked[i].page, other[i].page);
        assert_int_equal(fake.asked[i].frames, other[i].frames);
        assert_int_equal(fake.asked[i].node, other[i].node);
    }
}

/* --- twins ----------------------------------------------------------------------------------- */

static const struct window *twin_of(unsigned map)
{
    return fake.asked[map].twin;
}

TEST(a_twin_is_asked_for)
{
    struct window_request small = request_of(64 * KB), large = request_of(128 * KB);
    struct window_request other = request_of(32 * KB), node = request_of(32 * KB);
    const struct window *first = get(&large, true);
    other.page = PAGE_2M;
    node.node = 1;
    assert_null(twin_of(0)); /* there is none yet */
    get(&small, true);
    assert_ptr_equal(twin_of(1), first);
    get(&other, true);
    assert_ptr_equal(twin_of(2), first); /* whatever its pages */
    get(&node, true);
    assert_null(twin_of(3)); /* the frames of another node */
    large.seed++;
    large.bytes++;
    get(&large, true);
    assert_null(twin_of(4)); /* none is large enough */
}

/* Its frames lie otherwise: neither does it share, nor others with it. */
TEST(pages_apart_have_no_twin)
{
    struct window_request apart[] = {request_of(128 * KB), request_of(128 * KB)};
    struct window_request plain = request_of(64 * KB);
    apart[0].distinct = 4;
    apart[1].stride = 1 << 20;
    get(&apart[0], true);
    get(&plain, true);
    get(&apart[1], true);
    for (unsigned i = 0; i < 3; i++)
        assert_null(twin_of(i));
}

/* Nor where none is wanted, or the larger one could not be mapped. */
TEST(no_twin)
{
    struct window_request small = request_of(64 * KB), large = request_of(128 * KB);
    for (unsigned mapped = 0; mapped < 2; mapped++) {
        stop();
        start();
        fake.largest = mapped ? UINT64_MAX : 64 * KB;
        assert_int_equal(windows_get(&m, &large, true, &window) == NULL, mapped);
        get(&small, !mapped);
        assert_null(twin_of(1));
    }
}

/* --- refusals -------------------------------------------------------------------------------- */

/* Asked for once, and the words stay when the platform has used its memory for others. */
TEST(a_refusal_is_kept)
{
    struct window_request large = request_of(128 * KB), page = request_of(64 * KB);
    fake.largest = 64 * KB;
    fake.no_page[PAGE_1G] = "no such pages";
    page.page = PAGE_1G;
    const char *first = windows_get(&m, &large, false, &window);
    const char *second = windows_get(&m, &page, false, &window);
    assert_string_equal(first, "too little memory");
    assert_string_equal(second, "no such pages");
    assert_ptr_equal(windows_get(&m, &large, false, &window), first);
    assert_int_equal(fake.maps, 2);
    windows_close(&m);
    assert_int_equal(fake.unmaps, 0);
}

TEST(a_long_refusal_is_cut)
{
    static char words[300];
    struct window_request request = request_of(KB);
    memset(words, 'w', sizeof words - 1);
    fake.no_page[PAGE_4K] = words; /* the fake says 79 characters of it */
    const char *reason = windows_get(&m, &request, false, &window);
    assert_int_equal(strlen(reason), 79);
    assert_compare(strlen(reason), <, sizeof m.windows.at[0].reason);
}

TEST(no_more_than_there_is_room_for)
{
    struct window_request request = request_of(KB);
    for (request.seed = 0; request.seed < WINDOWS_MAX; request.seed++)
        get(&request, true);
    assert_string_equal(windows_get(&m, &request, true, &window),
                        "more windows than can be mapped at once");
    assert_int_equal(fake.maps, WINDOWS_MAX);
    request.seed = 7; /* those there are can still be had */
    get(&request, true);
}

/* --- the largest ----------------------------------------------------------------------------- */

TEST(the_largest_is_halved_until_it_fits)
{
    struct window_request request = request_of(128 * KB);
    const char *first;
    fake.largest = 40 * KB;
    assert_null(windows_get_largest(&m, &request, 8 * KB, true, &window, &first));
    assert_int_equal(window->bytes, 32 * KB);
    assert_string_equal(first, "too little memory");
    assert_numbers((fake.maps, request.bytes), (3, 128 * KB));
    /* Again: nothing new is asked for. */
    assert_null(windows_get_largest(&m, &request, 8 * KB, true, &window, NULL));
    assert_numbers((window->bytes, fake.maps), (32 * KB, 3));
}

TEST(the_largest_fits_at_once)
{
    struct window_request request = request_of(128 * KB);
    const char *first = "not set";
    assert_null(windows_get_largest(&m, &request, 8 * KB, true, &window, &first));
    assert_int_equal(window->bytes, 128 * KB);
    assert_null(first);
}

/* Down to the smallest, which is tried too, and not beyond. */
TEST(the_smallest_does_not_fit)
{
    for (unsigned fits = 0; fits < 2; fits++) {
        struct window_request request = request_of(128 * KB);
        start();
        fake.largest = fits ? 32 * KB : 31 * KB;
        const char *reason = windows_get_largest(&m, &request, 32 * KB, true, &window, NULL);
        if (fits)
            assert_null(reason);
        else
            assert_string_equal(reason, "too little memory");
        assert_int_equal(fake.maps, 3);
        stop();
    }
    start();
}

/* --- the end --------------------------------------------------------------------------------- */

TEST(all_are_unmapped_the_last_one_first)
{
    static const unsigned wanted[] = {4, 3, 1, 0};
    struct window_request request = request_of(KB);
    for (; request.bytes <= 5 * KB; request.bytes += KB) {
        fake.largest = request.bytes == 3 * KB ? 0 : UINT64_MAX;
        windows_get(&m, &request, true, &window);
    }
    windows_close(&m);
    assert_int_equal(fake.unmaps, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(fake.unmapped[i], wanted[i]);
    assert_int_equal(m.windows.count, 0);
    windows_close(&m);
    assert_int_equal(fake.unmaps, 4);
    request.bytes = KB; /* and it can be used again */
    get(&request, true);
    assert_null(twin_of(5));
}
