/* test_analysis: the fit, the rule and the judge, on tables from a model whose answers are known.
 */
#include "../../kernel/analysis/chain.h"
#include "../../kernel/analysis/judge.h"
#include "../../kernel/analysis/mlp_rule.h"
#include "../../kernel/analysis/step.h"
#include "../../kernel/experiments/experiment.h"
#include "kit.h"

#define ROWS_MAX 16384
#define VERDICTS 7 /* of one case */

/* --- step_fit -------------------------------------------------------------------------------- */

/* Sum of squares around the least-squares line through points from..to. */
static double squares(const double *x, const double *y, size_t from, size_t to)
{
    double n = (double)(to - from), mean_x = 0, mean_y = 0, xx = 0, xy = 0, error = 0;

    for (size_t i = from; i < to; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (size_t i = from; i < to; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    double slope = xx > 0 ? xy / xx : 0;
    for (size_t i = from; i < to; i++)
        error += pow(y[i] - mean_y - slope * (x[i] - mean_x), 2);
    return error;
}

TEST(line)
{
    double x[40], y[40];

    for (unsigned trial = 0; trial < 100; trial++) {
        double offset = 1000 * (uniform() - 0.5), slope = 20 * (uniform() - 0.5);
        size_t count = 2 + below(39);
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)i * 8 + 1000 * trial;
            y[i] = offset + slope * x[i];
        }
        struct line line = line_fit(x, y, count);
        for (size_t i = 0; i < count; i++)
            assert_true(fabs(line_at(line, x[i]) - y[i]) < 1e-6);
        /* Off the line: no other line is nearer. */
        for (size_t i = 0; i < count; i++)
            y[i] += 50 * (uniform() - 0.5);
        double error = 0;
        line = line_fit(x, y, count);
        for (size_t i = 0; i < count; i++)
            error += pow(y[i] - line_at(line, x[i]), 2);
        assert_true(fabs(error - squares(x, y, 0, count)) < 1e-4 * (1 + error));
    }
}

TEST(line_without_slope)
{
    static const double x[] = {7, 7, 7}, y[] = {1, 2, 6};

    for (size_t count = 1; count <= 3; count++) {
        struct line line = line_fit(x, y, count);
        assert_true(line.slope == 0);
        assert_true(near(line.offset, count == 1 ? 1 : count == 2 ? 1.5 : 3));
    }
}

/* Every place of the jump, up and down, pieces level and not. */
TEST(exact_steps)
{
    enum { COUNT = 30, SIDE = 3 };
    static const double slopes[][2] = {{0, 0}, {0.5, 0.5}, {1, 0}, {-0.25, 0.75}};
    double x[COUNT], y[COUNT];

    for (size_t count = 2 * SIDE; count <= COUNT; count++)
        for (size_t at = SIDE; at + SIDE <= count; at++)
            for (unsigned way = 0; way < 8; way++) {
                double low = slopes[way / 2][0], high = slopes[way / 2][1];
                double jump = way % 2 ? 200.25 : -150.5;
                for (size_t i = 0; i < count; i++) {
                    x[i] = 8 * (double)i;
                    y[i] = i < at ? 400 + low * x[i]
                                  : 400 + low * x[at] + jump + high * (x[i] - x[at]);
                }
                struct step step = step_fit(x, y, count, SIDE);
                assert_int_equal(step.first_high, at);
                assert_true(fabs(step.low.slope - low) < 1e-6);
                assert_true(fabs(step.high.slope - high) < 1e-6);
                assert_true(fabs(line_at(step.low, x[0]) - y[0]) < 1e-6);
                assert_true(fabs(line_at(step.high, x[count - 1]) - y[count - 1]) < 1e-6);
                assert_true(fabs(step.jump - jump) < 1e-6);
                assert_true(step.residual < 1e-3);
            }
}

/* On pure noise: no split is better than the one found, and its figures are that split's. */
TEST(least_squares)
{
    enum { MAX = 60 };
    double x[MAX], y[MAX];

    for (unsigned trial = 0; trial < 300; trial++) {
        size_t side = 1 + below(4), count = 2 * side + below((uint32_t)(MAX - 2 * side + 1));
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)(i * i + 100 * trial);
            y[i] = 1000 * uniform();
        }
        struct step step = step_fit(x, y, count, side);
        size_t at = step.first_high;
        assert_in_range(at, side, count - side);
        double error = squares(x, y, 0, at) + squares(x, y, at, count);
        for (size_t split = side; split + side <= count; split++)
            assert_true(error <=
                        (squares(x, y, 0, split) + squares(x, y, split, count)) * 1.000001 + 1e-3);
        assert_true(fabs(step.residual - sqrt(error / (double)count)) < 1e-2);
        assert_true(near(step.jump, line_at(step.high, x[at]) - line_at(step.low, x[at])));
    }
}

TEST(noisy_step)
{
    enum { COUNT = 80 };
    double x[COUNT], y[COUNT];

    for (unsigned trial = 0; trial < 200; trial++) {
        size_t at = 5 + below(COUNT - 10);
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = (double)i;
            y[i] = (i < at ? 200 : 400) + 20 * (uniform() - 0.5);
        }
        struct step step = step_fit(x, y, COUNT, 3);
        assert_int_equal(step.first_high, at);
        assert_true(fabs(step.jump - 200) < 25);
        assert_true(step.residual > 3 && step.residual < 8); /* 20 / sqrt(12) */
    }
}

TEST(constant)
{
    static const double values[] = {0, 1, 412, 0.1, 1e9 / 7};
    double x[50], y[50];

    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t count = 2; count <= 50; count++) {
            for (size_t i = 0; i < count; i++) {
                x[i] = (double)i;
                y[i] = values[v];
            }
            struct step step = step_fit(x, y, count, 1);
            assert_in_range(step.first_high, 1, count - 1);
            assert_true(near(line_at(step.low, 0), values[v]));
            assert_true(near(line_at(step.high, 0), values[v]));
            assert_true(near(step.jump, 0) && near(step.residual, 0));
        }
}

TEST(too_few_points)
{
    static const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {3, 5, 3, 5, 3, 5};

    for (size_t side = 1; side <= 3; side++)
        for (size_t count = 0; count <= 6; count++)
            assert_int_equal(step_fit(x, y, count, side).first_high != 0, count >= 2 * side);
    struct step step = step_fit(x, y, 2, 1);
    assert_int_equal(step.first_high, 1);
    assert_true(near(step.jump, 2));
}

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

static struct row rows[ROWS_MAX];
static size_t row_count;

static void add_row(const char *experiment, const char *variant, unsigned n, unsigned k,
                    double median, double spread)
{
    assert_true(row_count < ROWS_MAX);
    struct row *row = &rows[row_count++];
    *row = (struct row){
        .n = n,
        .k = k,
        .bytes = ROW_NONE,
        .stage = ROW_NONE,
        .metric = "tsc",
        .unit = "ticks",
        .samples = 400,
        .min = median - 2 * spread,
        .p10 = median - spread,
        .median = median,
        .p90 = median + spread,
        .max = median + 9 * spread,
        .mean = median,
    };
    snprintf(row->experiment, sizeof row->experiment, "%s", experiment);
    snprintf(row->variant, sizeof row->variant, "%s", variant);
}

static void add_table(const struct model *m, const char *variant, struct range n, struct range k)
{
    for (unsigned i = n.first; i <= n.last; i += n.step)
        for (unsigned j = k.first; j <= k.last; j += k.step)
            add_row("mlp", variant, i, j, ticks_of(m, i, j), 2 + m->noise);
}

static struct verdict verdict_memory[64];
static struct verdict_list verdicts;

static const struct verdict *verdict_of(const char *name)
{
    for (size_t i = 0; i < verdicts.count; i++)
        if (strcmp(verdicts.at[i].name, name) == 0)
            return &verdicts.at[i];
    fail_msg("no verdict %s", name);
    return NULL;
}

static void judge(void)
{
    verdicts = (struct verdict_list){verdict_memory, 0, 64};
    mlp_judge(rows, row_count, &verdicts);
    assert_int_equal(verdicts.count, VERDICTS);
    for (size_t i = 0; i < VERDICTS; i++) {
        const struct verdict *v = &verdicts.at[i];
        assert_string_equal(v->experiment, "mlp");
        assert_string_equal(v->variant, rows[0].variant);
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

#define ASSERT_VERDICT(name, wanted_status, wanted)                                                \
    do {                                                                                           \
        const struct verdict *verdict_ = verdict_of(name);                                         \
        assert_int_equal(verdict_->status, wanted_status);                                         \
        assert_true(near(verdict_->value, wanted));                                                \
    } while (0)

#define ASSERT_NO_VALUE(name, wanted_status)                                                       \
    do {                                                                                           \
        const struct verdict *verdict_ = verdict_of(name);                                         \
        assert_int_equal(verdict_->status, wanted_status);                                         \
        assert_true(isnan(verdict_->value));                                                       \
    } while (0)

static const struct model haswell = {
    .rob = 192, .buffers = 10, .latency = 190, .timer = 30, .per_load = 8};
static const struct range some_loads = {1, 20, 1}, some_fillers = {0, 320, 8};

/* --- mlp_judge ------------------------------------------------------------------------------- */

TEST(verdict_names)
{
    judge_table(&haswell, some_loads, some_fillers);
    for (size_t i = 0; i < VERDICTS; i++) {
        const char *const *name = mlp_verdict_names;
        while (*name != NULL && strcmp(*name, verdicts.at[i].name) != 0)
            name++;
        assert_non_null(*name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(verdicts.at[j].name, verdicts.at[i].name);
    }
    assert_string_equal(verdict_of("one_load")->unit, "ticks");
    assert_string_equal(verdict_of("two_sequential")->unit, "ticks");
}

static void check_model(const struct model *m, struct range k)
{
    unsigned cliff = m->rob - 1; /* the first K that, with two loads, is more than the buffer */
    unsigned measured = (cliff - k.first + k.step - 1) / k.step * k.step + k.first;

    judge_table(m, (struct range){1, m->buffers + 4, 1}, k);
    ASSERT_VERDICT("one_load", VERDICT_OK, m->timer + m->latency);
    ASSERT_VERDICT("two_sequential", VERDICT_OK, m->timer + 2 * m->latency);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, measured);
    ASSERT_VERDICT("mlp", VERDICT_OK, m->buffers);
    ASSERT_VERDICT("time_at_mlp_plus_1", VERDICT_OK, ticks_of(m, m->buffers + 1, k.first));
    ASSERT_VERDICT("rob_entries", VERDICT_OK, measured + 1);
    ASSERT_VERDICT("fill_buffers", VERDICT_OK, m->buffers);
    const struct verdict *v = verdict_of("rob_cliff_k"), *rob = verdict_of("rob_entries");
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
        const struct verdict *cliff = verdict_of("rob_cliff_k"), *mlp = verdict_of("mlp");
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
    ASSERT_VERDICT("one_load", VERDICT_OK, m.timer + m.latency);
    ASSERT_NO_VALUE("two_sequential", VERDICT_DOUBT);
    ASSERT_NO_VALUE("rob_cliff_k", VERDICT_DOUBT);
    ASSERT_NO_VALUE("mlp", VERDICT_DOUBT);
    m.noise = 5;
    judge_table(&m, some_loads, some_fillers);
    ASSERT_NO_VALUE("rob_cliff_k", VERDICT_DOUBT);
    ASSERT_NO_VALUE("mlp", VERDICT_DOUBT);
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
        ASSERT_VERDICT("one_load", VERDICT_OK, 200);
        ASSERT_NO_VALUE("two_sequential", VERDICT_DOUBT);
        ASSERT_NO_VALUE("rob_cliff_k", VERDICT_DOUBT);
        ASSERT_NO_VALUE("mlp", VERDICT_DOUBT);
    }
    judge_curve(high_step, 40);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 160);
}

TEST(reasons_are_told_apart)
{
    char reason[VERDICT_METHOD_BYTES];

    judge_curve(spikes, 40);
    snprintf(reason, sizeof reason, "%s", verdict_of("rob_cliff_k")->method);
    judge_curve(low_step, 40);
    assert_string_not_equal(verdict_of("rob_cliff_k")->method, reason);
    /* Those that depend on it say why too. */
    assert_non_null(
        strstr(verdict_of("two_sequential")->method, verdict_of("rob_cliff_k")->method));
}

/* Two points on a side are too few to tell a jump from a slip; three are enough. */
TEST(jump_at_the_end)
{
    for (unsigned beyond = 1; beyond <= 4; beyond++) {
        judge_curve(high_step, 160 / 8 + beyond);
        if (beyond < 3)
            ASSERT_NO_VALUE("rob_cliff_k", VERDICT_DOUBT);
        else
            ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 160);
    }
    for (unsigned before = 1; before <= 4; before++) {
        row_count = 0;
        for (unsigned i = 0; i < 20; i++)
            add_row("mlp", "2m", 2, i, i < before ? 200 : 400, 1);
        judge();
        if (before < 3)
            ASSERT_NO_VALUE("rob_cliff_k", VERDICT_DOUBT);
        else
            ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, before);
    }
}

/* N = 2, 4, 8, 16: between 8 and 15 is all that can be said of ten buffers. */
TEST(loads_not_consecutive)
{
    row_count = 0;
    for (unsigned n = 1; n <= 32; n *= 2)
        add_table(&haswell, "2m", (struct range){n, n, 1}, some_fillers);
    judge();
    const struct verdict *mlp = verdict_of("mlp");
    assert_int_equal(mlp->status, VERDICT_DOUBT);
    assert_true(mlp->low == 8 && mlp->high == 15);
    assert_non_null(strstr(mlp->method, "8"));
}

TEST(only_two_loads)
{
    judge_table(&haswell, (struct range){2, 2, 1}, some_fillers);
    ASSERT_NO_VALUE("one_load", VERDICT_SKIP);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 192);
    ASSERT_VERDICT("two_sequential", VERDICT_OK, 410);
    const struct verdict *mlp = verdict_of("mlp");
    assert_true(mlp->status == VERDICT_DOUBT || mlp->status == VERDICT_SKIP);
    assert_true(isnan(mlp->value));
}

TEST(loads_too_few_to_reach)
{
    judge_table(&haswell, (struct range){1, 6, 1}, some_fillers);
    ASSERT_NO_VALUE("mlp", VERDICT_DOUBT);
    assert_true(verdict_of("mlp")->low == 6);
    assert_true(isnan(verdict_of("mlp")->high));
}

TEST(without_two_loads)
{
    judge_table(&haswell, (struct range){1, 1, 1}, some_fillers);
    ASSERT_VERDICT("one_load", VERDICT_OK, 220);
    ASSERT_NO_VALUE("rob_cliff_k", VERDICT_SKIP);
    ASSERT_NO_VALUE("two_sequential", VERDICT_SKIP);
    ASSERT_NO_VALUE("mlp", VERDICT_SKIP);
    judge_table(&haswell, (struct range){3, 20, 1}, some_fillers);
    ASSERT_NO_VALUE("one_load", VERDICT_SKIP);
    ASSERT_NO_VALUE("mlp", VERDICT_SKIP);
}

TEST(too_few_fillers)
{
    for (unsigned points = 1; points <= 6; points++) {
        row_count = 0;
        for (unsigned i = 0; i < points; i++)
            add_row("mlp", "2m", 2, i, i < 3 ? 200 : 400, 1);
        judge();
        if (points < 6)
            ASSERT_NO_VALUE("rob_cliff_k", VERDICT_SKIP);
        else
            ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 3);
    }
}

/* Points whose samples were all discarded say nothing; neither do other metrics. */
TEST(rows_without_samples)
{
    row_count = 0;
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
    ASSERT_VERDICT("one_load", VERDICT_OK, 220);
    ASSERT_VERDICT("mlp", VERDICT_OK, 10);
    ASSERT_VERDICT("two_sequential", VERDICT_OK, 410);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 200);
    assert_true(verdict_of("rob_cliff_k")->low <= 185);
}

TEST(no_row_with_samples)
{
    row_count = 0;
    add_table(&haswell, "2m", some_loads, some_fillers);
    for (size_t i = 0; i < row_count; i++)
        rows[i].samples = 0;
    judge();
    for (size_t i = 0; i < VERDICTS; i++)
        ASSERT_NO_VALUE(verdicts.at[i].name, VERDICT_SKIP);
}

TEST(no_rows)
{
    verdicts = (struct verdict_list){verdict_memory, 0, 64};
    mlp_judge(rows, 0, &verdicts);
    judge_results(rows, 0, &verdicts);
    assert_int_equal(verdicts.count, 0);
}

static void shuffle_rows(void)
{
    for (size_t i = row_count; i > 1; i--) {
        size_t j = below((uint32_t)i);
        struct row kept = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = kept;
    }
}

TEST(other_metrics)
{
    size_t points;

    row_count = 0;
    add_table(&haswell, "2m", some_loads, some_fillers);
    points = row_count;
    for (size_t i = 0; i < points; i++) {
        add_row("mlp", "2m", (unsigned)rows[i].n, (unsigned)rows[i].k, 1000 * uniform(), 1);
        strcpy(rows[row_count - 1].metric, i % 2 ? "cycles" : "zz");
    }
    shuffle_rows();
    judge();
    ASSERT_VERDICT("one_load", VERDICT_OK, 220);
    ASSERT_VERDICT("two_sequential", VERDICT_OK, 410);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, 192);
    ASSERT_VERDICT("mlp", VERDICT_OK, 10);
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

static void assert_method(const char *name, const char *piece)
{
    if (strstr(verdict_of(name)->method, piece) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", piece, verdict_of(name)->method);
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
    ASSERT_VERDICT("mlp", VERDICT_OK, 15);
    assert_true(verdict_of("mlp")->low == 15 && verdict_of("mlp")->high == 15);
    assert_method("mlp", "loads scatter: the fastest tenth of samples jumps");
    ASSERT_VERDICT("fill_buffers", VERDICT_DOUBT, 15);
    assert_method("fill_buffers", "loads scatter: the last N before the fastest tenth jumps");
}

TEST(time_of_scattered_loads)
{
    judge_scattering(&jumping);
    ASSERT_VERDICT("time_at_mlp_plus_1", VERDICT_OK, fast_with_jump(16));
    assert_method("time_at_mlp_plus_1", "tenth percentile of N = 16");
    /* What is not read over N stays with the medians. */
    ASSERT_VERDICT("one_load", VERDICT_OK, slow_line(1));
    ASSERT_VERDICT("two_sequential", VERDICT_OK, 380 + 60);
    ASSERT_VERDICT("rob_cliff_k", VERDICT_OK, SCATTERING_CLIFF);
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
        assert_int_equal(strstr(verdict_of("mlp")->method, "loads scatter") != NULL, scatter);
        assert_true(verdict_of("mlp")->value == (scatter ? 15 : 8));
        assert_true(verdict_of("time_at_mlp_plus_1")->value ==
                    (scatter ? fast_with_jump(16) : slow_line(9)));
        assert_method("time_at_mlp_plus_1", scatter ? "tenth percentile of" : "median of");
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
        ASSERT_VERDICT("mlp", VERDICT_OK, 15);
    }
}

TEST(scattered_bend)
{
    static const struct scattering bending = {fast_with_bend, slow_line, at_380, 60, 400};

    judge_scattering(&bending);
    ASSERT_VERDICT("fill_buffers", VERDICT_DOUBT, 12);
    assert_method("fill_buffers", "loads scatter: the fastest tenth bends upwards");
    assert_method("mlp", "loads scatter: the fastest tenth reaches two sequential");
    assert_int_equal(verdict_of("mlp")->value, 20);
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
    ASSERT_VERDICT("mlp", VERDICT_OK, 15);
    assert_method("mlp", "the fastest tenth of samples jumps");
    before_jump = 301;
    judge_scattering(&late);
    ASSERT_VERDICT("mlp", VERDICT_DOUBT, 17);
    assert_true(verdict_of("mlp")->low == 15); /* but MLP may still end there */
    assert_method("mlp", "the fastest tenth reaches two sequential");
    ASSERT_VERDICT("fill_buffers", VERDICT_DOUBT, 15);
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
        ASSERT_VERDICT("mlp", cases[i].status, 9);
        assert_int_equal(strstr(verdict_of("mlp")->method, "loads scatter") != NULL,
                         cases[i].scatters);
        assert_true(verdict_of("mlp")->low == cases[i].low);
        assert_true(verdict_of("mlp")->high == cases[i].high);
        assert_int_equal(verdict_of("time_at_mlp_plus_1")->status, cases[i].status);
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
    ASSERT_VERDICT("two_sequential", VERDICT_OK, 360);
    ASSERT_VERDICT("mlp", VERDICT_OK, 4); /* fast_line(5) is 300 */
    ASSERT_VERDICT("time_at_mlp_plus_1", VERDICT_OK, 300);
    assert_method("time_at_mlp_plus_1", "tenth percentile of N = 5");
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
    ASSERT_VERDICT("mlp", VERDICT_DOUBT, 9);
    assert_true(verdict_of("mlp")->low == 8 && verdict_of("mlp")->high == 11);
    uneven.beyond = at_400;
    judge_scattering(&uneven);
    ASSERT_VERDICT("mlp", VERDICT_OK, 9);
}

/* --- chains ---------------------------------------------------------------------------------- */

static void judge_chain(double (*median)(unsigned n), unsigned lengths)
{
    row_count = 0;
    for (unsigned n = 1; n <= lengths; n++)
        add_row("mlp", "2m-dependent", n, 0, median(n), 1);
    shuffle_rows();
    verdicts = (struct verdict_list){verdict_memory, 0, 64};
    mlp_judge(rows, row_count, &verdicts);
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
    assert_true(chain_is("2m-dependent") && chain_is("4k-cold-dependent"));
    assert_false(chain_is("2m") || chain_is("dependent") || chain_is("2m-dependent-x"));
    assert_false(chain_is(""));
    judge_chain(straight, 12);
    ASSERT_VERDICT("sequential_slope", VERDICT_OK, 190.5);
    ASSERT_VERDICT("sequential_constant", VERDICT_OK, 45);
    judge_chain(straight, 3);
    ASSERT_VERDICT("sequential_slope", VERDICT_OK, 190.5);
    judge_chain(straight, 2);
    ASSERT_NO_VALUE("sequential_slope", VERDICT_SKIP);
    ASSERT_NO_VALUE("sequential_constant", VERDICT_SKIP);
    judge_chain(bent, 12);
    assert_int_equal(verdict_of("sequential_slope")->status, VERDICT_DOUBT);
    assert_int_equal(verdict_of("sequential_constant")->status, VERDICT_DOUBT);
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
        const struct verdict *m = verdict_of("sequential_slope");
        const struct verdict *c = verdict_of("sequential_constant");
        slopes += m->low <= 190.5 && 190.5 <= m->high;
        constants += c->low <= 45 && 45 <= c->high;
    }
    assert_in_range(slopes, trials * 88 / 100, trials * 995 / 1000);
    assert_in_range(constants, trials * 88 / 100, trials * 995 / 1000);
}

/* --- judge_results --------------------------------------------------------------------------- */

/* An experiment that tells what it was given: how many rows, and whether in order. */
static void count_rows(const struct row *given, size_t count, struct verdict_list *list)
{
    assert_true(list->count < list->room);
    struct verdict *v = &list->at[list->count++];
    *v = (struct verdict){.name = "rows", .value = (double)count};
    strcpy(v->experiment, given->experiment);
    strcpy(v->variant, given->variant);
    for (size_t i = 1; i < count; i++) {
        const struct row *a = &given[i - 1], *b = &given[i];
        assert_string_equal(b->experiment, given->experiment);
        assert_string_equal(b->variant, given->variant);
        int64_t before[] = {a->n, a->k, a->bytes, a->stage};
        int64_t after[] = {b->n, b->k, b->bytes, b->stage};
        unsigned same = 0;
        while (same < 4 && before[same] == after[same])
            same++;
        assert_true(same == 4 || before[same] < after[same]);
    }
}

/* In place of the table of experiments. */
const struct experiment *experiment_find(const char *name)
{
    static const struct experiment mlp = {
        .name = "mlp", .judge = mlp_judge, .compare = mlp_compare};
    static const struct experiment array = {.name = "array", .judge = count_rows};

    return strcmp(name, "mlp") == 0 ? &mlp : strcmp(name, "array") == 0 ? &array : NULL;
}

static void add_array(const char *variant, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        add_row("array", variant, i % 3, 0, 10 * i, 1);
        rows[row_count - 1].k = ROW_NONE;
        rows[row_count - 1].bytes = (int64_t)1024 << i % 5;
        rows[row_count - 1].stage = i % 2;
    }
}

static void add_everything(void)
{
    struct model other = haswell;

    other.rob = 100;
    other.buffers = 5;
    row_count = 0;
    add_table(&haswell, "2m", some_loads, some_fillers);
    add_array("2m", 60);
    add_row("mystery", "2m", 1, 1, 1, 1);
    add_table(&other, "4k", some_loads, some_fillers);
    add_array("1g", 17);
    add_row("mystery", "4k", 1, 1, 1, 1);
}

static void judge_everything(struct verdict *memory, size_t room)
{
    verdicts = (struct verdict_list){memory, 0, room};
    judge_results(rows, row_count, &verdicts);
}

/* Experiments by their first rows, in each the cases by theirs, then what compares cases. */
TEST(groups_in_order)
{
    static const char *const wanted[] = {
        "mlp 2m", "mlp 4k", "mlp 2m overhead", "mlp 4k overhead", "array 2m rows", "array 1g rows",
    };
    size_t at = 0;

    add_everything();
    judge_everything(verdict_memory, 64);
    for (size_t i = 0; i < 6; i++) {
        bool is_case = i < 2;
        for (unsigned j = 0; j < (is_case ? VERDICTS : 1); j++) {
            char seen[128];
            const struct verdict *v = &verdicts.at[at++];
            snprintf(seen, sizeof seen, is_case ? "%s %s" : "%s %s %s", v->experiment, v->variant,
                     v->name);
            assert_string_equal(seen, wanted[i]);
        }
    }
    assert_int_equal(verdicts.count, at);
    assert_true(verdicts.at[at - 2].value == 60);
    assert_true(verdicts.at[at - 1].value == 17);
}

/* The second case's time of eleven loads against the first's, whose MLP is ten. */
TEST(overhead)
{
    add_everything();
    judge_everything(verdict_memory, 64);
    double here = 30 + 3 * 190 + 80, there = 30 + 2 * 190 + 80;
    unsigned found = 0;
    for (size_t i = 0; i < verdicts.count; i++) {
        const struct verdict *v = &verdicts.at[i];
        if (strcmp(v->name, "mlp") == 0)
            assert_true(v->value == (strcmp(v->variant, "2m") == 0 ? 10 : 5));
        if (strcmp(v->name, "overhead") != 0)
            continue;
        found++;
        assert_int_equal(v->status, VERDICT_OK);
        assert_true(near(v->value, strcmp(v->variant, "2m") == 0 ? 0 : (here / there - 1) * 100));
    }
    assert_int_equal(found, 2);
}

/* The verdict of that name and case. */
static const struct verdict *overhead_of(const char *variant)
{
    for (size_t i = 0; i < verdicts.count; i++)
        if (strcmp(verdicts.at[i].name, "overhead") == 0 &&
            strcmp(verdicts.at[i].variant, variant) == 0)
            return &verdicts.at[i];
    fail_msg("no overhead of %s", variant);
    return NULL;
}

TEST(no_overhead)
{
    struct model flat = haswell;

    flat.rob = 100000;
    row_count = 0; /* the first case has no MLP */
    add_table(&flat, "2m", some_loads, some_fillers);
    add_table(&haswell, "4k", some_loads, some_fillers);
    judge_everything(verdict_memory, 64);
    assert_int_equal(overhead_of("2m")->status, VERDICT_SKIP);
    assert_int_equal(overhead_of("4k")->status, VERDICT_SKIP);
    assert_true(isnan(overhead_of("4k")->value));
    assert_true(overhead_of("4k")->method[0] != '\0');

    row_count = 0; /* the second has not so many loads */
    add_table(&haswell, "2m", some_loads, some_fillers);
    add_table(&haswell, "4k", (struct range){1, 10, 1}, some_fillers);
    judge_everything(verdict_memory, 64);
    assert_int_equal(overhead_of("2m")->status, VERDICT_OK);
    assert_int_equal(overhead_of("4k")->status, VERDICT_SKIP);
    assert_non_null(strstr(overhead_of("4k")->method, "11"));
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
        assert_method("one_load", cases[i].ordering);
        assert_method("two_sequential", cases[i].ordering);
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
        assert_string_equal(rows[0].variant, cases[i]);
        verdicts = (struct verdict_list){verdict_memory, 0, 64};
        mlp_judge(rows, row_count, &verdicts);
        assert_int_equal(verdicts.count, 2);
        assert_string_equal(verdicts.at[0].variant, cases[i]);
        ASSERT_VERDICT("sequential_slope", VERDICT_OK, 190.5);
        ASSERT_VERDICT("sequential_constant", VERDICT_OK, 45);
    }
}

/* What the published ordering costs is its overhead against the other; chains have none. */
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
        judge_everything(verdict_memory, 64);
        assert_int_equal(verdicts.count, 2 * VERDICTS + 2 * 2 + 2);
        for (unsigned i = 0; i < 2; i++) {
            const struct verdict *v = overhead_of(tables[i]);
            assert_int_equal(v->status, VERDICT_OK);
            assert_true(near(v->value, (time[i] / time[first] - 1) * 100));
            assert_string_equal(strstr(v->method, "against"),
                                first == 0 ? "against case 2m" : "against case 2m-cpuid");
        }
    }
}

static bool same_verdict(const struct verdict *a, const struct verdict *b)
{
    const double x[] = {a->value, a->low, a->high}, y[] = {b->value, b->low, b->high};

    for (unsigned i = 0; i < 3; i++)
        if (!(isnan(x[i]) && isnan(y[i])) && !near(x[i], y[i]))
            return false;
    return strcmp(a->experiment, b->experiment) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->name, b->name) == 0 && a->status == b->status &&
           strcmp(a->method, b->method) == 0;
}

static bool first_case_is(const char *variant)
{
    size_t i = 0;

    while (strcmp(rows[i].experiment, "mlp") != 0)
        i++;
    return strcmp(rows[i].variant, variant) == 0;
}

TEST(order_does_not_matter)
{
    /* Which case comes first decides what overhead is against: it keeps its first row. */
    struct verdict sorted[64];
    size_t sorted_count;

    add_everything();
    judge_everything(sorted, 64);
    sorted_count = verdicts.count;
    for (unsigned trial = 0; trial < 5; trial++) {
        add_everything();
        do
            shuffle_rows();
        while (!first_case_is("2m"));
        judge_everything(verdict_memory, 64);
        assert_int_equal(verdicts.count, sorted_count);
        for (size_t i = 0; i < sorted_count; i++) {
            unsigned matches = 0;
            for (size_t j = 0; j < sorted_count; j++)
                matches += same_verdict(&sorted[i], &verdicts.at[j]);
            assert_int_equal(matches, 1);
        }
    }
}

/* No row is lost or made up by sorting. */
TEST(rows_are_kept)
{
    double sum = 0, sum_after = 0;

    add_everything();
    for (size_t i = 0; i < row_count; i++)
        sum += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    judge_everything(verdict_memory, 64);
    for (size_t i = 0; i < row_count; i++)
        sum_after += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    assert_true(near(sum, sum_after));
}

TEST(only_unknown)
{
    row_count = 0;
    add_row("mystery", "2m", 1, 1, 1, 1);
    add_row("mystery", "2m", 2, 1, 1, 1);
    judge_everything(verdict_memory, 64);
    assert_int_equal(verdicts.count, 0);
}

/* What fits in a list too short is as it would be; nothing beyond is touched. */
static void check_short_lists(void)
{
    struct verdict whole[VERDICTS], list[VERDICTS + 1], guard;

    verdicts = (struct verdict_list){whole, 0, VERDICTS};
    mlp_judge(rows, row_count, &verdicts);
    memset(&guard, 0xa5, sizeof guard);
    for (size_t room = 0; room <= VERDICTS; room++) {
        memset(list, 0xa5, sizeof list);
        verdicts = (struct verdict_list){list, 0, room};
        mlp_judge(rows, row_count, &verdicts);
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
    row_count = 0;
    add_table(&haswell, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_table(&flat, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_table(&haswell, "2m", (struct range){1, 1, 1}, some_fillers);
    check_short_lists();
}
