/* test_screen: the last page of a run, whatever verdicts there are: it fits, and answers. */
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
static const struct headline *headlines[HEADLINES_MAX];
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
                             .headline_count = experiment_headlines(headlines),
                             .headlines = headlines,
                             .verdicts = &list,
                             .results = "\\results\\0001"};
    text_init(&page, memory, sizeof memory);
}

/* Adds a verdict of an experiment's case, "mlp 2m"; NAN is no value. */
static struct verdict *give(const char *of, const char *name, const char *unit,
                            enum verdict_status status, double value)
{
    struct variant variant = {.label = ""};
    const char *slug = strchr(of, ' ') + 1;
    snprintf(variant.experiment, sizeof variant.experiment, "%.*s", (int)(slug - of) - 1, of);
    case_read(slug, &variant);
    struct verdict *v = verdict_add(&list, &variant, name, unit);
    if (!isnan(value))
        verdict_value(v, value, value - 1, value + 1);
    verdict_conclude(v, status, "why it is so");
    return v;
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

TEST(all_answers)
{
    give("mlp 2m", "rob_entries", "entries", OK, 192);
    give("mlp 2m", "mlp", "loads", OK, 10);
    give("mlp 2m", "fill_buffers", "buffers", DOUBT, 12);
    give("mlp 2m", "one_load", "ticks", OK, 230);
    give("mlp 4k", "mlp", "loads", OK, 5);
    give("array 2m", "l1_bytes", "bytes", OK, 32768);
    give("array 2m", "l2_bytes", "bytes", OK, 262144);
    give("array 2m", "l3_bytes", "bytes", DOUBT, 20971520);
    give("array 2m", "memory_latency", "ticks", OK, 200.25);
    give("tlb 4k", "walk_cost", "ticks", OK, 60);
    give("tlb chain-4k", "dtlb_entries", "entries", OK, 96);
    give("tlb chain-4k", "stlb_entries", "entries", OK, 2048);
    give("noise quiet", "shared_share", "%", OK, 0);
    give("noise quiet", "max_gap", "ns", OK, 1234.5);
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
    assert_line("core shared   ok    0        -1 .. 1            %       noise quiet");
    assert_line("longest gap   ok    1235 ns [1234..1236]  noise quiet");
    assert_line("14 verdicts: 12 ok, 2 doubt, 0 skip, 0 error; reasons in verdicts.csv");
}

/* What a sibling that was ordered to work leaves is a shared core's, too. */
TEST(a_working_sibling_comes_last)
{
    static const char *const beside[] = {"smt nop-busy", "smt nop-loading"};
    for (unsigned i = 0; i < 2; i++) {
        give(beside[i], "rob_entries", "entries", OK, 160);
        assert_drawn("ROB           ok    160      159 .. 161         entries of the shared core\n"
                     "              smt nop-busy");
    }
    give("smt nop-idle", "rob_entries", "entries", DOUBT, 320);
    assert_drawn("ROB           doubt 320      319 .. 321         entries smt nop-idle");
}

/* Both levels are of pages of one size. */
TEST(a_list_is_of_one_case)
{
    give("tlb chain-2m", "dtlb_entries", "entries", DOUBT, 32);
    give("tlb chain-2m", "stlb_entries", "entries", DOUBT, 1500);
    give("tlb chain-4k", "dtlb_entries", "entries", OK, 72);
    give("tlb chain-4k", "stlb_entries", "entries", DOUBT, 3000);
    assert_drawn("TLB           ok    L1 72 [71..73]  L2 3000 [2999..3001] (doubt)  tlb chain-4k");
}

/* What fits of prefetches or stores is another question. */
TEST(loads_come_first)
{
    give("mlp 2m-store", "fill_buffers", "buffers", OK, 48);
    give("mlp 2m", "fill_buffers", "buffers", DOUBT, 12);
    assert_drawn("fill buffers  doubt 12       11 .. 13           buffers mlp 2m (2m-store: 48)");
}

/* ok before doubt before skip, a whole core before a shared one; then the first. Others follow as
 * long as they fit: 1g does not. */
TEST(which_case_is_shown)
{
    give("mlp 2m-shared", "mlp", "loads", OK, 4);
    assert_drawn("MLP           ok    4        3 .. 5             loads of the shared core\n"
                 "              mlp 2m-shared");
    give("mlp 1g", "mlp", "loads", SKIP, NAN);
    assert_drawn("MLP           ok    4        3 .. 5             loads of the shared core\n"
                 "              mlp 2m-shared");
    give("mlp 4k", "mlp", "loads", DOUBT, NAN);
    assert_drawn("MLP           doubt why it is so");
    give("mlp 1g", "mlp", "loads", DOUBT, 9);
    assert_drawn("MLP           doubt 9        8 .. 10            loads   mlp 1g (2m-shared: 4)");
    give("mlp 4k", "mlp", "loads", OK, 8);
    give("mlp 1g", "mlp", "loads", OK, 7);
    assert_drawn("MLP           ok    8        7 .. 9             loads   mlp 4k (2m-shared: 4)");
}

/* Where there is no array, what one load takes. */
TEST(the_next_best)
{
    give("array 2m", "memory_latency", "ticks", SKIP, NAN);
    assert_drawn("memory        skip  why it is so");
    give("mlp 2m", "one_load", "ticks", OK, 300);
    assert_drawn("memory        ok    300 ticks [299..301]  mlp 2m one_load");
    give("array 2m", "memory_latency", "ticks", DOUBT, 100);
    assert_drawn("memory        doubt 100 ticks [99..101]  array 2m");
}

TEST(how_many_of_each_status)
{
    const enum verdict_status status[] = {
        OK, DOUBT, DOUBT, SKIP, VERDICT_ERROR, VERDICT_ERROR, VERDICT_ERROR};
    for (unsigned i = 0; i < 7; i++)
        give("mlp 2m", "mlp", "loads", status[i], 10);
    assert_drawn("7 verdicts: 1 ok, 2 doubt, 1 skip, 3 error; reasons in verdicts.csv");
}

/* A lower bound is better than no value, and is told with its reason. */
TEST(a_lower_bound)
{
    give("mlp 2m", "fill_buffers", "buffers", DOUBT, NAN);
    struct verdict *v = give("mlp 4k", "fill_buffers", "buffers", DOUBT, NAN);
    verdict_value(v, NAN, 61, NAN);
    assert_drawn("fill buffers  doubt at least 61 buffers; why it is so");
    give("mlp 2m", "fill_buffers", "buffers", DOUBT, 70);
    assert_drawn("fill buffers  doubt 70       69 .. 71           buffers mlp 2m");
}

/* A time in core cycles that was measured by itself comes before the run's rate of the clock. */
TEST(cycles_of_their_own)
{
    give("array 2m", "memory_latency", "ticks", OK, 100);
    screen.cycles_a_tick = 2;
    assert_drawn("memory        ok    100 ticks [99..101]  200 cycles  array 2m");
    give("array 2m", "memory_latency_cycles", "cycles", OK, 190);
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
    struct verdict *v = give("noise quiet", "max_gap", "ns", OK, 1);
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        verdict_value(v, times[i].ns, NAN, NAN);
        assert_drawn(times[i].line);
    }
}

TEST(a_value_without_an_interval)
{
    struct verdict *v = give("mlp 2m", "mlp", "loads", OK, 10);
    verdict_value(v, 10, NAN, NAN);
    assert_drawn("MLP           ok    10                          loads   mlp 2m");
}

TEST(what_was_seen_beside)
{
    screen.seen[SEEN_NOISE] = "gaps to 1.5 us";
    screen.seen[SEEN_SHARED_CORE] = "12.5 % of the looks at the core";
    assert_drawn("core shared   seen  12.5 % of the looks at the core");
    assert_line("longest gap   seen  gaps to 1.5 us");
    give("noise quiet", "max_gap", "ns", SKIP, NAN);
    assert_drawn("longest gap   seen  gaps to 1.5 us");
    screen.seen[SEEN_NOISE] = "";
    assert_drawn("longest gap   skip  why it is so");
}

TEST(some_caches)
{
    give("array 4k", "l1_bytes", "bytes", OK, 32768);
    give("array 4k", "l2_bytes", "bytes", DOUBT, NAN);
    give("array 4k", "l3_bytes", "bytes", DOUBT, NAN);
    assert_drawn("caches        ok    L1 32k [32767..32769]  L2, L3 doubt: why it is so");
    verdicts[0].value = NAN;
    verdicts[0].status = DOUBT;
    assert_drawn("caches        doubt why it is so");
}

/* As long as anything may be, of any bytes; every status; every page size. */
TEST(nothing_breaks_the_page)
{
    static const char *const names[] = {"rob_entries", "mlp",      "fill_buffers", "l1_bytes",
                                        "l2_bytes",    "l3_bytes", "one_load",     "walk_cost"};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned size = 0; size < PAGE_SIZES; size++) {
            char of[80];
            snprintf(of, sizeof of, "an-experiment-of-a-name-that-is-as-long-as-any-name-may-be %s",
                     page_names[size]);
            struct verdict *v = give(of, names[i], i < 3 ? "a-unit-that-is-very-long" : "bytes",
                                     (enum verdict_status)((i + size) % 4), -1.5e17 / (size + 1));
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
    give("array 2m", "memory_latency", "ticks", OK, 406.5);
    give("noise quiet", "max_gap", "ns", OK, 152296);
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
    give("array 2m", "l1_bytes", "bytes", OK, 49152);
    give("array 2m", "l1_latency_cycles", "cycles", OK, 5);
    give("array 2m", "l2_bytes", "bytes", OK, 2097152);
    give("array 2m", "l2_latency_cycles", "cycles", OK, 16);
    give("array 2m", "l3_bytes", "bytes", SKIP, NAN);
    give("array 2m", "l1_read_bandwidth", "bytes/cycle", OK, 120);
    give("array 2m", "l3_read_bandwidth", "bytes/cycle", SKIP, NAN);
    give("array 2m", "memory_read_bandwidth", "bytes/cycle", OK, 8.25);
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
TEST(long_reasons)
{
    static const char *const names[] = {"rob_entries", "mlp", "l1_bytes", "memory_latency"};
    for (unsigned i = 0; i < 4; i++) {
        struct verdict *v = give("mlp 2m", names[i], "x", DOUBT, NAN);
        strcpy(v->method, "some words that have no room in one line of the last page, as it is");
    }
    strcpy(verdicts[1].method,
           "some words that have no room in one line of the last page, as it is "
           "so narrow; nor in two, for there are more of them than that");
    assert_drawn("ROB           doubt some words that have no room in one line of the last page,\n"
                 "              as it is");
    assert_line("MLP           doubt some words that have no room in one line of the last page,\n"
                "              as it is so narrow; nor in two, for there are more of them tha...");
    assert_line("memory        doubt some words that have no room in one line of the last page,\n"
                "              as it is");
    screen.core = "more than one line, which was there first; and so the last of the others "
                  "cannot have a second one";
    assert_drawn("memory        doubt some words that have no room in one line of the last pa...");
    assert_line("caches        doubt some words that have no room in one line of the last page,\n"
                "              as it is");
}

/* Words that one line has no room for go on in a second. */
TEST(wrapped)
{
    screen.core =
        "prefetchers as found; turbo as found; the core ran at 1.35 times its nominal rate";
    assert_drawn("core          prefetchers as found; turbo as found; the core ran at 1.35 times\n"
                 "              its nominal rate");
}
