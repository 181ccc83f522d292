/* case: reads and writes the words of a name, in their order. */
#include "case.h"

#include "../lib/string.h"
#include "../lib/text.h"

#define NODE_WORD "node"
#define CORE_WORD "core"
#define GENERATORS_WORD "cores"

const char *const page_names[PAGE_SIZES + 1] = {"4k", "2m", "1g", NULL};

/* The first name of each list is never part of a case's name. */
const char *const tlb_names[TLB_STATES + 1] = {"natural", "warm", "cold", "walkmem", NULL};
const char *const order_names[] = {"lfence", "cpuid", NULL};
const char *const access_names[ACCESSES + 1] = {"load", "prefetch", "store", "nt", NULL};
const char *const sibling_names[SIBLING_WORKS + 1] = {"unnamed", "idle", "busy", "loading", NULL};

static const char prefetch_word[] = "nopf", remote_word[] = "remote",
                  dependent_word[] = "dependent", shared_word[] = "shared";

/* `rest` is what is left of a name; a part stands without the dashes around it. */
static struct piece first_part(struct piece rest)
{
    struct piece part = {rest.at, 0};
    while (part.length < rest.length && rest.at[part.length] != '-')
        part.length++;
    return part;
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
    size_t length = first_part(*rest).length;
    length += length < rest->length; /* the dash */
    rest->at += length;
    rest->length -= length;
}

static void drop_last(struct piece *rest)
{
    size_t length = last_part(*rest).length;
    rest->length -= length;
    rest->length -= rest->length > 0;
}

/* Returns the word's index in a list, from `first` on; `count` if it is not there. */
static unsigned find_word(struct piece part, const char *const *words, unsigned first,
                          unsigned count)
{
    while (first < count && !piece_is(part, words[first]))
        first++;
    return first;
}

static void take_text(char *to, struct piece part)
{
    text_write(to, NAME_BYTES, "%.*s", (int)part.length, part.at);
}

static void read_memory(struct piece *rest, struct variant *to)
{
    if (piece_is_numbered(first_part(*rest), NODE_WORD, &to->node))
        to->memory = MEMORY_NODE;
    else if (piece_is(first_part(*rest), remote_word))
        to->memory = MEMORY_REMOTE;
    else
        return;
    drop_first(rest);
}

/* Reads the words after the page size, from either end; the rest is the label. */
static void read_words(struct piece rest, struct variant *to)
{
    unsigned tlb = find_word(first_part(rest), tlb_names, TLB_WARM, TLB_STATES);
    if (tlb < TLB_STATES) {
        to->tlb = (enum tlb_state)tlb;
        drop_first(&rest);
    }
    to->prefetch_off = piece_is(first_part(rest), prefetch_word);
    if (to->prefetch_off)
        drop_first(&rest);
    read_memory(&rest, to);
    unsigned access = find_word(first_part(rest), access_names, ACCESS_PREFETCH, ACCESSES);
    if (access < ACCESSES) {
        to->access = (enum access)access;
        drop_first(&rest);
    }
    to->dependent = piece_is(last_part(rest), dependent_word);
    if (to->dependent)
        drop_last(&rest);
    if (piece_is(last_part(rest), order_names[ORDER_CPUID])) {
        to->order = ORDER_CPUID;
        drop_last(&rest);
    }
    take_text(to->label, rest);
}

/* Clears everything that a name can say; the experiment is no part of it. */
static void forget(struct variant *to)
{
    char experiment[NAME_BYTES];
    memcpy(experiment, to->experiment, NAME_BYTES);
    memset(to, 0, sizeof *to);
    memcpy(to->experiment, experiment, NAME_BYTES);
}

static void read_parts(const char *name, struct variant *to)
{
    struct piece rest = piece_of(name);
    unsigned page = PAGE_SIZES;
    for (; rest.length > 0 && page == PAGE_SIZES; drop_first(&rest))
        page = find_word(first_part(rest), page_names, 0, PAGE_SIZES);
    if (page == PAGE_SIZES)
        return;
    const char *behind = rest.length > 0 ? rest.at : name + strlen(name);
    size_t before = (size_t)(behind - name) - strlen(page_names[page]) - (rest.length > 0);
    if (before > 0)
        take_text(to->pattern, (struct piece){name, before - 1});
    to->has_page = true;
    to->page = (enum page_size)page;
    read_words(rest, to);
}

/* Takes a word off a name's end, if something stands before it. */
static bool take_last(struct piece *rest)
{
    struct piece before = *rest;
    drop_last(&before);
    if (before.length > 0)
        *rest = before;
    return before.length > 0;
}

static bool take_shared(struct piece *rest)
{
    return piece_is(last_part(*rest), shared_word) && take_last(rest);
}

static bool take_number(struct piece *rest, const char *word, uint32_t *number)
{
    return piece_is_numbered(last_part(*rest), word, number) && take_last(rest);
}

/* Takes the number of generators; 0: none, which no name says. */
static uint32_t take_generators(struct piece *rest)
{
    struct piece before = *rest;
    uint32_t number;
    if (take_number(rest, GENERATORS_WORD, &number) && number > 0)
        return number;
    *rest = before;
    return 0;
}

static enum sibling_work take_sibling(struct piece *rest)
{
    unsigned work = find_word(last_part(*rest), sibling_names, SIBLING_IDLE, SIBLING_WORKS);
    return work < SIBLING_WORKS && take_last(rest) ? (enum sibling_work)work : SIBLING_UNNAMED;
}

/* Keeps a name with unknown parts, or in another order, as a pattern. */
void case_read(const char *name, struct variant *to)
{
    char plain[NAME_BYTES], again[NAME_BYTES];
    struct piece rest = piece_of(name);
    uint32_t core;
    bool shared = take_shared(&rest), has_core = take_number(&rest, CORE_WORD, &core);
    uint32_t generators = take_generators(&rest);
    enum sibling_work sibling = take_sibling(&rest);
    take_text(plain, rest);
    forget(to);
    read_parts(plain, to);
    if (!to->has_page || strcmp(case_name(to, again), plain) != 0) {
        forget(to);
        take_text(to->pattern, rest);
    }
    to->sibling = sibling;
    to->generators = generators;
    to->has_core = has_core;
    to->core = has_core ? core : 0;
    to->shared = shared;
}

static void add(struct text *text, const char *word)
{
    if (word != NULL && word[0] != '\0')
        text_printf(text, "%s%s", text->length > 0 ? "-" : "", word);
}

static void add_memory(struct text *text, const struct variant *variant)
{
    if (variant->memory == MEMORY_NODE)
        text_printf(text, "-" NODE_WORD "%u", variant->node);
    else
        add(text, variant->memory == MEMORY_REMOTE ? remote_word : NULL);
}

/* Adds the page size, and the words that need one. */
static void add_page(struct text *text, const struct variant *variant)
{
    add(text, page_names[variant->page]);
    add(text, variant->tlb != TLB_NATURAL ? tlb_names[variant->tlb] : NULL);
    add(text, variant->prefetch_off ? prefetch_word : NULL);
    add_memory(text, variant);
    add(text, variant->access != ACCESS_LOAD ? access_names[variant->access] : NULL);
    add(text, variant->label);
    add(text, variant->order == ORDER_CPUID ? order_names[ORDER_CPUID] : NULL);
    add(text, variant->dependent ? dependent_word : NULL);
}

const char *case_name(const struct variant *variant, char name[NAME_BYTES])
{
    struct text text;
    text_init(&text, name, NAME_BYTES);
    add(&text, variant->pattern);
    if (variant->has_page)
        add_page(&text, variant);
    add(&text, variant->sibling != SIBLING_UNNAMED ? sibling_names[variant->sibling] : NULL);
    if (variant->generators > 0)
        text_printf(&text, "-" GENERATORS_WORD "%u", variant->generators);
    if (variant->has_core)
        text_printf(&text, "-" CORE_WORD "%u", variant->core);
    add(&text, variant->shared ? shared_word : NULL);
    return name;
}

bool case_same(const struct variant *a, const struct variant *b)
{
    return a->has_page == b->has_page && a->page == b->page && a->tlb == b->tlb &&
           a->prefetch_off == b->prefetch_off && a->memory == b->memory && a->node == b->node &&
           a->order == b->order && a->dependent == b->dependent && a->shared == b->shared &&
           a->has_core == b->has_core && a->core == b->core && a->access == b->access &&
           a->sibling == b->sibling && a->generators == b->generators &&
           strcmp(a->pattern, b->pattern) == 0 && strcmp(a->label, b->label) == 0 &&
           strcmp(a->experiment, b->experiment) == 0;
}

int case_compare(const struct variant *a, const struct variant *b)
{
    static const int page_order[PAGE_SIZES] = {[PAGE_2M] = 0, [PAGE_1G] = 1, [PAGE_4K] = 2};
    char left[NAME_BYTES], right[NAME_BYTES];
    const int differences[] = {
        (int)a->shared - (int)b->shared,
        (int)a->has_core - (int)b->has_core,
        (a->core > b->core) - (a->core < b->core),
        (int)a->sibling - (int)b->sibling,
        (a->generators > b->generators) - (a->generators < b->generators),
        (int)a->access - (int)b->access,
        (int)a->memory - (int)b->memory,
        (int)a->prefetch_off - (int)b->prefetch_off,
        (int)a->tlb - (int)b->tlb,
        (int)a->order - (int)b->order,
        page_order[a->page] - page_order[b->page],
    };
    for (unsigned i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i] != 0)
            return differences[i];
    return strcmp(case_name(a, left), case_name(b, right));
}

/* Adds to an FNV-1a hash (Fowler, Noll, Vo): eight bytes of number or one of text at a time. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 0x100);
}

uint64_t case_hash(const struct variant *variant)
{
    uint64_t numbers = (uint64_t)variant->node << 32 | (uint64_t)variant->access << 17 |
                       (uint64_t)variant->sibling << 14 | (uint64_t)variant->has_core << 13 |
                       (uint64_t)variant->has_page << 12 | (uint64_t)variant->page << 10 |
                       (uint64_t)variant->tlb << 8 | (uint64_t)variant->prefetch_off << 6 |
                       (uint64_t)variant->memory << 4 | (uint64_t)variant->order << 2 |
                       (uint64_t)variant->shared << 1 | (uint64_t)variant->dependent;
    uint64_t hash = mix(0xcbf29ce484222325, numbers);
    hash = mix(hash, (uint64_t)variant->generators << 32 | variant->core);
    hash = mix_text(hash, variant->experiment);
    hash = mix_text(hash, variant->pattern);
    return mix_text(hash, variant->label);
}

static bool is_word(struct piece part)
{
    uint32_t number;
    return find_word(part, tlb_names, TLB_WARM, TLB_STATES) < TLB_STATES ||
           piece_is(part, prefetch_word) || piece_is(part, remote_word) ||
           piece_is(part, order_names[ORDER_CPUID]) || piece_is(part, dependent_word) ||
           find_word(part, access_names, ACCESS_PREFETCH, ACCESSES) < ACCESSES ||
           find_word(part, sibling_names, SIBLING_IDLE, SIBLING_WORKS) < SIBLING_WORKS ||
           piece_is(part, shared_word) || piece_is_numbered(part, NODE_WORD, &number) ||
           piece_is_numbered(part, CORE_WORD, &number) ||
           piece_is_numbered(part, GENERATORS_WORD, &number);
}

const char *case_reserved_word(const char *label, size_t *length)
{
    for (struct piece rest = piece_of(label); rest.length > 0; drop_first(&rest)) {
        struct piece part = first_part(rest);
        *length = part.length;
        if (is_word(part))
            return part.at;
    }
    return NULL;
}
