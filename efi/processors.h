/* processors: which there are, what they do meanwhile, and the one of them that measures. */
#ifndef MLPBOOT_EFI_PROCESSORS_H
#define MLPBOOT_EFI_PROCESSORS_H

#include <stdbool.h>

#include "../kernel/cpu/quiet.h"
#include "../kernel/cpu/rest.h"
#include "../kernel/cpu/topology.h"
#include "../kernel/lib/json.h"
#include "../kernel/probe/generator.h"

struct mp_services; /* the firmware's, see processors.c */
struct station;     /* where a processor waits for us */

/* One logical processor. */
struct logical_processor {
    uint64_t number;          /* the MP services' */
    struct topology topology; /* as it says itself; the APIC id by the firmware until it has */
    enum core_type type;
    const char *why_not;         /* why it cannot be started; NULL: it can, or runs this */
    struct awake_clock clock;    /* at the last look */
    double before, during;       /* the share of the time it was awake; NAN: not known */
    struct station *station;     /* while it is kept */
    uint64_t asleep_ticks;       /* of the time it was kept */
    uint64_t kept_ticks;         /* how long that was */
    bool is_chosen;              /* to be a generator, by others.h */
    struct generator *generator; /* while it is one; NULL: it is not */
    uint64_t generated;          /* bytes that it has read and written as one, in all */
};

struct processors {
    const struct processor *identity;
    struct mp_services *services; /* NULL: `why_not` says why */
    const char *why_not;
    struct logical_processor *all; /* at least the one that runs this */
    unsigned count, listed;        /* and for how many there is memory */
    struct logical_processor *boot, *measuring;
    bool halts_siblings;
    uint64_t ticks_per_second;
    char summary[320], siblings[160], refusal[160]; /* in words */
};

/* How many the firmware knows, before they are looked at; 1 where it does not tell. */
unsigned processors_count(void);

/*
 * Finds them, and looks twice at each but our own, one after the other. What the firmware does not
 * tell, or refuses, is in `summary`, and then our own is the only one. `ticks_per_second` of the
 * time-stamp counter.
 */
void processors_open(struct processors *processors, const struct processor *identity,
                     uint64_t ticks_per_second);

/* Looks again at each that is not kept, and says in `summary` what it did since. */
void processors_look(struct processors *processors);

/*
 * Starts what is needed for processors_run: the processor that measures, where it is not our own,
 * and the siblings that are to sleep. They are kept until processors_release, since the firmware
 * takes a tenth of a second to notice that one is back. NULL, or why nothing can be measured. At
 * TPL_APPLICATION; may be called again.
 */
const char *processors_gather(struct processors *processors);

/*
 * quiet_run on the processor that measures, while ours waits. Everything needed is gathered, events
 * are kept out. NULL and *result, or why the processor did not come back.
 */
const char *processors_run(struct processors *processors, struct quiet *quiet,
                           void (*work)(void *context), void *context, enum quiet_result *result);

/*
 * Has one that neither measures nor runs this be a generator, kept or started for it: it gets to
 * work on `array`, identity mapped as the firmware has it, until it is dismissed. Afterwards it
 * sleeps at its station. NULL, or why it cannot be. As processors_gather.
 */
const char *processors_employ(struct processors *processors, struct logical_processor *l,
                              uint8_t *array, uint64_t bytes);

/*
 * Waits until each generator does as it was last ordered: called where ours is, or where the
 * processor is that measures. NULL, or which does not; it is not waited for again.
 */
const char *processors_await(struct processors *processors);

/* Tells a generator to leave; it still is one until it has left. */
void processors_dismiss(struct logical_processor *l);

/* Waits until it is back at its station; then it is no generator. False: it did not come, and
 * whatever it was given stays its own. */
bool processors_take_back(struct logical_processor *l);

/* Gives back to the firmware what was gathered, each to where the firmware had it. No generators
 * are left. */
void processors_release(struct processors *processors);

/* Gives back what processors_open took, and what is gathered. */
void processors_close(struct processors *processors);

/* Whether they are threads of one core. */
bool processors_are_siblings(const struct logical_processor *a, const struct logical_processor *b);

/* Object "processors" of run.json. */
void processors_describe(const struct processors *processors, const struct quiet *quiet,
                         struct json *json);

#endif
