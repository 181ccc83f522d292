/* texts: prints what the table of keys becomes: the mlpboot.cfg that is shipped, the manual's
 * table.
 */
#include <stdio.h>
#include <string.h>

#include "../../kernel/config/describe.h"

int main(int count, char **argument)
{
    static char buffer[DESCRIBE_BYTES_MAX];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    if (count == 2 && strcmp(argument[1], "file") == 0)
        describe_file(&text);
    else if (count == 2 && strcmp(argument[1], "table") == 0)
        describe_table(&text);
    if (text.length == 0 || text.truncated) {
        fprintf(stderr, "texts: %s\n", text.truncated ? "too long" : "accepted: file, table");
        return 1;
    }
    return fputs(buffer, stdout) < 0 || fflush(stdout) != 0;
}
