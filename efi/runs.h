/* runs: every configuration that this boot is to run, one after the other. */
#ifndef MLPBOOT_EFI_RUNS_H
#define MLPBOOT_EFI_RUNS_H

#include <stdbool.h>

#include "../kernel/config/config.h"
#include "../kernel/run.h"

/* The last step that is left to do. */
struct runs_end {
    enum config_finish finish; /* as the last configuration says it, */
    uint64_t seconds;          /* and how long FINISH_WAIT waits */
    enum run_status status;    /* of the run that ended worst */
    uint16_t qemu_port;        /* that tells an emulator the status; 0: none does */
    bool saved;                /* all results are on the volume */
    bool is_in_rack;           /* the machine is: nobody may be there to switch it on */
    bool is_emulated;          /* the machine is: its end takes power from no stick */
};

/*
 * Opens the volume, reads what is to be measured and what earlier boots did, and runs it. To be
 * called once. FINISH_EXIT is its answer, too, where all was done in earlier boots, and where a
 * reboot could not be counted; it has then said so.
 */
struct runs_end runs_all(void);

#endif
