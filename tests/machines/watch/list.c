/* list: five kinds of line, nothing else. */
#include "list.h"

#include "../../../kernel/lib/string.h"

static bool word(const char **text, const char *expected)
{
    size_t length = strlen(expected);
    for (size_t i = 0; i < length; i++)
        if ((*text)[i] != expected[i])
            return false;
    *text += length;
    return true;
}

static bool number(const char **text, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    unsigned read = 0;
    *value = 0;
    for (; **text != '\0'; (*text)++, read++) {
        unsigned digit = 0;
        while (digit < 16 && digits[digit] != **text)
            digit++;
        if (digit == 16)
            break;
        *value = *value << 4 | digit;
    }
    return read >= 1 && read <= 16;
}

/* Up to that character, which is taken, too. */
static bool take_text(const char **text, char to[LIST_TEXT_MAX], char end)
{
    size_t length = 0;
    while (**text != '\0' && **text != '\n' && **text != end && length < LIST_TEXT_MAX - 1)
        to[length++] = *(*text)++;
    to[length] = '\0';
    return length > 0 && word(text, (char[]){end, '\0'});
}

static bool line(struct list *list, const char **text)
{
    if (word(text, "hang "))
        return take_text(text, list->hang, '\n');
    if (word(text, "vice ")) {
        unsigned i = list->vices++;
        return i < LIST_VICES_MAX && take_text(text, list->vice[i].name, ' ') &&
               number(text, &list->vice[i].number) && word(text, "\n");
    }
    if (word(text, "protect ")) {
        list->protects = word(text, "all") ? PROTECT_ALL : PROTECT_IMAGE;
        return (list->protects == PROTECT_ALL || word(text, "image")) && word(text, "\n");
    }
    uint64_t index, value = 0;
    bool set = word(text, "set ");
    if (list->count == LIST_MSRS_MAX || (!set && !word(text, "read ")) || !number(text, &index) ||
        index > UINT32_MAX || (set && (!word(text, " ") || !number(text, &value))) ||
        !word(text, "\n"))
        return false;
    list->msr[list->count].index = (uint32_t)index;
    list->msr[list->count].set = set;
    list->msr[list->count++].value = value;
    return true;
}

unsigned list_parse(struct list *list, const char *text)
{
    list->count = 0;
    list->hang[0] = '\0';
    list->vices = 0;
    list->protects = PROTECT_NOTHING;
    for (unsigned at = 1; *text != '\0'; at++)
        if (!line(list, &text))
            return at;
    return 0;
}
