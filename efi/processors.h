/* processors: what the others of the machine do while one of them measures. */
#ifndef MLPBOOT_EFI_PROCESSORS_H
#define MLPBOOT_EFI_PROCESSORS_H

#include <stddef.h>

/* One line into `buffer`: how many there are, and what the firmware has them do. */
void processors_describe(char *buffer, size_t size);

#endif
