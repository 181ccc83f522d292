/* model_limits: the parameters, divided among threads. */
#include "model_limits.h"

#include "model_entries.h"

enum policy { POLICY_SPLIT, POLICY_SHARED, POLICY_WHOLE }; /* as in the parameters */

/* In eighths of the whole: NOPs retire at once, loads wait for memory with all that they hold, and
 * an operation that is ready leaves the scheduler at once. */
#define EIGHTHS 8
static const struct uses {
    uint8_t rob, int_regs, vec_regs, load_queue, store_queue, scheduler, fill_buffers, caches;
} uses[BESIDE_WORKS] = {
    [BESIDE_NOPS] = {.rob = 1},
    [BESIDE_LOADS] = {4, 2, 3, 5, 0, 0, 4, 3},
    [BESIDE_STORES] = {4, 2, 1, 0, 5, 0, 5, 3},
};

static uint32_t at_least_one(uint64_t entries)
{
    return entries > 0 ? (uint32_t)entries : 1;
}

/* Returns the part of `whole` that is left for the thread that is measured. */
static uint32_t part(uint64_t whole, enum model_beside beside, uint64_t policy, uint64_t used)
{
    if (beside == BESIDE_SOMEBODY || (beside > BESIDE_SOMEBODY && policy == POLICY_SPLIT))
        return at_least_one(whole / 2);
    if (policy == POLICY_SHARED)
        return at_least_one(whole - (whole * used + EIGHTHS - 1) / EIGHTHS);
    return (uint32_t)whole;
}

/* Returns the part of buffers of their own for prefetches or stores, by the policy of those for
 * loads; 0: no such buffers. */
static uint32_t part_of_own(uint64_t whole, const struct model_parameters *p,
                            enum model_beside beside)
{
    return whole > 0 ? part(whole, beside, p->smt_fill_buffers, uses[beside].fill_buffers) : 0;
}

static uint32_t width_of(const struct model_parameters *p, enum model_beside beside)
{
    bool computes = beside == BESIDE_SOMEBODY && p->sibling_waits == 0;
    bool is_halved = computes || beside == BESIDE_NOPS; /* others wait */
    return is_halved ? at_least_one(p->width / 2) : (uint32_t)p->width;
}

/* Returns the parts of the caches. A sibling that was not ordered to work leaves them all. */
static uint32_t cache_parts_of(const struct model_parameters *p, enum model_beside beside)
{
    return beside == BESIDE_SOMEBODY
               ? MODEL_CACHE_PARTS
               : part(MODEL_CACHE_PARTS, beside, p->smt_caches, uses[beside].caches);
}

struct model_limits model_limits_of(const struct model_parameters *p, enum model_beside beside)
{
    const struct uses *used = &uses[beside];
    struct model_limits limits = {
        .rob = part(p->rob, beside, p->smt_rob, used->rob),
        .width = width_of(p, beside),
        .schedulers = (uint32_t)p->schedulers,
        .scheduler = part(p->scheduler, beside, p->smt_scheduler, used->scheduler),
        .fill_buffers = part(p->fill_buffers, beside, p->smt_fill_buffers, used->fill_buffers),
        .prefetch_buffers = part_of_own(p->prefetch_buffers, p, beside),
        .write_buffers = part_of_own(p->write_buffers, p, beside),
        .wc_buffers = part(p->wc_buffers, beside, p->smt_fill_buffers, used->fill_buffers),
        .entries =
            {
                [INT_REGS] = part(p->int_regs, beside, p->smt_int_regs, used->int_regs),
                [VEC_REGS] = part(p->vec_regs, beside, p->smt_vec_regs, used->vec_regs),
                [LOAD_QUEUE] = part(p->load_queue, beside, p->smt_load_queue, used->load_queue),
                [STORE_QUEUE] = part(p->store_queue, beside, p->smt_store_queue, used->store_queue),
            },
        .held = {[INT_REGS] = (uint32_t)p->int_state, [VEC_REGS] = (uint32_t)p->vec_state},
        .cache_parts = cache_parts_of(p, beside),
        .shares_entries = model_entries_are_shared(p),
    };
    for (unsigned i = 0; i < REGISTER_FILES; i++)
        if (limits.entries[i] <= limits.held[i])
            limits.entries[i] = limits.held[i] + 1;
    for (unsigned i = 0; i < STRUCTURES; i++) {
        uint32_t held = i < REGISTER_FILES ? limits.held[i] : 0;
        limits.limited |= (limits.entries[i] < limits.rob + held ? 1u : 0u) << i;
    }
    limits.is_scheduler_limited = limits.scheduler < limits.rob;
    limits.is_load_queue_early = p->early_release > 0 && limits.limited >> LOAD_QUEUE & 1;
    return limits;
}
