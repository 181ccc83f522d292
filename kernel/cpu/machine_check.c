/* machine_check: uses no vector register, since the handler of vector 18 runs this code. */
#include "machine_check.h"

#include "../lib/text.h"
#include "cpuid.h"
#include "msr.h"

#define HAS_EXCEPTION (1u << 7) /* CPUID.1:EDX */
#define HAS_BANKS (1u << 14)

#define MSR_MCG_CAP 0x179
#define MSR_MCG_STATUS 0x17a
#define MSR_MC_STATUS(bank) (0x401 + 4 * (bank))
#define MSR_MC_ADDR(bank) (0x402 + 4 * (bank))
#define MSR_MC_MISC(bank) (0x403 + 4 * (bank))
#define CAP_COUNT 0xffu
#define GLOBAL_RESTART_POSSIBLE (1u << 0)
#define GLOBAL_IN_PROGRESS (1u << 2)

#define STATUS_VALID (1ull << 63)
#define STATUS_OVERFLOW (1ull << 62)
#define STATUS_UNCORRECTED (1ull << 61)
#define STATUS_ENABLED (1ull << 60)
#define STATUS_HAS_MISC (1ull << 59)
#define STATUS_HAS_ADDRESS (1ull << 58)
#define STATUS_CORRUPT (1ull << 57)
#define STATUS_STOP (1ull << 55)

static struct {
    struct machine_check_totals totals;
    uint64_t known[MACHINE_CHECK_BANKS_MAX]; /* left by firmware: not ours to clear */
    struct machine_check_error kept[MACHINE_CHECK_ERRORS_MAX];
    unsigned first, count; /* of `kept` */
} checks;

static void keep_bank(enum machine_check_moment moment, unsigned bank, uint64_t global,
                      uint64_t status)
{
    struct machine_check_error error = {moment, bank, global, status, 0, 0};
    checks.totals.errors[moment]++;
    if (checks.count == MACHINE_CHECK_ERRORS_MAX)
        return;
    if (status & STATUS_HAS_ADDRESS)
        msr_read(MSR_MC_ADDR(bank), &error.address);
    if (status & STATUS_HAS_MISC)
        msr_read(MSR_MC_MISC(bank), &error.misc);
    checks.kept[(checks.first + checks.count++) % MACHINE_CHECK_ERRORS_MAX] = error;
}

static bool has_new(unsigned bank, uint64_t *status)
{
    *status = 0;
    return msr_read(MSR_MC_STATUS(bank), status) && *status & STATUS_VALID &&
           *status != checks.known[bank];
}

/* Clears the bank, unless it held an error from before: that could not be written back. */
static void settle(unsigned bank, uint64_t status)
{
    if (checks.known[bank] != 0)
        checks.known[bank] = status;
    else
        msr_write(MSR_MC_STATUS(bank), 0);
}

void machine_check_begin(void)
{
    const uint32_t both = HAS_EXCEPTION | HAS_BANKS;
    uint64_t capability = 0, global = 0;
    checks.totals.banks = 0;
    if ((cpuid_read(1, 0).edx & both) == both && msr_read(MSR_MCG_CAP, &capability))
        checks.totals.banks = capability & CAP_COUNT;
    if (checks.totals.banks > MACHINE_CHECK_BANKS_MAX)
        checks.totals.banks = MACHINE_CHECK_BANKS_MAX;
    msr_read(MSR_MCG_STATUS, &global);
    for (unsigned i = 0; i < checks.totals.banks; i++) {
        uint64_t status;
        checks.known[i] = 0;
        if (!has_new(i, &status))
            continue;
        keep_bank(MACHINE_CHECK_FOUND, i, global, status);
        checks.known[i] = status;
    }
}

static enum machine_check_end judge_status(uint64_t status)
{
    if (status & STATUS_CORRUPT)
        return MACHINE_CHECK_CORRUPT;
    if (!(status & STATUS_UNCORRECTED))
        return MACHINE_CHECK_GO_ON;
    if (status & STATUS_OVERFLOW)
        return MACHINE_CHECK_CORRUPT;
    return status & STATUS_STOP ? MACHINE_CHECK_STOP : MACHINE_CHECK_GO_ON;
}

/* Judges an error that a look found. The bank's earlier content does not count, nor does overflow:
 * an error without an exception can only have hidden others without one. */
static enum machine_check_end judge_noticed(unsigned bank, uint64_t status)
{
    uint64_t global = 0;
    msr_read(MSR_MCG_STATUS, &global);
    if (status & STATUS_UNCORRECTED &&
        global & GLOBAL_IN_PROGRESS) /* the exception is still to come */
        return global & GLOBAL_RESTART_POSSIBLE ? judge_status(status) : MACHINE_CHECK_CORRUPT;
    return status & STATUS_ENABLED ? judge_status(status & ~(checks.known[bank] | STATUS_OVERFLOW))
                                   : MACHINE_CHECK_GO_ON;
}

enum machine_check_end machine_check_look(void)
{
    enum machine_check_end worst = MACHINE_CHECK_GO_ON;
    uint64_t status;
    for (unsigned i = 0; i < checks.totals.banks; i++) {
        if (!has_new(i, &status))
            continue;
        enum machine_check_end end = judge_noticed(i, status);
        keep_bank(MACHINE_CHECK_NOTICED, i, 0, status);
        if (end == MACHINE_CHECK_CORRUPT)
            checks.known[i] = status; /* left for firmware to find after the reset */
        else
            settle(i, status);
        if (end > worst)
            worst = end;
    }
    return worst;
}

enum machine_check_end machine_check_handle(void)
{
    uint64_t global = 0, status[MACHINE_CHECK_BANKS_MAX];
    bool is_new[MACHINE_CHECK_BANKS_MAX], any = false;
    msr_read(MSR_MCG_STATUS, &global);
    enum machine_check_end end =
        global & GLOBAL_RESTART_POSSIBLE ? MACHINE_CHECK_GO_ON : MACHINE_CHECK_CORRUPT;
    for (unsigned i = 0; i < checks.totals.banks; i++) {
        is_new[i] = has_new(i, &status[i]);
        if (!is_new[i])
            continue;
        any = true;
        keep_bank(MACHINE_CHECK_EXCEPTION, i, global, status[i]);
        if (judge_status(status[i]) > end)
            end = judge_status(status[i]);
    }
    if (!any)
        keep_bank(MACHINE_CHECK_EXCEPTION, MACHINE_CHECK_NO_BANK, global, 0);
    for (unsigned i = 0; i < checks.totals.banks && end != MACHINE_CHECK_CORRUPT; i++)
        if (is_new[i])
            settle(i, status[i]);
    msr_write(MSR_MCG_STATUS, 0);
    return end;
}

bool machine_check_next(struct machine_check_error *error)
{
    if (checks.count == 0)
        return false;
    *error = checks.kept[checks.first];
    checks.first = (checks.first + 1) % MACHINE_CHECK_ERRORS_MAX;
    checks.count--;
    return true;
}

struct machine_check_totals machine_check_totals(void)
{
    return checks.totals;
}

/* Names the codes of Intel SDM 3B, 16.9; AMD has those of TLB, cache and bus (APM 2, 9.3). */
static const char *name_of_code(uint64_t status)
{
    static const struct {
        uint16_t mask, value; /* bit 12 only tells that corrections are counted */
        const char *name;
    } codes[] = {
        {0xefff, 0x0001, "unclassified"},
        {0xefff, 0x0002, "microcode ROM parity"},
        {0xefff, 0x0003, "external"},
        {0xefff, 0x0004, "redundancy check"},
        {0xefff, 0x0005, "internal parity"},
        {0xefff, 0x0400, "internal timer"},
        {0xec00, 0x0400, "internal"},
        {0xeffc, 0x000c, "cache"},
        {0xeff0, 0x0010, "TLB"},
        {0xef80, 0x0080, "memory controller"},
        {0xef80, 0x0280, "memory used as cache"},
        {0xef00, 0x0100, "cache"},
        {0xe800, 0x0800, "bus or interconnect"},
    };
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        if ((status & codes[i].mask) == codes[i].value)
            return codes[i].name;
    return "of another kind";
}

static const char *severity(uint64_t status)
{
    if (status & STATUS_CORRUPT)
        return "uncorrected, processor context corrupt";
    if (!(status & STATUS_UNCORRECTED))
        return "corrected";
    return status & STATUS_STOP ? "uncorrected, the work cannot go on" : "uncorrected";
}

char *machine_check_words(const struct machine_check_error *error, char *buffer, size_t size)
{
    static const char *const moments[MACHINE_CHECK_MOMENTS] = {
        [MACHINE_CHECK_FOUND] = "found at the start",
        [MACHINE_CHECK_NOTICED] = "without an exception",
        [MACHINE_CHECK_EXCEPTION] = "exception",
    };
    struct text text;
    uint64_t status = error->status;
    text_init(&text, buffer, size);
    text_printf(&text, "machine check (%s", moments[error->moment]);
    if (error->moment == MACHINE_CHECK_EXCEPTION)
        text_printf(&text, ", MCG_STATUS 0x%lx, restart %s", error->global,
                    error->global & GLOBAL_RESTART_POSSIBLE ? "possible" : "not possible");
    if (error->bank == MACHINE_CHECK_NO_BANK) {
        text_printf(&text, "): no bank of this processor holds an error");
        return buffer;
    }
    text_printf(&text, "): bank %u, %s%s, %s; status 0x%lx", error->bank, severity(status),
                status & STATUS_OVERFLOW ? ", others lost" : "", name_of_code(status), status);
    if (status & STATUS_HAS_ADDRESS)
        text_printf(&text, ", address 0x%lx", error->address);
    if (status & STATUS_HAS_MISC)
        text_printf(&text, ", misc 0x%lx", error->misc);
    return buffer;
}
