/* model_limits: the parameters, divided among threads. */
#include "model_limits.h"

static uint32_t part(uint64_t whole, unsigned threads)
{
    return whole >= threads ? (uint32_t)(whole / threads) : 1;
}

/* 0 stays: there is nothing to divide. */
static uint32_t part_of_own(uint64_t whole, unsigned threads)
{
    return whole > 0 ? part(whole, threads) : 0;
}

struct model_limits model_limits_of(const struct model_parameters *parameters, unsigned threads)
{
    const uint64_t entries[STRUCTURES] = {
        [INT_REGS] = parameters->int_regs,
        [VEC_REGS] = parameters->vec_regs,
        [LOAD_QUEUE] = parameters->load_queue,
        [STORE_QUEUE] = parameters->store_queue,
    };
    struct model_limits limits = {
        .rob = part(parameters->rob, threads),
        .width = part(parameters->width, threads),
        .scheduler = part(parameters->scheduler, threads),
        .fill_buffers = part(parameters->fill_buffers, threads),
        .prefetch_buffers = part_of_own(parameters->prefetch_buffers, threads),
        .write_buffers = part_of_own(parameters->write_buffers, threads),
        .wc_buffers = part(parameters->wc_buffers, threads),
        .is_paired = parameters->nop_pairs > 0,
        .is_scheduler_limited = parameters->scheduler < parameters->rob,
    };

    for (unsigned i = 0; i < STRUCTURES; i++) {
        limits.of[i] = part(entries[i], threads);
        limits.limited |= (entries[i] < parameters->rob ? 1u : 0u) << i;
    }
    limits.is_load_queue_early = parameters->early_release > 0 && limits.limited >> LOAD_QUEUE & 1;
    return limits;
}
