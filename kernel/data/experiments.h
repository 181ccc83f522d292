/* experiments: the name of every experiment there is, once, in the order of the manual. */
#ifndef MLPBOOT_DATA_EXPERIMENTS_H
#define MLPBOOT_DATA_EXPERIMENTS_H

/* Calls X(name) for each; numbers that say which experiment count in this order, from 0. */
#define EXPERIMENTS(X)                                                                             \
    X(noise)                                                                                       \
    X(floor)                                                                                       \
    X(mlp)                                                                                         \
    X(structures)                                                                                  \
    X(tlb)                                                                                         \
    X(array)                                                                                       \
    X(patterns)                                                                                    \
    X(shuffle)                                                                                     \
    X(numa)                                                                                        \
    X(smt)                                                                                         \
    X(loaded)                                                                                      \
    X(timeline)

#endif
