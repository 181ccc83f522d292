/* rob: the time of two loads over the fillers between them, and where it jumps. */
import { valueText } from "../draw/bars.js";
import { describeFiller, hasWord, readCase, structureOf } from "../data/cases.js";
import { apart, choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { color, legend, lineChart, seriesColor } from "../draw/chart.js";
import { LEVELS, fitPieces, jumpOf, lineAt, overK } from "../curves/curves.js";
import { el, statusWord } from "../draw/dom.js";
import { TIME_UNITS, capitalized, number } from "../data/format.js";
import { casesOf, hasValue, rowsOf, verdictOf, whyMissing } from "../data/run.js";
import { say } from "../draw/say.js";

const LEAST_POINTS = 3;
const BANDS_MAX = 2; // more of them, and of fitted lines, hide each other

// What the user may look at, and what of a row that is.
const SAMPLES = { median: LEVELS.center, "fastest tenth": LEVELS.fast, "slowest tenth": LEVELS.slow };

const pointsOf = (run, experiment, name) => overK(rowsOf(run, experiment, name, "tsc"), 2);

function linesOf(state, points, level, factor, hasBand) {
    return {
        label: state.label, color: seriesColor(state.color), dash: state.dash,
        x: points.map((row) => row.k), y: points.map((row) => level(row) * factor),
        ...(hasBand ? { low: points.map((row) => row.p10 * factor), high: points.map((row) => row.p90 * factor) } : {}),
    };
}

/** Straight lines on either side of the jump. */
function fittedTo({ x, y }, jump) {
    const first = x.findIndex((k) => k >= jump);
    if (first < 2 || x.length - first < 2)
        return [];
    const ends = [[x[0], x[first - 1]], [x[first], x.at(-1)]];
    return fitPieces(x, y, first).map((line, i) => ({
        label: "fitted", color: color("text"), dash: [2, 3], fitted: true,
        x: ends[i], y: ends[i].map((k) => lineAt(line, k)),
    }));
}

/* --- the reorder buffer ---------------------------------------------------------------------- */

function casesOfLoads(run) {
    return casesOf(run, "mlp", "tsc").filter((name) => !hasWord(name, "dependent", "prefetch", "store", "nt") &&
        pointsOf(run, "mlp", name).length >= LEAST_POINTS);
}

function entriesSaid(page, state) {
    const lead = ["Reorder buffer", ...apart(page, state)].join(", ");
    return say(lead, verdictOf(state.run, "mlp", state.name, "rob_entries"));
}

function reorderBuffer(page) {
    const names = page.runs.flatMap(casesOfLoads);
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "rob", names);
    const samples = choose(page, "rob", "samples", "samples", Object.keys(SAMPLES));
    const states = statesOf(page, of, (run, name) => casesOfLoads(run).includes(name));
    const series = [], marks = [], fitted = [];
    for (const state of states) {
        const lines = linesOf(state, pointsOf(state.run, "mlp", state.name), SAMPLES[samples.value],
            TIME_UNITS[page.unit](state.run), states.length <= BANDS_MAX);
        const cliff = verdictOf(state.run, "mlp", state.name, "rob_cliff_k");
        series.push(lines);
        if (cliff?.value) {
            marks.push({ x: cliff.value, low: cliff.low, high: cliff.high, color: lines.color,
                label: `K = ${number(cliff.value)}` });
            fitted.push(...(states.length <= BANDS_MAX ? fittedTo(lines, cliff.value) : []));
        }
    }
    fitted.slice(1).forEach((line) => { line.label = ""; }); // one entry of the legend is for all
    return [
        states.map((state) => entriesSaid(page, state)),
        el("p", { class: "note" }, "While two loads that miss fit into the reorder buffer together with the K NOPs between ",
            "them, they run side by side; from the jump on, the second waits for the first. The bands reach from the ",
            "fastest to the slowest tenth of the samples, the strips over the jump's interval."),
        of.controls, samples.control,
        lineChart({
            title: `Two loads with K NOPs between them: ${of.words}, ${samples.value}`,
            x: { label: "K NOPs between the two loads" }, y: { label: page.unit, min: 0 },
            series: [...series, ...fitted], marks,
        }),
        whatIsLeftOut(page),
    ];
}

/* --- the other structures: a small chart for each filler -------------------------------------- */

const sizeOf = (run, name) => run.verdicts.find((verdict) => verdict.experiment === "structures" &&
    verdict.case === name && verdict.name !== "above_floor");

/** The jump, with the verdict's interval around it: a verdict adds the loads to the fillers. */
function markOf({ x, y }, verdict, color) {
    const jump = jumpOf(x, y);
    if (jump === null)
        return [];
    const isKnown = hasValue(verdict);
    return [{ x: jump, label: `K = ${number(jump)}`, color, low: isKnown ? verdict.low - verdict.value + jump : undefined,
        high: isKnown ? verdict.high - verdict.value + jump : undefined }];
}

/** Says how a single state's size follows from the jump; several states have their values alone, and the table of
 * verdicts has the rest. */
function sizeNotes(page, state, verdict, mark, isOne) {
    const lead = apart(page, state).join(", "), jump = mark ? `From K = ${number(mark.x)} on time jumps` : "";
    return [
        ...(verdict ? [[lead ? `${lead}: ` : "",
            el("strong", {}, valueText(verdict, verdict.unit)), " ", statusWord(verdict.status)]] : []),
        ...(isOne ? [[jump, verdict?.method].filter(Boolean).join(": ")] : []),
    ];
}

const TIMES_JUMP = 3; // of the jump's K: what is farther out says no more

/** The lines as far as is of interest, where they jump. */
function cut(series, marks) {
    const end = TIMES_JUMP * Math.max(...marks.flatMap(({ x, high }) => [x, high ?? x]));
    return marks.length === 0 ? series : series.map((one) => {
        const count = one.x.filter((x) => x <= end).length, part = (values) => values?.slice(0, count);
        return { ...one, x: part(one.x), y: part(one.y), ...(one.low ? { low: part(one.low), high: part(one.high) } : {}) };
    });
}

/** `named` gets what tells the states apart, for a legend of all these charts. */
function fillerChart(page, filler, core, named) {
    const series = [], marks = [], notes = [], measured = new Set(), words = describeFiller(filler);
    const states = statesOf(page, { plain: filler, core }, (run, name) =>
        pointsOf(run, "structures", name).length >= LEAST_POINTS);
    for (const state of states) {
        const verdict = sizeOf(state.run, state.name);
        const lines = linesOf(state, pointsOf(state.run, "structures", state.name), LEVELS.center,
            TIME_UNITS[page.unit](state.run), states.length === 1);
        const label = apart(page, state).join(", ") || "whole core";
        series.push(lines);
        named.set(label, { ...lines, label });
        const mark = markOf(lines, verdict, lines.color), isOne = states.length === 1;
        marks.push(...mark);
        notes.push(...sizeNotes(page, state, verdict, mark[0], isOne));
        if (verdict)
            measured.add(verdict.name);
    }
    const names = [...measured];
    if (names.length === 0)
        notes.push("No size of its own: the jumps of other fillers are compared with this one.");
    return lineChart({
        title: names.map(structureOf).join(" / ") || capitalized(words),
        hint: [...names, `filler ${filler}`].join(", "), notes, small: true,
        x: { label: `K ${words}` }, y: { label: page.unit, min: 0 }, series: cut(series, marks), marks,
    });
}

function structures(page) {
    const names = page.runs.flatMap((run) => casesOf(run, "structures", "tsc"));
    const read = names.map(readCase);
    if (read.length === 0)
        return [];
    const core = choose(page, "structures", "core", "core", [...new Set(read.map((one) => one.core))]);
    const fillers = [...new Set(read.filter((one) => one.core === core.value).map((one) => one.plain))];
    const named = new Map(), charts = fillers.map((filler) => fillerChart(page, filler, core.value, named));
    return [
        el("h3", {}, "Other structures"),
        el("p", { class: "note" }, "The same with other instructions between the two loads, the fillers: what each of them ",
            "uses up is full where the time jumps. A structure that is larger than another one the filler needs is only known to be at least that large."),
        core.control, named.size > 1 ? legend({ series: [...named.values()] }) : null,
        el("div", { class: "smalls" }, charts),
    ];
}

function render(page) {
    const parts = [[reorderBuffer(page), "Reorder buffer", "mlp"], [structures(page), "Other structures", "structures"]];
    return parts.every(([elements]) => elements.length === 0) ? [] : [el("div", {}, parts.map(
        ([elements, what, experiment]) => (elements.length > 0 ? elements :
            el("p", { class: "missing" }, `${what}: ${whyMissing(page.runs[0], experiment)}`))))];
}

export const rob = { id: "rob", title: "Reorder buffer and other structures", experiments: ["mlp", "structures"], render };
