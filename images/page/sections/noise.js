/* noise: what could disturb a measurement: the noise report, gaps by their length, and who shared the core. */
import { choose, leadOf, unique } from "../draw/choices.js";
import { describeCase } from "../data/cases.js";
import { lineChart, runColor, seriesColor } from "../draw/chart.js";
import { el, wideTable } from "../draw/dom.js";
import { number } from "../data/format.js";
import { duration, noiseReportLines, watchedSeconds } from "../data/quiet.js";
import { casesOf, rowsOf, whyMissing } from "../data/run.js";
import { sectionOf } from "../draw/section.js";

// The status in whose colour each word is shown.
const STATUSES = { "good": "ok", "not good": "doubt", "not known": "skip", "does not apply": "skip" };
const LEAST_DECADES = 3; // beyond the first one

function noiseReport(page) {
    const runs = page.runs.filter((run) => noiseReportLines(run).length > 0);
    if (runs.length === 0)
        return el("p", { class: "note" }, "run.json has no noise report.");
    const lines = runs.map(noiseReportLines), heads = runs.length > 1 ? [el("td"), ...runs.map((run) => run.title)] : null;
    const bad = lines[0].filter(({ means }, i) => means && lines.some((line) => line[i].word === "not good"));
    const said = ({ word, why }) => el("td", {}, el("span", { class: `status ${STATUSES[word]}` }, word), " ", why);
    return el("figure", { class: "noisereport" },
        el("figcaption", {}, "Noise report: what could disturb a measurement"),
        wideTable("Noise report", undefined, heads, lines[0].map(({ name }, i) =>
            el("tr", {}, el("th", { scope: "row" }, name), lines.map((line) => said(line[i]))))),
        bad.length === 0 ? null : el("details", { class: "note" }, el("summary", {}, "What is not good here, and what it does to the results"),
            el("ul", {}, bad.map(({ name, means }) => el("li", {}, `${name}: ${means}`)))));
}

const CASES = { interrupts: "interrupts on", quiet: "interrupts off", core: "checks of the core" };
const wordsOf = (name) => (Object.hasOwn(CASES, name) ? CASES[name] : describeCase(name));

/** Returns a case's histogram, in gaps a second. */
function gapSeries(page, run, name, i) {
    const seconds = watchedSeconds(run, name), isOne = page.runs.length === 1;
    const rows = rowsOf(run, "noise", name, "gap").filter(({ samples }) => samples > 0 && seconds > 0).sort((a, b) => a.n - b.n);
    return {
        label: `${leadOf(page, run)}${wordsOf(name)}`, color: isOne ? seriesColor(i) : runColor(run), seconds,
        x: rows.map((row) => row.n), y: rows.map(({ samples }) => samples / seconds),
        notes: rows.map(({ samples, median, max, mean }) => `${number(samples)} in ${number(seconds, 3)} s, ` +
            `median ${duration(median)}, longest ${duration(max)}, together ${duration(samples * mean)}`),
    };
}

function histogram(page) {
    const names = unique(page.runs.flatMap((run) => casesOf(run, "noise", "gap")));
    if (names.length === 0)
        return el("p", { class: "note" }, `Gaps: ${whyMissing(page.runs[0], "noise")}`);
    const shown = page.runs.length === 1 && names.length < 3 ? names : null, chosen = choose(page, "noise.gaps", "case", shown?.slice(0, 1) ?? names, wordsOf);
    const all = page.runs.flatMap((run) => casesOf(run, "noise", "gap").filter((name) => (shown ?? [chosen.value]).includes(name))
        .map((name, i) => gapSeries(page, run, name, i)));
    const series = all.filter(({ x }) => x.length > 0), exponents = series.flatMap(({ x }) => x), rates = series.flatMap(({ y }) => y);
    const first = Math.min(...exponents), last = Math.max(...exponents, first + LEAST_DECADES);
    return [chosen.control,
        all.filter((one) => !series.includes(one)).map(({ label, seconds }) => el("p", { class: "note" }, `No gap at all in ${number(seconds, 3)} s: ${label}.`)),
        series.length === 0 ? null : lineChart(page, {
            id: "noise-gaps", title: "How often the core was interrupted, by how long",
            x: { label: "length of a gap", plain: "ns at least", numberOf: (exponent) => 10 ** exponent, format: decade,
                min: first - 0.7, max: last + 0.7, ticks: Array.from({ length: last - first + 1 }, (_, i) => first + i) },
            y: { label: "gaps a second", log: 10, min: Math.min(...rates) / 2, max: 2 * Math.max(...rates) },
            series: series.map((one) => ({ ...one, steps: series.length < 3 })),
        })];
}

/** Returns "10 to 100 ns". */
function decade(exponent) {
    const [from, to] = [exponent, exponent + 1].map((one) => duration(10 ** one)), [value, unit] = from.split(" ");
    return to.endsWith(` ${unit}`) ? `${value} to ${to}` : `${from} to ${to}`;
}

export const noise = sectionOf({ id: "noise", title: "Interference", experiments: ["noise", "floor"], parts: [noiseReport, histogram] });
