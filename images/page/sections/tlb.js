/* tlb: the TLB's capacity in pages, the cost of page walks, and how many walks run in parallel. */
import { chooseCase, unique } from "../draw/choices.js";
import { lineChart, seriesColor } from "../draw/chart.js";
import { TIME_UNITS, bytes, number } from "../data/format.js";
import { PAGE_BYTES, describeCase, partsOf, withTlb } from "../data/cases.js";
import { labelOf } from "../data/figures.js";
import { areAlike, chainCurve, overN } from "../data/points.js";
import { casesOf, rowsOf } from "../data/run.js";
import { entriesOf, sectionOf, seriesOf, verdictBars } from "../draw/section.js";

const CHAIN = "chain-";

/** Puts cases of 4 KB pages first: these need the TLB most. */
const smallFirst = (names) => [...names].sort((a, b) => (partsOf(a).page !== "4k") - (partsOf(b).page !== "4k"));

const axes = { x: { label: "pages", log: 2, format: (value) => number(value) }, y: { label: "for each load", log: 2 } };

const stairs = {
    key: "chain", experiment: "tlb", metric: "chain", before: CHAIN, ...axes, order: smallFirst,
    title: "A chain of loads through N pages: where a level of the TLB ends, the time steps up",
    says: ["dtlb_entries", "stlb_entries", "dtlb_miss_cost", "dtlb_ways", "stlb_ways"],
    marks: { dtlb_entries: "", stlb_entries: "" },
    lines: (rows, run, name) => [
        { label: "pages side by side", points: chainCurve(rows, "chain", PAGE_BYTES[partsOf(name).page]) },
        { label: "as many lines, without page effects", dash: [2, 3], hue: 7, points: chainCurve(rows, "chain_dense", null) },
    ],
    more: () => ({ height: 320 }),
};

const FAR_MAX = 6; // lines that the eye can tell apart

/** Returns a curve for each group of distances with the same times, without curves that end before others do. */
function farCurves(rows, page) {
    const distances = unique(rows.filter((row) => row.metric === "chain" && row.samples > 0 && row.bytes > PAGE_BYTES[page])
        .map((row) => row.bytes)).sort((a, b) => a - b);
    const curves = distances.map((distance) => ({ distances: [distance], points: chainCurve(rows, "chain", distance) }));
    const most = Math.max(...curves.map(({ points }) => points.at(-1).x)), groups = [];
    for (const curve of curves.filter(({ points }) => points.at(-1).x === most)) {
        const same = groups.find((group) => areAlike(group.points, curve.points));
        if (same)
            same.distances.push(...curve.distances);
        else
            groups.push(curve);
    }
    return groups.slice(-FAR_MAX);
}

/** Draws chains through pages that share few sets: the fewer pages before a step, the fewer ways there are. */
function farApart(page) {
    const names = smallFirst(page.runs.flatMap((run) => casesOf(run, "tlb", "chain")).map((name) => name.slice(CHAIN.length)));
    if (page.runs.length !== 1 || names.length === 0)
        return [];
    const { plain, words } = chooseCase(page, "tlb-chain", names), [run] = page.runs, name = CHAIN + plain;
    const curves = farCurves(rowsOf(run, "tlb", name), partsOf(name).page), factor = TIME_UNITS[page.unit](run);
    return curves.length === 0 ? [] : [lineChart(page, {
        id: "tlb-far", title: `The same with pages farther apart: ${words}`, ...axes, y: { ...axes.y, label: `${page.unit} for each load`, unit: page.unit },
        series: curves.map(({ distances, points }, i) => seriesOf(points, factor,
            { label: `${distances.map(bytes).join(", ")} apart`, color: seriesColor(i + 3) }, false)),
    })];
}

const TLB_STATES = { natural: "as in a large array", warm: "just used", cold: "dropped", walkmem: "dropped, page tables in memory" };

const loads = {
    key: "loads", experiment: "tlb", title: "Loads side by side, data in the caches: what their page walks add", order: smallFirst,
    x: { label: "N loads" }, y: { label: "for all N", min: 0 }, fits: (name) => partsOf(name)?.pattern === "",
    cases: (names) => unique(names.map((name) => withTlb(name, "natural"))),
    lines: (rows, run, name) => Object.entries(TLB_STATES).map(([tlb, label], hue) => ({
        label, hue, points: overN(rowsOf(run, "tlb", withTlb(name, tlb))).map((row) => ({ x: row.n, y: row.center, samples: row.samples })),
    })).filter(({ points }) => points.length > 1),
};

function walks(page) {
    const label = ({ case: name, name: verdict }) => `${labelOf(verdict)}, ${describeCase(name.replace(CHAIN, ""))}`;
    const bars = (title, ...names) => verdictBars(page, title, entriesOf(page, "tlb", names, label));
    return [
        bars("Extra time of a single load that misses the TLB", "walk_cost"),
        bars("Extra time of each load of a chain through pages so far apart that walks need higher tables too", "walk_cost_2m_stride", "walk_cost_1g_stride", "walk_cost_512g_stride"),
        verdictBars(page, "Page walks that go side by side", entriesOf(page, "tlb", ["parallel_walks"], label), ""),
    ];
}

export const tlb = sectionOf({ id: "tlb", title: "TLB and page walks", experiments: ["tlb"], parts: [stairs, farApart, loads, walks] });
