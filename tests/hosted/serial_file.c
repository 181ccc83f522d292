/* serial_file: a file of a serial log, put together, and what it lacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/lib/text.h"
#include "serial_log.h"

#define GAPS_TOLD 6 /* then how many more there are */

static int compare_places(const void *a, const void *b)
{
    const struct serial_part *one = a, *other = b;

    return (one->at > other->at) - (one->at < other->at);
}

/* What is being put together. */
struct joining {
    const struct serial_file *file;
    struct serial_whole *whole;
    struct text reason;
    uint64_t end; /* of what was met so far, in the file */
    unsigned gaps;
    bool is_doubted;
};

static void complain(struct joining *j, const char *words)
{
    text_printf(&j->reason, "%s%s", j->reason.length > 0 ? "; " : "", words);
}

/* Whether a damaged block was between these. */
static bool was_damaged(const struct serial_file *file, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct serial_part *part = &file->parts[i];
        if (part->data == NULL && part->at < to && part->at + part->length > from)
            return true;
    }
    return false;
}

static void tell_gap(struct joining *j, uint64_t from, uint64_t to)
{
    char words[96];

    if (++j->gaps > GAPS_TOLD)
        return;
    snprintf(words, sizeof(words), "bytes %llu to %llu %s", (unsigned long long)from,
             (unsigned long long)to - 1,
             was_damaged(j->file, from, to) ? "came damaged" : "are missing");
    complain(j, words);
}

/* Parts come in order; one may overlap with what is there, with which it has to agree. */
static void add(struct joining *j, const struct serial_part *part)
{
    struct serial_whole *whole = j->whole;
    size_t known = 0;

    if (part->at > j->end)
        tell_gap(j, j->end, part->at);
    else
        known = j->end - part->at < part->length ? j->end - part->at : part->length;
    if (j->gaps == 0) /* else its place in what there is is another one */
        j->is_doubted |= memcmp(whole->data + part->at, part->data, known) != 0;
    if (known == part->length)
        return;
    memcpy(whole->data + whole->length, part->data + known, part->length - known);
    whole->length += part->length - known;
    j->end = part->at + part->length;
}

/* False: no memory. */
static bool add_all(struct joining *j)
{
    const struct serial_file *file = j->file;
    struct serial_part *parts = malloc((file->count + 1) * sizeof(*parts));
    size_t count = 0, bytes = 0;

    if (parts == NULL)
        return false;
    for (size_t i = 0; i < file->count; i++)
        if (file->parts[i].data != NULL) {
            parts[count++] = file->parts[i];
            bytes += file->parts[i].length;
        }
    j->whole->data = malloc(bytes + 1);
    if (j->whole->data != NULL) {
        qsort(parts, count, sizeof(*parts), compare_places);
        for (size_t i = 0; i < count; i++)
            add(j, &parts[i]);
    }
    free(parts);
    return j->whole->data != NULL;
}

/* Blocks that are all right may still be of two runs. */
static bool has_checksum(const struct serial_file *file, const struct serial_whole *whole)
{
    char sum[BLOCK_WHOLE_MAX];
    struct sha256 content;

    sha256_start(&content);
    sha256_add(&content, whole->data, whole->length);
    block_whole(&content, sum);
    return strcmp(sum, file->sum) == 0;
}

static void judge_end(struct joining *j)
{
    const struct serial_file *file = j->file;
    char words[64];

    if (!file->has_end)
        complain(j, file->version > 0 ? "where it ends is not in the log"
                                      : "its beginning or its end is not in the log");
    else if (file->version > 0 && file->end > j->end)
        tell_gap(j, j->end, file->end);
    if (j->gaps > GAPS_TOLD) {
        snprintf(words, sizeof(words), "and %u more such gaps", j->gaps - GAPS_TOLD);
        complain(j, words);
    }
    if (file->is_noisy)
        complain(j, "it holds characters that no console prints");
    if (file->is_doubted || j->is_doubted)
        complain(j, "blocks of the same place are not the same");
    else if (file->has_end && file->version > 0 && j->reason.length == 0 &&
             !has_checksum(file, j->whole))
        complain(j, "its checksum is another one");
}

void serial_file_join(const struct serial_file *file, struct serial_whole *whole)
{
    struct joining j = {.file = file, .whole = whole};

    *whole = (struct serial_whole){.data = NULL};
    text_init(&j.reason, whole->reason, sizeof(whole->reason));
    if (!add_all(&j)) {
        complain(&j, "there is not enough memory for it");
        return;
    }
    judge_end(&j);
    whole->is_whole = j.reason.length == 0;
}
