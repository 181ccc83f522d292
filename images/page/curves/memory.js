/* memory: curves of the experiments array, tlb, patterns and shuffle, from rows; as their rules have them. */
import { groupsOf } from "../data/runs.js";
import { LEAST_SAMPLES, LEVELS } from "./curves.js";

export const RANDOM = "random"; // in place of a number of chains: accesses to random lines

/**
 * The words of a case's name that these sections tell apart.
 * @returns {{pattern: string, page: string, tlb: string, rest: string}|null}  tlb: "natural" has no word
 *     in the name; rest: what follows, with its dash; null: the name has no page size
 */
export function partsOf(name) {
    const parts = /^(?:(.+?)-)?(4k|2m|1g)(?:-(warm|cold|walkmem))?(-.*)?$/.exec(name);
    return parts && { pattern: parts[1] ?? "", page: parts[2], tlb: parts[3] ?? "natural", rest: parts[4] ?? "" };
}

/** The same case with another state of the TLB. */
export function withTlb(name, tlb) {
    const { pattern, page, rest } = partsOf(name);
    return `${pattern && `${pattern}-`}${page}${tlb === "natural" ? "" : `-${tlb}`}${rest}`;
}

const PAGE_BYTES = { "4k": 2 ** 12, "2m": 2 ** 21, "1g": 2 ** 30 };

function byRisingX(points) {
    return points.sort((a, b) => a.x - b.x);
}

/** How many chains there are, rising; with random accesses, where there are such, at the end. */
export function chainsOf(rows) {
    const counts = new Set(rows.filter((row) => row.metric === "tsc" && row.n > 0).map((row) => row.n));
    const hasRandom = rows.some((row) => row.metric === "tsc_random");
    return [...[...counts].sort((a, b) => a - b), ...(hasRandom ? [RANDOM] : [])];
}

const FEW = [1, 2, 4, 8];

/** A few of these numbers of chains, with the most and random accesses: as many lines as the eye can tell apart. */
export function fewChains(counts) {
    const most = Math.max(...counts.filter((n) => n !== RANDOM));
    return counts.filter((n) => n === RANDOM || n === most || FEW.includes(n));
}

/**
 * The time of an access by the array's bytes: that of most accesses less that of fewest, by the
 * accesses between them, so that timer and start cancel (kernel/experiments/sweeps/cache_levels.c).
 * @param {Object[]} rows  of a case of experiment array
 * @param {number|"random"} chains  followed side by side
 * @returns {{x: number, y: number}[]}  bytes, ticks
 */
export function latencies(rows, chains) {
    const points = [], isRandom = chains === RANDOM, accesses = (row) => row.n * row.k;
    const own = rows.filter((row) => row.samples >= LEAST_SAMPLES && row.bytes > 0 &&
        (isRandom ? row.metric === "tsc_random" : row.metric === "tsc" && row.n === chains));
    for (const [bytes, same] of groupsOf(own, (row) => row.bytes)) {
        const few = same.reduce((a, b) => (accesses(b) < accesses(a) ? b : a));
        const many = same.reduce((a, b) => (accesses(b) > accesses(a) ? b : a));
        if (accesses(many) > accesses(few))
            points.push({ x: bytes, y: (LEVELS.center(many) - LEVELS.center(few)) / (accesses(many) - accesses(few)) });
    }
    return byRisingX(points);
}

/**
 * Of the cases "chain-...": the time of a load over pages or lines, and of the last attempt at the curve
 * (kernel/experiments/tlb/tlb_capacity_rule.c).
 * @param {Object[]} rows  of one case
 * @param {"chain"|"chain_dense"} metric
 * @param {number|null} bytes  from a page to the next; null: lines side by side
 * @returns {{x: number, y: number}[]}  pages, ticks
 */
export function chainCurve(rows, metric, bytes, attempt) {
    return byRisingX(rows.filter((row) => row.metric === metric && row.bytes === bytes && row.attempt === attempt &&
        row.k > 0 && row.samples >= LEAST_SAMPLES).map((row) => ({ x: row.n, y: LEVELS.center(row) / row.k })));
}

/** Returns the number of the last attempt. */
export function lastAttempt(rows) {
    return Math.max(0, ...rows.filter((row) => row.metric === "chain_dense").map((row) => row.attempt));
}

/** Pages side by side, and lines side by side, which are what the caches take of it. */
export function sideBySide(name, rows) {
    const attempt = lastAttempt(rows);
    return {
        pages: chainCurve(rows, "chain", PAGE_BYTES[partsOf(name).page], attempt),
        lines: chainCurve(rows, "chain_dense", null, attempt),
    };
}

/** Ticks of a core's cycle while chains were measured: of an addition that waits for the one before. */
export function ticksOfCycle(rows) {
    const own = rows.filter((row) => row.metric === "additions").sort((a, b) => a.k - b.k);
    const [few, many] = [own[0], own.at(-1)];
    return own.length > 1 && many.k > few.k ? (LEVELS.center(many) - LEVELS.center(few)) / (many.k - few.k) : null;
}

/** Distances of pages that are farther apart than side by side and have a curve, rising. */
export function distancesOf(name, rows) {
    const distances = new Set(rows.filter((row) => row.metric === "chain" && row.samples >= LEAST_SAMPLES &&
        row.bytes > PAGE_BYTES[partsOf(name).page]).map((row) => row.bytes));
    return [...distances].sort((a, b) => a - b);
}

const ALIKE = 1.1, ODD_POINTS = 4; // near a step a few pages more or less are the same step

const byX = ({ points }) => new Map(points.map(({ x, y }) => [x, y]));

/** Whether two curves differ at hardly a point of those that both have. */
function areAlike(a, b) {
    const other = byX(b), both = a.points.filter(({ x }) => other.has(x));
    const odd = both.filter(({ x, y }) => Math.max(y / other.get(x), other.get(x) / y) > ALIKE);
    return odd.length <= Math.min(ODD_POINTS, both.length / 2);
}

/**
 * Chains through pages at each distance; distances that show the same are told together. Left out are those
 * that end before others do: the rule looks at them for ways, and the others show as much.
 * @returns {{distances: number[], points: {x: number, y: number}[]}[]}  points: of the first of them
 */
export function farCurves(name, rows) {
    const curves = distancesOf(name, rows).map((distance) =>
        ({ distances: [distance], points: chainCurve(rows, "chain", distance, 0) }));
    const most = Math.max(...curves.map(({ points }) => points.at(-1).x)), groups = [];
    for (const curve of curves.filter(({ points }) => points.at(-1).x === most)) {
        const same = groups.find((group) => areAlike(group, curve));
        if (same)
            same.distances.push(...curve.distances);
        else
            groups.push(curve);
    }
    return groups;
}

/** Which point is the first that is above where the curve starts; -1: none. */
function stepOf(points) {
    return points.findIndex(({ y }) => y > points[0].y * ALIKE);
}

/** Up to which x all curves stay where they start: behind it there is something to see. */
export function flatUntil(curves) {
    return Math.min(...curves.map(({ points }) => points.at(Math.max(stepOf(points), 0) - 1).x)); // without a step: the last
}

/** So many of a list, spread evenly from its first to its last. */
export function evenly(list, count) {
    return list.length <= count ? list :
        Array.from({ length: count }, (_, i) => list[Math.round(i * (list.length - 1) / (count - 1))]);
}

const WORD_BYTES = 8;

/** The time of an access in each pass, by round: its rows are of as many accesses as there are words. */
export function passesOf(rows) {
    return byRisingX(rows.filter((row) => row.metric === "tsc" && row.k > 0 && row.k === row.bytes / WORD_BYTES)
        .map((row) => ({ x: row.stage, y: row.mean / row.k })));
}

/** Sizes of the arrays that a case of shuffle has, falling: the largest is what verdicts speak of. */
export function sizesOf(rows) {
    const sizes = new Set(rows.filter((row) => row.metric === "tsc" && row.stage > 0).map((row) => row.bytes));
    return [...sizes].sort((a, b) => b - a);
}

/**
 * The time of a swap over the stage: the mean of the passes, and the fastest and slowest of them
 * (kernel/experiments/patterns/shuffle_rule.c).
 * @returns {{x: number, y: number, low: number, high: number}[]}  swaps, ticks
 */
export function swapCurve(rows, bytes) {
    const own = rows.filter((row) => row.metric === "tsc" && row.bytes === bytes && row.stage > 0 && row.k > 0);
    return byRisingX(groupsOf(own, (row) => row.stage).map(([stage, passes]) => {
        const ticks = passes.map((row) => LEVELS.center(row) / row.k);
        return { x: stage, y: ticks.reduce((a, b) => a + b) / ticks.length,
            low: Math.min(...ticks), high: Math.max(...ticks) };
    }));
}
