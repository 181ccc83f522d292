/* test_microcode: the register as each vendor keeps it, and as it was afterwards. */
#include "../../kernel/cpu/msr.h"
#include "../../kernel/cpu/processor.h"
#include "kit.h"

static struct {
    uint64_t value,
        filled_in; /* MSR 8BH, and what CPUID puts there once it was cleared; 0: nothing */
    bool absent, read_only;
    unsigned writes;
} msr;

/* In place of kernel/cpu/msr.c and cpuid.c. */
bool msr_read(uint32_t index, uint64_t *value)
{
    assert_int_equal(index, 0x8b);
    if (!msr.absent)
        *value = msr.value;
    return !msr.absent;
}

bool msr_write(uint32_t index, uint64_t value)
{
    assert_int_equal(index, 0x8b);
    msr.writes++;
    if (!msr.read_only)
        msr.value = value;
    return !msr.read_only;
}

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    assert_numbers((leaf, subleaf), (1, 0));
    if (msr.value == 0)
        msr.value = msr.filled_in;
    return (struct cpuid_result){0};
}

static const struct processor intel = {.vendor = VENDOR_INTEL};
static const struct processor amd = {.vendor = VENDOR_AMD};
static const struct processor other = {.vendor = VENDOR_OTHER};

static void assert_revision(const struct processor *processor, uint32_t wanted)
{
    uint64_t before = msr.value;
    uint32_t revision = 0;
    assert_int_equal(microcode_revision(processor, &revision), wanted != 0);
    assert_numbers((revision, msr.value), (wanted, before));
}

TEST(of_intel)
{
    msr = (typeof(msr)){.value = UINT64_C(0x12b) << 32, .filled_in = UINT64_C(0x12b) << 32};
    assert_revision(&intel, 0x12b);
    assert_int_equal(msr.writes, 1); /* it is as it was */
    msr = (typeof(msr)){.value = 5, .filled_in = UINT64_C(0x12b) << 32};
    assert_revision(&intel, 0x12b);
    msr = (typeof(msr)){.value = 0, .filled_in = UINT64_C(0x12b) << 32};
    assert_revision(&intel, 0x12b);
}

TEST(of_intel_without_any)
{
    msr = (typeof(msr)){.value = 5};
    assert_revision(&intel, 0);
    msr = (typeof(msr)){.value = UINT64_C(7) << 32, .read_only = true};
    assert_revision(&intel, 0);
    msr = (typeof(msr)){.absent = true};
    assert_revision(&intel, 0);
    assert_int_equal(msr.writes, 0);
}

TEST(of_amd)
{
    msr = (typeof(msr)){.value = 0xa101144, .filled_in = 1};
    assert_revision(&amd, 0xa101144);
    assert_int_equal(msr.writes, 0);
    msr = (typeof(msr)){.value = 0};
    assert_revision(&amd, 0);
    msr = (typeof(msr)){.absent = true};
    assert_revision(&amd, 0);
}

TEST(of_others)
{
    msr = (typeof(msr)){.value = UINT64_C(7) << 32 | 7};
    assert_revision(&other, 0);
    assert_int_equal(msr.writes, 0);
}
