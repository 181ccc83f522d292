/* encoder: the machine instructions that probes are made of, one function each. */
#ifndef MLPBOOT_PROBE_ENCODER_H
#define MLPBOOT_PROBE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions in the making. What does not fit is dropped and `overflow` is set. */
struct encoder {
    uint8_t *at;
    size_t room;
    size_t length;
    bool overflow;
};

void encoder_init(struct encoder *encoder, uint8_t *at, size_t room);

/* Encodings: Intel SDM volume 2, AMD APM volume 3. */
void encode_cpuid_leaf_0(struct encoder *e);               /* xor eax,eax; cpuid */
void encode_lfence(struct encoder *e);                     /* lfence */
void encode_rdtsc(struct encoder *e);                      /* rdtsc */
void encode_rdtscp(struct encoder *e);                     /* rdtscp */
void encode_keep_time(struct encoder *e);                  /* mov r8,rax; mov r9,rdx */
void encode_elapsed_time(struct encoder *e);               /* rax = rdx:rax - r9:r8 */
void encode_load(struct encoder *e, int32_t displacement); /* mov rax,[rdi+displacement] */
void encode_nops(struct encoder *e, unsigned count);       /* nop, one byte each */
void encode_enter(struct encoder *e);                      /* push rbx */
void encode_leave(struct encoder *e);                      /* pop rbx; ret */
void encode_keep_result(struct encoder *e);                /* mov r10,rax */
void encode_take_result(struct encoder *e);                /* mov rax,r10 */

#endif
