/* reason: the table as text. */
#include "reason.h"

#define REASON_ROW(id, code, words) {code, words},
static const struct {
    const char *code, *words;
} reasons[REASON_COUNT] = {{"", ""}, REASONS(REASON_ROW)};

const char *reason_code(enum reason reason)
{
    return reasons[reason].code;
}

const char *reason_words(enum reason reason)
{
    return reasons[reason].words;
}
