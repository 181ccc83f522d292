/* report: the template of the volume, and behind it what the run hands over. */
#include "report.h"

#include "../kernel/lib/text.h"
#include "platform_efi.h"
#include "volume.h"
#include "watchdog.h"

#define TEMPLATE "\\report\\page.html"
#define NAME "report.html"

static const char *unreadable(const char *why)
{
    static char reason[160];
    return text_write(reason, sizeof reason, TEMPLATE ", the page itself, cannot be read: %s", why);
}

/* Of a template of so many bytes. */
static const char *copy(struct platform *self, size_t length)
{
    size_t read;
    bool missing;
    char *page = self->allocate(self, length);
    if (page == NULL)
        return unreadable("there is not enough memory");
    const char *reason = volume_read(TEMPLATE, page, length, &read, &missing);
    if (reason == NULL && (missing || read != length))
        reason = "it has changed meanwhile";
    reason = reason != NULL ? unreadable(reason) : volume_append_copy(NAME, page, length);
    self->release(self, page, length);
    return reason;
}

static const char *begin(struct platform *self)
{
    char byte;
    size_t length;
    bool missing;
    const char *reason = volume_read(TEMPLATE, &byte, sizeof byte, &length, &missing);
    if (reason == NULL && missing)
        reason = "it is not on the volume that this was started from";
    if (reason == NULL && length == 0)
        reason = "it is empty";
    return reason != NULL ? unreadable(reason) : copy(self, length);
}

const char *report_add(struct platform *self, const char *data, size_t length)
{
    struct platform_efi *p = (struct platform_efi *)self;
    watchdog_feed();
    const char *reason = p->has_report ? NULL : begin(self);
    if (reason != NULL)
        return reason;
    p->has_report = true;
    watchdog_feed();
    return volume_append_copy(NAME, data, length);
}
