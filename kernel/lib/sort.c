/* sort: heap sort (Williams 1964): no recursion, no memory of its own, no bad case. */
#include "sort.h"

/* sift: lets the value at `from` sink to its place in the heap below. */
#define DEFINE_SORT(name, sift, type)                                                              \
    static void sift(type *values, size_t from, size_t count)                                      \
    {                                                                                              \
        type sinking = values[from];                                                               \
        for (size_t child; (child = 2 * from + 1) < count; from = child) {                         \
            child += child + 1 < count && values[child] < values[child + 1];                       \
            if (!(sinking < values[child]))                                                        \
                break;                                                                             \
            values[from] = values[child];                                                          \
        }                                                                                          \
        values[from] = sinking;                                                                    \
    }                                                                                              \
                                                                                                   \
    void name(type *values, size_t count)                                                          \
    {                                                                                              \
        for (size_t i = count / 2; i-- > 0;)                                                       \
            sift(values, i, count);                                                                \
        while (count > 1) {                                                                        \
            type last = values[--count];                                                           \
            values[count] = values[0];                                                             \
            values[0] = last;                                                                      \
            sift(values, 0, count);                                                                \
        }                                                                                          \
    }

DEFINE_SORT(sort_doubles, sift_doubles, double)
DEFINE_SORT(sort_numbers, sift_numbers, uint32_t)
