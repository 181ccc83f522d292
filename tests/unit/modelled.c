/* modelled: one model and one window. */
#include "modelled.h"

#include "../../kernel/probe/chain_probe.h"
#include "kit.h"

struct model_platform model;
struct platform *const platform = &model.host.platform;
struct window window;
int32_t displacement[PROBE_LOADS_MAX];
const struct timing fence_order = {.order = ORDER_LFENCE, .rdtscp = true};
static bool is_open;

const char *map_window(uint64_t bytes, enum page_size page, enum frame_order frames,
                       struct window *mapped)
{
    const struct window_request request = {
        .bytes = bytes, .page = page, .frames = frames, .seed = 1, .node = NODE_ANY};
    return platform->map_window(platform, &request, mapped);
}

void open_model(const char *text, uint64_t bytes, enum page_size page)
{
    struct model_parameters parameters;
    char error[512];
    close_model();
    assert_true(model_parameters_read(text, &parameters, error, sizeof(error)));
    assert_null(model_platform_open(&model, &parameters, NULL));
    is_open = true;
    model.host.console = fopen("/dev/null", "w");
    assert_null(map_window(bytes, page, FRAMES_SHUFFLED, &window));
    for (int i = 0; i < PROBE_LOADS_MAX; i++)
        displacement[i] = i * 4096 + (i % 63 + 1) * 64;
}

TEARDOWN_ALL(close_last_model)
{
    close_model();
}

void close_model(void)
{
    if (!is_open)
        return;
    is_open = false;
    fclose(model.host.console);
    if (window.base != NULL)
        platform->unmap_window(platform, &window);
    model_platform_close(&model);
}

void open_model_of(uint64_t bytes, enum page_size page, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    assert_in_range(vsnprintf(text, sizeof text, format, arguments), 0, sizeof text - 1);
    va_end(arguments);
    open_model(text, bytes, page);
}

struct raw_code {
    const char *code;
    size_t bytes;
    uint64_t result;
};

static void run_raw_code(void *context)
{
    struct raw_code *raw = context;
    memcpy(platform->code.write, raw->code, raw->bytes);
    platform->publish_code(platform, raw->bytes);
    raw->result = platform->run_code(platform, window.base);
}

bool run_raw(const char *code, size_t bytes, uint64_t *result)
{
    struct raw_code raw = {.code = code, .bytes = bytes};
    bool is_done = platform->quietly(platform, run_raw_code, &raw);
    *result = raw.result;
    return is_done;
}

void publish(const struct mlp_shape *shape)
{
    size_t length = mlp_probe_emit(platform->code.write, platform->code.bytes, shape, displacement);
    assert_compare(length, >, 0);
    platform->publish_code(platform, length);
}

void prepare(unsigned loads, unsigned tlb)
{
    if (tlb == AGAIN) {
        platform->run_code(platform, window.base);
        return;
    }
    platform->evict(platform, window.base, displacement, loads);
    if (tlb == TLB_NATURAL)
        platform->crowd_tlb(platform, &window);
    if (tlb == TLB_WARM)
        platform->touch_pages(platform, window.base, displacement, loads);
    if (tlb >= TLB_COLD)
        platform->forget_pages(platform, window.base, displacement, loads);
    if (tlb == TLB_WALKMEM)
        platform->evict_translations(platform, window.base, displacement, loads);
}

uint64_t sample(const struct mlp_shape *shape, unsigned tlb)
{
    publish(shape);
    prepare(shape->loads, tlb);
    return platform->run_code(platform, window.base);
}

uint64_t sample_loads(unsigned loads, unsigned tlb)
{
    return sample(&(struct mlp_shape){.loads = loads, .timing = fence_order}, tlb);
}

uint64_t sample_fillers(unsigned loads, enum filler filler, unsigned fillers)
{
    const struct mlp_shape shape = {
        .loads = loads, .fillers = fillers, .filler = filler, .timing = fence_order};
    return sample(&shape, TLB_WARM);
}

unsigned last_overlap(enum filler filler, uint64_t ticks)
{
    unsigned k = 0;
    while (k < 1000 && sample_fillers(2, filler, k) < ticks)
        k++;
    return k - 1;
}

void write_chain(uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 64)
        *(uint8_t **)(window.base + at) = window.base + (at + 64) % bytes;
}

uint64_t follow(uint8_t **pointers, unsigned chains, unsigned steps, const struct timing *timing)
{
    const struct chain_shape shape = {.chains = chains, .steps = steps, .timing = *timing};
    size_t length = chain_probe_emit(platform->code.write, platform->code.bytes, &shape);
    assert_compare(length, >, 0);
    platform->publish_code(platform, length);
    return platform->run_code(platform, (uint8_t *)pointers);
}
