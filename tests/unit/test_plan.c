/* test_plan: what is planned against what runs have left, and that no configuration breaks it. */
#include "../../kernel/report/plan.h"
#include "kit.h"

static struct config config;

static struct plan plan_of(const char *const *setting)
{
    char memory[500];
    struct text said;
    text_init(&said, memory, sizeof memory);
    config_init(&config);
    for (; *setting != NULL; setting++)
        assert_int_equal(config_read_setting(&config, "--set", *setting, &said), 0);
    assert_int_equal(config_finish(&config, &said), 0);
    return plan_files(&config);
}

#define PLAN(...) plan_of((const char *const[]){__VA_ARGS__, NULL})

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

TEST(more_is_asked_for_more_is_planned)
{
    uint64_t usual = PLAN("suite=quick").results;
    assert_true(PLAN("mlp.loads=1-96").results > 2 * usual);
    assert_true(PLAN("mlp.fillers=0-4096/16").results > 2 * usual);
    assert_true(PLAN("mlp.tlb=warm cold").results > usual);
    assert_true(PLAN("prefetch=both").results > usual);
    assert_true(PLAN("node=all").results > usual);
}
