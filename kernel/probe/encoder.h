/* encoder: the machine instructions that probes are made of, one function each. */
#ifndef MLPBOOT_PROBE_ENCODER_H
#define MLPBOOT_PROBE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By their numbers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Instructions in the making: starts as `at` and `room` alone. Bytes that do not fit are dropped,
 * and `overflow` is set. */
struct encoder {
    uint8_t *at;
    size_t room;
    size_t length;
    bool overflow;
};

/* Encodings: Intel SDM volume 2, AMD APM volume 3. */
void encode_cpuid_leaf_0(struct encoder *e);                 /* xor eax,eax; cpuid */
void encode_lfence(struct encoder *e);                       /* lfence */
void encode_mfence(struct encoder *e);                       /* mfence */
void encode_rdtsc(struct encoder *e);                        /* rdtsc */
void encode_rdtscp(struct encoder *e);                       /* rdtscp */
void encode_read_counter(struct encoder *e, uint32_t index); /* mov ecx,index; rdpmc */
/* mov ecx,index; mov eax,value; mov edx,value >> 32; wrmsr */
void encode_write_register(struct encoder *e, uint32_t index, uint64_t value);
void encode_copy(struct encoder *e, unsigned to, unsigned from);      /* mov to,from */
void encode_add(struct encoder *e, unsigned to, unsigned from);       /* add to,from */
void encode_subtract(struct encoder *e, unsigned to, unsigned from);  /* sub to,from */
void encode_constant(struct encoder *e, unsigned to, uint64_t value); /* mov to,value */
void encode_keep_time(struct encoder *e);                             /* mov r8,rax; mov r9,rdx */
void encode_elapsed_time(struct encoder *e);                          /* rax = rdx:rax - r9:r8 */
void encode_load(struct encoder *e, int32_t displacement); /* mov rax,[rdi+displacement] */
/* mov rax,[rdi+rax+displacement]: waits for the load before it */
void encode_dependent_load(struct encoder *e, int32_t displacement);
void encode_clear(struct encoder *e, unsigned reg);                /* xor register,register */
void encode_line_address(struct encoder *e, int32_t displacement); /* lea r15,[rdi+displacement] */
void encode_prefetch(struct encoder *e, int32_t displacement); /* prefetcht0 [rdi+displacement] */
void encode_store(struct encoder *e, int32_t displacement);    /* mov [rdi+displacement],rax */
void encode_store_waiting(struct encoder *e); /* mov [r15+rax],rcx: waits for the load before it */
void encode_store_past(struct encoder *e, int32_t displacement); /* movnti [rdi+displacement],rax */
/* mov to,[base+8*slot] and mov [base+8*slot],from; registers by number, base not rsp or r12 */
void encode_load_slot(struct encoder *e, unsigned to, unsigned base, unsigned slot);
void encode_store_slot(struct encoder *e, unsigned base, unsigned slot, unsigned from);
/* mov register,[register] */
void encode_follow(struct encoder *e, unsigned reg);
/* Load or store of `width` bytes, 16 (movaps), 32 or 64 (vmovaps), at rdi+displacement, which is a
 * multiple of them; of vector register 0 to 7. */
void encode_vector(struct encoder *e, bool stores, unsigned width, unsigned reg,
                   int32_t displacement);
void encode_vector_end(struct encoder *e, unsigned width); /* vzeroupper, where it is needed */
/* add rdi,step; if (rdi >= r11) rdi = rsi; dec rcx; jnz to that length of the code so far */
void encode_next_turn(struct encoder *e, int32_t step, size_t start);
void encode_return(struct encoder *e);
/* Any instruction, by its bytes. */
void encode_raw(struct encoder *e, const uint8_t *bytes, size_t count);
/* Saves RBX, RBP and R12 to R15 on the stack, and makes room for eight bytes; and back. */
void encode_enter(struct encoder *e);
void encode_leave(struct encoder *e);

#endif
