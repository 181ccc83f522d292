/* own_folder: makes, fills and removes it. */
#include "own_folder.h"

#include <sys/stat.h>

#include "kit.h"

char own_folder[64];

void make_own_folder(void)
{
    strcpy(own_folder, "/tmp/mlpboot-test-XXXXXX");
    assert_non_null(mkdtemp(own_folder));
    assert_int_equal(chmod(own_folder, 0755), 0);
}

void remove_own_folder(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", own_folder);
    assert_int_equal(system(command), 0);
}

const char *own_path(const char *format, ...)
{
    static char path[256];
    va_list arguments;
    strcat(strcpy(path, own_folder), "/");
    va_start(arguments, format);
    vsnprintf(path + strlen(path), sizeof(path) - strlen(path), format, arguments);
    va_end(arguments);
    return path;
}

void write_bytes(const char *path, const void *bytes, size_t length)
{
    char above[256];
    for (const char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
        mkdir(above, 0755);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}
