/* test_visits: visits come back in the order they were added, across chunks. */
#include "../../kernel/engine/visits.h"
#include "fake_platform.h"
#include "kit.h"

#define LEAST_ROOM (VISITS_A_CHUNK / 16)

static struct fake_platform fake;
static struct visits visits;

SETUP(start)
{
    fake_platform_open(&fake);
    visits = (struct visits){.platform = &fake.platform};
}

TEARDOWN(stop)
{
    visits_close(&visits);
    fake_platform_assert_returned(&fake);
}

static void add(uint64_t time)
{
    struct visit visit = {.time = time, .point = (uint32_t)time % 7};
    assert_true(visits_have_room(&visits));
    visits_add(&visits, &visit);
}

TEST(empty)
{
    assert_false(visits_have_room(&visits));
    assert_null(visits.first);
}

/* As many as a slice can need, in a few chunks. */
TEST(in_the_order_of_time)
{
    enum { SLICES = 100, EACH = 700 };
    uint64_t time = 0;
    for (unsigned slice = 0; slice < SLICES; slice++) {
        assert_true(visits_make_room(&visits));
        for (unsigned i = 0; i < EACH; i++)
            add(time++);
    }
    assert_compare(visits.count, ==, SLICES * EACH);
    time = 0;
    for (const struct visits_chunk *chunk = visits.first; chunk != NULL; chunk = chunk->next) {
        assert_true(chunk->count > 0 || chunk == visits.last);
        for (uint32_t i = 0; i < chunk->count; i++, time++) {
            assert_compare(chunk->at[i].time, ==, time);
            assert_int_equal(chunk->at[i].point, time % 7);
        }
    }
    assert_compare(time, ==, SLICES * EACH);
    /* Each is more than half full before the next. */
    assert_in_range(fake.live, SLICES * EACH / VISITS_A_CHUNK,
                    2 * SLICES * EACH / VISITS_A_CHUNK + 1);
}

/* A sixteenth of a chunk is left for a slice at least, or there is a new one. */
TEST(room_for_a_slice)
{
    assert_true(visits_make_room(&visits));
    for (unsigned i = 0; i < VISITS_A_CHUNK - LEAST_ROOM; i++)
        add(i);
    assert_true(visits_make_room(&visits));
    assert_int_equal(fake.live, 1);
    add(VISITS_A_CHUNK - LEAST_ROOM);
    assert_true(visits_make_room(&visits));
    assert_int_equal(fake.live, 2);
    for (unsigned i = 0; i < VISITS_A_CHUNK; i++)
        add(VISITS_A_CHUNK - LEAST_ROOM + 1 + i);
    assert_false(visits_have_room(&visits));
}

TEST(without_memory)
{
    fake.failing = 2;
    assert_true(visits_make_room(&visits));
    for (unsigned i = 0; i < VISITS_A_CHUNK; i++)
        add(i);
    assert_false(visits_make_room(&visits));
    assert_false(visits_have_room(&visits));
    assert_compare(visits.count, ==, VISITS_A_CHUNK);
    assert_true(visits_make_room(&visits)); /* now there is some again */
    add(VISITS_A_CHUNK);
}

TEST(closed_it_is_empty_and_can_be_used_again)
{
    assert_true(visits_make_room(&visits));
    add(1);
    visits_close(&visits);
    fake_platform_assert_returned(&fake);
    assert_compare(visits.count, ==, 0);
    assert_false(visits_have_room(&visits));
    assert_true(visits_make_room(&visits));
    add(2);
    assert_compare(visits.first->at[0].time, ==, 2);
}
