/* model_pool: forgets those that have left. */
#include "model_pool.h"

/* Forgets all that have left by `when`. A later one still holds its place. */
uint64_t model_pool_room(struct model_pool *pool, uint32_t places, uint64_t when)
{
    while (pool->leaving.count > 0 && pool->leaving.event[0].time <= when)
        model_queue_take(&pool->leaving);
    if (pool->leaving.count + pool->staying < places)
        return when;
    return pool->leaving.count > 0 ? pool->leaving.event[0].time : UINT64_MAX;
}
