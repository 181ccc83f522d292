/* size: takes units off as long as nothing is left over. */
#include "size.h"

const char *size_text(char buffer[SIZE_TEXT_MAX], uint64_t bytes)
{
    static const char *const units[] = {"", "k", "m", "g"};
    unsigned unit = 0;
    for (; unit < 3 && bytes != 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    return text_write(buffer, SIZE_TEXT_MAX, "%lu%s", (unsigned long)bytes, units[unit]);
}
