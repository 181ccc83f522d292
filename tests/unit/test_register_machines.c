/*
 * test_register_machines: what is found on each processor of the model, and what is set there, is
 * as in a text, word for word. If they differ, the new text is written to FOUND, to be read, and
 * then taken if it is what was meant.
 */
#include "../../kernel/cpu/frequency.h"
#include "../../kernel/cpu/processor.h"
#include "../../kernel/cpu/switches.h"
#include "../../kernel/pmu/pmu.h"
#include "kit.h"
#include "registers_model.h"

#define EXPECTED "tests/data/registers.txt"
#define FOUND "build/registers.txt"
#define TEXT_MAX 65536
#define MACHINES_MAX 64
#define SWITCHES_TEXT_MAX 2048

static struct journal journal;

/* --- counters -------------------------------------------------------------------------------- */

/* Adds each reason why counters are not used, with the mask of these counters. */
static void add_unused(struct text *text, const struct counter_unit *unit)
{
    uint64_t told = 0;
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        uint64_t same = 0;
        for (unsigned i = 0; i < COUNTERS_MAX && unit->why_not[n] != NULL; i++)
            if (unit->why_not[i] != NULL && strcmp(unit->why_not[i], unit->why_not[n]) == 0)
                same |= COUNTER_BIT(i);
        if (same & ~told)
            text_printf(text, "  not %lx: %s\n", same, unit->why_not[n]);
        told |= same;
    }
}

/* Adds the registers, other than those of counters, that are not as firmware left them. */
static void add_changed(struct text *text)
{
    for (unsigned i = 0; i < model.stored; i++)
        if (model.storage[i].value != model.storage[i].first_value &&
            model_counter_of(model.storage[i].index) == COUNTERS_MAX)
            text_printf(text, " %x=%lx", model.storage[i].index, model.storage[i].value);
}

static void add_unit(struct text *text, const struct counter_unit *unit)
{
    static const char *const kinds[] = {"no",         "Intel",        "Intel's global",
                                        "AMD legacy", "AMD extended", "AMD's global"};
    static const char *const types[] = {"", " of a performance core", " of an efficient core", ""};
    assert_int_equal(unit->kind == COUNTERS_NONE, unit->why_none != NULL);
    text_printf(text, "  %s counters%s", kinds[unit->kind], types[unit->core_type]);
    if (unit->kind == COUNTERS_NONE) {
        text_printf(text, ": %s\n", unit->why_none);
        return;
    }
    assert_int_equal(counter_mask(unit, 0), (1ull << unit->general_width) - 1);
    text_printf(text, " present %lx, usable %lx, version %u, %u and %u bits", unit->present,
                unit->usable, unit->version, unit->general_width, unit->fixed_width);
    text_printf(text, "%s%s%s, errata %x; set:", unit->full_width ? ", full width" : "",
                unit->umask2 ? ", umask2" : "", unit->freezes_in_smm ? ", freezes in SMM" : "",
                unit->errata);
    add_changed(text);
    text_printf(text, "\n");
    if (unit->no_freeze != NULL)
        text_printf(text, "  no spans: %s\n", unit->no_freeze);
}

static void add_counters(struct text *text, const struct model_machine *machine)
{
    struct pmu pmu = {.discovered = false};
    model_start(machine);
    pmu_enter(&pmu, &machine->processor, &journal);
    add_unit(text, &pmu.unit);
    add_unused(text, &pmu.unit);
    assert_numbers((pmu.unit.usable, pmu.unit.owned), (machine->usable, machine->owned));
    model_assert_restored(&journal);
}

/* --- switches -------------------------------------------------------------------------------- */

/* Leaves or sets all switches. What already is as asked is not written. */
static void apply(struct switches *switches, const struct model_machine *machine,
                  enum setting_choice choice)
{
    unsigned written = 0;
    model_start(machine);
    *switches = (struct switches){.prefetch = choice, .turbo = choice};
    switches_apply(switches, &machine->processor, &journal);
    for (unsigned n = 0; n < switches->count; n++) {
        const struct msr_switch *s = &switches->record[n];
        assert_true(s->is_read || s->why_not != NULL);
        assert_true(s->after == s->asked || s->why_not != NULL);
        if (s->why_not == NULL)
            assert_int_equal(*model_register(s->msr), s->after);
        if (s->asked == s->before)
            continue;
        assert_int_equal(model.write[written].index, s->msr);
        assert_int_equal(model.write[written++].value, s->asked);
    }
    assert_int_equal(model.writes, written);
    assert_true(written == 0 || choice != SETTING_LEAVE);
    model_assert_restored(&journal);
}

static void add_choice(struct text *text, const char *choice, const struct msr_switch *s)
{
    if (s->why_not != NULL)
        text_printf(text, ", %s refused: %s", choice, s->why_not);
    else
        text_printf(text, ", %s %lx", choice, s->asked);
}

/* Adds the records of each switch by the three choices, which say the same if it was left. */
static void add_switches(struct text *text, const struct model_machine *machine)
{
    struct switches left, off, on;
    apply(&left, machine, SETTING_LEAVE);
    apply(&off, machine, SETTING_OFF);
    apply(&on, machine, SETTING_ON);
    assert_numbers((off.count, on.count), (left.count, left.count));
    for (unsigned n = 0; n < left.count; n++) {
        const struct msr_switch *s = &left.record[n];
        assert_numbers((off.record[n].before, on.record[n].before), (s->before, s->before));
        text_printf(text, "  %s %x: ", s->name, s->msr);
        if (s->why_not != NULL) {
            text_printf(text, "%s\n", s->why_not);
            assert_string_equal(off.record[n].why_not, s->why_not);
            assert_string_equal(on.record[n].why_not, s->why_not);
            continue;
        }
        msr_switch_found(s, text);
        text_printf(text, "%s%lx", s->bits != NULL ? ": " : "", s->before);
        add_choice(text, "off", &off.record[n]);
        add_choice(text, "on", &on.record[n]);
        text_printf(text, "\n");
    }
}

/* --- the text -------------------------------------------------------------------------------- */

static void add_name(struct text *text, const struct model_machine *machine)
{
    const char *source = NULL;
    model_start(machine);
    uint64_t rate = tsc_rate(&machine->processor, &source);
    assert_numbers((rate != 0, model.writes), (source != NULL, 0));
    text_printf(text, "%s", machine->name);
    if (rate != 0)
        text_printf(text, ": a TSC of %lu Hz by %s", rate, source);
    struct core_facts core = published_core(&machine->processor);
    text_printf(text, "\n  %u additions a cycle, %u entries, %s\n", core.additions,
                core.rob_entries,
                topology_has_one_thread(&machine->processor) ? "one thread a core" : "threads");
}

static void compare(const char *found)
{
    static char expected[TEXT_MAX];
    FILE *file = fopen(EXPECTED, "r");
    assert_non_null(file);
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (strcmp(found, expected) == 0)
        return;
    file = fopen(FOUND, "w");
    assert_non_null(file);
    fputs(found, file);
    fclose(file);
    fail_msg("diff %s %s", EXPECTED, FOUND);
}

TEST(every_machine_is_as_in_the_text)
{
    static char memory[TEXT_MAX], switches[MACHINES_MAX][SWITCHES_TEXT_MAX];
    struct text text;
    text_init(&text, memory, sizeof memory);
    for (unsigned i = 0; i < model_machine_count; i++) {
        struct text block;
        unsigned same = 0;
        text_init(&block, switches[i], sizeof switches[i]);
        add_switches(&block, &model_machines[i]);
        while (strcmp(switches[same], switches[i]) != 0)
            same++;
        add_name(&text, &model_machines[i]);
        add_counters(&text, &model_machines[i]);
        if (same < i)
            text_printf(&text, "  switches as of %s\n", model_machines[same].name);
        else
            text_printf(&text, "%s", switches[i]);
        assert_false(text.truncated || block.truncated);
    }
    compare(memory);
}
