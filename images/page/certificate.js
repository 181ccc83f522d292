/* certificate: how quiet it was around a measurement, from run.json, line by line: good or not, and why. */
import { number } from "./format.js";

const DRIFT_MOST = 1; // percent, as in kernel/experiments/noise_rule.c
const CLOCK_MOST = 1000; // parts in a million, as on the console
const GOOD = "good", BAD = "not good", UNKNOWN = "not known";

/** "4.19 ms" */
export function duration(ns) {
    const [unit, of] = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]].find(([, one]) => ns >= one) ?? ["ns", 1];
    return `${number(ns / of, 3)} ${unit}`;
}

/** @typedef {{name: string, members: string[], word: string, why: string}} Line  members: of run.json that say it */

function interrupts(c) {
    return c.interrupts === "off" ? { word: GOOD, why: "off while measuring" } :
        { word: BAD, why: `on: ${c.interrupts_why ?? "run.json does not say why"}` };
}

function gaps(c) {
    const rate = c.gaps_over_1us_per_second;
    if (!Number.isFinite(rate))
        return { word: UNKNOWN, why: `${c.obtained_by ?? "nothing was observed"}` };
    const seen = `${number(c.seconds_observed, 3)} s were watched, the longest gap was ${duration(c.max_gap_ns)}`;
    return rate > 0 ? { word: BAD, why: `${number(rate, 3)} times a second the core was away for 1 us or longer; ${seen}` } :
        { word: GOOD, why: `the core was never away for 1 us; ${seen}` };
}

function systemInterrupts(c) {
    const count = c.smi_during_run;
    if (!Number.isFinite(count))
        return { word: UNKNOWN, why: "nothing counts system-management interrupts here" };
    return count > 0 ? { word: BAD, why: `${number(count)} system-management interrupts during the run` } :
        { word: GOOD, why: "no system-management interrupt during the run" };
}

function drift(c) {
    const { frequency_drift_percent: percent, frequency_drift_reach: reach } = c;
    if (!Number.isFinite(percent))
        return { word: UNKNOWN, why: "the frequency was not watched often enough" };
    const seen = `between the fastest and the slowest moment the frequency differs by ${number(percent, 3)} %, give or take ${number(reach, 3)}`;
    if (percent - reach > DRIFT_MOST)
        return { word: BAD, why: seen };
    return percent + reach > DRIFT_MOST ? { word: UNKNOWN, why: `${seen}: ${DRIFT_MOST} % cannot be told from that` } : { word: GOOD, why: seen };
}

function shared(c) {
    const percent = c.core_shared_percent;
    if (!Number.isFinite(percent))
        return { word: UNKNOWN, why: "nothing told the states of the core" };
    return percent > 0 ? { word: BAD, why: `in ${number(percent, 3)} % of the visits another thread shared the core; such samples are kept apart` } :
        { word: GOOD, why: "the core was never seen shared with another thread" };
}

function siblings(c) {
    const text = c.siblings, asleep = /^(\d+), of which (\d+) asleep/.exec(text);
    if (!text)
        return { word: UNKNOWN, why: "nobody says which threads this core has besides" };
    if (text === "there are none" || (asleep && asleep[1] === asleep[2]))
        return { word: GOOD, why: text };
    return { word: BAD, why: text };
}

/** What was chosen, or left as it was found, is as the user wanted it; what there is none of disturbs nobody. */
function setting(text) {
    if (!text)
        return { word: UNKNOWN, why: "run.json does not say" };
    return /^(as found|on|off)\b|\bnone$/.test(text) ? { word: GOOD, why: text } : { word: UNKNOWN, why: text };
}

function clocks(c) {
    const ppm = c.tsc_difference_ppm;
    if (!Number.isFinite(ppm))
        return { word: UNKNOWN, why: `no second clock: ${c.tsc_not_checked ?? "run.json does not say why"}` };
    return { word: Math.abs(ppm) > CLOCK_MOST ? BAD : GOOD, why: `${number(ppm, 3)} millionths off the ${c.tsc_second_clock}` };
}

const LINES = [
    { name: "interrupts", members: ["interrupts", "interrupts_why"], judge: interrupts },
    { name: "gaps", members: ["gaps_over_1us_per_second", "max_gap_ns", "seconds_observed", "obtained_by"], judge: gaps },
    { name: "system management", members: ["smi_during_run"], judge: systemInterrupts },
    { name: "frequency", members: ["frequency_drift_percent", "frequency_drift_reach"], judge: drift },
    { name: "core shared", members: ["core_shared_percent"], judge: shared },
    { name: "sibling threads", members: ["siblings"], judge: siblings },
    { name: "prefetchers", members: ["prefetch"], judge: (c) => setting(c.prefetch) },
    { name: "turbo", members: ["turbo"], judge: (c) => setting(c.turbo) },
    { name: "clocks", members: ["tsc_difference_ppm", "tsc_second_clock", "tsc_not_checked"], judge: clocks },
];

/** @returns {Line[]} none where run.json has no certificate */
export function certificateLines(run) {
    const certificate = run.json.certificate;
    return certificate ? LINES.map(({ name, members, judge }) => ({ name, members, ...judge(certificate) })) : [];
}

/** What one should know first: interrupts, what took the core, and who shared it. */
export function certificateSentence(run) {
    const certificate = run.json.certificate;
    if (!certificate)
        return "How quiet it was is not known: run.json has no certificate.";
    const because = certificate.interrupts === "off" ? "" : `: ${certificate.interrupts_why ?? "run.json does not say why"}`;
    const rate = certificate.gaps_over_1us_per_second, percent = certificate.core_shared_percent;
    const parts = [`Interrupts were ${certificate.interrupts}${because}.`];
    if (Number.isFinite(rate))
        parts.push(rate > 0 ? `${number(rate, 3)} times a second the core was away for 1 us or longer, at most for ${duration(certificate.max_gap_ns)}.` :
            `In ${number(certificate.seconds_observed, 3)} s the core was never away for 1 us or longer.`);
    else
        parts.push("How often the core was away was not observed.");
    if (Number.isFinite(percent))
        parts.push(percent > 0 ? `In ${number(percent, 3)} % of the visits another thread shared it.` : "It was never seen shared with another thread.");
    return parts.join(" ");
}
