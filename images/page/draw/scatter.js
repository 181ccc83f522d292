/* scatter: how far runs of one machine are apart, by boots: a strip of points for each of the main figures. */
import { lineChart, runColor } from "./chart.js";
import { el } from "./dom.js";
import { middle, spread, TIME_UNITS, withUnit } from "../data/format.js";
import { groupsOf, machinesOf } from "../data/runs.js";
import { ANSWERS } from "../data/answers.js";

/** The figures that matter most: verdicts' names, and what to call them. */
export const MAIN_FIGURES = new Map([
    ...ANSWERS.flatMap(({ names, title }) => names.map((name) => [name, title])),
    ["rob_cliff_k", "Jump of two loads"],
]);

const HEIGHT = 112, ROOM = 0.15; // CSS pixels; above and below the points, as a share of their range

/**
 * What runs have of a verdict, in the case that most of them have it of.
 * @returns {{run: import("../data/run.js").Run, verdict: Object}[]}  [] where fewer than two have a value
 */
function commonVerdicts(runs, name) {
    const found = runs.flatMap((run) => run.verdicts.filter((one) => one.name === name && one.value !== null)
        .map((verdict) => ({ run, verdict })));
    const cases = groupsOf(found, ({ verdict }) => `${verdict.experiment} ${verdict.case}`).map(([, members]) => members);
    const ok = (members) => members.filter(({ verdict }) => verdict.status === "ok").length;
    cases.sort((a, b) => ok(b) - ok(a) || b.length - a.length);
    return cases.length > 0 && cases[0].length > 1 ? cases[0] : [];
}

/**
 * The elements for each machine that several runs are of.
 * @param {string[]} further  names of verdicts that are to be shown besides the main ones
 */
export function scatterOf(page, further) {
    return machinesOf(page.runs).filter(({ boots }) => boots.flat().length > 1)
        .flatMap((machine) => machineStrips(page, machine, further));
}

function machineStrips(page, { id, boots }, further) {
    const runs = boots.flat(), isTold = runs.every((run) => run.json.machine.boot);
    const shared = runs.find((run) => run.json.machine.id_shared)?.json.machine.id_shared;
    const strips = [...new Set([...MAIN_FIGURES.keys(), ...further])].map((name) =>
        strip(page, runs, isTold ? boots : [runs], commonVerdicts(runs, name))).filter(Boolean);
    return [
        el("h3", {}, `How far ${runs.length} runs of machine ${id} scatter`),
        el("p", {}, isTold ? `They are of ${boots.length} ${boots.length > 1 ? "boots" : "boot"}, in order of time.` :
            "They are in order of time; not all of them tell of which boot they are.",
        shared ? ` It is one machine as far as can be told: ${shared}.` : ""),
        strips.length > 0 ? el("div", { class: "strips" }, strips) :
            el("p", { class: "missing" }, "No main figure has a value in two of them."),
    ];
}

function strip(page, runs, boots, found) {
    if (found.length === 0)
        return null;
    const { unit, case: ofCase, name } = found[0].verdict;
    const title = MAIN_FIGURES.get(name) ?? name, shown = unit === "ticks" ? page.unit : unit;
    const points = found.map(({ run, verdict }) => point(page, run, verdict));
    const values = points.map((one) => one.value), ofRun = new Map(points.map((one) => [one.run, one.value]));
    return [
        el("div", {}, el("strong", {}, `${title}: ${withUnit(middle(values), shown)}`),
            `median of ${values.length} runs, case ${ofCase}; ${spread(values, shown)} between runs`,
            boots.length > 1 ? `, ${spread(mediansOf(boots, ofRun), shown)} between boots` : ""),
        lineChart({
            title: `${title}, run by run`, small: true, height: HEIGHT,
            series: points.map((one) => ({
                label: one.label, color: runColor(one.run), points: true, whiskers: true,
                x: [runs.indexOf(one.run) + 1], y: [one.value], low: [one.low], high: [one.high],
            })),
            x: { label: "run", min: 0.5, max: runs.length + 0.5, format: (x) => (Number.isInteger(x) ? String(x) : "") },
            y: { label: shown, ...rangeOf(points), format: (y) => withUnit(y, unit === "bytes" ? unit : "") },
            shades: boots.length > 1 ? bootShades(boots) : [],
        }),
    ];
}

function point(page, run, { value, low, high, unit, status }) {
    const factor = unit === "ticks" ? TIME_UNITS[page.unit](run) ?? 1 : 1;
    return {
        run, value: value * factor, low: (low ?? value) * factor, high: (high ?? value) * factor,
        label: status === "ok" ? run.title : `${run.title} (${status})`,
    };
}

/** All intervals with some room; 1 % of the value to either side at least. */
function rangeOf(points) {
    const low = Math.min(...points.map((one) => one.low)), high = Math.max(...points.map((one) => one.high));
    const room = Math.max(ROOM * (high - low), Math.abs(high) / 100);
    return { min: low - room, max: high + room };
}

function bootShades(boots) {
    let from = 0.5;
    return boots.map((boot, i) => ({ label: `boot ${i + 1}`, from, to: from += boot.length }));
}

function mediansOf(boots, values) {
    return boots.map((boot) => boot.filter((run) => values.has(run)).map((run) => values.get(run)))
        .filter((list) => list.length > 0).map(middle);
}
