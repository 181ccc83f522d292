/* model_execute: what an operation does to registers and memory, apart from when. */
#ifndef MLPBOOT_MODEL_EXECUTE_H
#define MLPBOOT_MODEL_EXECUTE_H

#include "model_core.h"

/*
 * Carries out operation `number`, which is dispatched at `when`, on the values; operations come in
 * the code's order. False: it cannot be; `fault` of the core says why.
 */
bool model_execute(struct model_core *core, uint32_t number, uint64_t when);

#endif
