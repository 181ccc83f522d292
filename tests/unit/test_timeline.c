/* test_timeline: cases, spans and ways out, on a platform that only pretends to count. */
#include "../../kernel/experiments/timeline/timeline_rule.h"
#include "../../kernel/pmu/event.h"
#include "../../kernel/probe/floor_probe.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define ALL_COUNTERS (0xf | 7ull << COUNTER_FIXED)
#define SPANS 3
#define LONG 300 /* longer than the additions take */

/* In place of kernel/probe/native.c. */
void native_fence(void)
{
}

static unsigned additions_written;

/* In place of kernel/probe/floor_probe.c: each addition waits for the one before. */
size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *shape)
{
    assert_is_code(code, room);
    assert_numbers((shape->chains, shape->adds), (1, TIMELINE_ADDITIONS_COUNT));
    additions_written++;
    return 1;
}

SETUP(start)
{
    experiment_open("timeline");
    fake_platform_offer(&fake, microarchitecture_named("haswell"), ALL_COUNTERS);
    choose(&config.pages, PAGE_2M, PAGE_4K);
    config.samples_min = 5;
    config.samples_max = 8;
    config.mlp.bytes = 2 << 20;
    config.timeline.loads = 4;
    config.timeline.fillers = 3;
    set_list(&config.timeline.cycles, 1, 7, LONG);
    choose(&config.timeline.tlb, TLB_WARM, TLB_COLD);
}

TEARDOWN(stop)
{
    experiment_close();
}

static unsigned spans_of(const char *name, const char *metric)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < config.timeline.cycles.count; i++)
        found += row_where(case_named(name), metric, ANY, ANY, ROW_NONE,
                           (int64_t)config.timeline.cycles.value[i]) != NULL;
    return found;
}

TEST(every_case_and_span)
{
    static const char *const names[] = {"2m-warm", "2m-cold", "4k-warm", "4k-cold"};
    measure();
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(spans_of(names[i], "instructions"), SPANS);
        assert_int_equal(spans_of(names[i], "core_cycles"), SPANS);
        const struct row *row = row_where(case_named(names[i]), "core_cycles", 4, 3, ANY, 7);
        assert_numbers((row->min, row->max), (7, 7)); /* the fake's counters are then at 0 */
        assert_non_null(row_where(case_named(names[i]), "tsc", 4, 3, ROW_NONE, ROW_NONE));
    }
    assert_int_equal(spans_of(TIMELINE_ADDITIONS, "instructions"), SPANS - 1);
    assert_non_null(row_where(case_named(TIMELINE_ADDITIONS), "core_cycles", ROW_NONE,
                              TIMELINE_ADDITIONS_COUNT, ANY, 7));
    assert_int_equal(m.case_count, 5);
    assert_compare(fake.spans, >, 0);
    assert_compare(additions_written, >, 0);
}

/* The state of the caches and the TLB is brought about for each sample, by the same code. */
TEST(prefetchers_off)
{
    config.prefetch = PREFETCH_BOTH;
    measure();
    assert_numbers((m.case_count, spans_of("4k-cold-nopf", "uops_issued")), (9, SPANS));
}
