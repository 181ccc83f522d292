/* test_prefetch_proof: prefetchers that are off, or only say so. */
#include "../../kernel/engine/measurement.h"
#include "../../kernel/probe/mlp_probe.h"
#include "fake_platform.h"
#include "kit.h"

static struct fake_platform fake;
static struct measurement m;
static struct processor processor;
static unsigned off_ticks, evictions;

/* In place of kernel/probe/mlp_probe.c: each load waits for the one before, which no prefetcher
 * does. */
size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement)
{
    assert_true(code == fake.code && room == sizeof fake.code && displacement != NULL);
    assert_true(shape->dependent);
    assert_compare(shape->loads, >, 1);
    assert_int_equal(shape->fillers, 0);
    return 1;
}

static uint64_t run_code(struct platform *self, uint8_t *base)
{
    (void)self;
    assert_true(fake.inside);
    assert_true(base >= fake.window.base && base < fake.window.base + fake.window.bytes);
    fake.runs++;
    return fake.runs % 7 == 0 ? 100000 : fake.prefetch ? 1000 : off_ticks; /* some are disturbed */
}

/* The lines of a page, one after the other. */
static void evict(struct platform *self, uint8_t *base, const int32_t *displacement, unsigned count)
{
    (void)self;
    assert_int_equal((base - fake.window.base) % 4096, 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(displacement[i], 64 * i);
    assert_compare(count * 64, <=, 4096);
    evictions++;
}

SETUP(start)
{
    fake_platform_open(&fake);
    fake.platform.run_code = run_code;
    fake.platform.evict = evict;
    m = (struct measurement){.platform = &fake.platform, .processor = &processor};
    off_ticks = 1300;
    evictions = 0;
}

TEARDOWN(stop)
{
    fake_platform_assert_returned(&fake);
}

TEST(off_is_slower)
{
    assert_null(prefetch_proof(&m));
    assert_false(fake.prefetch);
    assert_compare(evictions, >, 20);
}

/* By a fifth, at least. */
TEST(off_is_no_slower)
{
    off_ticks = 1199;
    assert_string_equal(prefetch_proof(&m), "switched off, but a streaming walk gets no slower");
    stop();
    start();
    off_ticks = 1201;
    assert_null(prefetch_proof(&m));
}

/* What was found holds for the measurement, and not for the next. */
TEST(once)
{
    prefetch_proof(&m);
    unsigned runs = fake.runs;
    off_ticks = 1000;
    assert_null(prefetch_proof(&m));
    assert_int_equal(fake.runs, runs);
    m.prefetch_is_tried = false;
    assert_non_null(prefetch_proof(&m));
}

TEST(no_window)
{
    fake.no_page[PAGE_4K] = "no pages";
    assert_string_equal(prefetch_proof(&m), "no pages");
}

/* In either state: nothing is proved. */
TEST(faults)
{
    for (unsigned at = 1; at <= 2; at++) {
        fake.slices = 0;
        fake.fault_at = at;
        m.prefetch_is_tried = false;
        assert_non_null(prefetch_proof(&m));
    }
}
