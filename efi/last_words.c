/* last_words: a copy of the firmware's IDT, the question whose an exception is, and the report. */
#include "last_words.h"

#include "../kernel/cpu/descriptors.h"
#include "../kernel/cpu/entry.h"
#include "../kernel/cpu/exceptions.h"
#include "../kernel/cpu/machine_check.h"
#include "console.h"
#include "fault_report.h"
#include "firmware.h"
#include "watchdog.h"

#define TELLING_MILLISECONDS 10000 /* long enough to be read, or photographed */

/* EFI_CPU_ARCH_PROTOCOL (PI specification 1.8, volume 2, 12.3). */
static struct cpu_arch {
    void *before[5];
    EFI_STATUS(EFIAPI *handle)
    (struct cpu_arch *self, INTN vector, void(EFIAPI *handler)(INTN vector, void *context));
} * cpu;

static EFI_GUID cpu_arch_guid = {
    0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

static const char *volatile current_step = "start";

void last_words_step(const char *step)
{
    current_step = step;
}

static void EFIAPI handle_nothing(INTN vector, void *context)
{
    (void)vector;
    (void)context;
}

/* True if it refuses another handler. Else it took that one, and gets it back at once. */
static bool has_handler(uint64_t vector)
{
    EFI_STATUS status = cpu->handle(cpu, (INTN)vector, handle_nothing);
    if (!EFI_ERROR(status))
        cpu->handle(cpu, (INTN)vector, NULL);
    return status == EFI_ALREADY_STARTED;
}

/* Restarts the machine, unless the user wants it to stand where it hangs. */
static void end_machine(void)
{
    bool resets = watchdog_is_wanted();
    console_printf("There is no way back from here: nothing more is saved.\n"
                   "The machine %s.\n",
                   resets ? "restarts in 10 seconds" : "stops here: switch it off by hand");
    do
        firmware_pause(TELLING_MILLISECONDS);
    while (!resets);
    last_words_close();
    entry_reset(firmware_system->RuntimeServices->ResetSystem, EfiResetCold);
}

/*
 * Prints the fault inside an exception, where a second one shuts the processor down. The firmware's
 * console works at any task priority, though nothing guarantees it. Our page tables, if they are
 * loaded, map all that the firmware's do.
 */
static void tell(const struct fault *fault)
{
    struct machine_check_error error;
    char words[256];
    fault_report_print(fault, current_step);
    fault_report_callers(fault);
    while (machine_check_next(&error))
        console_printf("%s\n", machine_check_words(&error, words, sizeof words));
    end_machine();
}

void last_words_open(void)
{
    EFI_PHYSICAL_ADDRESS memory = UINT32_MAX;
    if (EFI_ERROR(firmware_boot->AllocatePages(
            AllocateMaxAddress, EfiBootServicesData,
            (DESCRIPTORS_CATCH_BYTES + EFI_PAGE_SIZE - 1) / EFI_PAGE_SIZE, &memory)) ||
        memory == 0 || /* descriptors_let_go() takes it for nothing to restore */
        !firmware_maps(memory, DESCRIPTORS_CATCH_BYTES, true))
        return;
    if (EFI_ERROR(firmware_boot->LocateProtocol(&cpu_arch_guid, NULL, (void **)&cpu)))
        cpu = NULL;
    exceptions_last_words(tell, cpu != NULL ? has_handler : NULL);
    descriptors_catch((void *)memory);
}

void last_words_close(void)
{
    descriptors_let_go();
}
