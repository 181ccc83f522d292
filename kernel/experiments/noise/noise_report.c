/* noise_report: gathers what was observed beside the measurement, and tells it in a line. */
#include "noise_report.h"

#include "../../lib/string.h"

#define NAN_VALUE __builtin_nan("")
#define CLOCK_ERROR_MAX 1000.0 /* parts per million that two clocks may be apart */

void noise_report_add_sample(struct noise_report *r, const struct row *rows, size_t count)
{
    if (count == 0)
        return;
    if (strcmp(rows->metric, ROW_SKIPPED) == 0) {
        text_write(r->reason, sizeof r->reason, "%s", rows->unit);
        return;
    }
    r->variant = rows->variant;
    noise_summary_add(&r->summary, rows, count);
    r->samples++;
}

void noise_report_add_rows(struct noise_report *r, const struct row *rows, size_t count)
{
    double before = r->summary.seconds;
    for (size_t i = 0; i < count; i++)
        if (case_same(&rows[i].variant, &r->variant))
            noise_summary_add(&r->summary, &rows[i], 1);
    r->has_experiment |= r->summary.seconds > before;
}

double noise_report_clock_error(const struct platform *platform)
{
    double second = platform->clock_check.ticks_per_second;
    return second > 0 ? ((double)platform->ticks_per_second / second - 1) * 1e6 : NAN_VALUE;
}

bool noise_report_clocks_agree(const struct platform *platform)
{
    double error = noise_report_clock_error(platform);
    return error <= CLOCK_ERROR_MAX && error >= -CLOCK_ERROR_MAX;
}

double noise_report_shared_percent(const struct noise_report *r)
{
    return r->states != NULL ? 100 * states_share(r->states, CORE_SHARED) : NAN_VALUE;
}

void noise_report_observed(const struct noise_report *r, const struct platform *platform,
                           struct text *text)
{
    const struct noise_summary *s = &r->summary;
    double drift, reach;
    if (s->seconds <= 0) {
        text_printf(text, "nothing observed%s%s", r->reason[0] != '\0' ? ": " : "", r->reason);
        return;
    }
    text_printf(text, "interrupts %s, gaps to %.1f us, %.0f/s over 1 us",
                platform->interrupts_remain == NULL ? "off" : "on", s->max_gap / 1000,
                s->gaps_over_1us / s->seconds);
    if (s->smi_known)
        text_printf(text, ", %.0f SMI", s->smi_last - s->smi_first);
    if (noise_drift(s, &drift, &reach))
        text_printf(text, ", drift %.1f %%", drift);
}
