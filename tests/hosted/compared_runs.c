/* compared_runs: pairs the verdicts of two runs, compares pairs by the rule, finds conditions. */
#include "compared_runs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "stored_summary.h"

#define SAME_RATE 1e-3 /* two measured rates of one counter differ by less */

/* --- conditions --- */

/* Members of run.json that describe a run's conditions; a dot at the end means all that begin so.
 */
static const char *const conditions[] = {
    "version",
    "platform",
    "tsc_hz",
    "machine.id",
    "machine.cores.",
    "machine.system.",
    "machine.board.",
    "machine.bios.",
    "machine.processors.",
    "machine.memory.",
    "processor.",
    "hypervisor.name",
    "firmware.",
    "linux.kernel",
    "linux.cpu",
    "linux.smt",
    "linux.isolated_cpus",
    "linux.clocksource",
    "linux.transparent_hugepage",
    "linux.huge_pages_from",
    "linux.numa_balancing",
    "numa.nodes",
    "certificate.interrupts",
    "certificate.other_processors",
    "certificate.siblings",
    "certificate.prefetch",
    "certificate.turbo",
    "model.",
    "configuration.",
};

/* Conditions that do not affect measurements. */
static const char *const of_no_matter[] = {
    "configuration.label",    "configuration.case",           "configuration.seed",
    "configuration.finish",   "configuration.finish.seconds", "configuration.hang.seconds",
    "configuration.runs",     "configuration.resume",         "configuration.selftest",
    "configuration.identity",
};

static bool is_among(const char *const *list, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        if (list[i][length - 1] == '.' ? strncmp(list[i], path, length) == 0
                                       : strcmp(list[i], path) == 0)
            return true;
    }
    return false;
}

static bool is_condition(const char *path)
{
    return is_among(conditions, sizeof(conditions) / sizeof(*conditions), path) &&
           !is_among(of_no_matter, sizeof(of_no_matter) / sizeof(*of_no_matter), path);
}

/* Returns the TSC's rate; NAN: unknown. */
static double rate_of(const struct compared_run *run)
{
    double rate = strtod(run_member(&run->members, "tsc_hz"), NULL);

    return rate > 0 ? rate : NAN;
}

/* True if both runs know the rate and it differs. */
static bool rates_differ(const struct compared_runs *runs)
{
    double a = rate_of(&runs->run[RUN_A]), b = rate_of(&runs->run[RUN_B]);

    return fabs(a - b) > SAME_RATE * fmin(a, b);
}

/* True if both runs have the member and it differs; an empty one does not count. */
static bool is_told_otherwise(const struct compared_runs *runs, const char *path, const char *a,
                              const char *b)
{
    if (*a == '\0' || *b == '\0' || strcmp(a, b) == 0 || !is_condition(path))
        return false;
    return strcmp(path, "tsc_hz") != 0 || rates_differ(runs);
}

static bool find_conditions(struct compared_runs *runs)
{
    const struct run_members *members = &runs->run[RUN_A].members;

    for (size_t i = 0; i < members->count; i++) {
        const char *path = members->at[i].path, *a = members->at[i].text;
        const char *b = run_member(&runs->run[RUN_B].members, path);
        if (!is_told_otherwise(runs, path, a, b))
            continue;
        struct compared_condition *list =
            grow(runs->conditions, runs->condition_count, sizeof(*list));
        if (list == NULL)
            return false;
        runs->conditions = list;
        list[runs->condition_count++] = (struct compared_condition){path, {a, b}};
    }
    return true;
}

/* --- verdicts --- */

const char *compared_outcome_name(unsigned outcome)
{
    if (outcome <= COMPARISON_OPEN)
        return comparison_name((enum comparison_outcome)outcome);
    return outcome == OUTCOME_ONLY_A ? "only in A" : "only in B";
}

double compared_percent(const struct compared_verdict *verdict, double difference)
{
    double a = verdict->value[RUN_A].value;

    return a != 0 ? 100 * difference / fabs(a) : NAN;
}

/* Writes the case's name without what the configuration alone adds: that prefetchers were off, and
 * the user's label. */
static void plain_name(const struct stored_verdict *verdict, char name[NAME_BYTES])
{
    struct variant variant;

    case_read(verdict->variant, &variant);
    variant.prefetch_off = false;
    variant.label[0] = '\0';
    case_name(&variant, name);
}

static bool is_alike(const struct stored_verdict *a, const struct stored_verdict *b)
{
    char plain[RUNS][NAME_BYTES];

    if (strcmp(a->name, b->name) != 0 || strcmp(a->experiment, b->experiment) != 0)
        return false;
    plain_name(a, plain[RUN_A]);
    plain_name(b, plain[RUN_B]);
    return strcmp(plain[RUN_A], plain[RUN_B]) == 0;
}

typedef bool is_partner(const struct stored_verdict *a, const struct stored_verdict *b);

/* Returns the next free partner, since runs have the same verdicts in one order; the table's count:
 * none. */
static size_t find_partner(const struct verdicts_table *table, const bool *taken,
                           const struct stored_verdict *like, is_partner *is, size_t *next)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t at = (*next + i) % table->count;
        if (!taken[at] && is(like, &table->at[at])) {
            *next = at + 1;
            return at;
        }
    }
    return table->count;
}

/* Finds partners for the verdicts of A that have none yet. */
static void find_partners(struct compared_runs *runs, bool *taken, is_partner *is)
{
    const struct verdicts_table *b = &runs->run[RUN_B].verdicts;
    size_t next = 0;

    for (size_t i = 0; i < runs->count; i++) {
        struct compared_verdict *v = &runs->at[i];
        size_t at =
            v->of[RUN_B] == NULL ? find_partner(b, taken, v->of[RUN_A], is, &next) : b->count;
        if (at == b->count)
            continue;
        v->of[RUN_B] = &b->at[at];
        taken[at] = true;
    }
}

static struct compared_verdict verdict_of(const struct stored_verdict *a,
                                          const struct stored_verdict *b)
{
    const struct compared none = {NAN, NAN, NAN, VERDICT_SKIP};

    return (struct compared_verdict){
        .of = {a, b}, .value = {none, none}, .difference = NAN, .low = NAN, .high = NAN};
}

/* Pairs all verdicts of A, then adds those of B alone. Names must be the same, or differ only in
 * what a configuration adds. */
static bool match(struct compared_runs *runs)
{
    const struct verdicts_table *a = &runs->run[RUN_A].verdicts, *b = &runs->run[RUN_B].verdicts;
    bool *taken = calloc(b->count + 1, sizeof(*taken));

    runs->at = malloc((a->count + b->count + 1) * sizeof(*runs->at));
    bool is_room = taken != NULL && runs->at != NULL;
    for (size_t i = 0; is_room && i < a->count; i++)
        runs->at[runs->count++] = verdict_of(&a->at[i], NULL);
    if (is_room) {
        find_partners(runs, taken, stored_verdict_same);
        find_partners(runs, taken, is_alike);
    }
    for (size_t i = 0; is_room && i < b->count; i++)
        if (!taken[i])
            runs->at[runs->count++] = verdict_of(NULL, &b->at[i]);
    free(taken);
    return is_room;
}

/* Returns the value in nanoseconds if the counters' rates differ. */
static struct compared value_of(const struct compared_runs *runs, unsigned run,
                                const struct stored_verdict *verdict)
{
    bool in_ticks = runs->in_nanoseconds && strcmp(verdict->unit, "ticks") == 0;
    double factor = in_ticks ? 1e9 / rate_of(&runs->run[run]) : 1;

    return (struct compared){verdict->value * factor, verdict->low * factor, verdict->high * factor,
                             verdict->status};
}

static bool units_differ(const struct compared_verdict *v)
{
    return strcmp(v->of[RUN_A]->unit, v->of[RUN_B]->unit) != 0;
}

/* Returns the unit of either verdict: a skipped one may have none. */
static const char *unit_of(const struct compared_runs *runs, const struct compared_verdict *v)
{
    const char *a = v->of[RUN_A] != NULL ? v->of[RUN_A]->unit : "";
    const char *unit = *a != '\0' || v->of[RUN_B] == NULL ? a : v->of[RUN_B]->unit;

    return runs->in_nanoseconds && strcmp(unit, "ticks") == 0 ? "ns" : unit;
}

/* Prepares every pair before any is compared: their number decides how wide intervals are. */
static void prepare(struct compared_runs *runs, struct compared_verdict *v)
{
    v->unit = unit_of(runs, v);
    for (unsigned i = 0; i < RUNS; i++)
        if (v->of[i] != NULL)
            v->value[i] = value_of(runs, i, v->of[i]);
    if (v->of[RUN_A] == NULL || v->of[RUN_B] == NULL)
        return;
    v->is_compared = !units_differ(v) && comparison_can(&v->value[RUN_A], &v->value[RUN_B]);
    runs->comparisons += v->is_compared;
}

static const char *which_of(bool a, bool b)
{
    return a && b ? "A and B" : a ? "A" : "B";
}

/* Explains why the pair cannot be compared. */
static void explain(struct compared_verdict *v)
{
    const struct stored_verdict *a = v->of[RUN_A], *b = v->of[RUN_B];
    bool a_fails = a->status != VERDICT_OK, b_fails = b->status != VERDICT_OK;
    const struct stored_verdict *verdict = a_fails ? a : b;

    if (a_fails && b_fails && a->status != b->status)
        snprintf(v->reason, sizeof(v->reason), "%s in A, %s in B: %s",
                 verdict_status_name(a->status), verdict_status_name(b->status), a->method);
    else if (a_fails || b_fails)
        snprintf(v->reason, sizeof(v->reason), "%s in %s: %s", verdict_status_name(verdict->status),
                 which_of(a_fails, b_fails), verdict->method);
    else if (units_differ(v))
        snprintf(v->reason, sizeof(v->reason), "in %s and in %s", a->unit, b->unit);
    else
        snprintf(v->reason, sizeof(v->reason), "no interval in %s",
                 which_of(!comparison_has_interval(&v->value[RUN_A]),
                          !comparison_has_interval(&v->value[RUN_B])));
}

static const char *const reasons[] = {
    [COMPARISON_SAME] = "within 5 %",
    [COMPARISON_DIFFERENT] = "farther apart than both intervals",
    [COMPARISON_OPEN] = "may be the same, may be 5 % apart",
};

static void decide(const struct compared_runs *runs, struct compared_verdict *v)
{
    if (v->of[RUN_A] == NULL || v->of[RUN_B] == NULL) {
        v->outcome = v->of[RUN_B] == NULL ? OUTCOME_ONLY_A : OUTCOME_ONLY_B;
        return;
    }
    v->outcome = COMPARISON_OPEN;
    if (!v->is_compared) {
        if (!units_differ(v))
            v->difference = v->value[RUN_B].value - v->value[RUN_A].value;
        explain(v);
        return;
    }
    struct comparison c = compare_values(&v->value[RUN_A], &v->value[RUN_B], runs->comparisons);
    v->outcome = c.outcome;
    v->difference = c.difference;
    v->low = c.low;
    v->high = c.high;
    snprintf(v->reason, sizeof(v->reason), "%s", reasons[c.outcome]);
}

static void compare_all(struct compared_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        prepare(runs, &runs->at[i]);
    for (size_t i = 0; i < runs->count; i++) {
        decide(runs, &runs->at[i]);
        runs->outcomes[runs->at[i].outcome]++;
    }
}

/* --- reading --- */

static bool read_run(struct compared_run *run, const char *path, char *error, size_t error_size)
{
    char file[PATH_MAX + 16];
    bool is_folder = is_directory(path);

    run->path = path;
    if (snprintf(file, sizeof(file), "%s%s", path, is_folder ? "/verdicts.csv" : "") >=
        (int)sizeof(file)) {
        snprintf(error, error_size, "%.40s...: a path longer than any can be", path);
        return false;
    }
    if (!read_verdicts(file, &run->verdicts, error, error_size)) {
        size_t length = strlen(error);
        snprintf(error + length, error_size - length,
                 "; expected a folder or a verdicts.csv that a run left");
        return false;
    }
    return !is_folder || read_run_members(path, &run->members, error, error_size);
}

bool compared_runs_read(struct compared_runs *runs, const char *a, const char *b, char *error,
                        size_t error_size)
{
    *runs = (struct compared_runs){.at = NULL};
    if (!read_run(&runs->run[RUN_A], a, error, error_size) ||
        !read_run(&runs->run[RUN_B], b, error, error_size))
        return false;
    runs->in_nanoseconds = rates_differ(runs);
    if (!find_conditions(runs) || !match(runs)) {
        snprintf(error, error_size, "not enough memory for the verdicts of %s and %s", a, b);
        return false;
    }
    compare_all(runs);
    return true;
}

void compared_runs_free(struct compared_runs *runs)
{
    for (unsigned i = 0; i < RUNS; i++) {
        verdicts_table_free(&runs->run[i].verdicts);
        run_members_free(&runs->run[i].members);
    }
    free(runs->at);
    free(runs->conditions);
    *runs = (struct compared_runs){.at = NULL};
}
