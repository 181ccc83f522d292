/* test_edge: brackets that narrow, later looks, attempts, and that each search ends. */
#include "../../kernel/engine/edge.h"
#include "kit.h"

static struct edge edge;

SETUP(start)
{
    edge = (struct edge){.looks = {0}};
}

static struct edge_step refine(int64_t low, int64_t high, int64_t resolution, enum edge_later later)
{
    struct edge_bracket bracket = {low, high, resolution, 0, later};
    return edge_refine(&edge, &bracket);
}

TEST(points_between)
{
    static const struct {
        int64_t low, high;
        unsigned points, count;
        int64_t first, last;
    } cases[] = {{64, 128, 15, 15, 68, 124}, {64, 128, 3, 3, 80, 112}, {0, 2, 15, 1, 1, 1},
                 {0, 1, 15, 0, 0, 0},        {5, 9, 7, 3, 6, 8},       {0, 31, 15, 15, 1, 15},
                 {3, 3, 7, 0, 0, 0},         {-8, 8, 1, 1, 0, 0},      {100, 117, 7, 7, 102, 114}};
    for (EACH(c, cases)) {
        int64_t at[EDGE_POINTS_MAX];
        unsigned count = edge_between(c->low, c->high, c->points, at);
        assert_int_equal(count, c->count);
        if (count > 0)
            assert_numbers((at[0], at[count - 1]), (c->first, c->last));
        for (unsigned j = 1; j < count; j++)
            assert_int_equal(at[j] - at[j - 1], at[0] - c->low);
    }
}

/* A wide bracket is narrowed whether or not its ends were seen again. */
TEST(narrows_to_the_resolution)
{
    for (enum edge_later later = EDGE_UNSEEN; later <= EDGE_AGREES; later++) {
        struct edge_step step = refine(64, 128, 1, later);
        assert_numbers((step.next, step.count, step.at[0], step.at[14]), (EDGE_GO_ON, 15, 68, 124));
    }
    assert_int_equal(refine(100, 102, 1, EDGE_AGREES).count, 1);
    assert_int_equal(refine(1000, 1017, 16, EDGE_AGREES).count, 15);
    assert_int_equal(refine(1000, 1016, 16, EDGE_AGREES).next, EDGE_DONE);
}

/* Once it is narrow both ends have to be seen again; after some looks that brought no rows it is
 * left. */
TEST(is_seen_twice)
{
    for (unsigned look = 0; look < EDGE_LOOKS_MAX; look++) {
        struct edge_step step = refine(101, 102, 1, EDGE_UNSEEN);
        assert_numbers((step.next, step.count), (EDGE_GO_ON, 0));
    }
    assert_int_equal(refine(101, 102, 1, EDGE_UNSEEN).next, EDGE_DONE);
    assert_int_equal(refine(101, 103, 1, EDGE_UNSEEN).next, EDGE_GO_ON); /* it is wide again */
    start();
    assert_int_equal(refine(101, 102, 1, EDGE_AGREES).next, EDGE_DONE);
}

/* Each attempt has looks of its own; the last one that later looks disagree with is left. */
TEST(starts_over)
{
    for (uint64_t attempt = 0; attempt < EDGE_ATTEMPTS_MAX; attempt++) {
        struct edge_bracket bracket = {101, 102, 1, attempt, EDGE_UNSEEN};
        for (unsigned look = 0; look < EDGE_LOOKS_MAX; look++)
            assert_int_equal(edge_refine(&edge, &bracket).next, EDGE_GO_ON);
        bracket.low = 64; /* at any width */
        bracket.later = EDGE_DISAGREES;
        struct edge_step step = edge_refine(&edge, &bracket);
        assert_numbers((step.next, step.count), (attempt < 2 ? EDGE_START_OVER : EDGE_DONE, 0));
    }
}
