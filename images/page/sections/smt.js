/* smt: how two threads share a core: each structure with the sibling asleep, on NOPs, and loading. */
import { describeFiller, hasWord, nameCase, readCase } from "../data/cases.js";
import { labelOf, loadsIn } from "../data/figures.js";
import { WORKS, structuresOf } from "../data/threads.js";
import { choose, coreOf, unique } from "../draw/choices.js";
import { legend, lineChart, seriesColor } from "../draw/chart.js";
import { el, statusWord } from "../draw/dom.js";
import { TIME_UNITS, bytes, capitalized, number } from "../data/format.js";
import { columnOver, latencies, twoLoads } from "../data/points.js";
import { casesOf, hasValue, rowsOf } from "../data/run.js";
import { markOf, noteOf, sectionOf, seriesOf } from "../draw/section.js";

const MEANINGS = { whole: "as much as alone", halved: "half, whatever the other one does", competitive: "depends on what the other one does" };

/** Returns "Halved: a, b. Whole: c. Not known: 3 structures." */
function summary(page, run, structures) {
    const words = unique(structures.map(({ word }) => word)).sort((a, b) => (a === "not known") - (b === "not known"));
    return el("p", { class: "answer" }, page.runs.length > 1 ? `${run.title}. ` : "", words.map((word) => {
        const own = structures.filter((one) => one.word === word);
        return [el("strong", {}, capitalized(word)), Object.hasOwn(MEANINGS, word) ? ` (${MEANINGS[word]})` : "", ": ",
            word === "not known" ? `${own.length} of ${structures.length} structures` : own.map(({ name }) => labelOf(name)).join(", "), ". "];
    }));
}

// The curves, by the names of their cases; a case gets the first curve that fits.
const CURVES = [
    { fits: (plain) => hasWord(plain, "chain"), label: "array size", points: (rows) => latencies(rows, 1), x: { log: 2, format: bytes, plain: "bytes" } },
    { fits: (plain) => /^(4k|2m|1g)\b/.test(plain), label: "loads side by side (N)", points: (rows) => columnOver(rows, "p1") },
    { fits: () => true, points: twoLoads },
];

function structureChart(page, run, core, { name, plain, split, word, sizes }) {
    const kind = CURVES.find(({ fits }) => fits(plain)), loads = loadsIn(name), factor = TIME_UNITS[page.unit](run), works = Object.keys(WORKS);
    const series = works.map((sibling, i) => seriesOf(kind.points(rowsOf(run, "smt", nameCase({ plain, sibling, core }), "tsc"), loads), factor,
        { label: `other ${WORKS[sibling]}`, color: seriesColor(i) }, false)).filter(({ x }) => x.length > 0);
    const left = hasValue(split) ? ` ${number(100 * split.value, 3)} % left beside NOPs` : "";
    return lineChart(page, {
        runs: [run], id: `smt-${plain}-${name.replaceAll("_", "-")}`, title: labelOf(name), hint: plain, small: true, series,
        notes: [[split.status === "ok" ? el("strong", {}, `${word} `) : "", statusWord(split.status, split.method), left]],
        marks: works.flatMap((work, i) => markOf(page, run, sizes.get(work), "x", "", seriesColor(i), kind.x?.format)).filter(({ isPublished }) => !isPublished),
        x: { label: kind.label ?? `${describeFiller(plain)}${loads > 0 ? " and both loads" : ""}`, ...kind.x },
        y: { label: `time, ${page.unit}`, unit: page.unit, ...(kind.x ? {} : { min: 0 }) },
    });
}

function structures(page) {
    const runs = page.runs.filter((run) => casesOf(run, "smt", "tsc").length > 0);
    if (runs.length === 0)
        return [];
    const core = coreOf(page, unique(runs.flatMap((run) => casesOf(run, "smt", "tsc").map((name) => readCase(name).core))));
    const shown = choose(page, "smt.run", "run", runs.map((run) => run.title)), run = runs.find((one) => one.title === shown.value);
    return [
        runs.map((one) => summary(page, one, structuresOf(one, core))),
        noteOf("smt"),
        shown.control,
        legend({ series: Object.values(WORKS).map((words, i) => ({ label: `other thread ${words}`, color: seriesColor(i) })) }),
        el("div", { class: "smalls" }, structuresOf(run, core).map((one) => structureChart(page, run, core, one))),
    ];
}

export const smt = sectionOf({ id: "smt", title: "Two threads of a core", experiments: ["smt"], parts: [structures] });
