/* platform_efi: implements kernel/platform.h on the bare machine. */
#ifndef MLPBOOT_EFI_PLATFORM_EFI_H
#define MLPBOOT_EFI_PLATFORM_EFI_H

#include "../kernel/cpu/frequency.h"
#include "../kernel/cpu/package.h"
#include "../kernel/cpu/quiet.h"
#include "../kernel/platform.h"
#include "../kernel/pmu/pmu.h"
#include "../kernel/pmu/schedule.h"
#include "address_space.h"
#include "processors.h"
#include "srat.h"
#include "storage/places.h"

struct platform_efi {
    struct platform base; /* first: one pointer serves for both */
    struct processor processor;
    struct quiet quiet;
    struct pmu pmu;
    struct switches switches;
    struct frequency frequency;    /* the core's, with these switches */
    struct uncore_clock uncore;    /* while experiments measured */
    const char *encryption;        /* of memory, in words; NULL: not looked at */
    char prefetch[120];            /* base.prefetch, if they are as found */
    char turbo[160];               /* base.turbo */
    struct counter_offer offer;    /* base.counters */
    uint8_t counter[COUNTERS_MAX]; /* counters of the programmed pass, in its order */
    unsigned uses;                 /* of `counter` */
    uint64_t tsc_hz;               /* as the processor reports it; 0: it does not */
    const char *tsc_source;        /* the source of tsc_hz */
    struct address_space space;
    uint64_t free_bytes;       /* memory, at the start */
    struct memory_nodes nodes; /* base.nodes */
    struct srat srat;          /* each node's memory */
    uint32_t nmis_told;
    bool counts_smis;      /* the processor has that counter, and the hypervisor answers for it */
    struct places *places; /* where its files go; set before anything is saved */
    bool has_report;       /* the beginning of report.html is written */
    char ended_by[160]; /* the machine check, or lost processor, that ended measuring; or empty */
    struct processors processors;
};

/* Reads what each processor has of its own: machine-check banks, memory types, a counter of SMIs.
 * `platform` is a struct platform_efi. Inside the quiet section. */
void platform_efi_look(void *platform);

/* Sets the services, enough to print and save, and where files go. Looks at no hardware. */
void platform_efi_init(struct platform_efi *platform, struct places *places);

/* Takes stock of the machine, after that. Returns NULL, or why nothing can be measured. */
const char *platform_efi_open(struct platform_efi *platform);

/* Frees everything; may be called if opening failed, or never happened. */
void platform_efi_close(struct platform_efi *platform);

/* Declares the members that are in files of their own. */
const char *platform_efi_selftest(struct platform *self);
void platform_efi_describe(struct platform *self, struct json *json);

#endif
