/* microcode: its revision, by the register that each vendor keeps it in. */
#include "processor.h"

#include "msr.h"

#define MSR_MICROCODE 0x8b

/* In the register's upper half. */
static bool revision_of_intel(uint64_t before, uint32_t *revision)
{
    uint64_t value;
    if (!msr_write(MSR_MICROCODE, 0))
        return false;
    cpuid_read(1, 0);
    bool is_read = msr_read(MSR_MICROCODE, &value);
    if (!is_read || value != before)
        msr_write(MSR_MICROCODE, before);
    *revision = is_read ? (uint32_t)(value >> 32) : 0;
    return *revision != 0;
}

bool microcode_revision(const struct processor *processor, uint32_t *revision)
{
    uint64_t value;
    if (processor->vendor == VENDOR_OTHER || !msr_read(MSR_MICROCODE, &value))
        return false;
    if (processor->vendor == VENDOR_INTEL)
        return revision_of_intel(value, revision);
    *revision = (uint32_t)value;
    return *revision != 0;
}
