/* task: lists of points. */
#include "task.h"

void task_add(struct task *task, struct points *to, const struct point *point)
{
    if (measurement_make_room(task->measurement, (void **)&to->at, &to->room, to->count,
                              sizeof *to->at))
        to->at[to->count++] = *point;
}

uint32_t points_group_end(const struct points *points, uint32_t first)
{
    uint32_t end = first;
    while (end < points->count && points->at[end].group == points->at[first].group)
        end++;
    return end;
}

void task_place(const struct point *point, struct row *row)
{
    row->n = point->n;
    row->k = point->k;
    row->bytes = point->bytes;
    row->stage = point->stage;
    row->attempt = point->attempt;
}

void samples_run(const struct samples *samples, struct platform *platform, void *argument)
{
    for (unsigned i = 0; i < samples->count; i++)
        counting_sample(samples->counting, platform, argument, samples->at, i, samples->count);
}

void samples_look_for_smis(struct samples *samples, struct platform *platform)
{
    samples->looks_for_smis = true;
    platform->smi_count(platform, &samples->smis);
}

unsigned samples_keep(struct samples *samples, struct platform *platform, unsigned kept,
                      uint32_t ticks)
{
    uint32_t before = samples->smis;
    platform->smi_count(platform, &samples->smis);
    if (samples->smis != before) {
        samples->interrupted++;
        return kept;
    }
    samples->at[kept] = ticks;
    return kept + 1;
}
