/* measurement: rows, skipped cases and the progress line. */
#include "measurement.h"

#include "../analysis/node_rule.h"
#include "../lib/text.h"
#include "../probe/native.h"

#define LEFT_MAX 599940 /* seconds: 9999 minutes are as good as any */
#define LINE_COLUMNS 79 /* one less than the narrowest console, so that no line wraps */

const char *const measurement_page_names[PAGE_SIZES] = {
    [PAGE_4K] = "4k",
    [PAGE_2M] = "2m",
    [PAGE_1G] = "1g",
};

bool measurement_reserve(struct measurement *m, uint64_t rows)
{
    rows += m->cases; /* one for each that has to be skipped */
    m->rows = m->platform->allocate(m->platform, rows * sizeof *m->rows);
    m->row_room = m->rows != NULL ? rows : 0;
    if (m->rows == NULL)
        m->failure = "not enough memory for that many points";
    return m->rows != NULL;
}

void measurement_release(struct measurement *m)
{
    if (m->rows != NULL)
        m->platform->release(m->platform, m->rows, m->row_room * sizeof *m->rows);
}

static unsigned prefetch_states(const struct measurement *m)
{
    return m->config->prefetch == PREFETCH_BOTH ? 2 : 1;
}

/* Whether all nodes are remote ones: there are several, and none is known to be the own one. */
static bool has_no_local(const struct measurement *m)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    return nodes->count > 1 && !nodes->own_known;
}

/* Whether the first of the node states is local memory, wherever that is. */
static bool starts_local(const struct measurement *m)
{
    return m->nodes == CONFIG_NODE_LOCAL || (m->nodes == CONFIG_NODE_ALL && !has_no_local(m));
}

/* Where there is no remote node, one state says so. */
static unsigned remote_states(const struct measurement *m)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    if (m->nodes == CONFIG_NODE_LOCAL)
        return 0;
    if (m->nodes == CONFIG_NODE_ALL && has_no_local(m))
        return nodes->count;
    return nodes_no_remote(nodes) == NULL ? nodes->count - 1 : 1;
}

unsigned measurement_settings(const struct measurement *m)
{
    return prefetch_states(m) * (starts_local(m) + remote_states(m));
}

static const char *set_prefetch(const struct measurement *m, unsigned i, struct text *suffix)
{
    bool off = m->config->prefetch == PREFETCH_OFF || i == 1;
    if (off)
        text_printf(suffix, "-nopf");
    const char *reason = m->platform->set_prefetch(m->platform, !off);
    /* On is what firmware leaves, where nothing can be chosen. */
    return off ? reason : NULL;
}

void measurement_use_local_node(struct measurement *m)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    m->node = nodes_no_remote(nodes) == NULL ? 0 : NODE_ANY;
}

static const char *set_node(struct measurement *m, unsigned i, struct text *suffix)
{
    const struct memory_nodes *nodes = m->platform->nodes;
    measurement_use_local_node(m);
    if (starts_local(m) && i == 0)
        return NULL;
    bool any = m->nodes == CONFIG_NODE_ALL && has_no_local(m);
    const char *reason = any ? NULL : nodes_no_remote(nodes);
    if (reason != NULL) {
        text_printf(suffix, "-remote");
        return reason;
    }
    m->node = any ? i : i + !starts_local(m);
    text_printf(suffix, NODE_SUFFIX "%u", nodes->node[m->node].number);
    return NULL;
}

const char *measurement_set(struct measurement *m, unsigned i, const char **suffix)
{
    struct text text;
    text_init(&text, m->setting, sizeof m->setting);
    const char *prefetch = set_prefetch(m, i % prefetch_states(m), &text);
    const char *node = set_node(m, i / prefetch_states(m), &text);
    if (m->config->variant[0] != '\0')
        text_printf(&text, "-%s", m->config->variant);
    *suffix = m->setting;
    return prefetch != NULL ? prefetch : node;
}

void measurement_start_case(struct measurement *m, const char *variant)
{
    m->variant = variant;
    m->case_number++;
}

struct result_row *measurement_add(struct measurement *m, const char *metric, const char *unit,
                                   const struct distribution *d)
{
    struct result_row *row = &m->rows[m->row_count++];
    struct text text;
    *row = (struct result_row){
        .n = RESULT_NONE,
        .k = RESULT_NONE,
        .bytes = RESULT_NONE,
        .stage = RESULT_NONE,
        .samples = d->count,
        .discarded = d->discarded,
        .min = distribution_percentile(d, 0),
        .p10 = distribution_percentile(d, 10),
        .median = distribution_median(d),
        .p90 = distribution_percentile(d, 90),
        .max = distribution_percentile(d, 100),
        .mean = distribution_mean(d),
    };
    result_name(row->experiment, m->experiment->name);
    result_name(row->variant, m->variant);
    result_name(row->metric, metric);
    text_init(&text, row->unit, sizeof row->unit);
    text_printf(&text, "%s", unit);
    return row;
}

void measurement_skip(struct measurement *m, const char *reason)
{
    static const struct distribution nothing;
    measurement_add(m, RESULT_SKIPPED, reason, &nothing);
}

void measurement_progress(void *context, double done)
{
    struct measurement *m = context;
    char memory[LINE_COLUMNS + 2];
    struct text line;
    double share = (m->case_number - 1 + done) / m->cases;
    uint64_t rate = m->platform->ticks_per_second;
    uint64_t elapsed = (native_ticks() - m->started) / rate;
    double left = share > 0 ? elapsed * (1 - share) / share : 0;
    if (left > LEFT_MAX)
        left = LEFT_MAX;

    text_init(&line, memory, sizeof memory);
    text_printf(&line, "\r%s %s  %u %%  elapsed %u:%02u  left %u:%02u", m->experiment->name,
                m->variant, (unsigned)(share * 100), (unsigned)(elapsed / 60),
                (unsigned)(elapsed % 60), (unsigned)(left / 60), (unsigned)left % 60);
    while (line.length < LINE_COLUMNS)
        text_char(&line, ' ');
    m->platform->print(m->platform, memory);
}
