/* points: makes curves of rows: selects the rows, and divides times by accesses. It judges nothing. */
import { groupsOf } from "./run.js";

// A point of a curve has x, y, maybe a note, the number of its samples, low and high: their first and last decile.

/** Returns a row's median, by its visits, and its first and last decile, each divided by so many accesses. */
export const timesOf = (row, count = 1) => ({ y: row.center / count, low: row.p10 / count, high: row.p90 / count, samples: row.samples });

export const byRisingX = (points) => points.sort((a, b) => a.x - b.x);

/** Keeps the last of several rows that have the same x; returns them with x rising. */
const lastOfEach = (rows, column) => [...new Map(rows.map((row) => [row[column], row])).values()].sort((a, b) => a[column] - b[column]);

const isMeasured = (row) => row.samples > 0 && row.n > 0 && row.k !== null;

function ofLastAttempt(rows) {
    const last = Math.max(...rows.map((row) => row.attempt));
    return rows.filter((row) => row.attempt === last);
}

export function overN(rows) {
    const points = rows.filter((row) => row.metric === "tsc" && isMeasured(row));
    const least = Math.min(...points.map((row) => row.k));
    return lastOfEach(points.filter((row) => row.k === least), "n");
}

/** Returns a column of those rows over the loads. */
export const columnOver = (rows, column) => overN(rows).map((row) => ({ x: row.n, y: row[column], samples: row.samples }));

/** Returns the lines, each with a point without a value at every x that only others of them have: there it breaks. */
export function withBreaks(lines) {
    const xs = new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)));
    return lines.map((one) => ({ ...one, points: byRisingX([...one.points, ...[...xs].filter((x) => !one.points.some((point) => point.x === x))
        .map((x) => ({ x, y: null }))]) }));
}

/** Returns the times of two loads over the fillers between them, and over so many of the loads too, in the last attempt. */
export const twoLoads = (rows, loads = 0) => lastOfEach(ofLastAttempt(rows.filter((row) => row.metric === "tsc" && isMeasured(row) && row.n === 2)), "k")
    .map((row) => ({ x: row.k + loads, ...timesOf(row) }));

export const RANDOM = "random"; // in place of a number of chains: accesses to random lines

/** Returns the numbers of chains, rising; if there are random accesses, RANDOM is the last one. */
export function chainsOf(rows) {
    const counts = new Set(rows.filter((row) => row.metric === "tsc" && row.n > 0).map((row) => row.n));
    return [...[...counts].sort((a, b) => a - b), ...(rows.some((row) => row.metric === "tsc_random") ? [RANDOM] : [])];
}

/**
 * Returns the time of an access by the array's bytes, with so many chains or RANDOM: the time of the most accesses less
 * that of the fewest, divided by the accesses between them, so that timer and start cancel.
 */
export function latencies(rows, chains) {
    const own = rows.filter((row) => row.samples > 0 && row.bytes > 0 &&
        (chains === RANDOM ? row.metric === "tsc_random" : row.metric === "tsc" && row.n === chains));
    return byRisingX(groupsOf(own, (row) => row.bytes).flatMap(([bytes, same]) => {
        const [few, many] = ends(same, (row) => row.n * row.k), count = many.n * many.k - few.n * few.k;
        const [y, low, high] = [(row) => row.center, (row) => row.p10, (row) => row.p90].map((of) => (of(many) - of(few)) / count);
        return count > 0 ? [{ x: bytes, y, low: Math.min(low, high), high: Math.max(low, high), samples: Math.min(few.samples, many.samples) }] : [];
    }));
}

/**
 * Returns by the array's bytes how many loads are under way at once (Little, 1961): the latency of one chain, divided by
 * the time of an access with so many chains or RANDOM.
 */
export function overlaps(rows, chains) {
    const chain = new Map(latencies(rows, 1).map(({ x, y }) => [x, y]));
    return latencies(rows, chains).filter(({ x, y }) => y > 0 && chain.get(x) > 0)
        .map(({ x, y, samples }) => ({ x, y: chain.get(x) / y, samples }));
}

export function ends(rows, of) {
    const sorted = [...rows].sort((a, b) => of(a) - of(b));
    return [sorted[0], sorted.at(-1)];
}

/**
 * Returns the time of a load over pages, or over as many lines, in the last attempt of a TLB case "chain-...".
 * @param {number|null} bytes  the distance from a page to the next; null: lines side by side
 */
export function chainCurve(rows, metric, bytes) {
    const own = rows.filter((row) => row.metric === metric && row.bytes === bytes && row.k > 0 && row.samples > 0);
    return byRisingX(ofLastAttempt(own).map((row) => ({ x: row.n, ...timesOf(row, row.k) })));
}

/** Returns a core cycle in ticks while chains were measured: the time of an addition that waits for the one before. */
export function ticksOfCycle(rows) {
    const [few, many] = ends(rows.filter((row) => row.metric === "additions"), (row) => row.k);
    return few && many.k > few.k ? (many.center - few.center) / (many.k - few.k) : null;
}

/** Returns the time of a swap over the stage: the mean of the passes, and the fastest and slowest of them. */
export function swapCurve(rows, bytes) {
    const own = rows.filter((row) => row.metric === "tsc" && row.bytes === bytes && row.stage > 0 && row.k > 0);
    return byRisingX(groupsOf(own, (row) => row.stage).map(([stage, passes]) => {
        const ticks = passes.map((row) => row.center / row.k);
        return { x: stage, y: ticks.reduce((a, b) => a + b) / ticks.length, low: Math.min(...ticks), high: Math.max(...ticks) };
    }));
}

/** Returns a load's latency over the other cores' GB/s: a long chain less a short one, divided by the loads between. */
export function loadedCurve(rows) {
    const chains = rows.filter((row) => row.metric === "chain" && row.samples > 0);
    return byRisingX(groupsOf(chains, (row) => row.k).flatMap(([pause, same]) => {
        const [short, long] = ends(same, (row) => row.n);
        const traffic = rows.find((row) => row.metric === "traffic" && row.n === long.n && row.k === pause && row.samples > 0);
        return long.n > short.n && traffic ? [{ x: traffic.center, y: (long.center - short.center) / (long.n - short.n), samples: Math.min(short.samples, long.samples),
            note: pause === null ? "the others rest" : `pause ${pause}` }] : [];
    }));
}

/**
 * Returns the levels with their range of sizes: from the end of the level before to its own end; for memory, from the size
 * at which its time is first reached to the last size.
 */
export function rangesOf(levels, points) {
    let end = points[0]?.x;
    return levels.map((level) => {
        const isMemory = level.label === "memory", least = level.time?.low ?? level.time?.value ?? null;
        const from = isMemory && least !== null ? points.find(({ y }) => y >= least)?.x : end, to = isMemory ? points.at(-1)?.x : level.size?.value ?? undefined;
        end = to ?? end;
        return { ...level, from, to };
    }).filter(({ from, to }) => from < to);
}
