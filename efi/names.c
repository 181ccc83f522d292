/* names: inserts into a sorted list. */
#include "names.h"

#include "../kernel/lib/string.h"

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Returns a negative number, 0 or a positive one as `a` comes before, with or after `b`. */
static int compare_names(const char *a, const char *b)
{
    while (*a != '\0' && small(*a) == small(*b)) {
        a++;
        b++;
    }
    return small(*a) - small(*b);
}

/* Converts a name. False: it is too long or not ASCII; other characters become '?'. */
static bool narrow_name(const uint16_t *from, char to[BOOTS_NAME_MAX])
{
    bool right = true;
    size_t length = 0;
    for (; *from != 0 && length < BOOTS_NAME_MAX - 1; from++) {
        bool is_plain = *from >= ' ' && *from <= '~';
        to[length++] = is_plain ? (char)*from : '?';
        right &= is_plain;
    }
    to[length] = '\0';
    return right && *from == 0;
}

/* True if the whole name, however long, ends as a configuration's. */
static bool is_configuration(const uint16_t *name)
{
    static const char end[] = ".cfg";
    size_t length = 0, skipped = sizeof end - 1;
    while (name[length] != 0)
        length++;
    if (length <= skipped || name[0] == '.')
        return false;
    for (size_t i = 0; i < skipped; i++) {
        uint16_t c = name[length - skipped + i];
        if (c > '~' || small((char)c) != end[i])
            return false;
    }
    return true;
}

void names_add(struct names *names, const uint16_t *name, struct text *remarks)
{
    char plain[BOOTS_NAME_MAX];
    if (!is_configuration(name))
        return;
    if (!narrow_name(name, plain)) {
        text_printf(remarks, "%s: a name of at most %u plain characters is needed; left out\n",
                    plain, BOOTS_NAME_MAX - 1);
        return;
    }
    if (names->count == NAMES_MAX) {
        bool is_last = compare_names(plain, names->at[NAMES_MAX - 1]) > 0;
        text_printf(remarks, "%s: more than %u configurations; left out\n",
                    is_last ? plain : names->at[NAMES_MAX - 1], NAMES_MAX);
        if (is_last)
            return;
        names->count--;
    }
    unsigned place = names->count;
    for (; place > 0 && compare_names(plain, names->at[place - 1]) < 0; place--)
        memcpy(names->at[place], names->at[place - 1], BOOTS_NAME_MAX);
    memcpy(names->at[place], plain, sizeof plain);
    names->count++;
}
