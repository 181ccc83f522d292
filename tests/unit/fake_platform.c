/* fake_platform: a platform that keeps account of what is asked of it, and fails when told to. */
#include "fake_platform.h"

#include <sys/mman.h>

#include "../../kernel/pmu/event.h"
#include "kit.h"

static struct memory_nodes no_nodes = {.reason = "no nodes here"};

static struct fake_platform *fake_of(struct platform *self)
{
    struct fake_platform *fake = (struct fake_platform *)self;
    assert_ptr_equal(fake->opened, fake);
    return fake;
}

static void add(char *to, const char *data, size_t length)
{
    size_t used = strlen(to);
    assert_true(used + length < FAKE_TEXT_MAX);
    memcpy(to + used, data, length);
    to[used + length] = '\0';
}

static void print(struct platform *self, const char *text)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    if (text[0] != '\r')
        add(fake->printed, text, strlen(text));
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Exactly so many bytes, so that a sanitizer sees a step beyond them. */
static void *zeroed(uint64_t bytes)
{
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, bytes), 0);
    return memset(memory, 0, bytes);
}

static void *allocate(struct platform *self, uint64_t bytes)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    if (++fake->allocations == fake->failing) {
        fake->failed_bytes = bytes;
        return NULL;
    }
    fake->live++;
    fake->live_bytes += bytes;
    return zeroed(bytes);
}

static void release(struct platform *self, void *memory, uint64_t bytes)
{
    struct fake_platform *fake = fake_of(self);
    assert_non_null(memory);
    assert_true(fake->live > 0 && fake->live_bytes >= bytes);
    fake->live--;
    fake->live_bytes -= bytes;
    free(memory);
}

#define PAGE 4096u

/* As much memory as a window may be, of which only what is touched is taken. A page behind it is
 * nobody's. */
static uint8_t *map_pages(uint64_t bytes)
{
    uint64_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
    uint8_t *base = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + whole, PAGE, PROT_NONE), 0);
    return base;
}

static void unmap_pages(uint8_t *base, uint64_t bytes)
{
    assert_int_equal(munmap(base, (bytes + PAGE - 1) / PAGE * PAGE + PAGE), 0);
}

/* Platforms use their memory for reasons again. */
static const char *refuse(const char *why)
{
    static char reason[80];
    snprintf(reason, sizeof reason, "%s", why);
    return reason;
}

/* From the first page's start to the last one's end; nobody's frames are shared here. */
static uint64_t addresses(uint64_t bytes, enum page_size page, uint64_t stride)
{
    uint64_t size = page_bytes(page);
    return stride > size ? ((bytes + size - 1) / size - 1) * stride + size : bytes;
}

static const char *map_window(struct platform *self, const struct window_request *request,
                              struct window *window)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    assert_true(fake->maps < FAKE_MAPS_MAX);
    refuse("");
    fake->asked[fake->maps++] = *request;
    window->base = NULL;
    if (fake->no_page[request->page] != NULL)
        return refuse(fake->no_page[request->page]);
    if (request->bytes > fake->largest)
        return refuse("too little memory");
    fake->windows++;
    assert_true(fake->windows <= WINDOWS_MAX);
    uint64_t stride = request->stride > 0 ? request->stride : page_bytes(request->page);
    *window = (struct window){.base = map_pages(addresses(request->bytes, request->page, stride)),
                              .bytes = request->bytes,
                              .stride = stride,
                              .page = request->page,
                              .frames = request->frames,
                              .is_twin = request->twin != NULL};
    fake->window = fake->mapped[fake->maps - 1] = *window;
    return NULL;
}

static void unmap_window(struct platform *self, struct window *window)
{
    struct fake_platform *fake = fake_of(self);
    unsigned i = 0;
    assert_false(fake->inside);
    assert_non_null(window->base);
    while (i < fake->maps && fake->mapped[i].base != window->base)
        i++;
    assert_true(i < fake->maps && fake->windows > 0);
    fake->unmapped[fake->unmaps++] = i;
    fake->windows--;
    fake->mapped[i].base = NULL;
    unmap_pages(window->base, addresses(window->bytes, window->page, window->stride));
    window->base = NULL;
}

/* --- the machine ----------------------------------------------------------------------------- */

static bool run_slice(struct fake_platform *fake, bool openly, void (*work)(void *context),
                      void *context)
{
    assert_false(fake->inside);
    if (++fake->slices == fake->fault_at) {
        fake->started = 0;
        return false;
    }
    memset(fake->programmed, 0, sizeof fake->programmed);
    fake->inside = true;
    fake->openly = openly;
    work(context);
    fake->inside = fake->openly = false;
    if (fake->after_slice != NULL)
        fake->after_slice(fake);
    return true;
}

uint64_t fake_worked(struct platform *self)
{
    return ++fake_of(self)->visits * (1000000000 / FAKE_VISITS_PER_SECOND);
}

static bool quietly(struct platform *self, void (*work)(void *context), void *context)
{
    return run_slice(fake_of(self), false, work, context);
}

static bool openly(struct platform *self, void (*work)(void *context), void *context)
{
    return run_slice(fake_of(self), true, work, context);
}

static bool smi_count(struct platform *self, uint32_t *count)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside);
    if (!fake->smi_known)
        return false;
    *count = fake->smis;
    if (fake->smi_every == 0 || ++fake->smi_readings % fake->smi_every == 0)
        fake->smis += fake->smi_step;
    return true;
}

static const char *set_prefetch(struct platform *self, enum setting_choice choice)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    fake->prefetch = choice != SETTING_OFF;
    fake->prefetch_is_found = choice == SETTING_LEAVE;
    fake->prefetch_calls++;
    return choice == SETTING_OFF ? fake->no_prefetch : NULL;
}

/* Preparing lines and pages takes no time here. */
static void prepare_lines(struct platform *self, uint8_t *base, const int32_t *displacement,
                          unsigned count)
{
    assert_true(fake_of(self)->inside);
    assert_true(base != NULL && displacement != NULL && count > 0);
}

static void crowd_tlb(struct platform *self, const struct window *window)
{
    assert_true(fake_of(self)->inside && window->base != NULL);
}

static void publish_code(struct platform *self, size_t bytes)
{
    assert_true(fake_of(self)->inside);
    assert_in_range(bytes, 1, FAKE_CODE_BYTES);
}

static uint64_t run_code(struct platform *self, uint8_t *base)
{
    struct fake_platform *fake = fake_of(self);
    (void)base;
    assert_true(fake->inside);
    fake->runs++;
    return fake->run_ticks;
}

/* --- generators ------------------------------------------------------------------------------ */

static const char *start_generators(struct platform *self, const struct generators_request *request,
                                    unsigned *started)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    assert_int_equal(fake->started, 0);
    fake->starts++;
    fake->started_as = *request;
    *started = 0;
    if (fake->no_generators != NULL)
        return refuse(fake->no_generators);
    *started = request->count > 0 && request->count < fake->others ? request->count : fake->others;
    fake->started = *started;
    fake->orders = 0;
    fake->generated = 0;
    return NULL;
}

static void stop_generators(struct platform *self)
{
    struct fake_platform *fake = fake_of(self);
    assert_false(fake->inside);
    fake->stops++;
    fake->started = 0;
}

static void order_generators(struct platform *self, const struct generator_order *order)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside && fake->started > 0);
    assert_in_range(order->work, GENERATOR_REST, GENERATOR_WORKS - 1);
    assert_true(order->work <= GENERATOR_SPIN || fake->started_as.bytes > 0);
    assert_true(fake->orders < FAKE_ORDERS_MAX);
    fake->ordered[fake->orders++] = *order;
}

static uint64_t generated(struct platform *self)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside && fake->started > 0);
    if (fake->orders > 0 && fake->ordered[fake->orders - 1].work > GENERATOR_SPIN)
        fake->generated += fake->generated_step * fake->started;
    return fake->generated;
}

/* --- counters -------------------------------------------------------------------------------- */

static bool is_refused(const struct fake_platform *fake, const struct counter_use *use)
{
    return fake->refused != NULL && strcmp(event_keys[use->event->key], fake->refused) == 0;
}

static const char *count(struct platform *self, const struct counter_use *use, unsigned uses,
                         struct msr_value *start)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside);
    for (unsigned i = 0; i < uses; i++)
        assert_int_equal(use[i].closes, start != NULL && i == 0);
    if (start != NULL) {
        *start = (struct msr_value){0x38f, 1};
        fake->span = 0;
    }
    assert_in_range(uses, 1, COUNTING_MAX);
    fake->counting = uses;
    fake->most = uses > fake->most ? uses : fake->most;
    memset(fake->programmed, 0, sizeof fake->programmed);
    for (unsigned i = 0; i < uses; i++)
        if (is_refused(fake, &use[i]))
            return "a register does not take it";
    for (unsigned i = 0; i < uses; i++) {
        fake->programmed[i] = use[i].event;
        fake->counter[i] = use[i].counter;
    }
    return NULL;
}

static void set_span(struct platform *self, uint64_t cycles)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside && cycles > 0);
    fake->span = cycles;
    fake->spans++;
}

static void read_counts(struct platform *self, uint64_t *counts)
{
    struct fake_platform *fake = fake_of(self);
    assert_true(fake->inside);
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        if (fake->programmed[i] != NULL)
            counts[i] = fake->count[i] += fake->count_step;
}

/* --- files ----------------------------------------------------------------------------------- */

static const char *append(struct platform *self, const char *file, const char *data, size_t length)
{
    struct fake_platform *fake = fake_of(self);
    snprintf(fake->file, sizeof fake->file, "%s", file);
    fake->appends++;
    if (fake->refuses == NULL)
        add(fake->appended, data, length);
    return fake->refuses;
}

static const char *replace(struct platform *self, const char *file, const char *data, size_t length)
{
    struct fake_platform *fake = fake_of(self);
    snprintf(fake->file, sizeof fake->file, "%s", file);
    fake->replaces++;
    fake->replaced[0] = '\0';
    if (fake->refuses == NULL)
        add(fake->replaced, data, length);
    return fake->refuses;
}

/* --- for tests ------------------------------------------------------------------------------- */

void fake_platform_open(struct fake_platform *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->opened = fake;
    fake->largest = UINT64_MAX;
    fake->run_ticks = 100;
    fake->others = 3;
    fake->platform = (struct platform){
        .name = "fake",
        .ticks_per_second = 1000000000,
        .nodes = &no_nodes,
        .code = {fake->code, fake->code, sizeof fake->code},
        .no_counters = "none are offered",
        .print = print,
        .record = print,
        .show_page = print,
        .allocate = allocate,
        .release = release,
        .map_window = map_window,
        .unmap_window = unmap_window,
        .quietly = quietly,
        .openly = openly,
        .set_prefetch = set_prefetch,
        .evict = prepare_lines,
        .touch_pages = prepare_lines,
        .crowd_tlb = crowd_tlb,
        .forget_pages = prepare_lines,
        .evict_translations = prepare_lines,
        .publish_code = publish_code,
        .run_code = run_code,
        .start_generators = start_generators,
        .stop_generators = stop_generators,
        .order_generators = order_generators,
        .generated = generated,
        .count = count,
        .set_span = set_span,
        .read_counts = read_counts,
        .smi_count = smi_count,
        .append = append,
        .replace = replace,
    };
}

void fake_platform_offer(struct fake_platform *fake, const struct microarchitecture *uarch,
                         uint64_t usable)
{
    fake->offer.uarch = uarch;
    fake->offer.set = (struct counter_set){.usable = usable, .architectural = UINT32_MAX};
    fake->platform.counters = &fake->offer;
}

void fake_platform_assert_returned(const struct fake_platform *fake)
{
    assert_numbers((fake->live, fake->live_bytes, fake->windows, fake->started), (0, 0, 0, 0));
}

const struct microarchitecture *microarchitecture_named(const char *name)
{
    for (unsigned i = 0; i < event_microarchitecture_count; i++)
        if (strcmp(event_microarchitectures[i].name, name) == 0)
            return &event_microarchitectures[i];
    fail_msg("no %s", name);
    return NULL;
}
