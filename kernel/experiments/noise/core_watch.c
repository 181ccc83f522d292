/* core_watch: chains of additions pass the time between two visits. */
#include "core_watch.h"

#include "../../probe/sentinel.h"

#define CHAINS_APART 600 /* some 720,000 cycles: states last for half a million and more */

void core_watch_slice(struct core_watch *w, unsigned slice, uint32_t ticks[CORE_VISITS])
{
    struct core_visit *visit = &w->visit[slice * CORE_VISITS];
    for (unsigned i = 0; i < CORE_VISITS; i++) {
        uint32_t chain = 0;
        for (unsigned j = 0; j < CHAINS_APART; j++)
            chain = w->platform->sentinel_chain(w->platform);
        states_add_chain(w->states, (double)chain / SENTINEL_CHAIN);
        rounds_look(w->platform, w->states, visit[i].first);
        ticks[i] = rounds_look(w->platform, w->states, visit[i].second);
    }
}

void core_watch_count(struct core_watch *w, unsigned slice, uint32_t visits[CORE_STATES])
{
    const struct core_visit *visit = &w->visit[slice * CORE_VISITS];
    for (unsigned i = 0; i < CORE_STATES; i++)
        visits[i] = 0;
    for (unsigned i = 0; i < CORE_VISITS; i++)
        visits[states_of_visit(w->states, visit[i].first, visit[i].second, SENTINEL_LOOKS)]++;
}
