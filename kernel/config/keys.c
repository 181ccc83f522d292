/* keys: the table of configuration keys, with their limits and defaults. */
#include "config.h"

#include "../experiments/experiment.h"

#define FIELD(field)                                                                               \
    .offset = offsetof(struct config, field), .bytes = sizeof(((struct config *)NULL)->field)
#define BOTH(value) .quick = (value), .full = (value)

#define MEGA ((uint64_t)1 << 20)
#define GIGA ((uint64_t)1 << 30)

/* Each in the order of its enum. */
static const char *const suite_words[] = {"quick", "full", NULL};
static const char *const page_words[] = {"4k", "2m", "1g", NULL};
static const char *const finish_words[] = {"wait", "reboot", "shutdown", NULL};
static const char *const selftest_words[] = {"on", "fault", NULL};
static const char *const order_words[] = {"cpuid", "lfence", NULL};
static const char *const frame_words[] = {"ordered", "shuffled", NULL};
static const char *const tlb_words[] = {"warm", "cold", NULL};

/* The suite stands first: it decides the defaults of all others. */
const struct config_key config_keys[] = {
    {.name = "suite",
     .kind = CONFIG_WORD,
     FIELD(suite),
     .words = suite_words,
     BOTH("quick"),
     .help = "Which defaults all other keys take: quick gives a first verdict, full a finer one."},
    {.name = "experiments",
     .kind = CONFIG_WORDS,
     FIELD(experiments),
     .words = experiment_names,
     BOTH("mlp"),
     .help = "What is measured, in this order."},
    {.name = "pages",
     .kind = CONFIG_WORDS,
     FIELD(pages),
     .words = page_words,
     .quick = "2m 4k",
     .full = "2m 4k 1g",
     .help = "Page sizes the array is mapped with, in this order."},
    {.name = "finish",
     .kind = CONFIG_WORD,
     FIELD(finish),
     .words = finish_words,
     BOTH("wait"),
     .help = "What happens at the end: wait for a key, reboot, or switch the machine off."},
    {.name = "selftest",
     .kind = CONFIG_WORD,
     FIELD(selftest),
     .words = selftest_words,
     BOTH("on"),
     .help = "Checks before measuring; fault also provokes a fault, to see that it is survived."},
    {.name = "label",
     .kind = CONFIG_TEXT,
     FIELD(label),
     BOTH(""),
     .help = "Free text kept with the results."},
    {.name = "seed",
     .kind = CONFIG_NUMBER,
     FIELD(seed),
     .max = UINT64_MAX,
     BOTH("1"),
     .help = "Start of the random numbers; the same seed gives the same addresses and order."},
    {.name = "samples.min",
     .kind = CONFIG_NUMBER,
     FIELD(samples_min),
     .min = 5,
     .max = 100000,
     .quick = "30",
     .full = "100",
     .help = "Samples taken of every point at least."},
    {.name = "samples.max",
     .kind = CONFIG_NUMBER,
     FIELD(samples_max),
     .min = 5,
     .max = 100000,
     .quick = "400",
     .full = "2000",
     .help = "Samples taken of a point at most, however imprecise it still is."},
    {.name = "samples.precision",
     .kind = CONFIG_FRACTION,
     FIELD(samples_precision),
     .min = 500,
     .max = 500000,
     .quick = "1%",
     .full = "0.5%",
     .help = "A point is done when its median is known to this fraction of itself."},
    {.name = "mlp.loads",
     .kind = CONFIG_NUMBERS,
     FIELD(mlp.loads),
     .min = 1,
     .max = 64,
     .quick = "1-20",
     .full = "1-32",
     .help = "N: memory accesses in one sample."},
    {.name = "mlp.fillers",
     .kind = CONFIG_NUMBERS,
     FIELD(mlp.fillers),
     .min = 0,
     .max = 4096,
     .quick = "0-704/16",
     .full = "0-1000/8",
     .help = "K: NOPs before the last of them."},
    {.name = "mlp.bytes",
     .kind = CONFIG_SIZE,
     FIELD(mlp.bytes),
     .min = 2 * MEGA,
     .max = 64 * GIGA,
     BOTH("64m"),
     .help = "Size of the window the accesses fall in."},
    {.name = "mlp.order",
     .kind = CONFIG_WORD,
     FIELD(mlp.order),
     .words = order_words,
     BOTH("lfence"),
     .help = "What orders the timestamps; cpuid as published, but slow in a virtual machine."},
    {.name = "mlp.frames",
     .kind = CONFIG_WORD,
     FIELD(mlp.frames),
     .words = frame_words,
     BOTH("ordered"),
     .help = "How memory stands behind 4 KB pages: at rising addresses, or at random."},
    {.name = "mlp.tlb",
     .kind = CONFIG_WORDS,
     FIELD(mlp.tlb),
     .words = tlb_words,
     BOTH("warm"),
     .help = "State of the TLB before a sample: translations just used, or just forgotten."},
};

#define KEYS (sizeof config_keys / sizeof config_keys[0])

_Static_assert(KEYS <= CONFIG_KEYS_MAX, "struct config needs a setting for each key");

const uint32_t config_key_count = KEYS;
