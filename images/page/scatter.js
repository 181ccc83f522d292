/* scatter: how far runs of one machine are apart, by boots: a strip of points for each of the main figures. */
import { lineChart, runColor } from "./chart.js";
import { el } from "./dom.js";
import { number, TIME_UNITS } from "./format.js";

/* The figures of the last screen, in its order. */
const FIGURES = [
    ["mlp", "rob_entries", "Reorder buffer"], ["mlp", "mlp", "MLP"], ["mlp", "fill_buffers", "Fill buffers"],
    ["array", "l1_bytes", "L1"], ["array", "l2_bytes", "L2"], ["array", "l3_bytes", "L3"],
    ["array", "memory_latency", "Memory"], ["mlp", "one_load", "One load"],
    ["tlb", "dtlb_entries", "First TLB"], ["tlb", "stlb_entries", "Second TLB"], ["tlb", "walk_cost", "Page walk"],
];

const HEIGHT = 118; // CSS pixels

/**
 * Runs of one machine, in order of time, boot by boot. What names no machine stands alone.
 * @returns {{id: string, boots: import("./run.js").Run[][]}[]}
 */
export function machinesOf(runs) {
    const machines = groupsOf(runs.filter((run) => run.json.machine?.id), (run) => run.json.machine.id);
    const time = (run) => run.json.machine.utc_start ?? "";
    return machines.map(([id, ofMachine]) => {
        const inTime = [...ofMachine].sort((a, b) => time(a).localeCompare(time(b)));
        return { id, boots: groupsOf(inTime, (run) => run.json.machine.boot ?? "").map(([, boot]) => boot) };
    });
}

function groupsOf(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    return [...groups];
}

/** The verdicts of that name, in the case that most runs have a value of; [] where fewer than two have. */
function commonVerdicts(runs, experiment, name) {
    const found = runs.flatMap((run) => run.verdicts
        .filter((v) => v.experiment === experiment && v.name === name && v.value !== null)
        .map((verdict) => ({ run, verdict })));
    const cases = groupsOf(found, ({ verdict }) => verdict.case).map(([, members]) => members);
    const ok = (members) => members.filter(({ verdict }) => verdict.status === "ok").length;
    cases.sort((a, b) => ok(b) - ok(a) || b.length - a.length);
    return cases.length > 0 && cases[0].length > 1 ? cases[0] : [];
}

/** The elements for each machine that several runs are of. */
export function scatterOf(page) {
    return machinesOf(page.runs).filter(({ boots }) => boots.flat().length > 1).flatMap((machine) => machineStrips(page, machine));
}

function machineStrips(page, { id, boots }) {
    const runs = boots.flat(), isTold = runs.every((run) => run.json.machine.boot);
    const shared = runs.find((run) => run.json.machine.id_shared)?.json.machine.id_shared;
    const strips = FIGURES.map(([experiment, name, title]) =>
        strip(page, runs, isTold ? boots : [runs], title, commonVerdicts(runs, experiment, name))).filter(Boolean);
    return [
        el("h3", {}, `How far ${runs.length} runs of machine ${id} scatter`),
        el("p", {}, isTold ? `They are of ${boots.length} ${boots.length > 1 ? "boots" : "boot"}, in order of time.` :
            "In order of time; of which boots they are is not told by all of them.",
        shared ? ` One machine as far as can be told: ${shared}.` : ""),
        strips.length > 0 ? el("div", { class: "strips" }, strips) :
            el("p", { class: "missing" }, "No figure has a value in two of them."),
    ];
}

function strip(page, runs, boots, title, found) {
    if (found.length === 0)
        return null;
    const { unit, case: name } = found[0].verdict;
    const factor = (run) => (unit === "ticks" ? TIME_UNITS[page.unit](run) ?? 1 : 1);
    const shown = unit === "ticks" ? page.unit : unit;
    const values = new Map(found.map(({ run, verdict }) => [run, verdict.value * factor(run)]));
    const series = found.map(({ run, verdict: { value, low, high, status } }) => ({
        label: status === "ok" ? run.title : `${run.title} (${status})`, color: runColor(run), points: true, whiskers: true,
        x: [runs.indexOf(run) + 1], y: [value * factor(run)],
        low: [(low ?? value) * factor(run)], high: [(high ?? value) * factor(run)],
    }));
    return [
        el("div", {}, el("b", {}, `${title}: ${number(middle([...values.values()]))} ${shown}`),
            `median of ${found.length} runs, ${name}; ${spread([...values.values()])} between runs`,
            boots.length > 1 ? `, ${spread(mediansOf(boots, values))} between boots` : ""),
        lineChart({
            title: `${title}, run by run`, height: HEIGHT, series, legend: false,
            x: { label: "run", min: 0.5, max: runs.length + 0.5, format: (x) => (Number.isInteger(x) ? String(x) : "") },
            y: { label: shown }, shades: boots.length > 1 ? bootShades(boots) : [],
        }),
    ];
}

function bootShades(boots) {
    let from = 0.5;
    return boots.map((boot, i) => ({ label: `boot ${i + 1}`, from, to: from += boot.length }));
}

function mediansOf(boots, values) {
    return boots.map((boot) => boot.filter((run) => values.has(run)).map((run) => values.get(run)))
        .filter((list) => list.length > 0).map(middle);
}

/** A value that some run had: of an even number the lower one. */
export function middle(values) {
    return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

/** From the least to the largest, in percent of the middle one. */
export function spread(values) {
    const least = Math.min(...values), largest = Math.max(...values);
    if (least === largest)
        return "no difference";
    const percent = 100 * (largest - least) / Math.abs(middle(values));
    return `${number(least)} to ${number(largest)}${Number.isFinite(percent) ? ` (${number(percent, 2)} %)` : ""}`;
}
