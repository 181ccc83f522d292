/* rob: the time of two loads over the fillers between them, and where it jumps. */
import { ANSWERS, answerOf } from "../data/answers.js";
import { describeFiller, hasWord, readCase } from "../data/cases.js";
import { labelOf, loadsIn } from "../data/figures.js";
import { apart, choose, statesOf, unique } from "../draw/choices.js";
import { legend, lineChart, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, capitalized } from "../data/format.js";
import { twoLoads } from "../data/points.js";
import { casesOf, rowsOf } from "../data/run.js";
import { markOf, noteOf, say, sectionOf, seriesOf, verdictSaid } from "../draw/section.js";

const ROB = ANSWERS.find(({ names }) => names.includes("rob_entries"));

const loads = {
    key: "loads", experiment: "mlp", title: "Two loads with K NOPs between them",
    fits: (name) => !hasWord(name, "dependent", "prefetch", "store", "nt"),
    x: { label: "entries: K NOPs and both loads" }, y: { min: 0 },
    lines: (rows) => [{ points: twoLoads(rows, loadsIn("rob_entries")) }], marks: { rob_entries: "ROB" }, marksAll: true,
};

const sizeOf = (run, name) => run.verdicts.find((verdict) => verdict.experiment === "structures" &&
    verdict.case === name && verdict.name !== "above_floor");

const TIMES_SIZE = 2; // times the largest size, measured or published: points beyond say no more

function fillerChart(page, filler, core, named) {
    const has = (run, name) => twoLoads(rowsOf(run, "structures", name, "tsc")).length > 2;
    const states = statesOf(page, { plain: filler, core }, has), sizes = states.map(({ run, name }) => sizeOf(run, name));
    const marks = states.flatMap((state, i) => (sizes[i] ? markOf(page, state.run, sizes[i], "x", "", seriesColor(state.color)) : []));
    const names = unique(sizes.filter(Boolean).map(({ name }) => name)), words = describeFiller(filler), loads = Math.max(0, ...names.map(loadsIn));
    const end = TIMES_SIZE * Math.max(...marks.map(({ x, high }) => Math.max(x, high ?? x)));
    const series = states.map((state) => {
        const points = twoLoads(rowsOf(state.run, "structures", state.name, "tsc"), loads).filter(({ x }) => marks.length === 0 || x <= end);
        const line = seriesOf(points, TIME_UNITS[page.unit](state.run),
            { label: state.label, color: seriesColor(state.color), dash: state.dash }, states.length === 1);
        named.set(state.label, line);
        return line;
    });
    return lineChart(page, {
        runs: unique(states.map(({ run }) => run)), id: `structures-${filler}`, title: names.map(labelOf).join(" / ") || capitalized(words), hint: [...names, `filler ${filler}`].join(", "),
        notes: names.length > 0 ? states.flatMap((state, i) => (sizes[i] ? [verdictSaid(page, state.run, apart(page, state).join(", "), sizes[i])] : [])) :
            ["No size of its own: other fillers' jumps are compared with this one."],
        small: true, x: { label: `K ${words}${loads > 0 ? " + 2" : ""}` }, y: { label: page.unit, unit: page.unit, min: 0 }, series, marks,
    });
}

function structures(page) {
    const read = page.runs.flatMap((run) => casesOf(run, "structures", "tsc")).map(readCase);
    if (read.length === 0)
        return [];
    const core = choose(page, "structures.core", "core", unique(read.map((one) => one.core)));
    const fillers = unique(read.filter((one) => one.core === core.value).map((one) => one.plain));
    const named = new Map(), charts = fillers.map((filler) => fillerChart(page, filler, core.value, named));
    return [
        el("h3", {}, "Other structures"),
        noteOf("structures"),
        core.control, named.size > 1 ? legend({ series: [...named.values()] }) : null,
        el("div", { class: "smalls" }, charts),
    ];
}

export const rob = sectionOf({
    id: "rob", title: "Reorder buffer and other structures", experiments: ["mlp", "structures"],
    parts: [(page) => (page.runs.some((run) => casesOf(run, "mlp", "tsc").length > 0) ? page.runs.map((run) =>
        say(page, run, page.runs.length > 1 ? `Reorder buffer, ${run.title}` : "Reorder buffer", answerOf(run, ROB))) : []), loads, structures],
});
