/* test_exceptions: which exception goes on, ends the work, or ends all; on registers made up. */
#include <signal.h>

#include "kit.h"

/* A process may not touch the registers: here are others, in place of cpu/registers.h. */
#define MLPBOOT_CPU_REGISTERS_H

struct descriptor_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static struct descriptor_pointer idtr;

static uint64_t cr2_read(void)
{
    return 0xc2;
}

static uint64_t cr3_read(void)
{
    return 0xc3;
}

static void idtr_write(const struct descriptor_pointer *value)
{
    idtr = *value;
}

#include "../../kernel/cpu/exceptions.c"

#define BOOT_PROCESSOR 3
#define OTHER_PROCESSOR 5
#define FIRMWARE_HANDLER 0x7000

static bool is_quiet;
static uint32_t apic_id, nmi_to;

/* --- in place of vectors.S and of the other files of cpu/ ------------------------------------- */

#define FORESEEN 0x1000 /* an instruction with a landing */
#define LANDING 0x2000
#define SOMEWHERE 0x3000

const uint8_t guard_landing[1] = {0};

static struct exception_frame frame;
static struct fault fault;
static enum machine_check_end check;
static unsigned checks_handled;

uint64_t extable_find(uint64_t address)
{
    return address == FORESEEN ? LANDING : 0;
}

bool memory_read(const uint8_t *address, uint8_t *value)
{
    *value = 0x90;
    return (uint64_t)address < SOMEWHERE + 4; /* what follows is not mapped */
}

enum machine_check_end machine_check_handle(void)
{
    checks_handled++;
    return check;
}

bool descriptors_are_ours(void)
{
    return is_quiet;
}

uint64_t descriptors_found(uint64_t vector)
{
    return FIRMWARE_HANDLER + vector;
}

uint32_t processor_apic_id(void)
{
    return apic_id;
}

/* The NMI comes at once, on the processor that it is sent to. */
void apic_send_nmi(uint32_t to)
{
    struct exception_frame nmi = {.vector = VECTOR_NMI, .rip = LANDING};
    nmi_to = to;
    apic_id = to;
    exception_dispatch(&nmi);
}

void exception_end(void (*tell)(const struct fault *fault), const struct fault *about,
                   void *stack_end)
{
    assert_true(stack_end == last_stack + EXCEPTIONS_STACK_BYTES && (uint64_t)stack_end % 16 == 0);
    tell(about);
}

/* The work is an exception; it ends where the frame says. */
bool guard_enter(void (*work)(void *context), void *context, uint64_t *stack)
{
    *stack = 0x5000;
    work(context);
    return frame.rip != (uint64_t)guard_landing;
}

static void dispatch(void *unused)
{
    (void)unused;
    exception_dispatch(&frame);
}

/* Whether the guarded work went on after an exception. */
static bool goes_on_after(uint64_t vector, uint64_t rip)
{
    frame = (struct exception_frame){.vector = vector, .rip = rip, .rsp = 0x4000, .rflags = 0x246};
    memset(&fault, 0xff, sizeof fault);
    return guarded_call(dispatch, NULL, &fault);
}

SETUP(start)
{
    check = MACHINE_CHECK_GO_ON;
    checks_handled = 0;
    is_quiet = true;
    apic_id = BOOT_PROCESSOR;
    nmi_to = 0;
    lost.is_of_another = false;
    idtr = (struct descriptor_pointer){0xfff, 1};
}

TEST(what_is_foreseen_goes_on_at_its_landing)
{
    assert_true(goes_on_after(13, FORESEEN));
    assert_numbers((frame.rip, frame.rsp), (LANDING, 0x4000));
}

TEST(what_is_not_ends_the_work)
{
    assert_false(goes_on_after(14, SOMEWHERE));
    assert_numbers((frame.rsp, fault.frame.vector, fault.frame.rip), (0x5000, 14, SOMEWHERE));
    assert_numbers((fault.frame.rsp, fault.cr2, fault.cr3), (0x4000, 0xc2, 0xc3));
    assert_int_equal(fault.code_bytes, 4);
    assert_false(fault.corrupt);
    assert_false(goes_on_after(14, LANDING)); /* all is mapped: as much as there is room for */
    assert_int_equal(fault.code_bytes, sizeof fault.code);
    assert_false(goes_on_after(VECTOR_DOUBLE_FAULT, FORESEEN));
}

TEST(an_nmi_is_counted_and_goes_on)
{
    uint32_t before = exceptions_nmi_count();
    assert_true(goes_on_after(VECTOR_NMI, FORESEEN));
    assert_int_equal(frame.rip, FORESEEN);
    exception_dispatch(&frame); /* outside of any work, too */
    assert_int_equal(exceptions_nmi_count(), before + 2);
}

TEST(a_machine_check_ends_as_it_is_judged)
{
    assert_true(goes_on_after(VECTOR_MACHINE_CHECK, FORESEEN));
    assert_int_equal(frame.rip, FORESEEN); /* not at a landing: the instruction did no wrong */
    exception_dispatch(&frame);
    assert_int_equal(checks_handled, 2);
    check = MACHINE_CHECK_STOP;
    assert_false(goes_on_after(VECTOR_MACHINE_CHECK, FORESEEN));
    assert_false(fault.corrupt);
    check = MACHINE_CHECK_CORRUPT;
    assert_false(goes_on_after(VECTOR_MACHINE_CHECK, SOMEWHERE));
    assert_true(fault.corrupt);
    assert_int_equal(checks_handled, 4);
}

/* --- outside of any guarded work -------------------------------------------------------------- */

static sigjmp_buf shut_down_landing;
static unsigned told;
static uint32_t of_processor = BOOT_PROCESSOR;
static bool fails_to_tell;

static void on_shutdown(int signal)
{
    (void)signal;
    siglongjmp(shut_down_landing, 1);
}

static void tell(const struct fault *lost_one)
{
    told++;
    assert_int_equal(lost_one->frame.vector, VECTOR_MACHINE_CHECK);
    assert_int_equal(lost_one->frame.rip, SOMEWHERE);
    assert_true(lost_one->corrupt);
    assert_int_equal(idtr.limit, 0xfff); /* ours is still loaded, for a fault in here */
    if (fails_to_tell) {
        struct exception_frame second = {.vector = 14, .rip = SOMEWHERE};
        exception_dispatch(&second);
    }
}

/* Somebody handles page faults. */
static bool has_handler(uint64_t vector)
{
    assert_int_equal(apic_id, BOOT_PROCESSOR); /* the firmware's services are for one processor */
    return vector == 14;
}

/* How often the fault is told before the processor shuts down. */
static unsigned times_told(void (*teller)(const struct fault *fault))
{
    struct sigaction action = {.sa_handler = on_shutdown}, before;
    assert_int_equal(sigaction(SIGILL, &action, &before), 0);
    told = 0;
    check = MACHINE_CHECK_CORRUPT;
    exceptions_last_words(teller, has_handler);
    apic_id = of_processor;
    if (sigsetjmp(shut_down_landing, 1) == 0) {
        frame = (struct exception_frame){.vector = VECTOR_MACHINE_CHECK, .rip = SOMEWHERE};
        exception_dispatch(&frame);
        fail_msg("it came back");
    }
    sigaction(SIGILL, &before, NULL);
    assert_int_equal(idtr.limit, 0);
    return told;
}

TEST(without_a_way_back_the_fault_is_told_and_the_processor_shuts_down)
{
    assert_numbers((times_told(tell), times_told(NULL)), (1, 0));
}

TEST(a_fault_while_telling_is_the_last)
{
    fails_to_tell = true;
    assert_int_equal(times_told(tell), 1);
}

TEST(a_fault_of_another_processor_is_told_by_ours)
{
    fails_to_tell = false;
    of_processor = OTHER_PROCESSOR;
    assert_numbers((times_told(tell), nmi_to, lost.fault.apic_id),
                   (1, BOOT_PROCESSOR, OTHER_PROCESSOR));
    of_processor = BOOT_PROCESSOR;
}

TEST(what_the_firmware_handles_is_left_to_it_outside_of_the_quiet_section)
{
    exceptions_last_words(NULL, has_handler);
    is_quiet = false;
    frame = (struct exception_frame){.vector = 14, .rip = SOMEWHERE};
    assert_int_equal(exception_dispatch(&frame), FIRMWARE_HANDLER + 14);
    frame.rip = FORESEEN; /* an access of ours that may fail */
    assert_int_equal(exception_dispatch(&frame), 0);
    assert_int_equal(frame.rip, LANDING);
    is_quiet = true;
    assert_false(goes_on_after(14, SOMEWHERE));
}
