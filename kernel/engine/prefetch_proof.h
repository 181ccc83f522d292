/* prefetch_proof: whether the prefetchers that were switched off bring nothing ahead any more. */
#ifndef MLPBOOT_ENGINE_PREFETCH_PROOF_H
#define MLPBOOT_ENGINE_PREFETCH_PROOF_H

#include "measurement.h"

/*
 * Walks line after line through pages that were evicted, each load waiting for the one before, with
 * the prefetchers on and then off: without them every line takes as long as the first. The platform
 * must be able to switch them; they are left off. Tried once for a measurement. NULL: it is slower,
 * or the reason why "off" cannot be believed. Not from inside `quietly`.
 */
const char *prefetch_proof(struct measurement *m);

#endif
