/* false_stick: loaded before a program (LD_PRELOAD), makes a file a stick that holds less than it
 * says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the environment: the file, how many bytes it holds, and what happens beyond them. */
struct stick {
    const char *path, *how; /* "drops", "wraps"; "fails" at that place alone */
    off_t holds;
};

/* True if the next access of that descriptor goes beyond what the stick holds; *at is where. */
static int is_beyond(int file, size_t bytes, struct stick *stick, off_t *at)
{
    struct stat asked, own;
    const char *holds = getenv("FALSE_STICK_HOLDS");
    *stick = (struct stick){getenv("FALSE_STICK"), getenv("FALSE_STICK_HOW"),
                            holds != NULL ? atoll(holds) : 0};
    if (stick->path == NULL || stick->how == NULL || stat(stick->path, &own) != 0 ||
        fstat(file, &asked) != 0 || asked.st_ino != own.st_ino || asked.st_dev != own.st_dev)
        return 0;
    *at = lseek(file, 0, SEEK_CUR);
    if (strcmp(stick->how, "fails") == 0)
        return *at <= stick->holds && *at + (off_t)bytes > stick->holds;
    return *at >= stick->holds;
}

ssize_t write(int file, const void *data, size_t bytes)
{
    static ssize_t (*own)(int, const void *, size_t);
    struct stick stick;
    off_t at;
    if (own == NULL)
        own = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (!is_beyond(file, bytes, &stick, &at))
        return own(file, data, bytes);
    if (strcmp(stick.how, "fails") == 0) {
        errno = EIO;
        return -1;
    }
    lseek(file, at + (off_t)bytes, SEEK_SET);
    return strcmp(stick.how, "drops") == 0 ? (ssize_t)bytes
                                           : pwrite(file, data, bytes, at % stick.holds);
}

ssize_t read(int file, void *data, size_t bytes)
{
    static ssize_t (*own)(int, void *, size_t);
    struct stick stick;
    off_t at;
    if (own == NULL)
        own = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    if (!is_beyond(file, bytes, &stick, &at) || strcmp(stick.how, "drops") == 0)
        return own(file, data, bytes);
    if (strcmp(stick.how, "fails") == 0) {
        errno = EIO;
        return -1;
    }
    lseek(file, at + (off_t)bytes, SEEK_SET);
    return pread(file, data, bytes, at % stick.holds);
}
