/* core_choice: four words, and numbers with and without one. */
#include "core_choice.h"

#include "../lib/text.h"

bool core_choice_read(struct piece text, struct core_choice *choice)
{
    static const struct {
        const char *word;
        enum core_wish wish;
    } words[] = {
        {"boot", WISH_BOOT}, {"p", WISH_PERFORMANCE}, {"e", WISH_EFFICIENT}, {"all", WISH_ALL}};
    *choice = (struct core_choice){.wish = WISH_NUMBER};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (piece_is(text, words[i].word)) {
            choice->wish = words[i].wish;
            return true;
        }
    if (piece_is_numbered(text, "", &choice->number))
        return true;
    choice->wish = WISH_NODE;
    return piece_is_numbered(text, "node", &choice->number);
}
