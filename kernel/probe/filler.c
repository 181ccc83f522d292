/* filler: the forms of each kind in turn. */
#include "filler.h"

#include "../lib/string.h"

#define KIND(id, name, base, length, ...) {name, BASE_##base, length, {__VA_ARGS__}},
const struct filler_kind filler_table[FILLER_KINDS] = {FILLERS(KIND)};

void encode_fillers(struct encoder *e, enum filler kind, unsigned count)
{
    uint8_t unit[FILLER_FORMS * FILLER_BYTES_MAX];
    size_t length = filler_table[kind].length;
    for (unsigned i = 0; i < FILLER_FORMS; i++)
        memcpy(unit + i * length, filler_table[kind].forms[i], length);
    for (; count >= FILLER_FORMS; count -= FILLER_FORMS)
        encode_raw(e, unit, FILLER_FORMS * length);
    encode_raw(e, unit, count * length);
}
