/* test_plan: what is planned against what runs have left, and that no configuration breaks it. */
#include "../../kernel/report/plan.h"
#include "kit.h"

static struct config config;

static struct plan plan_of(unsigned processors, const char *const *setting)
{
    char memory[500];
    struct text said;
    text_init(&said, memory, sizeof memory);
    config_init(&config);
    for (; *setting != NULL; setting++)
        assert_int_equal(config_read_setting(&config, "--set", *setting, &said), 0);
    assert_int_equal(config_finish(&config, &said), 0);
    return plan_files(&config, processors);
}

#define PLAN_FOR(processors, ...) plan_of(processors, (const char *const[]){__VA_ARGS__, NULL})
#define PLAN(...) PLAN_FOR(1, __VA_ARGS__)

static void assert_roomy(const char *what, uint64_t planned, uint64_t had)
{
    if (planned < had + had / 4 || planned > 4 * had + (256u << 10))
        fail_msg("%s: %lu bytes are planned, and a run had %lu", what, planned, had);
}

/* On the model, whose processor has 20 of the counted events. */
TEST(what_runs_had_fits_twice_or_so)
{
    struct plan quick = PLAN("suite=quick"), full = PLAN("suite=full");
    assert_roomy("quick", quick.results, 414347);
    assert_roomy("quick's page", quick.report, 688100 - 230699);
    assert_roomy("full", full.results, 6562754);
    assert_roomy("full's page", full.report, 7024020 - 230699);
    assert_true(full.verdicts > 35352);
}

/* rows, each of 75 to 92 bytes, in the same runs. */
TEST(each_experiment_alone)
{
    assert_roomy("mlp", PLAN("suite=full", "experiments=mlp").results, 1941808);
    assert_roomy("array", PLAN("suite=full", "experiments=array").results, 1829097);
    assert_roomy("timeline", PLAN("suite=full", "experiments=timeline").results, 2058831);
    assert_roomy("tlb", PLAN("suite=full", "experiments=tlb").results, 536128);
    assert_roomy("structures", PLAN("suite=full", "experiments=structures").results, 87112);
    assert_roomy("numa", PLAN("suite=full", "experiments=numa").results, 101365);
}

/* What multiplies cases, rows or both; test_plan.py has runs of the rest. */
TEST(more_is_asked_for_more_is_planned)
{
    static const struct {
        const char *experiment, *less, *more;
        double times; /* of rows, at least */
    } cases[] = {
        {"mlp", "mlp.loads=1-24", "mlp.loads=1-96", 2.5},
        {"mlp", "mlp.fillers=0-1000/16", "mlp.fillers=0-4000/16", 3},
        {"mlp", "mlp.tlb=warm", "mlp.tlb=warm cold", 1.9},
        {"mlp", "mlp.order=lfence", "mlp.order=lfence cpuid", 1.9},
        {"mlp", "mlp.access=nt", "mlp.access=load", 10},
        {"mlp", "prefetch=asis", "prefetch=both", 1.9},
        {"mlp", "node=local", "node=all", 3},
        {"array", "pages=2m", "pages=2m 4k", 1.9},
        {"smt", "mlp.fillers=0-100/16", "mlp.fillers=0-4000/2", 2},
        {"numa", "mlp.fillers=0-100/16", "mlp.fillers=0-4000/2", 10},
        {"shuffle", "shuffle.stages=8", "shuffle.stages=8-256*2", 4},
        {"loaded", "loaded.cores=0", "loaded.cores=0 1 2", 2.9},
        {"walk", "walk.bytes=1g", "walk.bytes=8m", 3},
        {"noise", "noise.seconds=1", "noise.seconds=600", 20},
    };
    uint64_t none = PLAN("experiments=floor").results;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char experiment[40];
        snprintf(experiment, sizeof experiment, "experiments=%s", cases[i].experiment);
        double less = (double)(PLAN(experiment, cases[i].less).results - none);
        double more = (double)(PLAN(experiment, cases[i].more).results - none);
        if (more < cases[i].times * less)
            fail_msg("%s, %s: %g times the rows of %s", experiment, cases[i].more, more / less,
                     cases[i].less);
    }
}

TEST(each_core_has_what_it_leaves_and_one_twice)
{
    struct plan one = PLAN_FOR(6, "core=boot"), all = PLAN_FOR(6, "core=all");
    uint64_t least = 65536;
    assert_int_equal(PLAN_FOR(1, "core=all").results, one.results);
    assert_int_equal(2 * (all.results - least), 7 * (one.results - least));
    assert_int_equal(2 * (all.verdicts - least), 7 * (one.verdicts - least));
    assert_int_equal(2 * (all.log - least), 7 * (one.log - least));
    assert_true(all.report > all.results + all.verdicts + 2 * 6 * (one.conditions - least));
}

/* A plan that the image's own volume does not take would have its run refused there. */
TEST(however_much_is_asked_for_the_image_has_room)
{
    struct plan most = PLAN_FOR(1024, "suite=full", "core=all", "node=all", "prefetch=both",
                                "loaded.cores=0-1023", "walk.bytes=4m", "samples.max=100000");
    uint64_t all =
        most.results + most.verdicts + 2 * most.conditions + most.log + most.report + (6u << 16);
    assert_in_range(all, 40u << 20, 58u << 20);
}

/* run.json names each processor, whichever of them measure. */
TEST(many_processors_are_told_of)
{
    assert_true(PLAN_FOR(512, "core=boot").conditions - PLAN("core=boot").conditions > 511 * 400);
}
