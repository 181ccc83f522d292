/* places: where a run's files go, one place after the other as each fails. No firmware header, so
 * that tests can hand it places of their own. */
#ifndef MLPBOOT_EFI_STORAGE_PLACES_H
#define MLPBOOT_EFI_STORAGE_PLACES_H

#include "kept.h"

#define PLACES_MAX 8

/* Starts as zeroes but for `tell`. */
struct places {
    void (*tell)(const char *words); /* to the user and the log: a sentence, without its end */
    struct kept kept;
    unsigned count, at; /* at == count: no place is left, */
    const char *reason; /* and this is why */
    struct place *place[PLACES_MAX];
    void (*more)(void); /* adds further ones, or NULL */
    bool all_saved;     /* the place there is has had everything that was to be saved */
    bool is_ended;      /* by places_end */
    bool is_printed[PLACE_FILES_MAX]; /* by the run, which knows that it could not be saved */
};

/* Forgets all places and files. `memory`: whose memory files are kept in. */
void places_init(struct places *places, struct platform *memory);

/* The next one to be tried. When all have failed `more` is called, once, to add others. */
void places_add(struct places *places, struct place *place);

/* The files are planned: begins at the first place that works. False: no place works. */
bool places_start(struct places *places);

/* The one that files are saved at; NULL: none. */
const struct place *places_now(const struct places *places);

/*
 * As append and replace in platform.h. A place that fails is reported and ended, and the next one
 * is given all files so far. A copy that the place has no room for fails alone.
 */
const char *places_append(struct places *places, const char *name, const char *data, size_t length);
const char *places_replace(struct places *places, const char *name, const char *data,
                           size_t length);

/* The run is over: ends the place, once. If it fails in that, files go to the next one, which is
 * ended then, and after the last to the console, as blocks. The memory is given back. The place
 * that has everything, or NULL. */
const struct place *places_end(struct places *places);

/* From now on there is no place, and none is asked for anything, not even for an end. */
void places_give_up(struct places *places, const char *reason);

#endif
