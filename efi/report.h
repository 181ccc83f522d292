/* report: report.html of a run on the volume. */
#ifndef MLPBOOT_EFI_REPORT_H
#define MLPBOOT_EFI_REPORT_H

#include "../kernel/platform.h"

/* The member of struct platform. The template is \report\page.html of the volume booted from. */
const char *report_add(struct platform *self, const char *data, size_t length);

#endif
