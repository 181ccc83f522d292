/* fault_report: an unexpected exception in words. */
#ifndef MLPBOOT_EFI_FAULT_REPORT_H
#define MLPBOOT_EFI_FAULT_REPORT_H

#include <stddef.h>

#include "../kernel/cpu/exceptions.h"

/* Prints registers, the step, the image base, code bytes and stack to the console. */
void fault_report_print(const struct fault *fault, const char *step);

/*
 * Prints from where the image has called what was interrupted: the addresses of its code among the
 * words on the stack, which may hold a few from earlier calls. Our handlers must be in force.
 */
void fault_report_callers(const struct fault *fault);

/* One line for the log into `line`. */
void fault_report_line(const struct fault *fault, const char *step, char *line, size_t size);

#endif
