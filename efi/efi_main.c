/* efi_main: runs everything, from power-on to the configured end. */
#include "../kernel/cpu/entry.h"
#include "../kernel/cpu/registers.h"
#include "../kernel/run.h"
#include "console.h"
#include "firmware.h"
#include "last_words.h"
#include "memory.h"
#include "network/network.h"
#include "runs.h"
#include "storage/volumes.h"
#include "watchdog.h"

/* Some USB sticks acknowledge data long before they write it; edk2's flush of one does nothing. */
#define SETTLE_MILLISECONDS 1000
#define HANG_SECONDS 300 /* until a configuration sets it */
#define QEMU_DONE 16     /* of which isa-debug-exit makes an exit status of 2 * 16 + 1 */

static void greet(void)
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    console_open();
    console_clear();
    console_printf("mlpboot %s\n", mlpboot_version);
    if (image != NULL)
        console_printf("image base 0x%lx, %lu bytes\n", (uint64_t)image->ImageBase,
                       image->ImageSize);
}

/*
 * Returns to the shell, which takes the status as the command's: an error unless all is done; or to
 * the boot manager, which tries its next entry only after an error: after a success it shows its
 * menu (UEFI 2.10, 3.1.1; edk2, BdsEntry.c).
 */
static EFI_STATUS leave(const struct runs_end *end)
{
    bool to_shell = firmware_is_shell();
    console_print(to_shell ? "Back to the shell.\n"
                           : "Handing over to the firmware's next boot entry.\n");
    console_close();
    volumes_close();
    memory_close();
    last_words_close();
    watchdog_rest();
    return to_shell && end->status == RUN_DONE ? EFI_SUCCESS : EFI_ABORTED;
}

/* True if a key was pressed; to a rack server, which a person must then switch on again, Enter. */
static bool wait_for_user(const struct runs_end *end)
{
    console_forget_keys();
    console_printf(
        "Press %s to shut down; otherwise %sin %lu seconds.\n", end->is_in_rack ? "Enter" : "a key",
        end->is_in_rack ? "this rack server goes on to its next boot entry " : "", end->seconds);
    for (uint64_t waited = 0; waited < end->seconds; waited++) {
        watchdog_feed();
        if (console_wait_key(1000, end->is_in_rack))
            return true;
    }
    return false;
}

/* Ends QEMU with 33 + 2 * status, where it has isa-debug-exit at the configured port, to which it
 * takes a write as its exit status (hw/misc/debugexit.c); else nothing happens. */
static void end_emulator(const struct runs_end *end)
{
    if (end->qemu_port != 0)
        port_write_8(end->qemu_port, (uint8_t)(QEMU_DONE + end->status));
}

static void reset(EFI_RESET_TYPE type)
{
    console_printf("%s\n", type == EfiResetCold ? "Rebooting." : "Shutting down.");
    /* The watchdog must not restart a machine that hangs while it shuts down. */
    if (type == EfiResetShutdown)
        watchdog_rest();
    last_words_close();
    entry_reset(firmware_system->RuntimeServices->ResetSystem, type);
    console_print("The firmware did not; switch the machine off by hand.\n");
    watchdog_rest();
    for (;;)
        firmware_pause(1000);
}

/* Hands the machine over to nobody if a processor may still run our code and write to memory. */
static void keep_machine(struct runs_end *end)
{
    if (!memory_is_kept())
        return;
    end->is_in_rack = false;
    if (end->finish == FINISH_EXIT)
        end->finish = FINISH_SHUTDOWN;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system); /* called by entry.S */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    firmware_image = image;
    firmware_system = system;
    firmware_boot = system->BootServices;
    watchdog_set(HANG_SECONDS);
    last_words_open();
    greet();
    struct runs_end end = runs_all();
    keep_machine(&end);
    network_close();
    watchdog_feed();
    if (!end.is_emulated)
        firmware_sleep(SETTLE_MILLISECONDS);
    if (end.saved)
        console_print("It is safe to remove the stick.\n");
    if (end.finish == FINISH_EXIT)
        return leave(&end);
    if (end.finish == FINISH_WAIT && !wait_for_user(&end) && end.is_in_rack)
        return leave(&end);
    end_emulator(&end);
    reset(end.finish == FINISH_REBOOT ? EfiResetCold : EfiResetShutdown);
    return EFI_ABORTED;
}
