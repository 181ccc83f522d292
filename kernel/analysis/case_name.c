/* case_name: compares whole parts, which dashes separate. */
#include "case_name.h"

#include <stddef.h>

static const char *const tlb_states[] = {"-warm", "-cold", "-walkmem"};

const char *case_name_rest(const char *variant, const char *parts)
{
    while (*parts != '\0' && *variant == *parts) {
        variant++;
        parts++;
    }
    return *parts == '\0' && (*variant == '\0' || *variant == '-') ? variant : NULL;
}

const char *case_name_natural_rest(const char *variant, const char *parts)
{
    const char *rest = case_name_rest(variant, parts);
    for (unsigned i = 0; rest != NULL && i < sizeof tlb_states / sizeof *tlb_states; i++)
        if (case_name_rest(rest, tlb_states[i]) != NULL)
            return NULL;
    return rest;
}
