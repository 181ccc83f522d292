/* loaded: a load's latency while other cores keep the memory busy, and how much they move. */
import { describeCase } from "../data/cases.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS } from "../data/format.js";
import { byRisingX, loadedCurve } from "../data/points.js";
import { groupsOf, hasValue, rowsOf, valuesOf, verdictOf } from "../data/run.js";
import { lineChart, runColor, seriesColor } from "../draw/chart.js";
import { unique } from "../draw/choices.js";
import { chartCell, sayings, sectionOf, seriesOf } from "../draw/section.js";

const WORKS = ["read", "write", "copy"];
const CASE = /^(read|write|copy)-/, CORES = /-cores(\d+)(?=-|$)/;
const coresOf = (name) => Number(CORES.exec(name)?.[1] ?? 0);

/** Sorts cases by their number of other cores, the most first: they move most. */
const mostCoresFirst = (names) => [...names].sort((a, b) => coresOf(b) - coresOf(a));

/** Returns two dots for each line: at half of the peak bandwidth, and at the peak. */
function dots(page, states) {
    return states.flatMap(({ run, name, color: slot }) => WORKS.flatMap((work, i) => {
        const of = (verdict) => verdictOf(run, "loaded", `${work}-${name}`, verdict), most = of("peak_bandwidth"), hue = page.runs.length > 1 ? slot : i;
        return [["latency_at_half", 0.5, "ring"], ["latency_at_peak", 1, "diamond"]].flatMap(([time, part, shape]) =>
            (hasValue(most) && hasValue(of(time)) ? [{ x: part * most.value, y: of(time).value * TIME_UNITS[page.unit](run),
                color: seriesColor(hue), shape }] : []));
    }));
}

const curve = {
    key: "curve", experiment: "loaded", metric: "chain", title: "Latency over what the other cores move",
    cases: (names) => mostCoresFirst(unique(names.filter((name) => CASE.test(name)).map((name) => name.replace(CASE, "")))),
    lines: (rows, run, name) => WORKS.map((work, hue) => ({ label: `others ${work}`, hue, dash: [undefined, [6, 3], [2, 3]][hue],
        points: loadedCurve(rowsOf(run, "loaded", `${work}-${name}`)) })).filter(({ points }) => points.length > 1),
    x: { label: "bandwidth of the other cores, GB/s", min: 0 }, y: { label: "latency of a load" },
    more: (page, states) => ({ dots: dots(page, states),
        shapes: [{ shape: "ring", label: "half of the most" }, { shape: "diamond", label: "the most they moved" }] }),
};

/** Returns the sentences of each run, for the work and the number of cores that moved most. */
function sentences(page) {
    return page.runs.flatMap((run) => {
        const [most] = valuesOf(run, "loaded", "peak_bandwidth")
            .sort((a, b) => (b.status === "ok") - (a.status === "ok") || b.value - a.value);
        return most === undefined ? [] : [sayings(page, { experiment: "loaded", says: ["idle_latency", "latency_at_peak", "peak_bandwidth"] }, { run, name: most.case }),
            el("p", { class: "note" }, `Most is moved where the others ${most.case.split("-")[0]}: ${describeCase(most.case.replace(CASE, ""))}.`)];
    });
}

/** Draws the peak bandwidth over the number of cores; null if no line has two points. */
function overCores(page) {
    const all = page.runs.flatMap((run) => valuesOf(run, "loaded", "peak_bandwidth").filter((most) => coresOf(most.case)).map((most) => ({ run, most,
        label: [...(page.runs.length > 1 ? [run.title] : []), describeCase(most.case.replace(CORES, ""))].join(", ") })));
    const shown = groupsOf(all, ({ label }) => label).filter(([, points]) => points.length > 1);
    return shown.length === 0 ? null : chartCell(null, lineChart(page, {
        id: "loaded-cores", title: "The most that other cores move, by their number", x: { label: "other cores", min: 0 },
        y: { label: "most bandwidth of the other cores, GB/s", unit: "GB/s", min: 0 }, band: "Band: interval of the answer",
        series: shown.map(([label, points], i) => seriesOf(
            byRisingX(points.map(({ most: { case: name, value, low, high } }) => ({ x: coresOf(name), y: value, low, high }))), 1,
            { label, color: page.runs.length > 1 ? runColor(points[0].run) : seriesColor(i) })),
    }));
}

export const loaded = sectionOf({ id: "loaded", title: "Loaded latency", experiments: ["loaded"], parts: [sentences, curve, overCores] });
