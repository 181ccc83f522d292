/* firmware: what the loader gave us, and plain words for its status codes. */
#ifndef MLPBOOT_EFI_FIRMWARE_H
#define MLPBOOT_EFI_FIRMWARE_H

#include <efi.h>
#include <stdbool.h>

/* Set once by efi_main, before anything else here is called. */
extern EFI_HANDLE firmware_image;
extern EFI_SYSTEM_TABLE *firmware_system;
extern EFI_BOOT_SERVICES *firmware_boot;

/* "write protected", "volume full", ...; never NULL. */
const char *firmware_status(EFI_STATUS status);

/* That protocol of a handle; NULL: it has none, or there is no such handle. */
void *firmware_protocol(EFI_HANDLE handle, const EFI_GUID *guid);

/* The next node of a device path; NULL behind the one that ends it, or where one has no length. */
const EFI_DEVICE_PATH *firmware_next_node(const EFI_DEVICE_PATH *node);

/*
 * Connects drivers to all PCI devices of a class, and to what is behind them, as the boot manager
 * does that connects everything; a fast boot connects what it boots alone. PCI 3.0, appendix D.
 */
enum { PCI_CLASS_STORAGE = 0x01, PCI_CLASS_NETWORK = 0x02, PCI_CLASS_SERIAL_BUS = 0x0c };
void firmware_connect(unsigned pci_class);

/* The loaded-image protocol of this application; NULL when the firmware does not answer. */
EFI_LOADED_IMAGE *firmware_loaded_image(void);

/* True if a shell started this application (UEFI Shell 2.2, EFI_SHELL_PARAMETERS_PROTOCOL). */
bool firmware_is_shell(void);

/* The table that the firmware registered under that GUID; NULL if it is missing. */
const void *firmware_configuration_table(const EFI_GUID *guid);

/* True if its page tables, which are loaded, map each of these addresses to itself, and let us
 * write there if it `is_written`. */
bool firmware_maps(uint64_t address, uint64_t bytes, bool is_written);

/*
 * Returns the milliseconds since the first call, by the time-stamp counter: for patience, not for
 * measuring. Until firmware_know_rate, the counter's rate is that by short waits of the firmware in
 * the first call.
 */
uint64_t firmware_milliseconds(void);

/* Sets the counter's rate, once it is known; not while anybody waits. */
void firmware_know_rate(uint64_t ticks_per_second);

/* Waits; works with interrupts on or off. */
void firmware_pause(unsigned milliseconds);

/*
 * The same, with interrupts on at TPL_APPLICATION. Once the firmware's timer has ticked, the
 * processor sleeps from tick to tick; until then the time-stamp counter ends it, since a timer may
 * be slow.
 */
void firmware_sleep(unsigned milliseconds);

#endif
