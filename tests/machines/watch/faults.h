/* faults: exceptions in the firmware's code, at the moment at which "hang" is to begin (hang.h). */
#ifndef MLPBOOT_WATCH_FAULTS_H
#define MLPBOOT_WATCH_FAULTS_H

#include <stdint.h>

/* As the table of vices says; the numbers mean nothing. */
void faults_service(uint64_t unused);
void faults_timer(uint64_t unused);
void faults_handled(uint64_t unused);

#endif
