/* windows: keeps a list of requests with their windows or refusals. */
#include "windows.h"

#include "../lib/text.h"
#include "measurement.h"

static bool is_equal(const struct window_request *a, const struct window_request *b)
{
    return a->bytes == b->bytes && a->page == b->page && a->frames == b->frames &&
           a->seed == b->seed && a->node == b->node && a->distinct == b->distinct &&
           a->stride == b->stride;
}

/* True if each page has a frame of its own, in order: as a twin needs them. */
static bool is_plain(const struct window_request *request)
{
    return request->distinct == 0 && request->stride == 0;
}

/* Returns a window of the same node that is large enough to share its frames. */
static const struct window *find_twin(const struct windows *w, const struct window_request *request)
{
    for (unsigned i = 0; i < w->count; i++)
        if (w->at[i].refusal == NULL && w->at[i].request.node == request->node &&
            is_plain(&w->at[i].request) && w->at[i].window.bytes >= request->bytes)
            return &w->at[i].window;
    return NULL;
}

const char *windows_get(struct measurement *m, const struct window_request *request, bool shares,
                        const struct window **window)
{
    struct windows *w = &m->windows;
    unsigned i = 0;
    while (i < w->count && !is_equal(&w->at[i].request, request))
        i++;
    if (i == WINDOWS_MAX)
        return "more windows than can be mapped at once";
    struct windows_entry *entry = &w->at[i];
    if (i == w->count) {
        entry->request = *request;
        entry->request.twin = shares && is_plain(request) ? find_twin(w, request) : NULL;
        const char *reason = m->platform->map_window(m->platform, &entry->request, &entry->window);
        entry->refusal =
            reason == NULL ? NULL : text_write(entry->reason, sizeof entry->reason, "%s", reason);
        w->count++;
    }
    *window = &entry->window;
    return entry->refusal;
}

const char *windows_get_largest(struct measurement *m, const struct window_request *request,
                                uint64_t smallest, bool shares, const struct window **window,
                                const char **first_refusal)
{
    struct window_request smaller = *request;
    const char *refusal = NULL, *first = NULL;
    for (; smaller.bytes >= smallest; smaller.bytes /= 2) {
        refusal = windows_get(m, &smaller, shares, window);
        first = first == NULL ? refusal : first;
        if (refusal == NULL)
            break;
    }
    if (first_refusal != NULL)
        *first_refusal = first;
    return refusal;
}

const char *windows_get_for_loads(struct measurement *m, const struct load_conditions *conditions,
                                  uint32_t node, struct load_sampler *sampler)
{
    const struct window_request request = {.bytes = load_conditions_bytes(conditions),
                                           .page = conditions->page,
                                           .frames = conditions->frames,
                                           .seed = conditions->seed,
                                           .node = node};
    const struct window *window;
    const char *refusal =
        load_conditions_refusal(m->platform, conditions) ?: windows_get(m, &request, true, &window);
    if (refusal == NULL)
        load_sampler_init(sampler, m->platform, conditions, window);
    return refusal;
}

void windows_close(struct measurement *m)
{
    struct windows *w = &m->windows;
    for (; w->count > 0; w->count--) {
        struct windows_entry *entry = &w->at[w->count - 1];
        if (entry->refusal == NULL)
            m->platform->unmap_window(m->platform, &entry->window);
    }
}
