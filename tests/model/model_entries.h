/* model_entries: entries of a reorder buffer that neighbours share, and of register files of which
 * what registers hold takes a part. */
#ifndef MLPBOOT_MODEL_ENTRIES_H
#define MLPBOOT_MODEL_ENTRIES_H

#include "model_decode.h"
#include "model_parameters.h"

#define MODEL_FETCH_BYTES 64 /* of code that are fetched at once */
#define MODEL_FUSED_MAX 4

/* Each as long as the code is. */
struct model_entries {
    uint32_t *entry; /* of each operation, counted from the code's start */
    uint32_t *last;  /* operation of each entry */
};

/* True if the parameters let neighbours share entries at all. */
bool model_entries_are_shared(const struct model_parameters *parameters);

/*
 * Fills `entries` in. `fuse`: a NOP joins the NOPs or the load before it where all of them, at most
 * MODEL_FUSED_MAX, have at most so many bytes and were fetched at once. `pairs`: an operation that
 * only computes joins one of another kind.
 */
void model_entries_find(struct model_entries *entries, const struct model_parameters *parameters,
                        const struct operation *operation, size_t count);

/*
 * As the code begins, so many of the architectural registers (`int_state`, `vec_state`), the
 * highest by number and mask registers last, hold a value in an entry of their file. One that is
 * zeroed needs none, and takes one again when it is written. Entries are free once the operation
 * that writes or zeroes a register next has retired. All other registers have a place of their own.
 *
 * Fills in how many entries of each file every operation returns.
 */
void model_entries_find_returned(const struct model_parameters *parameters,
                                 struct operation *operation, size_t count);

#endif
