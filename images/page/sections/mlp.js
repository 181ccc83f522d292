/* mlp: the time of N loads side by side, and the N from which on it is that of two serialized loads. */
import { hasWord } from "../data/cases.js";
import { columnOver } from "../data/points.js";
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
    marks: { mlp: "published rule", fill_buffers: "fill buffers" }, on: { fill_buffers: 1 }, levels: { two_sequential: "two loads, one after the other" },
};

const accesses = {
    key: "accesses", experiment: "mlp", title: "N accesses side by side", fits: (name) => hasWord(name, ...OTHERS),
    x: { label: "accesses side by side (N)" }, y: { label: "time of all N accesses", min: 0 }, lines: meanAndFastest,
    says: ["fill_buffers", "mlp_sustained"],
    marks: { fill_buffers: "buffers" }, on: { fill_buffers: 1 }, levels: { one_access: "one access" },
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

const occupancy = {
    key: "occupancy", experiment: "mlp", metric: PENDING, title: "Counted: misses under way, on average while there is one",
    x: { label: "loads side by side (N)" }, y: { label: "misses under way", isTime: false, min: 0 }, lines: (rows) => [{ points: occupancyOf(rows) }],
};

export const mlp = sectionOf({ id: "mlp", title: "Memory-level parallelism", experiments: ["mlp"],
    parts: [overlap, loads, accesses, occupancy] });
