/* choices: prefetchers and turbo as configured, in force while measuring. */
#ifndef MLPBOOT_EFI_CHOICES_H
#define MLPBOOT_EFI_CHOICES_H

#include "../kernel/lib/json.h"
#include "platform_efi.h"

/* Members of struct platform. */
const char *choices_set_prefetch(struct platform *self, enum setting_choice choice);
const char *choices_set_turbo(struct platform *self, enum setting_choice choice);

/*
 * Object "settings" of run.json: each register in words as it was found, and with its value before,
 * asked for and read back; and what the core ran at.
 */
void choices_describe(const struct platform_efi *platform, struct json *json);

#endif
