/* keys: the table of configuration keys, with their limits and defaults. */
#include "config.h"

#include "../data/experiments.h"

/* The members of struct config_key, in their order. */
#define FIELD(field) offsetof(struct config, field), sizeof(((struct config *)NULL)->field)
#define FROM_TO(min, max) min, max, NULL
#define LISTED(words) 0, 0, words
/* In the order of the field's enum. */
#define ONE_OF(...) LISTED(((const char *const[]){__VA_ARGS__, NULL}))
#define ANY 0, 0, NULL
#define SUITES(quick, full, fleet, emulated) {quick, full, fleet}, emulated
#define EMULATED(quick, full, emulated) SUITES(quick, full, quick, emulated)
#define QUICK_FULL(quick, full) EMULATED(quick, full, NULL)
#define BOTH(value) QUICK_FULL(value, value)

/* The image shows nobody any help: it is left out there. */
#if __STDC_HOSTED__
#define HELP(sentences) sentences
#else
#define HELP(sentences) NULL
#endif

#define KILO ((uint64_t)1 << 10)
#define MEGA ((uint64_t)1 << 20)
#define GIGA ((uint64_t)1 << 30)

#define TLB_PAGES "2-16384*2 3-12288*2 5-10240*2 7-14336*2"

#define WORD(name) #name,
static const char *const experiment_words[] = {EXPERIMENTS(WORD) NULL};

/* The suite stands first: it decides the defaults of all others. */
const struct config_key config_keys[] = {
    {"suite", CONFIG_WORD, FIELD(suite), ONE_OF("quick", "full", "fleet"), BOTH("quick"),
     HELP("Defaults of all other keys: quick gives a first verdict, full a finer one, fleet in the "
          "least time what tells a machine from others of its kind.")},
    {"experiments", CONFIG_WORDS, FIELD(experiments), LISTED(experiment_words),
     SUITES("noise tlb mlp structures array",
            "noise floor mlp structures tlb array patterns shuffle numa smt loaded timeline",
            "noise array loaded numa", NULL),
     HELP("The experiments to run, in this order; floor always comes first.")},
    {"pages", CONFIG_WORDS, FIELD(pages), LISTED(page_names), QUICK_FULL("2m 4k", "2m 4k 1g"),
     HELP("Page sizes of the array, in this order; each is a case.")},
    {"finish", CONFIG_WORD, FIELD(finish), ONE_OF("wait", "exit", "reboot", "shutdown"),
     BOTH("wait"),
     HELP("The last step: wait for a key and switch the machine off, exit to the firmware's next "
          "boot entry or to the shell, reboot, or shutdown at once.")},
    {"finish.seconds", CONFIG_NUMBER, FIELD(finish_seconds), FROM_TO(1, 86400), BOTH("60"),
     HELP("Seconds that finish = wait waits for a key.")},
    {"finish.qemu", CONFIG_NUMBER, FIELD(finish_qemu), FROM_TO(0, 65535), BOTH("0"),
     HELP(
         "In a virtual machine, the I/O port of QEMU's device isa-debug-exit, by which QEMU's exit "
         "status tells how the run ended; 0: none.")},
    {"hang.seconds", CONFIG_NUMBER, FIELD(hang_seconds), FROM_TO(0, 86400), BOTH("300"),
     HELP("Seconds after which the firmware's watchdog resets the machine if a firmware call "
          "does not return; 0: never.")},
    {"runs", CONFIG_NUMBER, FIELD(runs), FROM_TO(1, 1000), BOTH("1"),
     HELP("Number of boots that measure this, a result folder each. If this key or finish = "
          "reboot is set, later boots hand over to the next boot entry.")},
    {"resume", CONFIG_WORD, FIELD(resume), ONE_OF("on", "off"), BOTH("on"),
     HELP("on: an experiment in which two runs in a row were cut short is left out from the "
          "third run on; off tries it again.")},
    {"selftest", CONFIG_WORD, FIELD(selftest), ONE_OF("on", "fault"), BOTH("on"),
     HELP("on checks the machine first; fault provokes a fault instead of measuring, to show "
          "that it is survived.")},
    {"prefetch", CONFIG_WORD, FIELD(prefetch), ONE_OF("asis", "on", "off", "both"), BOTH("asis"),
     HELP("Hardware prefetchers: asis, as found; on, even those that firmware had switched off; "
          "off (-nopf in a case's name); or both. Linux skips off.")},
    {"turbo", CONFIG_WORD, FIELD(turbo), ONE_OF("asis", "on", "off"), BOTH("asis"),
     HELP("Turbo, by which the core exceeds its nominal frequency: asis, as found; on, or off.")},
    {"core", CONFIG_CORE, FIELD(core), ANY, BOTH("boot"),
     HELP("The processor that measures: boot, that of the firmware; an APIC id; p or e, the "
          "first core of that kind; node1, the first of node 1; all, one after the other. Linux "
          "takes boot or an APIC id.")},
    {"siblings", CONFIG_WORD, FIELD(siblings), ONE_OF("halt", "asis"), BOTH("halt"),
     HELP("The other threads of the measuring core: halt puts them to sleep meanwhile; asis "
          "leaves them as the firmware parked them.")},
    {"processors", CONFIG_WORD, FIELD(processors), ONE_OF("siblings", "all", "leave"),
     BOTH("siblings"),
     HELP("The other processors to start: siblings, those of the measuring core, and all if an "
          "experiment needs them; all; or leave: none, for firmware that hangs in it.")},
    {"node", CONFIG_WORD, FIELD(node), ONE_OF("local", "remote", "all"), BOTH("local"),
     HELP("The memory that mlp, array, loaded, patterns and shuffle measure: local, this core's "
          "node; remote, every other node, the nearest first; or all.")},
    {"identity", CONFIG_WORD, FIELD(identity), ONE_OF("full", "anonymous"), BOTH("full"),
     HELP("full: run.json has the machine's serial numbers, asset tags and UUID; anonymous "
          "leaves them out.")},
    {"results.to", CONFIG_URL, FIELD(results_to), ANY, BOTH(""),
     HELP("The server's folder for results that no volume takes, by HTTP PUT or TFTP; empty: on "
          "the server that the image was booted from.")},
    {"label", CONFIG_TEXT, FIELD(label), ANY, BOTH(""), HELP("Free text kept in run.json.")},
    {"case", CONFIG_SLUG, FIELD(variant), ANY, BOTH(""),
     HELP("Added to the name of every case, to distinguish the results of several runs.")},
    {"seed", CONFIG_NUMBER, FIELD(seed), FROM_TO(0, UINT64_MAX), BOTH("1"),
     HELP("Start of the random numbers; the same seed gives the same addresses and orders.")},
    {"samples.min", CONFIG_NUMBER, FIELD(samples_min), FROM_TO(5, 100000),
     EMULATED("30", "100", "25"), HELP("The fewest samples of a point.")},
    {"samples.max", CONFIG_NUMBER, FIELD(samples_max), FROM_TO(5, 100000),
     QUICK_FULL("400", "2000"),
     HELP("The most samples of a point, however imprecise it still is; not below samples.min. "
          "Points whose fastest samples are read take 500 to 4000.")},
    {"samples.precision", CONFIG_FRACTION, FIELD(samples_precision), FROM_TO(500, 500000),
     EMULATED("1%", "0.5%", "50%"),
     HELP("A point is done when half of its median's 95 % interval is within this fraction of "
          "it.")},
    {"noise.seconds", CONFIG_NUMBER, FIELD(noise.seconds), FROM_TO(1, CONFIG_NOISE_SECONDS_MAX),
     QUICK_FULL("1", "10"), HELP("Seconds of spinning in each case of noise.")},
    {"mlp.loads", CONFIG_NUMBERS, FIELD(mlp.loads), FROM_TO(1, 96), QUICK_FULL("1-28", "1-40"),
     HELP("N: loads in one sample.")},
    {"mlp.filler", CONFIG_WORD, FIELD(mlp.filler), ONE_OF("long-nop", "nop"), BOTH("long-nop"),
     HELP("Fillers of mlp, numa and smt: long-nop, 9-byte NOPs, of which no known core packs "
          "several into one ROB entry; or nop, 1-byte NOPs as published.")},
    {"mlp.fillers", CONFIG_NUMBERS, FIELD(mlp.fillers), FROM_TO(0, 4096),
     EMULATED("0-704/16", "0-1000/8", "0-640/128"),
     HELP("K: fillers before the last load of a sample. More K are added at the jump, and up to "
          "4096 if none shows; likewise more N.")},
    {"mlp.lead", CONFIG_NUMBER, FIELD(mlp.lead), FROM_TO(0, 7), BOTH("0"),
     HELP("9-byte NOPs before the first load, of structures and numa too: an entry of the reorder "
          "buffer may hold two neighbours, of which the first load is one.")},
    {"mlp.dependent", CONFIG_NUMBERS, FIELD(mlp.dependent), FROM_TO(1, 96), BOTH("1-12"),
     HELP("Lengths of the chain in which each load needs the one before.")},
    {"mlp.bytes", CONFIG_SIZE, FIELD(mlp.bytes), FROM_TO(2 * MEGA, 64 * GIGA),
     EMULATED("64m", "64m", "16m"),
     HELP("Size of the array that is loaded from, for structures, tlb, numa and smt too. It is "
          "larger if every load needs a page walk of its own (2 MB pages: 256m).")},
    {"mlp.order", CONFIG_WORDS, FIELD(mlp.order), LISTED(order_names), BOTH("lfence"),
     HELP("The instruction that separates timestamps and loads: lfence, or cpuid as published, "
          "which is slow in a virtual machine. Other experiments always use lfence.")},
    {"mlp.frames", CONFIG_WORD, FIELD(mlp.frames), ONE_OF("ordered", "shuffled"), BOTH("ordered"),
     HELP("Physical memory behind 4 KB pages: at rising addresses (ordered) or at random ones "
          "(shuffled).")},
    {"mlp.tlb", CONFIG_WORDS, FIELD(mlp.tlb), LISTED(tlb_names), BOTH("natural"),
     HELP("Translations before each sample: natural, as in a large array; warm, just used; cold, "
          "invalidated by INVLPG; walkmem, cold and the page table's last-level entries in "
          "memory. Linux skips the last two.")},
    {"mlp.access", CONFIG_WORDS, FIELD(mlp.access), LISTED(access_names),
     QUICK_FULL("load", "load prefetch store nt"),
     HELP("The accesses of a sample: load its lines; prefetch all but the last; store to them; or "
          "write them past the caches (nt). Only loads have several K, and chains.")},
    {"structures.fillers", CONFIG_NUMBERS, FIELD(structures.fillers), FROM_TO(0, 4096),
     EMULATED("0-704/16", "0-1000/8", "0-704/64"),
     HELP("K: fillers of each kind between two loads.")},
    {"tlb.loads", CONFIG_NUMBERS, FIELD(tlb.loads), FROM_TO(1, 96), EMULATED("1-24", "1-24", "1-4"),
     HELP("N: parallel loads that each need a page walk.")},
    {"tlb.pages", CONFIG_NUMBERS, FIELD(tlb.pages), FROM_TO(2, 16384),
     EMULATED(TLB_PAGES, TLB_PAGES, "2-32*4"),
     HELP("N: pages that a chain of loads goes through, for the TLB's capacities. Points are "
          "added at the end of a level.")},
    {"array.bytes", CONFIG_SIZES, FIELD(array.bytes), FROM_TO(KILO, 64 * GIGA),
     EMULATED("1k-256m*2", "1k-256m*2", "1k-4m*4"),
     HELP("Sizes of the array, without those that memory cannot hold. Quarter steps are added at "
          "the end of a cache, and up to two larger sizes if these end too soon for memory's "
          "latency.")},
    {"array.loads", CONFIG_NUMBERS, FIELD(array.loads), FROM_TO(1, 11),
     SUITES("1-11", "1-11", "1", "1-3"),
     HELP("N: parallel chains of loads; 1 gives the latencies.")},
    {"patterns.bytes", CONFIG_POWER, FIELD(patterns.bytes), FROM_TO(4 * MEGA, 64 * GIGA),
     EMULATED("256m", "1g", "16m"),
     HELP("Size of the array that is read, a power of two; halved until memory can hold it. It "
          "should exceed the last cache.")},
    {"shuffle.bytes", CONFIG_SIZES, FIELD(shuffle.bytes), FROM_TO(32 * KILO, 8 * GIGA),
     EMULATED("512k 8m 256m", "512k 8m 256m", "512k 4m"),
     HELP("Sizes of the array, without those that memory cannot hold: choose one in L2, one in "
          "L3, one in memory. Precomputed indices need it twice.")},
    {"shuffle.stages", CONFIG_NUMBERS, FIELD(shuffle.stages), FROM_TO(1, 1024), BOTH("8-256*2"),
     HELP("Stages: indices that are made before as many swaps.")},
    {"loaded.cores", CONFIG_NUMBERS, FIELD(loaded.cores), FROM_TO(0, 1024), BOTH("0"),
     HELP("Numbers of other cores that load the memory, a case each; 0: all of them.")},
    {"loaded.pauses", CONFIG_NUMBERS, FIELD(loaded.pauses), FROM_TO(0, 1000000),
     SUITES("0 64 96 128 192 256 384 512 1024-8192*2",
            "0 64 96 128 192 256 384 512 768 1024 1536 2048-32768*2", "0 8192", NULL),
     HELP("Core cycles from one of their 512-byte blocks to the next; 0: full speed. Rest is "
          "always measured, too.")},
    {"loaded.bytes", CONFIG_SIZE, FIELD(loaded.bytes), FROM_TO(2 * MEGA, 16 * GIGA),
     EMULATED("128m", "128m", "16m"),
     HELP("Size of each core's array. It should exceed the last cache.")},
    {"timeline.loads", CONFIG_NUMBER, FIELD(timeline.loads), FROM_TO(1, 96), BOTH("10"),
     HELP("N: loads of the probe that is measured cycle by cycle.")},
    {"timeline.fillers", CONFIG_NUMBER, FIELD(timeline.fillers), FROM_TO(0, 4096), BOTH("0"),
     HELP("K: NOPs before the last of them.")},
    {"timeline.cycles", CONFIG_NUMBERS, FIELD(timeline.cycles), FROM_TO(1, 4096),
     QUICK_FULL("1-64 68-512/4", "1-256 258-640/2"),
     HELP("Core cycles from the probe's start after which counting stops, each in samples of its "
          "own. Fewer cycles make the answers less sharp.")},
    {"timeline.tlb", CONFIG_WORDS, FIELD(timeline.tlb), LISTED(tlb_names),
     QUICK_FULL("cold", "warm cold"),
     HELP("Translations before each sample, as mlp.tlb; cold shows page walks.")},
};

#define KEYS (sizeof config_keys / sizeof config_keys[0])

_Static_assert(KEYS <= CONFIG_KEYS_MAX, "struct config needs a setting for each key");

const uint32_t config_key_count = KEYS;
