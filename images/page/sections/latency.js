/* latency: the time of a load by the size of the array, and the levels of the caches in it. */
import { choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { bars } from "../draw/bars.js";
import { color, colorsBetween, lineChart, marked, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, number, scaled, sharp } from "../data/format.js";
import { RANDOM, chainsOf, fewChains, latencies } from "../curves/memory.js";
import { howSure, reasons } from "../draw/reasons.js";
import { casesOf, hasValue, verdictOf } from "../data/run.js";

// A level's name, and how the names of its verdicts begin.
const LEVELS = [["L1", "l1"], ["L2", "l2"], ["L3", "l3"], ["L4", "l4"], ["L5", "l5"], ["memory", "memory"]];
const WORKS = ["read", "write", "copy"];

function levelsOf({ run, name }) {
    const of = (verdict) => verdictOf(run, "array", name, verdict);
    return LEVELS.map(([label, level]) => ({
        label, size: of(`${level}_bytes`), time: of(`${level}_latency`), cycles: of(`${level}_latency_cycles`),
        rates: WORKS.map((work) => [work, of(`${level}_${work}_bandwidth`)]),
    })).filter(({ label, time }) => label === "L1" || (time && time.status !== "skip"));
}

const rowsOfCase = ({ run, name }) => run.byCase.get("array")?.get(name) ?? [];
const hasCurve = (run, name) => latencies(rowsOfCase({ run, name }), 1).length > 1;

/* --- in words -------------------------------------------------------------------------------- */

/** A level's time in the page's unit, as sharp as it is known. */
const timeOf = (page, run, time) => time && sharp(scaled(time, TIME_UNITS[page.unit](run)));

/** "L1 32 KB at 1.1 ns, 4 cycles (ok)"; each with its own word where they are not equally sure. */
function describe(page, run, { label, size, time, cycles }) {
    const isOne = size?.status === time?.status;
    const place = hasValue(size) ? [el("strong", {}, bytes(size.value)), isOne ? null : howSure(size), " "] : null;
    const latency = hasValue(time) ?
        ["at ", el("strong", {}, `${number(timeOf(page, run, time).value, 3)} ${page.unit}` +
            (hasValue(cycles) && page.unit !== "cycles" ? `, ${number(sharp(cycles).value)} cycles` : "")), howSure(time)] :
        null;
    return [`${label} `, place, latency ?? (place ? "at a time not known" : ["not known", howSure(time)])];
}

function sentence(page, state) {
    const levels = levelsOf(state).filter(({ time }) => time);
    return levels.length === 0 ? null : el("p", { class: "answer" }, page.runs.length > 1 ? `${state.label}: ` : "",
        levels.map((level, i) => [i > 0 ? ", " : "", describe(page, state.run, level)]), ".");
}

/* --- as curves ------------------------------------------------------------------------------- */

function lineOf(page, state, chains, look) {
    const points = latencies(rowsOfCase(state), chains), factor = TIME_UNITS[page.unit](state.run);
    return { label: state.label, color: seriesColor(state.color), dash: state.dash, ...look,
        x: points.map(({ x }) => x), y: points.map(({ y }) => y * factor) };
}

const axes = (page) => ({
    x: { label: "array", log: 2, format: bytes }, y: { label: `${page.unit} for each load`, log: 10 },
});

/** Each level from the end of the one before to its own; memory goes on. */
function rangesOf(state, least, most) {
    const ranges = [];
    let from = least;
    for (const { label, size, time } of levelsOf(state)) {
        const to = label === "memory" ? most : hasValue(size) ? size.value : null;
        if (to === null || to <= from)
            break; // nobody knows where the next one begins
        ranges.push({ label, from, to, time });
        from = to;
    }
    return ranges;
}

const NO_FILL = "#0000", EDGE = "series-1", SPREAD = "series-2";

/** What the strips are; `isSure`: whether all edges are. */
function stripsLegend(hasSpread, isSure) {
    const look = (of) => `border-top-width:10px;opacity:0.4;border-color:${color(of)}`;
    const strip = (of, words) => el("span", {}, el("i", { style: look(of) }), words);
    return el("div", { class: "legend" },
        strip(EDGE, `dashed: a level ends; strip: where it may end${isSure ? "" : "; ?: in doubt"}`),
        hasSpread ? strip(SPREAD, "a level's time; strip: its range") : null);
}

function edgesOf(state, hue) {
    return levelsOf(state).filter(({ size }) => hasValue(size)).map(({ size }) => ({
        x: size.value, low: size.low, high: size.high, color: hue,
        label: `${bytes(size.value)}${size.status === "ok" ? "" : " ?"}`,
    }));
}

/** A level's time across its sizes. */
function timesOf(page, run, ranges) {
    return ranges.filter(({ time }) => hasValue(time)).map(({ from, to, time }) => {
        const { value, low, high } = timeOf(page, run, time);
        return { from, to, y: value, low, high, label: number(value, 3), color: color(SPREAD) };
    });
}

/** One chain. Of one run the levels are named; of several, each has its edges in its colour. */
function oneChain(page, states) {
    const isOne = page.runs.length === 1, first = states[0];
    const series = states.map((state) => lineOf(page, state, 1));
    const ranges = isOne ? rangesOf(first, series[0].x[0], series[0].x.at(-1)) : [];
    const marks = marked(page, states).filter((state) => (isOne ? state === first : !state.dash)).flatMap((state) =>
        edgesOf(state, isOne ? color(EDGE) : seriesColor(state.color)));
    return lineChart({
        title: "A load that waits for the one before, by the size of the array", ...axes(page), series, height: 340,
        notes: isOne && marks.length > 0 ?
            [stripsLegend(ranges.some(({ time }) => hasValue(time)), marks.every(({ label }) => !label.endsWith("?")))] :
            undefined,
        shades: isOne ? ranges.map((range) => ({ ...range, color: NO_FILL })) : undefined,
        levels: timesOf(page, first.run, ranges), marks,
    });
}

const SOME = "some", ALL = "all", areChains = (n) => n !== RANDOM;

/** Of more numbers of chains than the eye can tell apart, a few; or all, as the user chooses. */
function chooseChains(page, counts) {
    const few = fewChains(counts);
    const choices = few.length < counts.length ? [SOME, ALL] : [ALL];
    const { value, control } = choose(page, "latency", "which", "chains", choices,
        (choice) => (choice === SOME ? few.filter(areChains).join(", ") : choice));
    return { shown: value === ALL ? counts : few, control };
}

/** What many chains win where the array is largest. */
function gainOfChains(page, state, most) {
    const [one, many] = [1, most].map((n) => lineOf(page, state, n)), size = many.x.at(-1);
    const before = one.y[one.x.indexOf(size)], after = many.y.at(-1);
    return before && most > 1 ? ` In ${bytes(size)} a load takes ${number(before, 2)} ${page.unit} with one chain, ` +
        `${number(after, 2)} ${page.unit} with ${most}: ${number(before / after, 2)} times as many loads in the same time.` :
        "";
}

const HUES = ["series-0", "series-1", "series-3", "series-4", "series-5"]; // and series-2 for random accesses

/** Chains of one case; where all are shown, in colours from the fewest to the most. */
function manyChains(page, state, counts) {
    const { shown, control } = chooseChains(page, counts), chains = shown.filter(areChains);
    const hues = chains.length > HUES.length ? colorsBetween(color("series-0"), color("series-4"), chains.length) :
        HUES.map(color);
    return [control, lineChart({
        title: `Chains side by side, and random accesses that wait for nothing: ${state.label}`, ...axes(page),
        notes: ["The lower a line, the more loads were on their way at the same time; lines on each other: more chains " +
            `win nothing.${gainOfChains(page, state, chains.at(-1))}`],
        series: shown.map((n, i) => lineOf(page, state, n, n === RANDOM ?
            { label: "random accesses", color: color("series-2"), dash: [6, 3] } :
            { label: n === 1 ? "1 chain" : String(n), color: hues[i], points: false })),
    })];
}

/** As many chains as the user chooses, in several runs. */
function chosenChains(page, states, counts) {
    const { value, control } = choose(page, "latency", "chains", "chains side by side", counts.map(String));
    const chains = value === RANDOM ? RANDOM : Number(value);
    return [control, chains === 1 ? oneChain(page, states) : lineChart({
        title: chains === RANDOM ? "Random accesses that wait for nothing" : `${chains} chains side by side`,
        ...axes(page), series: states.map((state) => lineOf(page, state, chains)), height: 340,
    })];
}

/* --- bandwidth ------------------------------------------------------------------------------- */

/** GB/s of a byte a core cycle; null where the core's clock is not known. */
function gigabytesOf(run) {
    const ns = TIME_UNITS.ns(run), cycles = TIME_UNITS.cycles(run);
    return ns && cycles ? cycles / ns : null;
}

/** Draws a bar for each rate at which one core reads, writes and copies in a level, with GB/s in its words. */
function bandwidth(page, state) {
    const factor = gigabytesOf(state.run), many = page.runs.length > 1;
    const rows = levelsOf(state).flatMap(({ label, rates }) => rates.filter(([, verdict]) => hasValue(verdict))
        .map(([work, verdict]) => ({ ...verdict, why: verdict.method,
            label: `${label}, ${work}${factor ? `: ${number(verdict.value * factor, 3)} GB/s` : ""}` })));
    return rows.length === 0 ? null :
        bars({ title: `What one core moves${many ? `: ${state.label}` : ""}; a copied byte counts twice`, unit: "bytes/cycle", rows });
}

function render(page) {
    const names = page.runs.flatMap((run) => casesOf(run, "array", "tsc").filter((name) => hasCurve(run, name)));
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "latency", names);
    const states = statesOf(page, of, hasCurve);
    const counts = chainsOf(states.flatMap(rowsOfCase));
    return [el("div", {},
        states.map((state) => sentence(page, state)), of.controls,
        page.runs.length > 1 ? chosenChains(page, states, counts) :
            [oneChain(page, states), counts.length > 1 ? manyChains(page, states[0], counts) : null],
        states.map((state) => bandwidth(page, state)), whatIsLeftOut(page), reasons(page, "array"))];
}

export const latency = { id: "latency", title: "Latency by size", experiments: ["array"], render };
