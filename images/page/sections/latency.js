/* latency: the time of a load by the size of the array, and the levels of the caches in it. */
import { unique } from "../draw/choices.js";
import { describeCase } from "../data/cases.js";
import { seriesColor } from "../draw/chart.js";
import { bytes, inGigabytes, number } from "../data/format.js";
import { RANDOM, chainsOf, latencies, overlaps, rangesOf } from "../data/points.js";
import { figureText, publishedOf } from "../data/published.js";
import { casesOf, hasValue, rowsOf, verdictOf } from "../data/run.js";
import { markOf, sectionOf, verdictBars } from "../draw/section.js";

const LEVELS = ["l1", "l2", "l3", "l4", "l5", "memory"]; // how the names of their verdicts begin
const WORKS = ["read", "write", "copy"];

function levelsOf({ run, name }) {
    const of = (verdict) => verdictOf(run, "array", name, verdict);
    return LEVELS.map((level) => ({
        label: level.replace("l", "L"), size: of(`${level}_bytes`), time: of(`${level}_latency`),
        rates: WORKS.map((work) => [work, of(`${level}_${work}_bandwidth`)]), overlap: of(`${level}_overlap`),
    }));
}

const axes = { x: { label: "array size", plain: "bytes", log: 2, format: bytes }, y: { label: "time of a load", log: 10 } };

/** Returns the states whose marks are drawn: in a page of one run the first one, of several the whole core's, up to three. */
const markedStates = (page, states) => (states.length > 3 ? [] : states.filter((state) =>
    (page.runs.length === 1 ? state === states[0] : !state.dash)));

/** Returns marks at each level's end; in a page of several runs in the run's colour, without the level's name. */
function endsOfLevels(page, states) {
    const isOne = page.runs.length === 1;
    return markedStates(page, states).flatMap((state) => levelsOf(state).flatMap(({ label, size }) => markOf(page, state.run, size, "x",
        isOne ? label : "", isOne ? "var(--text)" : seriesColor(state.color), bytes)));
}

/** Returns what each level of a page's only run takes or overlaps (`of`), as far as the level goes. */
const acrossLevels = (page, [state], of, write) => (page.runs.length > 1 ? [] : rangesOf(levelsOf(state), latencies(rowsOf(state.run, "array", state.name), 1))
    .filter((level) => hasValue(of(level))).map((level) => ({ ...markOf(page, state.run, of(level), "y", level.label, seriesColor(2), write)[0], from: level.from, to: level.to })));

const chain = {
    key: "chain", experiment: "array", title: "Latency of dependent loads, by array size", ...axes,
    lines: (rows) => [{ points: latencies(rows, 1) }],
    more: (page, states) => ({ marks: endsOfLevels(page, states), levels: acrossLevels(page, states, ({ time }) => time, (time) => `${number(time, 3)} ${page.unit}`) }),
};

const FEW = [1, 2, 4, 8], HUES = [0, 1, 3, 4, 5, 6];

/** Returns lines for a few numbers of chains, for the most chains, and for random accesses, of these points. */
function chainLines(rows, pointsOf) {
    const all = chainsOf(rows), most = Math.max(...all.filter((n) => n !== RANDOM));
    return all.filter((n) => n === RANDOM || n === most || FEW.includes(n)).map((n, i) => ({
        label: n === RANDOM ? "random accesses" : n === 1 ? "1 chain" : `${n} chains`, points: pointsOf(rows, n),
        hue: n === RANDOM ? 2 : HUES[i], dash: n === RANDOM ? [6, 3] : undefined,
    }));
}

const chains = {
    key: "chains", experiment: "array", title: "Time per load with several independent chains", ...axes,
    fits: (name) => !name.endsWith("-shared"), lines: (rows) => chainLines(rows, latencies),
};

const BUFFERS = ["fill_buffers", "l2_buffers"]; // published sizes of what holds misses, whichever kind of them

/** Returns what the overlap is compared with: the ends of levels, their overlaps, and published buffers of whole cores, each with its kind. */
function besideOverlap(page, states) {
    const rows = markedStates(page, states).filter(({ dash }) => !dash).flatMap(({ run, name }) => publishedOf(page.published, run, name));
    const buffers = unique(rows.filter(({ figure }) => BUFFERS.includes(figure))).map((row) => ({ y: row.value ?? row.high, low: row.low, high: row.high,
        isPublished: true, label: `published ${figureText(row)} ${row.kind} (${row.uarch})` }));
    return { marks: endsOfLevels(page, states), levels: [...acrossLevels(page, states, (level) => level.overlap, (value) => number(value, 3)), ...buffers] };
}

/** The overlap of loads: the first chart of mlp, whose answer it has. */
export const overlap = {
    key: "overlap", experiment: "array", title: "Overlap of loads, by array size", x: axes.x,
    y: { label: "loads under way at once", isTime: false, log: 2 }, fits: chains.fits, lines: (rows) => chainLines(rows, overlaps).slice(1), // of one chain it is 1
    says: ["memory", "l3", "l2"].flatMap((level) => [`${level}_overlap`, `${level}_stream_overlap`]),
    more: besideOverlap,
};

/** Returns a rate in GB/s, with the bytes per core cycle that it is in words; if the core's clock is not known, the rate as it is. */
function rateOf(run, verdict) {
    const inRate = inGigabytes(verdict, run);
    return { verdict: inRate, more: inRate === verdict ? undefined : `: ${number(verdict.value, 3)} ${verdict.unit}` };
}

/** Draws a bar for each rate at which one core reads, writes and copies in a level. */
function bandwidth(page) {
    const entries = page.runs.flatMap((run) => casesOf(run, "array", "tsc").flatMap((name) => levelsOf({ run, name })
        .flatMap(({ label, rates }) => rates.filter(([, verdict]) => hasValue(verdict)).map(([work, verdict]) => ({
            run, label: `${label}, ${work}`, group: describeCase(name), ...rateOf(run, verdict),
        })))));
    return [verdictBars(page, "Bandwidth of one core; a copied byte counts twice", entries)];
}

export const latency = sectionOf({ id: "latency", title: "Latency by array size", experiments: ["array"],
    parts: [chain, chains, bandwidth] });
