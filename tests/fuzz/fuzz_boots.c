/* fuzz_boots: any bytes as mlpboot.state; what is kept of them is written so that it is read again,
 * and what follows from it is safe. */
#include "fuzz.h"

#include "../../efi/boots.h"

static void check(const struct boots *boots)
{
    MUST(boots->count <= BOOTS_ENTRIES_MAX);
    for (uint32_t i = 0; i < boots->count; i++) {
        const struct boots_entry *entry = &boots->entry[i];
        fuzz_check_text(entry->name, sizeof entry->name);
        fuzz_check_text(entry->step, sizeof entry->step);
        fuzz_check_text(entry->cut_step, sizeof entry->cut_step);
        fuzz_check_text(entry->avoid, sizeof entry->avoid);
        MUST(entry->name[0] != '\0');
        MUST(strchr(entry->step, ' ') == NULL && strchr(entry->cut_step, ' ') == NULL);
    }
}

static void check_same(const struct boots *a, const struct boots *b)
{
    MUST(a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct boots_entry *left = &a->entry[i], *right = &b->entry[i];
        MUST(left->machine == right->machine && left->text == right->text);
        MUST(strcmp(left->name, right->name) == 0 && strcmp(left->step, right->step) == 0);
        MUST(strcmp(left->cut_step, right->cut_step) == 0);
        MUST(left->done == right->done && left->folder == right->folder);
        MUST(left->cut == right->cut && strcmp(left->avoid, right->avoid) == 0);
    }
}

/* As a boot does it: looks its entry up, takes marks into account, runs, ends. */
static void go_on(struct boots *boots)
{
    static const struct boots none;
    struct boots_entry first = boots->count > 0 ? boots->entry[0] : none.entry[0];
    char said[1024];
    struct text says;
    struct boots_entry *entry =
        boots_find(boots, first.machine, first.name[0] != '\0' ? first.name : "a.cfg", first.text);
    MUST(entry >= boots->entry && entry < boots->entry + boots->count);
    MUST(entry->machine == first.machine && entry->text == first.text);
    text_init(&says, said, sizeof said);
    boots_resume(entry, true, &says);
    fuzz_check_lines(said, sizeof said);
    MUST(!says.truncated && (says.length == 0 || said[says.length - 1] == '\n'));
    MUST(entry->step[0] == '\0');
    MUST(entry->cut < BOOTS_CUT_MAX || entry->cut_step[0] == '\0' || entry->avoid[0] != '\0');
    uint32_t done = entry->done;
    boots_begin(entry, "mlp", 7);
    MUST(strcmp(entry->step, "mlp") == 0 && entry->folder == 7);
    boots_end(entry);
    MUST(entry->done == done + 1 && entry->step[0] == '\0' && entry->cut == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct boots boots, again;
    static char written[BOOTS_BYTES_MAX];
    struct text text;
    char *copy = fuzz_copy(data, size);
    unsigned wrong = boots_read(&boots, copy, size);
    free(copy);
    MUST(wrong <= size);
    check(&boots);
    text_init(&text, written, sizeof written);
    boots_write(&boots, &text);
    MUST(!text.truncated);
    fuzz_check_lines(written, sizeof written);
    MUST(boots_read(&again, text.at, text.length) == 0);
    check_same(&boots, &again);
    go_on(&boots);
    return 0;
}
