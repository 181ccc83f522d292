/* test_seconds: what experiments say beforehand, against what they took. */
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define FACTOR 1.75 /* "about": a neighbour on the core alone takes more */

SETUP(open)
{
    experiment_open("mlp");
    make_nodes(1, 0);
}

TEARDOWN(close)
{
    experiment_close();
}

static double seconds_of(const char *name, const char *setting, unsigned pages)
{
    char memory[500];
    struct text said;
    text_init(&said, memory, sizeof memory);
    memset(&config, 0, sizeof config);
    assert_int_equal(config_read_setting(&config, "--set", setting, &said), 0);
    assert_int_equal(config_finish(&config, &said), 0);
    return experiment_find(name)->seconds(&m, pages);
}

static void assert_about(const char *name, const char *setting, double took)
{
    double said = seconds_of(name, setting, 2);
    if (said > FACTOR * took || said < took / FACTOR)
        fail_msg("%s, %s: %g s said, %g s taken", name, setting, said, took);
}

/* On a Zen 4 with two cores, 3.7 GHz, under Linux, with pages of 2 MB and 4 KB, nothing else
 * running. To mlp and structures, which took 0.9, 19.7, 0.4 and 6.4 s, the later looks at jumps are
 * added, and three fillers to the eight. A process cannot switch interrupts off: half of noise is
 * skipped there. */
TEST(what_silicon_took)
{
    fake.platform.interrupts_remain = "a process cannot";
    static const struct {
        const char *name;
        double quick, full;
    } took[] = {{"noise", 1.3, 10.3},  {"mlp", 2.7, 21.7},   {"structures", 1.6, 10.8},
                {"tlb", 1.6, 5.0},     {"array", 8.6, 10.8}, {"patterns", 7.6, 36.0},
                {"shuffle", 8.7, 9.1}, {"loaded", 1.4, 2.3}};

    for (EACH(c, took)) {
        assert_about(c->name, "suite=quick", c->quick);
        assert_about(c->name, "suite=full", c->full);
    }
}

/* Estimates grow in proportion to what is measured, except for parts that are measured once, and
 * for the waits of mlp between looks. */
TEST(more_takes_longer)
{
    static const struct {
        const char *name, *less, *more;
        double times;
    } cases[] = {{"noise", "noise.seconds=1", "noise.seconds=5", 5},
                 {"mlp", "mlp.loads=1-5", "mlp.loads=1-40", 1.7},
                 {"mlp", "mlp.access=load", "mlp.access=load nt", 1.5},
                 {"mlp", "mlp.tlb=warm", "mlp.tlb=warm cold", 1.5},
                 {"mlp", "node=local", "node=all", 1.5},
                 {"structures", "structures.fillers=1-5", "structures.fillers=1-50", 1.8},
                 {"tlb", "samples.min=30", "samples.min=90", 2},
                 {"array", "array.bytes=1k 2k", "array.bytes=1k 2k 4k", 1.5},
                 {"patterns", "patterns.bytes=256m", "patterns.bytes=2g", 8},
                 {"shuffle", "shuffle.bytes=8m", "shuffle.bytes=8m 256m", 33},
                 {"numa", "prefetch=asis", "prefetch=both", 2},
                 {"loaded", "loaded.pauses=0 64", "loaded.pauses=0 64 128", 1.08}};
    nodes.count = 2;
    for (EACH(c, cases)) {
        double times = seconds_of(c->name, c->more, 1) / seconds_of(c->name, c->less, 1);
        if (times < 0.85 * c->times || times > 1.15 * c->times)
            fail_msg("%s: %s takes %g times as long", c->name, c->more, times);
    }
}

/* Three page sizes take three times as long as one; some parts use one page size alone, and mlp
 * waits between looks. */
TEST(page_sizes_take_longer)
{
    static const struct {
        const char *name;
        double least, most;
    } times[] = {{"noise", 1, 1}, {"floor", 1, 1}, {"mlp", 1.6, 3},    {"structures", 1, 1},
                 {"tlb", 3, 3},   {"array", 3, 3}, {"patterns", 3, 3}, {"shuffle", 3, 3},
                 {"numa", 3, 3},  {"smt", 1, 1},   {"loaded", 2, 3},   {"timeline", 3, 3}};
    nodes.count = 2;
    offer_counters();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double one = seconds_of(times[i].name, "suite=quick", 1);
        assert_within(seconds_of(times[i].name, "suite=quick", 3) / one, times[i].least - 1e-9,
                      times[i].most + 1e-9);
        assert_string_equal(experiments[i]->name, times[i].name); /* all of them */
    }
    assert_null(experiments[sizeof times / sizeof *times]);
}

/* What is skipped takes no time. */
TEST(nothing_to_measure)
{
    assert_compare(seconds_of("numa", "suite=quick", 2), ==, 0);
    assert_compare(seconds_of("timeline", "suite=quick", 2), ==, 0);
    fake.platform.start_generators = NULL;
    assert_compare(seconds_of("smt", "suite=quick", 2), ==, 0);
}
