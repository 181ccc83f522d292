/* faults: in a service, in a timer's callback, and one that the firmware handles itself. */
#include "faults.h"

#include "firmware.h"
#include "hang.h"
#include "protect.h"

#define NOWHERE 0x7fff00000000u /* no page, with the few address bits of an emulated processor */
#define SOON 10000              /* of 100 ns: 1 ms */
#define PAGE_FAULT 14

static void execute_nothing(void)
{
    __asm__ volatile("ud2");
}

static void read_nowhere(void)
{
    (void)*(volatile uint8_t *)NOWHERE;
}

static void EFIAPI on_tick(EFI_EVENT event, void *context)
{
    (void)event;
    (void)context;
    read_nowhere();
}

static void start_timer(void)
{
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    EFI_EVENT event;
    EFI_STATUS status =
        boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_tick, NULL, &event);
    if (!EFI_ERROR(status))
        status = boot->SetTimer(event, TimerRelative, SOON);
    if (EFI_ERROR(status))
        firmware_give_up("there is no timer", status);
}

/* EFI_CPU_ARCH_PROTOCOL (PI specification 1.8, volume 2, 12.3). */
struct cpu_protocol {
    void *before[5];
    EFI_STATUS(EFIAPI *handle)
    (struct cpu_protocol *self, INTN vector, void(EFIAPI *handler)(INTN vector, void *context));
};

static EFI_PHYSICAL_ADDRESS guard_page;

static void EFIAPI map_guard_page(INTN vector, void *context)
{
    (void)vector;
    (void)context;
    protect_map(guard_page, 1, true);
    firmware_print("watch: the guard page is mapped\n");
}

static void touch_guard_page(void)
{
    *(volatile uint8_t *)guard_page = 1;
}

void faults_service(uint64_t unused)
{
    (void)unused;
    hang_instead(execute_nothing);
}

void faults_timer(uint64_t unused)
{
    (void)unused;
    hang_instead(start_timer);
}

void faults_handled(uint64_t unused)
{
    EFI_GUID guid = {0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    void *cpu;
    (void)unused;
    protect(NULL, PROTECT_NOTHING);
    EFI_STATUS status = boot->AllocatePages(AllocateAnyPages, EfiBootServicesData, 1, &guard_page);
    if (!EFI_ERROR(status))
        status = boot->LocateProtocol(&guid, NULL, &cpu);
    if (!EFI_ERROR(status))
        status = ((struct cpu_protocol *)cpu)->handle(cpu, PAGE_FAULT, map_guard_page);
    if (EFI_ERROR(status))
        firmware_give_up("page faults cannot be handled", status);
    protect_map(guard_page, 1, false);
    hang_instead(touch_guard_page);
}
