/* registers_model: CPUID, MSRs and counters of many processors, in place of the real ones. */
#ifndef MLPBOOT_TESTS_REGISTERS_MODEL_H
#define MLPBOOT_TESTS_REGISTERS_MODEL_H

#include <setjmp.h>

#include "../../kernel/cpu/journal.h"
#include "../../kernel/pmu/unit.h"

struct model_cpuid {
    uint32_t leaf, subleaf;
    struct cpuid_result value;
};

/* What else than plain storage a register is. */
enum model_role {
    ROLE_PLAIN,
    ROLE_READ_ONLY,
    ROLE_CLEARS,   /* writing ones clears them in the status register; reads 0 */
    ROLE_IN_USE,   /* derived from the selectors */
    ROLE_UNSTICKY, /* swallows writes */
    ROLE_LOCKED,   /* firmware locked it: a write faults */
};

/* `count` registers, `step` apart, that start with one value. */
struct model_registers {
    uint32_t first, count, step;
    uint64_t value;
    uint64_t reserved; /* writing one of these faults */
    enum model_role role;
};

/* Rows of both: the registers `first`, `first` + `step` ...; some in a row; one; the last row. */
#define LEAF(number, sub, a, b, c, d)                                                              \
    {                                                                                              \
        number, sub,                                                                               \
        {                                                                                          \
            a, b, c, d                                                                             \
        }                                                                                          \
    }
#define REGISTERS(first, count, step, value, reserved, role)                                       \
    {                                                                                              \
        first, count, step, value, reserved, role                                                  \
    }
#define RANGE(first, count, value, reserved) REGISTERS(first, count, 1, value, reserved, ROLE_PLAIN)
#define ONE(index, value, reserved) RANGE(index, 1, value, reserved)
#define READ_ONLY(index, value) REGISTERS(index, 1, 1, value, 0, ROLE_READ_ONLY)
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

/* The leaves of CPUID, and the registers, of a machine. */
#define MODEL_CPUID(name, ...) static const struct model_cpuid name[] = {__VA_ARGS__, END}
#define MODEL_MSRS(name, ...) static const struct model_registers name[] = {__VA_ARGS__, END}

/* A processor as data, and what the driver should make of it. */
struct model_machine {
    const char *name;
    struct processor processor;
    const struct model_cpuid *cpuid;         /* up to one of leaf 0 */
    const struct model_registers *registers; /* up to one of count 0 */
    unsigned general, fixed, width;          /* counters that there really are */
    bool forgiving; /* what is not there reads as 0 and swallows writes, RDPMC faults */
    bool still;     /* counters never count */
    bool rdpmc_reads_zero;
    bool turbo_is_only_kept; /* CPUID does not follow the turbo bit */
    uint64_t ghosts;         /* counters that somebody unseen makes count */
    uint64_t wrong;          /* counters that count cycles whatever they are told */
    uint64_t twice;          /* counters that count double */
    uint64_t unsteady;       /* counters that add some more at every other loop */
    /* expected */
    uint64_t owned, usable;
};

extern const struct model_machine model_machines[];
extern const unsigned model_machine_count;
const struct model_machine *model_machine(const char *name);

#define MODEL_STORAGE_MAX 128
#define MODEL_LISTS 64 /* in one of which a register is, by its number */
#define MODEL_WRITES_MAX 8192

/* The machine in place. */
struct model {
    const struct model_machine *machine;
    struct {
        uint32_t index; /* the first of its aliases */
        uint64_t value, first_value;
        uint8_t next; /* of its list, from 1; 0: none */
    } storage[MODEL_STORAGE_MAX];
    unsigned stored;
    uint8_t list[MODEL_LISTS]; /* each one's first */
    /* The unit's registers in storage, NULL where there are none. */
    uint64_t *counter[COUNTERS_MAX], *selector[COUNTER_GENERAL_MAX];
    uint64_t *global_control, *fixed_control, *status;
    struct {
        uint32_t index;
        uint64_t value;
    } write[MODEL_WRITES_MAX]; /* every write that was tried */
    unsigned writes;
    unsigned fault_at, ignore_at; /* number of the write, from 1, that faults or does nothing */
    unsigned end_at; /* the write after which the work ends at `end`, as by an exception */
    jmp_buf end;
    unsigned violations; /* writes of reserved bits, of absent or read-only registers */
    unsigned loops;
    uint64_t tail, changed; /* ticks of 1.5 times the clock after turbo changes; when it did */
    uint64_t smis;          /* SMIs that come with the next instruction */
    uint64_t overflow;      /* status bits that the hardware sets during the next loop */
};

extern struct model model;

void model_start(const struct model_machine *machine);
/* Of a register that is there, whichever alias is given. */
uint64_t *model_register(uint32_t index);
/* The first register that is not as at the start; 0 where all are. */
uint32_t model_difference(void);
/* The same, but that one may differ, and what counters hold that it should have stopped. */
uint32_t model_difference_besides(uint32_t index);
/* Undoes the journal, which leaves all registers as at the start. */
void model_assert_restored(struct journal *journal);
/* The counter whose value or selector a register is; COUNTERS_MAX: of none. */
unsigned model_counter_of(uint32_t index);
/* As far as aliases go, two numbers of one register. */
bool model_same(uint32_t a, uint32_t b);

#endif
