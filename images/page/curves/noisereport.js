/* noisereport: how quiet it was around a measurement, from run.json, line by line: good or not, and why. */
import { number } from "../data/format.js";

const DRIFT_MOST = 1; // percent, as in kernel/experiments/noise/noise_rule.c
const CLOCK_MOST = 1000; // parts in a million, as on the console
const [GOOD, BAD, UNKNOWN] = ["good", "not good", "not known"].map((word) => (why) => ({ word, why }));
const UNTOLD = "run.json does not say why";

/** "4.19 ms" */
export function duration(ns) {
    const [unit, of] = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]].find(([, one]) => ns >= one) ?? ["ns", 1];
    return `${number(ns / of, 3)} ${unit}`;
}

function interrupts({ interrupts: state, interrupts_why: why }) {
    return state === "off" ? GOOD("off while measuring") : BAD(`on: ${why ?? UNTOLD}`);
}

const away = (rate) => `${number(rate, 3)} times a second the core was away for 1 us or longer`;

function gaps({ gaps_over_1us_per_second: rate, seconds_observed: seconds, max_gap_ns: longest, obtained_by: how }) {
    if (!Number.isFinite(rate))
        return UNKNOWN(String(how ?? "nothing was observed"));
    const seen = `${number(seconds, 3)} s were watched, the longest gap was ${duration(longest)}`;
    return rate > 0 ? BAD(`${away(rate)}; ${seen}`) : GOOD(`the core was never away for 1 us; ${seen}`);
}

function systemInterrupts({ smi_during_run: count }) {
    if (!Number.isFinite(count))
        return UNKNOWN("nothing counts system-management interrupts here");
    return count > 0 ? BAD(`${number(count)} system-management interrupts during the run`) :
        GOOD("no system-management interrupt during the run");
}

function drift({ frequency_drift_percent: percent, frequency_drift_reach: reach }) {
    if (!Number.isFinite(percent))
        return UNKNOWN("the frequency was not watched often enough");
    const seen = `the frequency differs by ${number(percent, 3)} % from one moment to another, ` +
        `give or take ${number(reach, 3)}`;
    if (percent - reach > DRIFT_MOST)
        return BAD(seen);
    return percent + reach > DRIFT_MOST ? UNKNOWN(`${seen}: ${DRIFT_MOST} % cannot be told from that`) : GOOD(seen);
}

const part = (percent) => `${number(percent, 3)} % of the visits another thread shared the core`;

function shared({ core_shared_percent: percent }) {
    if (!Number.isFinite(percent))
        return UNKNOWN("nothing told the states of the core");
    return percent > 0 ? BAD(`in ${part(percent)}`) : GOOD("the core was never seen shared with another thread");
}

function siblings({ siblings: text }) {
    const asleep = /^(\d+), of which (\d+) asleep/.exec(text);
    if (!text)
        return UNKNOWN("nobody says which threads this core has besides");
    return text === "there are none" || (asleep && asleep[1] === asleep[2]) ? GOOD(text) : BAD(text);
}

/** What was chosen, or left as it was found, is as the user wanted it; what there is none of disturbs nobody. */
function setting(text) {
    if (!text)
        return UNKNOWN("run.json does not say");
    return /^(as found|on|off)\b|\bnone$/.test(text) ? GOOD(text) : UNKNOWN(text);
}

function clocks({ tsc_difference_ppm: ppm, tsc_second_clock: other, tsc_not_checked: why }) {
    if (!Number.isFinite(ppm))
        return UNKNOWN(`no second clock: ${why ?? UNTOLD}`);
    return (Math.abs(ppm) > CLOCK_MOST ? BAD : GOOD)(`${number(ppm, 3)} millionths off the ${other}`);
}

/** What a line that is not good does to the results, by its name. */
export const MEANS = {
    "interrupts": "samples that took eight times the usual are dropped; shorter interruptions widen the spread, and medians " +
        "hardly move.",
    "gaps": "a gap within a sample makes that sample longer, as an interrupt does.",
    "system management": "they lengthen samples, and nothing can turn them off.",
    "frequency": "times in ns and ticks move with it; between points that are compared the order of visits is random.",
    "core shared": "a shared core is another core, with less of each structure. Its samples are cases of their own (core " +
        "shared), or are dropped; loaded, patterns and shuffle keep them, and say how many there were.",
    "sibling threads": "whatever they ran had its part of the core's caches, buffers and time.",
    "clocks": "ns and MHz here are off by as much as the counter's rate.",
};

const LINES = {
    "interrupts": interrupts, "gaps": gaps, "system management": systemInterrupts, "frequency": drift,
    "core shared": shared, "sibling threads": siblings, "prefetchers": (c) => setting(c.prefetch),
    "turbo": (c) => setting(c.turbo), "clocks": clocks,
};

/** @returns {{name: string, word: string, why: string}[]} none where run.json has no noise report */
export function noiseReportLines(run) {
    const report = run.json.certificate;
    return report ? Object.entries(LINES).map(([name, judge]) => ({ name, ...judge(report) })) : [];
}

/** What one should know first: interrupts, what took the core, and who shared it. */
export function noiseReportSentence(run) {
    const report = run.json.certificate;
    if (!report)
        return "How quiet it was is not known: run.json has no noise report.";
    const { interrupts: state, interrupts_why: why, gaps_over_1us_per_second: rate, core_shared_percent: percent } = report;
    const parts = [`Interrupts were ${state}${state === "off" ? "" : `: ${why ?? UNTOLD}`}.`];
    if (!Number.isFinite(rate))
        parts.push("How often the core was away was not observed.");
    else if (rate > 0)
        parts.push(`${away(rate)}, at most for ${duration(report.max_gap_ns)}.`);
    else
        parts.push(`In ${number(report.seconds_observed, 3)} s the core was never away for 1 us or longer.`);
    if (Number.isFinite(percent))
        parts.push(percent > 0 ? `In ${part(percent)}.` : "It was never seen shared with another thread.");
    return parts.join(" ");
}
