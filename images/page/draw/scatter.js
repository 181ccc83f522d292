/* scatter: how much runs of one machine vary, by boots: a strip of points for each of the main figures. */
import { lineChart, runColor } from "./chart.js";
import { el } from "./dom.js";
import { inUnit, middle, spread, withUnit } from "../data/format.js";
import { groupsOf } from "../data/run.js";
import { machinesOf } from "../data/runs.js";
import { MAIN, caseWords, rankOf } from "../data/answers.js";
import { labelOf } from "../data/figures.js";

const HEIGHT = 112, ROOM = 0.15; // CSS pixels; above and below the points, as a share of their range

/** Returns the runs' verdicts of a name, in the case in which most are ok; [] if it has fewer than two values. */
function commonVerdicts(runs, name) {
    const found = runs.flatMap((run) => run.verdicts.filter((one) => one.name === name && one.value !== null)
        .map((verdict) => ({ run, verdict })));
    const cases = groupsOf(found, ({ verdict }) => `${verdict.experiment} ${verdict.case}`).map(([, members]) => members);
    const ok = (members) => members.filter(({ verdict }) => verdict.status === "ok").length;
    cases.sort((a, b) => ok(b) - ok(a) || b.length - a.length || rankOf(a[0].verdict) - rankOf(b[0].verdict));
    return cases.length > 0 && cases[0].length > 1 ? cases[0] : [];
}

/** Draws strips for each machine with several runs; `further`: names of verdicts besides those of the main figures. */
export const scatterOf = (page, further) => machinesOf(page.runs).filter(({ boots }) => boots.flat().length > 1)
    .flatMap((machine) => machineStrips(page, machine, further));

function machineStrips(page, { name, boots }, further) {
    const runs = boots.flat(), isTold = runs.every((run) => run.json.machine.boot);
    const shared = runs.find((run) => run.json.machine.id_shared)?.json.machine.id_shared;
    const strips = [...new Set([...MAIN, ...further])].map((name) =>
        strip(page, runs, isTold ? boots : [runs], commonVerdicts(runs, name))).filter(Boolean);
    return [
        el("h3", {}, `How far ${runs.length} runs of machine ${name} scatter`),
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
    const { unit } = found[0].verdict, title = labelOf(found[0].verdict.name), shown = unit === "ticks" ? page.unit : unit;
    const points = found.map(({ run, verdict }) => point(page, run, verdict));
    const values = points.map((one) => one.value), ofRun = new Map(points.map((one) => [one.run, one.value]));
    return [
        el("div", {}, el("strong", {}, `${title}: ${withUnit(middle(values), shown)}`),
            `median of ${values.length} runs, ${caseWords(found[0].verdict)}; ${spread(values, shown)} between runs`,
            boots.length > 1 ? `, ${spread(mediansOf(boots, ofRun), shown)} between boots` : ""),
        lineChart(page, {
            id: `scatter-${runs[0].slot}-${found[0].verdict.name}`, title: `${title}, run by run`, small: true, height: HEIGHT, band: "Whisker: interval of the answer",
            series: points.map((one) => ({
                label: one.label, color: runColor(one.run), isScatter: true, isDoubt: one.isDoubt,
                x: [runs.indexOf(one.run) + 1], y: [one.value], low: [one.low], high: [one.high],
            })),
            x: { label: "run", min: 0.5, max: runs.length + 0.5, format: (x) => (Number.isInteger(x) ? String(x) : "") },
            y: { label: shown, ...rangeOf(points), format: (y) => withUnit(y, unit === "bytes" ? unit : "") },
        }),
    ];
}

function point(page, run, verdict) {
    const { value, low, high, status } = inUnit(verdict, page.unit, run);
    return { run, value, low: low ?? value, high: high ?? value, isDoubt: status !== "ok", label: status === "ok" ? run.title : `${run.title} (${status})` };
}

/** Returns the range of all intervals with some room, at least 1 % of the value on either side. */
function rangeOf(points) {
    const low = Math.min(...points.map((one) => one.low)), high = Math.max(...points.map((one) => one.high));
    const room = Math.max(ROOM * (high - low), Math.abs(high) / 100);
    return { min: low - room, max: high + room };
}

const mediansOf = (boots, values) => boots.map((boot) => boot.filter((run) => values.has(run)).map((run) => values.get(run)))
    .filter((list) => list.length > 0).map(middle);
