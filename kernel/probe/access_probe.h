/* access_probe: loads from given addresses, none waiting for another, between two timestamps. */
#ifndef MLPBOOT_PROBE_ACCESS_PROBE_H
#define MLPBOOT_PROBE_ACCESS_PROBE_H

#include "timing.h"

/*
 * Writes the probe: a function that takes the address of so many pointers in RDI, loads 8 bytes
 * from where each of them points, and returns the elapsed ticks in RAX. The addresses are data, not
 * code: every run may have others. It changes only registers that a called function may change.
 * Returns its length, 0 if `room` is too small.
 */
size_t access_probe_emit(uint8_t *code, size_t room, unsigned accesses, struct timing timing);

#endif
