/* fuzz_json: any bytes as JSON: whoever visits all members and whoever wants a few see the same. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../kernel/lib/utf8.h"
#include "../hosted/run_members.h"

static char brand[JSON_TEXT_MAX], seen_brand[JSON_TEXT_MAX];
static double stepping;
static unsigned members;

static void check_text(const char *text, size_t room)
{
    size_t length = strnlen(text, room);

    MUST(length < room);
    for (size_t i = 0, bytes; i < length; i += bytes) {
        bytes = utf8_printable(text + i, length - i);
        MUST(bytes > 0);
    }
}

static void visit(void *context, const char *path, const char *text)
{
    MUST(context == &members);
    check_text(path, JSON_PATH_MAX);
    check_text(text, JSON_TEXT_MAX);
    if (strcmp(path, "processor.brand") == 0)
        memcpy(seen_brand, text, strlen(text) + 1);
    members++;
}

static void check_error(const char *error)
{
    MUST(strncmp(error, "line ", 5) == 0 && strchr(error, '\n') == NULL);
    check_text(error, 1024);
}

/* The same as the run.json of a folder. */
static void check_file(const char *data, size_t size, bool is_right, unsigned count)
{
    static int file = -1;
    char folder[] = "/tmp/mlpboot-fuzz-XXXXXX", path[64], link[64], error[1024];
    struct run_members read;

    if (file < 0)
        file = memfd_create("fuzz", 0);
    MUST(file >= 0 && ftruncate(file, 0) == 0);
    MUST(pwrite(file, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    MUST(mkdtemp(folder) != NULL);
    snprintf(link, sizeof link, "%s/run.json", folder);
    MUST(symlink(path, link) == 0);
    bool is_read = read_run_members(folder, &read, error, sizeof error);
    MUST(unlink(link) == 0 && rmdir(folder) == 0);
    if (is_read) {
        MUST(is_right && read.count == count);
        for (size_t i = 0; i < read.count; i++)
            MUST(run_member(&read, read.at[i].path) != NULL);
        MUST(run_member(&read, "no.such")[0] == '\0' || read.count > 0);
    } else {
        MUST(!is_right || count > RUN_MEMBERS_MAX);
        MUST(read.count == 0 && read.at == NULL && error[0] != '\0');
    }
    run_members_free(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct json_member wanted[] = {
        {"processor.brand", brand, NULL},
        {"*.stepping", NULL, &stepping},
    };
    char visited[1024], read[1024], *copy = fuzz_copy(data, size);

    members = 0;
    seen_brand[0] = '\0';
    bool all = json_visit(copy, size, visit, &members, visited, sizeof visited);
    bool some = json_read(copy, size, wanted, 2, read, sizeof read);
    if (!all)
        check_error(visited);
    if (!some)
        check_error(read);
    else
        MUST(isnan(stepping) || isfinite(stepping));
    if (all && some)
        MUST(strcmp(brand, seen_brand) == 0);
    check_file(copy, size, all, members);
    free(copy);
    return 0;
}
