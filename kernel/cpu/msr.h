/* msr: reads and writes model-specific registers and counters; an absent one is no fault. */
#ifndef MLPBOOT_CPU_MSR_H
#define MLPBOOT_CPU_MSR_H

#include <stdbool.h>
#include <stdint.h>

#define MSR_APIC_BASE 0x1b
#define MSR_SMI_COUNT 0x34
#define MSR_MPERF 0xe7
#define MSR_DEBUGCTL 0x1d9
#define MSR_PAT 0x277
#define MSR_TSC_DEADLINE 0x6e0
#define MSR_X2APIC 0x800 /* + offset in the APIC's page / 16 */
#define MSR_EFER 0xc0000080
#define EFER_NXE (1u << 11)
#define MSR_AMD_DE_CFG 0xc0011029

/*
 * False when the access faults: not there, or a reserved bit was written; *value is then untouched.
 * Ring 0, with our own IDT loaded (see exceptions.h).
 */
bool msr_read(uint32_t index, uint64_t *value);
bool msr_write(uint32_t index, uint64_t value);

/* A register and what is to be written to it, by whoever stands near enough in time. */
struct msr_value {
    uint32_t index;
    uint64_t value;
};

/* RDPMC. False when it faults. */
bool counter_read(uint32_t index, uint64_t *value);

/* Reads one byte of memory. False if no memory is at that address. */
bool memory_read(const uint8_t *address, uint8_t *value);

/* The address to go on at after a fault at `address`; 0 if none was foreseen. */
uint64_t extable_find(uint64_t address);

#endif
