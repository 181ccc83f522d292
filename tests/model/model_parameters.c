/* model_parameters: the table of keys, and the reading of a list of them. */
#include "model_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 32
#define LARGE 10000 /* beyond any reorder buffer */
#define KEY(name) #name, offsetof(struct model_parameters, name)
#define LEVEL(number, member)                                                                      \
    "l" #number "_" #member, offsetof(struct model_parameters, level[(number)-1].member)

#define HASHES                                                                                     \
    "1: all bits of a page's number choose its set, neighbours still evenly; 2: as if by chance"
#define ANY_GOES "1: a full set of this cache loses any line, not the oldest"
#define POLICIES 0, 2, 0, "beside ordered work: 0 halved, 1 shared with it, 2 whole"

#define KIB 1024.0
#define GIB (KIB * KIB * KIB)

/* Standard values: about those published of a Haswell server (Xeon E5-2640 v3, 2014). */
const struct model_key model_keys[] = {
    {KEY(rob), MODEL_NUMBER, 4, 100000, 192, "instructions in flight"},
    {KEY(width), MODEL_NUMBER, 1, 16, 4, "instructions dispatched and retired per cycle"},
    {KEY(int_regs), MODEL_NUMBER, 1, 1000000, LARGE, "writers of integer registers in flight"},
    {KEY(vec_regs), MODEL_NUMBER, 1, 1000000, LARGE, "writers of vector registers in flight"},
    {KEY(load_queue), MODEL_NUMBER, 1, 1000000, LARGE, "loads in flight"},
    {KEY(store_queue), MODEL_NUMBER, 1, 1000000, LARGE, "stores in flight"},
    {KEY(scheduler), MODEL_NUMBER, 1, 1000000, LARGE, "instructions that wait for their sources"},
    {KEY(schedulers), MODEL_NUMBER, 1, 8, 1,
     "schedulers of that size; imul has one of them, loads and stores one as large as all"},
    {KEY(fill_buffers), MODEL_NUMBER, 1, 1024, 10, "lines on their way to the first-level cache"},
    {KEY(walkers), MODEL_NUMBER, 1, 64, 1, "page walks at a time"},
    {KEY(tlb), MODEL_NUMBER, 1, 1000000, 1536, "pages the TLB holds"},
    {KEY(memory), MODEL_NUMBER, 1, 1000000, 200, "cycles of a load that misses all caches"},
    {KEY(remote), MODEL_NUMBER, 0, 1000000, 0,
     "cycles more that it takes on a second memory node; 0: no such node"},
    {KEY(walk), MODEL_NUMBER, 1, 1000000, 60, "cycles of a page walk whose entries are cached"},
    {KEY(timer), MODEL_NUMBER, 1, 1000000, 30, "cycles of an empty timed interval"},
    {LEVEL(1, bytes), MODEL_SIZE, 64, GIB, 32 * KIB, "first-level cache"},
    {LEVEL(1, latency), MODEL_NUMBER, 1, 1000000, 4, "cycles of a load that hits it"},
    {LEVEL(2, bytes), MODEL_SIZE, 0, GIB, 256 * KIB, "second-level cache; 0: no such level"},
    {LEVEL(2, latency), MODEL_NUMBER, 1, 1000000, 12, "cycles of a load that hits it"},
    {LEVEL(3, bytes), MODEL_SIZE, 0, GIB, 20 * (KIB * KIB), "third-level cache; 0: no such level"},
    {LEVEL(3, latency), MODEL_NUMBER, 1, 1000000, 40, "cycles of a load that hits it"},
    {LEVEL(4, bytes), MODEL_SIZE, 0, GIB, 0, "fourth-level cache; 0: no such level"},
    {LEVEL(4, latency), MODEL_NUMBER, 1, 1000000, 60, "cycles of a load that hits it"},
    {LEVEL(5, bytes), MODEL_SIZE, 0, GIB, 0, "fifth-level cache; 0: no such level"},
    {LEVEL(5, latency), MODEL_NUMBER, 1, 1000000, 90, "cycles of a load that hits it"},
    {LEVEL(1, random), MODEL_NUMBER, 0, 1, 0, ANY_GOES},
    {LEVEL(2, random), MODEL_NUMBER, 0, 1, 0, ANY_GOES},
    {LEVEL(3, random), MODEL_NUMBER, 0, 1, 0, ANY_GOES},
    {LEVEL(3, victim), MODEL_NUMBER, 0, 1, 0, "1: it holds only lines that the second level lost"},
    {KEY(counters), MODEL_NUMBER, 0, 8, 4,
     "general performance counters, besides three fixed ones; 0: none at all"},
    {KEY(skid), MODEL_NUMBER, 0, 1000, 0,
     "cycles from a counter's overflow until all counters stand still"},
    {KEY(noise), MODEL_FRACTION, 0, 0.5, 0, "relative standard deviation of memory's latency"},
    {KEY(seed), MODEL_NUMBER, 0, 1e15, 1, "seed of all random numbers"},
    {KEY(sibling), MODEL_FRACTION, 0, 1, 0,
     "share of the time in which another thread takes half of the core"},
    {KEY(sibling_waits), MODEL_NUMBER, 0, 1, 0,
     "1: that thread waits for memory, so that additions are as fast as ever"},
    {KEY(sibling_ms), MODEL_FRACTION, 0.001, 1e6, 5,
     "mean milliseconds of 2.6 million cycles until it wakes or sleeps"},
    {KEY(known), MODEL_NUMBER, 0, 2, 1,
     "facts known of the core: 0 none, 1 its published width and reorder buffer, 2 that it has one "
     "thread"},
    {KEY(tsc_step), MODEL_NUMBER, 0, 100000, 0, "ticks by which timestamps step; 0: one by one"},
    {KEY(drift), MODEL_FRACTION, 0, 0.2, 0, "share by which ticks and cycles drift apart"},
    {KEY(drift_ms), MODEL_FRACTION, 0.1, 1e6, 1000, "milliseconds that such a change takes"},
    {KEY(smi_us), MODEL_FRACTION, 0, 1e6, 0,
     "microseconds for which an SMI stops the core, but no clock or counter; 0: no SMIs"},
    {KEY(smi_ms), MODEL_FRACTION, 0.01, 1e6, 100, "milliseconds of the core's from SMI to SMI"},
    {KEY(clock_low), MODEL_FRACTION, 0.05, 1, 1,
     "the least clock of the core, as a share of the full one, at which a cycle is a tick"},
    {KEY(clock_steps), MODEL_FRACTION, 0, 1e6, 0,
     "milliseconds from one step of the clock to the next, from full to least by turns; 0: none"},
    {KEY(clock_ramp), MODEL_FRACTION, 0, 1e6, 0,
     "milliseconds in which the clock rises from least to full at the start; 0: full at once"},
    {KEY(slow_share), MODEL_FRACTION, 0, 1, 0, "share of the loads from memory that are slow"},
    {KEY(slow_factor), MODEL_FRACTION, 1, 1000, 2, "factor by which slow loads take longer"},
    {KEY(banks), MODEL_FRACTION, 0, 10, 0,
     "share by which memory is slower at some lines than at others"},
    {KEY(refresh), MODEL_NUMBER, 0, 1000000, 0,
     "cycles for which a refresh stops memory; 0: it is never refreshed"},
    {KEY(refresh_us), MODEL_FRACTION, 0.1, 1e6, 7.8,
     "microseconds of 2,600 cycles from refresh to refresh"},
    {KEY(inert), MODEL_NUMBER, 0, 1, 0,
     "1: as in an emulator, every instruction takes the same time"},
    {KEY(fuse), MODEL_NUMBER, 0, 30, 0,
     "bytes up to which NOPs join a load or NOPs in an entry of the ROB, four at most; 0: none do"},
    {KEY(pairs), MODEL_NUMBER, 0, 1, 0,
     "1: two operations of different kinds share an entry of the ROB"},
    {KEY(early_release), MODEL_NUMBER, 0, 1, 0,
     "1: a load leaves its queue with its data, not when it retires"},
    {KEY(stack_rename), MODEL_NUMBER, 0, 1, 0,
     "1: a load at RSP and no index takes no entry of the load queue"},
    {KEY(int_state), MODEL_NUMBER, 0, 16, 0,
     "integer registers of these that the architectural ones take, until they are zeroed"},
    {KEY(vec_state), MODEL_NUMBER, 0, 40, 0,
     "vector registers of these that ZMM31 and down, then K7 to K0 take, until zeroed"},
    {KEY(bandwidth), MODEL_FRACTION, 0, 1024, 0, "bytes a cycle from memory; 0: any number"},
    {KEY(small_pages), MODEL_NUMBER, 0, 1, 0,
     "1: every 4 KB of a larger page take an entry of the TLB, as where a hypervisor has no "
     "larger"},
    {KEY(prefetchers), MODEL_NUMBER, 0, 2, 0,
     "1: from the third line in a row on, four ahead; 2: a missing line's pair, too"},
    {KEY(cores), MODEL_NUMBER, 0, 1024, 0, "other cores that can keep the memory busy"},
    {KEY(threads), MODEL_NUMBER, 1, 2, 1,
     "hardware threads; the second one works as it is ordered"},
    {KEY(smt_rob), MODEL_NUMBER, POLICIES},
    {KEY(smt_int_regs), MODEL_NUMBER, POLICIES},
    {KEY(smt_vec_regs), MODEL_NUMBER, POLICIES},
    {KEY(smt_load_queue), MODEL_NUMBER, POLICIES},
    {KEY(smt_store_queue), MODEL_NUMBER, POLICIES},
    {KEY(smt_scheduler), MODEL_NUMBER, POLICIES},
    {KEY(smt_fill_buffers), MODEL_NUMBER, POLICIES},
    {KEY(smt_caches), MODEL_NUMBER, POLICIES},
    {KEY(prefetch_buffers), MODEL_NUMBER, 0, 1024, 0,
     "lines on their way at all, fill_buffers of them for loads; 0: as many as those"},
    {KEY(write_buffers), MODEL_NUMBER, 0, 1024, 0,
     "lines on their way for stores that miss; 0: they take fill_buffers"},
    {KEY(wc_buffers), MODEL_NUMBER, 1, 1024, 10, "lines half written past the caches"},
    {KEY(wc_cycles), MODEL_NUMBER, 1, 1000000, 20,
     "cycles until such a line, or a part of one, makes room"},
    {KEY(dtlb), MODEL_NUMBER, 0, 65536, 0,
     "pages of a first-level TLB of all windows; 0: each has `tlb` pages of its own"},
    {KEY(dtlb_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(dtlb_2m), MODEL_NUMBER, 0, 65536, 0, "the same for 2 MB pages; 0: they share that one"},
    {KEY(dtlb_2m_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(dtlb_1g), MODEL_NUMBER, 0, 65536, 0, "the same for 1 GB pages; 0: they share that one"},
    {KEY(dtlb_1g_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(dtlb_hash), MODEL_NUMBER, 0, 2, 0, HASHES},
    {KEY(dtlb_random), MODEL_NUMBER, 0, 1, 0, "1: any entry of a full set goes, not the oldest"},
    {KEY(stlb), MODEL_NUMBER, 0, 65536, 0, "pages of a second-level TLB; 0: no second level"},
    {KEY(stlb_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(stlb_2m), MODEL_NUMBER, 0, 65536, 0, "the same for 2 MB pages; 0: they share that one"},
    {KEY(stlb_2m_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(stlb_1g), MODEL_NUMBER, 0, 65536, 0, "the same for 1 GB pages; 0: they share that one"},
    {KEY(stlb_1g_ways), MODEL_NUMBER, 0, 65536, 0, "ways of each set; 0: one set"},
    {KEY(stlb_hash), MODEL_NUMBER, 0, 2, 0, HASHES},
    {KEY(stlb_random), MODEL_NUMBER, 0, 1, 0, "1: any entry of a full set goes, not the oldest"},
    {KEY(stlb_cost), MODEL_NUMBER, 0, 1000000, 7, "cycles that a hit in it costs"},
    {KEY(pde_cache), MODEL_NUMBER, 0, 65536, 0, "remembered walks to the last table"},
    {KEY(pdpte_cache), MODEL_NUMBER, 0, 65536, 0, "remembered walks to the table above it"},
    {KEY(pml4e_cache), MODEL_NUMBER, 0, 65536, 0, "remembered walks to the table above that"},
    {KEY(walk_level), MODEL_NUMBER, 0, 1000000, 0,
     "cycles of a walk more for each of these levels that it does not remember"},
    {KEY(l1_ways), MODEL_NUMBER, 1, 65536, 8, "ways of each set of the first-level cache"},
    {KEY(alias_cost), MODEL_NUMBER, 0, 1000000, 0,
     "cycles of a line that was last met at another address, as where ways are predicted by it"},
    {KEY(forwarding), MODEL_NUMBER, 1, 1000, 5, "cycles from a store to the load that reads it"},
    {KEY(passes_stores), MODEL_NUMBER, 0, 1, 1,
     "0: loads wait for the address of the last store before them"},
};
#define KEYS (sizeof(model_keys) / sizeof(model_keys[0]))
const unsigned model_key_count = KEYS;

double model_parameter(const struct model_parameters *parameters, const struct model_key *key)
{
    const char *at = (const char *)parameters + key->offset;
    return key->kind == MODEL_FRACTION ? *(const double *)at : (double)*(const uint64_t *)at;
}

static void set_parameter(struct model_parameters *parameters, const struct model_key *key,
                          double value)
{
    char *at = (char *)parameters + key->offset;
    if (key->kind == MODEL_FRACTION)
        *(double *)at = value;
    else
        *(uint64_t *)at = (uint64_t)value;
}

/* Returns the value of digits, with a decimal point or a suffix if the key takes one; else NAN. */
static double read_value(const struct model_key *key, const char *text)
{
    static const char suffixes[] = "kmg";
    size_t digits = strspn(text, key->kind == MODEL_FRACTION ? "0123456789." : "0123456789");
    char *end;
    if (digits == 0)
        return NAN;
    double value = strtod(text, &end);
    if (end != text + digits)
        return NAN;
    const char *suffix = key->kind == MODEL_SIZE && *end != '\0' ? strchr(suffixes, *end) : NULL;
    if (suffix != NULL) {
        for (const char *step = suffixes; step <= suffix; step++)
            value *= KIB;
        end++;
    }
    return *end == '\0' ? value : NAN;
}

/* Prints a value as it would be written: 20m, 192, 0.02. */
static void print_value(const struct model_key *key, double value, char text[VALUE_MAX])
{
    static const char *const suffixes[] = {"", "k", "m", "g"};
    unsigned i = 0;
    for (; key->kind == MODEL_SIZE && i < 3 && value >= KIB && (uint64_t)value % 1024 == 0; i++)
        value /= KIB;
    snprintf(text, VALUE_MAX, key->kind == MODEL_FRACTION ? "%g%s" : "%.0f%s", value, suffixes[i]);
}

/* Writes that a value is refused, and what its key accepts. Returns false. */
static bool refuse_value(const struct model_key *key, const char *seen, char *error, size_t size)
{
    static const char *const kinds[] = {"a whole number", "a size", "a number"};
    char least[VALUE_MAX], most[VALUE_MAX];
    print_value(key, key->least, least);
    print_value(key, key->most, most);
    snprintf(error, size, "model: %s=%s: accepted: %s from %s to %s", key->name, seen,
             kinds[key->kind], least, most);
    return false;
}

/* Writes that a key is not known, and all keys that are. Returns false. */
static bool refuse_key(const char *seen, char *error, size_t size)
{
    size_t length = (size_t)snprintf(error, size, "model: %s: no such key; accepted: ", seen);
    for (unsigned i = 0; i < model_key_count && length < size; i++) {
        length += (size_t)snprintf(error + length, size - length, "%s%s", i > 0 ? ", " : "",
                                   model_keys[i].name);
    }
    return false;
}

static const struct model_key *find_key(const char *name)
{
    for (unsigned i = 0; i < model_key_count; i++)
        if (strcmp(model_keys[i].name, name) == 0)
            return &model_keys[i];
    return NULL;
}

/* Reads one "key=value"; `given`: the keys seen so far. */
static bool read_setting(struct model_parameters *parameters, char *setting, bool given[KEYS],
                         char *error, size_t size)
{
    char *value = strchr(setting, '=');
    if (value == NULL) {
        snprintf(error, size, "model: %s: no value; accepted: key=value,key=value,...", setting);
        return false;
    }
    *value++ = '\0';
    const struct model_key *key = find_key(setting);
    if (key == NULL)
        return refuse_key(setting, error, size);
    double number = read_value(key, value);
    if (!(number >= key->least && number <= key->most))
        return refuse_value(key, value, error, size);
    if (given[key - model_keys]) {
        snprintf(error, size, "model: %s=%s: given a second time", setting, value);
        return false;
    }
    given[key - model_keys] = true;
    set_parameter(parameters, key, number);
    return true;
}

bool model_parameters_read(const char *text, struct model_parameters *parameters, char *error,
                           size_t error_size)
{
    char *copy = strdup(text), *rest = copy, *setting;
    bool given[KEYS] = {false};
    bool is_right = copy != NULL;
    *parameters = (struct model_parameters){0}; /* not every level has every key */
    for (unsigned i = 0; i < model_key_count; i++)
        set_parameter(parameters, &model_keys[i], model_keys[i].standard);
    if (copy == NULL)
        snprintf(error, error_size, "model: not enough memory");
    while (is_right && *text != '\0' && (setting = strsep(&rest, ",")) != NULL)
        is_right = read_setting(parameters, setting, given, error, error_size);
    free(copy);
    return is_right;
}

void model_parameters_help(FILE *to)
{
    for (const struct model_key *key = model_keys; key < model_keys + model_key_count; key++) {
        char standard[VALUE_MAX], least[VALUE_MAX], most[VALUE_MAX];
        print_value(key, key->standard, standard);
        print_value(key, key->least, least);
        print_value(key, key->most, most);
        fprintf(to, "  %-13s = %-6s %s to %s; %s\n", key->name, standard, least, most, key->help);
    }
}
