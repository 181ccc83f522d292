/* test_events: compares the compiled tables with events.csv, line by line, for each processor. */
#include "../../kernel/pmu/event.h"
#include "kit.h"

#define ROWS_MIN 1067 /* lines may be added, none may be lost */

enum column {
    VENDOR,
    UARCH,
    FAMILY,
    MODELS,
    KEY,
    SELECT,
    UMASK,
    CMASK,
    COUNTERS,
    SOURCE,
    EVENT_NAME,
    UMASK_EXT,
    COUNTERS_HT_OFF,
    ERRATA,
    NOTE,
    COLUMNS
};

static char *text; /* events.csv, its fields ended by NULs */
static char *(*rows)[COLUMNS];
static unsigned row_count;

static void read_text(void)
{
    FILE *file = fopen("kernel/pmu/events.csv", "r");
    assert_non_null(file);
    text = calloc(1, 4 << 20);
    assert_true(fread(text, 1, (4 << 20) - 1, file) > 0);
    assert_true(feof(file));
    fclose(file);
}

SETUP_ALL(read_rows)
{
    read_text();
    rows = calloc(ROWS_MIN * 4, sizeof *rows);
    char *at = text;
    strsep(&at, "\n"); /* the header */
    for (char *line = strsep(&at, "\n"); line && *line; line = strsep(&at, "\n")) {
        assert_compare(row_count, <, ROWS_MIN * 4);
        for (unsigned i = 0; i < COLUMNS; i++)
            assert_non_null(rows[row_count][i] = strsep(&line, ","));
        assert_null(line);
        row_count++;
    }
}

TEARDOWN_ALL(free_rows)
{
    free(rows);
    free(text);
}

static uint64_t number(const char *field)
{
    return strtoull(field, NULL, 0);
}

static bool ends_in(const char *word, const char *end)
{
    size_t length = strlen(word), tail = strlen(end);
    return length >= tail && strcmp(word + length - tail, end) == 0;
}

static enum core_type type_of(const char *uarch)
{
    if (ends_in(uarch, "_lpe"))
        return CORE_LOW_POWER;
    if (ends_in(uarch, "_e"))
        return CORE_EFFICIENT;
    return ends_in(uarch, "_p") ? CORE_PERFORMANCE : CORE_ANY;
}

/* Returns a processor of the last model of a line; for * one that no line names. */
static struct processor processor_of(char *const row[COLUMNS])
{
    struct processor p = {.vendor = strcmp(row[VENDOR], "AMD") == 0 ? VENDOR_AMD : VENDOR_INTEL};
    if (strcmp(row[FAMILY], "*") == 0) {
        p.family = 6;
        p.model = 0xfe;
        return p;
    }
    const char *last = strrchr(row[MODELS], ' ');
    unsigned model = 0, end = 0;
    last = last ? last + 1 : row[MODELS];
    if (sscanf(last, "%x:%x-%x", &model, &p.stepping, &end) == 1)
        sscanf(last, "%*x-%x", &model);
    p.family = number(row[FAMILY]);
    p.model = model;
    return p;
}

static const struct microarchitecture *uarch_of(char *const row[COLUMNS])
{
    struct processor p = processor_of(row);
    const struct microarchitecture *found = microarchitecture_find(&p, type_of(row[UARCH]));
    assert_non_null(found);
    return found;
}

static void compare_line(char *const row[COLUMNS], const struct event *event)
{
    assert_string_equal(event_keys[event->key], row[KEY]);
    assert_int_equal(event->select, number(row[SELECT]));
    assert_int_equal(event->umask, number(row[UMASK]));
    assert_int_equal(event->umask_ext, number(row[UMASK_EXT]));
    assert_int_equal(event->cmask, strtoul(row[CMASK], NULL, 10));
    assert_int_equal(event->counters, number(row[COUNTERS]));
    assert_int_equal(event->counters_ht_off, number(row[COUNTERS_HT_OFF]));
}

TEST(every_line_is_found)
{
    assert_compare(row_count, >=, ROWS_MIN);
    for (unsigned i = 0; i < row_count; i++) {
        const struct microarchitecture *uarch = uarch_of(rows[i]);
        assert_string_equal(uarch->name, rows[i][UARCH]);
        const struct event *event = event_find(uarch, rows[i][KEY]);
        if (!event)
            fail_msg("%s has no %s", rows[i][UARCH], rows[i][KEY]);
        compare_line(rows[i], event);
    }
}

TEST(nothing_else_is_there)
{
    unsigned events = 0;
    for (unsigned u = 0; u < event_microarchitecture_count; u++) {
        const struct microarchitecture *uarch = &event_microarchitectures[u];
        events += uarch->count;
        for (unsigned i = 1; i < uarch->count; i++)
            assert_compare(event_at(uarch, i)->key, >, event_at(uarch, i - 1)->key);
    }
    assert_int_equal(events, row_count);
    for (unsigned i = 1; i < event_key_count; i++)
        assert_true(strcmp(event_keys[i - 1], event_keys[i]) < 0);
}

TEST(size)
{
    assert_int_equal(sizeof(struct event), 16);
}

/* --- notes --- */

TEST(wide_events)
{
    unsigned wide = 0;
    for (unsigned i = 0; i < row_count; i++) {
        const struct event *event = event_find(uarch_of(rows[i]), rows[i][KEY]);
        bool is_sum = strcmp(rows[i][VENDOR], "AMD") == 0 &&
                      strcmp(rows[i][KEY], "l1d_pend_miss_pending") == 0;
        assert_int_equal(event->wide, is_sum);
        wide += event->wide;
    }
    assert_compare(wide, >=, 4); /* Zen 3 to 6 */
}

/* Intel SDM 2A, CPUID leaf 0AH, EBX. */
static const struct {
    const char *key;
    unsigned bit;
} voidable[] = {
    {"core_cycles_gp", 0}, {"instructions_gp", 1}, {"llc_reference", 3}, {"llc_miss", 4}};

TEST(architectural_bits)
{
    const struct processor unknown = {.vendor = VENDOR_INTEL, .family = 6, .model = 0xfe};
    const struct microarchitecture *uarch = microarchitecture_find(&unknown, CORE_ANY);
    unsigned bits = 0;
    for (EACH(c, voidable)) {
        const struct event *event = event_find(uarch, c->key);
        assert_non_null(event);
        assert_int_equal(event->architectural, c->bit + 1);
    }
    for (unsigned i = 0; i < uarch->count; i++)
        bits += event_at(uarch, i)->architectural != 0;
    assert_int_equal(bits, sizeof voidable / sizeof *voidable);
}

/* --- processors --- */

/* Those that `every_model` does not reach. */
static const struct {
    enum processor_vendor vendor;
    unsigned family, model, stepping;
    enum core_type type;
    const char *name; /* NULL: none */
} processors[] = {
    {VENDOR_INTEL, 6, 0x97, 5, CORE_ANY, "alderlake_p"}, /* efficient cores switched off */
    {VENDOR_INTEL, 6, 0xbe, 0, CORE_ANY, "alderlake_n"},
    {VENDOR_INTEL, 6, 0xc5, 2, CORE_LOW_POWER, "arrowlake_h_lpe"},
    {VENDOR_INTEL, 6, 0xc6, 2, CORE_LOW_POWER, "arrowlake_e"}, /* no table of its own */
    {VENDOR_INTEL, 6, 0xaa, 4, CORE_LOW_POWER, "meteorlake_e"},
    {VENDOR_INTEL, 6, 0xfe, 0, CORE_ANY, "architectural"},
    {VENDOR_INTEL, 18, 1, 0, CORE_PERFORMANCE, "architectural"},
    {VENDOR_INTEL, 15, 4, 1, CORE_ANY, "architectural"},
    {VENDOR_AMD, 0x10, 2, 0, CORE_ANY, NULL},
    {VENDOR_AMD, 6, 0x3c, 0, CORE_ANY, NULL},
    {VENDOR_OTHER, 6, 0x3c, 0, CORE_ANY, NULL},
};

TEST(processors)
{
    for (EACH(c, processors)) {
        const struct processor p = {
            .vendor = c->vendor, .family = c->family, .model = c->model, .stepping = c->stepping};
        const struct microarchitecture *found = microarchitecture_find(&p, c->type);
        assert_same_text(found ? found->name : NULL, c->name);
    }
}

/* True if a list of models, as it is in the file, holds a model with this stepping. */
static bool holds(const char *models, unsigned model, unsigned stepping)
{
    for (const char *at = models; at; at = strchr(at, ' ')) {
        unsigned first = 0, last = 0, low = 0, high = 15;
        at += *at == ' ';
        if (sscanf(at, "%x:%x-%x", &first, &low, &high) == 3)
            last = first;
        else if (sscanf(at, "%x-%x", &first, &last) == 1)
            last = first;
        if (model >= first && model <= last && stepping >= low && stepping <= high)
            return true;
    }
    return false;
}

/* Returns the microarchitecture of a processor by the file alone. */
static const char *by_file(const struct processor *p, enum core_type type)
{
    const char *vendor = p->vendor == VENDOR_AMD ? "AMD" : "Intel";
    for (unsigned i = 0; i < row_count; i++)
        if ((i == 0 || strcmp(rows[i][UARCH], rows[i - 1][UARCH]) != 0) &&
            strcmp(rows[i][VENDOR], vendor) == 0 && number(rows[i][FAMILY]) == p->family &&
            (type_of(rows[i][UARCH]) == CORE_ANY || type_of(rows[i][UARCH]) == type) &&
            holds(rows[i][MODELS], p->model, p->stepping))
            return rows[i][UARCH];
    return p->vendor == VENDOR_AMD ? "none" : "architectural";
}

static void check_family(enum processor_vendor vendor, unsigned family, enum core_type type)
{
    for (unsigned model = 0; model < 256; model++)
        for (unsigned stepping = 0; stepping < 16; stepping++) {
            const struct processor p = {
                .vendor = vendor, .family = family, .model = model, .stepping = stepping};
            const struct microarchitecture *found = microarchitecture_find(&p, type);
            assert_string_equal(found ? found->name : "none", by_file(&p, type));
        }
}

TEST(every_model)
{
    check_family(VENDOR_INTEL, 6, CORE_PERFORMANCE);
    check_family(VENDOR_INTEL, 6, CORE_EFFICIENT);
    for (unsigned family = 0x15; family <= 0x1b; family++)
        check_family(VENDOR_AMD, family, CORE_ANY);
}

/* --- keys --- */

/* Bartlett Lake-S has no efficient cores, and no leaf that tells types apart. */
TEST(performance_cores_alone)
{
    struct processor p = {.vendor = VENDOR_INTEL, .family = 6, .model = 0xd7};
    assert_string_equal(microarchitecture_find(&p, CORE_ANY)->name, "raptorlake_p");
}

TEST(keys_that_are_not_there)
{
    const struct processor zen1 = {.vendor = VENDOR_AMD, .family = 0x17, .model = 1};
    const struct microarchitecture *uarch = microarchitecture_find(&zen1, CORE_ANY);
    assert_null(event_find(uarch, "l1d_pend_miss_pending")); /* only on other processors */
    assert_null(event_find(uarch, ""));
    assert_null(event_find(uarch, "a"));
    assert_null(event_find(uarch, "zzz"));
    assert_null(event_find(uarch, "instructions_g"));
    assert_null(event_find(uarch, "instructions_gpx"));
    assert_null(event_find(NULL, "instructions_gp"));
    assert_non_null(event_find(uarch, "instructions_gp"));
}
