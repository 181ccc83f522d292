/* test_experiments: checks of every experiment alike: its cases under a configuration, the reason
 * of each case that is skipped, and its end at any fault and any refused allocation. */
#include "../../kernel/probe/load_sampler.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

/* Settings with which each experiment measures as little as it can. */
#define LEAST                                                                                      \
    "samples.min = 5\nsamples.max = 8\nsamples.precision = 50%\nnoise.seconds = 1\n"               \
    "mlp.bytes = 2m\nmlp.loads = 1 2\nmlp.fillers = 0 64\nmlp.dependent = 1\n"                     \
    "structures.fillers = 0 64\ntlb.loads = 1 2\ntlb.pages = 4 8\narray.bytes = 8k\n"              \
    "array.loads = 1\npatterns.bytes = 4m\nshuffle.bytes = 32k\nshuffle.stages = 64\n"             \
    "loaded.bytes = 2m\nloaded.pauses = 0\ntimeline.cycles = 1\n"

/* In place of kernel/probe/load_sampler.c. */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count)
{
    const struct counting *counting = shape->timing.counting;
    assert_true(fake.inside);
    assert_ptr_equal(sampler->platform, &fake.platform);
    for (unsigned i = 0; i < count * (counting != NULL ? counting->count : 1); i++)
        samples[i] = 100 * shape->loads;
}

/* Sets the least, and then these settings, which are separated by ";". */
static void configure(const char *settings)
{
    static char message[1000];
    struct text errors;
    char rest[200];
    text_init(&errors, message, sizeof message);
    memset(&config, 0, sizeof config);
    config_read_file(&config, "least", LEAST, strlen(LEAST), &errors);
    snprintf(rest, sizeof rest, "%s", settings);
    for (char *next = strtok(rest, ";"); next != NULL; next = strtok(NULL, ";"))
        config_read_setting(&config, "settings", next, &errors);
    config_finish(&config, &errors);
    assert_string_equal(message, "");
}

/* Makes each measurement one of an emulator, in which nothing is refined. */
static void emulate(void)
{
    m.is_emulated = true;
}

static void open_with(const char *name, const char *settings, void (*lack)(void))
{
    experiment_open(name);
    experiment_begins = emulate;
    emulate();
    now_step = 100000; /* ten thousand looks at the clock are a second */
    make_nodes(2, 0);
    fake.generated_step = 1000000;
    offer_counters();
    configure(settings);
    if (lack != NULL)
        lack();
}

/* --- what can be missing --------------------------------------------------------------------- */

#define LACK(name, statement)                                                                      \
    static void name(void)                                                                         \
    {                                                                                              \
        statement;                                                                                 \
    }

LACK(no_1g, fake.no_page[PAGE_1G] = "no such pages")
LACK(no_2m, fake.no_page[PAGE_2M] = "no such pages")
LACK(little_memory, fake.largest = 1 << 20)
LACK(tiny_memory, fake.largest = 4096)
LACK(no_register, fake.no_prefetch = "no register")
LACK(nobody_forgets, fake.platform.forget_pages = NULL)
LACK(nobody_evicts, fake.platform.evict_translations = NULL)
LACK(no_loops, fake.platform.no_loops = "it is a model")
LACK(one_node, nodes.count = 1)
LACK(no_counters, fake.platform.counters = NULL)
LACK(all_asleep, fake.no_generators = "they are all asleep")
LACK(interrupts_remain, fake.platform.interrupts_remain = "a process cannot")
LACK(cycles_refused, fake.refused = "core_cycles")
LACK(no_order, fake.platform.no_lfence_order = "no order")

static void no_others(void)
{
    fake.platform.start_generators = NULL;
    fake.platform.stop_generators = NULL;
    fake.platform.order_generators = NULL;
    fake.platform.generated = NULL;
}

static void no_time(void)
{
    interrupts_remain();
    fake.platform.openly = NULL;
}

/* Runs, each with the names of its cases in order. A line with a reason has skipped cases. */
static const struct {
    const char *name, *settings;
    void (*lack)(void);
    const char *cases;
} runs[] = {
    {"noise", "", NULL,
     "quiet interrupts\n"
     "core: an emulator's core has no states"},
    {"noise", "", interrupts_remain,
     "quiet: a process cannot\n"
     "interrupts\n"
     "core: an emulator's core has no states"},
    {"noise", "", no_time,
     "quiet interrupts: a process cannot\n"
     "core: an emulator's core has no states"},
    {"floor", "", NULL, "timer lfence cpuid core payload"},
    {"floor", "", no_order,
     "timer\n"
     "lfence: no order\n"
     "cpuid core payload"},
    {"mlp", "pages=4k 2m; mlp.tlb=natural warm cold walkmem", NULL,
     "4k 4k-dependent 4k-warm 4k-warm-dependent 4k-cold 4k-cold-dependent 4k-walkmem "
     "4k-walkmem-dependent 2m 2m-dependent 2m-warm 2m-warm-dependent 2m-cold "
     "2m-cold-dependent 2m-walkmem 2m-walkmem-dependent"},
    {"mlp", "pages=1g 2m; mlp.tlb=natural cold", no_1g,
     "1g: no such pages\n"
     "1g-cold: that many pages of this size are more than one probe can reach\n"
     "2m 2m-dependent 2m-cold 2m-cold-dependent"},
    {"mlp", "pages=1g 2m; mlp.tlb=natural cold", nobody_forgets,
     "1g 1g-dependent\n"
     "1g-cold: this platform cannot invalidate a translation\n"
     "2m 2m-dependent\n"
     "2m-cold: this platform cannot invalidate a translation"},
    {"mlp", "pages=2m; mlp.access=load prefetch store nt; prefetch=both", no_register,
     "2m 2m-dependent 2m-prefetch 2m-store 2m-nt\n"
     "2m-nopf 2m-nopf-prefetch 2m-nopf-store 2m-nopf-nt: no register"},
    {"mlp", "pages=2m; mlp.access=load prefetch store nt; mlp.order=lfence cpuid; case=x", NULL,
     "2m-x 2m-x-dependent 2m-prefetch-x 2m-store-x 2m-nt-x 2m-x-cpuid "
     "2m-x-cpuid-dependent 2m-prefetch-x-cpuid 2m-store-x-cpuid 2m-nt-x-cpuid"},
    {"mlp", "pages=2m; node=all", NULL, "2m 2m-dependent 2m-node1 2m-node1-dependent"},
    {"mlp", "pages=2m; node=remote", one_node, "2m-remote: this machine has one memory node"},
    {"structures", "pages=2m", NULL,
     "nop long-nop zero add vector load line-load waiting-load store waiting multiply"},
    {"structures", "prefetch=both", no_register,
     "nop long-nop zero add vector load line-load waiting-load store waiting multiply"},
    {"structures", "", little_memory,
     "nop long-nop zero add vector load line-load waiting-load store waiting multiply: "
     "too little memory"},
    {"tlb", "pages=4k 2m", NULL,
     "4k 4k-warm 4k-cold 4k-walkmem 2m 2m-warm 2m-cold 2m-walkmem chain-4k chain-2m"},
    {"tlb", "pages=4k", nobody_evicts,
     "4k 4k-warm 4k-cold\n"
     "4k-walkmem: this platform cannot evict page-table entries\n"
     "chain-4k"},
    {"tlb", "pages=1g", no_1g,
     "1g 1g-warm: no such pages\n"
     "1g-cold 1g-walkmem: that many pages of this size are more than one probe can reach\n"
     "chain-1g: no such pages"},
    {"array", "pages=4k 2m; prefetch=both", NULL, "4k 4k-nopf 2m 2m-nopf"},
    {"array", "pages=1g 2m; prefetch=both", no_register,
     "1g\n"
     "1g-nopf: no register\n"
     "2m\n"
     "2m-nopf: no register"},
    {"array", "pages=1g 2m", no_1g,
     "1g: no such pages\n"
     "2m"},
    {"array", "pages=4k", tiny_memory, "4k: too little memory"},
    {"patterns", "pages=4k", NULL, "linear-4k page-4k heap-4k random-4k"},
    {"patterns", "pages=4k; prefetch=both", no_register,
     "linear-4k page-4k heap-4k random-4k\n"
     "linear-4k-nopf page-4k-nopf heap-4k-nopf random-4k-nopf: no register"},
    {"patterns", "pages=4k 1g", no_1g,
     "linear-4k page-4k heap-4k random-4k\n"
     "linear-1g page-1g heap-1g random-1g: no such pages"},
    {"patterns", "pages=4k", little_memory,
     "linear-4k page-4k heap-4k random-4k: too little memory"},
    {"patterns", "pages=4k", no_loops, "linear-4k page-4k heap-4k random-4k: it is a model"},
    {"shuffle", "pages=4k; prefetch=both", NULL,
     "plain-precomputed-4k staged-precomputed-4k plain-onthefly-4k staged-onthefly-4k "
     "plain-precomputed-4k-nopf staged-precomputed-4k-nopf plain-onthefly-4k-nopf "
     "staged-onthefly-4k-nopf"},
    {"shuffle", "pages=4k; prefetch=both", no_register,
     "plain-precomputed-4k staged-precomputed-4k plain-onthefly-4k staged-onthefly-4k\n"
     "plain-precomputed-4k-nopf staged-precomputed-4k-nopf plain-onthefly-4k-nopf "
     "staged-onthefly-4k-nopf: no register"},
    {"shuffle", "pages=4k 2m", no_2m,
     "plain-precomputed-4k staged-precomputed-4k plain-onthefly-4k staged-onthefly-4k\n"
     "plain-precomputed-2m staged-precomputed-2m plain-onthefly-2m staged-onthefly-2m: no "
     "such pages"},
    {"shuffle", "pages=4k", tiny_memory,
     "plain-precomputed-4k staged-precomputed-4k plain-onthefly-4k staged-onthefly-4k: "
     "too little memory"},
    {"shuffle", "pages=4k", no_loops,
     "plain-precomputed-4k staged-precomputed-4k plain-onthefly-4k staged-onthefly-4k: it "
     "is a model"},
    {"numa", "pages=4k 2m", NULL, "4k 4k-node1 2m 2m-node1"},
    {"numa", "pages=2m 4k", one_node, "2m-remote: this machine has one memory node"},
    {"smt", "pages=2m", NULL,
     "nop-idle nop-busy nop-loading long-nop-idle long-nop-busy long-nop-loading "
     "zero-idle zero-busy zero-loading add-idle add-busy add-loading vector-idle "
     "vector-busy vector-loading load-idle load-busy load-loading line-load-idle "
     "line-load-busy line-load-loading waiting-load-idle waiting-load-busy "
     "waiting-load-loading store-idle store-busy store-loading waiting-idle waiting-busy "
     "waiting-loading multiply-idle multiply-busy multiply-loading 4k-warm-idle "
     "4k-warm-busy 4k-warm-loading chain-2m-idle chain-2m-busy chain-2m-loading"},
    {"smt", "pages=2m", no_2m,
     "nop-idle nop-busy nop-loading long-nop-idle long-nop-busy long-nop-loading "
     "zero-idle zero-busy zero-loading add-idle add-busy add-loading vector-idle "
     "vector-busy vector-loading load-idle load-busy load-loading line-load-idle "
     "line-load-busy line-load-loading waiting-load-idle waiting-load-busy "
     "waiting-load-loading store-idle store-busy store-loading waiting-idle waiting-busy "
     "waiting-loading multiply-idle multiply-busy multiply-loading 4k-warm-idle "
     "4k-warm-busy 4k-warm-loading\n"
     "chain-2m-idle chain-2m-busy chain-2m-loading: no such pages"},
    {"smt", "", all_asleep, "sibling: they are all asleep"},
    {"smt", "", no_others, "sibling: this processor has no other threads that could be started"},
    {"loaded", "pages=2m; loaded.cores=0 1; node=all", NULL,
     "read-2m-cores3 write-2m-cores3 copy-2m-cores3 read-2m-cores1 write-2m-cores1 "
     "copy-2m-cores1 read-2m-node1-cores3 write-2m-node1-cores3 "
     "copy-2m-node1-cores3 read-2m-node1-cores1 write-2m-node1-cores1 "
     "copy-2m-node1-cores1"},
    {"loaded", "pages=2m; loaded.cores=5 3; prefetch=both", no_register,
     "read-2m-cores5 write-2m-cores5 copy-2m-cores5: other cores with memory for each: "
     "only 3\n"
     "read-2m-cores3 write-2m-cores3 copy-2m-cores3\n"
     "read-2m-nopf-cores5 write-2m-nopf-cores5 copy-2m-nopf-cores5 read-2m-nopf-cores3 "
     "write-2m-nopf-cores3 copy-2m-nopf-cores3: no register"},
    {"loaded", "pages=2m 1g", no_1g,
     "read-2m-cores3 write-2m-cores3 copy-2m-cores3\n"
     "read-1g-cores3 write-1g-cores3 copy-1g-cores3: no such pages"},
    {"loaded", "pages=2m", all_asleep, "read-2m write-2m copy-2m: they are all asleep"},
    {"loaded", "pages=2m", no_others, "read-2m write-2m copy-2m: there is no other processor"},
    {"timeline", "pages=2m 4k; timeline.tlb=warm cold", NULL,
     "additions 2m-warm 2m-cold 4k-warm 4k-cold"},
    {"timeline", "pages=2m; prefetch=both", no_register,
     "additions 2m-cold\n"
     "2m-cold-nopf: no register"},
    {"timeline", "pages=2m; timeline.tlb=warm cold", nobody_forgets,
     "additions 2m-warm\n"
     "2m-cold: this platform cannot invalidate a translation"},
    {"timeline", "pages=2m", no_counters, "additions 2m-cold: none are offered"},
    {"timeline", "pages=2m", cycles_refused, "additions 2m-cold: a register does not take it"},
};
#define RUNS (sizeof runs / sizeof *runs)

/* Appends the names of all cases; neighbours that share a reason, or have none, share a line. A
 * skipped case has one row. */
static void tell_cases(struct text *text)
{
    const char *reason = NULL;
    for (uint32_t i = 0; i < m.case_count; i++) {
        const struct row *row = row_where(i, ROW_SKIPPED, ANY, ANY, ANY, ANY);
        const char *why = row != NULL ? row->unit : "";
        char name[NAME_BYTES];
        size_t count;
        rows_of_case(&m, i, &count);
        assert_int_equal(row != NULL, m.cases[i].is_skipped);
        assert_true(row != NULL ? count == 1 : count > 0);
        if (i > 0 && strcmp(why, reason) != 0)
            text_printf(text, "%s%s\n", reason[0] != '\0' ? ": " : "", reason);
        else if (i > 0)
            text_printf(text, " ");
        text_printf(text, "%s", case_name(&m.cases[i].variant, name));
        reason = why;
    }
    text_printf(text, "%s%s", reason[0] != '\0' ? ": " : "", reason);
}

static uint32_t count_skipped(void)
{
    uint32_t skipped = 0;
    for (uint32_t i = 0; i < m.case_count; i++)
        skipped += m.cases[i].is_skipped;
    return skipped;
}

/* If every case is skipped, nothing is run, except the trial that finds counters refused. */
TEST(cases_and_reasons)
{
    static char told[4000];
    struct text text;
    for (size_t i = 0; i < RUNS; i++) {
        open_with(runs[i].name, runs[i].settings, runs[i].lack);
        measure();
        text_init(&text, told, sizeof told);
        tell_cases(&text);
        if (strcmp(told, runs[i].cases) != 0)
            fail_msg("%s, %s:\n%s\ninstead of:\n%s", runs[i].name, runs[i].settings, told,
                     runs[i].cases);
        if (count_skipped() == m.case_count)
            assert_int_equal(fake.slices, runs[i].lack == cycles_refused);
        experiment_close();
    }
}

/* True if this slice only finds out whether counters can be stopped. A fault skips all cases. */
static bool is_trial(unsigned slice)
{
    return slice == 1 && strcmp(m.experiment, "timeline") == 0;
}

/* Measures again and again, with a fault at each slice of a run in turn. */
static void assert_faults_end_it(void)
{
    measure();
    unsigned all = fake.slices;
    for (unsigned at = 1; at <= all; at++) {
        experiment_again();
        fake.fault_at = at;
        assert_int_equal(run(), is_trial(at));
        assert_int_equal(fake.slices, at);
        if (is_trial(at))
            assert_all_skipped("a fault ended the counting");
        else if (fake.platform.counters == NULL || strstr(m.failure, "counting") == NULL)
            assert_string_equal(m.failure, "a fault ended the measurement");
        else
            assert_string_equal(m.failure, "a fault ended the counting");
    }
}

/* The same without memory at each allocation: it is said. */
static void assert_no_memory_is_said(void)
{
    unsigned calls = 1;
    for (unsigned failing = 0; failing <= calls; failing++) {
        experiment_again();
        unsigned before = fake.allocations;
        fake.failing = before + failing;
        fake.failed_bytes = 0;
        bool finished = run();
        calls = failing == 0 ? fake.allocations - before : calls;
        assert_numbers((finished, m.failure == NULL), (fake.failed_bytes == 0, finished));
        if (!finished)
            assert_non_null(strstr(m.failure, "not enough memory"));
        assert_int_equal(fake.windows, 0);
    }
    assert_compare(calls, >, 8);
}

/* After a fault nothing more is run, and everything that was taken is given back. */
TEST(faults_end_them)
{
    for (size_t i = 0; i < RUNS; i++)
        if (runs[i].lack == NULL) {
            open_with(runs[i].name, runs[i].settings, NULL);
            assert_faults_end_it();
            experiment_close();
        }
}

TEST(want_of_memory_ends_them)
{
    for (size_t i = 0; i < RUNS; i++)
        if (runs[i].lack == NULL) {
            open_with(runs[i].name, runs[i].settings, NULL);
            assert_no_memory_is_said();
            experiment_close();
        }
}
