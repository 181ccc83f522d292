/* quiet: rows that tell how quiet it was: gaps, the core's pace and state, and points measured again. */
import { medianOf } from "./intervals.js";
import { casesOf, rowsOf } from "../data/run.js";

/**
 * The histogram of gaps of a case of noise.
 * @returns {{exponent: number, row: Object}[]}  exponent: of the decade's lower end, in nanoseconds;
 *     row.samples counts its gaps
 */
export function gapsOf(run, name) {
    return rowsOf(run, "noise", name, "gap").map((row) => ({ exponent: row.n, row }))
        .sort((a, b) => a.exponent - b.exponent);
}

/** Seconds that a case of noise has watched; 0: not known. */
export function watchedSeconds(run, name) {
    const [row] = rowsOf(run, "noise", name, "observed");
    return row ? row.samples * row.mean / 1e6 : 0;
}

/**
 * The core's frequency in each slice of a case, by a chain of additions that takes a cycle for each.
 * Slices are numbered, but come in random order. In GHz; in cycles a tick where a tick's length is not known.
 * @returns {{slice: number, value: number, low: number, high: number}[]}
 */
export function paceOf(run, name) {
    const rate = run.json.tsc_hz > 0 ? run.json.tsc_hz / 1e9 : 1;
    return rowsOf(run, "noise", name, "chain").filter((row) => row.samples > 0 && row.k > 0).map((row) => {
        const { value, reach } = medianOf(row), pace = (ticks) => row.k / ticks * rate;
        return { slice: row.stage, value: pace(value), low: pace(value + reach), high: pace(value - reach) };
    }).sort((a, b) => a.slice - b.slice);
}

/**
 * In how much of the looks of each slice the core was shared.
 * @returns {{slice: number, percent: number, looks: number}[]}
 */
export function sharesOf(run, name) {
    return rowsOf(run, "noise", name, "core_shared").filter((row) => row.samples > 0)
        .map((row) => ({ slice: row.stage, percent: 100 * row.mean, looks: row.samples }))
        .sort((a, b) => a.slice - b.slice);
}

/** Cases with points that are measured again and again; those of the shared core are with their case's. */
export function epochCases(run) {
    return [...run.byCase.keys()].flatMap((experiment) => casesOf(run, experiment, "epoch")
        .filter((name) => !name.endsWith("-shared")).map((name) => ({ experiment, name })));
}

/**
 * One line for each point and state of the core: its times, epoch by epoch, which is in the order of time.
 * @returns {{point: string, isShared: boolean, x: number[], y: number[], low: number[], high: number[]}[]} ticks
 */
export function epochsOf(run, experiment, name) {
    const lines = new Map();
    for (const isShared of [false, true])
        for (const row of rowsOf(run, experiment, isShared ? `${name}-shared` : name, "epoch")) {
            const point = pointName(row), key = `${point} ${isShared}`;
            if (!lines.has(key))
                lines.set(key, { point, isShared, rows: [] });
            if (row.samples > 0)
                lines.get(key).rows.push(row);
        }
    return [...lines.values()].map(({ rows, ...line }) => {
        rows.sort((a, b) => a.stage - b.stage);
        return {
            ...line, x: rows.map((row) => row.stage), y: rows.map((row) => medianOf(row).value),
            low: rows.map((row) => medianOf(row).value - medianOf(row).reach),
            high: rows.map((row) => medianOf(row).value + medianOf(row).reach),
        };
    }).filter(({ x }) => x.length > 0);
}

function pointName(row) {
    const parts = [["N", row.n], ["K", row.k], ["bytes", row.bytes]].filter(([, value]) => value !== null);
    return parts.map(([name, value]) => `${name} = ${value}`).join(", ");
}

/**
 * In how much of the visits that looked the core was shared, by experiment, where rows tell; visits of
 * the others wait for the whole core.
 * @returns {{experiment: string, cases: number, mean: number, least: number, most: number}[]} percent
 */
export function sharedByExperiment(run) {
    return [...run.byCase].flatMap(([experiment, cases]) => {
        const shares = [...cases.values()].flat().filter((row) => row.metric === "shared_percent" && row.samples > 0)
            .map((row) => row.median);
        return shares.length === 0 ? [] : [{
            experiment, cases: shares.length, mean: shares.reduce((sum, one) => sum + one, 0) / shares.length,
            least: Math.min(...shares), most: Math.max(...shares),
        }];
    });
}
