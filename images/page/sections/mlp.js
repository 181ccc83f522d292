/* mlp: the time of N loads side by side, and the N from which on it is that of two serialized loads. */
import { hasWord } from "../data/cases.js";
import { columnOver, overN, timesOf } from "../data/points.js";
import { sectionOf } from "../draw/section.js";
import { overlap } from "./latency.js";

const OTHERS = ["prefetch", "store", "nt"];

/** Returns the mean, which slow loads raise, and the fastest hundredth, which only waits for buffers. */
const meanAndFastest = (rows) => [
    { label: "mean", hue: 0, points: columnOver(rows, "mean") },
    { label: "fastest hundredth", hue: 2, dash: [6, 3], points: columnOver(rows, "p1") },
];

const loads = {
    key: "loads", experiment: "mlp", title: "N loads side by side", fits: (name) => !hasWord(name, "dependent", ...OTHERS),
    x: { label: "loads side by side (N)" }, y: { label: "time of all N loads", min: 0 }, lines: meanAndFastest,
    says: ["mlp", "fill_buffers", "mlp_sustained", "mlp_counted", "fill_buffers_seen"],
    marks: { mlp: "MLP", fill_buffers: "fill buffers" }, on: { fill_buffers: 1 }, levels: { two_sequential: "two loads, one after the other" },
};

const accesses = {
    key: "accesses", experiment: "mlp", title: "N accesses side by side", fits: (name) => hasWord(name, ...OTHERS),
    x: { label: "accesses side by side (N)" }, y: { label: "time of all N accesses", min: 0 }, lines: meanAndFastest,
    says: ["fill_buffers", "mlp_sustained"],
    marks: { fill_buffers: "buffers" }, on: { fill_buffers: 1 }, levels: { one_access: "one access" },
};

const chain = {
    key: "chain", experiment: "mlp", title: "A chain of N loads", fits: (name) => hasWord(name, "dependent"),
    x: { label: "loads in a chain (N)" }, y: { label: "time of the chain", min: 0 }, lines: (rows) => [{ points: overN(rows).map((row) => ({ x: row.n, ...timesOf(row) })) }],
    says: ["sequential_slope"],
};

const PENDING = "l1d_pend_miss_pending", CYCLES = ["l1d_pend_miss_pending_cycles", "l1d_pend_miss_pending_cycles_derived"];
const counts = (rows, ...names) => rows.filter((row) => names.includes(row.metric) && row.samples > 0);

/** Returns the mean number of outstanding misses in cycles that have any, over N with the smallest K. */
function occupancyOf(rows) {
    const sums = counts(rows, PENDING).filter((row) => row.stage === null && row.n > 0), least = Math.min(...sums.map((row) => row.k));
    return sums.filter((row) => row.k === least).flatMap((sum) => {
        const cycles = counts(rows, ...CYCLES).find((row) => row.n === sum.n && row.k === sum.k && row.stage === null);
        return cycles?.mean > 0 ? [{ x: sum.n, y: sum.mean / cycles.mean }] : [];
    }).sort((a, b) => a.x - b.x);
}

/** Returns the cycles with at least x misses outstanding, up to the first x that was not reached. */
function thresholdsOf(rows) {
    const points = counts(rows, PENDING).filter((row) => row.stage > 0).sort((a, b) => a.stage - b.stage);
    return points.slice(0, points.findLastIndex((row) => row.median > 0) + 2).map((row) => ({ x: row.stage, y: row.center }));
}

const occupancy = {
    key: "occupancy", experiment: "mlp", metric: PENDING, title: "Counted: misses under way, on average while there is one",
    x: { label: "loads side by side (N)" }, y: { label: "misses under way", isTime: false, min: 0 }, lines: (rows) => [{ points: occupancyOf(rows) }],
};

const thresholds = {
    key: "thresholds", experiment: "mlp", metric: PENDING, title: "Counted: cycles with at least so many misses under way",
    x: { label: "misses under way at least" }, y: { label: "time, core cycles", unit: "core cycles", isTime: false, min: 0 }, lines: (rows) => [{ points: thresholdsOf(rows) }],
    marks: { fill_buffers_seen: "most at once" },
};

export const mlp = sectionOf({ id: "mlp", title: "Memory-level parallelism", experiments: ["mlp"],
    parts: [overlap, loads, accesses, chain, occupancy, thresholds] });
