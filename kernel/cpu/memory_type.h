/* memory_type: how memory is cached, by the MTRRs and by the PAT through our own page tables. */
#ifndef MLPBOOT_CPU_MEMORY_TYPE_H
#define MLPBOOT_CPU_MEMORY_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../data/case.h"
#include "processor.h"

#define MTRR_VARIABLE_MAX 32
#define MTRR_FIXED 11

/* As MTRRs and the PAT encode them. */
enum memory_type {
    TYPE_UNCACHEABLE = 0,
    TYPE_WRITE_COMBINING = 1,
    TYPE_WRITE_THROUGH = 4,
    TYPE_WRITE_PROTECTED = 5,
    TYPE_WRITE_BACK = 6,
    TYPE_UNCACHED = 7,  /* "UC-", in the PAT only */
    TYPE_UNDEFINED = 8, /* MTRRs that overlap, of types that may not */
};

struct memory_types {
    bool caches_off; /* CR0.CD */
    bool ranges_on;  /* those of the MTRRs that follow count */
    bool fixed_on;
    unsigned variable; /* how many */
    uint64_t fixed[MTRR_FIXED];
    uint64_t base[MTRR_VARIABLE_MAX], mask[MTRR_VARIABLE_MAX];
    uint64_t write_back_from_4g; /* AMD: memory from 4 GB to here that no range names; or 0 */
    enum memory_type otherwise;  /* of all other memory that no range names */
    const char *otherwise_by;    /* what says so */
    uint64_t pat;
};

/*
 * Reads this processor's. NULL, or the reason why they cannot be known. Ring 0 with our own IDT
 * loaded. The range registers of SMM (SMRR) only hide memory that no map gives away.
 *
 * Memory that no range names has the default type, and is uncacheable where MTRRs are off. Firmware
 * of a virtual machine may leave it so and never set a range (U-Boot's does); there that says
 * nothing, for the hypervisor chooses the type (Linux, Documentation/virt/kvm and
 * arch/x86/kvm/vmx/vmx.c: a guest's MTRRs count only where a device does not snoop). A range that
 * firmware did set counts.
 */
const char *memory_types_read(struct memory_types *types, const struct processor *processor,
                              uint64_t cr0);

/* "write-back" and so on; never NULL. */
const char *memory_type_name(enum memory_type type);

/*
 * The type by the MTRRs of the byte at a physical address. Intel SDM 3A, 12.11.4.1 (precedences);
 * AMD APM 2, 7.7.2 and 7.9.1 (memory above 4 GB).
 */
enum memory_type memory_type_of_range(const struct memory_types *types, uint64_t address);

/* The type by the PAT that a page-table entry chooses. Intel SDM 3A, 12.12.3; AMD APM 2, 7.8. */
enum memory_type memory_type_of_entry(const struct memory_types *types, uint64_t entry,
                                      enum page_size page);

/*
 * NULL where all of a physical range, mapped by entries such as this one, is write-back: where both
 * types are, and caches on; no other pair gives it (Intel SDM 3A, table 12-7). Else the reason, in
 * `buffer`, which names the first part that is not, and its type.
 */
const char *memory_types_refuse(const struct memory_types *types, uint64_t address, uint64_t bytes,
                                uint64_t entry, enum page_size page, char *buffer, size_t size);

#endif
