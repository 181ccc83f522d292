/* fuzz_names: any names in UTF-16 of a directory; what is kept is sorted and ends with ".cfg". */
#include "fuzz.h"

#include <strings.h>

#include "../../efi/names.h"

static void check(const struct names *names)
{
    MUST(names->count <= NAMES_MAX);
    for (unsigned i = 0; i < names->count; i++) {
        fuzz_check_text(names->at[i], BOOTS_NAME_MAX);
        size_t length = strlen(names->at[i]);
        MUST(length > 4 && strcasecmp(names->at[i] + length - 4, ".cfg") == 0);
        MUST(names->at[i][0] != '.');
        MUST(i == 0 || strcasecmp(names->at[i - 1], names->at[i]) <= 0);
    }
}

/* Units of UTF-16 from the bytes, a NUL behind each name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct names names;
    static char said[1 << 20];
    struct text remarks;
    size_t units = size / 2, start = 0;
    memset(&names, 0xa5, sizeof names);
    names.count = 0;
    text_init(&remarks, said, sizeof said);
    for (size_t end = 0; end < units; end++) {
        if (data[2 * end] != 0 || data[2 * end + 1] != 0)
            continue;
        uint16_t *name = fuzz_copy(data + 2 * start, 2 * (end - start + 1));
        unsigned before = names.count;
        size_t length = remarks.length;
        names_add(&names, name, &remarks);
        MUST(names.count == before || names.count == before + 1);
        MUST(remarks.length == length || remarks.at[remarks.length - 1] == '\n');
        check(&names);
        free(name);
        start = end + 1;
    }
    fuzz_check_lines(said, sizeof said);
    return 0;
}
