/* overlap: how many loads were under way, from a case's rows: by time against two in turn, and counted. */
import { LEVELS, fitLine, lineAt, overK } from "./curves.js";

const TOLERANCE = 0.03; // of kernel/analysis/overlap.c

/**
 * What the mean time of N loads has to reach for them to be no faster than two in turn: the mean of two loads
 * at the reorder buffer's jump, by the line from there on, less the tolerance.
 * @param {number} cliff  rob_cliff_k
 * @returns {number|null} in ticks; null: there are not two points from the jump on
 */
export function limitOf(rows, cliff) {
    const beyond = overK(rows, 2).filter((row) => row.k >= cliff);
    if (beyond.length < 2)
        return null;
    const x = beyond.map((row) => row.k);
    return lineAt(fitLine(x, beyond.map(LEVELS.mean)), x[0]) * (1 - TOLERANCE);
}

const PENDING = "l1d_pend_miss_pending";
const CYCLES = ["l1d_pend_miss_pending_cycles", "l1d_pend_miss_pending_cycles_derived"];

/**
 * Misses outstanding for each cycle with one, over N with the smallest K.
 * @returns {{x: number[], y: number[]}}
 */
export function occupancyOf(rows) {
    const counted = (names) => rows.filter((row) => names.includes(row.metric) && row.samples > 0);
    const sums = counted([PENDING]).filter((row) => row.stage === null && row.n > 0);
    const least = Math.min(...sums.map((row) => row.k));
    const points = sums.filter((row) => row.k === least).flatMap((sum) => {
        const cycles = counted(CYCLES).find((row) => row.n === sum.n && row.k === sum.k && row.stage === null);
        return cycles?.mean > 0 ? [[sum.n, sum.mean / cycles.mean]] : [];
    }).sort((a, b) => a[0] - b[0]);
    return { x: points.map(([n]) => n), y: points.map(([, ratio]) => ratio) };
}

/** Cycles in which at least so many misses were outstanding, up to the first number that none was reached with. */
export function thresholdsOf(rows) {
    const points = rows.filter((row) => row.metric === PENDING && row.stage > 0 && row.samples > 0)
        .sort((a, b) => a.stage - b.stage);
    const end = points.findLastIndex((row) => row.median > 0) + 2;
    return { x: points.slice(0, end).map((row) => row.stage), y: points.slice(0, end).map((row) => row.median) };
}
