/* loads: the curve of experiment loaded: what a load takes over what the other cores move. */
import { medianOf } from "./intervals.js";

// Loads of the two chains; see kernel/experiments/loaded/loaded_rule.h.
const SHORT = 8, LONG = 72;

/** "read-2m-cores3" -> what the others do, and the rest; null: a case of another kind. */
export function workOf(name) {
    const found = /^(read|write|copy)-(.*)$/.exec(name);
    return found ? { work: found[1], rest: found[2] } : null;
}

/** How many other cores a case has; null: its name does not say. */
export function coresOf(name) {
    const found = /-cores(\d+)(-|$)/.exec(name);
    return found ? Number(found[1]) : null;
}

export function withoutCores(name) {
    return name.replace(/-cores\d+(?=-|$)/, "");
}

function rowAt(rows, metric, n, k) {
    return rows.find((row) => row.metric === metric && row.n === n && row.k === k && row.samples > 0);
}

/**
 * What both chains take alike is in neither's difference.
 * @param {Object[]} rows  of one case
 * @returns {{pause: number|null, moved: number, latency: number, reach: number}[]}  moved: GB/s, rising;
 *     latency and its reach: ticks of a load; pause: null where the others rest
 */
export function loadedCurve(rows) {
    const curve = [];
    for (const long of rows) {
        if (long.metric !== "chain" || long.n !== LONG || !(long.samples > 0))
            continue;
        const short = rowAt(rows, "chain", SHORT, long.k), traffic = rowAt(rows, "traffic", LONG, long.k);
        if (!short || !traffic)
            continue;
        const all = medianOf(long), few = medianOf(short);
        curve.push({
            pause: long.k, moved: medianOf(traffic).value, latency: (all.value - few.value) / (LONG - SHORT),
            reach: Math.hypot(all.reach, few.reach) / (LONG - SHORT),
        });
    }
    return apart(curve.sort((a, b) => a.moved - b.moved));
}

/** Two rates may move the same; a line needs them side by side, in whatever digit. */
function apart(curve) {
    for (let i = 1; i < curve.length; i++)
        if (curve[i].moved <= curve[i - 1].moved)
            curve[i].moved = curve[i - 1].moved + Math.max(curve[i - 1].moved, 1e-3) * 1e-9;
    return curve;
}
