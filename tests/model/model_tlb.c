/* model_tlb: entries in a ring by order of use, behind them what is left of the last crowd. */
#include "model_tlb.h"

#include <stdlib.h>
#include <string.h>

/* All entries but the ring's end. */
static void make_unused(struct model_tlb *tlb)
{
    for (uint32_t i = 1; i < tlb->capacity; i++)
        tlb->entry[i].after = i + 1;
    tlb->unused = 1;
}

bool model_tlb_open(struct model_tlb *tlb, uint32_t capacity, uint64_t pages)
{
    memset(tlb, 0, sizeof(*tlb));
    tlb->capacity = capacity;
    tlb->pages = pages;
    tlb->entry = calloc((size_t)capacity + 1, sizeof(*tlb->entry));
    tlb->entry_of = calloc(pages, sizeof(*tlb->entry_of));
    if (tlb->entry == NULL || tlb->entry_of == NULL) {
        model_tlb_close(tlb);
        return false;
    }
    make_unused(tlb);
    return true;
}

void model_tlb_close(struct model_tlb *tlb)
{
    free(tlb->entry);
    free(tlb->entry_of);
    tlb->entry = NULL;
    tlb->entry_of = NULL;
}

static void unlink_entry(struct model_tlb *tlb, uint32_t i)
{
    struct model_tlb_entry *entry = &tlb->entry[i];

    tlb->entry[entry->before].after = entry->after;
    tlb->entry[entry->after].before = entry->before;
}

static void link_first(struct model_tlb *tlb, uint32_t i)
{
    uint32_t second = tlb->entry[0].after;

    tlb->entry[i].before = 0;
    tlb->entry[i].after = second;
    tlb->entry[second].before = i;
    tlb->entry[0].after = i;
}

static void drop_entry(struct model_tlb *tlb, uint32_t i)
{
    unlink_entry(tlb, i);
    tlb->entry_of[tlb->entry[i].page] = 0;
    tlb->entry[i].after = tlb->unused;
    tlb->unused = i;
    tlb->used--;
}

/* Takes a page out of the crowd. False: it is not there. */
static bool leave_crowd(struct model_tlb *tlb, uint64_t page)
{
    if (tlb->crowded == 0 || page < tlb->crowd_first || page > tlb->crowd_last)
        return false;
    uint32_t *mark = &tlb->mark[page - tlb->crowd_base];
    if (*mark == tlb->generation)
        return false;
    *mark = tlb->generation;
    tlb->crowded--;
    return true;
}

static void drop_oldest(struct model_tlb *tlb)
{
    if (tlb->crowded == 0) {
        drop_entry(tlb, tlb->entry[0].before);
        return;
    }
    while (!leave_crowd(tlb, tlb->crowd_first))
        tlb->crowd_first++;
}

bool model_tlb_use(struct model_tlb *tlb, uint32_t page, uint64_t **ready)
{
    uint32_t i = tlb->entry_of[page];
    bool is_known = i != 0;

    if (is_known && tlb->entry[0].after == i) {
        *ready = &tlb->entry[i].ready;
        return true;
    }
    if (is_known) {
        unlink_entry(tlb, i);
    } else {
        is_known = leave_crowd(tlb, page);
        if (tlb->used + tlb->crowded == tlb->capacity)
            drop_oldest(tlb);
        i = tlb->unused;
        tlb->unused = tlb->entry[i].after;
        tlb->entry[i].page = page;
        tlb->entry[i].ready = 0;
        tlb->entry_of[page] = i;
        tlb->used++;
    }
    link_first(tlb, i);
    *ready = &tlb->entry[i].ready;
    return is_known;
}

void model_tlb_forget(struct model_tlb *tlb, uint32_t page)
{
    if (tlb->entry_of[page] != 0)
        drop_entry(tlb, tlb->entry_of[page]);
    else
        leave_crowd(tlb, page);
}

void model_tlb_empty(struct model_tlb *tlb)
{
    while (tlb->used > 0)
        drop_entry(tlb, tlb->entry[0].before);
    tlb->crowded = 0;
}

void model_tlb_crowd(struct model_tlb *tlb, uint64_t first, uint32_t count)
{
    uint64_t *ready;

    if (count < tlb->capacity) {
        for (uint32_t i = 0; i < count; i++)
            model_tlb_use(tlb, (uint32_t)(first + i), &ready);
        return;
    }
    model_tlb_empty(tlb);
    tlb->crowd_base = first;
    tlb->crowd_last = first + count - 1;
    tlb->crowd_first = first + count - tlb->capacity;
    tlb->crowded = tlb->capacity;
    tlb->generation++;
}
