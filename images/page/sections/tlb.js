/* tlb: the TLB's capacity in pages, the cost of page walks, and how many walks run in parallel. */
import { unique } from "../draw/choices.js";
import { number } from "../data/format.js";
import { PAGE_BYTES, describeCase, pagesOf, withTlb } from "../data/cases.js";
import { labelOf } from "../data/figures.js";
import { chainCurve, columnOver, withBreaks } from "../data/points.js";
import { rowsOf } from "../data/run.js";
import { entriesOf, sectionOf, verdictBars } from "../draw/section.js";

const CHAIN = "chain-";

/** Puts cases of 4 KB pages first: these need the TLB most. */
const smallFirst = (names) => [...names].sort((a, b) => (pagesOf(a) !== "4k") - (pagesOf(b) !== "4k"));

const axes = { x: { label: "pages", log: 2, format: (value) => number(value) }, y: { label: "time of a load", log: 2 } };

const stairs = {
    key: "chain", experiment: "tlb", metric: "chain", before: CHAIN, ...axes, order: smallFirst,
    title: "A chain of loads through N pages: where a level of the TLB ends, the time steps up",
    says: ["dtlb_entries", "stlb_entries", "dtlb_miss_cost"],
    marks: { dtlb_entries: "", stlb_entries: "" },
    lines: (rows, run, name) => [
        { label: "pages side by side", points: chainCurve(rows, "chain", PAGE_BYTES[pagesOf(name)]) },
        { label: "as many lines, without page effects", dash: [2, 3], hue: 6, points: chainCurve(rows, "chain_dense", null) },
    ],
};

const TLB_STATES = { "": "as in a large array", warm: "just used", cold: "dropped", walkmem: "dropped, page tables in memory" };

const loads = {
    key: "loads", experiment: "tlb", title: "Loads side by side, data in the caches: what their page walks add", order: smallFirst,
    x: { label: "loads side by side (N)" }, y: { label: "time of all N loads", min: 0 },
    fits: (name) => name.startsWith(pagesOf(name)), cases: (names) => unique(names.map((name) => withTlb(name))),
    lines: (rows, run, name) => withBreaks(Object.entries(TLB_STATES).map(([tlb, label], hue) => ({
        label, hue, points: columnOver(rowsOf(run, "tlb", withTlb(name, tlb)), "center"),
    })).filter(({ points }) => points.length > 1)),
};

function walks(page) {
    const label = ({ case: name, name: verdict }) => `${labelOf(verdict)}, ${describeCase(name.replace(CHAIN, ""))}`;
    const bars = (title, ...names) => verdictBars(page, title, entriesOf(page, "tlb", names, label));
    return [
        bars("Extra time of a single load that misses the TLB", "walk_cost"),
        bars("Extra time of each load of a chain through pages so far apart that walks need a higher table too", "walk_cost_2m_stride"),
        verdictBars(page, "Page walks that go side by side", entriesOf(page, "tlb", ["parallel_walks"], label), ""),
    ];
}

export const tlb = sectionOf({ id: "tlb", title: "TLB and page walks", experiments: ["tlb"], parts: [stairs, loads, walks] });
