/* test_load_sampler: addresses drawn and states brought about, on a platform that only records. */
#include "../../kernel/probe/load_sampler.h"
#include "kit.h"

#define LINE 64
#define SMALL_PAGE 4096
#define GIB (1ull << 30)
#define WINDOW ((uint8_t *)(1ull << 40)) /* nobody reads or writes there */
#define EVENTS_MAX 512
#define TICKS 1000 /* of the first run; each further one takes a tick more */

/* What was asked of the platform, as a letter each: see the functions below. */
struct event {
    char what;
    uint8_t *base;
    unsigned loads;
    int32_t displacement[PROBE_LOADS_MAX];
};

static struct {
    struct platform platform;
    struct event event[EVENTS_MAX];
    char letters[EVENTS_MAX + 1];
    unsigned events, runs;
    uint64_t ticks_added; /* to each run */
    size_t published;
} fake;

static struct load_sampler sampler;
static uint8_t code[PROBE_CODE_BYTES];
static uint32_t ticks[LOAD_SAMPLES_MAX + 1]; /* of the last visit */

/* --- the platform ---------------------------------------------------------------------------- */

static struct event *note(struct platform *self, char what)
{
    assert_ptr_equal(self, &fake.platform);
    assert_compare(fake.events, <, EVENTS_MAX);
    struct event *event = &fake.event[fake.events];
    *event = (struct event){.what = what};
    fake.letters[fake.events++] = what;
    fake.letters[fake.events] = '\0';
    return event;
}

static void note_lines(struct platform *self, char what, uint8_t *base, const int32_t *displacement,
                       unsigned count)
{
    struct event *event = note(self, what);
    assert_in_range(count, 1, PROBE_LOADS_MAX);
    event->base = base;
    event->loads = count;
    memcpy(event->displacement, displacement, count * sizeof *displacement);
}

#define NOTES_LINES(name, letter)                                                                  \
    static void name(struct platform *self, uint8_t *base, const int32_t *displacement,            \
                     unsigned count)                                                               \
    {                                                                                              \
        note_lines(self, letter, base, displacement, count);                                       \
    }

NOTES_LINES(evict, 'e')
NOTES_LINES(touch_pages, 't')
NOTES_LINES(forget_pages, 'f')
NOTES_LINES(evict_translations, 'x')

static void crowd_tlb(struct platform *self, const struct window *window)
{
    note(self, 'c');
    assert_memory_equal(window, &sampler.window, sizeof *window);
}

static void publish_code(struct platform *self, size_t bytes)
{
    note(self, 'p');
    fake.published = bytes;
}

static void set_span(struct platform *self, uint64_t cycles)
{
    note(self, 's')->loads = (unsigned)cycles;
}

static uint64_t run_code(struct platform *self, uint8_t *base)
{
    note(self, 'r')->base = base;
    return TICKS + fake.runs++ + fake.ticks_added;
}

SETUP(start)
{
    memset(&fake, 0, sizeof fake);
    memset(&sampler, 0xa5, sizeof sampler);
    fake.platform = (struct platform){
        .code = {code, code, sizeof code},
        .evict = evict,
        .touch_pages = touch_pages,
        .crowd_tlb = crowd_tlb,
        .forget_pages = forget_pages,
        .evict_translations = evict_translations,
        .publish_code = publish_code,
        .run_code = run_code,
        .set_span = set_span,
    };
}

/* --- helpers --------------------------------------------------------------------------------- */

static struct load_conditions conditions_of(enum page_size page, enum tlb_state tlb, unsigned loads)
{
    return (struct load_conditions){
        .bytes = 2 << 20, .loads = loads, .page = page, .tlb = tlb, .seed = 1};
}

/* In a window exactly as large as it has to be. */
static void reopen(const struct load_conditions *conditions)
{
    struct window window = {
        .base = WINDOW, .bytes = load_conditions_bytes(conditions), .page = conditions->page};
    start();
    assert_null(load_conditions_refusal(&fake.platform, conditions));
    load_sampler_init(&sampler, &fake.platform, conditions, &window);
    assert_int_equal(fake.events, 0);
}

static struct load_conditions opened(enum page_size page, enum tlb_state tlb, unsigned loads)
{
    struct load_conditions conditions = conditions_of(page, tlb, loads);
    reopen(&conditions);
    return conditions;
}

static struct mlp_shape shape_of(unsigned loads)
{
    return (struct mlp_shape){.loads = loads, .fillers = 5, .timing = {.order = ORDER_LFENCE}};
}

/* One visit from here; the events are those of this visit alone. */
static void visit(unsigned loads, unsigned count)
{
    struct mlp_shape shape = shape_of(loads);
    fake.events = 0;
    load_sampler_visit(&sampler, &shape, ticks, count);
}

/* That much memory for each load, as load_sampler.h says of conditions.bytes. */
static uint64_t piece_of(const struct load_conditions *conditions)
{
    bool walks = conditions->tlb == TLB_COLD || conditions->tlb == TLB_WALKMEM;
    return walks ? page_bytes(conditions->page) : SMALL_PAGE;
}

static void check_displacements(const struct load_conditions *conditions, unsigned loads)
{
    uint64_t piece = piece_of(conditions);
    for (unsigned i = 0; i < loads; i++) {
        int32_t at = sampler.displacement[i];
        assert_compare(at % LINE, ==, 0);
        assert_compare(at, >=, 0);
        assert_compare(at % SMALL_PAGE, >=, LINE); /* the first line of a page is for crowd_tlb */
        for (unsigned j = 0; j < i; j++)
            assert_compare((uint64_t)sampler.displacement[j] / piece, !=, (uint64_t)at / piece);
    }
}

static void check_bases(const struct load_conditions *conditions, unsigned loads)
{
    uint64_t half = sampler.window.bytes / 2;
    for (unsigned e = 0; e < fake.events; e++) {
        if (fake.event[e].base == NULL)
            continue;
        uint64_t offset = (uint64_t)(fake.event[e].base - WINDOW);
        assert_compare(offset % piece_of(conditions), ==, 0);
        assert_compare(offset, <, half);
        for (unsigned i = 0; i < loads; i++)
            assert_compare(offset + (uint64_t)sampler.displacement[i] + LINE, <=, half);
    }
}

static unsigned count_of(char letter)
{
    unsigned count = 0;
    for (const char *at = fake.letters; *at != '\0'; at++)
        count += *at == letter;
    return count;
}

static void check_lines(unsigned loads)
{
    for (unsigned e = 0; e < fake.events; e++) {
        struct event *event = &fake.event[e];
        if (event->loads == 0)
            continue;
        assert_int_equal(event->loads, loads);
        assert_memory_equal(event->displacement, sampler.displacement,
                            loads * sizeof *sampler.displacement);
    }
}

/* --- addresses ------------------------------------------------------------------------------- */

/* Every page size and TLB state that one probe can reach, few loads and the most: each load has a
 * piece of its own, all are inside the first half, and what is prepared are the lines that the
 * probe then loads. */
TEST(addresses)
{
    static const unsigned loads[] = {1, 2, 24, PROBE_LOADS_MAX};
    static const uint64_t sizes[] = {2 << 20, 64 << 20, 16 * GIB};
    for (enum page_size page = 0; page < PAGE_SIZES; page++)
        for (enum tlb_state tlb = 0; tlb < TLB_STATES; tlb++)
            for (unsigned i = 0; i < 4 * 3; i++) {
                struct load_conditions conditions = conditions_of(page, tlb, loads[i / 3]);
                conditions.bytes = sizes[i % 3];
                if (page == PAGE_1G && tlb >= TLB_COLD)
                    continue;
                reopen(&conditions);
                for (unsigned v = 0; v < 4; v++) {
                    visit(loads[i / 3], LOAD_SAMPLES_MAX);
                    check_displacements(&conditions, loads[i / 3]);
                    check_bases(&conditions, loads[i / 3]);
                    check_lines(loads[i / 3]);
                }
            }
}

/* In the least window, with one base for each sample of the largest visit, a line comes again only
 * where hardly any is left. */
TEST(natural_visits_of_the_least_window)
{
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_NATURAL, 1);
    conditions.bytes = 1;
    reopen(&conditions);
    assert_int_equal(sampler.window.bytes, 4 * SMALL_PAGE * LOAD_SAMPLES_MAX);
    for (unsigned v = 0; v < 10; v++) {
        uint32_t seen = 0;
        visit(1, LOAD_SAMPLES_MAX);
        for (unsigned e = 0; e < fake.events; e++)
            if (fake.event[e].what == 'e')
                seen |= 1u << (fake.event[e].base - WINDOW) / SMALL_PAGE;
        assert_compare(__builtin_popcount(seen), >=, 28);
    }
}

/* Every line of a natural visit's samples, of how many loads ever; where there is room for all. */
TEST(no_line_twice_in_a_natural_visit)
{
    static uint8_t seen[(64u << 20) / LINE];
    static const unsigned loads[] = {1, 2, 20, 64, 96};
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct load_conditions conditions = conditions_of(PAGE_2M, TLB_NATURAL, loads[i]);
        conditions.bytes = 64u << 20;
        reopen(&conditions);
        for (unsigned v = 0; v < 5; v++) {
            memset(seen, 0, sizeof seen);
            visit(loads[i], LOAD_SAMPLES_MAX);
            for (unsigned e = 0; e < fake.events; e++)
                for (unsigned j = 0; fake.event[e].what == 'e' && j < loads[i]; j++) {
                    uint64_t at =
                        fake.event[e].base - WINDOW + (uint64_t)fake.event[e].displacement[j];
                    assert_compare(at, <, sizeof seen * LINE);
                    assert_int_equal(seen[at / LINE]++, 0);
                }
        }
    }
}

/* A place is a part of the window, and has no line of another's; together they are all of it. */
TEST(places)
{
    uint64_t first[LOAD_PLACES + 1], last[LOAD_PLACES + 1];
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_NATURAL, 1);
    conditions.bytes = 64u << 20;
    reopen(&conditions);
    for (unsigned place = 0; place <= LOAD_PLACES; place++) {
        first[place] = UINT64_MAX;
        last[place] = 0;
        sampler.place = place;
        for (unsigned v = 0; v < 200; v++) {
            visit(1, LOAD_SAMPLES_MAX);
            for (unsigned e = 0; e < fake.events; e++) {
                uint64_t at = fake.event[e].base - WINDOW + (uint64_t)fake.event[e].displacement[0];
                if (fake.event[e].what != 'e')
                    continue;
                first[place] = at < first[place] ? at : first[place];
                last[place] = at > last[place] ? at : last[place];
            }
        }
    }
    for (unsigned place = 2; place <= LOAD_PLACES; place++)
        assert_compare(first[place], >, last[place - 1]);
    assert_compare(last[0], <=, last[LOAD_PLACES] + (1 << 20));
    assert_compare(first[1], <=, first[0] + (1 << 20));
}

/* New displacements at every visit; the same from the same seed, others from another. */
TEST(seeds)
{
    struct load_conditions conditions = conditions_of(PAGE_2M, TLB_NATURAL, 20);
    int32_t kept[20];
    reopen(&conditions);
    visit(20, 4);
    memcpy(kept, sampler.displacement, sizeof kept);
    visit(20, 4);
    assert_memory_not_equal(kept, sampler.displacement, sizeof kept);

    reopen(&conditions);
    visit(20, 4);
    assert_memory_equal(kept, sampler.displacement, sizeof kept);

    conditions.seed = 2;
    reopen(&conditions);
    visit(20, 4);
    assert_memory_not_equal(kept, sampler.displacement, sizeof kept);
}

/* All of a page's lines but the first, and all of the quarter's pages, are drawn some time. */
TEST(every_line_is_drawn)
{
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_NATURAL, 1);
    uint64_t lines = 0, pages[2] = {0};
    reopen(&conditions);
    for (unsigned v = 0; v < 3000; v++) {
        visit(1, 1);
        uint32_t page = (uint32_t)sampler.displacement[0] / SMALL_PAGE;
        assert_in_range(page, 0, 127); /* of the quarter of 2 MB */
        lines |= 1ull << sampler.displacement[0] % SMALL_PAGE / LINE;
        pages[page / 64] |= 1ull << page % 64;
    }
    assert_numbers((lines, pages[0], pages[1]), (UINT64_MAX - 1, UINT64_MAX, UINT64_MAX));
}

/* --- the code -------------------------------------------------------------------------------- */

/* It is complete and published before it runs first, and loads what was drawn. */
TEST(code)
{
    static uint8_t wanted[PROBE_CODE_BYTES];
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_WARM, 10);
    struct mlp_shape shape = shape_of(10);
    reopen(&conditions);
    visit(10, 3);
    shape.vectors = registers_usable();
    size_t length = mlp_probe_emit(wanted, sizeof wanted, &shape, sampler.displacement);
    assert_int_equal(fake.published, length);
    assert_memory_equal(code, wanted, length);
    assert_numbers((fake.letters[0], count_of('p')), ('p', 1));
}

/* As many samples as asked for; the first run, right after publishing, is none of them. */
TEST(samples)
{
    for (enum tlb_state tlb = 0; tlb < TLB_STATES; tlb++)
        for (unsigned count = 1; count <= LOAD_SAMPLES_MAX; count++) {
            struct load_conditions conditions = conditions_of(PAGE_4K, tlb, 3);
            memset(ticks, 0, sizeof ticks);
            reopen(&conditions);
            visit(3, count);
            assert_memory_equal(fake.letters, "pr", 2);
            assert_int_equal(fake.runs, 1 + count);
            for (unsigned i = 0; i <= count; i++)
                assert_int_equal(ticks[i], i < count ? TICKS + 1 + i : 0);
        }
}

/* Each sample's lines are prepared before its span is set, and nothing comes after that. */
TEST(spans)
{
    uint64_t counts[2] = {(uint32_t)-70, 5};
    struct counting counting = {.count = 2, .result = counts, .span = 77, .start = {0x38f, 1}};
    struct mlp_shape shape = {.loads = 3, .timing = {.counting = &counting}};
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_COLD, 3);
    uint32_t samples[2 * 4];
    reopen(&conditions);
    load_sampler_visit(&sampler, &shape, samples, 4);
    assert_string_equal(fake.letters, "prefsrefsrefsrefsr");
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(samples[i], 7); /* cycles: so many more than until the overflow */
        assert_int_equal(samples[4 + i], 5);
    }
    for (unsigned e = 0; e < fake.events; e++)
        if (fake.event[e].what == 's')
            assert_int_equal(fake.event[e].loads, 77);
}

/* And others only where there are others to draw. */
TEST(lines_that_are_kept)
{
    struct load_conditions conditions = conditions_of(PAGE_4K, TLB_COLD, 24);
    int32_t first[PROBE_LOADS_MAX];
    reopen(&conditions);
    sampler.keeps_lines = true;
    visit(24, 3);
    memcpy(first, sampler.displacement, sizeof first);
    for (unsigned i = 0; i < 5; i++) {
        visit(24, 3);
        assert_memory_equal(sampler.displacement, first, 24 * sizeof *first);
    }
    visit(23, 3);
    check_displacements(&conditions, 23);
    assert_memory_not_equal(sampler.displacement, first, 23 * sizeof *first);
    sampler.keeps_lines = false;
    memcpy(first, sampler.displacement, sizeof first);
    visit(23, 3);
    assert_memory_not_equal(sampler.displacement, first, 23 * sizeof *first);
}

/* An interruption of seconds is a long sample, not a short one. */
TEST(very_long_run)
{
    opened(PAGE_4K, TLB_WARM, 1);
    fake.ticks_added = (1ull << 32) + 5;
    visit(1, 1);
    assert_compare(ticks[0], ==, UINT32_MAX);
}

/* --- states ---------------------------------------------------------------------------------- */

/* "pr", then two samples: e evict, t touch, f forget, x evict translations, c crowd, r run. */
static void check_preparation(enum tlb_state tlb, enum data_state data, const char *wanted)
{
    struct load_conditions conditions = conditions_of(PAGE_4K, tlb, 7);
    conditions.data = data;
    reopen(&conditions);
    visit(7, 2);
    assert_string_equal(fake.letters, wanted);
}

/* Loads of cached data bring their lines in themselves, before the TLB is prepared. */
TEST(data_in_memory_and_in_caches)
{
    check_preparation(TLB_NATURAL, DATA_MEMORY, "preecrr");
    check_preparation(TLB_WARM, DATA_MEMORY, "pretretr");
    check_preparation(TLB_COLD, DATA_MEMORY, "prefrefr");
    check_preparation(TLB_WALKMEM, DATA_MEMORY, "prefxrefxr");
    check_preparation(TLB_NATURAL, DATA_CACHED, "prrrcrr");
    check_preparation(TLB_WARM, DATA_CACHED, "prrtrrtr");
    check_preparation(TLB_COLD, DATA_CACHED, "prrfrrfr");
    check_preparation(TLB_WALKMEM, DATA_CACHED, "prrfxrrfxr");
}

/* Behind a large page may be small ones, whose translations other samples' flushes evict. */
TEST(large_pages_are_touched_again)
{
    for (enum page_size page = PAGE_2M; page <= PAGE_1G; page++) {
        struct load_conditions conditions = conditions_of(page, TLB_NATURAL, 7);
        reopen(&conditions);
        visit(7, 2);
        assert_string_equal(fake.letters, "preettcrr");
    }
}

/* Which halves of their pages the flushed lines of a visit are in: bits 0 and 1. */
static unsigned halves_flushed(unsigned loads)
{
    unsigned halves = 0;
    for (unsigned e = 0; e < fake.events; e++)
        for (unsigned i = 0; fake.event[e].what == 'e' && i < loads; i++)
            halves |= 1u << fake.event[e].displacement[i] % SMALL_PAGE / (SMALL_PAGE / 2);
    return halves;
}

/* What is touched for one sample is in the other half of its page, and so no other sample's line;
 * over the visits, lines are in both halves. */
TEST(touched_lines_are_no_sample_s)
{
    struct load_conditions conditions = conditions_of(PAGE_2M, TLB_NATURAL, 96);
    unsigned seen = 0;
    reopen(&conditions);
    for (unsigned v = 0; v < 50; v++) {
        visit(96, LOAD_SAMPLES_MAX);
        assert_in_range(halves_flushed(96), 1, 2);
        seen |= halves_flushed(96);
    }
    assert_int_equal(seen, 3);
    conditions.page = PAGE_4K; /* not touched */
    reopen(&conditions);
    visit(96, 2);
    assert_int_equal(halves_flushed(96), 3);
}

/* All but the last line stay where the probe itself brought them. */
TEST(last_line_in_memory)
{
    check_preparation(TLB_NATURAL, DATA_LAST_IN_MEMORY, "prrerecrr");
    check_preparation(TLB_WARM, DATA_LAST_IN_MEMORY, "prretrretr");
    for (unsigned e = 0; e < fake.events; e++)
        if (fake.event[e].what == 'e') {
            assert_int_equal(fake.event[e].loads, 1);
            assert_int_equal(fake.event[e].displacement[0], sampler.displacement[6]);
            assert_ptr_equal(fake.event[e].base, fake.event[e - 1].base);
        }
}

/* What was stored is written back before others are measured, and not while samples are taken that
 * were prepared before. */
TEST(stores_are_written_back)
{
    static const struct {
        enum tlb_state tlb;
        enum access access;
        const char *wanted;
    } cases[] = {{TLB_NATURAL, ACCESS_STORE, "preecrree"},   {TLB_WARM, ACCESS_STORE, "pretreetre"},
                 {TLB_NATURAL, ACCESS_NT, "preecrr"},        {TLB_WARM, ACCESS_NT, "pretretr"},
                 {TLB_NATURAL, ACCESS_PREFETCH, "preecrr"},  {TLB_COLD, ACCESS_STORE, "prefreefre"},
                 {TLB_WALKMEM, ACCESS_STORE, "prefxreefxre"}};
    for (EACH(c, cases)) {
        struct load_conditions conditions = conditions_of(PAGE_4K, c->tlb, 7);
        struct mlp_shape shape = shape_of(7);
        reopen(&conditions);
        shape.access = c->access;
        load_sampler_visit(&sampler, &shape, ticks, 2);
        assert_string_equal(fake.letters, c->wanted);
    }
    /* The last case's, one by one: at the same base as the sample before. */
    assert_ptr_equal(fake.event[6].base, fake.event[5].base);
}

/* All steps of a sample are at its own base; a natural visit runs in the order it prepared. */
TEST(steps_share_their_base)
{

    for (unsigned way = 0; way < 2 * TLB_STATES; way++) {
        struct load_conditions conditions = conditions_of(PAGE_4K, way / 2, 7);
        conditions.data = way % 2 ? DATA_CACHED : DATA_MEMORY;
        reopen(&conditions);
        visit(7, LOAD_SAMPLES_MAX);
        bool natural = conditions.tlb == TLB_NATURAL;
        unsigned steps = (fake.events - 2 - natural) / LOAD_SAMPLES_MAX;
        assert_int_equal(fake.events, 2 + natural + steps * LOAD_SAMPLES_MAX);
        for (unsigned i = 0; i < LOAD_SAMPLES_MAX; i++)
            for (unsigned s = 1; s < steps; s++) {
                unsigned first = natural ? 2 + i : 2 + i * steps;
                unsigned other = natural ? first + LOAD_SAMPLES_MAX + 1 : first + s;
                assert_ptr_equal(fake.event[first].base, fake.event[other].base);
            }
        assert_int_equal(count_of('c'), natural);
    }
}

/* --- what is needed -------------------------------------------------------------------------- */

/* A quarter has a piece for every load and a third more, and a base for each sample of a visit. */
TEST(least_window)
{
    static const struct {
        enum page_size page;
        enum tlb_state tlb;
        unsigned loads;
        uint64_t least;
    } windows[] = {{PAGE_4K, TLB_NATURAL, 1, 4 * 32 * 4096ull},
                   {PAGE_4K, TLB_COLD, 24, 4 * 32 * 4096ull},
                   {PAGE_4K, TLB_WALKMEM, 96, 4 * 128 * 4096ull},
                   {PAGE_2M, TLB_NATURAL, 96, 4 * 128 * 4096ull},
                   {PAGE_2M, TLB_WARM, 96, 4 * 128 * 4096ull},
                   {PAGE_2M, TLB_COLD, 2, 4 * 32 * (2ull << 20)},
                   {PAGE_2M, TLB_COLD, 96, 4 * 128 * (2ull << 20)},
                   {PAGE_2M, TLB_WALKMEM, 96, 4 * 128 * (2ull << 20)},
                   {PAGE_1G, TLB_WARM, 96, 4 * 128 * 4096ull}};
    for (EACH(c, windows)) {
        struct load_conditions conditions = conditions_of(c->page, c->tlb, c->loads);
        for (unsigned more = 0; more < 3; more++) {
            conditions.bytes = c->least - 1 + more;
            assert_true(load_conditions_bytes(&conditions) == c->least + (more == 2));
        }
    }
}

/* In each state of the TLB: refused with these words where `refuses` has its bit. */
static void check_refusals(enum page_size page, unsigned refuses, const char *why)
{
    for (enum tlb_state tlb = 0; tlb < TLB_STATES; tlb++) {
        struct load_conditions conditions = conditions_of(page, tlb, 5);
        const char *reason = load_conditions_refusal(&fake.platform, &conditions);
        assert_int_equal(reason != NULL, refuses >> tlb & 1);
        if (reason != NULL)
            assert_non_null(strstr(reason, why));
    }
}

/* A displacement has 31 bits: no room for a page of 1 GB for each load. */
TEST(refusals)
{
    check_refusals(PAGE_1G, 1u << TLB_COLD | 1u << TLB_WALKMEM, "more than one probe can reach");
    fake.platform.evict_translations = NULL;
    check_refusals(PAGE_4K, 1u << TLB_WALKMEM, "cannot evict page-table entries");
    fake.platform.forget_pages = NULL;
    check_refusals(PAGE_4K, 1u << TLB_COLD | 1u << TLB_WALKMEM, "cannot invalidate a translation");
}
