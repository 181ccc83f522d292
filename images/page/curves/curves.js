/* curves: points of a case as the rules of the kernel read them, and straight lines through them. */

export const LEAST_SAMPLES = 5; // CURVE_LEAST_SAMPLES of kernel/analysis/curve.h

/** Levels of a row's samples that curves are made of (kernel/analysis/curve.c). */
export const LEVELS = {
    center: (row) => row.center,
    mean: (row) => row.mean,
    fastest: (row) => row.p1,
    fast: (row) => row.p10,
    slow: (row) => row.p90,
};

function isPoint(row) {
    return row.metric === "tsc" && row.samples >= LEAST_SAMPLES && row.n > 0 && row.k !== null && row.k >= 0;
}

/** Of rows with the same x the last counts. */
function sortedBy(key, rows) {
    const byX = new Map(rows.map((row) => [row[key], row]));
    return [...byX.values()].sort((a, b) => a[key] - b[key]);
}

/** Returns the points with n loads over K, of the last attempt. */
export function overK(rows, n) {
    const points = rows.filter((row) => isPoint(row) && row.n === n);
    const last = Math.max(...points.map((row) => row.attempt));
    return sortedBy("k", points.filter((row) => row.attempt === last));
}

/** Points over N, with the smallest K of all. */
export function overN(rows) {
    const points = rows.filter(isPoint);
    const least = Math.min(...points.map((row) => row.k));
    return sortedBy("n", points.filter((row) => row.k === least));
}

/** Sums of points, from which a line of least squares follows. */
function add(sums, x, y, weight) {
    sums.n += weight;
    sums.x += weight * x;
    sums.y += weight * y;
    sums.xx += weight * x * x;
    sums.xy += weight * x * y;
    sums.yy += weight * y * y;
}

const noSums = () => ({ n: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 });

function lineOfSums({ n, x, y, xx, xy, yy }) {
    const spread = xx - x * x / n, slope = spread > 0 ? (xy - x * y / n) / spread : 0;
    return { slope, offset: (y - slope * x) / n, squares: Math.max(0, yy - y * y / n - slope * slope * spread) };
}

/** @returns {{slope: number, offset: number, squares: number}}  least squares; what is left of them */
export function fitLine(x, y) {
    const sums = noSums();
    x.forEach((_, i) => add(sums, x[i] - x[0], y[i] - y[0], 1)); // near zero: nothing is lost to rounding
    const line = lineOfSums(sums);
    return { ...line, offset: line.offset + y[0] - line.slope * x[0] };
}

export const lineAt = ({ slope, offset }, x) => offset + slope * x;

/** Two lines, of the points before x[first] and of those from there on. */
export function fitPieces(x, y, first) {
    return [fitLine(x.slice(0, first), y.slice(0, first)), fitLine(x.slice(first), y.slice(first))];
}

/** The split after which two pieces fit best, with at least `side` points in each; null: too few. */
function bestSplit(x, y, side) {
    let best = null;
    const left = noSums(), right = noSums();
    x.forEach((_, i) => add(right, x[i] - x[0], y[i] - y[0], 1));
    for (let first = 1; first + side <= x.length; first++) {
        for (const [sums, weight] of [[left, 1], [right, -1]])
            add(sums, x[first - 1] - x[0], y[first - 1] - y[0], weight);
        const squares = first < side ? Infinity : lineOfSums(left).squares + lineOfSums(right).squares;
        if (squares < (best?.squares ?? Infinity))
            best = { first, squares };
    }
    return best;
}

const LEAST_POINTS = 3, FEWEST_POINTS = 2; // on either side; so few where the jump is at one of the first
const MUCH_BETTER = 0.5, LEAST_JUMP = 0.05, LEAST_CLARITY = 5;

/**
 * Where a curve jumps, as kernel/analysis/cliff.c finds it.
 * @returns {number|null} the first x beyond; null: it does not jump clearly
 */
export function jumpOf(x, y) {
    const usual = bestSplit(x, y, LEAST_POINTS), few = bestSplit(x, y, FEWEST_POINTS);
    if (usual === null)
        return null;
    const residual = ({ squares }) => Math.sqrt(squares / x.length);
    const best = residual(few) < MUCH_BETTER * residual(usual) ? few : usual;
    const [low, high] = fitPieces(x, y, best.first), at = x[best.first];
    const before = lineAt(low, at), jump = lineAt(high, at) - before;
    return before > 0 && jump >= LEAST_JUMP * before && jump >= LEAST_CLARITY * residual(best) ? at : null;
}
