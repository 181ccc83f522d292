/* test_seconds: what experiments say beforehand, against what they took. */
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define FACTOR 2.0 /* "about": a neighbour on the core alone takes as much */

static struct memory_nodes nodes;

SETUP(open)
{
    experiment_open("mlp");
    nodes = (struct memory_nodes){.count = 1};
    fake.platform.nodes = &nodes;
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
    config_init(&config);
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
 * added, and three fillers to the eight. */
TEST(what_silicon_took)
{
    static const struct {
        const char *name;
        double quick, full;
    } took[] = {
        {"noise", 1.3, 10.3},  {"mlp", 2.7, 21.7},   {"structures", 1.6, 10.8},
        {"tlb", 1.6, 5.0},     {"array", 8.6, 10.8}, {"patterns", 7.6, 36.0},
        {"shuffle", 8.7, 9.1}, {"loaded", 1.4, 2.3},
    };

    for (size_t i = 0; i < sizeof took / sizeof *took; i++) {
        assert_about(took[i].name, "suite=quick", took[i].quick);
        assert_about(took[i].name, "suite=full", took[i].full);
    }
}

/* More to measure takes longer, and nobody forgets a page size or a node. */
TEST(more_takes_longer)
{
    static const struct {
        const char *name, *less, *more;
    } cases[] = {
        {"noise", "noise.seconds=1", "noise.seconds=5"},
        {"mlp", "mlp.loads=1-5", "mlp.loads=1-40"},
        {"mlp", "mlp.access=load", "mlp.access=load nt"},
        {"mlp", "mlp.tlb=warm", "mlp.tlb=warm cold"},
        {"mlp", "node=local", "node=all"},
        {"structures", "structures.fillers=1-5", "structures.fillers=1-50"},
        {"tlb", "samples.min=30", "samples.min=90"},
        {"array", "array.bytes=1k 2k", "array.bytes=1k 2k 4k"},
        {"patterns", "patterns.bytes=256m", "patterns.bytes=2g"},
        {"shuffle", "shuffle.bytes=8m", "shuffle.bytes=8m 256m"},
        {"numa", "prefetch=asis", "prefetch=both"},
        {"loaded", "loaded.pauses=0 64", "loaded.pauses=0 64 128"},
    };

    nodes.count = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!(seconds_of(cases[i].name, cases[i].more, 1) >
              seconds_of(cases[i].name, cases[i].less, 1)))
            fail_msg("%s: %s", cases[i].name, cases[i].more);
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        assert_true(seconds_of((*e)->name, "suite=quick", 3) >=
                    seconds_of((*e)->name, "suite=quick", 1));
}

/* What is skipped takes no time. */
TEST(nothing_to_measure)
{
    assert_true(seconds_of("numa", "suite=quick", 2) == 0);
    assert_true(seconds_of("timeline", "suite=quick", 2) == 0);
    fake.platform.start_generators = NULL;
    assert_true(seconds_of("smt", "suite=quick", 2) == 0);
}
