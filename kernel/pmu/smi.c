/* smi: counts system-management interrupts where no register of the processor does. */
#include "pmu.h"

#define SMI_EVENT 0x2b          /* PMCx02B */
#define IN_ALL_MODES (3u << 16) /* selector: user's and operating system's */
#define LEFT_FOR_PASSES 4u      /* general counters */

static const struct models models_with_event = AMD_FAMILIES(0x10, 0x1a);

void pmu_choose_smi_counter(struct pmu *c, const struct processor *processor)
{
    unsigned general = 0;
    c->smi_counter = 0;
    if (!models_have(&models_with_event, processor) || processor->is_virtual)
        return;
    for (unsigned n = 0; n < COUNTER_GENERAL_MAX; n++)
        if (c->unit.usable & COUNTER_BIT(n) && general++ >= LEFT_FOR_PASSES)
            c->smi_counter = COUNTER_BIT(n);
}

/* Without a global control, the selector alone starts the counter. */
void pmu_start_smis(struct pmu *c)
{
    uint32_t control = counter_layout(&c->unit)->global_control;
    c->counts_smis = false;
    if ((c->smi_counter & c->unit.usable) == 0)
        return;
    unsigned n = (unsigned)__builtin_ctzll(c->smi_counter);
    c->stopped |= c->smi_counter;
    c->counts_smis =
        msr_write(counter_selector_msr(&c->unit, n), SMI_EVENT | IN_ALL_MODES | SELECTOR_ENABLE) &&
        (control == 0 || msr_write(control, c->stopped));
    if (!c->counts_smis)
        counter_drop(&c->unit, n, "it does not take the event of SMIs");
}

bool pmu_smis(const struct pmu *c, uint64_t *count)
{
    uint64_t now;
    if (!c->counts_smis || !pmu_read(c, (unsigned)__builtin_ctzll(c->smi_counter), &now))
        return false;
    *count = c->smis_before + now;
    return true;
}

void pmu_end_smis(struct pmu *c)
{
    pmu_smis(c, &c->smis_before);
    c->counts_smis = false;
}
