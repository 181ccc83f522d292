/* prefetch_proof: finds out whether prefetchers that were switched off still prefetch. */
#ifndef MLPBOOT_ENGINE_PREFETCH_PROOF_H
#define MLPBOOT_ENGINE_PREFETCH_PROOF_H

#include "measurement.h"

/*
 * Chases pointers line after line through evicted pages, with the prefetchers on and then off:
 * without them every line takes as long as the first. The platform must be able to switch them;
 * they are left off. Tried once in a measurement. Returns NULL if it is slower, else why "off"
 * cannot be believed. Not from inside `quietly`.
 */
const char *prefetch_proof(struct measurement *m);

#endif
