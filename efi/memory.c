/* memory: page allocation, and questions to the firmware's memory map. */
#include "memory.h"

#include "../kernel/lib/string.h"
#include "firmware.h"

#define MAP_SPARE MEMORY_PAGE /* for descriptors that getting memory for the map adds to it */
#define MAP_TRIES 4

#define GIGABYTE (1ull << 30)
#define ROM_START 0xe0000u /* of PC firmware; may hold tables without being in its map */
#define ROM_END 0x100000u
#define RANGES_MAX 64 /* free ranges large enough for an array */

struct memory_map {
    uint8_t *at;
    UINTN bytes, stride;
};

static bool was_refused;

/* Gives back memory that the firmware does not map, or only to be read, as access would be fatal;
 * then returns 0. */
static uint64_t refuse_unmapped(uint64_t address, UINTN pages)
{
    if (firmware_maps(address, pages * MEMORY_PAGE, true))
        return address;
    was_refused = true;
    firmware_boot->FreePages(address, pages);
    return 0;
}

bool memory_was_unmapped(void)
{
    return was_refused;
}

uint64_t memory_allocate(uint64_t bytes)
{
    UINTN pages = (bytes + MEMORY_PAGE - 1) / MEMORY_PAGE;
    if (bytes == 0 || bytes > UINT64_MAX - MEMORY_PAGE)
        return 0;
    /*
     * Low memory first: the boot processor's node has it, while edk2's "any pages" are the highest
     * ones, on a machine with two sockets those of the other.
     */
    for (uint64_t limit = 4 * GIGABYTE; limit <= 1ull << 52; limit *= 2) {
        EFI_PHYSICAL_ADDRESS address = limit - 1;
        if (EFI_ERROR(
                firmware_boot->AllocatePages(AllocateMaxAddress, EfiLoaderData, pages, &address)))
            continue;
        address = refuse_unmapped(address, pages);
        if (address != 0)
            return address;
    }
    return 0;
}

static bool is_kept;

void memory_keep(void)
{
    is_kept = true;
}

bool memory_is_kept(void)
{
    return is_kept;
}

void memory_free(uint64_t address, uint64_t bytes)
{
    if (!is_kept)
        firmware_boot->FreePages(address, (bytes + MEMORY_PAGE - 1) / MEMORY_PAGE);
}

uint64_t memory_allocate_aligned(uint64_t bytes, uint64_t align)
{
    uint64_t spare = align - MEMORY_PAGE;
    uint64_t whole = bytes > UINT64_MAX - spare ? 0 : memory_allocate(bytes + spare);
    if (whole == 0)
        return 0;
    uint64_t address = (whole + align - 1) & ~(align - 1);
    uint64_t end = address + ((bytes + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1));
    if (address > whole)
        memory_free(whole, address - whole);
    if (whole + spare > address)
        memory_free(end, whole + spare - address);
    return address;
}

/* Memory for the map, kept from one reading to the next. */
static uint64_t map_memory;
static UINTN map_room;

void memory_close(void)
{
    if (map_room != 0)
        memory_free(map_memory, map_room);
    map_room = 0;
}

/* Reads the map, into memory as large as the firmware asks for whenever there is too little. */
static bool read_map(struct memory_map *map)
{
    for (unsigned i = 0; i < MAP_TRIES; i++) {
        UINTN key;
        UINT32 version;
        map->at = (uint8_t *)map_memory;
        map->bytes = map_room;
        EFI_STATUS status = firmware_boot->GetMemoryMap(
            &map->bytes, (EFI_MEMORY_DESCRIPTOR *)map_memory, &key, &map->stride, &version);
        if (status != EFI_BUFFER_TOO_SMALL)
            return !EFI_ERROR(status) && map->bytes <= map_room &&
                   map->stride >= sizeof(EFI_MEMORY_DESCRIPTOR);
        memory_close();
        map_room = (map->bytes + MAP_SPARE + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
        map_memory = memory_allocate(map_room);
        if (map_memory == 0)
            map_room = 0;
    }
    return false;
}

static const EFI_MEMORY_DESCRIPTOR *entry(const struct memory_map *map, UINTN index)
{
    UINTN offset = index * map->stride;
    return offset < map->bytes ? (const void *)(map->at + offset) : NULL;
}

const struct memory_range memory_everywhere = {0, UINT64_MAX};

static struct memory_range range_of(const EFI_MEMORY_DESCRIPTOR *d)
{
    return (struct memory_range){d->PhysicalStart,
                                 d->PhysicalStart + d->NumberOfPages * MEMORY_PAGE};
}

uint64_t memory_free_within(const struct memory_range *range, unsigned ranges)
{
    struct memory_map map;
    uint64_t bytes = 0;
    const EFI_MEMORY_DESCRIPTOR *d;
    if (!read_map(&map))
        return 0;
    for (UINTN i = 0; (d = entry(&map, i)) != NULL; i++)
        for (unsigned j = 0; d->Type == EfiConventionalMemory && j < ranges; j++)
            bytes += memory_range_bytes(memory_range_common(range_of(d), range[j]));
    return bytes;
}

static bool is_plain(const EFI_MEMORY_DESCRIPTOR *d)
{
    static const bool plain[EfiMaxMemoryType] = {
        [EfiLoaderCode] = true,          [EfiLoaderData] = true,
        [EfiBootServicesCode] = true,    [EfiBootServicesData] = true,
        [EfiRuntimeServicesCode] = true, [EfiRuntimeServicesData] = true,
        [EfiConventionalMemory] = true,  [EfiACPIReclaimMemory] = true,
        [EfiACPIMemoryNVS] = true,
    };
    return d->Type < EfiMaxMemoryType && plain[d->Type] && d->Attribute & EFI_MEMORY_WB;
}

static bool is_mapped(const EFI_MEMORY_DESCRIPTOR *d)
{
    return is_plain(d) || d->Type == EfiReservedMemoryType;
}

typedef bool is_suitable(const EFI_MEMORY_DESCRIPTOR *d);

/* True if suitable memory covers every byte of the range. */
static bool covers(is_suitable *suitable, uint64_t address, uint64_t bytes)
{
    struct memory_map map;
    uint64_t covered = 0;
    const struct memory_range asked = {address, address + bytes};
    const EFI_MEMORY_DESCRIPTOR *d;
    if (bytes > UINT64_MAX - address || !read_map(&map))
        return false;
    for (UINTN i = 0; (d = entry(&map, i)) != NULL; i++)
        if (suitable(d))
            covered += memory_range_bytes(memory_range_common(range_of(d), asked));
    return covered == bytes; /* descriptors do not overlap (UEFI 2.10, GetMemoryMap) */
}

bool memory_is_plain(uint64_t address, uint64_t bytes)
{
    return covers(is_plain, address, bytes);
}

bool memory_is_mapped(uint64_t address, uint64_t bytes)
{
    bool in_rom = address >= ROM_START && address < ROM_END && bytes <= ROM_END - address;
    return (in_rom || covers(is_mapped, address, bytes)) && firmware_maps(address, bytes, false);
}

static uint64_t claim(uint64_t address, uint64_t bytes)
{
    EFI_PHYSICAL_ADDRESS at = address;
    UINTN pages = (bytes + MEMORY_PAGE - 1) / MEMORY_PAGE;
    EFI_STATUS status = firmware_boot->AllocatePages(AllocateAddress, EfiLoaderData, pages, &at);
    return EFI_ERROR(status) ? 0 : refuse_unmapped(address, pages);
}

bool memory_in_gigabytes(uint64_t address, uint64_t bytes)
{
    uint64_t first = address & ~(GIGABYTE - 1);
    uint64_t last = (address + bytes + GIGABYTE - 1) & ~(GIGABYTE - 1);
    return memory_is_plain(first, last - first);
}

/* Tries the start of a free range and every gigabyte that begins in it. */
static uint64_t claim_in_range(struct memory_range free, uint64_t bytes, uint64_t align,
                               bool in_gigabytes)
{
    uint64_t at = (free.start + align - 1) & ~(align - 1);
    for (; at < free.end && bytes <= free.end - at; at = (at | (GIGABYTE - 1)) + 1)
        if (at != 0 && (!in_gigabytes || memory_in_gigabytes(at, bytes)) && claim(at, bytes) != 0)
            return at;
    return 0;
}

uint64_t memory_allocate_within(uint64_t bytes, uint64_t align, bool in_gigabytes,
                                const struct memory_range *range, unsigned ranges)
{
    struct memory_map map;
    const EFI_MEMORY_DESCRIPTOR *d;
    struct memory_range free[RANGES_MAX];
    unsigned count = 0;
    /* The map's memory is shared, and asking about a range reads it anew: copy what is free first.
     */
    if (!read_map(&map))
        return 0;
    for (UINTN i = 0; (d = entry(&map, i)) != NULL; i++)
        for (unsigned j = 0; d->Type == EfiConventionalMemory && j < ranges; j++) {
            struct memory_range piece = memory_range_common(range_of(d), range[j]);
            if (count < RANGES_MAX && piece.end > piece.start && memory_range_bytes(piece) >= bytes)
                free[count++] = piece;
        }
    for (unsigned i = 0; i < count; i++) {
        uint64_t found = claim_in_range(free[i], bytes, align, in_gigabytes);
        if (found != 0)
            return found;
    }
    return 0;
}
