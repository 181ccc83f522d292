/* quiet: the noise report of run.json, line by line; rows of gaps. */
import { number } from "./format.js";
import { rowsOf } from "./run.js";
import { wordsOf } from "./words.js";

const [GOOD, BAD, UNKNOWN, NONE] = ["good", "not good", "not known", "does not apply"].map((word) => (why) => ({ word, why }));
const UNTOLD = "run.json does not say why";

export function duration(ns) {
    const [unit, of] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, one]) => ns >= one) ?? ["ns", 1];
    return `${number(ns / of, 3)} ${unit}`;
}

/** Judges a number that is good if it is 0, and bad if it is larger. */
const counted = (value, unknown, bad, good) => (!Number.isFinite(value) ? UNKNOWN(unknown) : value > 0 ? BAD(bad) : GOOD(good));

const judged = (isGood, seen, open) => (isGood === true ? GOOD(seen) : isGood === false ? BAD(seen) : UNKNOWN(`${seen}: ${open}`));

function gaps({ gaps_over_1us_per_second: rate, seconds_observed: seconds, max_gap_ns: longest, obtained_by: how }) {
    const seen = `${number(seconds, 3)} s were watched, the longest gap was ${duration(longest)}`;
    return counted(rate, String(how ?? "nothing was observed"), `${number(rate, 3)} times a second the core was interrupted for 1 µs or longer; ${seen}`,
        `the core was never interrupted for 1 µs; ${seen}`);
}

function drift({ frequency_drift_percent: percent, frequency_drift_reach: reach, frequency_steady: isSteady }) {
    const seen = `drift ${number(percent, 3)} ± ${number(reach, 3)} %`;
    return !Number.isFinite(percent) ? UNKNOWN("the frequency was not watched often enough") : judged(isSteady, seen, "too noisy to tell");
}

function siblings({ siblings: text }) {
    const asleep = /^(\d+), of which (\d+) asleep/.exec(text);
    if (!text)
        return UNKNOWN("nobody says which threads this core has besides");
    return text === "there are none" || (asleep && asleep[1] === asleep[2]) ? GOOD(text) : BAD(text);
}

/** Judges a setting: good if it is as the user wanted, or as found with all switches on, or if the machine has no such feature. */
function setting(text) {
    const [, on, of] = /^as found: (\d+) of (\d+) on/.exec(text) ?? [];
    return on !== of ? BAD(text) : /not known|refused/.test(text) || !(on || /^(as found;|on\b|off\b)|\bnone$/.test(text)) ? UNKNOWN(text || "run.json does not say") : GOOD(text);
}

function clocks({ tsc_difference_ppm: ppm, tsc_agrees: agrees, tsc_second_clock: other, tsc_not_checked: why }) {
    return Number.isFinite(ppm) ? judged(agrees, `${number(ppm, 3)} millionths off the ${other}`, UNTOLD) : UNKNOWN(`no second clock: ${why ?? UNTOLD}`);
}

/** The report's lines, each with the function that judges it. */
const LINES = {
    "interrupts": ({ interrupts, interrupts_why: why }, isModel) => (isModel ? NONE("a model has no interrupts") :
        interrupts === "off" ? GOOD("off while measuring") : BAD(`on: ${why ?? UNTOLD}`)),
    "gaps": gaps,
    "system management": ({ smi_during_run: count }) => counted(count, "nothing counts system-management interrupts here",
        `${number(count)} system-management interrupts during the run`, "no system-management interrupt during the run"),
    "frequency": drift,
    "core shared": ({ core_shared_percent: percent }) => counted(percent, "nothing told the states of the core",
        `in ${number(percent, 3)} % of the checks another thread shared the core`, "the core was never seen shared with another thread"),
    "sibling threads": siblings,
    "prefetchers": ({ prefetch }) => setting(prefetch), "turbo": ({ turbo }) => setting(turbo),
    "clocks": clocks,
};

/** The effect of each line on the results if it is not good; settings have none. */
const EFFECTS = wordsOf("effect");

/** Returns each line's name, word, reason, and effect on the results; [] if run.json has no noise report. */
export function noiseReportLines({ json: { certificate: report, platform } }) {
    return report ? Object.entries(LINES).map(([name, judge]) => ({ name, means: EFFECTS.get(name), ...judge(report, platform === "model") })) : [];
}

export function watchedSeconds(run, name) {
    const [row] = rowsOf(run, "noise", name, "observed");
    return row ? row.samples * row.mean / 1e6 : 0;
}
