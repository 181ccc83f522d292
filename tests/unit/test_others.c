/* test_others: which of a machine's processors may be generators, and why there are none. */
#include "../../efi/others.h"
#include "kit.h"

#define PROCESSORS 8

static struct logical_processor all[PROCESSORS];
static struct processors machine;
static uint32_t far; /* from this APIC id on */

static bool is_near(const struct logical_processor *l)
{
    return l->topology.apic_id < far;
}

/* Cores of two threads each, started by the first; APIC ids count from 0. */
SETUP(make)
{
    memset(all, 0, sizeof(all));
    for (unsigned i = 0; i < PROCESSORS; i++)
        all[i].topology = (struct topology){.apic_id = i, .thread_bits = 1};
    machine = (struct processors){.all = all, .count = PROCESSORS, .boot = all, .measuring = all};
    far = PROCESSORS;
}

static void assert_chosen(bool are_siblings, unsigned count, const char *expected)
{
    const char *reason = "unset";
    char chosen[PROCESSORS * 2 + 1] = "";
    unsigned number = 0;
    unsigned said = others_choose(&machine, are_siblings, count, is_near, &reason);
    for (unsigned i = 0; i < machine.count; i++)
        if (all[i].is_chosen)
            sprintf(chosen + strlen(chosen), "%s%u", number++ > 0 ? " " : "", i);
    assert_string_equal(chosen, expected);
    assert_int_equal(said, number);
    assert_null(reason);
}

static void assert_none(bool are_siblings, const char *expected)
{
    const char *reason = NULL;
    all[0].is_chosen = true; /* as the last time */
    assert_int_equal(others_choose(&machine, are_siblings, 0, is_near, &reason), 0);
    assert_false(all[0].is_chosen);
    assert_string_equal(reason, expected);
}

TEST(one_thread_of_each_other_core)
{
    assert_chosen(false, 0, "2 4 6");
    assert_chosen(false, 7, "2 4 6");
    assert_chosen(true, 0, "1");
    machine.measuring = &all[5];
    assert_chosen(true, 0, "4");
}

/* Its core's other thread stands for it. */
TEST(the_boot_processor_waits_while_another_measures)
{
    machine.measuring = &all[5];
    assert_chosen(false, 0, "1 2 6");
    machine.measuring = &all[1];
    assert_chosen(false, 0, "2 4 6");
    assert_none(true, "the boot processor waits for the one that measures");
}

TEST(those_that_can_be_started)
{
    all[2].why_not = "is disabled by the firmware";
    all[4].why_not = all[5].why_not = "does not answer";
    assert_chosen(false, 0, "3 6");
    all[1].why_not = "is not healthy, says the firmware";
    assert_none(true, "is not healthy, says the firmware");
    for (unsigned i = 0; i < PROCESSORS; i++)
        all[i].why_not = "does not answer";
    assert_none(false, "does not answer");
}

TEST(near_ones_first)
{
    machine.measuring = machine.boot = &all[6];
    assert_chosen(false, 2, "0 2");
    far = 2;
    assert_chosen(false, 1, "0");
    assert_chosen(false, 2, "0 2");
    far = 0;
    assert_chosen(false, 2, "0 2");
    for (unsigned i = 0; i < PROCESSORS; i++)
        all[i].topology.apic_id = PROCESSORS - 1 - i; /* the last ones are near now */
    machine.measuring = machine.boot = &all[0];
    far = 4;
    assert_chosen(false, 1, "4");
    assert_chosen(false, 2, "4 6");
    assert_chosen(false, 0, "2 4 6");
}

TEST(machines_with_fewer)
{
    machine.count = 2;
    assert_chosen(true, 0, "1");
    assert_none(false, "there is no other core");
    machine.count = 1;
    assert_none(true, "this core has no other thread");
    machine.why_not = "the firmware has no MP services";
    assert_none(false, "the firmware has no MP services");
    machine.why_not = NULL;
    machine.count = 2;
    all[0].topology.thread_bits = all[1].topology.thread_bits = 0;
    assert_chosen(false, 0, "1");
    assert_none(true, "this core has no other thread");
    machine.measuring = &all[1];
    assert_none(false, "the boot processor waits for the one that measures");
}

/* Of cores with one and cores with two threads, side by side. */
TEST(hybrids)
{
    for (unsigned i = 4; i < PROCESSORS; i++)
        all[i].topology = (struct topology){.apic_id = 2 * i, .thread_bits = 1};
    assert_chosen(false, 0, "2 4 5 6 7");
    machine.measuring = &all[4];
    assert_none(true, "this core has no other thread");
    assert_chosen(false, 0, "1 2 5 6 7");
}
