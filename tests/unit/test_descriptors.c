/* test_descriptors: which gates of the firmware's IDT become ours, and that they are its own again.
 */
#include "kit.h"

/* A process may not touch the registers: here are others, in place of cpu/registers.h. */
#define MLPBOOT_CPU_REGISTERS_H

struct descriptor_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static struct descriptor_pointer idtr, gdtr;
static uint16_t tr;

#define ACCESS(type, name)                                                                         \
    static type name##_read(void)                                                                  \
    {                                                                                              \
        return name;                                                                               \
    }                                                                                              \
    static void name##_write(const type *value)                                                    \
    {                                                                                              \
        name = *value;                                                                             \
    }

ACCESS(struct descriptor_pointer, idtr)
ACCESS(struct descriptor_pointer, gdtr)

static uint16_t cs_read(void)
{
    return 0x38;
}

static uint16_t ss_read(void)
{
    return 0x30;
}

static uint16_t tr_read(void)
{
    return tr;
}

static void tr_write(uint16_t selector)
{
    tr = selector;
}

#include "../../kernel/cpu/descriptors.c"

const uint8_t exception_stubs[256 * EXCEPTION_STUB_BYTES];

#define GATES 256
#define HANDLER(vector) (0x123456780000ull + 16 * (vector))

static struct gate firmware[GATES], copy[GATES];

static uint64_t target_of(const struct gate *gate)
{
    return gate->offset_low | (uint64_t)gate->offset_middle << 16 |
           (uint64_t)gate->offset_high << 32;
}

SETUP(start)
{
    for (unsigned i = 0; i < GATES; i++)
        firmware[i] = (struct gate){.offset_low = (uint16_t)HANDLER(i),
                                    .selector = 0x18,
                                    .ist = i == 14,
                                    .type = 0x8e,
                                    .offset_middle = (uint16_t)(HANDLER(i) >> 16),
                                    .offset_high = (uint32_t)(HANDLER(i) >> 32)};
    idtr = (struct descriptor_pointer){sizeof firmware - 1, (uint64_t)firmware};
    memset(copy, 0xff, sizeof copy);
}

/* Timers stay the firmware's, and what a hypervisor asks of an encrypted guest. */
TEST(exceptions_are_ours_and_nothing_else_is)
{
    descriptors_catch(copy);
    assert_true(idtr.base == (uint64_t)copy && idtr.limit == sizeof firmware - 1);
    for (unsigned i = 0; i < GATES; i++) {
        bool is_ours = i < 32 && i != 20 && i != 28 && i != 29 && i != 30;
        uint64_t own = (uint64_t)exception_stubs + i * EXCEPTION_STUB_BYTES;
        assert_true(target_of(&copy[i]) == (is_ours ? own : HANDLER(i)));
        assert_int_equal(copy[i].ist, i == 14);
        assert_true(descriptors_found(i) == HANDLER(i));
    }
    assert_false(descriptors_are_ours());
    descriptors_let_go();
    assert_true(idtr.base == (uint64_t)firmware);
    assert_memory_equal(copy, firmware, sizeof copy); /* other processors may have it loaded */
    idtr.base = 1;
    descriptors_let_go(); /* once is enough */
    assert_int_equal(idtr.base, 1);
}

TEST(another_processor_joins_where_there_is_something_to_join)
{
    struct descriptor_pointer its_own = {0xfff, 2};
    idtr = its_own;
    assert_true(descriptors_join().base == 2 && idtr.base == 2);
    idtr = (struct descriptor_pointer){sizeof firmware - 1, (uint64_t)firmware};
    descriptors_catch(copy);
    idtr = its_own;
    assert_true(descriptors_join().base == 2 && idtr.base == (uint64_t)copy);
    descriptors_let_go();
}

TEST(a_short_idt_stays_short)
{
    idtr.limit = 15 * sizeof(struct gate) - 1;
    descriptors_catch(copy);
    assert_int_equal(idtr.limit, 15 * sizeof(struct gate) - 1);
    assert_int_equal(copy[15].type, 0xff);
    descriptors_let_go();
}

TEST(the_quiet_section_has_an_idt_of_its_own)
{
    static uint64_t gates[9] __attribute__((aligned(16)));
    struct descriptors_before before;
    gdtr = (struct descriptor_pointer){sizeof gates - 1, (uint64_t)gates};
    descriptors_catch(copy);
    assert_true(descriptors_load(&before));
    assert_true(descriptors_are_ours());
    descriptors_restore(&before);
    assert_true(idtr.base == (uint64_t)copy);
    descriptors_let_go();
}
