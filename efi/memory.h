/* memory: whole pages from the firmware. */
#ifndef MLPBOOT_EFI_MEMORY_H
#define MLPBOOT_EFI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_PAGE 4096ul

enum memory_use { MEMORY_DATA, MEMORY_CODE };

/* `bytes` rounded up to pages, not zeroed, identity mapped. 0: there is not enough. */
uint64_t memory_allocate(uint64_t bytes, enum memory_use use);

/*
 * `bytes` of free memory in gigabytes that are RAM all over, so that 1 GB pages may map it. 0:
 * there is none.
 */
uint64_t memory_allocate_in_gigabytes(uint64_t bytes);
void memory_free(uint64_t address, uint64_t bytes);

/* Bytes of all memory that the firmware's map calls free. */
uint64_t memory_free_bytes(void);

/*
 * Whether every byte of the range is RAM with write-back caching by the firmware's map, so that one
 * large page may cover it.
 */
bool memory_is_plain(uint64_t address, uint64_t bytes);

/*
 * Whether every byte of the range may be read without harm: memory in the firmware's map, reserved
 * memory included, all of which is mapped (UEFI 2.10, 2.3.4), or a PC's ROM below 1 MB.
 */
bool memory_is_mapped(uint64_t address, uint64_t bytes);

#endif
