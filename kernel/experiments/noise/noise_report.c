/* noise_report: writes what was observed beside the measurement, as JSON and as a line. */
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

static void write_known(struct json *json, const char *name, bool is_known, bool value)
{
    if (is_known)
        json_bool(json, name, value);
    else
        json_number(json, name, NAN_VALUE, 0);
}

static void write_origin(const struct noise_report *r, struct json *json)
{
    char memory[ROW_UNIT_BYTES + 32];
    if (r->summary.seconds <= 0)
        text_write(memory, sizeof memory, "nothing%s%s", r->reason[0] != '\0' ? ": " : " yet",
                   r->reason);
    else
        text_write(memory, sizeof memory, "%u ms of spinning at the start%s of the run%s",
                   NOISE_BRIEF_MILLISECONDS, r->samples > 1 ? " and the end" : "",
                   r->has_experiment ? ", and experiment noise" : "");
    json_text(json, "obtained_by", memory);
}

static void write_observations(const struct noise_summary *s, struct json *json)
{
    bool known = s->seconds > 0, is_steady = false;
    double drift = NAN_VALUE, reach = NAN_VALUE;
    bool is_judged = noise_is_steady(s, &is_steady);
    noise_drift(s, &drift, &reach);
    json_number(json, "seconds_observed", s->seconds, 3);
    json_number(json, "gap_threshold_ns", known ? s->threshold : NAN_VALUE, 1);
    json_number(json, "max_gap_ns", known ? s->max_gap : NAN_VALUE, 1);
    json_number(json, "gaps_over_1us_per_second", known ? s->gaps_over_1us / s->seconds : NAN_VALUE,
                3);
    json_number(json, "smi_during_run", s->smi_known ? s->smi_last - s->smi_first : NAN_VALUE, 0);
    json_number(json, "frequency_drift_percent", drift, 3);
    json_number(json, "frequency_drift_reach", reach, 3);
    write_known(json, "frequency_steady", is_judged, is_steady);
    json_number(json, "cycles_per_tick", s->slices > 0 ? 1 / s->ticks_per_cycle : NAN_VALUE, 4);
}

static void write_clock(const struct platform *platform, struct json *json)
{
    const struct clock_check *check = &platform->clock_check;
    bool checked = check->ticks_per_second > 0;
    json_number(json, "tsc_hz", (double)platform->ticks_per_second, 0);
    json_text(json, "tsc_second_clock", checked ? check->clock : "none");
    if (!checked)
        json_text(json, "tsc_not_checked", check->reason);
    json_number(json, "tsc_hz_by_second_clock", checked ? check->ticks_per_second : NAN_VALUE, 0);
    json_number(json, "tsc_difference_ppm", noise_report_clock_error(platform), 1);
    write_known(json, "tsc_agrees", checked, noise_report_clocks_agree(platform));
}

double noise_report_shared_percent(const struct noise_report *r)
{
    return r->states != NULL ? 100 * states_share(r->states, CORE_SHARED) : NAN_VALUE;
}

void noise_report_json(const struct noise_report *r, const struct platform *platform,
                       struct json *json)
{
    bool off = platform->interrupts_remain == NULL;
    json_open(json, "certificate");
    write_origin(r, json);
    json_text(json, "interrupts", off ? "off" : "on");
    if (!off)
        json_text(json, "interrupts_why", platform->interrupts_remain);
    write_observations(&r->summary, json);
    write_clock(platform, json);
    json_text(json, "other_processors", platform->other_processors);
    if (platform->siblings != NULL)
        json_text(json, "siblings", platform->siblings);
    json_number(json, "core_shared_percent", noise_report_shared_percent(r), 1);
    json_text(json, "prefetch", platform->prefetch);
    json_text(json, "turbo", platform->turbo);
    json_close(json);
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
