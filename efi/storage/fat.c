/* fat: reads boot sector, table and folders; checks each number before using it. */
#include "fat.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../table_bytes.h"

#define ENTRY 32                    /* bytes of an entry of a folder */
#define FOLDER_ENTRIES_MAX 65536    /* a FAT folder has no more: 2 MB */
#define NAME_MAX 13                 /* "12345678.123" */
#define LONG_PIECE 13               /* characters of a long name in each of its entries */
#define FIRST_CLUSTER 2             /* 0 and 1 are no cluster numbers */
#define CHAIN_END UINT32_MAX        /* after a chain's last cluster */
#define CHAIN_BROKEN 0              /* after a cluster whose entry is wrong */
#define BIG_TABLE_ENTRY 0x0fffffffu /* the upper four bits of a FAT32 entry are reserved */

/* Offsets in the boot sector; those from 36 on are of FAT12 and FAT16, or of FAT32. */
enum {
    BOOT_SECTOR = 11, /* 2 bytes */
    BOOT_CLUSTER = 13,
    BOOT_RESERVED = 14, /* 2 */
    BOOT_COPIES = 16,
    BOOT_ROOT_ENTRIES = 17, /* 2 */
    BOOT_SECTORS_16 = 19,   /* 2 */
    BOOT_MEDIA = 21,
    BOOT_TABLE_16 = 22,   /* 2 */
    BOOT_SECTORS_32 = 32, /* 4 */
    BOOT_TABLE_32 = 36,   /* 4 */
    BOOT_FLAGS_32 = 40,   /* 2 */
    BOOT_VERSION_32 = 42, /* 2 */
    BOOT_ROOT_32 = 44,    /* 4 */
    BOOT_SIGNATURE = 510, /* 2 */
    BOOT_STATE_16 = 37,   /* valid if BOOT_EXTENDED, or that plus 1, follows */
    BOOT_STATE_32 = 65,
    BOOT_EXTENDED = 0x28,
    STATE_DIRTY = 1, /* of the state: somebody writes, or did not end */
    /* in an entry of a folder */
    ENTRY_ATTRIBUTES = 11,
    ENTRY_START_HIGH = 20, /* 2 */
    ENTRY_START = 26,      /* 2 */
    ENTRY_BYTES = 28,      /* 4 */
    LONG_ORDER = 0,
    LONG_SUM = 13,
    LONG_LAST = 0x40, /* of a piece's order: the last piece of a name comes first */
    ATTRIBUTE_LABEL = 0x08,
    ATTRIBUTE_FOLDER = 0x10,
    ATTRIBUTE_LONG = 0x0f, /* all lower four bits set: a piece of a long name */
    ENTRY_FREE = 0xe5,
    ENTRY_E5 = 0x05, /* stands for a first character 0xe5 */
};

/* --- what is read --------------------------------------------------------------------------- */

static const char *load_sectors(struct fat *fat, struct fat_window *window, uint64_t at)
{
    uint64_t left = fat->disk.bytes - at;
    size_t length = left < FAT_WINDOW ? left : FAT_WINDOW;
    window->length = 0;
    const char *reason = fat->disk.read(fat->disk.context, at, window->bytes, length);
    if (reason == NULL) {
        window->at = at;
        window->length = length;
    }
    return reason;
}

/*
 * Returns bytes of the volume, up to the end of their window of whole sectors. NULL if they cannot
 * be read: `failure` says why, and nothing is read from then on.
 */
static const uint8_t *bytes_at(struct fat *fat, struct fat_window *window, uint64_t at)
{
    if (fat->failure == NULL && at >= fat->disk.bytes)
        fat->failure = "it ends before what it holds";
    if (fat->failure == NULL && (window->length == 0 || at - window->at >= window->length))
        fat->failure = load_sectors(fat, window, at - at % FAT_WINDOW);
    return fat->failure == NULL ? window->bytes + (at - window->at) : NULL;
}

/* --- the table ------------------------------------------------------------------------------ */

/* Returns a table entry, 0 also if it cannot be read. A FAT12 entry may cross a window's end. */
static uint32_t table_entry(struct fat *fat, uint32_t cluster)
{
    uint64_t at = fat->table_at + (uint64_t)cluster * fat->bits / 8;
    unsigned bytes = fat->bits == 32 ? 4 : 2;
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        const uint8_t *byte = bytes_at(fat, &fat->table, at + i);
        if (byte == NULL)
            return 0;
        value |= (uint32_t)*byte << 8 * i;
    }
    if (fat->bits == 12)
        return cluster % 2 == 0 ? value & 0xfff : value >> 4;
    return value & BIG_TABLE_ENTRY;
}

/* Returns the first value that is no cluster number: seven are reserved, the seventh marks bad
 * clusters, and eight end a chain. */
static uint32_t reserved_from(const struct fat *fat)
{
    return fat->bits == 12 ? 0xff0 : fat->bits == 16 ? 0xfff0 : 0x0ffffff0;
}

static bool is_cluster(const struct fat *fat, uint32_t cluster)
{
    return cluster >= FIRST_CLUSTER && cluster - FIRST_CLUSTER < fat->clusters;
}

/* Returns the next cluster of a chain; `cluster` must be valid. */
static uint32_t next_cluster(struct fat *fat, uint32_t cluster)
{
    uint32_t next = table_entry(fat, cluster);
    if (next >= reserved_from(fat) + 8)
        return CHAIN_END;
    return is_cluster(fat, next) ? next : CHAIN_BROKEN;
}

static uint64_t cluster_at(const struct fat *fat, uint32_t cluster)
{
    return fat->data_at + (uint64_t)(cluster - FIRST_CLUSTER) * fat->cluster_bytes;
}

/* --- the boot sector ------------------------------------------------------------------------ */

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Checks the fields one by one. */
static const char *check_fields(const struct fat *fat, const uint8_t *boot)
{
    uint8_t media = boot[BOOT_MEDIA];
    if (table_field(boot, BOOT_SIGNATURE, 2) != 0xaa55)
        return "it has no boot sector";
    if (!is_power_of_two(fat->sector) || fat->sector < 512 || fat->sector > 4096 ||
        !is_power_of_two(boot[BOOT_CLUSTER]) || table_field(boot, BOOT_RESERVED, 2) == 0 ||
        boot[BOOT_COPIES] == 0 || (media != 0xf0 && media < 0xf8))
        return "it is not FAT: the boot sector's fields are none of its";
    if (fat->root_entries * ENTRY % fat->sector != 0)
        return "the boot sector's root folder ends within a sector";
    return NULL;
}

/* Finds the kind of FAT: FAT32 has its own field for the table's size, the number of clusters tells
 * the others apart. */
static const char *find_kind(struct fat *fat, bool is_big)
{
    fat->bits = is_big ? 32 : fat->clusters < 4085 ? 12 : 16;
    if (fat->clusters == 0 || fat->clusters >= (is_big ? 0x0ffffff0u - 2 : 65525))
        return "the boot sector tells a number of clusters that its kind of FAT cannot have";
    if (is_big != (fat->root_entries == 0))
        return "the boot sector mixes FAT16 and FAT32";
    if (fat->table_bytes * 8 / fat->bits < (uint64_t)fat->clusters + FIRST_CLUSTER)
        return "the boot sector's table is too small for its clusters";
    return NULL;
}

static const char *lay_out_fat(struct fat *fat, const uint8_t *boot)
{
    uint32_t table = table_field(boot, BOOT_TABLE_16, 2),
             sectors = table_field(boot, BOOT_SECTORS_16, 2);
    bool is_big = table == 0;
    if (is_big)
        table = table_field(boot, BOOT_TABLE_32, 4);
    if (sectors == 0)
        sectors = table_field(boot, BOOT_SECTORS_32, 4);
    uint64_t end = (uint64_t)sectors * fat->sector;
    if (end > fat->disk.bytes)
        return "the boot sector tells more sectors than there are";
    fat->copies = boot[BOOT_COPIES];
    fat->table_at = (uint64_t)table_field(boot, BOOT_RESERVED, 2) * fat->sector;
    fat->table_bytes = (uint64_t)table * fat->sector;
    fat->root_at = fat->table_at + fat->copies * fat->table_bytes;
    fat->data_at = fat->root_at + fat->root_entries * ENTRY;
    fat->cluster_bytes = boot[BOOT_CLUSTER] * fat->sector;
    if (fat->data_at > end)
        return "the boot sector's table is larger than the volume";
    fat->clusters = (end - fat->data_at) / fat->cluster_bytes;
    return find_kind(fat, is_big);
}

/* Chooses the copy of the table: FAT32 may use one alone. */
static const char *choose_copy(struct fat *fat, uint32_t flags)
{
    if ((flags & 0x80) == 0)
        return NULL;
    if ((flags & 0xf) >= fat->copies)
        return "the boot sector uses a copy of the table that is not there";
    fat->table_at += (flags & 0xf) * fat->table_bytes;
    fat->copies = 1;
    return NULL;
}

static const char *read_big(struct fat *fat, const uint8_t *boot)
{
    fat->root_cluster = table_field(boot, BOOT_ROOT_32, 4);
    if (table_field(boot, BOOT_VERSION_32, 2) != 0)
        return "it is of a later FAT32 than 0.0, the only one there was";
    if (!is_cluster(fat, fat->root_cluster))
        return "the boot sector's root folder is in no cluster";
    return choose_copy(fat, table_field(boot, BOOT_FLAGS_32, 2));
}

/* Reads the flag of entry 1 that is cleared while the volume is in use. FAT12 has no room for it.
 */
static void read_table_state(struct fat *fat)
{
    uint32_t flags = table_entry(fat, 1), clean = fat->bits == 32 ? 1u << 27 : 1u << 15;
    fat->is_dirty |= fat->bits != 12 && fat->failure == NULL && (flags & clean) == 0;
}

static const char *read_boot(struct fat *fat)
{
    const uint8_t *boot = bytes_at(fat, &fat->table, 0);
    if (boot == NULL)
        return fat->failure;
    fat->sector = table_field(boot, BOOT_SECTOR, 2);
    fat->root_entries = table_field(boot, BOOT_ROOT_ENTRIES, 2);
    const char *reason = check_fields(fat, boot);
    if (reason == NULL)
        reason = lay_out_fat(fat, boot);
    if (reason != NULL)
        return reason;
    unsigned state = fat->bits == 32 ? BOOT_STATE_32 : BOOT_STATE_16;
    fat->is_dirty = (boot[state + 1] & 0xfe) == BOOT_EXTENDED && (boot[state] & STATE_DIRTY) != 0;
    return fat->bits == 32 ? read_big(fat, boot) : NULL;
}

const char *fat_open(struct fat *fat, const struct fat_disk *disk)
{
    memset(fat, 0, sizeof *fat);
    fat->disk = *disk;
    if (disk->bytes < 512)
        return fat->failure = "it is smaller than a sector";
    const char *reason = read_boot(fat);
    if (reason == NULL)
        read_table_state(fat);
    if (fat->failure == NULL)
        fat->failure = reason;
    return fat->failure;
}

/* --- folders -------------------------------------------------------------------------------- */

/* A position in a folder. */
struct cursor {
    uint32_t cluster;     /* 0: the root folder of FAT12 and FAT16 */
    uint32_t index, seen; /* of the entry: in this cluster, and in all */
};

/* Returns the entry at the cursor; NULL after the last, or if it cannot be read. */
static const uint8_t *entry_at(struct fat *fat, struct cursor *cursor)
{
    uint32_t room = cursor->cluster == 0 ? fat->root_entries : fat->cluster_bytes / ENTRY;
    if (cursor->index == room && cursor->cluster != 0) {
        cursor->cluster = next_cluster(fat, cursor->cluster);
        cursor->index = 0;
        if (!is_cluster(fat, cursor->cluster))
            return NULL;
    }
    if (cursor->index == room || cursor->seen == FOLDER_ENTRIES_MAX)
        return NULL;
    uint64_t start = cursor->cluster == 0 ? fat->root_at : cluster_at(fat, cursor->cluster);
    const uint8_t *entry = bytes_at(fat, &fat->data, start + (uint64_t)cursor->index * ENTRY);
    return entry == NULL || entry[0] == 0 ? NULL : entry;
}

static void step(struct cursor *cursor)
{
    cursor->index++;
    cursor->seen++;
}

static bool is_long(const uint8_t *entry)
{
    return (entry[ENTRY_ATTRIBUTES] & 0x0f) == ATTRIBUTE_LONG;
}

/* True if the entry is a file's or folder's. */
static bool names_something(const uint8_t *entry)
{
    return entry[0] != ENTRY_FREE && (entry[ENTRY_ATTRIBUTES] & ATTRIBUTE_LABEL) == 0;
}

static bool is_folder(const uint8_t *entry)
{
    return (entry[ENTRY_ATTRIBUTES] & ATTRIBUTE_FOLDER) != 0;
}

/* Returns the first cluster; only FAT32 defines the high half. */
static uint32_t start_of(const struct fat *fat, const uint8_t *entry)
{
    uint32_t high = fat->bits == 32 ? table_field(entry, ENTRY_START_HIGH, 2) : 0;
    return high << 16 | table_field(entry, ENTRY_START, 2);
}

/* Writes "RUN~1.JSO" for "RUN~1   JSO". */
static void short_name(char name[NAME_MAX], const uint8_t *entry)
{
    unsigned length = 0;
    for (unsigned i = 0; i < 11; i++) {
        if (i == 8 && entry[8] != ' ')
            name[length++] = '.';
        if (entry[i] != ' ')
            name[length++] = (char)entry[i];
    }
    name[length] = '\0';
    if (entry[0] == ENTRY_E5)
        name[0] = (char)ENTRY_FREE;
}

static char lower(uint32_t c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c < 0x80 ? c : 0x80);
}

static bool is_short_name(const uint8_t *entry, struct piece name)
{
    char own[NAME_MAX];
    short_name(own, entry);
    size_t i = 0;
    while (i < name.length && own[i] != '\0' &&
           lower((unsigned char)own[i]) == lower((unsigned char)name.at[i]))
        i++;
    return i == name.length && own[i] == '\0';
}

/* --- long names ----------------------------------------------------------------------------- */

/* Tells whether the pieces seen so far, from the last one on, are those of the wanted name. */
struct long_name {
    struct piece name;
    unsigned next; /* the next piece: 0 is the entry itself */
    uint8_t sum;
    bool same;
};

/* Returns character 0 to 12 of a piece, in UCS-2. */
static uint32_t character(const uint8_t *entry, unsigned i)
{
    return table_field(entry, i < 5 ? 1 + 2 * i : i < 11 ? 14 + 2 * (i - 5) : 28 + 2 * (i - 11), 2);
}

/* True if the entry holds the name's characters from there on, and a 0 after its end. */
static bool is_piece(const uint8_t *entry, struct piece name, size_t from)
{
    size_t i = 0;
    for (; i < LONG_PIECE && from + i < name.length; i++)
        if (lower(character(entry, (unsigned)i)) != lower((unsigned char)name.at[from + i]))
            return false;
    return i == LONG_PIECE || character(entry, (unsigned)i) == 0;
}

static void see_piece(struct long_name *seen, const uint8_t *entry)
{
    unsigned order = entry[LONG_ORDER] & (LONG_LAST - 1);
    bool is_last = (entry[LONG_ORDER] & LONG_LAST) != 0;
    if (is_last) {
        seen->sum = entry[LONG_SUM];
        seen->same = order == (seen->name.length + LONG_PIECE - 1) / LONG_PIECE;
    } else {
        seen->same &= order == seen->next && seen->sum == entry[LONG_SUM];
    }
    seen->same =
        seen->same && order > 0 && is_piece(entry, seen->name, (size_t)(order - 1) * LONG_PIECE);
    seen->next = order - 1;
}

static uint8_t sum_of(const uint8_t *entry)
{
    uint8_t sum = 0;
    for (unsigned i = 0; i < 11; i++)
        sum = (uint8_t)((sum >> 1 | sum << 7) + entry[i]);
    return sum;
}

/* --- finding -------------------------------------------------------------------------------- */

/* Finds a name in a folder; NULL if the folder does not have it or cannot be read. */
static const uint8_t *find_entry(struct fat *fat, uint32_t folder, struct piece name)
{
    struct cursor cursor = {.cluster = folder};
    struct long_name seen = {.name = name};
    const uint8_t *entry;
    for (; (entry = entry_at(fat, &cursor)) != NULL; step(&cursor)) {
        if (entry[0] != ENTRY_FREE && is_long(entry)) {
            see_piece(&seen, entry);
            continue;
        }
        bool by_long = seen.same && seen.next == 0 && seen.sum == sum_of(entry);
        if (names_something(entry) && (by_long || is_short_name(entry, name)))
            return entry;
        seen.same = false;
    }
    return NULL;
}

/* Adds one cluster, of which `bytes` are the file's. False: there is no room for another extent. */
static bool extend(struct fat_file *file, uint64_t at, uint32_t bytes)
{
    struct fat_extent *last = file->extents > 0 ? &file->extent[file->extents - 1] : NULL;
    if (last != NULL && last->at + last->length == at) {
        last->length += bytes;
        return true;
    }
    if (file->extents == file->extents_max)
        return false;
    file->extent[file->extents++] = (struct fat_extent){at, bytes};
    return true;
}

static const char *follow(struct fat *fat, uint32_t cluster, struct fat_file *file)
{
    for (uint32_t left = file->bytes, bytes; left > 0; left -= bytes) {
        bytes = left < fat->cluster_bytes ? left : fat->cluster_bytes;
        if (fat->failure != NULL)
            return fat->failure;
        if (!is_cluster(fat, cluster))
            return "its clusters end before it does";
        if (!extend(file, cluster_at(fat, cluster), bytes))
            return "it is in too many pieces";
        if (left > bytes)
            cluster = next_cluster(fat, cluster);
    }
    return fat->failure;
}

/* Takes the next name off the path; its length is 0 at the end. */
static struct piece next_name(const char **path)
{
    while (**path == '\\')
        (*path)++;
    struct piece name = {*path, 0};
    while (name.at[name.length] != '\0' && name.at[name.length] != '\\')
        name.length++;
    *path += name.length;
    return name;
}

const char *fat_find(struct fat *fat, const char *path, struct fat_file *file)
{
    uint32_t start = fat->root_cluster;
    file->is_directory = true;
    file->is_missing = false;
    file->bytes = file->start = file->extents = 0;
    for (struct piece name; fat->failure == NULL && (name = next_name(&path)).length > 0;) {
        const uint8_t *entry = file->is_directory ? find_entry(fat, start, name) : NULL;
        if (entry == NULL) {
            file->is_missing = true;
            file->is_directory = false;
            file->bytes = 0;
            return fat->failure;
        }
        start = start_of(fat, entry);
        file->is_directory = is_folder(entry);
        file->bytes = file->is_directory ? 0 : table_field(entry, ENTRY_BYTES, 4);
        if (file->is_directory && start == 0) /* the ".." of folders in the root */
            start = fat->root_cluster;
        else if (file->is_directory && !is_cluster(fat, start))
            return "its folder is in no cluster";
    }
    file->start = start;
    return fat->failure != NULL ? fat->failure : follow(fat, start, file);
}

/* --- before others read them ------------------------------------------------------------------ */

const char *fat_folder_ends(struct fat *fat, const char *path)
{
    struct fat_file folder = {.extents_max = 0};
    const char *reason = fat_find(fat, path, &folder);
    if (!folder.is_directory)
        return fat->failure;
    if (reason != NULL || folder.start == 0)
        return reason;
    uint32_t clusters = FOLDER_ENTRIES_MAX * ENTRY / fat->cluster_bytes + 1, cluster = folder.start;
    while (clusters-- > 0 && is_cluster(fat, cluster))
        cluster = next_cluster(fat, cluster);
    if (fat->failure != NULL || cluster == CHAIN_END)
        return fat->failure;
    return is_cluster(fat, cluster) ? "the clusters of a folder do not end"
                                    : "the clusters of a folder lead to one that is free or bad";
}
