/* machine_check: errors that the hardware reports in its banks: read, judged, told. One processor
 * at a time. Intel SDM 3B, chapters 16 and 17; AMD APM 2, chapter 9. */
#ifndef MLPBOOT_CPU_MACHINE_CHECK_H
#define MLPBOOT_CPU_MACHINE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_CHECK_BANKS_MAX 32   /* those of the registers 400H and up; AMD may have more */
#define MACHINE_CHECK_ERRORS_MAX 32  /* kept until they are reported; more are only counted */
#define MACHINE_CHECK_NO_BANK 0xffff /* an exception for which no bank here holds an error */

enum machine_check_moment {
    MACHINE_CHECK_FOUND,     /* there when we came */
    MACHINE_CHECK_NOTICED,   /* between two looks; no exception */
    MACHINE_CHECK_EXCEPTION, /* vector 18 */
    MACHINE_CHECK_MOMENTS,
};

struct machine_check_error {
    enum machine_check_moment moment;
    unsigned bank;
    uint64_t global;                /* MCG_STATUS */
    uint64_t status, address, misc; /* of the bank; the last two 0 where it has none */
};

enum machine_check_end {
    MACHINE_CHECK_GO_ON,   /* what was interrupted can go on */
    MACHINE_CHECK_STOP,    /* it cannot, but the processor is in order */
    MACHINE_CHECK_CORRUPT, /* the processor may not be: nothing it does now can be trusted */
};

struct machine_check_totals {
    unsigned banks;
    unsigned errors[MACHINE_CHECK_MOMENTS]; /* those that were not kept included */
};

/* Looks at this processor's banks for the first time; keeps what they hold, to tell it, and leaves
 * it there. Without banks there is nothing to see. Ring 0 with our own IDT loaded, as for the next
 * two. */
void machine_check_begin(void);

/*
 * Another look: what has come since the last one is kept, and cleared if the bank was empty and
 * the processor is in order. How the worst of it ends, by the bits that the bank did not have
 * before. CORRUPT: PCC. STOP: bit 55 of an uncorrected error. Neither without EN: firmware has
 * switched that source off. If MCIP says that an exception is due, it acts as `handle` below.
 */
enum machine_check_end machine_check_look(void);

/*
 * Called by the handler of vector 18, any number of times: keeps the errors, clears MCIP, without
 * which the next one shuts the processor down, and the banks, unless they tell of a corrupt
 * processor: those are for firmware to find after the reset.
 *
 * CORRUPT: PCC, or an uncorrected error that overwrote another one, or RIPV clear. STOP: bit 55 of
 * an uncorrected error (Intel: action required; AMD: task context corrupt).
 */
enum machine_check_end machine_check_handle(void);

/* The next error that was kept, and forgets it. False: no error is left. */
bool machine_check_next(struct machine_check_error *error);

struct machine_check_totals machine_check_totals(void);

/* One line in words into `buffer`, which it returns. Up to 240 characters. */
char *machine_check_words(const struct machine_check_error *error, char *buffer, size_t size);

#endif
