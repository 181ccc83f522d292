/* intervals: how well a row's median is known. */
import { LEVELS } from "./curves.js";

const REACH_95 = 1.959964; // standard deviations of a normal distribution
const DECILES_APART = 2.563; // standard deviations of one between its first and its last decile
const MEDIAN_OVER_MEAN = 1.253; // errors, of a normal distribution

/**
 * Student's t that 95 % are within, as kernel/analysis/statistics.c has it (Abramowitz and Stegun,
 * 26.7.5).
 */
export function student95(freedom) {
    if (freedom < 3)
        return freedom >= 2 ? 4.303 : 12.706;
    const z = REACH_95, n = 1 / freedom;
    const z3 = z ** 3, z5 = z ** 5, z7 = z ** 7;
    return z + n * ((z3 + z) / 4 + n * ((5 * z5 + 16 * z3 + 3 * z) / 96 +
        n * (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384));
}

/** Half the width of the 95 % interval of a row's median: by its visits, else by its samples' scatter. */
function reachOf(row) {
    if (row.visits >= 2 && Number.isFinite(row.center_error))
        return row.center_error * student95(row.visits - 1);
    return REACH_95 * MEDIAN_OVER_MEAN * (row.p90 - row.p10) / DECILES_APART / Math.sqrt(row.samples);
}

/**
 * The median and its 95 % interval, as the rules have it (curve_median in kernel/analysis/curve.c).
 * @returns {{value: number, reach: number}}  in the row's unit; reach: half of the interval's width
 */
export function medianOf(row) {
    return { value: LEVELS.center(row), reach: reachOf(row) };
}
