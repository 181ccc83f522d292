/* rob: the time of two loads over the fillers between them, and where it jumps. */
import { describeFiller, hasWord, readCase } from "../data/cases.js";
import { labelOf, loadsIn } from "../data/figures.js";
import { apart, coreOf, statesOf, unique } from "../draw/choices.js";
import { legend, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { capitalized } from "../data/format.js";
import { twoLoads } from "../data/points.js";
import { casesOf, rowsOf } from "../data/run.js";
import { chartOf, noteOf, sectionOf, verdictSaid } from "../draw/section.js";

const loads = {
    key: "loads", experiment: "mlp", title: "Two loads with K NOPs between them",
    fits: (name) => !hasWord(name, "dependent", "prefetch", "store", "nt"),
    x: { label: "entries: NOPs and both loads" }, y: { label: "time of both loads", min: 0 },
    lines: (rows) => [{ points: twoLoads(rows, loadsIn("rob_entries")) }], marks: { rob_entries: "ROB" },
};

const sizeOf = (run, name) => run.verdicts.find((verdict) => verdict.experiment === "structures" &&
    verdict.case === name && verdict.name !== "above_floor");

const TIMES_SIZE = 2; // times the largest size: points beyond say no more

function fillerChart(page, filler, core) {
    const states = statesOf(page, { plain: filler, core }, (run, name) => twoLoads(rowsOf(run, "structures", name, "tsc")).length > 2);
    const sizes = states.map(({ run, name }) => sizeOf(run, name)), names = unique(sizes.filter(Boolean).map(({ name }) => name)), words = describeFiller(filler);
    const most = TIMES_SIZE * Math.max(...sizes.filter(Boolean).flatMap(({ value, low, high }) => [value, low, high])), loads = Math.max(0, ...names.map(loadsIn));
    return chartOf(page, "structures", {
        key: filler, experiment: "structures", title: names.map(labelOf).join(" / ") || capitalized(words),
        x: { label: `${words}${loads > 0 ? " and both loads" : ""}` }, y: { label: "time of both loads", min: 0 },
        lines: (rows) => [{ points: twoLoads(rows, loads).filter(({ x }) => !(x > most && most > 0)) }],
        marks: Object.fromEntries(names.map((name) => [name, ""])),
        more: () => ({ small: true, hint: [...names, `filler ${filler}`].join(", "), notes: names.length > 0 ?
            states.flatMap((state, i) => (sizes[i] ? [verdictSaid(page, state.run, apart(page, state).join(", "), sizes[i])] : [])) :
            ["No size of its own: other fillers' jumps are compared with this one."] }),
    }, {}, states);
}

function structures(page) {
    const read = page.runs.flatMap((run) => casesOf(run, "structures", "tsc")).map(readCase);
    if (read.length === 0)
        return [];
    const core = coreOf(page, unique(read.map((one) => one.core)));
    const fillers = unique(read.filter((one) => one.core === core).map((one) => one.plain));
    const states = fillers.flatMap((plain) => statesOf(page, { plain, core }, (run, name) => casesOf(run, "structures", "tsc").includes(name)));
    return [
        el("h3", {}, "Other structures"),
        noteOf("structures"),
        legend({ series: states.filter(({ label }, i, all) => all.findIndex((one) => one.label === label) === i)
            .map((state) => ({ ...state, color: seriesColor(state.color) })) }),
        el("div", { class: "smalls" }, fillers.map((filler) => fillerChart(page, filler, core))),
    ];
}

export const rob = sectionOf({
    id: "rob", title: "Reorder buffer and other structures", experiments: ["mlp", "structures"],
    parts: [loads, structures],
});
