/* spans: experiment timeline: the events counted until each cycle of one probe. */
import { byRisingX } from "./points.js";
import { groupsOf } from "./run.js";
import { wordsOf } from "./words.js";

/** Events in words; `isLevel`: the rise of the count in a cycle is the number that is under way in it. */
export const EVENTS = new Map(["level", "count"].flatMap((kind) => [...wordsOf(kind)]
    .map(([event, words]) => [event, { words, isLevel: kind === "level" }])));
const CYCLES = ["core_cycles", "core_cycles_gp"];

/**
 * Returns the rows of a case by event, x rising: the cycle until which it was counted, from the counters' start. Leaves
 * out spans at whose end the counters did not stand still.
 */
export function spansOf(rows) {
    const ends = new Map(rows.filter((row) => CYCLES.includes(row.metric) && row.stage !== null && row.samples > 0 && row.min >= row.stage)
        .map((row) => [row.stage, row.mean]));
    const counted = rows.filter((row) => EVENTS.has(row.metric) && ends.has(row.stage) && row.samples > 0);
    return new Map(groupsOf(counted, (row) => row.metric)
        .map(([event, own]) => [event, byRisingX(own.map((row) => ({ x: ends.get(row.stage), row })))]));
}

/** Returns how much a count rises in each cycle; y[i] is the mean of the cycles from x[i - 1] to x[i]. */
export const rises = (points) => points.slice(1)
    .map(({ x, row }, i) => ({ x, y: (row.mean - points[i].row.mean) / (x - points[i].x) })).filter(({ y }) => Number.isFinite(y));
