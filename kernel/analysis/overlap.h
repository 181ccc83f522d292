/* overlap: how many loads run side by side, from time over N. */
#ifndef MLPBOOT_ANALYSIS_OVERLAP_H
#define MLPBOOT_ANALYSIS_OVERLAP_H

#include "curve.h"

#define OVERLAP_OPEN INT64_MAX /* no N was large enough to close the interval */

struct overlap {
    size_t points; /* values of N */
    int64_t largest_n;
    bool reached; /* some N reaches the time of two sequential loads */
    bool jumped;  /* and time jumps at that N */
    bool gap;     /* N just below was not measured */
    bool sure;    /* a jump, or an interval of a few N from loads that scatter little */
    int64_t mlp, low, high;
    int64_t below_n;      /* the largest measured N that is still faster */
    struct interval time; /* of N = mlp + 1 */
    int64_t buffers; /* the last N before time jumps or bends upwards; 0 where it does neither */
    bool buffers_jump;
};

/* `sequential` is C of the published rule; NULL where it is not known. `rows` of one case. */
void overlap_find(const struct result_row *rows, size_t count, const struct interval *sequential,
                  struct overlap *overlap);

#endif
