/* boots: reads and writes lines of key=value, and decides from them what runs next. */
#include "boots.h"

#include "../kernel/lib/string.h"

#define NO_STEP "-" /* stands for "" in the file, where blanks separate */

uint64_t boots_hash(uint64_t hash, const void *data, size_t length)
{
    const uint8_t *at = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ull;
    return hash;
}

/* --- the file --- */

/* Takes what stands before the character `end`, or the rest, off the front, and `end` with it. */
static struct piece take_until(struct piece *rest, const char *end)
{
    struct piece taken = piece_until(rest, end);
    piece_take(rest, end);
    return taken;
}

/* Takes "key=value", up to a blank. False: something else stands there. */
static bool take_value(struct piece *rest, const char *key, struct piece *value)
{
    struct piece found = take_until(rest, "=");
    *value = take_until(rest, " ");
    return piece_is(found, key) && value->length > 0;
}

static bool take_hash(struct piece *rest, const char *key, uint64_t *hash)
{
    static const char digits[] = "0123456789abcdef";
    struct piece value;
    if (!take_value(rest, key, &value) || value.length != 16)
        return false;
    *hash = 0;
    for (size_t i = 0; i < value.length; i++) {
        unsigned digit = 0;
        while (digit < 16 && digits[digit] != value.at[i])
            digit++;
        if (digit == 16)
            return false;
        *hash = *hash << 4 | digit;
    }
    return true;
}

static bool take_number(struct piece *rest, const char *key, uint32_t *number)
{
    struct piece value;
    return take_value(rest, key, &value) && piece_number(value, number);
}

/* Copies printable ASCII that fits. */
static bool copy(char *to, size_t size, struct piece from)
{
    if (from.length >= size)
        return false;
    for (size_t i = 0; i < from.length; i++) {
        if (from.at[i] < ' ' || from.at[i] > '~')
            return false;
        to[i] = from.at[i];
    }
    to[from.length] = '\0';
    return true;
}

static bool take_steps(struct piece *rest, const char *key, char *steps, size_t size)
{
    struct piece value;
    if (!take_value(rest, key, &value))
        return false;
    return copy(steps, size, piece_is(value, NO_STEP) ? piece_of("") : value);
}

/* Reads a line; the name comes last, since it may hold blanks. */
static bool read_entry(struct piece line, struct boots_entry *entry)
{
    *entry = (struct boots_entry){.done = 0};
    return take_hash(&line, "machine", &entry->machine) && take_hash(&line, "text", &entry->text) &&
           take_number(&line, "done", &entry->done) &&
           take_number(&line, "folder", &entry->folder) &&
           take_steps(&line, "step", entry->step, sizeof entry->step) &&
           take_number(&line, "cut", &entry->cut) &&
           take_steps(&line, "in", entry->cut_step, sizeof entry->cut_step) &&
           take_steps(&line, "avoid", entry->avoid, sizeof entry->avoid) &&
           piece_is(take_until(&line, "="), "name") && line.length > 0 &&
           copy(entry->name, sizeof entry->name, line);
}

static struct boots_entry *add(struct boots *boots)
{
    if (boots->count == BOOTS_ENTRIES_MAX)
        memmove(boots->entry, boots->entry + 1, --boots->count * sizeof *boots->entry);
    return &boots->entry[boots->count++];
}

unsigned boots_read(struct boots *boots, const char *data, size_t length)
{
    struct piece rest = {data, length};
    unsigned wrong = 0;
    boots->count = 0;
    while (rest.length > 0) {
        struct piece line = take_until(&rest, "\n");
        struct boots_entry entry;
        while (line.length > 0 &&
               (line.at[line.length - 1] == '\r' || line.at[line.length - 1] == ' '))
            line.length--;
        if (line.length == 0 || line.at[0] == '#')
            continue;
        if (read_entry(line, &entry))
            *add(boots) = entry;
        else
            wrong++;
    }
    return wrong;
}

static const char *shown(const char *step)
{
    return step[0] != '\0' ? step : NO_STEP;
}

void boots_write(const struct boots *boots, struct text *text)
{
    text_printf(text, "# What mlpboot did in earlier boots. Delete this file to start anew.\n");
    for (uint32_t i = 0; i < boots->count; i++) {
        const struct boots_entry *e = &boots->entry[i];
        text_printf(text, "machine=%016llx text=%016llx done=%u folder=%u step=%s cut=%u in=%s",
                    (unsigned long long)e->machine, (unsigned long long)e->text, e->done, e->folder,
                    shown(e->step), e->cut, shown(e->cut_step));
        text_printf(text, " avoid=%s name=%s\n", shown(e->avoid), e->name);
    }
}

/* --- what follows from it --- */

struct boots_entry *boots_find(struct boots *boots, uint64_t machine, const char *name,
                               uint64_t text)
{
    struct boots_entry *entry = boots->entry, *end = boots->entry + boots->count;
    while (entry < end && (entry->machine != machine || strcmp(entry->name, name) != 0))
        entry++;
    if (entry < end && entry->text == text)
        return entry;
    if (entry == end)
        entry = add(boots);
    *entry = (struct boots_entry){.machine = machine, .text = text};
    text_write(entry->name, sizeof entry->name, "%s", name);
    return entry;
}

bool boots_are_counted(const struct config *config)
{
    return config->finish == FINISH_REBOOT || config->runs_is_set;
}

bool boots_is_open(const struct boots_entry *entry, const struct config *config)
{
    return entry->done < config->runs;
}

/* Counts a run whose mark is still there: it did not end. */
static void count_cut(struct boots_entry *entry, struct text *says)
{
    bool again = strcmp(entry->step, entry->cut_step) == 0;
    entry->cut = again ? entry->cut + 1 : 1;
    memcpy(entry->cut_step, entry->step, sizeof entry->cut_step);
    entry->step[0] = '\0';
    text_printf(says, "%s: ", entry->name);
    if (entry->folder > 0)
        text_printf(says, "run %04u", entry->folder);
    else
        text_printf(says, "a run without a folder");
    text_printf(says, " was cut short in %s", entry->cut_step);
    if (entry->cut > 1)
        text_printf(says, ", as %u before it in a row", entry->cut - 1);
    text_char(says, '\n');
}

bool boots_avoids(const struct boots_entry *entry, const char *step)
{
    struct piece rest = piece_of(entry->avoid);
    while (rest.length > 0)
        if (piece_is(take_until(&rest, ","), step))
            return true;
    return false;
}

static void avoid(struct boots_entry *entry)
{
    size_t length = strlen(entry->avoid), more = strlen(entry->cut_step);
    if (more == 0 || boots_avoids(entry, entry->cut_step) ||
        length + more + 2 > sizeof entry->avoid)
        return;
    if (length > 0)
        entry->avoid[length++] = ',';
    memcpy(entry->avoid + length, entry->cut_step, more + 1);
}

void boots_resume(struct boots_entry *entry, bool resumes, struct text *says)
{
    if (entry->step[0] != '\0')
        count_cut(entry, says);
    bool at_once = strcmp(entry->cut_step, BOOTS_LEFT_AT_ONCE) == 0;
    if (resumes && entry->cut >= (at_once ? 1 : BOOTS_CUT_MAX))
        avoid(entry);
    if (entry->avoid[0] != '\0')
        text_printf(says,
                    "%s: not tried again, until " BOOTS_FILE
                    " is deleted or the configuration changed: %s\n",
                    entry->name, entry->avoid);
}

void boots_begin(struct boots_entry *entry, const char *step, uint32_t folder)
{
    text_write(entry->step, sizeof entry->step, "%s", step);
    entry->folder = folder;
}

void boots_end(struct boots_entry *entry)
{
    entry->done++;
    entry->step[0] = '\0';
    entry->cut_step[0] = '\0';
    entry->cut = 0;
}
