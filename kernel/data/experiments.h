/* experiments: the one list of them all, in the order of the manual; a further one is a further
 * line. */
#ifndef MLPBOOT_DATA_EXPERIMENTS_H
#define MLPBOOT_DATA_EXPERIMENTS_H

/* X(name): kernel/experiments/name.c ends in `const struct experiment experiment_name`. */
#define EXPERIMENTS(X)                                                                             \
    X(noise)                                                                                       \
    X(floor)                                                                                       \
    X(mlp)                                                                                         \
    X(structures)                                                                                  \
    X(tlb)                                                                                         \
    X(array)                                                                                       \
    X(walk)                                                                                        \
    X(shuffle)                                                                                     \
    X(numa)

#endif
