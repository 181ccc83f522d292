/* exceptions: foreseen faults go on at their landing, NMIs are counted, machine checks are judged,
 * the rest ends the work. */
#include "exceptions.h"

#include <stddef.h>

#include "descriptors.h"
#include "machine_check.h"
#include "msr.h"
#include "processor.h"
#include "quiet.h"
#include "registers.h"

#define RFLAGS_RESERVED 2ul /* the bit that is always set */

/* vectors.S */
bool guard_enter(void (*work)(void *context), void *context, uint64_t *stack);
extern const uint8_t guard_landing[];
void exception_end(void (*tell)(const struct fault *fault), const struct fault *fault,
                   void *stack_end);

static struct {
    bool active;
    uint64_t stack;
    struct fault *fault;
} guard;

static struct {
    void (*tell)(const struct fault *fault);
    bool (*has_handler)(uint64_t vector);
    uint32_t apic_id; /* of the processor that tells */
    volatile bool is_of_another;
    struct fault fault;
} lost;

static uint8_t last_stack[EXCEPTIONS_STACK_BYTES] __attribute__((aligned(16)));

static uint32_t nmi_count;

unsigned exceptions_copy(void *to, uint64_t from, unsigned most)
{
    unsigned bytes = 0;
    while (bytes < most && memory_read((const uint8_t *)(from + bytes), (uint8_t *)to + bytes))
        bytes++;
    return bytes;
}

static void describe_exception(const struct exception_frame *frame, bool corrupt,
                               struct fault *fault)
{
    fault->frame = *frame;
    fault->corrupt = corrupt;
    fault->apic_id = processor_apic_id();
    fault->cr2 = cr2_read();
    fault->cr3 = cr3_read();
    fault->code_bytes = exceptions_copy(fault->code, frame->rip, sizeof fault->code);
    fault->stack_words =
        exceptions_copy(fault->stack, frame->rsp, sizeof fault->stack) / sizeof *fault->stack;
}

/* Makes the return from the exception a return from guarded_call. */
static void end_work(struct exception_frame *frame, bool corrupt)
{
    guard.active = false;
    describe_exception(frame, corrupt, guard.fault);
    frame->rip = (uint64_t)guard_landing;
    frame->rsp = guard.stack;
    frame->rflags = RFLAGS_RESERVED;
}

/* Tells the fault. Nobody is there to return to. */
static void end_all(void)
{
    const struct descriptor_pointer none = {0, 0};
    void (*tell)(const struct fault *fault) = lost.tell;
    lost.tell = NULL; /* a fault in there is the last one */
    if (tell != NULL)
        exception_end(tell, &lost.fault, last_stack + sizeof last_stack);
    /* Without its descriptor any exception ends in shutdown (Intel SDM 3A, 6.15, double fault). */
    idtr_write(&none);
    __asm__ volatile("ud2");
}

/* Leaves the telling to the processor that can call the firmware, wherever that one is. */
static void end_elsewhere(void)
{
    lost.is_of_another = true;
    apic_send_nmi(lost.apic_id);
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

void exceptions_last_words(void (*tell)(const struct fault *fault),
                           bool (*has_handler)(uint64_t vector))
{
    lost.tell = tell;
    lost.has_handler = has_handler;
    lost.apic_id = processor_apic_id();
}

/* True if the exception is not ours: the firmware's code made it, and somebody waits for it. */
static bool is_of_firmware(uint64_t vector, bool is_quiet)
{
    return !is_quiet && lost.has_handler != NULL && processor_apic_id() == lost.apic_id &&
           lost.has_handler(vector);
}

uint64_t exception_dispatch(struct exception_frame *frame)
{
    enum machine_check_end check = MACHINE_CHECK_GO_ON;
    bool foreseeable =
        frame->vector != VECTOR_MACHINE_CHECK && frame->vector != VECTOR_DOUBLE_FAULT;
    uint64_t landing = foreseeable ? extable_find(frame->rip) : 0;
    bool is_quiet = descriptors_are_ours();
    if (frame->vector == VECTOR_NMI && lost.is_of_another && lost.tell != NULL)
        end_all();
    if (landing == 0 && is_of_firmware(frame->vector, is_quiet))
        return descriptors_found(frame->vector);
    if (frame->vector == VECTOR_NMI) {
        nmi_count++;
        return 0;
    }
    if (frame->vector == VECTOR_MACHINE_CHECK) {
        check = machine_check_handle();
        if (check == MACHINE_CHECK_GO_ON)
            return 0;
    }
    if (landing != 0) {
        frame->rip = landing;
    } else if (is_quiet && guard.active) {
        end_work(frame, check == MACHINE_CHECK_CORRUPT);
    } else {
        describe_exception(frame, check == MACHINE_CHECK_CORRUPT, &lost.fault);
        if (lost.tell != NULL && lost.fault.apic_id != lost.apic_id)
            end_elsewhere();
        end_all();
    }
    return 0;
}

bool guarded_call(void (*work)(void *context), void *context, struct fault *fault)
{
    guard.fault = fault;
    guard.active = true;
    bool finished = guard_enter(work, context, &guard.stack);
    guard.active = false;
    return finished;
}

uint32_t exceptions_nmi_count(void)
{
    return nmi_count;
}

const char *exception_name(uint64_t vector)
{
    static const char *const names[32] = {
        [0] = "divide error",
        [1] = "debug",
        [2] = "NMI",
        [3] = "breakpoint",
        [4] = "overflow",
        [5] = "bound range",
        [6] = "invalid opcode",
        [7] = "device not available",
        [8] = "double fault",
        [10] = "invalid TSS",
        [11] = "segment not present",
        [12] = "stack fault",
        [13] = "general protection",
        [14] = "page fault",
        [16] = "x87 floating point",
        [17] = "alignment check",
        [18] = "machine check",
        [19] = "SIMD floating point",
        [20] = "virtualization",
        [21] = "control protection",
        [28] = "hypervisor injection",
        [29] = "VMM communication",
        [30] = "security",
    };
    if (vector >= 32)
        return "interrupt";
    return names[vector] != NULL ? names[vector] : "reserved";
}
