/* topology: which logical processors are threads of one core, from what CPUID says. */
#ifndef MLPBOOT_CPU_TOPOLOGY_H
#define MLPBOOT_CPU_TOPOLOGY_H

#include "processor.h"

/* As the logical processor says of itself that this runs on. */
struct topology {
    uint32_t apic_id;     /* as processor_apic_id */
    unsigned thread_bits; /* so many of its lowest bits number the threads of a core */
    const char *source;   /* the leaf that says so */
};

/*
 * By leaf 1FH or 0BH; else on AMD by 8000001EH, where a compute unit counts as a core; else by
 * leaves 1 and 4 (Intel SDM volume 3A, 9.9.3; AMD APM volume 3, E.4.15).
 */
void topology_read(const struct processor *processor, struct topology *topology);

/*
 * True if the core that this runs on has one thread: the level of threads of leaf 1FH or 0BH has
 * one logical processor, on AMD 8000001EH says so, or the package has one (leaf 1, HTT). An
 * efficient core has one beside performance cores of two. Under a hypervisor no leaf proves it.
 */
bool topology_has_one_thread(const struct processor *processor);

/* True if they are threads of one core, the same one included. */
static inline bool topology_same_core(const struct topology *a, const struct topology *b)
{
    return a->thread_bits == b->thread_bits &&
           a->apic_id >> a->thread_bits == b->apic_id >> b->thread_bits;
}

#endif
