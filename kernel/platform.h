/* platform: the few services that measurement asks of whatever it runs on. */
#ifndef MLPBOOT_PLATFORM_H
#define MLPBOOT_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/case.h"
#include "data/core_choice.h"
#include "data/generators.h"
#include "data/nodes.h"

struct counter_offer; /* pmu/schedule.h */
struct counter_use;   /* pmu/plan.h */
struct json;
struct machine;   /* data/machine.h */
struct msr_value; /* cpu/msr.h */
struct platform;
struct utc; /* lib/utc.h */

/* Which frame stands behind which 4 KB page: rising addresses, or a random permutation. */
enum frame_order { FRAMES_ORDERED, FRAMES_SHUFFLED };

/* Memory mapped for measurement with one page size. */
struct window {
    uint8_t *base;
    uint64_t bytes;  /* of all its pages */
    uint64_t stride; /* addresses from a page to the next: the page's size, or as asked for */
    enum page_size page;
    enum frame_order frames;
    bool is_twin; /* lies over another window's frames */
};

#define WINDOWS_MAX 192                 /* at once */
#define WINDOW_GIGABYTE_USED (2u << 20) /* see struct window_request */

struct window_request {
    uint64_t bytes; /* of all pages; rounded up to whole ones */
    enum page_size page;
    enum frame_order frames;
    uint64_t seed; /* of shuffled frames */
    uint32_t node; /* whose memory: an index into `nodes`, or NODE_ANY */
    /* Few frames behind many pages: page i has frame i modulo this. 0: each has one of its own. 1
     * GB frames that pages share may be ours in their first WINDOW_GIGABYTE_USED bytes only. */
    uint64_t distinct;
    /* Bytes from a page's start to the next one's, a power of two, with a gap; 0: side by side. */
    uint64_t stride;
    /* A mapped window whose frames this one may use, where the platform can; NULL: its own. */
    const struct window *twin;
};

/* The memory that probes are written to and run in: memory seen twice, writable here, executable
 * there. */
struct code_area {
    uint8_t *write;
    const uint8_t *execute;
    size_t bytes;
};

/* The rate of the time-stamp counter by a second clock, to tell whether the first one was right. */
struct clock_check {
    const char *clock;       /* the second one's name */
    double ticks_per_second; /* by it; 0: there is no such clock here, and `reason` says why */
    const char *reason;
    bool is_believed; /* the first one was wrong, and not used: a third agreed with this one */
};

/* Bytes of a volume that are for results alone: the largest run has three million. */
#define PLATFORM_ROOM_KEPT (8u << 20)
#define PLATFORM_NO_ROOM "less than 8 MB would be left, which are kept for results"

/* Prepares the lines at base + displacement[0..count). */
typedef void lines_service(struct platform *self, uint8_t *base, const int32_t *displacement,
                           unsigned count);

/*
 * One structure filled by each platform: the UEFI application and the Linux process.
 * Functions that can fail return NULL, or the reason in words for the user.
 */
struct platform {
    const char *name; /* as in run.json: "efi" or "linux" */

    uint64_t ticks_per_second; /* of the time-stamp counter */
    struct clock_check clock_check;
    struct code_area code;

    const char *other_processors; /* what the others do meanwhile, and how that is known */
    const char *siblings; /* what other threads of the same core do; NULL: nobody here knows */
    bool is_alone;        /* it is known that no other thread ever has a part of the core */
    bool siblings_sleep;  /* the core has such threads, and all of them sleep in each `quietly` */
    enum others others;   /* which other processors may be started, and */
    bool halts_siblings; /* whether the core's other threads sleep in every `quietly`; by the run */
    uint32_t core;       /* the APIC id of the processor that measures, where cases are */
    bool core_in_cases;  /* named after it, since several do, one after the other */
    const char *prefetch, *turbo;       /* of prefetchers and turbo: what holds during the run */
    enum setting_choice usual_prefetch; /* of cases that do not switch them off; set by the run */
    const char *no_lfence_order; /* why LFENCE keeps nothing apart on this core; NULL: it does */

    const struct memory_nodes *nodes; /* the machine's memory */

    const struct machine *machine; /* which one this is; NULL: none, a model */
    const char *clock;             /* whose date and time `now` tells */

    const char *step; /* what is being done, for a fault's dump; set by the run */
    /* Remarks for the log, found before the run, one a line; NULL: nothing. */
    const char *remarks;

    /* After `quietly` returned false: one line that names the fault, for the log. */
    char fault[160];

    /* Errors that the hardware reported since the last call (machine checks, NMIs): a line in words
     * with each call, NULL after the last one. NULL itself: a platform hears of nothing. */
    const char *(*incident)(struct platform *self);

    /* The counters that can be used here; NULL: none, and `no_counters` says why. */
    const struct counter_offer *counters;
    const char *no_counters;

    /* Additions a cycle and entries of the reorder buffer that this core is known to have; 0: those
     * of processors of its kind, or where there is no machine, they are unknown. */
    unsigned additions_a_cycle, rob_entries;

    const char *no_loops; /* why compiled loops cannot be measured here; NULL: they can */

    /* The date and time. Returns NULL, or why they are not known. Not from inside `quietly`. */
    const char *(*now)(struct platform *self, struct utc *utc);
    const char *results; /* where a run's files are; NULL: nowhere */
    const char *folder;  /* the name alone of the folder they are in; NULL: nowhere */
    const char *run; /* as blocks on the console call it: set by the run; NULL: none has begun */
    bool prints_log; /* the console may be all that is kept, a serial log: log.txt goes there too */
    bool has_no_cursor; /* a line on the console cannot be written again, as in a file */

    /* Console, plain ASCII, "\n" ends a line. Not from inside `quietly`. */
    void (*print)(struct platform *self, const char *text);
    /* Prints for whoever records the console, such as what could not be saved. NULL: nobody does.
     */
    void (*record)(struct platform *self, const char *text);
    /* Shows a run's last page, behind which it prints nothing; mostly that is `print`. */
    void (*show_page)(struct platform *self, const char *page);
    /* True once the user wants the run to end with what is finished. NULL: nobody can ask. */
    bool (*is_stopped)(struct platform *self);

    /* Zeroed memory, 64-byte aligned; NULL where there is not enough. Not from inside `quietly`. */
    void *(*allocate)(struct platform *self, uint64_t bytes);
    void (*release)(struct platform *self, void *memory, uint64_t bytes);

    /*
     * Maps memory with one page size beside the windows there are; it holds zeroes, a twin what its
     * frames hold. A platform that cannot give exactly what is asked says why, maps nothing and
     * leaves window->base NULL; but a twin may become a window over frames of its own.
     */
    const char *(*map_window)(struct platform *self, const struct window_request *request,
                              struct window *window);
    /* In any order; leaves a base of NULL, and ignores one. Frames stay until the last window over
     * them is unmapped. */
    void (*unmap_window)(struct platform *self, struct window *window);

    /*
     * Calls work(context) with the machine as quiet as the platform can make it and puts everything
     * back afterwards. Windows are only there to be touched inside. False: a fault ended the
     * work, or what it did cannot be trusted; the platform has already said so, with a dump where
     * there is one. After a machine check that ends the work it stays false for the whole run.
     */
    bool (*quietly)(struct platform *self, void (*work)(void *context), void *context);

    /* Why interrupts stay on inside `quietly`; NULL: they are off. */
    const char *interrupts_remain;
    /*
     * As `quietly`, but with interrupts on and whatever they bring. NULL: time on this platform is
     * not a processor's, and `interrupts_remain` says so.
     */
    bool (*openly)(struct platform *self, void (*work)(void *context), void *context);
    const char *no_interrupts; /* why none come inside `openly` either; NULL: they do */

    /*
     * The following two are not for inside `quietly`; all are NULL where there is but one
     * processor to measure on.
     *
     * Has the processor that is number `number`, from 0 and above it only for WISH_ALL, of those
     * that `choice` stands for measure from now on, and starts those that `others` names. False:
     * *reason says why it cannot; NULL: all had their turn.
     */
    bool (*choose_core)(struct platform *self, const struct core_choice *choice, unsigned number,
                        const char **reason);
    /* Lets processors go that `quietly` keeps between calls; `look`: and looks at what all others
     * did since the last time. */
    void (*release_processors)(struct platform *self, bool look);

    /*
     * Has other processors rest until they are ordered to work, while this one measures; *started
     * is how many: fewer than asked for where there is no memory for more. They go on from one
     * `quietly` to the next, until stop_generators; a fault stops them, too. Returns NULL, or why
     * it could not. Not while there are, and not from inside `quietly`, neither of them. Stopping
     * does nothing without generators. Prefetchers and turbo are theirs as found. The members are
     * NULL where there is but one processor.
     */
    const char *(*start_generators)(struct platform *self, const struct generators_request *request,
                                    unsigned *started);
    void (*stop_generators)(struct platform *self);

    /*
     * Prefetchers, and turbo, in every `quietly` from now on; not from inside it. Return NULL, or
     * why that is not in force here, which as they were found they always are.
     */
    const char *(*set_prefetch)(struct platform *self, enum setting_choice choice);
    const char *(*set_turbo)(struct platform *self, enum setting_choice choice);

    /* The following are called inside `quietly` only. */

    /* Evicts the lines from every cache, and waits for it. */
    lines_service *evict;
    /* Uses a line in the other half of each line's 4 KB page, and waits for it. */
    lines_service *touch_pages;
    /* Uses the first line of many pages of the window's second half: the TLB forgets the others. */
    void (*crowd_tlb)(struct platform *self, const struct window *window);
    /* Invalidates each line's page translation. NULL: this platform cannot. */
    lines_service *forget_pages;
    /* Evicts from every cache the page-table entry that maps each line. NULL: it cannot. */
    lines_service *evict_translations;
    /* Makes the first `bytes` of the code area, just written, safe to run. */
    void (*publish_code)(struct platform *self, size_t bytes);
    /* Runs the probe in the code area, at a random place in a clock step; returns its ticks. */
    uint64_t (*run_code)(struct platform *self, uint8_t *base);
    /*
     * Programs the counters for one pass; they count on until the next call or the end of
     * `quietly`, and a probe reads them (probe/timing.h). With `start` the first counter closes
     * (pmu/plan.h): nothing counts before a probe writes what *start then says. Returns NULL, or
     * why it cannot be.
     */
    const char *(*count)(struct platform *self, const struct counter_use *use, unsigned count,
                         struct msr_value *start);
    /* Before each such probe: all of the pass count from 0, and stop after so many core cycles. */
    void (*set_span)(struct platform *self, uint64_t cycles);
    /* The counts of that pass so far, in its order: before and after a compiled loop. */
    void (*read_counts)(struct platform *self, uint64_t *counts);
    /* The sentinel's two blocks (probe/sentinel.h), in ticks. NULL: the core has no states here. */
    uint32_t (*sentinel_side_by_side)(struct platform *self);
    uint32_t (*sentinel_chain)(struct platform *self);
    /* Orders started generators; returns once each has begun. Without arrays they rest or spin. */
    void (*order_generators)(struct platform *self, const struct generator_order *order);
    /* Bytes that all of them together have read or written since they were started: of memory's
     * traffic as the program asks for it, so that a copy counts twice. */
    uint64_t (*generated)(struct platform *self);
    /* System-management interrupts since reset. False: not known here. */
    bool (*smi_count)(struct platform *self, uint32_t *count);
    /* The revision of the microcode that this core runs. False: not known here, and 0 stays 0. */
    bool (*microcode)(struct platform *self, uint32_t *revision);

    /*
     * Files of this run's results directory. Safe on the volume when they return. Append adds to a
     * file's end, replace writes it whole; both create it.
     */
    const char *(*append)(struct platform *self, const char *file, const char *data, size_t length);
    const char *(*replace)(struct platform *self, const char *file, const char *data,
                           size_t length);

    /*
     * The part of a file of this run that is in memory: all that was appended, or what was replaced
     * last, whether or not it could be saved; there until the next call of append or replace.
     * False: that is nowhere but where it was saved. The member is NULL where that is so of every
     * file.
     */
    bool (*held)(struct platform *self, const char *file, const char **data, size_t *length);
    /* Ends the files, none of which is added to any more. Returns NULL, or why they are not where
     * they were saved; then they were recorded. NULL itself: that needs nothing. */
    const char *(*end_files)(struct platform *self);

    /*
     * Adds to report.html of this run, as append does; the first call of a run begins it with the
     * page's template. It is a copy of what the other files hold, and never takes the room that
     * they may need: PLATFORM_ROOM_KEPT stays free. NULL: nobody writes one.
     */
    const char *(*report)(struct platform *self, const char *data, size_t length);

    /*
     * Changes of the places that files are saved at, since the last call: words for the
     * log, a line each; NULL: nothing. The member is NULL where there is but one place, for good.
     */
    const char *(*news)(struct platform *self);

    /* Keeps the step that begins for the next start, if this run is cut short. NULL: none. */
    void (*begin)(struct platform *self, const char *step);
    /* True if a step is left out, since runs were cut short in it. NULL: none is. */
    bool (*avoids)(struct platform *self, const char *step);

    /* Proves what the platform promises (mapping, restored state). NULL: nothing to prove. */
    const char *(*selftest)(struct platform *self);

    /* Nanoseconds by which slices of measuring end; NULL: the time-stamp counter says. A model
     * counts the work that it has simulated: a busy host then changes none of its samples. */
    uint64_t (*worked)(struct platform *self);

    /* Adds what only this platform knows to run.json's open object: firmware, memory, settings. */
    void (*describe)(struct platform *self, struct json *json);
};

/* Gives memory back, as its `release` does, or NULL. */
static inline void platform_release(struct platform *platform, void *memory, uint64_t bytes)
{
    if (memory != NULL)
        platform->release(platform, memory, bytes);
}

static inline bool platform_is_stopped(struct platform *platform)
{
    return platform->is_stopped != NULL && platform->is_stopped(platform);
}

#endif
