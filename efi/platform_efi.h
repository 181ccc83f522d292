/* platform_efi: kernel/platform.h on the bare machine. */
#ifndef MLPBOOT_EFI_PLATFORM_EFI_H
#define MLPBOOT_EFI_PLATFORM_EFI_H

#include "../kernel/cpu/frequency.h"
#include "../kernel/cpu/quiet.h"
#include "../kernel/platform.h"
#include "../kernel/pmu/pmu.h"
#include "../kernel/pmu/schedule.h"
#include "address_space.h"
#include "processors.h"
#include "srat.h"
#include "storage/places.h"

struct platform_efi {
    struct platform base; /* first: one pointer is both */
    struct processor processor;
    struct quiet quiet;
    struct pmu pmu;
    struct switches switches;
    struct frequency frequency;    /* of the core, under them */
    char prefetch[40];             /* what base.prefetch shows where they are as found, */
    char turbo[160];               /* what base.turbo shows */
    struct counter_offer offer;    /* what base.counters shows */
    uint8_t counter[COUNTERS_MAX]; /* of the pass programmed, in its order */
    unsigned uses;                 /* how many */
    uint64_t tsc_hz;               /* as the processor itself says; 0: it does not */
    const char *tsc_source;        /* where */
    struct address_space space;
    uint64_t free_bytes;       /* of memory, at the start */
    struct memory_nodes nodes; /* what base.nodes shows */
    struct srat srat;          /* the memory of each */
    uint32_t nmis_told;
    struct places *places; /* that its files go to; set before anything is saved */
    bool has_report;       /* the run's report.html has its beginning */
    char ended_by[160];    /* the machine check after which nothing is measured; empty: none */
    struct processors processors;
};

/* Fills in its services, enough to print and to save, and where files go to. Nothing of the machine
 * is looked at. */
void platform_efi_init(struct platform_efi *platform, struct places *places);

/* Takes stock of the machine, after that. Returns NULL, or why nothing can be measured. */
const char *platform_efi_open(struct platform_efi *platform);

/* Gives back all that is still taken; also where opening failed, or nobody opened it. */
void platform_efi_close(struct platform_efi *platform);

/* The member functions that are too large for platform_efi.c. */
const char *platform_efi_selftest(struct platform *self);
void platform_efi_describe(struct platform *self, struct json *json);

#endif
