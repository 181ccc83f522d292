/* page_template: the page that `make` built, build/page.html, to which a run's files are added. */
#ifndef MLPBOOT_HOSTED_PAGE_TEMPLATE_H
#define MLPBOOT_HOSTED_PAGE_TEMPLATE_H

#include <stddef.h>

extern const char page_template[]; /* no NUL ends it */
extern const size_t page_template_bytes;

#endif
