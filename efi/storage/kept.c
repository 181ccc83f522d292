/* kept: allocates a file's memory at its planned size, so that no piece lies in the way of memory
 * that is measured later, and doubles it when the file has outgrown it. Takes less if there is no
 * more. */
#include "kept.h"

#include "../../kernel/lib/string.h"

#define ROOM_LEAST (64u << 10)
#define NO_MEMORY "there is not enough memory to keep it"

void kept_init(struct kept *kept, struct platform *memory)
{
    for (unsigned i = 0; i < kept->files; i++)
        platform_release(kept->memory, (char *)kept->file[i].data, kept->room[i]);
    *kept = (struct kept){.memory = memory};
}

void kept_add(struct kept *kept, const char *name, size_t planned, bool is_copy)
{
    kept->file[kept->files++] =
        (struct place_file){.name = name, .planned = planned, .is_copy = is_copy};
}

struct place_file *kept_find(struct kept *kept, const char *name)
{
    for (unsigned i = 0; i < kept->files; i++)
        if (strcmp(kept->file[i].name, name) == 0)
            return &kept->file[i];
    return NULL;
}

/* Allocates *wanted bytes or, if no piece is that large, enough for `least`. NULL: no memory. */
static char *take_memory_for(struct kept *kept, size_t *wanted, size_t least)
{
    char *memory = kept->memory->allocate(kept->memory, *wanted);
    least = (least + ROOM_LEAST - 1) / ROOM_LEAST * ROOM_LEAST;
    if (memory != NULL || *wanted <= least)
        return memory;
    *wanted = least;
    return kept->memory->allocate(kept->memory, least);
}

/* Makes room for `length` bytes; keeps the file's data. */
static bool make_room_for_bytes(struct kept *kept, struct place_file *file, size_t length)
{
    size_t *room = &kept->room[file - kept->file];
    size_t wanted = *room > 0 ? *room : file->planned;
    if (length <= *room)
        return true;
    if (wanted < ROOM_LEAST)
        wanted = ROOM_LEAST;
    while (wanted < length)
        wanted *= 2;
    char *memory = take_memory_for(kept, &wanted, length);
    if (memory == NULL)
        return false;
    if (file->length > 0)
        memcpy(memory, file->data, file->length);
    platform_release(kept->memory, (char *)file->data, *room);
    file->data = memory;
    *room = wanted;
    return true;
}

static const char *put_bytes(struct kept *kept, struct place_file *file, size_t at,
                             const char *data, size_t length)
{
    if (!make_room_for_bytes(kept, file, at + length))
        return NO_MEMORY;
    if (length > 0)
        memcpy((char *)file->data + at, data, length);
    if (at + length < file->length)
        memset((char *)file->data + at + length, '\n', file->length - at - length);
    file->length = at + length;
    return NULL;
}

const char *kept_append(struct kept *kept, struct place_file *file, const char *data, size_t length)
{
    const char *reason =
        file->is_cut ? NO_MEMORY : put_bytes(kept, file, file->length, data, length);
    file->is_cut = reason != NULL;
    return reason;
}

const char *kept_replace(struct kept *kept, struct place_file *file, const char *data,
                         size_t length)
{
    return put_bytes(kept, file, 0, data, length);
}
