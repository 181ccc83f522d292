/* modelled: the modelled core as tests use it: one at a time, with a window and lines to load. */
#ifndef MLPBOOT_TESTS_MODELLED_H
#define MLPBOOT_TESTS_MODELLED_H

#include "../../kernel/probe/mlp_probe.h"
#include "../model/platform_model.h"

#define MB (UINT64_C(1) << 20)
#define AGAIN TLB_STATES /* in place of a state: as the same loads left it */

extern struct model_platform model;
extern struct platform *const platform; /* that model */
extern struct window window;
extern int32_t displacement[PROBE_LOADS_MAX]; /* of lines in it, each in a page of its own */

/* Opens a model and maps its window, after it has closed the one before; its console is silent. */
void open_model(const char *text, uint64_t bytes, enum page_size page);

/* The same of a model whose text is printed. */
__attribute__((format(printf, 3, 4))) void open_model_of(uint64_t bytes, enum page_size page,
                                                         const char *format, ...);

/* Unmaps the window and closes the model, if there are any; so does the end of all tests. */
void close_model(void);

const char *map_window(uint64_t bytes, enum page_size page, enum frame_order frames,
                       struct window *mapped);

/* Copies code in place of a probe, and runs it through `quietly` with the window in RDI. False: it
 * faults; else *result is what it returns. */
bool run_raw(const char *code, size_t bytes, uint64_t *result);

/* Publishes a probe. */
void publish(const struct mlp_shape *shape);

/* Brings so many of the lines, and the TLB, to where a sample finds them. */
void prepare(unsigned loads, unsigned tlb);

/* Does both, and runs the probe. Returns its ticks. */
uint64_t sample(const struct mlp_shape *shape, unsigned tlb);

/* Samples N loads, or N loads with K fillers in a warm TLB; ordered by LFENCE and RDTSCP. */
extern const struct timing fence_order;
uint64_t sample_loads(unsigned loads, unsigned tlb);
uint64_t sample_fillers(unsigned loads, enum filler filler, unsigned fillers);

/* Returns the last K at which a load, K fillers and a load take less than `ticks`. */
unsigned last_overlap(enum filler filler, uint64_t ticks);

/* Makes line i of the window's first bytes point to line i + 1, and the last one to the first. */
void write_chain(uint64_t bytes);

/* Publishes chains and runs them, each from its pointer, which moves on. Returns the ticks. */
uint64_t follow(uint8_t **pointers, unsigned chains, unsigned steps, const struct timing *timing);

#endif
