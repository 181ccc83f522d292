/* platform_model: puts the model behind the services that measure; the others stay Linux's. */
#define _GNU_SOURCE 1 /* MAP_NORESERVE, MADV_HUGEPAGE, memfd_create */
#include "platform_model.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../kernel/cpu/msr.h"
#include "../../kernel/data/point.h"
#include "../../kernel/lib/json.h"
#include "../../kernel/probe/sentinel.h"
#include "../hosted/linux_memory.h"

#define SMALL_PAGE 4096u
#define HALF_PAGE 2048u               /* as the services of a real processor do it */
#define HOST_PAGE (UINT64_C(2) << 20) /* aligned so, reading takes the host few page faults */
#define WINDOW_BYTES_MAX (UINT64_C(1) << 37) /* of frames */
#define SPAN_MAX (UINT64_C(1) << 47)         /* of the addresses that a process has */
#define WORK_NANOSECONDS 50                  /* see `worked` of struct model_core */
#define PIECES_MAX 32768 /* one by one: Linux gives a process 65,530 mappings as it is found */

static struct model_platform *model_of(struct platform *self)
{
    return (struct model_platform *)self;
}

/* Leaves `quietly`, as a fault would, because the model cannot go on. */
static void stop(struct platform *self, const char *reason)
{
    struct model_platform *model = model_of(self);
    snprintf(self->fault, sizeof(self->fault), "model: %s%s%s", reason,
             self->step != NULL ? ", during " : "", self->step != NULL ? self->step : "");
    model->is_stopped = true;
    if (model->is_working)
        longjmp(model->stop, 1);
}

static void work(void *context)
{
    struct model_platform *model = context;
    if (setjmp(model->stop) == 0)
        model->work(model->context);
}

/* Faults of the host (the self-test's, or a probe's pointer gone astray) end it as under Linux. */
static bool model_quietly(struct platform *self, void (*of_caller)(void *context), void *context)
{
    struct model_platform *model = model_of(self);
    model->work = of_caller;
    model->context = context;
    model->is_stopped = false;
    model->is_working = true;
    bool is_done = model->guard(self, work, model);
    model->is_working = false;
    if (model->is_stopped || !is_done)
        self->stop_generators(self);
    model_counters_stop(&model->counters);
    if (is_done && model->is_stopped) {
        self->print(self, "\nfault: ");
        self->print(self, self->fault);
        self->print(self, "\n");
    }
    return is_done && !model->is_stopped;
}

/* Only what is written takes memory; the addresses are what the model works with. */
static const char *model_reserve(struct linux_platform *host, uint64_t bytes, uint64_t page,
                                 int access, struct window *window)
{
    uint64_t step = page > HOST_PAGE ? page : HOST_PAGE, reserved = bytes + step;
    void *start = mmap(NULL, reserved, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        snprintf(host->reason, sizeof(host->reason), "no addresses for the window: %s",
                 strerror(errno));
        return host->reason;
    }
    window->base = (uint8_t *)(((uintptr_t)start + step - 1) & ~(step - 1));
    linux_window_keep(host, window, start, reserved);
    return NULL;
}

static const char *map_plainly(struct linux_platform *host, const struct model_layout *layout,
                               struct window *window)
{
    uint64_t page = page_bytes(window->page);
    const char *reason =
        model_reserve(host, layout->pages * page, page, PROT_READ | PROT_WRITE, window);
    if (reason == NULL)
        madvise(window->base, window->bytes, MADV_HUGEPAGE);
    return reason;
}

/* Returns how many pages the host can map at once: those whose frames follow each other. */
static uint64_t pages_at_once(const struct model_layout *layout, enum page_size page)
{
    return layout->stride == page_bytes(page) ? layout->frames : 1;
}

/* The host sees the frames as the model does: two pages with one frame read each other's data. */
static bool put_frames(const struct model_layout *layout, const struct window *window, int frames)
{
    uint64_t page = page_bytes(window->page), piece = pages_at_once(layout, window->page);
    bool is_put = ftruncate(frames, (off_t)(layout->frames * page)) == 0;
    for (uint64_t i = 0; is_put && i < layout->pages; i += piece) {
        uint64_t pages = piece < layout->pages - i ? piece : layout->pages - i;
        is_put = mmap(window->base + i * layout->stride, pages * page, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED | MAP_NORESERVE, frames,
                      (off_t)(i % layout->frames * page)) != MAP_FAILED;
    }
    return is_put;
}

static const char *model_map_frames(struct linux_platform *host, const struct model_layout *layout,
                                    struct window *window)
{
    int frames = memfd_create("frames", MFD_CLOEXEC);
    const char *reason = frames < 0 ? strerror(errno) : NULL;
    if (reason == NULL)
        reason = model_reserve(host, model_layout_span(layout, window->page),
                               page_bytes(window->page), PROT_NONE, window);
    if (reason == NULL && !put_frames(layout, window, frames)) {
        snprintf(host->reason, sizeof(host->reason), "the host cannot map the window's frames: %s",
                 strerror(errno));
        reason = host->reason;
    }
    if (frames >= 0)
        close(frames);
    return reason;
}

static bool is_plain(const struct model_layout *layout, enum page_size page)
{
    return layout->frames == layout->pages && layout->stride == page_bytes(page);
}

static const char *refusal(const struct window_request *request, const struct model_layout *layout)
{
    uint64_t bytes = layout->frames * page_bytes(request->page);
    if (request->bytes == 0 || bytes > WINDOW_BYTES_MAX || request->bytes > SPAN_MAX)
        return "the model maps 1 byte to 128 GB";
    if (bytes > linux_memory_free())
        return "not enough memory, should all of the window be written";
    if (layout->pages / pages_at_once(layout, request->page) > PIECES_MAX)
        return "more pages behind few frames, or far apart, than the host maps";
    if (layout->stride > SPAN_MAX / layout->pages)
        return "a window's addresses end at 128 TB";
    return NULL;
}

/* The model's caches know frames by their numbers, so any order of them is the same to it. */
static const char *model_map_window(struct platform *self, const struct window_request *request,
                                    struct window *window)
{
    struct model_platform *model = model_of(self);
    struct model_layout layout = model_layout_of(request);
    if (request->node != NODE_ANY && request->node > 0)
        layout.remote = model->parameters.remote;
    *window =
        (struct window){.page = request->page, .frames = request->frames, .stride = layout.stride};
    const char *reason = refusal(request, &layout);
    if (reason == NULL)
        reason = linux_window_room(&model->host);
    if (reason != NULL)
        return reason;
    window->bytes = layout.pages * page_bytes(request->page);
    reason = (is_plain(&layout, request->page) ? map_plainly : model_map_frames)(&model->host,
                                                                                 &layout, window);
    if (reason == NULL && !model_windows_add(&model->windows, window, &layout))
        reason = "not enough memory for the model's TLB and caches";
    if (reason != NULL)
        linux_unmap_window(self, window);
    return reason;
}

static void unmap_window(struct platform *self, struct window *window)
{
    model_windows_remove(&model_of(self)->windows, window->base);
    linux_unmap_window(self, window);
}

typedef void line_service(struct model_memory *memory, uint64_t address);

/* Serves each line in a window; all others are in the first-level cache for good. */
static void for_each(struct platform *self, line_service *serve, uint8_t *base,
                     const int32_t *displacement, unsigned count, uint64_t flip)
{
    struct model_windows *windows = &model_of(self)->windows;
    for (unsigned i = 0; i < count; i++) {
        uint64_t address = ((uintptr_t)base + (uint64_t)(int64_t)displacement[i]) ^ flip;
        struct model_memory *memory = model_windows_find(windows, address);
        if (memory != NULL)
            serve(memory, address);
    }
}

static void evict(struct platform *self, uint8_t *base, const int32_t *displacement, unsigned count)
{
    for_each(self, model_memory_evict, base, displacement, count, 0);
}

static void touch_pages(struct platform *self, uint8_t *base, const int32_t *displacement,
                        unsigned count)
{
    for_each(self, model_memory_touch, base, displacement, count, HALF_PAGE);
}

static void forget_pages(struct platform *self, uint8_t *base, const int32_t *displacement,
                         unsigned count)
{
    for_each(self, model_memory_forget_page, base, displacement, count, 0);
}

static void evict_translations(struct platform *self, uint8_t *base, const int32_t *displacement,
                               unsigned count)
{
    for_each(self, model_memory_evict_entry, base, displacement, count, 0);
}

/* Crowds the TLB at the window's end, where the real one does it; no lines come into a cache. */
static void crowd_tlb(struct platform *self, const struct window *window)
{
    uint64_t pages = window->bytes / 2 / SMALL_PAGE;
    if (pages > MODEL_CROWD_PAGES_MAX)
        pages = MODEL_CROWD_PAGES_MAX;
    uint64_t end = (uintptr_t)window->base + window->bytes;
    if (pages > 0)
        model_memory_crowd(model_windows_find(&model_of(self)->windows, end - 1),
                           end - pages * SMALL_PAGE);
}

static void publish_code(struct platform *self, size_t bytes)
{
    const struct code_area *code = &self->code;
    const char *reason = model_core_load(&model_of(self)->core, code->write,
                                         bytes < code->bytes ? bytes : code->bytes);
    if (reason != NULL)
        stop(self, reason);
}

static uint64_t run_code(struct platform *self, uint8_t *base)
{
    uint64_t result = 0;
    const char *reason = model_core_run(&model_of(self)->core, (uintptr_t)base, &result);
    if (reason != NULL)
        stop(self, reason);
    return result;
}

static uint32_t add_side_by_side(struct platform *self)
{
    return sample_of(model_core_add(&model_of(self)->core, SENTINEL_ADDS, SENTINEL_CHAINS));
}

static uint32_t add_in_a_chain(struct platform *self)
{
    return sample_of(model_core_add(&model_of(self)->core, SENTINEL_CHAIN, 1));
}

/* At the pace of an idle host, about which a slice lasts as long as elsewhere. */
static uint64_t worked(struct platform *self)
{
    return model_of(self)->core.worked * WORK_NANOSECONDS;
}

static const char *count(struct platform *self, const struct counter_use *use, unsigned uses,
                         struct msr_value *start)
{
    struct model_platform *model = model_of(self);
    if (start != NULL)
        *start = (struct msr_value){MODEL_GLOBAL_CONTROL, model->counters.unit.usable};
    return model_counters_program(&model->counters, use, uses, model->core.clock);
}

/* Either other cores at its memory, or the other thread, whose lines come from there, too. */
static const char *start_generators(struct platform *self, const struct generators_request *request,
                                    unsigned *started)
{
    struct model_platform *model = model_of(self);
    uint64_t there =
        request->are_siblings ? model->parameters.threads - 1 : model->parameters.cores;
    *started = model_generators_start(&model->windows.common.generators, request, there);
    model->are_siblings = request->are_siblings;
    if (*started > 0)
        return NULL;
    return request->are_siblings ? "the model was given one thread a core (threads=1)"
                                 : "the model was given no other cores (cores=0)";
}

static void stop_generators(struct platform *self)
{
    struct model_platform *model = model_of(self);
    model_generators_stop(&model->windows.common.generators);
    model->core.sibling.work = GENERATOR_REST;
}

static void order_generators(struct platform *self, const struct generator_order *order)
{
    struct model_platform *model = model_of(self);
    struct model_common *common = &model->windows.common;
    model_generators_order(&common->generators, order, model->core.clock, &common->next_line);
    if (model->are_siblings)
        model->core.sibling.work = order->work;
}

static uint64_t generated(struct platform *self)
{
    struct model_platform *model = model_of(self);
    struct model_common *common = &model->windows.common;
    model_generators_advance(&common->generators, model->core.clock, &common->next_line);
    return common->generators.lines * MODEL_LINE_BYTES;
}

static void set_span(struct platform *self, uint64_t cycles)
{
    model_counters_set_span(&model_of(self)->counters, cycles);
}

static void describe_model(struct platform *self, struct json *json)
{
    json_open(json, "model");
    for (unsigned i = 0; i < model_key_count; i++) {
        const struct model_key *key = &model_keys[i];
        json_number(json, key->name, model_parameter(&model_of(self)->parameters, key),
                    key->kind == MODEL_FRACTION ? 6 : 0);
    }
    if (self->fault[0] != '\0')
        json_text(json, "fault", self->fault);
    json_close(json);
}

static const char *set_nothing(struct platform *self, enum setting_choice choice)
{
    (void)self;
    return choice == SETTING_LEAVE ? NULL : "a model has none";
}

/* Switches the prefetchers of every window; a model without prefetchers refuses a change. */
static const char *model_set_prefetch(struct platform *self, enum setting_choice choice)
{
    static const char *const choices[] = {
        [SETTING_LEAVE] = "as found: on", [SETTING_OFF] = "off", [SETTING_ON] = "on"};
    struct model_platform *model = model_of(self);
    if (model->parameters.prefetchers == 0)
        return set_nothing(self, choice);
    model->windows.common.is_prefetching = choice != SETTING_OFF;
    self->prefetch = choices[choice];
    return NULL;
}

static void describe_nodes(struct model_platform *model)
{
    struct memory_nodes *nodes = &model->host.nodes;
    *nodes = (struct memory_nodes){.source = "the model",
                                   .count = model->parameters.remote > 0 ? 2 : 1,
                                   .own_known = true,
                                   .distances_reason = "a model has none"};
    for (uint32_t i = 0; i < nodes->count; i++)
        nodes->node[i] = (struct memory_node){
            .number = i, .bytes = WINDOW_BYTES_MAX, .free_bytes = WINDOW_BYTES_MAX};
}

static void replace_services(struct platform *platform)
{
    platform->name = "model";
    platform->machine = NULL;
    platform->map_window = model_map_window;
    platform->unmap_window = unmap_window;
    platform->quietly = model_quietly;
    platform->interrupts_remain = "a model has neither interrupts nor a time of its own";
    platform->openly = NULL;
    platform->other_processors = "a model has none";
    platform->siblings = NULL;
    platform->choose_core = NULL;
    platform->no_loops = "a model runs generated probes only";
    platform->prefetch = platform->turbo = "a model has none";
    platform->set_prefetch = model_set_prefetch;
    platform->set_turbo = set_nothing;
    platform->evict = evict;
    platform->touch_pages = touch_pages;
    platform->crowd_tlb = crowd_tlb;
    platform->forget_pages = forget_pages;
    platform->evict_translations = evict_translations;
    platform->publish_code = publish_code;
    platform->run_code = run_code;
    platform->sentinel_side_by_side = add_side_by_side;
    platform->sentinel_chain = add_in_a_chain;
    platform->start_generators = start_generators;
    platform->stop_generators = stop_generators;
    platform->order_generators = order_generators;
    platform->generated = generated;
    platform->count = count;
    platform->set_span = set_span;
    platform->worked = worked;
    platform->describe = describe_model;
}

static void offer_counters(struct model_platform *model)
{
    struct platform *platform = &model->host.platform;
    bool is_any = model->parameters.counters > 0;
    platform->counters = is_any ? &model->counters.offer : NULL;
    platform->no_counters = is_any ? NULL : "the model was given none (counters=0)";
}

const char *model_platform_open(struct model_platform *model,
                                const struct model_parameters *parameters,
                                struct results_dir *results)
{
    const char *reason = linux_platform_open(&model->host, LINUX_UNPINNED, results);
    if (reason != NULL)
        return reason;
    model->parameters = *parameters;
    if (!model_counters_open(&model->counters, &model->parameters)) {
        linux_platform_close(&model->host);
        return "not enough memory for the model's counters";
    }
    if (!model_windows_open(&model->windows, &model->parameters, &model->counters.activity)) {
        model_counters_close(&model->counters);
        linux_platform_close(&model->host);
        return "not enough memory for the model's TLB";
    }
    if (!model_core_open(&model->core, &model->parameters, &model->windows, &model->counters)) {
        model_windows_close(&model->windows);
        model_counters_close(&model->counters);
        linux_platform_close(&model->host);
        return "not enough memory for the model's write-combining buffers";
    }
    model->is_working = false;
    model->guard = model->host.platform.quietly;
    replace_services(&model->host.platform);
    offer_counters(model);
    if (parameters->known == 1) {
        model->host.platform.additions_a_cycle = (unsigned)parameters->width;
        model->host.platform.rob_entries = (unsigned)parameters->rob;
    }
    model->host.platform.is_alone = parameters->known == 2;
    describe_nodes(model);
    model_set_prefetch(&model->host.platform, SETTING_LEAVE);
    return NULL;
}

void model_platform_close(struct model_platform *model)
{
    model_core_close(&model->core);
    model_windows_close(&model->windows);
    model_counters_close(&model->counters);
    linux_platform_close(&model->host);
}
