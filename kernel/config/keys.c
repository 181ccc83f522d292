/* keys: the table of configuration keys, with their limits and defaults. */
#include "config.h"

#include "../data/experiments.h"

#define FIELD(field)                                                                               \
    .offset = offsetof(struct config, field), .bytes = sizeof(((struct config *)NULL)->field)
#define BOTH(value) .quick = (value), .full = (value)

/* The image shows nobody any help: it is left out there. */
#if __STDC_HOSTED__
#define HELP(sentences) .help = (sentences)
#else
#define HELP(sentences) .help = NULL
#endif

#define KILO ((uint64_t)1 << 10)
#define MEGA ((uint64_t)1 << 20)
#define GIGA ((uint64_t)1 << 30)

#define WORD(name) #name,
static const char *const experiment_words[] = {EXPERIMENTS(WORD) NULL};

/* Each in the order of its enum. */
static const char *const suite_words[] = {"quick", "full", NULL};
static const char *const finish_words[] = {"wait", "reboot", "shutdown", NULL};
static const char *const selftest_words[] = {"on", "fault", NULL};
static const char *const prefetch_words[] = {"on", "off", "both", NULL};
static const char *const turbo_words[] = {"on", "off", NULL};
static const char *const node_words[] = {"local", "remote", "all", NULL};
static const char *const frame_words[] = {"ordered", "shuffled", NULL};

/* The suite stands first: it decides the defaults of all others. */
const struct config_key config_keys[] = {
    {.name = "suite",
     .kind = CONFIG_WORD,
     FIELD(suite),
     .words = suite_words,
     BOTH("quick"),
     HELP("Which defaults all other keys take: quick gives a first verdict, full a finer one.")},
    {.name = "experiments",
     .kind = CONFIG_WORDS,
     FIELD(experiments),
     .words = experiment_words,
     .quick = "mlp",
     .full = "noise floor mlp array walk shuffle numa",
     HELP("What is measured, in this order; floor always comes first.")},
    {.name = "pages",
     .kind = CONFIG_WORDS,
     FIELD(pages),
     .words = page_names,
     .quick = "2m 4k",
     .full = "2m 4k 1g",
     HELP("Page sizes the array is mapped with, in this order; each is a case of its own.")},
    {.name = "finish",
     .kind = CONFIG_WORD,
     FIELD(finish),
     .words = finish_words,
     BOTH("wait"),
     HELP("What happens at the end: wait for a key and switch the machine off, reboot, or switch "
          "it off at once.")},
    {.name = "selftest",
     .kind = CONFIG_WORD,
     FIELD(selftest),
     .words = selftest_words,
     BOTH("on"),
     HELP("Checks before measuring. fault provokes a fault instead of measuring, to see that it is "
          "survived.")},
    {.name = "prefetch",
     .kind = CONFIG_WORD,
     FIELD(prefetch),
     .words = prefetch_words,
     BOTH("on"),
     HELP("Hardware prefetchers: on, even those the firmware had switched off; off (-nopf in a "
          "case's name); or both, each case either way. Off is skipped where no register controls "
          "them, and under Linux.")},
    {.name = "turbo",
     .kind = CONFIG_WORD,
     FIELD(turbo),
     .words = turbo_words,
     BOTH("on"),
     HELP("Whether the core may exceed its nominal frequency. run.json says whether that could be "
          "chosen; under Linux it cannot.")},
    {.name = "node",
     .kind = CONFIG_WORD,
     FIELD(node),
     .words = node_words,
     BOTH("local"),
     HELP("Whose memory mlp and array measure: local, of this core's own node; remote, of every "
          "other node, the nearest first (-node1 in a case's name: of node 1); or all.")},
    {.name = "label",
     .kind = CONFIG_TEXT,
     FIELD(label),
     BOTH(""),
     HELP("Free text kept in run.json.")},
    {.name = "case",
     .kind = CONFIG_SLUG,
     FIELD(variant),
     BOTH(""),
     HELP("Added to the name of every case, to tell the results of several runs apart. Words that "
          "such names already have, such as warm or node1, are refused.")},
    {.name = "seed",
     .kind = CONFIG_NUMBER,
     FIELD(seed),
     .max = UINT64_MAX,
     BOTH("1"),
     HELP("Start of the random numbers; the same seed gives the same addresses and orders.")},
    {.name = "samples.min",
     .kind = CONFIG_NUMBER,
     FIELD(samples_min),
     .min = 5,
     .max = 100000,
     .quick = "30",
     .full = "100",
     HELP("Samples taken of every point at least.")},
    {.name = "samples.max",
     .kind = CONFIG_NUMBER,
     FIELD(samples_max),
     .min = 5,
     .max = 100000,
     .quick = "400",
     .full = "2000",
     HELP("Samples taken of a point at most, however imprecise it still is; not below "
          "samples.min.")},
    {.name = "samples.precision",
     .kind = CONFIG_FRACTION,
     FIELD(samples_precision),
     .min = 500,
     .max = 500000,
     .quick = "1%",
     .full = "0.5%",
     HELP("A point is done when half of its median's 95 % interval is within this fraction of the "
          "median.")},
    {.name = "noise.seconds",
     .kind = CONFIG_NUMBER,
     FIELD(noise.seconds),
     .min = 1,
     .max = CONFIG_NOISE_SECONDS_MAX,
     .quick = "1",
     .full = "10",
     HELP("Seconds of spinning in each case of noise.")},
    {.name = "mlp.loads",
     .kind = CONFIG_NUMBERS,
     FIELD(mlp.loads),
     .min = 1,
     .max = 96,
     .quick = "1-28",
     .full = "1-40",
     HELP("N: loads in one sample.")},
    {.name = "mlp.fillers",
     .kind = CONFIG_NUMBERS,
     FIELD(mlp.fillers),
     .min = 0,
     .max = 4096,
     .quick = "0-704/16",
     .full = "0-1000/8",
     HELP("K: NOPs before the last load of a sample.")},
    {.name = "mlp.dependent",
     .kind = CONFIG_NUMBERS,
     FIELD(mlp.dependent),
     .min = 1,
     .max = 96,
     BOTH("1-12"),
     HELP("Lengths of the chain in which each load needs the one before.")},
    {.name = "mlp.bytes",
     .kind = CONFIG_SIZE,
     FIELD(mlp.bytes),
     .min = 2 * MEGA,
     .max = 64 * GIGA,
     BOTH("64m"),
     HELP("Size of the array the loads fall in, for structures, tlb and numa too. It is made "
          "larger where every load has to walk to a page of its own (2 MB pages: 256m).")},
    {.name = "mlp.order",
     .kind = CONFIG_WORDS,
     FIELD(mlp.order),
     .words = order_names,
     BOTH("lfence"),
     HELP("What keeps timestamps and loads apart: lfence, or cpuid as published, which is slow in "
          "a virtual machine. Experiments other than mlp always use lfence.")},
    {.name = "mlp.frames",
     .kind = CONFIG_WORD,
     FIELD(mlp.frames),
     .words = frame_words,
     BOTH("ordered"),
     HELP("Physical memory behind 4 KB pages: at rising addresses (ordered) or at random ones "
          "(shuffled).")},
    {.name = "mlp.tlb",
     .kind = CONFIG_WORDS,
     FIELD(mlp.tlb),
     .words = tlb_names,
     BOTH("natural"),
     HELP("Translations before each sample: natural, as in a large array; warm, just used; cold, "
          "invalidated; walkmem, cold and the page table's entries in memory. Linux skips the last "
          "two.")},
    {.name = "structures.fillers",
     .kind = CONFIG_NUMBERS,
     FIELD(structures.fillers),
     .min = 0,
     .max = 4096,
     .quick = "0-704/16",
     .full = "0-1000/8",
     HELP("K: fillers of each kind between two loads.")},
    {.name = "tlb.loads",
     .kind = CONFIG_NUMBERS,
     FIELD(tlb.loads),
     .min = 1,
     .max = 96,
     BOTH("1-24"),
     HELP("N: loads whose pages are walked side by side.")},
    {.name = "array.bytes",
     .kind = CONFIG_SIZES,
     FIELD(array.bytes),
     .min = KILO,
     .max = 64 * GIGA,
     BOTH("1k-1g*2"),
     HELP("Sizes of the array. Quarter steps are added where a cache ends; a size for which there "
          "is no memory is left out.")},
    {.name = "array.loads",
     .kind = CONFIG_NUMBERS,
     FIELD(array.loads),
     .min = 1,
     .max = 11,
     BOTH("1-11"),
     HELP("N: chains of loads side by side; 1 gives the latencies.")},
    {.name = "walk.bytes",
     .kind = CONFIG_POWER,
     FIELD(walk.bytes),
     .min = 4 * MEGA,
     .max = 64 * GIGA,
     .quick = "256m",
     .full = "2g",
     HELP("Size of the array that is walked over; where that does not fit, half of it and so on. "
          "It should exceed the last cache.")},
    {.name = "shuffle.bytes",
     .kind = CONFIG_SIZES,
     FIELD(shuffle.bytes),
     .min = 32 * KILO,
     .max = 8 * GIGA,
     BOTH("512k 8m 256m"),
     HELP("Sizes of the array: choose one in L2, one in L3, one in memory. Indices made ahead need "
          "it twice; a size for which there is no memory is left out.")},
    {.name = "shuffle.stages",
     .kind = CONFIG_NUMBERS,
     FIELD(shuffle.stages),
     .min = 1,
     .max = 1024,
     BOTH("8-256*2"),
     HELP("Indices that are made before as many swaps are done.")},
};

#define KEYS (sizeof config_keys / sizeof config_keys[0])

_Static_assert(KEYS <= CONFIG_KEYS_MAX, "struct config needs a setting for each key");

const uint32_t config_key_count = KEYS;
