/* model_registers: register files of which a part is taken by what registers hold besides. */
#ifndef MLPBOOT_MODEL_REGISTERS_H
#define MLPBOOT_MODEL_REGISTERS_H

#include "model_decode.h"
#include "model_parameters.h"

/*
 * As the code begins, so many of the architectural registers (`int_state`, `vec_state`), the
 * highest by number and mask registers last, hold a value in an entry of their file. One that is
 * zeroed needs none, and takes one again when it is written. Entries are free once the operation
 * that writes or zeroes a register next has retired. All other registers have a place of their own.
 *
 * Fills in how many entries of each file every operation returns.
 */
void model_registers_find(const struct model_parameters *parameters, struct operation *operation,
                          size_t count);

#endif
