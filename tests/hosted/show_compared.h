/* show_compared: two compared runs for people, and as JSON. */
#ifndef MLPBOOT_HOSTED_SHOW_COMPARED_H
#define MLPBOOT_HOSTED_SHOW_COMPARED_H

#include <stdio.h>

#include "compared_runs.h"

/* What differs in the conditions, what is different, what cannot be told apart, what is the same.
 */
void show_compared(const struct compared_runs *runs, FILE *to);

/* All of it, as one object. */
void show_compared_json(const struct compared_runs *runs, FILE *to);

#endif
