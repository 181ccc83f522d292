/* test_mlp_rule: the rule, on tables from a model whose answers are known. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 8 /* of one case */
#define HIT 5      /* ticks of a load that hits */

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

/* A row of another metric than the table's. */
static struct row *add_other(const char *variant, const char *metric, unsigned n, unsigned k,
                             double ticks)
{
    struct row *row = rows_add("mlp", variant, n, k, ticks);
    rows_spread(row, 1);
    strcpy(row->metric, metric);
    return row;
}

/* What a run measures beside its table: the same loads in the caches, looks back at both sides of
 * both jumps, NOPs of eight bytes, loads that hit, and many loads. */
static void add_controls(const struct model *m, const char *variant, unsigned least_k)
{
    const unsigned sides[] = {m->rob / 2, m->rob + 60};
    add_other(variant, LOADS_CACHED, 1, least_k, m->timer + HIT);
    add_other(variant, LOADS_HITS, 2, m->buffers, ticks_of(m, 2, 0));
    for (unsigned i = 0; i < 2; i++) {
        add_other(variant, LOADS_AGAIN, 2, sides[i], ticks_of(m, 2, sides[i]));
        add_other(variant, LOADS_LONG_NOPS, 2, sides[i], ticks_of(m, 2, sides[i]));
    }
    for (unsigned n = m->buffers; n <= m->buffers + 2; n++)
        if (n != 2 || least_k != sides[0])
            add_other(variant, LOADS_AGAIN, n, least_k, ticks_of(m, n, 0));
    for (unsigned times = 2; times <= 4; times++)
        add_other(variant, LOADS_MANY, times * m->buffers, least_k,
                  ticks_of(m, times * m->buffers, 0));
}

/* As a run leaves it. */
static void add_case(const struct model *m, const char *variant, struct range n, struct range k)
{
    add_table(m, variant, n, k);
    add_controls(m, variant, k.first);
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
    add_case(m, "2m", n, k);
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

/* A jump at the same K says that a NOP takes an entry; one elsewhere, that some share one. */
TEST(long_nops)
{
    static const unsigned ks[] = {170, 180, 200, 210};
    for (unsigned each = 1; each <= 2; each++) {
        row_count = 0;
        add_case(&haswell, "2m", some_loads, some_fillers);
        for (unsigned i = 0; i < 4; i++)
            add_other("2m", LOADS_LONG_NOPS, 2, ks[i], ticks_of(&haswell, 2, ks[i] * each));
        judge();
        const struct verdict *v =
            assert_status(NULL, "rob_entries", each == 1 ? VERDICT_OK : VERDICT_DOUBT);
        assert_true(v->value == 193);
        assert_int_equal(strstr(v->method, "some share an entry") != NULL, each == 2);
        assert_status(NULL, "rob_cliff_k", VERDICT_OK);
    }
}

static void drop(const char *metric)
{
    size_t kept = 0;
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].metric, metric) != 0)
            rows[kept++] = rows[i];
    row_count = kept;
}

/* On one side alone they say nothing; a table of old, without visits, has none and is believed. */
TEST(long_nops_that_are_missing)
{
    for (unsigned is_old = 0; is_old < 2; is_old++)
        for (unsigned beside = 0; beside <= 2; beside++) {
            row_count = 0;
            add_case(&haswell, "2m", some_loads, some_fillers);
            drop(LOADS_LONG_NOPS);
            for (unsigned i = 0; i < beside; i++)
                add_other("2m", LOADS_LONG_NOPS, 2, 170 + i, ticks_of(&haswell, 2, 170 + i));
            if (is_old)
                rows_age(rows, row_count);
            judge();
            assert_status(NULL, "rob_entries", is_old ? VERDICT_OK : VERDICT_DOUBT);
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
    assert_verdict(NULL, "mlp_sustained", VERDICT_OK,
                   m->latency / (m->latency / m->buffers + m->per_load));
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
    add_other("2m", LOADS_CACHED, 1, 0, 20);
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

/* One point on a side is too few to tell a jump from a slip; two are enough where nothing else
 * explains them. */
TEST(jump_at_the_end)
{
    for (unsigned beyond = 1; beyond <= 4; beyond++) {
        judge_curve(high_step, 160 / 8 + beyond);
        if (beyond < 2)
            assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, NAN);
        else
            assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 160);
    }
    for (unsigned before = 1; before <= 4; before++) {
        row_count = 0;
        for (unsigned i = 0; i < 20; i++)
            add_row("mlp", "2m", 2, i, i < before ? 200 : 400, 1);
        judge();
        if (before < 2)
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
    add_controls(&haswell, "2m", 0);
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
    add_controls(&haswell, "2m", 8);
    judge();
    assert_verdict(NULL, "one_load", VERDICT_OK, 220);
    assert_verdict(NULL, "mlp", VERDICT_OK, 10);
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 410);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 200);
    assert_true(verdict_of(NULL, "rob_cliff_k")->low <= 185);
}

TEST(no_row_with_samples)
{
    add_case(&haswell, "2m", some_loads, some_fillers);
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

    add_case(&haswell, "2m", some_loads, some_fillers);
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

#define CLIFF 192

/* A point by its first percentile, first decile and centre. */
static struct row *add_wide(const char *metric, unsigned n, unsigned k, double p1, double p10,
                            double center)
{
    struct row *row = add_other("2m", metric, n, k, center);
    rows_spread(row, center - p10);
    row->min = row->p1 = p1;
    return row;
}

/* A machine whose loads from memory scatter: so long take the fastest of N loads, and the usual. */
struct scattering {
    double (*fastest)(unsigned n);
    double (*fast)(unsigned n);
    double (*center)(unsigned n);
};

/* With all that a run measures beside, of so many buffers. */
static void add_scattering(const struct scattering *s, unsigned buffers)
{
    row_count = 0;
    for (unsigned n = 1; n <= 24; n++)
        add_wide("tsc", n, 0, s->fastest(n), s->fast(n), s->center(n));
    for (unsigned k = 8; k <= 320; k += 8)
        add_wide("tsc", 2, k, k < CLIFF ? 220 : 370, k < CLIFF ? 222 : 380, k < CLIFF ? 282 : 440);
    for (unsigned n = buffers; n <= buffers + 2; n++)
        add_wide(LOADS_AGAIN, n, 0, s->fastest(n), s->fast(n), s->center(n));
    add_other("2m", LOADS_CACHED, 1, 0, 30);
    add_other("2m", LOADS_HITS, 2, buffers, 282);
    add_other("2m", LOADS_LONG_NOPS, 2, 100, 282);
    add_other("2m", LOADS_LONG_NOPS, 2, 300, 440);
}

static double jump_at_15(unsigned n)
{
    return 220 + n + (n > 15 ? 170 : 0);
}

/* Of the fastest tenth: where few samples are fast beyond the jump, it comes that much later. */
static unsigned later;
static double jump_later(unsigned n)
{
    return 225 + n + (n > 15 + later ? 170 : 0);
}

/* Reaches two in turn, 0.97 * 440, at N = 9, without a jump: some load is slow. */
static double slow_line(unsigned n)
{
    return 260 + 20 * n;
}

static double a_line(unsigned n)
{
    return 200 + 10 * n;
}

static const struct scattering jumping = {jump_at_15, jump_later, slow_line};

/* Means tell how many loads overlap; the fastest samples, how many there is room for. */
TEST(scattered_loads)
{
    later = 0;
    add_scattering(&jumping, 15);
    judge();
    assert_verdict(NULL, "mlp", VERDICT_OK, 8);
    assert_words(NULL, "mlp", "loads scatter, and the slowest of N counts");
    assert_verdict(NULL, "time_at_mlp_plus_1", VERDICT_OK, slow_line(9));
    assert_verdict(NULL, "fill_buffers", VERDICT_OK, 15);
    assert_verdict(NULL, "one_load", VERDICT_OK, slow_line(1));
    assert_verdict(NULL, "two_sequential", VERDICT_OK, 440);
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, CLIFF);
}

/* The mean, whatever the median says: a few slow samples of many raise it. */
TEST(mlp_is_of_means)
{
    later = 0;
    add_scattering(&jumping, 15);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].k == 0 && rows[i].n == 6)
            rows[i].mean = rows[i].max = 430;
    judge();
    assert_true(verdict_of(NULL, "mlp")->value == 5);
    assert_true(verdict_of(NULL, "time_at_mlp_plus_1")->value == 430);
}

static void set_deciles(int64_t n, int64_t k, double apart)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == n && rows[i].k == k && strcmp(rows[i].metric, "tsc") == 0)
            rows[i].p90 = rows[i].p10 + apart * rows[i].median;
}

/* Deciles 0.3076 of a median apart are a deviation of 0.12 of it: those of one load decide, with
 * the smallest K. */
TEST(when_loads_scatter)
{
    for (int64_t n = 1; n <= 2; n++)
        for (unsigned wide = 0; wide < 2; wide++) {
            later = 0;
            add_scattering(&jumping, 15);
            add_row("mlp", "2m", 1, 80, slow_line(1), wide ? 1 : 80);
            set_deciles(1, 0, n == 1 && wide ? 0.309 : 0.306);
            set_deciles(2, 0, wide ? 0.309 : 0.306);
            judge();
            bool is_said = strstr(verdict_of(NULL, "mlp")->method, "loads scatter") != NULL;
            assert_int_equal(is_said, n == 1 && wide);
        }
}

/* The fastest tenth may jump one N away, which is in the interval, and no farther. */
TEST(buffers_by_the_fastest_tenth)
{
    for (later = 0; later < 3; later++) {
        add_scattering(&jumping, 15);
        judge();
        assert_verdict(NULL, "fill_buffers", later < 2 ? VERDICT_OK : VERDICT_DOUBT, 15);
        assert_true(verdict_of(NULL, "fill_buffers")->low == 15);
        assert_true(verdict_of(NULL, "fill_buffers")->high == 15 + later);
    }
    assert_words(NULL, "fill_buffers", "the fastest tenth of the samples jumps elsewhere");
}

TEST(buffers_that_are_not_reached)
{
    static const struct scattering rising = {a_line, a_line, slow_line};
    add_scattering(&rising, 15);
    judge();
    assert_no_value(NULL, "fill_buffers", VERDICT_DOUBT,
                    "up to N = 24 the fastest samples do not jump");
    assert_status(NULL, "mlp_sustained", VERDICT_SKIP);
    row_count = 0;
    for (unsigned n = 1; n <= 3; n++)
        add_wide("tsc", n, 0, a_line(n), a_line(n), slow_line(n));
    judge();
    assert_no_value(NULL, "fill_buffers", VERDICT_SKIP, "needs four values of N or more");
}

/* --- controls of single verdicts -------------------------------------------------------------- */

static void add_haswell(void)
{
    row_count = 0;
    add_case(&haswell, "2m", some_loads, some_fillers);
}

/* One load has to be slower than the same in the caches, by a tenth of it. */
TEST(one_load_against_the_caches)
{
    for (unsigned i = 0; i < 2; i++) {
        add_haswell();
        struct row *cached = rows_find(LOADS_CACHED, 1);
        rows_center(cached, (220 - 1) / (i == 0 ? 1.12 : 1.08));
        rows_spread(cached, 1);
        judge();
        assert_verdict(NULL, "one_load", i == 0 ? VERDICT_OK : VERDICT_DOUBT, 220);
    }
    assert_words(NULL, "one_load", "no slower than without the eviction");
    drop(LOADS_CACHED);
    judge();
    assert_says(NULL, "one_load", VERDICT_DOUBT, "the same load was not measured in the caches");
    rows_age(rows, row_count);
    judge();
    assert_verdict(NULL, "one_load", VERDICT_OK, 220);
}

/* So much slower in every other part of the memory, each of 16 visits with such an error. */
static void add_places(double slower, double error)
{
    for (unsigned place = 1; place <= 4; place++) {
        struct row *row = add_other("2m", LOADS_PLACE, 1, 0, 220 + (place % 2 ? 0 : slower));
        row->stage = place;
        rows_visits(row, 16, error);
    }
}

/* Where places in memory differ, another run may get any of them. */
TEST(one_load_by_its_place)
{
    add_haswell();
    judge();
    double own = verdict_of(NULL, "one_load")->high - 220;
    assert_null(strstr(verdict_of(NULL, "one_load")->method, "places"));
    add_places(2, 3);
    judge();
    assert_says(NULL, "one_load", VERDICT_OK, "no difference between places in memory");
    assert_true(near(verdict_of(NULL, "one_load")->high - 220, own));
    add_haswell();
    add_places(40, 0.5);
    judge();
    const struct verdict *v =
        assert_says(NULL, "one_load", VERDICT_OK, "places in memory differ by");
    assert_true(v->high > 220 + 63 && v->high < 220 + 75 && v->low < 220 - 63);
    add_haswell();
    add_places(40, 0.5);
    for (size_t i = 0; i < row_count; i++) /* one visit tells nothing of its error */
        if (strcmp(rows[i].metric, LOADS_PLACE) == 0)
            rows_visits(&rows[i], 1, NAN);
    judge();
    assert_null(strstr(verdict_of(NULL, "one_load")->method, "places"));
}

static void assert_buffers_doubted(const char *words)
{
    judge();
    assert_verdict(NULL, "fill_buffers", VERDICT_DOUBT, 10);
    assert_words(NULL, "fill_buffers", words);
}

/* The loads around the jump once more: each of the three has to be there, and to jump. */
TEST(buffers_measured_again)
{
    static const char no_jump[] = "measured again, the loads around it do not jump";
    for (unsigned lost = 0; lost < 3; lost++) {
        add_haswell();
        rows_find(LOADS_AGAIN, 10 + lost)->samples = 0;
        assert_buffers_doubted(no_jump);
    }
    add_haswell(); /* a rise of a fifth of one load's time is none */
    rows_center(rows_find(LOADS_AGAIN, 12), ticks_of(&haswell, 10, 0) + 0.19 * 220);
    rows_spread(rows_find(LOADS_AGAIN, 12), 1);
    assert_buffers_doubted(no_jump);
    add_haswell(); /* and the first step of it has to be a third */
    rows_center(rows_find(LOADS_AGAIN, 11), ticks_of(&haswell, 10, 0) + 60);
    rows_spread(rows_find(LOADS_AGAIN, 11), 1);
    assert_buffers_doubted(no_jump);
    rows_center(rows_find(LOADS_AGAIN, 11), ticks_of(&haswell, 10, 0) + 80);
    rows_spread(rows_find(LOADS_AGAIN, 11), 1);
    judge();
    assert_verdict(NULL, "fill_buffers", VERDICT_OK, 10);
}

/* A limit of loads of any kind is no fill buffer. */
TEST(buffers_against_loads_that_hit)
{
    add_haswell();
    rows_center(rows_find(LOADS_HITS, 2), 400);
    assert_buffers_doubted("as many loads that hit the caches have to wait, too");
    rows_center(rows_find(LOADS_HITS, 2), 220);
    rows_find(LOADS_HITS, 2)->k = 9; /* when the jump was one before */
    judge();
    assert_verdict(NULL, "fill_buffers", VERDICT_OK, 10);
    rows_find(LOADS_HITS, 2)->k = 8; /* the other state's, say */
    assert_buffers_doubted("loads that hit the caches were not compared");
    drop(LOADS_HITS);
    assert_buffers_doubted("loads that hit the caches were not compared");
    rows_age(rows, row_count);
    judge();
    assert_verdict(NULL, "fill_buffers", VERDICT_OK, 10);
}

/* Where nothing is clear over K, a jump over N may be chance as well. */
TEST(buffers_where_all_scatters)
{
    double up = 80;
    add_haswell();
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 2 && rows[i].k > 0 && strcmp(rows[i].metric, "tsc") == 0) {
            rows_center(&rows[i], (rows[i].k < 100 ? 220 : 410) + (up = -up));
            rows_spread(&rows[i], 2);
        }
    assert_buffers_doubted("the samples scatter too much to show a jump over K");
    assert_words(NULL, "rob_cliff_k", "no clear jump");
}

/* As many loads as there are entries have to wait for one of those. */
TEST(buffers_that_fill_the_rob)
{
    for (unsigned rob = 14; rob >= 13; rob--) {
        struct model small = haswell;
        small.rob = rob;
        row_count = 0;
        add_table(&small, "2m", some_loads, (struct range){0, 40, 1});
        for (size_t i = 0; i < row_count; i++) /* nothing else ends at N = 10 */
            if (rows[i].k == 0) {
                rows_center(&rows[i], ticks_of(&haswell, (unsigned)rows[i].n, 0));
                rows_spread(&rows[i], 2);
            }
        add_controls(&haswell, "2m", 0);
        drop(LOADS_LONG_NOPS);
        judge();
        assert_status(NULL, "fill_buffers", rob == 13 ? VERDICT_DOUBT : VERDICT_OK);
        assert_true(verdict_of(NULL, "rob_cliff_k")->value == rob - 1);
    }
    assert_words(NULL, "fill_buffers", "as many loads fill the reorder buffer");
}

/* A jump that later looks do not find where it was is of another moment. */
TEST(jump_that_moved)
{
    add_haswell();
    rows_center(rows_find(LOADS_AGAIN, 2), 410); /* before it, and slow */
    judge();
    assert_verdict(NULL, "rob_cliff_k", VERDICT_DOUBT, CLIFF);
    assert_says(NULL, "rob_entries", VERDICT_DOUBT, "later looks at the jump disagree");
}

/* Nothing is asked of what lies within the bracket, or of another attempt. */
TEST(jump_that_only_seems_to_move)
{
    add_haswell();
    add_other("2m", LOADS_AGAIN, 2, 188, 410);
    add_other("2m", LOADS_AGAIN, 2, 100, 410)->stage = 2;
    add_other("2m", LOADS_AGAIN, 2, 108, 410)->samples = 4;
    judge();
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, CLIFF);
}

/* Fast and slow samples that jump elsewhere than the centre: in two states at once. */
TEST(jump_of_fast_and_slow_samples)
{
    for (unsigned which = 0; which < 3; which++) {
        add_haswell();
        for (size_t i = 0; i < row_count; i++) {
            struct row *row = &rows[i];
            if (row->n != 2 || strcmp(row->metric, "tsc") != 0)
                continue;
            if (which == 1 && row->k >= 128 && row->k < CLIFF)
                row->p90 = row->max = 420;
            if (which == 2 && row->k >= CLIFF && row->k < 256)
                row->min = row->p1 = row->p10 = 215;
        }
        judge();
        const struct verdict *v =
            assert_status(NULL, "rob_cliff_k", which == 0 ? VERDICT_OK : VERDICT_DOUBT);
        assert_true(v->value == CLIFF);
        assert_true(which == 1 ? v->low <= 128 : which == 2 ? v->high >= 256 : v->low > 180);
    }
    assert_words(NULL, "rob_cliff_k", "the jump is open");
}

/* The curve of the last attempt is the one that counts. */
TEST(the_last_attempt)
{
    struct model moved = haswell;
    moved.rob = 128;
    add_haswell();
    for (unsigned k = 0; k <= 320; k += 8)
        rows_add("mlp", "2m", 2, k, ticks_of(&moved, 2, k))->stage = 2;
    drop(LOADS_LONG_NOPS);
    judge();
    assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 128);
    add_other("2m", LOADS_AGAIN, 2, 160, 222)->stage = 2;
    judge();
    assert_says(NULL, "rob_cliff_k", VERDICT_DOUBT, "in the last of 4 attempts");
}

/* --- Little's law ----------------------------------------------------------------------------- */

static void set_many(unsigned times, double ticks)
{
    rows_center(rows_find(LOADS_MANY, 10 * times), ticks);
    rows_spread(rows_find(LOADS_MANY, 10 * times), 1);
}

TEST(sustained)
{
    add_haswell();
    set_many(2, 1000);
    set_many(3, 1190);
    set_many(4, 1380); /* 19 ticks for each load more, as long as ten buffers are */
    judge();
    assert_verdict(NULL, "mlp_sustained", VERDICT_OK, 10);
    assert_words(NULL, "mlp_sustained", "over 19.0 ticks for each load more");
    assert_string_equal(verdict_of(NULL, "mlp_sustained")->unit, "loads");
    set_many(3, 1190 + 100); /* off a straight line by more than a third of it */
    judge();
    assert_verdict(NULL, "mlp_sustained", VERDICT_DOUBT, 10);
    set_many(3, 1190 + 400);
    judge();
    assert_no_value(NULL, "mlp_sustained", VERDICT_DOUBT, "does not rise clearly with N");
    rows_find(LOADS_MANY, 20)->samples = rows_find(LOADS_MANY, 30)->samples = 0;
    judge();
    assert_no_value(NULL, "mlp_sustained", VERDICT_SKIP, "two to four times as many loads");
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
    add_case(&haswell, "2m", some_loads, some_fillers);
    add_case(&other, "4k", some_loads, some_fillers);
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
    add_case(&flat, "2m", some_loads, some_fillers);
    add_case(&haswell, "4k", some_loads, some_fillers);
    judge_all_rows();
    assert_status("2m", "overhead", VERDICT_SKIP);
    assert_verdict("4k", "overhead", VERDICT_SKIP, NAN);

    row_count = 0; /* the second has not so many loads */
    add_case(&haswell, "2m", some_loads, some_fillers);
    add_case(&haswell, "4k", (struct range){1, 10, 1}, some_fillers);
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
        add_case(&haswell, cases[i].variant, some_loads, some_fillers);
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
            add_case(which == 0 ? &haswell : &slower, tables[which], some_loads, some_fillers);
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

    verdicts = (struct verdict_list){.at = whole, .room = VERDICTS};
    rows_judge(rows, row_count, mlp_judge, &verdicts);
    memset(&guard, 0xa5, sizeof guard);
    for (size_t room = 0; room <= VERDICTS; room++) {
        memset(list, 0xa5, sizeof list);
        verdicts = (struct verdict_list){.at = list, .room = room};
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
    add_case(&haswell, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_case(&flat, "2m", some_loads, some_fillers);
    check_short_lists();
    row_count = 0;
    add_case(&haswell, "2m", (struct range){1, 1, 1}, some_fillers);
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
                add_case(&haswell, cases[plainer[i]], (struct range){1, 12, 1},
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
        add_case(&haswell, "2m", some_loads, some_fillers);
        add_case(&haswell, "2m-dependent", some_loads, (struct range){0, 0, 1});
        for (size_t j = 0; j < row_count; j++) {
            rows_center(&rows[j], times[i] - (rows[j].n == 2 && rows[j].k < 96 ? 100 * i : 0));
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
        add_case(&haswell, "2m", some_loads, some_fillers);
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
        add_case(&haswell, labels[i], some_loads, some_fillers);
        assert_true(rows[0].of.label[0] != '\0');
        judge();
        assert_verdict(NULL, "mlp", VERDICT_OK, 10);
        assert_verdict(NULL, "rob_cliff_k", VERDICT_OK, 192);
    }
}
