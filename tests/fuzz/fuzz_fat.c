/* fuzz_fat: a volume of any size, all zeroes but for pieces of any contents: what is found lies in
 * it, and every read comes to an end. */
#include "fuzz.h"

#include "../../efi/storage/fat.h"

#define PIECE_HEAD 5 /* its place in four bytes, its length in one */
#define READS_MAX 200
#define EXTENTS_MAX 64

/* The input: the volume's kilobytes in four bytes, then pieces. */
static struct {
    const uint8_t *at, *end;
    uint64_t bytes;
    unsigned reads;
} volume;

/* What of a piece at some place belongs to what is read. */
static void overlay(uint8_t *to, uint64_t from, size_t length, uint64_t at, const uint8_t *piece,
                    size_t piece_length)
{
    uint64_t start = at > from ? at : from, end = at + piece_length;
    end = end < from + length ? end : from + length;
    if (start < end)
        memcpy(to + (start - from), piece + (start - at), end - start);
}

static const char *read_volume(void *context, uint64_t at, void *to, size_t length)
{
    MUST(context == &volume);
    MUST(at % FAT_WINDOW == 0 && (uintptr_t)to % 4096 == 0);
    MUST(length > 0 && length <= FAT_WINDOW && at < volume.bytes && length <= volume.bytes - at);
    MUST(length == FAT_WINDOW || at + length == volume.bytes);
    if (++volume.reads > READS_MAX)
        return "it has taken long enough";
    memset(to, 0, length);
    for (const uint8_t *piece = volume.at; volume.end - piece > PIECE_HEAD;) {
        uint32_t place;
        memcpy(&place, piece, 4);
        size_t left = (size_t)(volume.end - piece) - PIECE_HEAD;
        size_t bytes = piece[4] < left ? piece[4] : left;
        overlay(to, at, length, place, piece + PIECE_HEAD, bytes);
        piece += PIECE_HEAD + bytes;
    }
    return NULL;
}

static void check_volume(const struct fat *fat)
{
    MUST(fat->bits == 12 || fat->bits == 16 || fat->bits == 32);
    MUST(fat->clusters > 0 && fat->cluster_bytes >= fat->sector && fat->sector >= 512);
    MUST(fat->table_at + fat->table_bytes <= fat->data_at);
    MUST(fat->data_at + (uint64_t)fat->clusters * fat->cluster_bytes <= volume.bytes);
}

static void look_for(struct fat *fat, const char *path)
{
    struct fat_extent extent[EXTENTS_MAX];
    struct fat_file file = {.extent = extent, .extents_max = EXTENTS_MAX};
    const char *reason = fat_find(fat, path, &file);
    uint64_t bytes = 0;
    if (reason != NULL) {
        fuzz_check_reason(reason);
        return;
    }
    MUST(file.extents <= EXTENTS_MAX);
    if (file.is_missing || file.is_directory) {
        MUST(file.extents == 0 && (!file.is_missing || file.bytes == 0));
        return;
    }
    for (unsigned i = 0; i < file.extents; i++) {
        MUST(extent[i].length > 0 && extent[i].at >= fat->data_at);
        MUST(extent[i].at + extent[i].length <= volume.bytes);
        bytes += extent[i].length;
    }
    MUST(bytes == file.bytes);
}

static void check_folder(struct fat *fat, const char *path)
{
    const char *reason = fat_folder_ends(fat, path);
    if (reason != NULL)
        fuzz_check_reason(reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fat fat;
    uint32_t kilobytes;
    if (size < 4)
        return 0;
    memcpy(&kilobytes, data, 4);
    volume.at = data + 4;
    volume.end = data + size;
    volume.bytes = (uint64_t)kilobytes << 10;
    volume.reads = 0;
    if (volume.bytes == 0)
        return 0;
    struct fat_disk disk = {read_volume, &volume, volume.bytes};
    const char *reason = fat_open(&fat, &disk);
    if (reason != NULL) {
        fuzz_check_reason(reason);
        return 0;
    }
    check_volume(&fat);
    look_for(&fat, "\\results\\0007\\run.json");
    look_for(&fat, "\\A");
    check_folder(&fat, "\\");
    check_folder(&fat, "\\results");
    return 0;
}
