/* test_mlp_rule: the rule, on tables from a model whose answers are known. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/mlp_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 7 /* of one case */

/* --- the model ------------------------------------------------------------------------------- */

/* A machine: N loads and K fillers take so many ticks. */
struct model {
    unsigned rob, buffers;
    double latency, timer;
    double per_load; /* each further load inside the reorder buffer */
    double noise;    /* of a median, to both sides */
};

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

SETUP(start)
{
    rows_clear();
}

static void add_row(const char *experiment, const char *variant, unsigned n, unsigned k,
                    double median, double spread)
{
    struct row *row = rows_add(experiment, variant, n, k, median);
    rows_spread(row, spread);
    row->min -= spread;
    row->max += 8 * spread;
}

static void add_table(const struct model *m, const char *variant, struct range n, struct range k)
{
    for (unsigned i = n.first; i <= n.last; i += n.step)
        for (unsigned j = k.first; j <= k.last; j += k.step)
            add_row("mlp", variant, i, j, ticks_of(m, i, j), 2 + m->noise);
}

static void judge(void)
{
    judge_rows(mlp_judge);
    assert_int_equal(verdicts.count, VERDICTS);
    for (size_t i = 0; i < VERDICTS; i++) {
        const struct verdict *v = &verdicts.at[i];
        assert_string_equal(v->of.experiment, "mlp");
        assert_true(case_same(&v->of, &rows[0].of));
        assert_true(v->method[0] != '\0');
        assert_true(isnan(v->value) || (v->low <= v->value && v->value <= v->high));
    }
}

static void judge_table(const struct model *m, struct range n, struct range k)
{
    row_count = 0;
    add_table(m, "2m", n, k);
    judge();
}

static const struct model haswell = {
    .rob = 192, .buffers = 10, .latency = 190, .timer = 30, .per_load = 8};
static const struct range some_loads = {1, 20, 1}, some_fillers = {0, 320, 8};

/* --- mlp_judge ------------------------------------------------------------------------------- */

TEST(verdict_names)
{
    judge_table(&haswell, some_loads, some_fillers);
    for (size_t i = 0; i < VERDICTS; i++) {
        const char *const *name = rule_mlp.verdicts;
        while (*name != NULL && strcmp(*name, verdicts.at[i].name) != 0)
            name++;
        assert_non_null(*name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(verdicts.at[j].name, verdicts.at[i].name);
    }
    assert_string_equal(verdict_of(NULL, "one_load")->unit, "ticks");
    assert_string_equal(verdict_of(NULL, "two_sequential")->unit, "ticks");
}

/* --- NOPs of eight bytes ---------------------------------------------------------------------- */

static void add_long_nops(const struct model *m, unsigned k, unsigned each)
{
    struct row *row = rows_add("mlp", "2m", 2, k, ticks_of(m, 2, k * each));
    rows_spread(row, 1);
    strcpy(row->metric, "tsc_long_nop");
}

/* A jump at the same K says that a NOP takes an entry; one elsewhere, that some share one. */
TEST(long_nops)
{
    static const unsigned ks[] = {170, 180, 200, 210};
    for (unsigned each = 1; each <= 2; each++) {
        row_count = 0;
        add_table(&haswell, "2m", some_loads, some_fillers);
        for (unsigned i = 0; i < 4; i++)
            add_long_nops(&haswell, ks[i], each);
        judge();
        const struct verdict *v =
            assert_status(NULL, "rob_entries", each == 1 ? VERDICT_OK : VERDICT_DOUBT);
        assert_true(v->value == 193);
        assert_int_equal(strstr(v->method, "some share an entry") != NULL, each == 2);
        assert_status(NULL, "rob_cliff_k", VERDICT_OK);
    }
}

/* On one side alone they say nothing; a table of old, without visits, has none and is believed. */
TEST(long_nops_that_are_missing)
{
    for (unsigned visits = 0; visits <= 4; visits += 4)
        for (unsigned beside = 0; beside <= 2; beside++) {
            row_count = 0;
            add_table(&haswell, "2m", some_loads, some_fillers);
            for (unsigned i = 0; i < beside; i++)
                add_long_nops(&haswell, 170 + i, 1);
            for (size_t i = 0; i < row_count; i++)
                rows[i].visits = visits;
            judge();
            assert_status(NULL, "rob_entries", visits == 0 ? VERDICT_OK : VERDICT_DOUBT);
        }
}

static void check_model(const struct model *m, struct range k)
{
    unsigned cliff = m->rob - 1; /* the first K that, with two loads, is more than the buffer */
    unsigned measured = (cliff - k.first + k.step - 1) / k.step * k.step + k.first;

    judge_table(m, (struct range){1, m->buffers + 4, 1}, k);
    assert_verdict(NULL, "one_load", VERDICT_OK, m->timer + m->latency);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, m->timer + 2 * m->latency);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, measured);
    assert_verdict(NULL, "mlp", VERDICT_OK, m->buffers);
    assert_verdict(NULL, "time_at_mlp_plus_1", VERDICT_OK, ticks_of(m, m->buffers + 1, k.first));
    assert_verdict(NULL, "rob_entries", VERDICT_OK, measured + 1);
    assert_verdict(NULL, "fill_buffers", VERDICT_OK, m->buffers);
    const struct verdict *v = verdict_of(NULL, "rob_cliff_k"),
                         *rob = verdict_of(NULL, "rob_entries");
    assert_true(v->low <= cliff && cliff <= v->high);
    assert_true(v->low > measured - 2.0 * k.step && v->high < measured + k.step);
    assert_true(rob->low <= m->rob && m->rob <= rob->high);
    assert_true(rob->low == v->low + 1 && rob->high == v->high + 1);
}

TEST(models)
{
    static const unsigned robs[] = {64, 168, 192, 224, 512}, buffers[] = {2, 3, 10, 12, 16};
    static const unsigned steps[] = {1, 4, 8, 15};

    for (size_t r = 0; r < 5; r++)
        for (size_t b = 0; b < 5; b++)
            for (size_t s = 0; s < 4; s++) {
                struct model m = {.rob = robs[r],
                                  .buffers = buffers[b],
                                  .latency = 200 + 30 * (double)b,
                                  .timer = 25,
                                  .per_load = b > 2 ? 5 : 0};
                check_model(&m, (struct range){0, robs[r] + 100, steps[s]});
                check_model(&m, (struct range){1, robs[r] + 100, steps[s]});
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
    assert_true(cliffs >= trials * 19 / 20);
    assert_true(held >= trials * 9 / 10);
}

TEST(flat)
{
    struct model m = haswell;

    m.rob = 100000; /* a wall that nobody reaches */
    judge_table(&m, some_loads, some_fillers);
    assert_verdict(NULL, "one_load", VERDICT_OK, m.timer + m.latency);
    assert_verdict(NULL, "two_sequential", VERDICT_DOUBT, NAN);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
    assert_verdict(NULL, "mlp", VERDICT_DOUBT, NAN);
    m.noise = 5;
    judge_table(&m, some_loads, some_fillers);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
    assert_verdict(NULL, "mlp", VERDICT_DOUBT, NAN);
}

/* One curve of N = 2, as given, beside N = 1 and a row of loads. */
static void judge_curve(double (*median)(unsigned k), unsigned points)
{
    row_count = 0;
    add_row("mlp", "2m", 1, 0, 200, 1);
    for (unsigned i = 0; i < points; i++)
        add_row("mlp", "2m", 2, 8 * i, median(8 * i), 1);
    for (unsigned n = 3; n < 12; n++)
        add_row("mlp", "2m", n, 0, 200 + 25 * n, 1);
    judge();
}

static double ramp(unsigned k)
{
    return 200 + k;
}

static double falling(unsigned k)
{
    return k < 160 ? 400 : 200;
}

static double low_step(unsigned k)
{
    return k < 160 ? 200 : 206;
}

static double high_step(unsigned k)
{
    return k < 160 ? 200 : 400;
}

static double spikes(unsigned k)
{
    return k / 8 % 2 ? 200 : 400;
}

TEST(no_clear_jump)
{
    static double (*const curves[])(unsigned k) = {ramp, falling, low_step, spikes};

    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        judge_curve(curves[i], 40);
        assert_verdict(NULL, "one_load", VERDICT_OK, 200);
        assert_verdict(NULL, "two_sequential", VERDICT_DOUBT, NAN);
        assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
        assert_verdict(NULL, "mlp", VERDICT_DOUBT, NAN);
    }
    judge_curve(high_step, 40);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 160);
}

TEST(reasons_are_told_apart)
{
    char reason[VERDICT_METHOD_BYTES];

    judge_curve(spikes, 40);
    snprintf(reason, sizeof reason, "%s", verdict_of(NULL, "rob_cliff_k")->method);
    judge_curve(low_step, 40);
    assert_string_not_equal(verdict_of(NULL, "rob_cliff_k")->method, reason);
    /* Those that depend on it say why too. */
    assert_non_null(strstr(verdict_of(NULL, "two_sequential")->method,
                           verdict_of(NULL, "rob_cliff_k")->method));
}

/* Two points on a side are too few to tell a jump from a slip; three are enough. */
TEST(jump_at_the_end)
{
    for (unsigned beyond = 1; beyond <= 4; beyond++) {
        judge_curve(high_step, 160 / 8 + beyond);
        if (beyond < 3)
            assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
        else
            assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 160);
    }
    for (unsigned before = 1; before <= 4; before++) {
        row_count = 0;
        for (unsigned i = 0; i < 20; i++)
            add_row("mlp", "2m", 2, i, i < before ? 200 : 400, 1);
        judge();
        if (before < 3)
            assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
        else
            assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, before);
    }
}

/* N = 2, 4, 8, 16: between 8 and 15 is all that can be said of ten buffers. */
TEST(loads_not_consecutive)
{
    for (unsigned n = 1; n <= 32; n *= 2)
        add_table(&haswell, "2m", (struct range){n, n, 1}, some_fillers);
    judge();
    const struct verdict *mlp = verdict_of(NULL, "mlp");
    assert_int_equal(mlp->status, VERDICT_DOUBT);
    assert_true(mlp->low == 8 && mlp->high == 15);
    assert_non_null(strstr(mlp->method, "8"));
}

TEST(only_two_loads)
{
    judge_table(&haswell, (struct range){2, 2, 1}, some_fillers);
    assert_verdict(NULL, "one_load", VERDICT_SKIP, NAN);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 192);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 410);
    const struct verdict *mlp = verdict_of(NULL, "mlp");
    assert_true(mlp->status == VERDICT_DOUBT || mlp->status == VERDICT_SKIP);
    assert_true(isnan(mlp->value));
}

TEST(loads_too_few_to_reach)
{
    judge_table(&haswell, (struct range){1, 6, 1}, some_fillers);
    assert_verdict(NULL, "mlp", VERDICT_DOUBT, NAN);
    assert_true(verdict_of(NULL, "mlp")->low == 6);
    assert_true(isnan(verdict_of(NULL, "mlp")->high));
}

TEST(without_two_loads)
{
    judge_table(&haswell, (struct range){1, 1, 1}, some_fillers);
    assert_verdict(NULL, "one_load", VERDICT_OK, 220);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_SKIP, NAN);
    assert_verdict(NULL, "two_sequential", VERDICT_SKIP, NAN);
    assert_verdict(NULL, "mlp", VERDICT_SKIP, NAN);
    judge_table(&haswell, (struct range){3, 20, 1}, some_fillers);
    assert_verdict(NULL, "one_load", VERDICT_SKIP, NAN);
    assert_verdict(NULL, "mlp", VERDICT_SKIP, NAN);
}

TEST(too_few_fillers)
{
    for (unsigned points = 1; points <= 6; points++) {
        row_count = 0;
        for (unsigned i = 0; i < points; i++)
            add_row("mlp", "2m", 2, i, i < 3 ? 200 : 400, 1);
        judge();
        if (points < 6)
            assert_verdict(NULL, "rob_cliff_k", VERDICT_SKIP, NAN);
        else
            assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 3);
    }
}

/* Points whose samples were all discarded say nothing; neither do other metrics. */
TEST(rows_without_samples)
{
    add_table(&haswell, "2m", some_loads, some_fillers);
    for (size_t i = 0; i < row_count; i++) {
        struct row *row = &rows[i];
        bool lost = row->k == 0 || (row->n == 2 && row->k == 192) || below(5) == 0;
        if (lost && !(row->n == 2 && (row->k == 184 || row->k == 200)) && row->k != 8) {
            row->samples = 0;
            row->min = row->p10 = row->median = row->p90 = row->max = row->mean = NAN;
        }
    }
    judge();
    assert_verdict(NULL, "one_load", VERDICT_OK, 220);
    assert_verdict(NULL, "mlp", VERDICT_OK, 10);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 410);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 200);
    assert_true(verdict_of(NULL, "rob_cliff_k")->low <= 185);
}

TEST(no_row_with_samples)
{
    add_table(&haswell, "2m", some_loads, some_fillers);
    for (size_t i = 0; i < row_count; i++)
        rows[i].samples = 0;
    judge();
    for (size_t i = 0; i < VERDICTS; i++)
        assert_verdict(NULL, verdicts.at[i].name, VERDICT_SKIP, NAN);
}

static void shuffle_rows(void)
{
    rows_shuffle(rows, row_count);
}

TEST(other_metrics)
{
    size_t points;

    add_table(&haswell, "2m", some_loads, some_fillers);
    points = row_count;
    for (size_t i = 0; i < points; i++) {
        add_row("mlp", "2m", (unsigned)rows[i].n, (unsigned)rows[i].k, 1000 * uniform(), 1);
        strcpy(rows[row_count - 1].metric, i % 2 ? "cycles" : "zz");
    }
    shuffle_rows();
    judge();
    assert_verdict(NULL, "one_load", VERDICT_OK, 220);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 410);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 192);
    assert_verdict(NULL, "mlp", VERDICT_OK, 10);
}

/* --- loads that scatter ---------------------------------------------------------------------- */

/* A point whose fastest tenth ends so far below its median, and its slowest so far above it. */
static struct row *add_wide(unsigned n, unsigned k, double fast, double median)
{
    add_row("mlp", "2m", n, k, median, median - fast);
    return &rows[row_count - 1];
}

/* A machine whose N loads take so long in the fastest tenth of samples, and in the median. */
struct scattering {
    double (*fast)(unsigned n);
    double (*median)(unsigned n);
    double (*beyond)(unsigned k); /* the fastest tenth of two loads, from the cliff on */
    double above;                 /* medians of N = 2 over K over their fastest tenth */
    uint64_t samples;
};
#define SCATTERING_CLIFF 192

static void add_scattering(const struct scattering *s)
{
    row_count = 0;
    for (unsigned n = 1; n <= 24; n++)
        add_wide(n, 0, s->fast(n), s->median(n));
    for (unsigned k = 8; k <= 320; k += 8) {
        bool low = k < SCATTERING_CLIFF;
        add_wide(2, k, low ? 222 : s->beyond(k),
                 (low ? 222 : s->beyond(SCATTERING_CLIFF)) + s->above);
    }
    for (size_t i = 0; i < row_count; i++)
        rows[i].samples = s->samples;
}

static void judge_scattering(const struct scattering *s)
{
    add_scattering(s);
    judge();
}

static double fast_with_jump(unsigned n)
{
    return 220 + n + (n > 15 ? 170 : 0);
}

static double fast_with_bend(unsigned n)
{
    return 220 + n + (n > 12 ? 5 + 15 * (n - 12) : 0);
}

static double fast_line(unsigned n)
{
    return 200 + 20 * n;
}

/* Reaches two sequential medians at N = 9, without a jump: some load is slow. */
static double slow_line(unsigned n)
{
    return 260 + 20 * n;
}

static double at_380(unsigned k)
{
    (void)k;
    return 380;
}

static const struct scattering jumping = {fast_with_jump, slow_line, at_380, 60, 400};

/* The fastest tenth's jump is an answer for MLP; of the buffers it leaves a doubt. */
TEST(scattered_jump)
{
    judge_scattering(&jumping);
    assert_verdict(NULL, "mlp", VERDICT_OK, 15);
    assert_true(verdict_of(NULL, "mlp")->low == 15 && verdict_of(NULL, "mlp")->high == 15);
    assert_words(NULL, "mlp", "loads scatter: the fastest tenth of samples jumps");
    assert_verdict(NULL, "fill_buffers", VERDICT_DOUBT, 15);
    assert_words(NULL, "fill_buffers", "loads scatter: the last N before the fastest tenth jumps");
}

TEST(time_of_scattered_loads)
{
    judge_scattering(&jumping);
    assert_verdict(NULL, "time_at_mlp_plus_1", VERDICT_OK, fast_with_jump(16));
    assert_words(NULL, "time_at_mlp_plus_1", "tenth percentile of N = 16");
    /* What is not read over N stays with the medians. */
    assert_verdict(NULL, "one_load", VERDICT_OK, slow_line(1));
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 380 + 60);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, SCATTERING_CLIFF);
}

static void set_deciles(int64_t n, double apart)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == n && rows[i].k == 0)
            rows[i].p90 = rows[i].p10 + apart * rows[i].median;
}

/* Deciles 0.3076 of a median apart are a deviation of 0.12 of it. Those of one to four loads
 * decide.
 */
TEST(when_loads_scatter)
{
    for (int64_t wide = 0; wide <= 5; wide++) {
        bool scatter = wide >= 1 && wide <= 4;
        add_scattering(&jumping);
        for (int64_t n = 1; n <= 4; n++)
            set_deciles(n, 0.306);
        set_deciles(wide, 0.309);
        judge();
        assert_int_equal(strstr(verdict_of(NULL, "mlp")->method, "loads scatter") != NULL, scatter);
        assert_true(verdict_of(NULL, "mlp")->value == (scatter ? 15 : 8));
        assert_true(verdict_of(NULL, "time_at_mlp_plus_1")->value ==
                    (scatter ? fast_with_jump(16) : slow_line(9)));
        assert_words(NULL, "time_at_mlp_plus_1", scatter ? "tenth percentile of" : "median of");
    }
}

/* With the smallest K, wherever its row stands. */
TEST(the_shortest_load_tells_scatter)
{
    for (unsigned first = 0; first < 2; first++) {
        add_scattering(&jumping);
        add_row("mlp", "2m", 1, 80, slow_line(1), 1);
        struct row *a = &rows[0], *b = &rows[row_count - 1], kept = *a;
        if (first) {
            *a = *b;
            *b = kept;
        }
        judge();
        assert_verdict(NULL, "mlp", VERDICT_OK, 15);
    }
}

TEST(scattered_bend)
{
    static const struct scattering bending = {fast_with_bend, slow_line, at_380, 60, 400};

    judge_scattering(&bending);
    assert_verdict(NULL, "fill_buffers", VERDICT_DOUBT, 12);
    assert_words(NULL, "fill_buffers", "loads scatter: the fastest tenth bends upwards");
    assert_words(NULL, "mlp", "loads scatter: the fastest tenth reaches two sequential");
    assert_int_equal(verdict_of(NULL, "mlp")->value, 20);
}

static double before_jump;

/* Rises from 220 to `before_jump` at N = 15, then jumps by 70. */
static double fast_with_late_jump(unsigned n)
{
    return n <= 15 ? 220 + (before_jump - 220) * (n - 1) / 14 : before_jump + 70 + 6 * (n - 16);
}

static double late_60_above(unsigned n)
{
    return fast_with_late_jump(n) + 60;
}

/* A jump that starts beyond half the way from one load, 220, to two sequential, 380, is chance. */
TEST(scattered_jump_on_the_way)
{
    static const struct scattering late = {fast_with_late_jump, late_60_above, at_380, 60, 400};

    before_jump = 299;
    judge_scattering(&late);
    assert_verdict(NULL, "mlp", VERDICT_OK, 15);
    assert_words(NULL, "mlp", "the fastest tenth of samples jumps");
    before_jump = 301;
    judge_scattering(&late);
    assert_verdict(NULL, "mlp", VERDICT_DOUBT, 17);
    assert_true(verdict_of(NULL, "mlp")->low == 15); /* but MLP may still end there */
    assert_words(NULL, "mlp", "the fastest tenth reaches two sequential");
    assert_verdict(NULL, "fill_buffers", VERDICT_DOUBT, 15);
}

static double at_400(unsigned k)
{
    (void)k;
    return 400;
}

static double line_60_above(unsigned n)
{
    return fast_line(n) + 60;
}

static double line_30_above(unsigned n)
{
    return fast_line(n) + 30;
}

/* An interval of two N is an answer of medians; of loads that scatter only one of a single N is. */
TEST(scattered_interval)
{
    static const struct {
        struct scattering machine;
        bool scatters;
        double low, high;
        enum verdict_status status;
    } cases[] = {
        {{fast_line, line_60_above, at_400, 60, 400}, true, 9, 10, VERDICT_OK},
        {{fast_line, line_60_above, at_400, 60, 100}, true, 8, 10, VERDICT_DOUBT},
        {{fast_line, line_30_above, at_400, 30, 36}, false, 8, 10, VERDICT_OK},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        judge_scattering(&cases[i].machine);
        assert_verdict(NULL, "mlp", cases[i].status, 9);
        assert_int_equal(strstr(verdict_of(NULL, "mlp")->method, "loads scatter") != NULL,
                         cases[i].scatters);
        assert_true(verdict_of(NULL, "mlp")->low == cases[i].low);
        assert_true(verdict_of(NULL, "mlp")->high == cases[i].high);
        assert_int_equal(verdict_of(NULL, "time_at_mlp_plus_1")->status, cases[i].status);
    }
}

static double rising_from_300(unsigned k)
{
    return 300 + 0.5 * (k - SCATTERING_CLIFF);
}

/* Two sequential loads are those of the fastest tenth too, just beyond the cliff. */
TEST(scattered_sequential)
{
    static const struct scattering rising = {fast_line, line_60_above, rising_from_300, 60, 400};

    judge_scattering(&rising);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 360);
    assert_verdict(NULL, "mlp", VERDICT_OK, 4); /* fast_line(5) is 300 */
    assert_verdict(NULL, "time_at_mlp_plus_1", VERDICT_OK, 300);
    assert_words(NULL, "time_at_mlp_plus_1", "tenth percentile of N = 5");
}

static double around_400(unsigned k)
{
    return k / 8 % 2 ? 360 : 440;
}

/* Where they do not lie on a line beyond the cliff, MLP is not known that well either. */
TEST(scattered_sequential_off_a_line)
{
    struct scattering uneven = {fast_line, line_60_above, around_400, 60, 400};

    judge_scattering(&uneven);
    assert_verdict(NULL, "mlp", VERDICT_DOUBT, 9);
    assert_true(verdict_of(NULL, "mlp")->low == 8 && verdict_of(NULL, "mlp")->high == 11);
    uneven.beyond = at_400;
    judge_scattering(&uneven);
    assert_verdict(NULL, "mlp", VERDICT_OK, 9);
}

/* --- chains ---------------------------------------------------------------------------------- */

static void judge_chain(double (*median)(unsigned n), unsigned lengths)
{
    row_count = 0;
    for (unsigned n = 1; n <= lengths; n++)
        add_row("mlp", "2m-dependent", n, 0, median(n), 1);
    shuffle_rows();
    judge_rows(mlp_judge);
    assert_int_equal(verdicts.count, 2);
}

static double straight(unsigned n)
{
    return 45 + 190.5 * n;
}

static double bent(unsigned n)
{
    return 100 + 10 * n * n;
}

TEST(chain)
{
    judge_chain(straight, 12);
    assert_verdict(NULL, "sequential_slope", VERDICT_OK, 190.5);
    assert_verdict(NULL, "sequential_constant", VERDICT_OK, 45);
    judge_chain(straight, 3);
    assert_verdict(NULL, "sequential_slope", VERDICT_OK, 190.5);
    judge_chain(straight, 2);
    assert_verdict(NULL, "sequential_slope", VERDICT_SKIP, NAN);
    assert_verdict(NULL, "sequential_constant", VERDICT_SKIP, NAN);
    judge_chain(bent, 12);
    assert_int_equal(verdict_of(NULL, "sequential_slope")->status, VERDICT_DOUBT);
    assert_int_equal(verdict_of(NULL, "sequential_constant")->status, VERDICT_DOUBT);
}

static double scattered(unsigned n)
{
    return straight(n) + 20 * (uniform() - 0.5);
}

TEST(chain_intervals)
{
    unsigned slopes = 0, constants = 0, trials = 300;

    for (unsigned trial = 0; trial < trials; trial++) {
        judge_chain(scattered, 20);
        const struct verdict *m = verdict_of(NULL, "sequential_slope");
        const struct verdict *c = verdict_of(NULL, "sequential_constant");
        slopes += m->low <= 190.5 && 190.5 <= m->high;
        constants += c->low <= 45 && 45 <= c->high;
    }
    assert_in_range(slopes, trials * 88 / 100, trials * 995 / 1000);
    assert_in_range(constants, trials * 88 / 100, trials * 995 / 1000);
}

/* --- overhead -------------------------------------------------------------------------------- */

/* The second case's time of eleven loads against the first's, whose MLP is ten. */
TEST(overhead)
{
    struct model other = haswell;

    other.rob = 100;
    other.buffers = 5;
    add_table(&haswell, "2m", some_loads, some_fillers);
    add_table(&other, "4k", some_loads, some_fillers);
    judge_all_rows();
    double here = 30 + 3 * 190 + 80, there = 30 + 2 * 190 + 80;
    unsigned found = 0;
    for (size_t i = 0; i < verdicts.count; i++) {
        const struct verdict *v = &verdicts.at[i];
        if (strcmp(v->name, "mlp") == 0)
            assert_true(v->value == (is_case(&v->of, "2m") ? 10 : 5));
        if (strcmp(v->name, "overhead") != 0)
            continue;
        found++;
        assert_int_equal(v->status, VERDICT_OK);
        assert_true(near(v->value, is_case(&v->of, "2m") ? 0 : (here / there - 1) * 100));
    }
    assert_int_equal(found, 2);
}

TEST(no_overhead)
{
    struct model flat = haswell;

    flat.rob = 100000; /* the first case has no MLP */
    add_table(&flat, "2m", some_loads, some_fillers);
    add_table(&haswell, "4k", some_loads, some_fillers);
    judge_all_rows();
    assert_status("2m", "overhead", VERDICT_SKIP);
    assert_verdict("4k", "overhead", VERDICT_SKIP, NAN);

    row_count = 0; /* the second has not so many loads */
    add_table(&haswell, "2m", some_loads, some_fillers);
    add_table(&haswell, "4k", (struct range){1, 10, 1}, some_fillers);
    judge_all_rows();
    assert_status("2m", "overhead", VERDICT_OK);
    assert_says("4k", "overhead", VERDICT_SKIP, "11");
}

/* --- orderings ------------------------------------------------------------------------------- */

TEST(ordering_is_named)
{
    static const struct {
        const char *variant, *ordering;
    } cases[] = {
        {"2m", "LFENCE-ordered"},         {"2m-cpuid", "CPUID-ordered"},
        {"4k-cold", "LFENCE-ordered"},    {"4k-cold-cpuid", "CPUID-ordered"},
        {"4k-walkmem", "LFENCE-ordered"}, {"4k-walkmem-cpuid", "CPUID-ordered"},
        {"2m-cpuid-1", "LFENCE-ordered"}, {"cpuid", "LFENCE-ordered"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row_count = 0;
        add_table(&haswell, cases[i].variant, some_loads, some_fillers);
        judge();
        assert_words(NULL, "one_load", cases[i].ordering);
        assert_words(NULL, "two_sequential", cases[i].ordering);
    }
}

/* Of every ordering and state, a chain is a chain: no name is cut. */
TEST(chains_of_either_ordering)
{
    static const char *const cases[] = {"2m-dependent", "2m-cpuid-dependent",
                                        "4k-walkmem-cpuid-dependent"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row_count = 0;
        for (unsigned n = 1; n <= 12; n++)
            add_row("mlp", cases[i], n, 0, straight(n), 1);
        assert_string_equal(name_of(&rows[0].of), cases[i]);
        judge_rows(mlp_judge);
        assert_int_equal(verdicts.count, 2);
        assert_string_equal(name_of(&verdicts.at[0].of), cases[i]);
        assert_verdict(NULL, "sequential_slope", VERDICT_OK, 190.5);
        assert_verdict(NULL, "sequential_constant", VERDICT_OK, 45);
    }
}

/* What the published ordering costs is its overhead against the other, whichever comes first;
 * chains have none. */
TEST(overhead_of_an_ordering)
{
    static const char *const tables[] = {"2m", "2m-cpuid"};
    static const char *const chains[] = {"2m-dependent", "2m-cpuid-dependent"};
    struct model slower = haswell;
    double time[2];

    slower.timer += 100;
    time[0] = ticks_of(&haswell, 11, 0);
    time[1] = ticks_of(&slower, 11, 0);
    for (unsigned first = 0; first < 2; first++) {
        row_count = 0;
        for (unsigned i = 0; i < 2; i++) {
            unsigned which = i ^ first;
            add_table(which == 0 ? &haswell : &slower, tables[which], some_loads, some_fillers);
            for (unsigned n = 1; n <= 12; n++)
                add_row("mlp", chains[which], n, 0, straight(n), 1);
        }
        judge_all_rows();
        assert_int_equal(verdicts.count, 2 * VERDICTS + 2 * 2 + 2);
        for (unsigned i = 0; i < 2; i++) {
            const struct verdict *v = assert_status(tables[i], "overhead", VERDICT_OK);
            assert_true(near(v->value, (time[i] / time[0] - 1) * 100));
            assert_string_equal(strstr(v->method, "against"), "against case 2m");
        }
    }
}

/* What fits in a list too short is as it would be; nothing beyond is touched. */
static void check_short_lists(void)
{
    struct verdict whole[VERDICTS], list[VERDICTS + 1], guard;

    verdicts = (struct verdict_list){whole, 0, VERDICTS};
    rows_judge(rows, row_count, mlp_judge, &verdicts);
    memset(&guard, 0xa5, sizeof guard);
    for (size_t room = 0; room <= VERDICTS; room++) {
        memset(list, 0xa5, sizeof list);
        verdicts = (struct verdict_list){list, 0, room};
        rows_judge(rows, row_count, mlp_judge, &verdicts);
        assert_int_equal(verdicts.count, room);
        for (size_t i = 0; i < room; i++)
            assert_true(same_verdict(&list[i], &whole[i]));
        assert_memory_equal(&list[room], &guard, sizeof guard);
    }
}

TEST(verdict_list_too_short)
{
    struct model flat = haswell;

    flat.rob = 100000;
    add_table(&haswell, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_table(&flat, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_table(&haswell, "2m", (struct range){1, 1, 1}, some_fillers);
    check_short_lists();
}

/* Local before other nodes, prefetchers as they are, a natural TLB, LFENCE, 2m before 1g before 4k,
 * then by name; whatever the order of rows. */
TEST(the_plainest_case)
{
    static const char *const cases[] = {"2m-a",          "2m-b",    "1g",      "4k",
                                        "2m-cpuid",      "4k-warm", "2m-cold", "2m-nopf",
                                        "2m-warm-node1", "2m-node2"};
    static const unsigned plainer[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

    for (unsigned from = 0; from < 10; from++)
        for (unsigned trial = 0; trial < 3; trial++) {
            char wanted[80];
            row_count = 0;
            for (unsigned i = from; i < 10; i++)
                add_table(&haswell, cases[plainer[i]], (struct range){1, 12, 1},
                          (struct range){0, 320, 32});
            if (trial > 0)
                shuffle_rows();
            judge_all_rows();
            snprintf(wanted, sizeof wanted, "time of N = 11 against case %s", cases[plainer[from]]);
            for (unsigned i = from; i < 10; i++)
                assert_string_equal(verdict_of(cases[i < 8 ? i : plainer[i]], "overhead")->method,
                                    wanted);
        }
}

/* A jump upwards alone tells nothing of times that are not above 0. */
TEST(times_not_above_0)
{
    static const double times[] = {0, -200};

    for (unsigned i = 0; i < 2; i++) {
        row_count = 0;
        add_table(&haswell, "2m", some_loads, some_fillers);
        add_table(&haswell, "2m-dependent", some_loads, (struct range){0, 0, 1});
        for (size_t j = 0; j < row_count; j++) {
            rows[j].median = times[i] - (rows[j].n == 2 && rows[j].k < 96 ? 100 * i : 0);
            rows_spread(&rows[j], 0);
        }
        judge_all_rows();
        for (size_t j = 0; j < verdicts.count; j++)
            if (verdicts.at[j].status == VERDICT_OK)
                fail_msg("%s is ok: %f", verdicts.at[j].name, verdicts.at[j].value);
    }
}

/* Fewer than five samples are no point. */
TEST(samples_of_a_point)
{
    for (uint64_t samples = 4; samples <= 5; samples++) {
        row_count = 0;
        add_table(&haswell, "2m", some_loads, some_fillers);
        for (size_t i = 0; i < row_count; i++)
            rows[i].samples = samples;
        judge();
        for (size_t i = 0; i < VERDICTS; i++)
            assert_int_equal(verdicts.at[i].status == VERDICT_SKIP, samples == 4);
    }
}

/* What a user calls a case is no word of ours, even where it looks like one. */
TEST(labels_change_nothing)
{
    static const char *const labels[] = {"2m-cpuid-1", "2m-independent", "2m-warmer", "2m-nodeX"};

    for (unsigned i = 0; i < 4; i++) {
        row_count = 0;
        add_table(&haswell, labels[i], some_loads, some_fillers);
        assert_true(rows[0].of.label[0] != '\0');
        judge();
        assert_verdict(NULL, "mlp", VERDICT_OK, 10);
        assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 192);
    }
}
