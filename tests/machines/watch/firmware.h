/* firmware: the watcher's few calls of the firmware, written apart from the image's own. */
#ifndef MLPBOOT_WATCH_FIRMWARE_H
#define MLPBOOT_WATCH_FIRMWARE_H

#include <efi.h>
#include <stddef.h>

/* Set by efi_main, before anything else here is called. */
extern EFI_HANDLE firmware_image;
extern EFI_SYSTEM_TABLE *firmware_system;

/* Plain ASCII, "\n" ends a line. */
void firmware_print(const char *text);

/* Says why on the console and stops for ever: whoever started the test has a time limit. */
void firmware_give_up(const char *why, EFI_STATUS status) __attribute__((noreturn));

/* The device booted from, and a protocol of it; the latter gives up where it has none. */
EFI_HANDLE firmware_device_handle(void);
void *firmware_device(const EFI_GUID *protocol);

/* A file at the root of the volume booted from, as text; gives up where that fails. */
void firmware_read(CHAR16 *name, char *to, size_t size);
void firmware_write(CHAR16 *name, const char *data, size_t length);

/* Loads an application from the volume booted from, whose device becomes its own; or gives up. */
EFI_HANDLE firmware_load(const CHAR16 *path);

/* Has the firmware call `hook` wherever somebody resets the machine; the function it had. */
EFI_RESET_SYSTEM firmware_hook_reset(EFI_RESET_SYSTEM hook);

#endif
