/* places: each is given all files when its turn comes. */
#include "places.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/report/blocks.h"

/* Reports what became of the current place. */
static void say(const struct places *places, const char *what, const char *reason)
{
    char words[PLACE_NAME_MAX + 256];
    places->tell(text_write(words, sizeof words, "%s%s%s%s", places->place[places->at]->name, what,
                            reason != NULL ? ": " : "", reason != NULL ? reason : ""));
}

void places_init(struct places *places, struct platform *memory)
{
    kept_init(&places->kept, memory);
    places->count = places->at = 0;
    places->more = NULL;
    places->reason = "there is no place for results";
    places->all_saved = places->is_ended = false;
    memset(places->is_printed, 0, sizeof places->is_printed);
}

void places_add(struct places *places, struct place *place)
{
    if (places->count < PLACES_MAX)
        places->place[places->count++] = place;
}

const struct place *places_now(const struct places *places)
{
    return places->at < places->count ? places->place[places->at] : NULL;
}

/* Starts a place and saves all files so far at it. Returns NULL, or why it failed. */
static const char *bring_place(const struct places *places, struct place *place)
{
    const struct kept *kept = &places->kept;
    const char *reason = place->start(place, kept->file, kept->files);
    for (unsigned i = 0; i < kept->files && reason == NULL; i++) {
        const struct place_file *file = &kept->file[i];
        if (file->length > 0 && !(file->is_copy && place->no_copies))
            reason = place->save(place, file, 0);
    }
    return reason;
}

/* True if there is a place to try; when all were tried, `more` adds others. */
static bool has_place(struct places *places)
{
    void (*more)(void) = places->more;
    if (places->at == places->count && more != NULL) {
        places->more = NULL;
        more();
    }
    return places->at < places->count;
}

/* Finds the first place, from `at` on, that takes all files so far. */
static void settle_files(struct places *places)
{
    for (; has_place(places); places->at++) {
        struct place *place = places->place[places->at];
        places->reason = bring_place(places, place);
        if (places->reason == NULL)
            return;
        say(places, " takes no results", places->reason);
        place->end(place);
    }
}

bool places_start(struct places *places)
{
    settle_files(places);
    places->all_saved = places->at < places->count;
    return places->all_saved;
}

/* Goes on from a place that failed and was ended. NULL: another one has everything. */
static const char *move(struct places *places, const char *reason)
{
    say(places, " takes no more results", reason);
    places->at++;
    places->reason = reason;
    settle_files(places);
    if (places_now(places) == NULL)
        return places->reason;
    say(places, " takes them from now on, and has all that were saved before", NULL);
    return NULL;
}

static const char *save_to_places(struct places *places, const struct place_file *file, size_t from)
{
    if (places->at == places->count)
        return places->reason;
    struct place *place = places->place[places->at];
    const char *reason = place->save(place, file, from);
    if (reason == NULL || (file->is_copy && place->no_copies))
        return reason;
    place->end(place);
    return move(places, reason);
}

/* Notes if a file could not be saved: the run then prints it. A missing copy does no harm. */
static const char *noted(struct places *places, const struct place_file *file, const char *reason)
{
    places->all_saved &= reason == NULL || file->is_copy;
    places->is_printed[file - places->kept.file] |= reason != NULL;
    return reason;
}

static const char *no_file(struct places *places)
{
    places->all_saved = false;
    return "it is not one of the run's files";
}

/* Keeps new data of a file. Reports once if it ends early; the run itself reports a copy. */
static const char *keep_place(struct places *places, struct place_file *file, const char *data,
                              size_t length)
{
    char words[128];
    bool is_told = file->is_cut || file->is_copy;
    const char *reason = kept_append(&places->kept, file, data, length);
    if (reason != NULL && !is_told)
        places->tell(text_write(words, sizeof words, "%s ends early, after %lu bytes: %s",
                                file->name, (unsigned long)file->length, reason));
    return reason;
}

const char *places_append(struct places *places, const char *name, const char *data, size_t length)
{
    struct place_file *file = kept_find(&places->kept, name);
    if (file == NULL)
        return no_file(places);
    size_t from = file->length;
    const char *reason = keep_place(places, file, data, length);
    return noted(places, file, reason != NULL ? reason : save_to_places(places, file, from));
}

const char *places_replace(struct places *places, const char *name, const char *data, size_t length)
{
    struct place_file *file = kept_find(&places->kept, name);
    if (file == NULL)
        return no_file(places);
    const char *reason = kept_replace(&places->kept, file, data, length);
    return noted(places, file, reason != NULL ? reason : save_to_places(places, file, 0));
}

/* Prints the files that were saved and then lost, which the run had no reason to print. */
static void print_all(const struct places *places)
{
    const struct kept *kept = &places->kept;
    for (unsigned i = 0; i < kept->files; i++) {
        const struct place_file *file = &kept->file[i];
        const struct block_file block = {kept->memory->run, file->name, 1};
        if (!file->is_copy && file->length > 0 && !places->is_printed[i])
            blocks_print_file(kept->memory, &block, file->data, file->length);
    }
}

static void end_places(struct places *places)
{
    const char *reason = places->reason;
    while (places->at < places->count) {
        struct place *place = places->place[places->at];
        reason = place->end(place);
        if (reason == NULL)
            break;
        reason = move(places, reason);
    }
    if (reason != NULL)
        print_all(places);
    kept_init(&places->kept, places->kept.memory);
    places->all_saved &= reason == NULL;
    places->is_ended = true;
}

const struct place *places_end(struct places *places)
{
    if (!places->is_ended)
        end_places(places);
    return places->all_saved ? places_now(places) : NULL;
}

void places_give_up(struct places *places, const char *reason)
{
    places->at = places->count;
    places->reason = reason;
    places->all_saved = false;
}
