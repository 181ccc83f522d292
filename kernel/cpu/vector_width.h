/* vector_width: how many bytes the widest loads and stores that may be used here move. */
#ifndef MLPBOOT_CPU_VECTOR_WIDTH_H
#define MLPBOOT_CPU_VECTOR_WIDTH_H

/* Returns 64 (AVX-512), 32 (AVX) or 16 (SSE2): what CPUID has and CR4 and XCR0 let be used (Intel
 * SDM volume 1, 14.3 and 15.2). To be asked inside `quietly`: firmware may have set XCR0 on the
 * boot processor alone, and another one measure. */
unsigned vector_width(void);

#endif
