/* test_mlp_rule: the rule, on tables from a model whose answers are known. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/noise/floor_rule.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 10 /* of one case */
#define HIT 5       /* ticks of a load that hits */
#define CLIFF 192   /* the first K beyond the jump of haswell */
#define SLOPE "sequential_slope"
#define CONSTANT "sequential_constant"

/* Without what compares cases. */
static const struct rule alone = {.judge = mlp_judge};

SETUP(start)
{
    rows_start("mlp", &alone, 400, 1);
}

/* --- the model ------------------------------------------------------------------------------- */

/* A machine: N loads and K fillers take so many ticks. */
struct model {
    unsigned rob, buffers;
    double latency, timer;
    double per_load; /* each further load inside the reorder buffer */
    double noise;    /* of a median, to both sides */
};

static const struct model haswell = {
    .rob = 192, .buffers = 10, .latency = 190, .timer = 30, .per_load = 8};

static double ticks_of(const struct model *m, unsigned n, unsigned k)
{
    unsigned together = n + k <= m->rob ? n : n - 1;
    double time = m->timer + m->latency * ((together + m->buffers - 1) / m->buffers);
    if (together > 1)
        time += m->per_load * (together - 1);
    if (together < n && n > 1)
        time = m->timer + 2 * m->latency;
    else if (n == 1)
        time = m->timer + m->latency;
    return time + m->noise * 2 * (uniform() - 0.5);
}

struct range {
    unsigned first, last, step;
};
static const struct range some_loads = {1, 20, 1}, some_fillers = {0, 320, 8};

static struct row *add_row(const char *variant, unsigned n, unsigned k, double median,
                           double spread)
{
    struct row *row = rows_add("mlp", variant, n, k, median);
    rows_spread(row, spread);
    row->min -= spread;
    row->max += 8 * spread;
    return row;
}

static void add_table(const struct model *m, const char *variant, struct range n, struct range k)
{
    for (unsigned i = n.first; i <= n.last; i += n.step)
        for (unsigned j = k.first; j <= k.last; j += k.step)
            add_row(variant, i, j, ticks_of(m, i, j), 2 + m->noise);
}

/* The rows that a run measures beside its table. */
static void add_controls(const struct model *m, const char *variant, unsigned least_k)
{
    const unsigned sides[] = {m->rob / 2, m->rob + 60};
    add(variant, LOADS_CACHED, 1, least_k, m->timer + HIT);
    add(variant, LOADS_SAME_LINE, 2, m->buffers, ticks_of(m, 2, 0));
    for (unsigned i = 0; i < 2; i++) {
        add(variant, LOADS_AGAIN, 2, sides[i], ticks_of(m, 2, sides[i]));
        add(variant, LOADS_ZEROES, 2, sides[i], ticks_of(m, 2, sides[i]));
    }
    for (unsigned n = m->buffers; n <= m->buffers + 2; n++)
        if (n != 2 || least_k != sides[0])
            add(variant, LOADS_AGAIN, n, least_k, ticks_of(m, n, 0));
    for (unsigned n = 2 * m->buffers; n <= 4 * m->buffers; n += m->buffers)
        add(variant, LOADS_MANY, n, least_k, ticks_of(m, n, 0));
}

/* As a run leaves it. */
static void add_case(const struct model *m, const char *variant, struct range n, struct range k)
{
    add_table(m, variant, n, k);
    add_controls(m, variant, k.first);
}

static void add_haswell(void)
{
    row_count = 0;
    add_case(&haswell, "2m", some_loads, some_fillers);
}

static void judge_table(const struct model *m, struct range n, struct range k)
{
    row_count = 0;
    add_case(m, "2m", n, k);
    assert_count(VERDICTS);
}

/* --- tables of a model ------------------------------------------------------------------------ */

static void check_model(const struct model *m, struct range k)
{
    unsigned cliff = m->rob - 1; /* the first K that, with two loads, is more than the buffer */
    unsigned measured = (cliff - k.first + k.step - 1) / k.step * k.step + k.first;
    judge_table(m, (struct range){1, m->buffers + 4, 1}, k);
    ASSERT_VERDICTS(NULL, {"one_load", OK, m->timer + m->latency},
                    {"two_sequential", OK, m->timer + 2 * m->latency},
                    {"rob_cliff_k", OK, measured}, {"mlp", OK, m->buffers},
                    {"time_at_mlp_plus_1", OK, ticks_of(m, m->buffers + 1, k.first)},
                    {"rob_entries", OK, measured + 1}, {"fill_buffers", OK, m->buffers},
                    {"mlp_sustained", OK, m->latency / (m->latency / m->buffers + m->per_load)});
    const struct verdict *v = verdict_of(NULL, "rob_cliff_k");
    assert_within(cliff, v->low, v->high);
    assert_compare(v->low, >, measured - 2.0 * k.step);
    assert_compare(v->high, <, measured + k.step);
    assert_interval(verdict_of(NULL, "rob_entries"), v->low + 1, v->high + 1);
}

TEST(models)
{
    static const unsigned robs[] = {64, 168, 192, 224, 512}, buffers[] = {2, 3, 10, 12, 16};
    static const unsigned steps[] = {1, 4, 8, 15};
    for (unsigned i = 0; i < 5 * 5 * 4 * 2; i++) {
        unsigned b = i / 2 % 5, rob = robs[i / 10 % 5];
        struct model m = {.rob = rob,
                          .buffers = buffers[b],
                          .latency = 200 + 30 * (double)b,
                          .timer = 25,
                          .per_load = b > 2 ? 5 : 0};
        check_model(&m, (struct range){i % 2, rob + 100, steps[i / 50]});
    }
}

/* With noise the intervals still hold what is true. */
TEST(noisy_models)
{
    unsigned held = 0, cliffs = 0, trials = 200;
    for (unsigned trial = 0; trial < trials; trial++) {
        struct model m = haswell;
        m.noise = 4;
        m.buffers = 4 + below(12);
        m.rob = 100 + below(150);
        m.per_load = 3;
        judge_table(&m, some_loads, some_fillers);
        const struct verdict *cliff = verdict_of(NULL, "rob_cliff_k"),
                             *mlp = verdict_of(NULL, "mlp");
        cliffs += cliff->low <= m.rob - 1 && m.rob - 1 <= cliff->high;
        held += mlp->low <= m.buffers && m.buffers <= mlp->high;
    }
    assert_compare(cliffs, >=, trials * 19 / 20);
    assert_compare(held, >=, trials * 9 / 10);
}

TEST(flat)
{
    struct model m = haswell;
    m.rob = 100000; /* a wall that nobody reaches */
    for (m.noise = 0; m.noise <= 5; m.noise += 5) {
        judge_table(&m, some_loads, some_fillers);
        ASSERT_VERDICTS(NULL, {"two_sequential", DOUBT, NAN}, {"rob_cliff_k", DOUBT, NAN},
                        {"mlp", DOUBT, NAN});
        if (m.noise == 0)
            assert_verdict(NULL, "one_load", OK, m.timer + m.latency);
    }
}

/* A jump of zeroed registers at the same K says that a NOP takes an entry; one elsewhere, that some
 * share one; on one side alone they say nothing. */
TEST(zeroed_registers)
{
    static const char *const doubts[] = {"not measured", NULL, "fillers-disagree"};
    static const unsigned ks[] = {170, 180, 200, 210};
    for (unsigned each = 0; each <= 2; each++) {
        add_haswell();
        if (each == 0)
            rows_drop(LOADS_ZEROES);
        for (unsigned i = 0; i < (each == 0 ? 2 : 4); i++)
            add("2m", LOADS_ZEROES, 2, ks[i], ticks_of(&haswell, 2, ks[i] * each));
        assert_answer(NULL, "rob_entries", 193, doubts[each]);
        assert_status(NULL, "rob_cliff_k", OK);
    }
    rows_drop(LOADS_ZEROES);
    assert_words(NULL, "rob_entries", "not-measured");
}

/* --- curves without a jump -------------------------------------------------------------------- */

enum shape { RAMP, FALLING, SPIKES, LOW_STEP, HIGH_STEP };

static double time_of_shape(enum shape shape, unsigned k)
{
    const double before[] = {200 + k, 400, 400, 200, 200}, beyond[] = {200 + k, 200, 200, 206, 400};
    bool is_beyond = shape == SPIKES ? k / 8 % 2 == 1 : k >= 160;
    return is_beyond ? beyond[shape] : before[shape];
}

/* Judges a curve of N = 2 beside N = 1 and a row of loads. */
static void judge_curve(enum shape shape, unsigned points)
{
    row_count = 0;
    add_row("2m", 1, 0, 200, 1);
    for (unsigned i = 0; i < points; i++)
        add_row("2m", 2, 8 * i, time_of_shape(shape, 8 * i), 1);
    for (unsigned n = 3; n < 12; n++)
        add_row("2m", n, 0, 200 + 25 * n, 1);
    add("2m", LOADS_CACHED, 1, 0, 20);
}

TEST(no_clear_jump)
{
    char reason[VERDICT_METHOD_BYTES] = "";
    for (enum shape shape = RAMP; shape < HIGH_STEP; shape++) {
        judge_curve(shape, 40);
        ASSERT_VERDICTS(NULL, {"one_load", OK, 200}, {"two_sequential", DOUBT, NAN},
                        {"rob_cliff_k", DOUBT, NAN}, {"mlp", DOUBT, NAN});
        const char *method = verdict_of(NULL, "rob_cliff_k")->method;
        assert_words(NULL, "two_sequential", method); /* what depends on it says why, too */
        assert_int_equal(strcmp(method, reason) != 0, shape != FALLING);
        strcpy(reason, method);
    }
}

static void add_pair(unsigned points, unsigned before)
{
    row_count = 0;
    for (unsigned i = 0; i < points; i++)
        add_row("2m", 2, i, i < before ? 200 : 400, 1);
}

/* A jump needs two points on either side, as a single one may be a slip, and one more that tells
 * how they scatter. */
TEST(jumps_with_few_points)
{
    for (unsigned beyond = 1; beyond <= 4; beyond++) {
        judge_curve(HIGH_STEP, 160 / 8 + beyond);
        assert_verdict(NULL, "rob_cliff_k", beyond < 2 ? DOUBT : OK, beyond < 2 ? NAN : 160);
    }
    for (unsigned before = 1; before <= 4; before++) {
        add_pair(20, before);
        assert_verdict(NULL, "rob_cliff_k", before < 2 ? DOUBT : OK, before < 2 ? NAN : before);
    }
    for (unsigned points = 1; points <= 6; points++) {
        add_pair(points, 3);
        enum verdict_status status = points < 4 ? SKIP : points == 4 ? DOUBT : OK;
        assert_verdict(NULL, "rob_cliff_k", status, status == OK ? 3 : NAN);
    }
    for (ADDED_ROWS(row)) /* fast samples that do not jump leave the interval as it is */
        row->p10 = 200;
    assert_interval(assert_doubt(NULL, "rob_cliff_k", "two-states"), 3, 3);
}

/* --- rows that are missing -------------------------------------------------------------------- */

/* N = 2, 4, 8, 16: between 8 and 15 is all that can be said of ten buffers. */
TEST(loads_not_consecutive)
{
    for (unsigned n = 1; n <= 32; n *= 2)
        add_table(&haswell, "2m", (struct range){n, n, 1}, some_fillers);
    add_controls(&haswell, "2m", 0);
    assert_interval(assert_doubt(NULL, "mlp", "N from 8 on was not measured"), 8, 15);
}

TEST(loads_that_are_missing)
{
    judge_table(&haswell, (struct range){2, 2, 1}, some_fillers);
    ASSERT_VERDICTS(NULL, {"one_load", SKIP, NAN}, {"rob_cliff_k", OK, 192},
                    {"two_sequential", OK, 410}, {"mlp", DOUBT, NAN});
    judge_table(&haswell, (struct range){1, 1, 1}, some_fillers);
    ASSERT_VERDICTS(NULL, {"one_load", OK, 220}, {"rob_cliff_k", SKIP, NAN},
                    {"two_sequential", SKIP, NAN}, {"mlp", SKIP, NAN},
                    {"time_at_mlp_plus_1", SKIP, NAN});
    judge_table(&haswell, (struct range){3, 20, 1}, some_fillers);
    ASSERT_VERDICTS(NULL, {"one_load", SKIP, NAN}, {"mlp", SKIP, NAN});
    judge_table(&haswell, (struct range){1, 6, 1}, some_fillers);
    ASSERT_VERDICTS(NULL, {"mlp", DOUBT, NAN}, {"time_at_mlp_plus_1", DOUBT, NAN});
    assert_words(NULL, "time_at_mlp_plus_1", "range-ends");
    assert_true(verdict_of(NULL, "mlp")->low == 6 && isnan(verdict_of(NULL, "mlp")->high));
}

/* Points whose samples were all discarded say nothing; neither do other metrics. */
TEST(rows_without_samples)
{
    add_table(&haswell, "2m", some_loads, some_fillers);
    for (ADDED_ROWS(row)) {
        bool lost = row->k == 0 || (row->n == 2 && row->k == 192) || below(5) == 0;
        if (lost && !(row->n == 2 && (row->k == 184 || row->k == 200)) && row->k != 8) {
            row->samples = 0;
            row->min = row->p10 = row->median = row->p90 = row->max = row->mean = NAN;
        }
    }
    add_controls(&haswell, "2m", 8);
    ASSERT_VERDICTS(NULL, {"one_load", OK, 220}, {"mlp", OK, 10}, {"two_sequential", OK, 410},
                    {"rob_cliff_k", OK, 200});
    assert_compare(verdict_of(NULL, "rob_cliff_k")->low, <=, 185);
}

/* Adds the slowest of so many loads. */
static struct row *add_slowest(const char *metric, unsigned loads, double ticks, double spread)
{
    struct row *row = add("2m", metric, 1, 0, ticks);
    row->stage = loads;
    row->samples = row->visits = 30;
    rows_spread(row, spread);
    return row;
}

/* Adds loads behind a store, which take so much longer if it waits for its address. */
static void add_behind(unsigned n, double rise)
{
    add("2m", LOADS_STORE_KNOWN, n, 0, ticks_of(&haswell, n, 0));
    add("2m", LOADS_STORE_WAITS, n, 0, ticks_of(&haswell, n, 0) + rise);
}

/* Fewer than five samples are no point. */
TEST(samples_of_a_point)
{
    static const uint64_t samples[] = {0, 4, 5};
    add_haswell();
    add_slowest(LOADS_SLOWEST, LOADS_TO_P99, 300, 1);
    add_behind(10, 0);
    for (EACH(least, samples)) {
        for (ADDED_ROWS(row))
            row->samples = *least;
        judge();
        for (size_t j = 0; j < VERDICTS; j++) {
            assert_int_equal(verdicts.at[j].status == SKIP, *least < 5);
            assert_int_equal(isnan(verdicts.at[j].value), *least < 5);
        }
    }
}

TEST(other_metrics)
{
    add_haswell();
    for (size_t i = 0, points = row_count; i < points; i++)
        strcpy(add_row("2m", (unsigned)rows[i].n, (unsigned)rows[i].k, 1000 * uniform(), 1)->metric,
               i % 2 ? "cycles" : "zz");
    rows_shuffle(rows, row_count);
    ASSERT_VERDICTS(NULL, {"one_load", OK, 220}, {"two_sequential", OK, 410},
                    {"rob_cliff_k", OK, 192}, {"mlp", OK, 10});
}

/* --- curves of runs --------------------------------------------------------------------------- */

/* Medians as of a run: one load takes 205 ticks, each further one 14 more up to ten; two loads are
 * serialized from K = 188 on. Wild samples move the means. */
static void add_wild(unsigned n, unsigned k)
{
    double median = 205 + 14 * (n - 1) + (n == 2 && k >= 188 ? 191 : n > 10 ? 206 : 0);
    struct row *row = add("2m", "tsc", n, k, median + uniform());
    rows_spread(row, 3);
    row->mean += 60 * uniform();
    row->samples = 101;
}

/* Ten loads overlap, and not nine: nothing is smoothed across the jump. */
TEST(wild_samples)
{
    for (unsigned n = 1; n <= 14; n++)
        add_wild(n, 0);
    for (unsigned k = 24; k <= 240; k += k < 168 || k >= 192 ? 24 : k < 184 ? 16 : 1)
        add_wild(2, k);
    assert_interval(assert_verdict(NULL, "mlp", OK, 10), 10, 10);
    ASSERT_VERDICTS(NULL, {"rob_cliff_k", OK, 188}, {"rob_entries", DOUBT, 189},
                    {"fill_buffers", DOUBT, 10});
}

/* --- loads that scatter ---------------------------------------------------------------------- */

/* A point by its first percentile, first decile and centre. */
static void add_wide(const char *metric, unsigned n, unsigned k, double p1, double p10,
                     double center)
{
    struct row *row = add("2m", metric, n, k, center);
    rows_spread(row, center - p10);
    row->min = row->p1 = p1;
}

/* The fastest samples of N loads jump behind 15, if they do; the fastest tenth so much later; the
 * centre rises without a jump, since some load is slow, and reaches two serialized loads, 0.97 *
 * 440, at N = 9. */
static bool jumps;
static unsigned later;

static double slow_line(unsigned n)
{
    return 260 + 20 * n;
}

static void add_scattered(const char *metric, unsigned n)
{
    double p1 = jumps ? 220 + n + (n > 15 ? 170 : 0) : 200 + 10 * n;
    double p10 = jumps ? 225 + n + (n > 15 + later ? 170 : 0) : p1;
    add_wide(metric, n, 0, p1, p10, slow_line(n));
}

static void add_scattering(bool has_jump, unsigned later_by)
{
    row_count = 0;
    jumps = has_jump;
    later = later_by;
    for (unsigned n = 1; n <= 24; n++)
        add_scattered("tsc", n);
    for (unsigned k = 8; k <= 320; k += 8)
        add_wide("tsc", 2, k, k < CLIFF ? 220 : 370, k < CLIFF ? 222 : 380, k < CLIFF ? 282 : 440);
    for (unsigned n = 15; n <= 17; n++)
        add_scattered(LOADS_AGAIN, n);
    add("2m", LOADS_CACHED, 1, 0, 30);
    add("2m", LOADS_SAME_LINE, 2, 15, 282);
    add("2m", LOADS_ZEROES, 2, 100, 282);
    add("2m", LOADS_ZEROES, 2, 300, 440);
}

/* Means tell how many loads overlap; the fastest samples, how many there is room for. */
TEST(scattered_loads)
{
    add_scattering(true, 0);
    ASSERT_VERDICTS(NULL, {"mlp", OK, 8}, {"time_at_mlp_plus_1", OK, slow_line(9)},
                    {"fill_buffers", OK, 15}, {"one_load", OK, slow_line(1)},
                    {"two_sequential", OK, 440}, {"rob_cliff_k", OK, CLIFF});
    rows_find("tsc", 6)->mean = rows_find("tsc", 6)->max = 430; /* whatever its median is */
    assert_compare(verdict_of(NULL, "mlp")->value, ==, 5);
    assert_compare(verdict_of(NULL, "time_at_mlp_plus_1")->value, ==, 430);
    rows_find("tsc", 6)->mean_error = 430; /* a few of its samples took a hundred times as long */
    assert_doubt(NULL, "time_at_mlp_plus_1", "scatter");
}

/* The fastest tenth may jump one N away, which is in the interval, and no farther. */
TEST(buffers_by_the_fastest_tenth)
{
    static const char words[] = "edge-not-placed";
    for (unsigned away = 0; away < 3; away++) {
        add_scattering(true, away);
        assert_interval(assert_answer(NULL, "fill_buffers", 15, away < 2 ? NULL : words), 15,
                        15 + away);
    }
}

/* Without prefetchers, whose misses may take buffers, the fastest samples must jump there, too. */
TEST(buffers_without_prefetchers)
{
    for (unsigned has_jump = 0; has_jump < 2; has_jump++) {
        add_scattering(has_jump, 0);
        for (ADDED_ROWS(row))
            rows_name(row, "mlp", "2m-nopf");
        size_t without = row_count;
        static struct row kept[200];
        assert_true(without <= sizeof kept / sizeof *kept);
        memcpy(kept, rows, without * sizeof *rows);
        add_scattering(true, 0);
        memcpy(rows + row_count, kept, without * sizeof *rows);
        row_count += without;
        judge_all_rows();
        if (has_jump)
            assert_verdict("2m", "fill_buffers", OK, 15);
        else
            assert_words("2m", "fill_buffers", "contradicts");
    }
}

/* Two loads take twice the time of one: there is no jump over K, and that is why. */
TEST(a_core_with_one_buffer)
{
    static const struct model m = {.rob = 192, .buffers = 1, .latency = 190, .timer = 30};
    row_count = 0;
    add_table(&m, "2m", some_loads, some_fillers);
    assert_answer("2m", "fill_buffers", 1, "may-end-first");
    assert_no_value("2m", "mlp", DOUBT, "two loads take 1.9 times as long as one");
    assert_no_value("2m", "rob_entries", DOUBT, "may-end-first");
}

TEST(buffers_that_are_not_reached)
{
    add_scattering(false, 0);
    assert_no_value(NULL, "fill_buffers", DOUBT, "no-edge");
    assert_status(NULL, "mlp_sustained", SKIP);
    row_count = 0;
    for (unsigned n = 1; n <= 2; n++)
        add_scattered("tsc", n);
    assert_no_value(NULL, "fill_buffers", SKIP, "three values of N");
}

/* --- controls of single verdicts -------------------------------------------------------------- */

/* Each case changes one row, and one verdict tells. */
enum change { TICKS, FILLERS_OF, SAMPLES };

TEST(controls)
{
    static const char missing[] = "not-measured", unconfirmed[] = "edge-not-confirmed";
    const double ten = ticks_of(&haswell, 10, 0);
    const struct {
        const char *metric;
        int64_t n;
        enum change change;
        double to;
        const char *verdict;
        double value;
        const char *doubt; /* NULL: none */
    } cases[] = {
        /* one load has to be slower than the same in the caches, by more than three percent */
        {LOADS_CACHED, 1, TICKS, 219 / 1.04, "one_load", 220, NULL},
        {LOADS_CACHED, 1, TICKS, 219 / 1.02, "one_load", 220, "not-memory"},
        {LOADS_CACHED, 1, SAMPLES, 0, "one_load", 220, missing},
        /* each of three looks back has to be there, and to jump by a quarter of one load's time, of
         * which the first step is a third */
        {LOADS_AGAIN, 10, SAMPLES, 0, "fill_buffers", 10, unconfirmed},
        {LOADS_AGAIN, 11, SAMPLES, 0, "fill_buffers", 10, unconfirmed},
        {LOADS_AGAIN, 12, SAMPLES, 0, "fill_buffers", 10, unconfirmed},
        {LOADS_AGAIN, 12, TICKS, ten + 0.24 * 220, "fill_buffers", 10, unconfirmed},
        {LOADS_AGAIN, 11, TICKS, ten + 60, "fill_buffers", 10, unconfirmed},
        {LOADS_AGAIN, 11, TICKS, ten + 80, "fill_buffers", 10, NULL},
        /* a limit of loads of any kind is no fill buffer; K = 9: when the jump was one before; K =
         * 8: the other state's, say */
        {LOADS_SAME_LINE, 2, FILLERS_OF, 9, "fill_buffers", 10, NULL},
        {LOADS_SAME_LINE, 2, FILLERS_OF, 8, "fill_buffers", 10, missing},
        {LOADS_SAME_LINE, 2, SAMPLES, 0, "fill_buffers", 10, missing},
        /* a slow look before the jump: that was of another moment */
        {LOADS_AGAIN, 2, TICKS, 410, "rob_cliff_k", CLIFF, unconfirmed},
        {LOADS_AGAIN, 2, TICKS, 410, "rob_entries", CLIFF + 1, unconfirmed},
    };
    for (EACH(c, cases)) {
        add_haswell();
        struct row *row = rows_find(c->metric, c->n);
        if (c->change == SAMPLES)
            row->samples = 0;
        else if (c->change == FILLERS_OF)
            row->k = (int64_t)c->to;
        else
            rows_set(c->metric, c->n, c->to);
        assert_answer(NULL, c->verdict, c->value, c->doubt);
    }
}

/* A load that waits for a page walker waits for a walk: a jump by less than half of a load's time
 * may be that, with 4 KB pages at once, with large pages if the host's are small. */
TEST(a_jump_that_may_be_of_walks)
{
    static const char *const pages[] = {"2m", "4k"};
    for (unsigned i = 0; i < 4; i++) {
        bool is_steep = i / 2 == 1;
        row_count = 0;
        add_case(&haswell, pages[i % 2], some_loads, some_fillers);
        double before = ticks_of(&haswell, 10, 0), each = (before - ticks_of(&haswell, 1, 0)) / 9;
        rows_set(LOADS_AGAIN, 12, before + 2 * each + (is_steep ? 0.52 : 0.48) * 220);
        assert_doubt(NULL, "fill_buffers", i == 1 ? "page-walks" : NULL);
        unsigned needs = verdict_of(NULL, "fill_buffers")->needs;
        assert_int_equal((needs & NEEDS_WHOLE_PAGES) != 0, !is_steep);
    }
}

/* The fastest samples of a clock that counts in large steps jump by one wherever time rises. */
TEST(a_jump_by_a_step_of_the_clock)
{
    for (unsigned is_large = 0; is_large < 2; is_large++) {
        add_scattering(true, 0);
        rows_add_metric("floor", FLOOR_TIMER, FLOOR_STEP, 0, 0, is_large ? 210 : 90);
        judge_all_rows();
        assert_doubt("2m", "fill_buffers", is_large ? "small-rise" : NULL);
    }
}

/* Loads of one line need one buffer: where as many of them keep another miss waiting, what loads
 * wait in has ended, and there are at least as many buffers. */
TEST(buffers_behind_a_full_load_queue)
{
    add_haswell();
    rows_set(LOADS_SAME_LINE, 2, 400);
    const struct verdict *v = assert_doubt(NULL, "fill_buffers", "as many loads of one line");
    assert_true(isnan(v->value));
    assert_interval(v, 10, NAN);
}

/* So many parts of the memory, each other one so much slower, each of so many visits with such an
 * error. */
static const struct verdict *judge_places(unsigned places, double slower, uint64_t visits,
                                          double error)
{
    add_haswell();
    for (unsigned place = 1; place <= places; place++) {
        struct row *row = add("2m", LOADS_PLACE, 1, 0, 220 + (place % 2 ? 0 : slower));
        row->stage = place;
        rows_visits(row, visits, error);
    }
    return assert_verdict(NULL, "one_load", OK, 220);
}

/* The samples have to place one load within a twentieth, wherever its memory lies. */
TEST(one_load_that_is_not_placed)
{
    for (unsigned percent = 4; percent <= 6; percent += 2) {
        add_haswell();
        rows_visits(rows_find("tsc", 1), 1000, percent / 196.0 * 220);
        assert_answer(NULL, "one_load", 220, percent == 4 ? NULL : "scatter");
    }
}

/* Another run may get any place in memory, fast or slow; a single visit tells no error. */
TEST(one_load_by_its_place)
{
    add_haswell();
    double own = verdict_of(NULL, "one_load")->high - 220;
    assert_null(strstr(verdict_of(NULL, "one_load")->method, "quarters"));
    assert_near(judge_places(4, 2, 16, 3)->high - 220, own);
    assert_words(NULL, "one_load", "all quarters of memory take as long");
    const struct verdict *v = judge_places(4, 40, 16, 0.5);
    assert_words(NULL, "one_load", "quarters of memory differ by");
    assert_within(v->high, 220 + 63, 220 + 75);
    assert_compare(v->low, <, 220 - 63);
    assert_null(strstr(judge_places(4, 40, 1, NAN)->method, "quarters"));
    assert_null(strstr(judge_places(1, 40, 16, 0.5)->method, "quarters"));
    judge_places(2, 40, 16, 0.5);
    struct table two = {.rows = rows, .count = row_count};
    struct interval spread = {0};
    assert_true(loads_find_places(&two, &spread));
    assert_within(spread.value, 19, 21);
}

/* What the slowest loads take is the tail, unless loads that hit have half of it. */
TEST(the_tail_of_one_load)
{
    static const struct {
        double tail, hits, spread;
        const char *doubt;
    } cases[] = {{500, 40, 10, NULL},
                 {500, 160, 10, NULL},
                 {500, 200, 10, "control-shows-it"},
                 {220, 40, 2, NULL}, /* no tail at all, and none in the control */
                 {500, 40, 300, "scatter"}};
    for (EACH(c, cases)) {
        add_haswell();
        rows_facts.empty[ORDER_LFENCE].center = 30;
        assert_verdict(NULL, "one_load_p99", SKIP, NAN);
        add_slowest(LOADS_SLOWEST, LOADS_TO_P99, c->tail, c->spread);
        assert_doubt(NULL, "one_load_p99", "not-measured"); /* without the control */
        add_slowest(LOADS_SLOWEST_CACHED, LOADS_TO_P99, c->hits, 0);
        assert_answer(NULL, "one_load_p99", c->tail, c->doubt);
        assert_words(NULL, "one_load_p99", "p99.9 is not measured");
        add_slowest(LOADS_SLOWEST, LOADS_TO_P999, 777, 0);
        assert_answer(NULL, "one_load_p99", c->tail, c->doubt);
        assert_words(NULL, "one_load_p99", "p99.9 is 777");
    }
}

/* Haswell has ten buffers and a load takes 220: a rise by half of that, behind one, five, ten. */
TEST(loads_behind_a_store)
{
    static const struct {
        double rise[3], value;
        const char *doubt;
    } cases[] = {{{0, 0, 0}, 9, NULL},
                 {{100, 100, 100}, 9, NULL},
                 {{120, 120, 120}, 0, NULL},
                 {{190, 190, 190}, 0, NULL},
                 {{0, 0, 190}, 4, "edge-not-placed"},
                 {{0, 190, 190}, 1, "edge-not-placed"},
                 {{190, 0, 0}, NAN, "contradicts"},
                 {{0, 0, 110}, NAN, "scatter"}};
    for (EACH(c, cases)) {
        add_haswell();
        add_behind(2, c->rise[0]);
        add_behind(5, c->rise[1]);
        add_behind(10, c->rise[2]);
        assert_answer(NULL, "overlap_behind_store", c->value, c->doubt);
    }
    assert_interval(verdict_of(NULL, "overlap_behind_store"), NAN, NAN);
    for (int64_t passed = 8; passed <= 9; passed++) {
        add_haswell();
        add_behind(passed, 0);
        add_behind(10, 190);
        assert_answer(NULL, "overlap_behind_store", (double)passed - 1,
                      passed < 9 ? "edge-not-placed" : NULL);
    }
    add_haswell();
    assert_verdict(NULL, "overlap_behind_store", SKIP, NAN);
    add_behind(2, 0); /* the most that overlap were not measured */
    assert_answer(NULL, "overlap_behind_store", NAN, "range-ends");
    assert_interval(verdict_of(NULL, "overlap_behind_store"), 1, NAN);
}

/* A jump over N may be chance where nothing is clear over K. */
TEST(buffers_where_all_scatters)
{
    double up = 80;
    add_haswell();
    for (ROWS_OF(row, NULL, "tsc"))
        if (row->n == 2 && row->k > 0) {
            rows_center(row, (row->k < 100 ? 220 : 410) + (up = -up));
            rows_spread(row, 2);
        }
    assert_answer(NULL, "fill_buffers", 10, "unclear-edge");
    assert_words(NULL, "rob_cliff_k", "unclear-edge");
}

/* As many loads as there are entries have to wait for one of those. */
TEST(buffers_that_fill_the_rob)
{
    for (unsigned rob = 13; rob >= 12; rob--) {
        struct model small = haswell;
        small.rob = rob;
        row_count = 0;
        add_table(&haswell, "2m", some_loads, (struct range){0, 0, 1});
        add_table(&small, "2m", some_loads, (struct range){1, 40, 1});
        add_controls(&haswell, "2m", 0);
        rows_drop(LOADS_ZEROES);
        assert_answer(NULL, "fill_buffers", 10, rob == 12 ? "ends-first" : NULL);
        assert_compare(verdict_of(NULL, "rob_cliff_k")->value, ==, rob - 1);
    }
}

/* Nothing is asked of what lies within the bracket, or of another attempt. */
TEST(jump_that_only_seems_to_move)
{
    add_haswell();
    add("2m", LOADS_AGAIN, 2, 188, 410);
    add("2m", LOADS_AGAIN, 2, 100, 410)->attempt = 2;
    add("2m", LOADS_AGAIN, 2, 108, 410)->samples = 4;
    assert_verdict(NULL, "rob_cliff_k", OK, CLIFF);
}

/* Fast and slow samples that jump elsewhere than the centre: in two states at once. */
TEST(jump_of_fast_and_slow_samples)
{
    for (unsigned which = 0; which < 3; which++) {
        add_haswell();
        for (ROWS_OF(row, NULL, "tsc"))
            if (row->n == 2 && which == 1 && row->k >= 128 && row->k < CLIFF)
                row->p90 = row->max = 420;
            else if (row->n == 2 && which == 2 && row->k >= CLIFF && row->k < 256)
                row->min = row->p1 = row->p10 = 215;
        const struct verdict *v =
            assert_answer(NULL, "rob_cliff_k", CLIFF, which == 0 ? NULL : "edge-not-placed");
        assert_true(which == 1 ? v->low <= 128 : which == 2 ? v->high >= 256 : v->low > 180);
    }
}

/* Behind the jump of a core that was whole in some visits and shared in others, some samples take
 * no longer than before: a modelled one gave half of its ROB. */
TEST(fast_samples_behind_the_jump)
{
    for (unsigned until = 256; until <= 264; until += 8) {
        add_haswell();
        for (ROWS_OF(row, NULL, "tsc"))
            if (row->n == 2 && row->k >= CLIFF && row->k < until)
                row->min = row->p1 = row->p10 = 215;
        assert_doubt(NULL, "rob_cliff_k", until > 256 ? "two-states" : "edge-not-placed");
    }
}

/* The curve of the last attempt is the one that counts. */
TEST(the_last_attempt)
{
    struct model moved = haswell;
    moved.rob = 128;
    add_haswell();
    for (unsigned k = 0; k <= 320; k += 8)
        add("2m", "tsc", 2, k, ticks_of(&moved, 2, k))->attempt = 2;
    rows_drop(LOADS_ZEROES);
    assert_verdict(NULL, "rob_cliff_k", OK, 128);
    add("2m", LOADS_AGAIN, 2, 160, 222)->attempt = 2;
    assert_doubt(NULL, "rob_cliff_k", "edge-not-confirmed");
}

/* --- Little's law ----------------------------------------------------------------------------- */

/* Straight: 19 ticks for each load more, as long as ten buffers are. */
TEST(sustained)
{
    add_haswell();
    for (unsigned n = 20; n <= 40; n += 10)
        rows_set(LOADS_MANY, n, 1000 + 19 * (n - 20));
    assert_verdict(NULL, "mlp_sustained", OK, 10);
    assert_words(NULL, "mlp_sustained", "divided by 19.0 ticks per further load");
    rows_set(LOADS_MANY, 30, 1190 + 100); /* off a straight line by more than a third of it */
    assert_verdict(NULL, "mlp_sustained", DOUBT, 10);
    rows_set(LOADS_MANY, 30, 1190 + 400);
    assert_no_value(NULL, "mlp_sustained", DOUBT, "no-rise");
    assert_words(NULL, "mlp_sustained", ", where there are many");
    rows_find(LOADS_MANY, 20)->samples = rows_find(LOADS_MANY, 30)->samples = 0;
    assert_no_value(NULL, "mlp_sustained", SKIP, "two to four times as many loads");
}

/* --- chains ---------------------------------------------------------------------------------- */

static double straight(unsigned n)
{
    return 45 + 190.5 * n;
}

static double bent(unsigned n)
{
    return 100 + 10 * n * n;
}

static void add_chain(const char *name, double (*median)(unsigned n), unsigned lengths)
{
    for (unsigned n = 1; n <= lengths; n++)
        add_row(name, n, 0, median(n), 1);
}

static void judge_chain(const char *name, double (*median)(unsigned n), unsigned lengths)
{
    row_count = 0;
    add_chain(name, median, lengths);
    rows_shuffle(rows, row_count);
    assert_count(2);
}

/* Chains of every ordering and state have an answer, and no name is cut. */
TEST(chain)
{
    static const char *const cases[] = {"2m-dependent", "2m-cpuid-dependent",
                                        "4k-walkmem-cpuid-dependent"};
    for (unsigned i = 0; i < 6; i++) {
        judge_chain(cases[i / 2], straight, i % 2 ? 3 : 12);
        ASSERT_VERDICTS(cases[i / 2], {SLOPE, OK, 190.5}, {CONSTANT, OK, 45});
    }
    judge_chain("2m-dependent", straight, 2);
    ASSERT_VERDICTS(NULL, {SLOPE, SKIP, NAN}, {CONSTANT, SKIP, NAN});
    judge_chain("2m-dependent", bent, 12);
    assert_says(NULL, SLOPE, DOUBT, "not-linear");
    assert_status(NULL, CONSTANT, DOUBT);
}

/* --- cases ------------------------------------------------------------------------------------ */

/* A user's label is no word of ours, even where it looks like one. */
TEST(ordering_is_named)
{
    static const struct {
        const char *variant, *ordering;
    } cases[] = {{"2m", "LFENCE-ordered"},
                 {"2m-cpuid", "CPUID-ordered"},
                 {"4k-walkmem-cpuid", "CPUID-ordered"},
                 {"2m-cpuid-1", "LFENCE-ordered"}};
    for (EACH(c, cases)) {
        row_count = 0;
        add_case(&haswell, c->variant, some_loads, some_fillers);
        assert_words(NULL, "one_load", c->ordering);
        assert_words(NULL, "two_sequential", c->ordering);
        ASSERT_VERDICTS(NULL, {"mlp", OK, 10}, {"rob_cliff_k", OK, 192});
        assert_int_equal(rows[0].variant.label[0] != '\0', c >= cases + 3);
    }
}

/* The second case's time of eleven loads against the first's, whose MLP is ten, whichever comes
 * first; chains have none. */
TEST(overhead)
{
    static const char *const names[] = {"2m", "2m-cpuid"};
    static const char *const chains[] = {"2m-dependent", "2m-cpuid-dependent"};
    struct model models[] = {haswell, haswell};
    models[1].buffers = 5;
    models[1].timer += 100;
    for (unsigned first = 0; first < 2; first++) {
        rows_clear();
        for (unsigned i = 0; i < 2; i++) {
            add_case(&models[i ^ first], names[i ^ first], some_loads, some_fillers);
            add_chain(chains[i ^ first], straight, 12);
        }
        judge_all_rows();
        assert_int_equal(verdicts.count, 2 * VERDICTS + 2 * 2 + 2);
        for (unsigned i = 0; i < 2; i++) {
            const struct verdict *v = assert_status(names[i], "overhead", OK);
            double times = ticks_of(&models[i], 11, 0) / ticks_of(&models[0], 11, 0);
            assert_near(v->value, (times - 1) * 100);
            assert_interval(v, NAN, NAN);
            assert_string_equal(v->method, i == 0 ? "other cases are compared with this one"
                                                  : "median of N = 11 against case 2m");
            assert_verdict(names[i], "mlp", OK, models[i].buffers);
        }
    }
    struct model flat = haswell;
    flat.rob = 100000; /* the first case has no MLP */
    row_count = 0;
    add_case(&flat, "2m", some_loads, some_fillers);
    add_case(&haswell, "4k", some_loads, some_fillers);
    judge_all_rows();
    assert_status("2m", "overhead", SKIP);
    assert_no_value("4k", "overhead", SKIP, "mlp of case 2m");
    add_haswell();
    add_case(&haswell, "4k", (struct range){1, 10, 1}, some_fillers);
    judge_all_rows();
    assert_status("2m", "overhead", OK);
    assert_no_value("4k", "overhead", SKIP, "not-measured");
}

/* A chain of no loads is an empty sample of the same order of timestamps. */
TEST(constants_of_chains)
{
    for (unsigned i = 0; i < 3; i++) {
        double constant = i == 0 ? 34 : i == 1 ? 46 : 41;
        rows_clear();
        for (unsigned n = 1; n <= 8; n++)
            for (unsigned cpuid = 0; cpuid < 2; cpuid++)
                add(cpuid ? "2m-cpuid-dependent" : "2m-dependent", "tsc", n, 0, constant + 170 * n);
        rows_facts.empty[ORDER_LFENCE] = rows_point("floor", "lfence", 0, 0, 40);
        rows_spread(&rows_facts.empty[ORDER_LFENCE], 20);
        judge();
        assert_doubt("2m-dependent", "sequential_constant", i == 2 ? NULL : "contradicts");
        assert_doubt("2m-cpuid-dependent", "sequential_constant", NULL); /* not measured */
        assert_doubt("2m-dependent", "sequential_slope", NULL);
    }
}

/* One load is a chain of one; two lengths are no line. */
TEST(one_load_and_chains)
{
    for (unsigned lengths = 2; lengths <= 8; lengths += 6)
        for (int off = -1; off <= 1; off++) {
            add_haswell();
            double one = ticks_of(&haswell, 1, 0);
            for (unsigned n = 1; n <= lengths; n++)
                add("2m-dependent", "tsc", n, 0, one + 60 * off + 170 * (n - 1.0));
            assert_doubt("2m", "one_load", lengths == 2 || off == 0 ? NULL : "contradicts");
            assert_doubt("2m", "two_sequential", NULL);
        }
}

/* A jump upwards alone tells nothing of times that are not above 0. */
TEST(times_not_above_0)
{
    for (double time = 0; time >= -200; time -= 200) {
        add_haswell();
        add_case(&haswell, "2m-dependent", some_loads, (struct range){0, 0, 1});
        for (ADDED_ROWS(row)) {
            rows_center(row, row->n == 2 && row->k < 96 ? time * 1.5 : time);
            rows_spread(row, 0);
        }
        judge_all_rows();
        for (size_t j = 0; j < verdicts.count; j++)
            assert_int_not_equal(verdicts.at[j].status, OK);
    }
}
