/* largest_window: halves until the platform can map it. */
#include "largest_window.h"

#include "../lib/size.h"

const char *largest_window_map(struct measurement *m, uint64_t largest, uint64_t smallest,
                               enum page_size page, struct window *window)
{
    struct platform *p = m->platform;
    char memory[200], size[SIZE_TEXT_MAX];
    struct text note;
    const char *reason = NULL;
    text_init(&note, memory, sizeof memory);
    for (uint64_t bytes = largest; bytes >= smallest; bytes /= 2) {
        const struct window_request request = {
            .bytes = bytes, .page = page, .seed = m->config->seed, .node = m->node};
        reason = p->map_window(p, &request, window);
        if (reason == NULL)
            break;
        if (note.length == 0)
            text_printf(&note, "%s %s: not %s: %s\n", m->experiment->name, m->variant,
                        size_text(size, bytes), reason);
    }
    if (reason == NULL && note.length > 0)
        p->print(p, memory);
    return reason;
}
