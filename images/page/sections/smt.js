/* smt: what two threads of a core share: each structure with the sibling asleep, on NOPs, and loading. */
import { bars } from "../draw/bars.js";
import { describeFiller, hasWord, nameCase, readCase, structureOf } from "../data/cases.js";
import { choose } from "../draw/choices.js";
import { legend, lineChart, seriesColor } from "../draw/chart.js";
import { LEVELS, overK, overN } from "../curves/curves.js";
import { el, statusWord } from "../draw/dom.js";
import { TIME_UNITS, bytes, capitalized, number } from "../data/format.js";
import { casesOf, hasValue, rowsOf } from "../data/run.js";
import { WORKS, structuresOf } from "../curves/threads.js";

const MEANINGS = {
    whole: "as much as alone", halved: "half, whatever the other one does", competitive: "depends on what the other one does",
};

const inSentence = (title) => title[0].toLowerCase() + title.slice(1);

/** "Halved: a, b. Whole: c." */
function summary(run, structures, isOne) {
    const words = [...new Set(structures.map(({ word }) => word))].sort((a, b) => (a === "not known") - (b === "not known"));
    return el("p", { class: "answer" }, isOne ? "" : `${run.title}. `, words.map((word) => [
        el("strong", {}, capitalized(word)),
        Object.hasOwn(MEANINGS, word) ? ` (${MEANINGS[word]})` : "", ": ",
        structures.filter((one) => one.word === word).map(({ name }) => inSentence(structureOf(name))).join(", "), ". ",
    ]));
}

function structureBars({ name, split, word, sizes }) {
    const rows = sizes.map(({ work, verdict }) => ({ ...verdict, label: `other ${WORKS[work]}`,
        color: seriesColor(Object.keys(WORKS).indexOf(work)) }));
    const isBytes = rows[0].unit === "bytes";
    return el("div", { class: "structure" },
        bars({ title: structureOf(name), unit: isBytes ? "" : rows[0].unit, format: isBytes ? bytes : undefined, rows }),
        el("p", { class: "note" }, split.status === "ok" ? [el("strong", {}, word), " "] : null, statusWord(split.status),
            hasValue(split) ? ` ${number(100 * split.value, 3)} % left beside NOPs` : "",
            split.status === "ok" ? "" : ` ${split.method}`));
}

/* --- the curves ------------------------------------------------------------------------------ */

const overBytes = (rows) => rows.filter((row) => row.metric === "tsc" && row.bytes > 0 && row.samples > 0 && row.k > 0)
    .sort((a, b) => a.bytes - b.bytes);

// What is drawn of a case, by its name; the first that fits.
const CURVES = [
    {
        fits: (plain) => hasWord(plain, "chain"), title: "Caches: each load of a chain through an array", axis: "bytes",
        points: (rows) => {
            const all = overBytes(rows), longest = Math.max(...all.map((row) => row.k));
            return all.filter((row) => row.k === longest);
        },
        x: (row) => row.bytes, y: (row) => LEVELS.center(row) / row.k, log: 2, format: bytes,
    },
    {
        fits: (plain) => /^(4k|2m|1g)\b/.test(plain), title: "Fill buffers: fastest of N loads side by side", axis: "N loads",
        points: overN, x: (row) => row.n, y: LEVELS.fastest,
    },
    {
        fits: () => true,
        points: (rows) => overK(rows, 2), x: (row) => row.k, y: LEVELS.center,
    },
];

function curveChart(page, run, plain, core) {
    const kind = CURVES.find(({ fits }) => fits(plain)), factor = TIME_UNITS[page.unit](run);
    const measured = structuresOf(run, core).find(({ sizes }) => readCase(sizes[0].verdict.case).plain === plain);
    const series = Object.keys(WORKS).map((sibling, i) => {
        const points = kind.points(rowsOf(run, "smt", nameCase({ plain, sibling, core }), "tsc"));
        return { label: `other ${WORKS[sibling]}`, color: seriesColor(i), x: points.map(kind.x),
            y: points.map((row) => kind.y(row) * factor) };
    }).filter((one) => one.x.length > 0);
    return lineChart({
        title: kind.title ?? (measured ? structureOf(measured.name) : capitalized(describeFiller(plain))), hint: plain,
        small: true, series, x: { label: kind.axis ?? `K ${describeFiller(plain)}`, log: kind.log, format: kind.format },
        y: { label: page.unit, min: kind.log ? undefined : 0 },
    });
}

function curves(page, run, core) {
    const names = casesOf(run, "smt", "tsc").map(readCase).filter((one) => one.core === core);
    const plain = [...new Set(names.map((one) => one.plain))];
    return [
        el("h3", {}, page.runs.length > 1 ? `Curves: ${run.title}` : "Curves"),
        legend({ series: Object.values(WORKS).map((words, i) =>
            ({ label: `other thread ${words}`, color: seriesColor(i) })) }),
        el("div", { class: "smalls" }, plain.map((one) => curveChart(page, run, one, core))),
    ];
}

function render(page) {
    const runs = page.runs.filter((run) => casesOf(run, "smt", "tsc").length > 0);
    if (runs.length === 0)
        return [];
    const cores = runs.flatMap((run) => casesOf(run, "smt", "tsc").map((name) => readCase(name).core));
    const core = choose(page, "smt", "core", "core", [...new Set(cores)]);
    const shown = choose(page, "smt", "run", "run", runs.map((run) => run.title));
    const run = runs.find((one) => one.title === shown.value);
    const structures = structuresOf(run, core.value);
    return [el("div", {},
        runs.map((one) => summary(one, structuresOf(one, core.value), runs.length === 1)),
        el("p", { class: "note" }, "What one thread has of each structure while the other thread of its core sleeps, runs ",
            "NOPs, or loads from memory."),
        core.control, shown.control,
        el("div", { class: "structures" }, structures.map(structureBars)),
        curves(page, run, core.value),
    )];
}

export const smt = { id: "smt", title: "Two threads of a core", experiments: ["smt"], render };
