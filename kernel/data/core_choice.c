/* core_choice: four words, and numbers with and without one. */
#include "core_choice.h"

#include "../lib/text.h"

bool core_choice_read(struct piece text, struct core_choice *choice)
{
    /* In the order of the enum: none of them is WISH_NUMBER. */
    static const char *const words[] = {"boot", "p", "e", "all", NULL};
    *choice = (struct core_choice){.wish = (enum core_wish)piece_place(text, words)};
    if (choice->wish < WISH_NUMBER || piece_is_numbered(text, "", &choice->number))
        return true;
    choice->wish = WISH_NODE;
    return piece_is_numbered(text, "node", &choice->number);
}
