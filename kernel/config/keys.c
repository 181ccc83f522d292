/* keys: the table of configuration keys, with their limits and defaults. */
#include "config.h"

#include "../data/experiments.h"

/* The members of struct config_key, in their order. */
#define FIELD(field) offsetof(struct config, field), sizeof(((struct config *)NULL)->field)
#define FROM_TO(min, max) min, max, NULL
#define ONE_OF(words) 0, 0, words
#define ANY 0, 0, NULL
#define BOTH(value) value, value
#define QUICK_FULL(quick, full) quick, full

/* The image shows nobody any help: it is left out there. */
#if __STDC_HOSTED__
#define HELP(sentences) sentences
#else
#define HELP(sentences) NULL
#endif

#define KILO ((uint64_t)1 << 10)
#define MEGA ((uint64_t)1 << 20)
#define GIGA ((uint64_t)1 << 30)

#define WORD(name) #name,
static const char *const experiment_words[] = {EXPERIMENTS(WORD) NULL};

/* Each in the order of its enum. */
static const char *const suite_words[] = {"quick", "full", NULL};
static const char *const finish_words[] = {"wait", "exit", "reboot", "shutdown", NULL};
static const char *const resume_words[] = {"on", "off", NULL};
static const char *const selftest_words[] = {"on", "fault", NULL};
static const char *const prefetch_words[] = {"asis", "on", "off", "both", NULL};
static const char *const turbo_words[] = {"asis", "on", "off", NULL};
static const char *const sibling_words[] = {"halt", "asis", NULL};
static const char *const node_words[] = {"local", "remote", "all", NULL};
static const char *const sweep_words[] = {"long-nop", "nop", NULL};
static const char *const frame_words[] = {"ordered", "shuffled", NULL};
static const char *const identity_words[] = {"full", "anonymous", NULL};

/* The suite stands first: it decides the defaults of all others. */
const struct config_key config_keys[] = {
    {"suite", CONFIG_WORD, FIELD(suite), ONE_OF(suite_words), BOTH("quick"),
     HELP("Which defaults all other keys take: quick gives a first verdict, full a finer one.")},
    {"experiments", CONFIG_WORDS, FIELD(experiments), ONE_OF(experiment_words),
     QUICK_FULL("noise tlb mlp structures array",
                "noise floor mlp structures tlb array patterns shuffle numa smt loaded timeline"),
     HELP("What is measured, in this order; floor always comes first.")},
    {"pages", CONFIG_WORDS, FIELD(pages), ONE_OF(page_names), QUICK_FULL("2m 4k", "2m 4k 1g"),
     HELP("Page sizes the array is mapped with, in this order; each is a case of its own.")},
    {"finish", CONFIG_WORD, FIELD(finish), ONE_OF(finish_words), BOTH("wait"),
     HELP("What happens at the end: wait for a key and switch the machine off, exit to the "
          "firmware's next boot entry or to the shell, reboot, or switch it off at once.")},
    {"finish.seconds", CONFIG_NUMBER, FIELD(finish_seconds), FROM_TO(1, 86400), BOTH("60"),
     HELP("Seconds after which finish = wait waits no longer and switches the machine off.")},
    {"hang.seconds", CONFIG_NUMBER, FIELD(hang_seconds), FROM_TO(0, 86400), BOTH("300"),
     HELP("Seconds after which a call of the firmware that does not return resets the machine, by "
          "the firmware's watchdog; 0 switches that off. Linux has no use for it.")},
    {"runs", CONFIG_NUMBER, FIELD(runs), FROM_TO(1, 1000), BOTH("1"),
     HELP("In how many boots this is measured, a result folder each. After them the stick hands "
          "over to the next boot entry, where finish = reboot or this key is set. Linux measures "
          "once.")},
    {"resume", CONFIG_WORD, FIELD(resume), ONE_OF(resume_words), BOTH("on"),
     HELP("Whether an experiment in which two runs in a row were cut short is left out from the "
          "third on. Linux keeps no account of that.")},
    {"selftest", CONFIG_WORD, FIELD(selftest), ONE_OF(selftest_words), BOTH("on"),
     HELP("Checks before measuring. fault provokes a fault instead of measuring, to see that it is "
          "survived.")},
    {"prefetch", CONFIG_WORD, FIELD(prefetch), ONE_OF(prefetch_words), BOTH("asis"),
     HELP("Hardware prefetchers: asis, as found; on, even those the firmware had switched off; off "
          "(-nopf in a case's name); or both. Off is skipped where it has no "
          "effect, and under Linux.")},
    {"turbo", CONFIG_WORD, FIELD(turbo), ONE_OF(turbo_words), BOTH("asis"),
     HELP("Whether the core may exceed its nominal frequency: asis, as found; on, or off. run.json "
          "says what the core really ran at. Under Linux it cannot be chosen.")},
    {"core", CONFIG_CORE, FIELD(core), ANY, BOTH("boot"),
     HELP("The processor that measures: boot, that of the firmware; an APIC id; p or e, the first "
          "core of that kind; node1, the first of node 1; all, one after the other (-core2 in a "
          "case's name: APIC id 2).")},
    {"siblings", CONFIG_WORD, FIELD(siblings), ONE_OF(sibling_words), BOTH("halt"),
     HELP(
         "The other threads of the core that measures: halt puts them to sleep while it does; asis "
         "leaves them as the firmware parked them. Linux always does.")},
    {"node", CONFIG_WORD, FIELD(node), ONE_OF(node_words), BOTH("local"),
     HELP("Whose memory mlp and array measure: local, of this core's own node; remote, of every "
          "other node, the nearest first (-node1 in a case's name: of node 1); or all.")},
    {"identity", CONFIG_WORD, FIELD(identity), ONE_OF(identity_words), BOTH("full"),
     HELP("What run.json says of the machine: anonymous leaves serial numbers, asset tags and the "
          "UUID out; the id that tells machines apart stays the same.")},
    {"results.to", CONFIG_URL, FIELD(results_to), ANY, BOTH(""),
     HELP("The folder on a server that results go to where no volume takes them, by HTTP PUT or "
          "TFTP; empty: on the server that the image was booted from. Linux writes to its own "
          "disk.")},
    {"label", CONFIG_TEXT, FIELD(label), ANY, BOTH(""), HELP("Free text kept in run.json.")},
    {"case", CONFIG_SLUG, FIELD(variant), ANY, BOTH(""),
     HELP("Added to the name of every case, to tell the results of several runs apart. Words that "
          "such names already have, such as warm or node1, are refused.")},
    {"seed", CONFIG_NUMBER, FIELD(seed), FROM_TO(0, UINT64_MAX), BOTH("1"),
     HELP("Start of the random numbers; the same seed gives the same addresses and orders.")},
    {"samples.min", CONFIG_NUMBER, FIELD(samples_min), FROM_TO(5, 100000), QUICK_FULL("30", "100"),
     HELP("Samples taken of every point at least.")},
    {"samples.max", CONFIG_NUMBER, FIELD(samples_max), FROM_TO(5, 100000),
     QUICK_FULL("400", "2000"),
     HELP("Samples taken of a point at most, however imprecise it still is; not below "
          "samples.min. Where the fastest of them are read, as for fill buffers, it is 500 to "
          "4000.")},
    {"samples.precision", CONFIG_FRACTION, FIELD(samples_precision), FROM_TO(500, 500000),
     QUICK_FULL("1%", "0.5%"),
     HELP("A point is done when half of its median's 95 % interval is within this fraction of the "
          "median.")},
    {"noise.seconds", CONFIG_NUMBER, FIELD(noise.seconds), FROM_TO(1, CONFIG_NOISE_SECONDS_MAX),
     QUICK_FULL("1", "10"), HELP("Seconds of spinning in each case of noise.")},
    {"mlp.loads", CONFIG_NUMBERS, FIELD(mlp.loads), FROM_TO(1, 96), QUICK_FULL("1-28", "1-40"),
     HELP("N: loads in one sample.")},
    {"mlp.filler", CONFIG_WORD, FIELD(mlp.filler), ONE_OF(sweep_words), BOTH("long-nop"),
     HELP("Fillers of mlp, numa and smt: long-nop, 9-byte NOPs, of which no core is known to pack "
          "several into one entry of its ROB; or nop, 1-byte NOPs as published.")},
    {"mlp.fillers", CONFIG_NUMBERS, FIELD(mlp.fillers), FROM_TO(0, 4096),
     QUICK_FULL("0-704/16", "0-1000/8"),
     HELP("K: fillers before the last load of a sample. Where time jumps, K between these are "
          "added, and beyond them where it does not.")},
    {"mlp.dependent", CONFIG_NUMBERS, FIELD(mlp.dependent), FROM_TO(1, 96), BOTH("1-12"),
     HELP("Lengths of the chain in which each load needs the one before.")},
    {"mlp.bytes", CONFIG_SIZE, FIELD(mlp.bytes), FROM_TO(2 * MEGA, 64 * GIGA), BOTH("64m"),
     HELP("Size of the array the loads fall in, for structures, tlb, numa and smt too. It is made "
          "larger where every load has to walk to a page of its own (2 MB pages: 256m).")},
    {"mlp.order", CONFIG_WORDS, FIELD(mlp.order), ONE_OF(order_names), BOTH("lfence"),
     HELP("What keeps timestamps and loads apart: lfence, or cpuid as published, which is slow in "
          "a virtual machine. Experiments other than mlp always use lfence.")},
    {"mlp.frames", CONFIG_WORD, FIELD(mlp.frames), ONE_OF(frame_words), BOTH("ordered"),
     HELP("Physical memory behind 4 KB pages: at rising addresses (ordered) or at random ones "
          "(shuffled).")},
    {"mlp.tlb", CONFIG_WORDS, FIELD(mlp.tlb), ONE_OF(tlb_names), BOTH("natural"),
     HELP("Translations before each sample: natural, as in a large array; warm, just used; cold, "
          "invalidated; walkmem, cold and the page table's entries in memory. Linux skips the last "
          "two.")},
    {"mlp.access", CONFIG_WORDS, FIELD(mlp.access), ONE_OF(access_names),
     QUICK_FULL("load", "load prefetch store nt"),
     HELP(
         "What a sample does to its lines: load them; prefetch all but the last; store to them; or "
         "write them past the caches (nt). Only for loads is K varied, and are there chains.")},
    {"structures.fillers", CONFIG_NUMBERS, FIELD(structures.fillers), FROM_TO(0, 4096),
     QUICK_FULL("0-704/16", "0-1000/8"), HELP("K: fillers of each kind between two loads.")},
    {"tlb.loads", CONFIG_NUMBERS, FIELD(tlb.loads), FROM_TO(1, 96), BOTH("1-24"),
     HELP("N: loads whose pages are walked side by side.")},
    {"tlb.pages", CONFIG_NUMBERS, FIELD(tlb.pages), FROM_TO(2, 16384),
     BOTH("2-16384*2 3-12288*2 5-10240*2 7-14336*2"),
     HELP("N: pages that a chain of loads goes through, for the TLB's capacities. Points between "
          "are added where a level ends.")},
    {"array.bytes", CONFIG_SIZES, FIELD(array.bytes), FROM_TO(KILO, 64 * GIGA), BOTH("1k-256m*2"),
     HELP("Sizes of the array. Quarter steps are added where a cache ends, and up to two larger "
          "sizes where they end too soon to tell memory's time; a size for which there is no "
          "memory is left out.")},
    {"array.loads", CONFIG_NUMBERS, FIELD(array.loads), FROM_TO(1, 11), BOTH("1-11"),
     HELP("N: chains of loads side by side; 1 gives the latencies.")},
    {"patterns.bytes", CONFIG_POWER, FIELD(patterns.bytes), FROM_TO(4 * MEGA, 64 * GIGA),
     QUICK_FULL("256m", "1g"),
     HELP(
         "Size of the array that is read; where that does not fit, half of it and so on. It should "
         "exceed the last cache.")},
    {"shuffle.bytes", CONFIG_SIZES, FIELD(shuffle.bytes), FROM_TO(32 * KILO, 8 * GIGA),
     BOTH("512k 8m 256m"),
     HELP("Sizes of the array: choose one in L2, one in L3, one in memory. Indices made ahead need "
          "it twice; a size for which there is no memory is left out.")},
    {"shuffle.stages", CONFIG_NUMBERS, FIELD(shuffle.stages), FROM_TO(1, 1024), BOTH("8-256*2"),
     HELP("Indices that are made before as many swaps are done.")},
    {"loaded.cores", CONFIG_NUMBERS, FIELD(loaded.cores), FROM_TO(0, 1024), BOTH("0"),
     HELP("How many other cores load the memory, a case for each number; 0: all there are.")},
    {"loaded.pauses", CONFIG_NUMBERS, FIELD(loaded.pauses), FROM_TO(0, 1000000),
     QUICK_FULL("0 64 96 128 192 256 384 512 1024-8192*2",
                "0 64 96 128 192 256 384 512 768 1024 1536 2048-32768*2"),
     HELP("Core cycles from one of their blocks of 512 bytes to the next: their rates, besides "
          "none; 0: as fast as they can.")},
    {"loaded.bytes", CONFIG_SIZE, FIELD(loaded.bytes), FROM_TO(2 * MEGA, 16 * GIGA), BOTH("128m"),
     HELP("Size of each one's array, and of that of this core's own streams. It should exceed the "
          "last cache.")},
    {"timeline.loads", CONFIG_NUMBER, FIELD(timeline.loads), FROM_TO(1, 96), BOTH("10"),
     HELP("N: loads of the probe that is looked at cycle by cycle.")},
    {"timeline.fillers", CONFIG_NUMBER, FIELD(timeline.fillers), FROM_TO(0, 4096), BOTH("0"),
     HELP("K: NOPs before the last of them.")},
    {"timeline.cycles", CONFIG_NUMBERS, FIELD(timeline.cycles), FROM_TO(1, 4096),
     QUICK_FULL("1-64 68-512/4", "1-256 258-640/2"),
     HELP("Core cycles from the probe's start after which counting stops, each in samples of its "
          "own. Cycles that are left out make what is in them less sharp.")},
    {"timeline.tlb", CONFIG_WORDS, FIELD(timeline.tlb), ONE_OF(tlb_names),
     QUICK_FULL("cold", "warm cold"),
     HELP("Translations before each sample, as mlp.tlb; cold shows page walks.")},
};

const struct config_default config_emulated[] = {{"samples.min", "25"},
                                                 {"samples.precision", "50%"},
                                                 {"mlp.bytes", "16m"},
                                                 {"mlp.fillers", "0-704/64"},
                                                 {"structures.fillers", "0-704/64"},
                                                 {"tlb.loads", "1-4"},
                                                 {"tlb.pages", "2-512*4"},
                                                 {"array.bytes", "1k-4m*4"},
                                                 {"array.loads", "1-3"},
                                                 {"patterns.bytes", "16m"},
                                                 {"shuffle.bytes", "512k 4m"},
                                                 {"loaded.bytes", "16m"},
                                                 {NULL, NULL}};

#define KEYS (sizeof config_keys / sizeof config_keys[0])

_Static_assert(KEYS <= CONFIG_KEYS_MAX, "struct config needs a setting for each key");

const uint32_t config_key_count = KEYS;
