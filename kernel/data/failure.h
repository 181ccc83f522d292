/* failure: why a run is not done: the codes of run.json's failures. */
#ifndef MLPBOOT_DATA_FAILURE_H
#define MLPBOOT_DATA_FAILURE_H

#define FAILURES_MAX 8        /* that a run reports */
#define FAILURE_WORDS_MAX 240 /* bytes, with a final NUL */

/* Every kind of failure: the enum's name and its code. Codes are a contract: scripts compare them.
 */
#define FAILURES(X)                                                                                \
    X(FAULT, "fault")   /* an exception or machine check, or the machine was not restored */       \
    X(FAILED, "failed") /* the self-test or an experiment, for the reason in words */              \
    X(NOT_MEASURED, "not-measured") /* an experiment that was asked for, in none of its cases */   \
    X(LEFT_OUT, "left-out")         /* an experiment, since runs before were cut short in it */    \
    X(NOT_SAVED, "not-saved") /* files, which the serial port has instead, where there is one */   \
    X(STOPPED, "stopped")     /* by the user */                                                    \
    X(CUT_SHORT, "cut-short") /* by a loss of power, a reset, or a call that never returned */

#define FAILURE_ENUM(id, code) FAILURE_##id,
#define FAILURE_CODE(id, code) code,
enum failure_code { FAILURES(FAILURE_ENUM) };

struct failure {
    enum failure_code code;
    char step[32]; /* the experiment or step; "": none alone */
    char words[FAILURE_WORDS_MAX];
};

#endif
