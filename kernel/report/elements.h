/* elements: parts of a run's files as elements of report.html. */
#ifndef MLPBOOT_REPORT_ELEMENTS_H
#define MLPBOOT_REPORT_ELEMENTS_H

#include "../lib/text.h"

/* The file of a run that an element holds a part of. */
struct element {
    const char *run;  /* the name of its folder, or what else it is to be called */
    const char *file; /* "results.csv" */
    bool starts_anew; /* the file is this part, and what follows; else what was before stays */
};

/*
 * Makes `text` one element with the first bytes of `data`: as many as there is room for, and no
 * character of UTF-8 broken. How many they are is returned: at least one, where there are any. The
 * text needs room for 8 KB more than six times the length of both names.
 *
 * An element is a line, and begins with its end, since what is before it need not end in one:
 *
 *     <script type="application/json" class="file">{"run":"0007","file":"results.csv",
 *     "how":"append","text":"experiment,case,...\n"}</script>
 *
 * without the break. `how` is "append", or "replace" where the file starts anew. The object is JSON
 * (RFC 8259) in which `<` is \u003c, so that no text can end the element (HTML, "restrictions for
 * contents of script elements"), and bytes from 0x80 are as they are.
 */
size_t element_make(struct text *text, const struct element *part, const char *data, size_t length);

#endif
