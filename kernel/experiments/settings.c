/* settings: combines every node asked for with prefetchers on, off, or both. */
#include "settings.h"

#include "../engine/measurement.h"

#define LEAST_VISITS 4 /* every interval includes what changes from visit to visit */

static unsigned prefetch_states(const struct measurement *m)
{
    return m->config->prefetch == PREFETCH_BOTH ? 2 : 1;
}

/* True if all nodes count as remote: the core's own is unknown, or has no memory. */
static bool has_no_local(const struct memory_nodes *nodes)
{
    return nodes->count > 0 && !nodes->own_known;
}

/* True if the first node setting is local memory, wherever that is. */
static bool starts_local(const struct memory_nodes *nodes, enum config_node asked)
{
    return asked == CONFIG_NODE_LOCAL || (asked == CONFIG_NODE_ALL && !has_no_local(nodes));
}

/* Returns the number of remote settings; without a remote node, one setting says so. */
static unsigned remote_states(const struct memory_nodes *nodes, enum config_node asked)
{
    if (asked == CONFIG_NODE_LOCAL)
        return 0;
    if (asked == CONFIG_NODE_ALL && has_no_local(nodes))
        return nodes->count;
    return nodes_no_remote(nodes) == NULL ? nodes->count - 1 : 1;
}

unsigned settings_count(const struct measurement *m, enum config_node asked)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    return prefetch_states(m) * (starts_local(nodes, asked) + remote_states(nodes, asked));
}

static void set_prefetch(struct measurement *m, unsigned i, struct setting *s)
{
    struct platform *platform = m->platform;
    s->variant.prefetch_off = m->config->prefetch == PREFETCH_OFF || i == 1;
    if (s->variant.prefetch_off)
        s->refusal = platform->set_prefetch(platform, SETTING_OFF);
    if (s->variant.prefetch_off && s->refusal == NULL)
        s->refusal = prefetch_proof(m);
}

static void set_node(const struct measurement *m, enum config_node asked, unsigned i,
                     struct setting *s)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    s->node = nodes_no_remote(nodes) == NULL ? 0 : NODE_ANY;
    if (starts_local(nodes, asked) && i == 0)
        return;
    bool any = asked == CONFIG_NODE_ALL && has_no_local(nodes);
    const char *reason = any ? NULL : nodes_no_remote(nodes);
    if (reason != NULL) {
        s->variant.memory = MEMORY_REMOTE;
        s->refusal = s->refusal != NULL ? s->refusal : reason;
        return;
    }
    s->node = any ? i : i + !starts_local(nodes, asked);
    s->variant.memory = MEMORY_NODE;
    s->variant.node = nodes->node[s->node].number;
}

struct setting settings_get(struct measurement *m, enum config_node nodes, enum page_size page,
                            unsigned i)
{
    struct setting s = {.variant = {.has_page = true, .page = page}};
    name_copy(s.variant.label, m->config->variant);
    set_prefetch(m, i % prefetch_states(m), &s);
    set_node(m, nodes, i / prefetch_states(m), &s);
    return s;
}

bool settings_next(struct settings *all, struct setting *setting)
{
    const struct config_choices *pages = &all->m->config->pages;
    if (all->m->failure != NULL || all->page == pages->count)
        return false;
    *setting = settings_get(all->m, all->nodes, pages->index[all->page], all->number++);
    if (all->number == settings_count(all->m, all->nodes)) {
        all->number = 0;
        all->page++;
    }
    return true;
}

const char *settings_refusal(const struct measurement *m, const struct setting *setting)
{
    bool needs_lfence = setting->variant.order == ORDER_LFENCE;
    return setting->refusal == NULL && needs_lfence ? m->platform->no_lfence_order
                                                    : setting->refusal;
}

struct task settings_task(struct measurement *m, void *context,
                          void (*visit)(void *, const struct point *, struct samples *))
{
    const struct config *config = m->config;
    uint64_t most = m->beside_sibling ? SAMPLES_MOST : UINT32_MAX;
    return (struct task){
        .measurement = m,
        .rules = {.samples_min =
                      (uint32_t)(config->samples_min < most ? config->samples_min : most),
                  .samples_max =
                      (uint32_t)(config->samples_max < most ? config->samples_max : most),
                  .precision = config->samples_precision,
                  .visits_min = LEAST_VISITS},
        .seed = config->seed,
        .context = context,
        .visit = visit,
    };
}

void settings_expect_scatter(struct rounds_rules *rules)
{
    if (rules->samples_max > SAMPLES_MOST)
        rules->samples_max = SAMPLES_MOST;
    if (rules->samples_min > rules->samples_max)
        rules->samples_min = rules->samples_max;
    rules->visits_min = VISITS_LEAST;
    rules->visit_samples = VISIT_SAMPLES_FEW;
}

struct window_request settings_window(const struct measurement *m, const struct setting *setting,
                                      uint64_t bytes)
{
    enum page_size page = setting->variant.page;
    return (struct window_request){
        .bytes = bytes, .page = page, .seed = m->config->seed, .node = setting->node};
}

struct load_conditions settings_loads(const struct measurement *m, const struct setting *setting,
                                      uint64_t most)
{
    return (struct load_conditions){.bytes = m->config->mlp.bytes,
                                    .loads = (unsigned)most,
                                    .page = setting->variant.page,
                                    .tlb = setting->variant.tlb,
                                    .seed = m->config->seed};
}

uint64_t list_most(const struct config_list *list)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] > most)
            most = list->value[i];
    return most;
}

uint64_t list_least(const struct config_list *list)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] < least)
            least = list->value[i];
    return least;
}

bool list_has(const struct config_list *list, uint64_t value)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return true;
    return false;
}
