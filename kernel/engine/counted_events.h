/* counted_events: which events are worth counting beside a measurement of memory. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTED_EVENTS_H
#define MLPBOOT_EXPERIMENTS_COUNTED_EVENTS_H

/*
 * Keys of events.csv; the second where a microarchitecture has not the first, unless it has the
 * third: the second then means something else there. NULL: none.
 */
struct counted_event {
    const char *key, *otherwise, *unless;
};

extern const struct counted_event counted_events[];
extern const unsigned counted_event_count;

#endif
