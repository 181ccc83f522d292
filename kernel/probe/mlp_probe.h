/* mlp_probe: the classic body, N-1 loads, K fillers, one load, between two timestamps; or other
 * accesses in their place. */
#ifndef MLPBOOT_PROBE_MLP_PROBE_H
#define MLPBOOT_PROBE_MLP_PROBE_H

#include "filler.h"
#include "register_state.h"
#include "timing.h"

#define PROBE_LOADS_MAX 256
#define PROBE_FILLERS_MAX 4096
#define PROBE_CODE_BYTES 65536 /* room for the largest probe */

/* A store behind the first load, to the stack: none, or one whose address is known, or needs that
 * load; memory must hold zeroes. */
enum probe_store { STORE_NONE, STORE_KNOWN, STORE_WAITS };

struct mlp_shape {
    unsigned lead;          /* 9-byte NOPs before the first of them */
    unsigned loads;         /* N, 0 to PROBE_LOADS_MAX */
    enum access access;     /* what they are in fact; other than loads are never dependent */
    bool in_turn;           /* with NT: each line is written whole before the next is begun */
    unsigned fillers;       /* K, 0 to PROBE_FILLERS_MAX */
    enum filler filler;     /* with WAITING_LOAD memory must hold zeroes */
    enum probe_store store; /* with two loads or more */
    bool dependent;         /* each load's address needs the one before; memory must hold zeroes */
    enum vector_registers vectors; /* cleared before; VECTORS_UNKNOWN: as SSE */
    struct timing timing;
};

/*
 * Writes a probe that takes the base address in RDI, loads 8 bytes from base +
 * displacement[0..loads) in that order, and returns the elapsed ticks in RAX.
 *
 * With PREFETCH all but the last are PREFETCHT0 instead, and the last is a load behind LFENCE. That
 * does not wait for prefetched lines, but until every prefetch has been sent off, or given up; else
 * the load may be sent before some of them. The load then has to wait where no buffer is left. With
 * STORE all of them store 8 bytes of zeroes, and with NT each displacement's line, all 64 bytes of
 * it, is written with zeroes by eight MOVNTI: a word of each line, then the next word of each, so
 * that all lines stay unfinished until the last round. Both end in MFENCE, which waits until every
 * store, out of write-combining buffers too, is globally visible (Intel SDM volume 1, 11.4.4.3 and
 * volume 3A, 11.3.1; AMD APM volume 2, 7.4.2); a fence for loads alone would end too early.
 */
size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement);

#endif
