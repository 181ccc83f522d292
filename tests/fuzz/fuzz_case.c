/* fuzz_case: any text as a case's name, as a label of a user's, and as a choice of a core. */
#include "fuzz.h"

#include "../../kernel/data/case.h"
#include "../../kernel/data/core_choice.h"
#include "../../kernel/lib/text.h"

/* Reading gives the name again, whoever's it was; and what is the same has one name. */
static void check_name(const char *name, struct variant *variant)
{
    struct variant again;
    char written[NAME_BYTES];
    memset(variant, 0xa5, sizeof *variant);
    memcpy(variant->experiment, "mlp", 4);
    again = *variant;
    case_read(name, variant);
    MUST(strcmp(variant->experiment, "mlp") == 0);
    MUST(variant->page < PAGE_SIZES && variant->tlb < TLB_STATES && variant->access < ACCESSES);
    MUST(variant->sibling < SIBLING_WORKS && variant->memory <= MEMORY_REMOTE);
    MUST(strcmp(case_name(variant, written), name) == 0);
    case_read(written, &again);
    MUST(case_same(variant, &again) && case_hash(variant) == case_hash(&again));
    MUST(case_compare(variant, &again) == 0);
}

/* Two names: they are ordered one way, and are the same case only if they are one name. */
static void check_two(const struct variant *a, const char *one, const struct variant *b,
                      const char *other)
{
    int order = case_compare(a, b), back = case_compare(b, a);
    MUST((order < 0) == (back > 0) && (order == 0) == (back == 0));
    MUST(case_same(a, b) == (strcmp(one, other) == 0));
    MUST((order == 0) == (strcmp(one, other) == 0));
}

/* A label without such a word is found again in the name it is put into. */
static void check_label(const char *label)
{
    struct variant variant = {.experiment = "mlp", .has_page = true, .page = PAGE_2M},
                   again = variant;
    char name[NAME_BYTES];
    size_t length;
    const char *word = case_reserved_word(label, &length);
    if (word != NULL) {
        MUST(word >= label && length > 0 && word + length <= label + strlen(label));
        MUST(memchr(word, '-', length) == NULL);
        return;
    }
    /* What the configuration takes: parts of small letters and digits with dashes between. */
    if (strlen(label) > 24 ||
        strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(label))
        return;
    if (label[0] == '-' || strstr(label, "--") != NULL ||
        (label[0] != '\0' && label[strlen(label) - 1] == '-'))
        return;
    memcpy(variant.label, label, strlen(label) + 1);
    case_read(case_name(&variant, name), &again);
    MUST(case_same(&variant, &again));
}

static void check_choice(const char *text, size_t length)
{
    struct core_choice choice, again;
    char written[32];
    static const char *const words[] = {"boot", "p", "e", "all", "", "node"};
    struct piece piece = {text, length};
    if (!core_choice_read(piece, &choice))
        return;
    MUST(choice.wish <= WISH_NODE);
    bool is_numbered = choice.wish >= WISH_NUMBER;
    if (is_numbered)
        snprintf(written, sizeof written, "%s%u", words[choice.wish], choice.number);
    else
        snprintf(written, sizeof written, "%s", words[choice.wish]);
    MUST(strlen(written) == length && memcmp(written, text, length) == 0);
    MUST(core_choice_read(piece_of(written), &again));
    MUST(again.wish == choice.wish && again.number == choice.number);
}

/* A text of less than NAME_BYTES characters, up to a NUL or the end. */
static size_t take_name(const uint8_t *data, size_t size, char name[NAME_BYTES])
{
    size_t length = 0;
    while (length < size && length < NAME_BYTES - 1 && data[length] != '\0' && data[length] != '\n')
        length++;
    memcpy(name, data, length);
    name[length] = '\0';
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char one[NAME_BYTES], other[NAME_BYTES];
    struct variant a, b;
    char *copy = fuzz_copy(data, size);
    size_t length = take_name(data, size, one);
    size_t behind = length < size ? length + 1 : size;
    take_name(data + behind, size - behind, other);
    check_choice(copy, size);
    check_name(one, &a);
    check_name(other, &b);
    check_two(&a, one, &b, other);
    check_label(one);
    free(copy);
    return 0;
}
