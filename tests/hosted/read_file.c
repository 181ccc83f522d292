/* read_file: a whole file into memory, up to a limit. */
#include "read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ROOM 65536

/* Reads until the file ends or `most` bytes are there. -1: errno says why. */
static ssize_t read_up_to(int handle, char *buffer, size_t most)
{
    size_t length = 0;

    while (length < most) {
        ssize_t got = read(handle, buffer + length, most - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

/* Reads a file. /proc has no sizes: the buffer grows as text comes. False: errno has the reason. */
static bool read_handle(int handle, size_t most, char **data, size_t *length)
{
    size_t room = most < FIRST_ROOM ? most : FIRST_ROOM;

    *data = NULL;
    *length = 0;
    for (;;) {
        char *larger = realloc(*data, room + 1);
        if (larger == NULL)
            break;
        *data = larger;
        ssize_t got = read_up_to(handle, larger + *length, room - *length);
        if (got < 0)
            break;
        *length += (size_t)got;
        if (*length < room || room == most) {
            larger[*length] = '\0';
            return true;
        }
        room = room > most / 2 ? most : room * 2;
    }
    int reason = errno;
    free(*data);
    *data = NULL;
    errno = reason;
    return false;
}

const char *read_file(const char *path, size_t most, char **data, size_t *length)
{
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *reason = NULL;
    struct stat status;

    *data = NULL;
    *length = 0;
    if (handle < 0)
        return strerror(errno);
    /* Reading a directory fails with a reason that names it as one. */
    if (fstat(handle, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        reason = "is no regular file";
    else if (!read_handle(handle, most, data, length))
        reason = strerror(errno);
    close(handle);
    return reason;
}

size_t byte_order_mark(const char *data, size_t length)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};

    return length >= sizeof(mark) && memcmp(data, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

bool read_small_file(const char *path, char *buffer, size_t size)
{
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = -1;

    if (handle >= 0) {
        length = read_up_to(handle, buffer, size - 1);
        close(handle);
    }
    buffer[length > 0 ? length : 0] = '\0';
    if (length > 0 && buffer[length - 1] == '\n')
        buffer[length - 1] = '\0';
    return length >= 0;
}
