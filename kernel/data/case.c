/* case: reads and writes the words of a name, in their order. */
#include "case.h"

#include "../lib/string.h"
#include "../lib/text.h"

const char *const page_names[PAGE_SIZES + 1] = {"4k", "2m", "1g", NULL};

/* The first name of each list is never part of a case's name. */
const char *const tlb_names[TLB_STATES + 1] = {"natural", "warm", "cold", "walkmem", NULL};
const char *const order_names[] = {"lfence", "cpuid", NULL};
const char *const access_names[ACCESSES + 1] = {"load", "prefetch", "store", "nt", NULL};
static const char *const sibling_names[] = {"unnamed", "idle", "busy", "loading", NULL};

/* A field that has words in a name: one for each of its values but the first, 0. */
struct field {
    size_t at, bytes;         /* in struct variant */
    const char *const *words; /* NULL behind the last; that of 0 is in no name */
    size_t number;            /* of which the word of 1 is followed; 0: of none */
};

#define FIELD(name) offsetof(struct variant, name), sizeof(((struct variant *)NULL)->name)
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        NULL, __VA_ARGS__, NULL                                                                    \
    }
#define NUMBER(name) offsetof(struct variant, name)

/* In the order of a name. Before these stand the pattern and the page size, the label before BACK;
 * fields from ALWAYS on are also in names without a page size. */
static const struct field fields[] = {
    {FIELD(tlb), tlb_names, 0},
    {FIELD(prefetch_off), WORDS("nopf"), 0},
    {FIELD(memory), WORDS("node", "remote"), NUMBER(node)},
    {FIELD(access), access_names, 0},
    {FIELD(order), order_names, 0},
    {FIELD(dependent), WORDS("dependent"), 0},
    {FIELD(sibling), sibling_names, 0},
    {FIELD(generators), WORDS("cores"), NUMBER(generators)},
    {FIELD(has_core), WORDS("core"), NUMBER(core)},
    {FIELD(shared), WORDS("shared"), 0},
};
enum { BACK = 4, ALWAYS = 6, FIELDS = sizeof fields / sizeof *fields };

static uint32_t *number_at(const struct variant *variant, size_t at)
{
    return (uint32_t *)(void *)((char *)(uintptr_t)variant + at);
}

/* Returns the value, which words follow; 1 for any number of a field that is only that. */
static uint32_t value_of(const struct variant *variant, const struct field *f)
{
    uint32_t value =
        f->bytes == sizeof(bool) ? *((const uint8_t *)variant + f->at) : *number_at(variant, f->at);
    return f->at == f->number && value > 0 ? 1 : value;
}

static uint32_t number_of(const struct variant *variant, const struct field *f)
{
    return f->number != 0 ? *number_at(variant, f->number) : 0;
}

/* `rest` is what is left of a name; a part stands without the dashes around it. */
static struct piece first_part(struct piece rest)
{
    return piece_until(&rest, "-");
}

static struct piece last_part(struct piece rest)
{
    size_t start = rest.length;
    while (start > 0 && rest.at[start - 1] != '-')
        start--;
    return (struct piece){rest.at + start, rest.length - start};
}

static void drop_first(struct piece *rest)
{
    piece_until(rest, "-");
    piece_take(rest, "-");
}

static void drop_last(struct piece *rest)
{
    size_t length = last_part(*rest).length;
    rest->length -= length;
    rest->length -= rest->length > 0;
}

static void take_text(char *to, struct piece part)
{
    text_write(to, NAME_BYTES, "%.*s", (int)part.length, part.at);
}

/* Reads a field from a part of a name. False: it is none of its words. */
static bool read_field(const struct field *f, struct piece part, struct variant *to)
{
    uint32_t number = 0, value = 1;
    while (f->words[value] != NULL &&
           !(value == 1 && f->number != 0 ? piece_is_numbered(part, f->words[1], &number)
                                          : piece_is(part, f->words[value])))
        value++;
    if (f->words[value] == NULL)
        return false;
    memcpy((char *)to + f->at, &value, f->bytes);
    if (f->number != 0)
        *number_at(to, f->number) = number;
    return value_of(to, f) != 0;
}

/* Reads the parts before the fields that are always there: the first page size ends the pattern,
 * fields follow from either end, and the rest is the label. */
static void read_parts(struct piece rest, struct variant *to)
{
    const char *name = rest.at;
    struct piece part = {name, 0};
    while (rest.length > 0 && !to->has_page) {
        part = first_part(rest);
        to->page = (enum page_size)piece_place(part, page_names);
        to->has_page = to->page < PAGE_SIZES;
        drop_first(&rest);
    }
    if (part.at > name)
        take_text(to->pattern, (struct piece){name, (size_t)(part.at - name) - 1});
    for (unsigned i = 0; i < BACK; i++)
        if (read_field(&fields[i], first_part(rest), to))
            drop_first(&rest);
    for (unsigned i = ALWAYS; i-- > BACK;)
        if (read_field(&fields[i], last_part(rest), to))
            drop_last(&rest);
    take_text(to->label, rest);
}

/* Keeps a name with unknown parts, or in another order, as a pattern. */
void case_read(const char *name, struct variant *to)
{
    char again[NAME_BYTES];
    struct piece rest = piece_of(name);
    memset(to->pattern, 0, sizeof *to - offsetof(struct variant, pattern));
    for (unsigned i = FIELDS; i-- > ALWAYS;) {
        struct piece before = rest;
        drop_last(&before);
        if (before.length > 0 && read_field(&fields[i], last_part(rest), to))
            rest = before;
    }
    struct variant plain = *to;
    read_parts(rest, to);
    if (to->has_page && strcmp(case_name(to, again), name) == 0)
        return;
    *to = plain;
    take_text(to->pattern, rest);
}

static void add(struct text *text, const char *word)
{
    if (word != NULL && word[0] != '\0')
        text_printf(text, "%s%s", text->length > 0 ? "-" : "", word);
}

static void add_field(struct text *text, const struct variant *variant, const struct field *f)
{
    uint32_t value = value_of(variant, f);
    if (value == 0)
        return;
    add(text, f->words[value]);
    if (value == 1 && f->number != 0)
        text_printf(text, "%u", number_of(variant, f));
}

const char *case_name(const struct variant *variant, char name[NAME_BYTES])
{
    struct text text;
    text_init(&text, name, NAME_BYTES);
    add(&text, variant->pattern);
    add(&text, variant->has_page ? page_names[variant->page] : "");
    for (unsigned i = variant->has_page ? 0 : ALWAYS; i < FIELDS; i++) {
        add(&text, i == BACK ? variant->label : "");
        add_field(&text, variant, &fields[i]);
    }
    return name;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int case_compare(const struct variant *a, const struct variant *b)
{
    static const uint8_t page_order[PAGE_SIZES] = {[PAGE_2M] = 0, [PAGE_1G] = 1, [PAGE_4K] = 2};
    int order = 0;
    for (unsigned i = FIELDS; order == 0 && i-- > 0;)
        order = compare_numbers(value_of(a, &fields[i]), value_of(b, &fields[i]))
                    ?: compare_numbers(number_of(a, &fields[i]), number_of(b, &fields[i]));
    return order ?: b->has_page - a->has_page ?: page_order[a->page] - page_order[b->page]
                 ?: strcmp(a->pattern, b->pattern) ?: strcmp(a->label, b->label);
}

bool case_same(const struct variant *a, const struct variant *b)
{
    return case_compare(a, b) == 0 && strcmp(a->experiment, b->experiment) == 0;
}

/* The FNV-1a hash (Fowler, Noll, Vo) of the name. */
uint64_t case_hash(const struct variant *variant)
{
    char name[NAME_BYTES];
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *at = case_name(variant, name); *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    return hash;
}

const char *case_reserved_word(const char *label, size_t *length)
{
    struct variant variant;
    for (struct piece rest = piece_of(label); rest.length > 0; drop_first(&rest)) {
        struct piece part = first_part(rest);
        *length = part.length;
        for (const struct field *f = fields; f < fields + FIELDS; f++)
            if (read_field(f, part, &variant))
                return part.at;
    }
    return NULL;
}
