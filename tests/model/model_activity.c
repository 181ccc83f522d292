/* model_activity: kept only while somebody counts, since it takes its time. */
#include "model_activity.h"

#include <string.h>

bool model_activity_open(struct model_activity *activity, uint64_t in_flight)
{
    bool is_open = true;
    memset(activity, 0, sizeof(*activity));
    for (unsigned i = 0; i < MODEL_USES; i++)
        is_open = model_occupancy_open(&activity->use[i], in_flight) && is_open;
    if (!is_open)
        model_activity_close(activity);
    return is_open;
}

void model_activity_close(struct model_activity *activity)
{
    for (unsigned i = 0; i < MODEL_USES; i++)
        model_occupancy_close(&activity->use[i]);
}

void model_activity_start(struct model_activity *activity, uint64_t now, uint64_t end)
{
    activity->is_kept = true;
    activity->start = now;
    activity->end = end;
    activity->dispatched = activity->executed = activity->executed_before = 0;
    activity->instructions = 0;
    memset(activity->loads, 0, sizeof(activity->loads));
    for (unsigned i = 0; i < MODEL_USES; i++)
        model_occupancy_clear(&activity->use[i], now);
}

void model_activity_stop(struct model_activity *activity)
{
    activity->is_kept = false;
}

void model_activity_use(struct model_activity *activity, enum model_use use, uint64_t now,
                        uint64_t start, uint64_t end)
{
    struct model_log *log = activity->log;
    if (log != NULL && log->count < MODEL_LOGGED_MAX) {
        log->at[log->count].use = use;
        log->at[log->count].start = start;
        log->at[log->count++].end = end;
    }
    if (activity->is_kept && start < end && start < activity->end)
        model_occupancy_add(&activity->use[use], now, start, end);
}

void model_activity_dispatch(struct model_activity *activity, uint64_t now)
{
    activity->dispatched += activity->is_kept && now < activity->end;
}

void model_activity_retire(struct model_activity *activity, enum model_place place)
{
    activity->instructions++;
    if (place < MODEL_PLACES)
        activity->loads[place]++;
}

void model_activity_advance(struct model_activity *activity, uint64_t now)
{
    for (unsigned i = 0; i < MODEL_USES; i++)
        if (now < activity->end)
            model_occupancy_advance(&activity->use[i], now);
        else
            model_occupancy_end(&activity->use[i], activity->end);
}
