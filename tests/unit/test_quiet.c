/* test_quiet: in which order the processor is taken over and given back, on registers made up. */
#include "kit.h"

/* A process may not touch the registers: here are others, in place of cpu/registers.h. */
#define MLPBOOT_CPU_REGISTERS_H

#define RFLAGS_IF (1ul << 9)

struct descriptor_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static struct {
    uint64_t cr0, cr3, cr4, rflags;
    struct descriptor_pointer gdtr, idtr;
    uint16_t cs, ds, ss, tr;
    uint64_t efer, pat, de_cfg, setting;
    bool no_de_cfg;        /* the register is not there, */
    bool de_cfg_is_locked; /* cannot be written, */
    bool de_cfg_is_stuck;  /* or swallows what is written */
    bool setting_is_stuck; /* it keeps what is written first */
    unsigned setting_writes;
    bool gdt_too_large; /* descriptors_load refuses */
    bool own_tables;    /* our IDT is loaded */
    bool no_machine_checks;
} machine;

/* What happened, in words. */
static char happened[512];

static void happens(const char *what)
{
    size_t length = strlen(happened);
    assert_compare(length + strlen(what) + 2, <, sizeof happened);
    sprintf(happened + length, "%s%s", length == 0 ? "" : " ", what);
}

#define READ(type, name)                                                                           \
    static type name##_read(void)                                                                  \
    {                                                                                              \
        return machine.name;                                                                       \
    }

READ(uint64_t, cr0)
READ(uint64_t, cr3)
READ(uint64_t, cr4)
READ(struct descriptor_pointer, gdtr)
READ(struct descriptor_pointer, idtr)
READ(uint16_t, cs)
READ(uint16_t, ds)
READ(uint16_t, ss)
READ(uint16_t, tr)

static void cr3_write(uint64_t value)
{
    char text[32];
    sprintf(text, "cr3=%lx", (unsigned long)value);
    happens(text);
    machine.cr3 = value;
}

static void cr4_write(uint64_t value)
{
    happens(value & 1 << 6 ? "mce" : "cr4");
    machine.cr4 = value;
}

/* Each look finds other results of arithmetic. */
static uint64_t rflags_read(void)
{
    machine.rflags ^= 0x8d5;
    return machine.rflags;
}

static void rflags_write(uint64_t value)
{
    happens(value & RFLAGS_IF ? "sti" : "rflags");
    machine.rflags = value;
}

static void interrupts_disable(void)
{
    happens("cli");
    machine.rflags &= ~RFLAGS_IF;
}

#include "../../kernel/cpu/quiet.c"

/* --- in place of the other files of cpu/ ----------------------------------------------------- */

#define MSR_SETTING 0x1a4
#define CR3_FIRMWARE 0x1000
#define CR3_OURS 0x2000
#define RFLAGS_BEFORE (0x40246ul) /* interrupts on; zero and parity, mere results */

static jmp_buf fault_landing;
static struct fault *fault_of_guard;

static uint64_t *msr(uint32_t index)
{
    switch (index) {
    case MSR_EFER:
        return &machine.efer;
    case MSR_PAT:
        return &machine.pat;
    case MSR_AMD_DE_CFG:
        return machine.no_de_cfg ? NULL : &machine.de_cfg;
    case MSR_SETTING:
        return &machine.setting;
    default:
        return NULL;
    }
}

/* A register that is absent faults: without our IDT there is no landing. */
bool msr_read(uint32_t index, uint64_t *value)
{
    const uint64_t *at = msr(index);
    assert_true(machine.own_tables);
    if (at != NULL)
        *value = *at;
    return at != NULL;
}

bool msr_write(uint32_t index, uint64_t value)
{
    uint64_t *at = msr(index);
    char text[32];
    assert_true(machine.own_tables);
    if (at == NULL || (at == &machine.de_cfg && machine.de_cfg_is_locked))
        return false;
    sprintf(text, "%x=%lx", index, (unsigned long)value);
    happens(text);
    if (index == MSR_SETTING && machine.setting_writes++ > 0 && machine.setting_is_stuck)
        return true;
    if (at != &machine.de_cfg || !machine.de_cfg_is_stuck)
        *at = value;
    return true;
}

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    return (struct cpuid_result){.edx = leaf == 1 && !machine.no_machine_checks ? 1 << 7 : 0};
}

bool descriptors_load(struct descriptors_before *before)
{
    happens("load");
    if (machine.gdt_too_large)
        return false;
    *before = (struct descriptors_before){machine.gdtr, machine.idtr, machine.tr};
    machine.gdtr.base = machine.idtr.base = 0xbad;
    machine.tr = 0xbad;
    machine.own_tables = true;
    return true;
}

void descriptors_restore(const struct descriptors_before *before)
{
    happens("restore");
    machine.gdtr = before->gdtr;
    machine.idtr = before->idtr;
    if (before->tr != 0)
        machine.tr = before->tr;
    machine.own_tables = false;
}

void apic_mask(struct journal *journal, enum processor_vendor vendor)
{
    (void)journal;
    (void)vendor;
    happens("apic");
}

void switches_apply(struct switches *switches, const struct processor *processor,
                    struct journal *journal)
{
    (void)processor;
    (void)journal;
    switches->count++;
    happens("switches");
}

bool guarded_call(void (*work)(void *context), void *context, struct fault *fault)
{
    fault_of_guard = fault;
    if (setjmp(fault_landing) != 0)
        return false;
    work(context);
    return true;
}

/* --- the section ----------------------------------------------------------------------------- */

static const struct processor intel = {.vendor = VENDOR_INTEL, .lfence_orders = true},
                              amd = {.vendor = VENDOR_AMD};
static struct switches switches;
static struct quiet quiet;
static int token; /* what contexts point at */

SETUP(start)
{
    memset(&machine, 0, sizeof machine);
    machine.cr0 = 0x80010033;
    machine.cr3 = CR3_FIRMWARE;
    machine.cr4 = 0x668;
    machine.rflags = RFLAGS_BEFORE;
    machine.gdtr = (struct descriptor_pointer){0x47, 0x7f000000};
    machine.idtr = (struct descriptor_pointer){0xfff, 0x7e000000};
    machine.cs = 0x38;
    machine.ds = 0x30;
    machine.ss = 0x28;
    machine.tr = 0x40;
    machine.efer = 0xd00;
    machine.pat = 0x7040600070406;
    machine.setting = 5;
    memset(&quiet, 0, sizeof quiet);
    memset(&switches, 0, sizeof switches);
    memset(&current, 0, sizeof current);
    quiet.processor = &intel;
    quiet.cr3 = CR3_OURS;
    happened[0] = '\0';
}

static void work(void *context)
{
    assert_ptr_equal(context, &token);
    assert_int_equal(machine.cr3, CR3_OURS);
    assert_false(machine.rflags & RFLAGS_IF);
    happens("work");
}

static void fail_at_work(void *context)
{
    work(context);
    longjmp(fault_landing, 1);
}

static void enter(void *context, const struct processor *processor, struct journal *journal)
{
    assert_ptr_equal(context, &token);
    assert_ptr_equal(processor, quiet.processor);
    happens("enter");
    assert_true(journal_msr(journal, MSR_SETTING, 6, 0));
}

static void enter_and_fail(void *context, const struct processor *processor,
                           struct journal *journal)
{
    enter(context, processor, journal);
    longjmp(fault_landing, 1);
}

static void want_all(void)
{
    quiet.switches = &switches;
    quiet.enter = enter;
    quiet.enter_context = &token;
}

static void check_given_back(void)
{
    assert_null(quiet_difference(&quiet));
    assert_numbers((machine.cr3, machine.setting, machine.tr), (CR3_FIRMWARE, 5, 0x40));
    assert_true(machine.rflags & RFLAGS_IF);
    assert_false(machine.own_tables);
}

/* Firmware may have prepared its boot processor alone. */
TEST(what_a_processor_lacks_is_there_meanwhile)
{
    machine.cr4 &= ~(1ul << 6);
    machine.efer &= ~(uint64_t)EFER_NXE;
    quiet.no_execute = true;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_string_equal(happened, "cli load mce apic c0000080=d00 cr3=2000 work cr3=1000 "
                                  "c0000080=500 cr4 restore sti");
    check_given_back();
    machine.no_machine_checks = true;
    quiet.no_execute = false;
    happened[0] = '\0';
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_string_equal(happened, "cli load apic cr3=2000 work cr3=1000 restore sti");
}

/* Everything happens in this order, and is undone in the reverse one, wherever the work ends. */
TEST(order)
{
    static const struct {
        void (*enter)(void *context, const struct processor *processor, struct journal *journal);
        void (*work)(void *context);
        enum quiet_result result;
        const char *happened;
    } cases[] = {{enter, work, QUIET_DONE,
                  "cli load apic switches enter 1a4=6 cr3=2000 work cr3=1000 1a4=5 restore sti"},
                 {NULL, work, QUIET_DONE, "cli load apic cr3=2000 work cr3=1000 restore sti"},
                 {enter, fail_at_work, QUIET_FAULT,
                  "cli load apic switches enter 1a4=6 cr3=2000 work cr3=1000 1a4=5 restore sti"},
                 {enter_and_fail, work, QUIET_FAULT,
                  "cli load apic switches enter 1a4=6 cr3=1000 1a4=5 restore sti"}};
    for (EACH(c, cases)) {
        start();
        if (c->enter != NULL)
            want_all();
        quiet.enter = c->enter;
        assert_int_equal(quiet_run(&quiet, c->work, &token), c->result);
        assert_string_equal(happened, c->happened);
        assert_int_equal(quiet.registers_changed, c->enter == enter);
        assert_int_equal(switches.count, c->enter != NULL);
        assert_ptr_equal(fault_of_guard, &quiet.fault);
        check_given_back();
    }
}

/* The firmware's tables cannot be copied: nothing was done, and nothing is left. */
TEST(refused)
{
    want_all();
    machine.gdt_too_large = true;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_REFUSED);
    assert_string_equal(happened, "cli load sti");
}

/* The journal is empty again each time; what was once seen is kept. */
TEST(again)
{
    want_all();
    for (unsigned i = 1; i <= 2 * JOURNAL_ENTRIES_MAX; i++) {
        assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
        assert_int_equal(switches.count, i);
        check_given_back();
        happened[0] = '\0';
    }
    quiet.enter = NULL;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_int_equal(quiet.registers_changed, 1);
}

/* AMD: only where LFENCE does not order yet. */
TEST(lfence)
{
    machine.de_cfg = 0x500;
    quiet.processor = &amd;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_string_equal(happened, "cli load apic c0011029=502 cr3=2000 work "
                                  "cr3=1000 c0011029=500 restore sti");
    assert_true(quiet.amd_lfence_set);
    assert_null(quiet.no_lfence_order);
    machine.de_cfg = 0x502;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_true(quiet.amd_lfence_set); /* it had to be, once */
}

/* Elsewhere no register is written, or it refuses: the work is done all the same, and whoever needs
 * LFENCE has to ask. */
TEST(lfence_is_left)
{
    static const char untouched[] = "cli load apic cr3=2000 work cr3=1000 restore sti",
                      tried[] = "cli load apic c0011029=2 cr3=2000 work cr3=1000 c0011029=0 "
                                "restore sti";
    static const struct {
        const struct processor *processor;
        uint64_t de_cfg;
        bool absent, locked, stuck;
        const char *happened, *why;
    } cases[] = {
        {&amd, 2, false, false, false, untouched, NULL},
        {&intel, 0, false, false, false, untouched, NULL}, /* no register has anything to say */
        {&amd, 0, true, false, false, untouched,
         "LFENCE is not known to order here: DE_CFG cannot be read"},
        {&amd, 0, false, true, false, untouched,
         "LFENCE does not order here: DE_CFG cannot be written"},
        {&amd, 0, false, false, true, tried,
         "LFENCE does not order here: DE_CFG keeps its bit clear"},
    };
    for (EACH(c, cases)) {
        start();
        quiet.processor = c->processor;
        machine.de_cfg = c->de_cfg;
        machine.no_de_cfg = c->absent;
        machine.de_cfg_is_locked = c->locked;
        machine.de_cfg_is_stuck = c->stuck;
        assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
        assert_string_equal(happened, c->happened);
        assert_false(quiet.amd_lfence_set);
        assert_same_text(quiet.no_lfence_order, c->why);
        check_given_back();
    }
}

TEST(journal_fails)
{
    want_all();
    machine.setting_is_stuck = true;
    assert_int_equal(quiet_run(&quiet, work, &token), QUIET_DONE);
    assert_numbers((quiet.journal_failed, quiet.failed_where), (1, MSR_SETTING));
    assert_string_equal(quiet_difference(&quiet), "a journalled register");
}

/* --- what differs ---------------------------------------------------------------------------- */

/* The state before is the whole one, without mere results. */
TEST(what_was_there)
{
    const struct cpu_state *before = &quiet.before;
    quiet_run(&quiet, work, &token);
    assert_numbers((before->cr0, before->cr3, before->cr4), (0x80010033, CR3_FIRMWARE, 0x668));
    assert_numbers((before->rflags, before->efer), (RFLAGS_BEFORE & ~0x8d5, 0xd00));
    assert_numbers((before->pat, before->gdtr.limit), (0x7040600070406, 0x47));
    assert_numbers((before->gdtr.base, before->idtr.limit), (0x7f000000, 0xfff));
    assert_numbers((before->idtr.base, before->cs, before->ds), (0x7e000000, 0x38, 0x30));
    assert_numbers((before->ss, before->tr), (0x28, 0x40));
}

static void change(void *context)
{
    *(uint64_t *)context ^= 0x80;
}

/* Both states are really read: the first before anything is changed, the second after all. */
TEST(what_the_work_left)
{
    static const struct {
        uint64_t *at;
        const char *difference;
    } cases[] = {{&machine.cr4, "CR4"}, {&machine.efer, "EFER"}, {&machine.pat, "PAT"}};
    for (EACH(c, cases)) {
        start();
        quiet_run(&quiet, change, c->at);
        assert_non_null(quiet_difference(&quiet));
        assert_string_equal(quiet_difference(&quiet), c->difference);
    }
}

#define AT(member) offsetof(struct cpu_state, member)

/* One bit of each register. */
TEST(each_register_is_compared)
{
    static const struct {
        size_t at;
        const char *name;
    } registers[] = {
        {AT(cr0), "CR0"},         {AT(cr3), "CR3"},         {AT(cr4), "CR4"},
        {AT(efer), "EFER"},       {AT(pat), "PAT"},         {AT(rflags), "RFLAGS"},
        {AT(gdtr.base), "GDTR"},  {AT(gdtr.limit), "GDTR"}, {AT(idtr.base), "IDTR"},
        {AT(idtr.limit), "IDTR"}, {AT(cs), "CS"},           {AT(ds), "DS"},
        {AT(ss), "SS"},           {AT(tr), "TR"},
    };
    quiet_run(&quiet, work, &token);
    for (EACH(c, registers)) {
        uint8_t *byte = (uint8_t *)&quiet.after + c->at;
        *byte ^= 1;
        assert_non_null(quiet_difference(&quiet));
        assert_string_equal(quiet_difference(&quiet), c->name);
        *byte ^= 1;
        assert_null(quiet_difference(&quiet));
    }
}

/* No instruction loads a null task register: ours stays, is said to, and is no difference. */
TEST(null_task_register)
{
    machine.tr = 0;
    quiet_run(&quiet, work, &token);
    assert_true(quiet.tr_was_null);
    assert_int_equal(quiet.after.tr, 0xbad);
    assert_null(quiet_difference(&quiet));
    happened[0] = '\0';
    quiet_run(&quiet, work, &token);
    assert_true(quiet.tr_was_null);
}
