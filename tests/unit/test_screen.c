/* test_screen: the last page of a run, whatever verdicts there are: it fits, and answers. */
#include "../../kernel/data/experiments.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/screen.h"
#include "kit.h"

#define VERDICTS 60
#define OK VERDICT_OK
#define DOUBT VERDICT_DOUBT
#define SKIP VERDICT_SKIP

static struct verdict verdicts[VERDICTS];
static struct verdict_list list;
static struct screen screen;
static char memory[4096];
static struct text page;

SETUP(start)
{
    list = (struct verdict_list){.at = verdicts, .room = VERDICTS};
    screen = (struct screen){.version = "1.0",
                             .platform = "efi",
                             .status = "done",
                             .seconds = 12.34,
                             .machine = "Some Processor",
                             .core = "prefetchers as found",
                             .verdicts = &list,
                             .results = "\\results\\0001"};
    text_init(&page, memory, sizeof memory);
}

/* Returns the question of that name that an experiment's case answers. */
static const struct question *question_of(const struct variant *variant, const char *name)
{
    const struct rule *rule = experiment_find(variant->experiment)->rule;
    for (const struct question *const *row = rule->questions; *row != NULL; row++)
        for (const struct question *q = *row; q->name != NULL; q++)
            if (strcmp(q->name, name) == 0 && (q->is_of == NULL || q->is_of(variant)))
                return q;
    fail_msg("no %s of this case of %s", name, variant->experiment);
    return NULL;
}

/* Reads an experiment's case, "mlp 2m". */
static struct variant case_of(const char *of)
{
    struct variant variant = {.label = ""};
    const char *slug = strchr(of, ' ') + 1;
    snprintf(variant.experiment, sizeof variant.experiment, "%.*s", (int)(slug - of) - 1, of);
    case_read(slug, &variant);
    return variant;
}

/* Adds a verdict of a case; NAN is no value. */
static struct verdict *add(const struct variant *variant, const struct question *question,
                           enum verdict_status status, double value)
{
    struct verdict *v = verdict_add(&list, variant, question);
    if (!isnan(value))
        verdict_value(v, value, value - 1, value + 1);
    verdict_conclude(v, status, REASON_NONE, "why it is so");
    return v;
}

/* The same by the question's name. */
static struct verdict *give(const char *of, const char *name, enum verdict_status status,
                            double value)
{
    struct variant variant = case_of(of);
    return add(&variant, question_of(&variant, name), status, value);
}

/* Everything any page has to keep. */
static void draw(void)
{
    unsigned lines = 0;
    text_clear(&page);
    screen_page(&screen, &page);
    assert_false(page.truncated);
    for (const char *line = memory; *line != '\0'; lines++) {
        size_t length = strcspn(line, "\n");
        assert_int_equal(line[length], '\n');
        assert_in_range(length, 0, SCREEN_COLUMNS);
        for (size_t i = 0; i < length; i++)
            assert_in_range(line[i], ' ', '~');
        assert_true(length == 0 || line[length - 1] != ' ');
        line += length + 1;
    }
    assert_in_range(lines, 10, SCREEN_LINES);
    assert_compare(page.length, <, SCREEN_BYTES);
}

/* That the page has this line. */
static void assert_line(const char *wanted)
{
    char line[200];
    snprintf(line, sizeof line, "\n%s\n", wanted);
    if (strstr(memory, line) == NULL)
        fail_msg("no line \"%s\" in:\n%s", wanted, memory);
}

static void assert_drawn(const char *wanted)
{
    draw();
    assert_line(wanted);
}

TEST(nothing_was_measured)
{
    draw();
    assert_memory_equal(memory, "mlpboot 1.0, efi  status: done, 12.3 s\n", 39);
    assert_line("machine       Some Processor");
    assert_line("core          prefetchers as found");
    assert_line("ROB           not measured; add mlp to experiments");
    assert_line("MLP           not measured; add mlp to experiments");
    assert_line("fill buffers  not measured; add mlp to experiments");
    assert_line("caches        not measured; add array to experiments");
    assert_line("memory        not measured; add array to experiments");
    assert_line("TLB           not measured; add tlb to experiments");
    assert_line("page walk     not measured; add tlb to experiments");
    assert_line("core shared   not measured; add noise to experiments");
    assert_line("longest gap   not measured; add noise to experiments");
    assert_line("0 verdicts: 0 ok, 0 doubt, 0 skip, 0 error; reasons in verdicts.csv");
    assert_line("results:      \\results\\0001");
}

TEST(nothing_was_measured_of_what_was_asked_for)
{
    const struct config_choices asked = {2, {4, 2}}; /* tlb and mlp, of data/experiments.h */
    screen.asked = &asked;
    assert_drawn("ROB           not measured: mlp came to no result");
    assert_line("page walk     not measured: tlb came to no result");
    assert_line("caches        not measured; add array to experiments");
}

TEST(all_answers)
{
    give("mlp 2m", "rob_entries", OK, 192);
    give("mlp 2m", "mlp", OK, 10);
    give("mlp 2m", "fill_buffers", DOUBT, 12);
    give("mlp 2m", "one_load", OK, 230);
    give("mlp 4k", "mlp", OK, 5);
    give("array 2m", "l1_bytes", OK, 32768);
    give("array 2m", "l2_bytes", OK, 262144);
    give("array 2m", "l3_bytes", DOUBT, 20971520);
    give("array 2m", "memory_latency", OK, 200.25);
    give("tlb 4k", "walk_cost", OK, 60);
    give("tlb chain-4k", "dtlb_entries", OK, 96);
    give("tlb chain-4k", "stlb_entries", OK, 2048);
    give("noise core", "shared_share", OK, 0);
    give("noise quiet", "max_gap", OK, 1234.5);
    for (unsigned i = 0; i < 3; i++) {
        verdicts[5 + i].low = verdicts[5 + i].value;
        verdicts[5 + i].high = verdicts[5 + i].value * 1.25;
    }
    screen.seen[SEEN_NOISE] = "seen beside";
    screen.seen[SEEN_SHARED_CORE] = "50 %";
    assert_drawn("ROB           ok    192      191 .. 193         entries mlp 2m");
    assert_line("MLP           ok    10       9 .. 11            loads   mlp 2m (4k: 5)");
    assert_line("fill buffers  doubt 12       11 .. 13           buffers mlp 2m");
    assert_line("caches        ok    L1 32k [32k..40k]  L2 256k [256k..320k]\n"
                "              L3 20m [20m..25m] (doubt)  array 2m");
    assert_line("memory        ok    200 ticks [199..201]  array 2m");
    assert_line("TLB           ok    L1 96 [95..97]  L2 2048 [2047..2049]  tlb chain-4k");
    assert_line("page walk     ok    60 ticks [59..61]  tlb 4k");
    assert_line("core shared   seen  50 %");
    assert_line("longest gap   ok    1235 ns [1234..1236]  noise quiet");
    assert_line("14 verdicts: 12 ok, 2 doubt, 0 skip, 0 error; reasons in verdicts.csv");
}

/* What a sibling that was ordered to work leaves is a shared core's, too. */
TEST(a_working_sibling_comes_last)
{
    static const char *const beside[] = {"smt long-nop-busy", "smt long-nop-loading"};
    for (unsigned i = 0; i < 2; i++) {
        give(beside[i], "rob_entries", OK, 160);
        assert_drawn("ROB           ok    160      159 .. 161         entries of the shared core\n"
                     "              smt long-nop-busy");
    }
    give("smt long-nop-idle", "rob_entries", DOUBT, 320);
    assert_drawn("ROB           doubt 320      319 .. 321         entries smt long-nop-idle");
}

/* Both levels are of pages of one size. */
TEST(a_list_is_of_one_case)
{
    give("tlb chain-2m", "dtlb_entries", DOUBT, 32);
    give("tlb chain-2m", "stlb_entries", DOUBT, 1500);
    give("tlb chain-4k", "dtlb_entries", OK, 72);
    give("tlb chain-4k", "stlb_entries", DOUBT, 3000);
    assert_drawn("TLB           ok    L1 72 [71..73]  L2 3000 [2999..3001] (doubt)  tlb chain-4k");
}

/* What fits of prefetches or stores is another question. */
TEST(loads_come_first)
{
    give("mlp 2m-store", "fill_buffers", OK, 48);
    give("mlp 2m", "fill_buffers", DOUBT, 12);
    assert_drawn("fill buffers  doubt 12       11 .. 13           buffers mlp 2m (2m-store: 48)");
}

/* ok before doubt before skip, a whole core before a shared one; then the first. Others follow as
 * long as they fit: 1g does not. */
TEST(which_case_is_shown)
{
    give("mlp 2m-shared", "mlp", OK, 4);
    assert_drawn("MLP           ok    4        3 .. 5             loads of the shared core\n"
                 "              mlp 2m-shared");
    give("mlp 1g", "mlp", SKIP, NAN);
    assert_drawn("MLP           ok    4        3 .. 5             loads of the shared core\n"
                 "              mlp 2m-shared");
    give("mlp 4k", "mlp", DOUBT, NAN);
    assert_drawn("MLP           doubt why it is so");
    give("mlp 1g", "mlp", DOUBT, 9);
    assert_drawn("MLP           doubt 9        8 .. 10            loads   mlp 1g (2m-shared: 4)");
    give("mlp 4k", "mlp", OK, 8);
    give("mlp 1g", "mlp", OK, 7);
    give("mlp 1g", "mlp", VERDICT_ERROR, 6);
    assert_drawn("MLP           ok    8        7 .. 9             loads   mlp 4k (2m-shared: 4)");
    assert_line("7 verdicts: 3 ok, 2 doubt, 1 skip, 1 error; reasons in verdicts.csv");
}

/* The surest of two answers, the overlap in memory before the published rule's number; each says by
 * its name what it counts. */
TEST(the_surest_of_two)
{
    struct verdict *rule = give("mlp 2m", "mlp", OK, 21);
    assert_drawn("MLP           ok    21       20 .. 22           loads   mlp 2m");
    struct verdict *overlap = give("array 2m", "memory_overlap", DOUBT, 15.5);
    assert_drawn("MLP           ok    21       20 .. 22           loads   mlp 2m\n"
                 "              (memory_overlap: 15.5, doubt)");
    overlap->status = OK;
    assert_drawn("MLP           ok    15.5     14.5 .. 16.5       loads   array 2m memory_overlap\n"
                 "              (mlp: 21)");
    rule->status = DOUBT;
    assert_drawn("MLP           ok    15.5     14.5 .. 16.5       loads   array 2m memory_overlap\n"
                 "              (mlp: 21, doubt)");
    overlap->status = DOUBT;
    overlap->value = NAN;
    assert_drawn("MLP           doubt 21       20 .. 22           loads   mlp 2m\n"
                 "fill buffers  not measured; add mlp to experiments");
}

/* Where lines are scarce, the second answer goes rather than a part of the first one's name. */
TEST(the_second_answer_goes_first)
{
    give("mlp 2m", "mlp", OK, 21);
    give("array 2m", "memory_overlap", OK, 15.5);
    screen.machine = screen.core = screen.trouble =
        "more than one line, which was there first; and so no other line can have a second one, "
        "whatever it has to tell";
    assert_drawn("MLP           ok    15.5     14.5 .. 16.5       loads   array 2m memory_overlap");
}

/* Where there is no array, what one load takes. */
TEST(the_next_best)
{
    give("array 2m", "memory_latency", SKIP, NAN);
    assert_drawn("memory        skip  why it is so");
    give("mlp 2m", "one_load", OK, 300);
    assert_drawn("memory        ok    300 ticks [299..301]  mlp 2m one_load");
    give("array 2m", "memory_latency", DOUBT, 100);
    assert_drawn("memory        doubt 100 ticks [99..101]  array 2m");
}

/* A lower bound is better than no value, and is told with its reason. */
TEST(a_lower_bound)
{
    give("mlp 2m", "fill_buffers", DOUBT, NAN);
    struct verdict *v = give("mlp 4k", "fill_buffers", DOUBT, NAN);
    verdict_value(v, NAN, 61, NAN);
    assert_drawn("fill buffers  doubt at least 61 buffers; why it is so");
    give("mlp 2m", "fill_buffers", DOUBT, 70);
    assert_drawn("fill buffers  doubt 70       69 .. 71           buffers mlp 2m");
}

/* A time in core cycles that was measured by itself comes before the run's rate of the clock. */
TEST(cycles_of_their_own)
{
    give("array 2m", "memory_latency", OK, 100);
    screen.cycles_a_tick = 2;
    assert_drawn("memory        ok    100 ticks [99..101]  200 cycles  array 2m");
    give("array 2m", "memory_latency_cycles", OK, 190);
    assert_drawn("memory        ok    100 ticks [99..101]  190 cycles  array 2m");
}

/* Large numbers have no decimals, and a time of many nanoseconds another unit. */
TEST(long_times)
{
    static const struct {
        double ns;
        const char *line;
    } times[] = {{99.5, "longest gap   ok    99.5 ns  noise quiet"},
                 {9999, "longest gap   ok    9999 ns  noise quiet"},
                 {13669.5, "longest gap   ok    13.7 us  noise quiet"},
                 {13669530.8, "longest gap   ok    13.7 ms  noise quiet"}};
    struct verdict *v = give("noise quiet", "max_gap", OK, 1);
    for (EACH(c, times)) {
        verdict_value(v, c->ns, NAN, NAN);
        assert_drawn(c->line);
    }
}

TEST(a_value_without_an_interval)
{
    struct verdict *v = give("mlp 2m", "mlp", OK, 10);
    verdict_value(v, 10, NAN, NAN);
    assert_drawn("MLP           ok    10                          loads   mlp 2m");
}

TEST(what_was_seen_beside)
{
    screen.seen[SEEN_NOISE] = "gaps to 1.5 us";
    screen.seen[SEEN_SHARED_CORE] = "12.5 % of the looks at the core";
    assert_drawn("core shared   seen  12.5 % of the looks at the core");
    assert_line("longest gap   seen  gaps to 1.5 us");
    give("noise quiet", "max_gap", SKIP, NAN);
    assert_drawn("longest gap   seen  gaps to 1.5 us");
    screen.seen[SEEN_NOISE] = "";
    assert_drawn("longest gap   skip  why it is so");
}

TEST(some_caches)
{
    give("array 4k", "l1_bytes", OK, 32768);
    give("array 4k", "l2_bytes", DOUBT, NAN);
    give("array 4k", "l3_bytes", DOUBT, NAN);
    assert_drawn("caches        ok    L1 32k [32767..32769]  L2, L3 doubt: why it is so");
    verdicts[0].value = NAN;
    verdicts[0].status = DOUBT;
    assert_drawn("caches        doubt why it is so");
}

/* As long as anything may be, of any bytes; every status; every page size. */
TEST(nothing_breaks_the_page)
{
    static const struct question questions[] = {
        {.name = "rob_entries", .unit = "a-unit-that-is-very-long", .at = {HEADLINE_ROB, 0}},
        {.name = "overlap", .unit = "a-unit-that-is-very-long", .at = {HEADLINE_MLP, 0}},
        {.name = "mlp", .unit = "a-unit-that-is-very-long", .at = {HEADLINE_MLP, 1}},
        {.name = "fill_buffers", .unit = "a-unit-that-is-very-long", .at = {HEADLINE_BUFFERS, 0}},
        {.name = "l1_bytes", .unit = "bytes", .at = {HEADLINE_CACHES, 0}},
        {.name = "l2_bytes", .unit = "bytes", .at = {HEADLINE_CACHES, 1}},
        {.name = "l3_bytes", .unit = "bytes", .at = {HEADLINE_CACHES, 2}},
        {.name = "one_load", .unit = "bytes", .at = {HEADLINE_MEMORY, 1}},
        {.name = "walk_cost", .unit = "bytes", .at = {HEADLINE_WALK, 0}},
    };
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++)
        for (unsigned size = 0; size < PAGE_SIZES; size++) {
            char of[80];
            snprintf(of, sizeof of, "an-experiment-of-a-name-that-is-as-long-as-any-name-may-be %s",
                     page_names[size]);
            struct variant variant = case_of(of);
            struct verdict *v = add(&variant, &questions[i], (enum verdict_status)((i + size) % 4),
                                    -1.5e17 / (size + 1));
            if ((i + size) % 3 == 0)
                v->value = NAN;
            memset(v->method, i % 2 ? '\n' : 'm', sizeof v->method - 1);
        }
    draw();
    screen.ns_a_tick = screen.cycles_a_tick = 1e300;
    screen.trouble = screen.seen[SEEN_NOISE] = screen.seen[SEEN_SHARED_CORE] = text;
    screen.machine = screen.core = screen.results = text;
    draw();
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)(i % 7 == 0 ? ' ' : i % 255 + 1);
    draw();
    screen.machine = screen.core = "";
    screen.results = "here";
    assert_drawn("results:      here");
}

/* A time is also in nanoseconds and core cycles, where these are known. */
TEST(times_in_other_units)
{
    give("array 2m", "memory_latency", OK, 406.5);
    give("noise quiet", "max_gap", OK, 152296);
    verdict_value(&verdicts[1], 152296, NAN, NAN);
    screen.ns_a_tick = 0.385;
    screen.cycles_a_tick = 1.405;
    assert_drawn("memory        ok    407 ticks [406..408]  157 ns  571 cycles  array 2m");
    assert_line("longest gap   ok    152 us  noise quiet");
    screen.cycles_a_tick = 0;
    assert_drawn("memory        ok    407 ticks [406..408]  157 ns  array 2m");
    screen.ns_a_tick = 0.01;
    assert_drawn("memory        ok    407 ticks [406..408]  4.065 ns  array 2m");
}

/* A cache's size with its latency; a bandwidth in GB/s, where the clock's rate is known. */
TEST(caches_with_latencies_and_bandwidth)
{
    give("array 2m", "l1_bytes", OK, 49152);
    give("array 2m", "l1_latency_cycles", OK, 5);
    give("array 2m", "l2_bytes", OK, 2097152);
    give("array 2m", "l2_latency_cycles", OK, 16);
    give("array 2m", "l3_bytes", SKIP, NAN);
    give("array 2m", "l1_read_bandwidth", OK, 120);
    give("array 2m", "l3_read_bandwidth", SKIP, NAN);
    give("array 2m", "memory_read_bandwidth", OK, 8.25);
    assert_drawn("caches        ok    L1 48k 5 cycles  L2 2m 16 cycles  array 2m");
    assert_line("read B/cycle  ok    L1 120  memory 8.25  array 2m");
    screen.ns_a_tick = 0.4;
    screen.cycles_a_tick = 1.6;
    assert_drawn("caches        ok    L1 48k 5 cycles 1.25 ns  L2 2m 16 cycles 4 ns  array 2m");
    assert_line("read B/cycle  ok    L1 120 (480 GB/s)  memory 8.25 (33 GB/s)  array 2m");
    verdicts[2].status = DOUBT;
    verdicts[5].value = NAN;
    verdicts[5].status = SKIP;
    assert_drawn("caches        ok    L1 48k 5 cycles 1.25 ns  L2 2m 16 cycles 4 ns (doubt)\n"
                 "              array 2m");
    verdicts[1].status = DOUBT; /* less sure than its size */
    assert_drawn("caches        ok    L1 48k [49151..49153]  L2 2m 16 cycles 4 ns (doubt)\n"
                 "              array 2m");
}

TEST(trouble_comes_first)
{
    static const char words[] = "trouble:      mlp: not enough memory\nmlpboot 1.0, efi";
    screen.trouble = "";
    draw();
    assert_memory_equal(memory, "mlpboot", 7);
    screen.trouble = "mlp: not enough memory";
    draw();
    assert_memory_equal(memory, words, sizeof words - 1);
}

/* A reason goes on in a second line; beyond that, and where there are no lines left, it is cut. */
#define NAME_OF(name) #name,

/* A short run does not see each fault of a machine, and says so, unless every line is taken. */
TEST(what_was_not_looked_at)
{
    static const char *const names[] = {EXPERIMENTS(NAME_OF)};
    struct config_choices asked = {.count = 1};
    char long_text[200] = "";
    memset(long_text, 'x', sizeof long_text - 1);
    screen.asked = &asked;
    assert_drawn("not looked at a slow or missing DIMM, slow remote memory (suite = fleet)");
    while (strcmp(names[asked.index[0]], "numa") != 0)
        asked.index[0]++;
    assert_drawn("not looked at a slow or missing DIMM (suite = fleet)");
    screen.trouble = screen.machine = screen.core = long_text;
    draw();
    assert_null(strstr(memory, "not looked at"));
    screen.trouble = screen.machine = screen.core = "";
    while (strcmp(names[asked.index[1]], "loaded") != 0)
        asked.index[1]++;
    asked.count = 2;
    draw();
    assert_null(strstr(memory, "not looked at"));
    asked.count = 1;
    screen.is_emulated = true;
    draw();
    assert_null(strstr(memory, "not looked at"));
}

/* A line says it before everything else, and each experiment has one for its verdicts. */
TEST(an_emulator)
{
    for (unsigned i = 0; i < 4; i++) {
        struct verdict *v =
            give(i < 3 ? "mlp 2m" : "mlp 4k", i % 3 ? "mlp" : "rob_entries", SKIP, NAN);
        verdict_conclude(v, SKIP, REASON_EMULATED, "%s", "");
    }
    verdict_conclude(give("mlp 1g", "mlp", SKIP, NAN), SKIP, REASON_UNAVAILABLE, "no pages");
    verdict_conclude(give("tlb 4k-cold", "walk_cost", SKIP, NAN), SKIP, REASON_EMULATED, "%s", "");
    screen.is_emulated = true;
    draw();
    assert_memory_equal(memory, "emulated:     ", 14);
    assert_line("ROB           skip  does not apply (emulated)");
    text_clear(&page);
    screen_verdicts(&list, &page);
    assert_string_equal(memory, "skip  mlp 2m rob_entries and 3 more: does not apply (emulated)\n"
                                "skip  mlp 1g mlp: cannot be had here; no pages\n"
                                "skip  tlb 4k-cold walk_cost: does not apply (emulated)\n");
}

TEST(long_reasons)
{
    static const char *const answers[][2] = {
        {"mlp 2m", "mlp"}, {"array 2m", "l1_bytes"}, {"array 2m", "memory_latency"}};
    for (EACH(answer, answers)) {
        struct verdict *v = give((*answer)[0], (*answer)[1], DOUBT, NAN);
        strcpy(v->method, "some words that have no room in one line of the last page, as it is");
    }
    strcpy(verdicts[0].method,
           "some words that have no room in one line of the last page, as it is "
           "so narrow; nor in two, for there are more of them than that");
    assert_drawn("MLP           doubt some words that have no room in one line of the last page,\n"
                 "              as it is so narrow; nor in two, for there are more of them tha...");
    assert_line("memory        doubt some words that have no room in one line of the last page,\n"
                "              as it is");
    screen.core = "more than one line, which was there first; and so the last of the others "
                  "cannot have a second one";
    assert_drawn("memory        doubt some words that have no room in one line of the last pa...");
    assert_line("caches        doubt some words that have no room in one line of the last page,\n"
                "              as it is");
    assert_line("core          more than one line, which was there first; and so the last of the\n"
                "              others cannot have a second one");
}
