/* model_translation: two levels of TLB and the caches of page walks, which all windows share. */
#ifndef MLPBOOT_MODEL_TRANSLATION_H
#define MLPBOOT_MODEL_TRANSLATION_H

#include "../../kernel/data/case.h"
#include "model_store.h"

/* Levels of the page tables above the one that maps 4 KB pages: each maps 512 times as much. */
enum { UPPER_PDE, UPPER_PDPTE, UPPER_PML4E, UPPER_LEVELS };

/* By page size; a store without entries is that of 4 KB pages. */
struct model_translation {
    struct model_store first[PAGE_SIZES], second[PAGE_SIZES];
    struct model_store upper[UPPER_LEVELS]; /* entries of the tables, by what they map */
};

enum model_translation_place { TRANSLATED_FIRST, TRANSLATED_SECOND, TRANSLATED_NOT };

/* Opens the levels and caches. False: not enough memory, and nothing to close. */
bool model_translation_open(struct model_translation *translation,
                            const struct model_parameters *parameters);
void model_translation_close(struct model_translation *translation);

/*
 * Returns where a page's translation was found; from now on it is in both levels. `linear`: any
 * address of the page. *ready: for the caller, when the translation is there; 0 unless found in the
 * first level. There must be a first level.
 */
enum model_translation_place model_translation_use(struct model_translation *translation,
                                                   uint64_t linear, enum page_size page,
                                                   uint64_t **ready);

/*
 * Returns the cycles that a walk to the page, begun at `start`, takes for the levels above its own:
 * `each` for each level that has to be read. The walk caches know these levels once all were read:
 * a walk beside this one reads them, too.
 */
uint64_t model_translation_walk(struct model_translation *translation, uint64_t linear,
                                enum page_size page, uint64_t start, uint64_t each);

/* Acts as INVLPG: the page leaves both levels, and the walk caches forget all (Intel SDM 3A,
 * 4.10.4.1). */
void model_translation_forget(struct model_translation *translation, uint64_t linear,
                              enum page_size page);

/* Forgets all translations. */
void model_translation_empty(struct model_translation *translation);

/* Acts as a use of so many bytes from there on, in this order, each page once; `entries`: the size
 * of page that the TLBs' entries map. */
void model_translation_crowd(struct model_translation *translation, uint64_t linear, uint64_t bytes,
                             enum page_size page, enum page_size entries);

#endif
