/* config: what the user asked for in mlpboot.cfg and --set, checked in full before a run. */
#ifndef MLPBOOT_CONFIG_CONFIG_H
#define MLPBOOT_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../data/case.h"
#include "../data/core_choice.h"
#include "../lib/text.h"

#define CONFIG_FILE_NAME "mlpboot.cfg"
#define CONFIG_FILE_BYTES_MAX 65536 /* a configuration is a page of text; more is a mistake */
#define CONFIG_VALUE_MAX 240        /* characters in one value */
#define CONFIG_LIST_MAX 2048        /* values in one expanded list */
#define CONFIG_NOISE_SECONDS_MAX 600
#define CONFIG_CHOICES_MAX 16 /* words in one list of words */
#define CONFIG_SLUG_MAX 16    /* characters of a part of a name */

enum config_suite { SUITE_QUICK, SUITE_FULL, SUITE_FLEET, SUITES_MAX };
enum config_finish { FINISH_WAIT, FINISH_EXIT, FINISH_REBOOT, FINISH_SHUTDOWN };
enum config_resume { RESUME_ON, RESUME_OFF };
enum config_prefetch { PREFETCH_AS_FOUND, PREFETCH_ON, PREFETCH_OFF, PREFETCH_BOTH };
enum config_siblings { SIBLINGS_HALT, SIBLINGS_ASIS };
enum config_processors { PROCESSORS_SIBLINGS, PROCESSORS_ALL, PROCESSORS_LEAVE };
enum config_node { CONFIG_NODE_LOCAL, CONFIG_NODE_REMOTE, CONFIG_NODE_ALL };
/* NOPs of nine bytes or of one. */
enum config_sweep { SWEEP_LONG_NOP, SWEEP_NOP };
enum config_identity { IDENTITY_FULL, IDENTITY_ANONYMOUS };
enum config_selftest { SELFTEST_ON, SELFTEST_FAULT };

/* An expanded list of numbers, in the order written. */
struct config_list {
    uint32_t count;
    uint64_t value[CONFIG_LIST_MAX];
};

/* A list of words, each as its index in that key's list of accepted words, in the order written. */
struct config_choices {
    uint32_t count;
    uint8_t index[CONFIG_CHOICES_MAX];
};

/* One key as it was set: kept for messages and for run.json. */
struct config_setting {
    char value[CONFIG_VALUE_MAX + 1];
    const char *source; /* "mlpboot.cfg", "--set", "default" or as handed to the reader */
    uint32_t line;      /* in that file; 0 where there are no lines */
    bool is_set;        /* by the user */
};

#define CONFIG_KEYS_MAX 52

/* Starts as zeroes. */
struct config {
    struct config_setting setting[CONFIG_KEYS_MAX]; /* by row of config_keys */

    bool is_emulated; /* set it before config_finish, which then takes an emulator's defaults */
    /* The following members are valid once config_finish has returned 0. */
    enum config_suite suite;
    struct config_choices experiments; /* rows of the experiments' table */
    struct config_choices pages;       /* enum page_size */
    enum config_finish finish;
    uint64_t finish_seconds; /* that FINISH_WAIT waits, 1 to 86400 */
    uint64_t finish_qemu;    /* a port of a virtual machine's that ends it; 0: none */
    uint64_t hang_seconds;   /* until the firmware's watchdog resets the machine; 0: never */
    uint64_t runs;           /* boots in which this is measured, 1 to 1000 */
    bool runs_is_set;        /* by the user */
    enum config_resume resume;
    enum config_selftest selftest;
    enum config_prefetch prefetch;
    enum setting_choice turbo;
    struct core_choice core;
    enum config_siblings siblings;
    enum config_processors processors;
    enum config_node node;
    enum config_identity identity;
    char results_to[CONFIG_VALUE_MAX + 1]; /* a URL; "": the server that the image came from */
    char label[CONFIG_VALUE_MAX + 1];
    char variant[CONFIG_SLUG_MAX + 1]; /* added to the name of every case */
    uint64_t seed;
    uint64_t samples_min;
    uint64_t samples_max;
    double samples_precision; /* half width of a median's interval, as a fraction of the median */
    struct {
        uint64_t seconds; /* of spinning in each case, 1 to CONFIG_NOISE_SECONDS_MAX */
    } noise;
    struct {
        struct config_list loads;     /* N: accesses in one sample, 1 to 96 */
        struct config_list fillers;   /* K: fillers before the last of them, 0 to 4096 */
        struct config_list dependent; /* loads in a chain, 1 to 96 */
        uint64_t bytes;               /* of the window the loads fall in */
        uint64_t lead;                /* NOPs before the first of them, 0 to 7 */
        enum config_sweep filler;
        uint32_t frames;              /* enum frame_order */
        struct config_choices tlb;    /* enum tlb_state */
        struct config_choices order;  /* enum probe_order */
        struct config_choices access; /* enum access */
    } mlp;
    struct {
        struct config_list fillers; /* K: fillers between two loads, 0 to 4096 */
    } structures;
    struct {
        struct config_list loads; /* N: loads in one sample, 1 to 96 */
        struct config_list pages; /* N: pages that a chain goes through, 2 to 16384 */
    } tlb;
    struct {
        struct config_list bytes; /* sizes of the array, 1 KB to 64 GB */
        struct config_list loads; /* N: chains side by side, 1 to 11 */
    } array;
    struct {
        uint64_t bytes; /* of the array, a power of two, 4 MB to 64 GB */
    } patterns;
    struct {
        uint64_t loads, fillers;   /* of the probe, as N and K of mlp */
        struct config_list cycles; /* how long spans are, 1 to 4096 */
        struct config_choices tlb; /* enum tlb_state */
    } timeline;
    struct {
        struct config_list bytes;  /* sizes of the array, 32 KB to 8 GB */
        struct config_list stages; /* indices made before as many swaps, 1 to 1024 */
    } shuffle;
    struct {
        struct config_list cores;  /* other cores that load the memory; 0: all there are */
        struct config_list pauses; /* cycles from one of their blocks to the next */
        uint64_t bytes;            /* of each one's array */
    } loaded;
};

enum config_kind {
    CONFIG_NUMBER,   /* uint64_t */
    CONFIG_SIZE,     /* uint64_t; k, m, g accepted */
    CONFIG_POWER,    /* a size that is a power of two */
    CONFIG_FRACTION, /* double; "0.01" or "1%" */
    CONFIG_NUMBERS,  /* struct config_list; ranges and k, m, g accepted, no number twice */
    CONFIG_SIZES,    /* the same, of sizes */
    CONFIG_WORD,     /* one of `words`; an enum */
    CONFIG_WORDS,    /* struct config_choices, no word twice */
    CONFIG_TEXT,     /* char[CONFIG_VALUE_MAX + 1], printable UTF-8; may be empty */
    CONFIG_URL,      /* char[CONFIG_VALUE_MAX + 1], as url_read takes it; may be empty */
    CONFIG_CORE,     /* struct core_choice */
    CONFIG_SLUG      /* char[CONFIG_SLUG_MAX + 1]: parts of a case's name; may be empty */
};

/* One row for each key there is. A new key is a field above and a row of the table. */
struct config_key {
    const char *name;
    enum config_kind kind;
    uint32_t offset;                  /* in struct config */
    uint32_t bytes;                   /* of the field */
    uint64_t min, max;                /* numbers and sizes; a fraction's are in millionths */
    const char *const *words;         /* NULL-terminated; words */
    const char *by_suite[SUITES_MAX]; /* defaults, in the file's own syntax */
    /* In an emulator, whatever the suite; NULL: the same. One visit of each point, and small
     * arrays: emulated times are no processor's, and no answer comes of more of them. */
    const char *emulated;
    const char *help; /* one or two sentences; NULL in the image */
};

extern const struct config_key config_keys[];
extern const uint32_t config_key_count;

/*
 * Reads a whole file's text; `name` is what messages call it, and is kept by pointer. Every wrong
 * line adds one line to `errors` that names file, line, key, the value seen and what is accepted;
 * after 20 they are only counted. Returns the number of errors (0: right). Any bytes are safe.
 */
unsigned config_read_file(struct config *config, const char *name, const char *data, size_t length,
                          struct text *errors);

/* Reads one "KEY=VALUE"; it replaces what a file or an earlier one said. '#' starts no comment
 * here. Messages call its source `name`, which is kept by pointer. Returns the number of errors. */
unsigned config_read_setting(struct config *config, const char *name, const char *assignment,
                             struct text *errors);

/* True if the key of "KEY=VALUE" exists. */
bool config_knows(const char *assignment);

/* Fills what was not set with the suite's defaults, converts every value and checks them against
 * each other. Call once, after the reads; refused lines are not set. Returns how many errors. */
unsigned config_finish(struct config *config, struct text *errors);

#endif
