/* test_drift: epochs made up here, and how far they say that times move. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/lib/sort.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LEAST 0.015 /* what no run knows better */

SETUP(start)
{
    rows_clear();
}

static void add_epoch(int64_t n, int64_t epoch, double ticks)
{
    struct row *row = rows_add("mlp", "2m", n, 0, ticks);
    strcpy(row->metric, DRIFT_METRIC);
    row->stage = epoch;
}

static struct interval widened(struct interval time)
{
    struct table table = {&rows[0].variant, rows, row_count, 0};
    return drift_widen(time, &table);
}

static double share_of_epochs(void)
{
    return widened((struct interval){1, 1, 1}).high - 1;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* So many epochs of two points, which move together; `drift` of a percent for each, and scatter. */
static void add_epochs(unsigned count, double drift, double scatter)
{
    double off[256];
    row_count = 0;
    for (unsigned i = 0; i < count; i++)
        off[i] = 1 + (drift * i + scatter * normal()) / 100;
    for (int64_t n = 1; n <= 2; n++)
        for (unsigned i = 0; i < count; i++)
            add_epoch(n, i, 200.0 * (double)n * off[i]);
}

TEST(without_epochs)
{
    struct interval time = {100, 99, 101};
    rows_add("mlp", "2m", 1, 0, 200);
    time = widened(time);
    assert_numbers((time.value, time.low, time.high), (100, 99, 101));
    rows[0].samples = 0; /* nor any that was seen */
    strcpy(rows[0].metric, DRIFT_METRIC);
    rows[0].stage = 0;
    assert_true(share_of_epochs() == 0);
}

/* One or two epochs, or a run that stands still, tell no less than the usual. */
TEST(the_least)
{
    for (unsigned epochs = 1; epochs <= 20; epochs++) {
        add_epochs(epochs, 0, 0);
        assert_near(share_of_epochs(), LEAST);
    }
    add_epochs(2, 50, 0);
    assert_near(share_of_epochs(), LEAST);
    add_epochs(3, 50, 0); /* tell more */
    assert_compare(share_of_epochs(), >, 1);
}

/* White scatter: as far as Student's t of its deviation says, some 95 of 100 further epochs. */
TEST(white)
{
    unsigned held = 0, trials = 1000;
    double shares[1000];
    for (unsigned trial = 0; trial < trials; trial++) {
        add_epochs(12, 0, 3);
        shares[trial] = share_of_epochs();
        held += fabs(3 * normal() / 100) <= shares[trial];
    }
    assert_in_range(held, trials * 93 / 100, trials);
    sort_doubles(shares, trials);
    assert_compare(shares[trials / 2], >, 2 * 0.03);
    assert_compare(shares[trials / 2], <, 4 * 0.03);
}

/* A drift through the whole run goes on: much farther than as much white scatter. */
TEST(drifting)
{
    add_epochs(12, 1, 0.01);
    double deviation = 0.01 * sqrt((12.0 * 12 - 1) / 12);
    assert_compare(share_of_epochs(), >, 2.5 * 2.2 * deviation);
    double before = 0; /* the less it scatters beside, the farther, and there is an end to it */
    for (double scatter = 4; scatter >= 0.001; scatter /= 4) {
        add_epochs(60, 0.25, scatter);
        before = share_of_epochs();
        assert_compare(before, <=, student_95(59) * 0.0025 * 60 * 8);
    }
    assert_compare(before, >, 2 * 0.0025 * 60);
}

/* Epochs of hours are kept apart: a change after the 240th is seen. */
TEST(a_late_change)
{
    add_epochs(256, 0, 0);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].stage >= 240)
            rows_center(&rows[i], rows[i].center * 1.1);
    assert_compare(share_of_epochs(), >, 0.3);
}

/* Only what changes the ratio of two points counts, not what moves both. */
TEST(points_that_move_apart)
{
    struct table table = {&rows[0].variant, rows, 0, 0};
    add_epochs(12, 0, 3);
    table.count = row_count;
    double together = drift_between(&table);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 2)
            rows_center(&rows[i], 400 * (1 + 0.03 * normal()));
    assert_near(together, LEAST);
    assert_compare(drift_between(&table), >, 2 * LEAST);
}

/* Each point is compared with itself, whatever order the rows are in and whatever else is there. */
TEST(points_of_their_own)
{
    add_epochs(9, 0, 2);
    double first = share_of_epochs();
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 2)
            rows_center(&rows[i], rows[i].center * 40);
    assert_near(share_of_epochs(), first);
    row_count /= 2; /* one point alone */
    assert_near(share_of_epochs(), first);
    rows_add("mlp", "2m", 3, 0, 1e6);
    assert_near(share_of_epochs(), first);
}

/* An interval's own half width and the drift add up as squares; no time is below 0. */
TEST(widening)
{
    add_epochs(9, 0, 2);
    double share = share_of_epochs();
    struct interval time = widened((struct interval){1000, 990, 1030});
    assert_near(time.value, 1000);
    assert_near(time.low, 1000 - hypot(10, 1000 * share));
    assert_near(time.high, 1000 + hypot(30, 1000 * share));
    time = widened((struct interval){10, -50, 70});
    assert_compare(time.low, ==, 0);
    assert_compare(time.high, >, 70);
}

/* More of them than there is room for, and still an answer. */
TEST(many_epochs)
{
    row_count = 0;
    for (unsigned i = 0; i < 2000; i++)
        add_epoch(1, i, 200 * (1 + 0.02 * normal()));
    assert_compare(share_of_epochs(), >, 0.02);
    assert_compare(share_of_epochs(), <, 0.2);
}
