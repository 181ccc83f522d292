/*
 * experiments: what every test of an experiment has: a made-up platform and clock, a configuration,
 * and one measurement. A test that includes this includes fake_platform.h and rows.h, too.
 */
#ifndef MLPBOOT_TESTS_EXPERIMENTS_H
#define MLPBOOT_TESTS_EXPERIMENTS_H

#include "../../kernel/config/config.h"
#include "../../kernel/engine/measurement.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/probe/native.h"
#include "fake_platform.h"
#include "rows.h"

extern struct fake_platform fake;
extern struct config config; /* at first all zero, as is the */
extern struct processor processor;
extern struct measurement m;
extern struct memory_nodes nodes; /* that the platform tells of; at first there are none */
extern uint64_t now, now_step; /* what native_ticks returns, in place of the real one; at first 1 */

/* Called whenever a measurement begins; NULL, as at first: nothing is. */
extern void (*experiment_begins)(void);

/* Begins: opens the platform and the measurement. Ends: closes both; nothing may be left. */
void experiment_open(const char *name);
void experiment_close(void);

/* A measurement on the platform and with the configuration there are. */
void experiment_begin(const char *name, bool brief);

/* Ends the measurement and begins the same again; calls are counted anew but for allocations. */
void experiment_again(void);

/* Gives the platform this many memory nodes, numbered from `number` on; the first is its own. */
void make_nodes(uint32_t count, uint32_t number);

/* Set numbers, choices and the stop rule of the configuration. */
#define set_list(list, ...) set_values(list, COUNTED_LIST(uint64_t, __VA_ARGS__))
#define choose(choices, ...) set_choices(choices, COUNTED_LIST(uint8_t, __VA_ARGS__))
#define COUNTED_LIST(type, ...)                                                                    \
    (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}) / sizeof(type)
void set_values(struct config_list *list, const uint64_t *values, size_t count);
void set_choices(struct config_choices *choices, const uint8_t *index, size_t count);
void set_samples(uint32_t min, uint32_t max, double precision);

/* Measures; rows are brought together then. */
bool run(void);

/* That has to succeed. */
void measure(void);

/* The number of the case of that name; fails the test where there is none. */
uint32_t case_named(const char *name);

/* The one row of a case and metric with these coordinates; NULL: there is none. */
#define ANY INT64_MIN
const struct row *row_where(uint32_t case_id, const char *metric, int64_t n, int64_t k,
                            int64_t bytes, int64_t stage);

/* The case of that name, or each case, was skipped for that reason. */
void assert_skipped(const char *name, const char *reason);
void assert_all_skipped(const char *reason);

/* Fails unless a probe is written to the memory that the platform has for code. */
void assert_is_code(const uint8_t *code, size_t room);

/* Offers general and fixed counters of a processor that has events of every experiment. */
void offer_counters(void);

#endif
