/* cores: finds the configured cores, and repeats for each what is a core's own. */
#include "cores.h"

#include "../kernel/lib/text.h"
#include "efi_counting.h"
#include "efi_generators.h"
#include "efi_nodes.h"

static bool is_of_node(const struct logical_processor *l, uint32_t node)
{
    uint32_t domain;
    return nodes_of_processor(l->topology.apic_id, &domain) == NULL && domain == node;
}

/* True if the choice means that processor; one that cannot be started only by its number, to be
 * refused with the reason. */
static bool is_asked_for(struct processors *p, struct logical_processor *l,
                         const struct core_choice *choice)
{
    if (choice->wish == WISH_PERFORMANCE || choice->wish == WISH_EFFICIENT)
        processors_ask(p, l);
    if (l->why_not != NULL && choice->wish != WISH_NUMBER)
        return false;
    switch (choice->wish) {
    case WISH_BOOT:
        return l == p->boot;
    case WISH_NUMBER:
        return l->topology.apic_id == choice->number;
    case WISH_PERFORMANCE:
        return l->type == CORE_PERFORMANCE;
    case WISH_EFFICIENT:
        return l->type == CORE_EFFICIENT;
    case WISH_NODE:
        return is_of_node(l, choice->number);
    case WISH_ALL:
        break;
    }
    return true;
}

/* Returns the first processor that the choice means or, with `core = all`, the one of that number;
 * NULL: no such processor. */
static struct logical_processor *find_candidate(struct processors *p,
                                                const struct core_choice *choice, unsigned number)
{
    unsigned found = 0;
    for (struct logical_processor *l = p->all; l < p->all + p->count; l++)
        if (is_asked_for(p, l, choice) && found++ == number)
            return l;
    return NULL;
}

static const char *why_no_core(struct processors *p, const struct core_choice *choice)
{
    uint32_t domain;
    struct text text;
    const char *no_nodes = nodes_of_processor(p->boot->topology.apic_id, &domain);
    text_init(&text, p->refusal, sizeof p->refusal);
    if (choice->wish == WISH_NUMBER)
        text_printf(&text, "no processor has the APIC id %u", choice->number);
    else if (choice->wish == WISH_NODE && no_nodes != NULL)
        text_printf(&text, "no node is known of any processor: %s", no_nodes);
    else if (choice->wish == WISH_NODE)
        text_printf(&text, "no processor is of node %u", choice->number);
    else
        text_printf(&text, "no processor says that it is %s core",
                    choice->wish == WISH_PERFORMANCE ? "a performance" : "an efficient");
    if (p->why_not != NULL)
        text_printf(&text, "; %s", p->why_not);
    return p->refusal;
}

/* Moves to a core that was asked, and finds out its node and counters again. */
static const char *efi_move_to(struct platform_efi *p, struct logical_processor *l)
{
    struct platform *self = &p->base;
    p->quiet.enter = NULL;
    self->no_interrupts =
        l == p->processors.boot ? NULL : "the firmware interrupts the boot processor only";
    if (!self->quietly(self, platform_efi_look, p))
        return self->fault;
    if (p->quiet.apic_id != l->topology.apic_id)
        return "the firmware started another processor than was asked for";
    nodes_find(p);
    counting_open(p);
    return NULL;
}

bool cores_choose(struct platform *self, const struct core_choice *choice, unsigned number,
                  const char **reason)
{
    struct platform_efi *p = (struct platform_efi *)self;
    if (self->others == OTHERS_NONE)
        processors_leave(&p->processors);
    struct logical_processor *l = find_candidate(&p->processors, choice, number);
    *reason = NULL;
    if (l == NULL) {
        if (number == 0)
            *reason = why_no_core(&p->processors, choice);
        return false;
    }
    bool moves = l != p->processors.measuring;
    if (moves)
        cores_release(self, false);
    self->core = l->topology.apic_id;
    self->core_in_cases = choice->wish == WISH_ALL;
    self->siblings = p->processors.siblings;
    p->processors.measuring = l;
    processors_meet(&p->processors, self->others == OTHERS_ALL);
    p->processors.halts_siblings = self->halts_siblings;
    *reason = processors_gather(&p->processors);
    self->siblings_sleep = *reason == NULL && p->processors.siblings_sleep;
    if (moves && *reason == NULL)
        *reason = efi_move_to(p, l);
    return *reason == NULL;
}

void cores_release(struct platform *self, bool look)
{
    struct processors *p = &((struct platform_efi *)self)->processors;
    generators_stop(self);
    processors_release(p);
    if (look)
        processors_look(p);
}
