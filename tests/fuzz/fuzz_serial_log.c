/* fuzz_serial_log: any bytes as a serial port's log; what is called whole has its checksum. */
#include "fuzz.h"

#include "../hosted/serial_log.h"

static void check_name(const char *name, size_t room)
{
    MUST(memchr(name, '\0', room) != NULL && name[0] != '\0' && name[0] != '.');
    MUST(strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
         strlen(name));
}

static void check_sum(const struct serial_file *file, const struct serial_whole *whole)
{
    struct sha256 content;
    char sum[BLOCK_WHOLE_MAX];

    sha256_start(&content);
    sha256_add(&content, whole->data, whole->length);
    block_whole(&content, sum);
    MUST(whole->length == file->end && strncmp(sum, file->sum, 64) == 0);
}

static void check_file(const struct serial_file *file)
{
    struct serial_whole whole;
    size_t bytes = 0;

    check_name(file->name, sizeof file->name);
    for (size_t i = 0; i < file->count; i++)
        bytes += file->parts[i].data != NULL ? file->parts[i].length : 0;
    serial_file_join(file, &whole);
    MUST(whole.data != NULL && whole.length <= bytes);
    MUST(memchr(whole.reason, '\0', sizeof whole.reason) != NULL);
    MUST(whole.is_whole == (whole.reason[0] == '\0'));
    fuzz_check_text(whole.reason, sizeof whole.reason);
    if (whole.is_whole && file->version > 0)
        check_sum(file, &whole);
    free(whole.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct serial_log log;
    char *copy = fuzz_copy(data, size);

    MUST(serial_log_read(&log, copy, size));
    free(copy);
    for (size_t i = 0; i < log.count; i++) {
        check_name(log.runs[i].name, sizeof log.runs[i].name);
        for (size_t j = 0; j < log.runs[i].count; j++)
            check_file(&log.runs[i].files[j]);
    }
    serial_log_free(&log);
    return 0;
}
