/* case_name: the parts of a case's name: page size, TLB state, and what else was varied. */
#ifndef MLPBOOT_ANALYSIS_CASE_NAME_H
#define MLPBOOT_ANALYSIS_CASE_NAME_H

/*
 * What follows the first parts of a name: "" or "-nopf" and so on; NULL where the name does not
 * start with these parts. case_name_rest("4k-cold-nopf", "4k-cold") is "-nopf".
 */
const char *case_name_rest(const char *variant, const char *parts);

/* The same, but NULL as well where a TLB state follows: for cases of the natural state. */
const char *case_name_natural_rest(const char *variant, const char *parts);

#endif
