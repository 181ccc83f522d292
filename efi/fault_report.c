/* fault_report: the dump that a user can photograph or copy. */
#include "fault_report.h"

#include "../kernel/lib/text.h"
#include "console.h"
#include "firmware.h"

#define STACK_WORDS 4096
#define CALLERS 8

static uint64_t image_base(void)
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    return image != NULL ? (uint64_t)image->ImageBase : 0;
}

static void print_registers(const struct exception_frame *f)
{
    const struct {
        const char *name;
        uint64_t value;
    } registers[] = {
        {"rax", f->rax}, {"rbx", f->rbx}, {"rcx", f->rcx}, {"rdx", f->rdx},
        {"rsi", f->rsi}, {"rdi", f->rdi}, {"rbp", f->rbp}, {"rsp", f->rsp},
        {"r8 ", f->r8},  {"r9 ", f->r9},  {"r10", f->r10}, {"r11", f->r11},
        {"r12", f->r12}, {"r13", f->r13}, {"r14", f->r14}, {"r15", f->r15},
    };
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
        console_printf("%s %016lx%s", registers[i].name, registers[i].value,
                       i % 3 == 2 ? "\n" : "  ");
    console_printf("rflags %lx  cs %lx  ss %lx\n", f->rflags, f->cs, f->ss);
}

void fault_report_print(const struct fault *fault, const char *step)
{
    const struct exception_frame *f = &fault->frame;
    uint64_t base = image_base();
    console_printf("\nFAULT: %s (vector %lu, error %lx); step: %s\n", exception_name(f->vector),
                   f->vector, f->error, step);
    console_printf("rip %016lx  image base %016lx  rip - base %lx\n", f->rip, base, f->rip - base);
    console_printf("cr2 %016lx  cr3 %016lx\n", fault->cr2, fault->cr3);
    print_registers(f);
    console_print("code at rip:");
    for (unsigned i = 0; i < fault->code_bytes; i++)
        console_printf(" %02x", fault->code[i]);
    console_print("\nstack:");
    for (unsigned i = 0; i < fault->stack_words; i++)
        console_printf("%s%016lx", i % 4 == 0 ? "\n  " : " ", fault->stack[i]);
    console_print("\n");
}

/* The image's code; linker/mlpboot.lds. */
extern const uint8_t image_code[], image_code_end[];

void fault_report_callers(const struct fault *fault)
{
    uint64_t at = fault->frame.rsp & ~7ull, word, base = image_base();
    unsigned callers = 0;
    console_printf("on processor %u, called from image base +", fault->apic_id);
    for (unsigned i = 0; i < STACK_WORDS && callers < CALLERS &&
                         exceptions_copy(&word, at, sizeof word) == sizeof word;
         i++, at += sizeof word)
        if (word >= (uint64_t)image_code && word < (uint64_t)image_code_end)
            console_printf("%s%lx", callers++ > 0 ? " " : "", word - base);
    console_print("\n");
}

void fault_report_line(const struct fault *fault, const char *step, char *line, size_t size)
{
    const struct exception_frame *f = &fault->frame;
    uint64_t base = image_base();
    text_write(line, size,
               "%s (vector %lu, error %lx) during %s at rip %lx, image base %lx, cr2 %lx",
               exception_name(f->vector), f->vector, f->error, step, f->rip, base, fault->cr2);
}
