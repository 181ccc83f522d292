/* report: the template, and behind it what the run hands over. */
#include "report.h"

#include "../kernel/lib/text.h"
#include "platform_efi.h"
#include "storage/volumes.h"
#include "watchdog.h"

#define TEMPLATE "report/page.html"
#define TEMPLATE_BYTES_MAX (512u << 10)
#define NAME "report.html"

/* Reads the template into `page`, so many bytes. NULL, or why not. */
static const char *read_template(char *page, size_t *length)
{
    static char words[160];
    bool missing;
    const char *reason = volumes_read(TEMPLATE, page, TEMPLATE_BYTES_MAX, length, &missing);
    if (missing)
        reason = "it is not where this was started from";
    if (*length > TEMPLATE_BYTES_MAX)
        reason = "it has more than 512 KB";
    if (reason == NULL)
        return NULL;
    return text_write(words, sizeof words, TEMPLATE ", the page itself, cannot be read: %s",
                      reason);
}

static const char *begin_page(struct platform *self)
{
    struct platform_efi *own = (struct platform_efi *)self;
    size_t length;
    char *page = self->allocate(self, TEMPLATE_BYTES_MAX);
    if (page == NULL)
        return "there is not enough memory for the page";
    const char *reason = read_template(page, &length);
    if (reason == NULL)
        reason = places_append(own->places, NAME, page, length);
    self->release(self, page, TEMPLATE_BYTES_MAX);
    return reason;
}

const char *report_add(struct platform *self, const char *data, size_t length)
{
    struct platform_efi *p = (struct platform_efi *)self;
    watchdog_feed();
    const char *reason = p->has_report ? NULL : begin_page(self);
    if (reason != NULL)
        return reason;
    p->has_report = true;
    return places_append(p->places, NAME, data, length);
}
