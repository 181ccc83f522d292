/* spans: experiment timeline: the events counted until each cycle of one probe. */
import { byRisingX } from "./points.js";
import { groupsOf } from "./run.js";

/** Events in words; `level`: the rise of the count in a cycle is the number that is under way in it. */
export const EVENTS = {
    l1d_pend_miss_pending: { words: "misses outstanding", level: true },
    offcore_outstanding_demand_data_rd: { words: "reads beyond L2", level: true },
    dtlb_walk_pending: { words: "page walks", level: true }, dtlb_walk_duration: { words: "page walks", level: true },
    instructions: { words: "instructions retired" }, instructions_gp: { words: "instructions retired" },
    uops_issued: { words: "micro-ops issued" }, uops_issued_int: { words: "micro-ops issued" }, uops_executed: { words: "micro-ops executed" },
    loads_dispatched: { words: "loads dispatched" }, loads_retired: { words: "loads retired" },
    mab_alloc_loads: { words: "misses issued" }, l2_demand_data_rd: { words: "misses issued" }, l2_requests_all: { words: "misses issued" },
    dtlb_miss_causes_walk: { words: "page walks started" }, page_walker_alloc_dside: { words: "page walks started" },
    dtlb_walk_completed: { words: "page walks completed" },
};
const CYCLES = ["core_cycles", "core_cycles_gp"];

/**
 * Returns the rows of a case by event, x rising: the cycle until which it was counted, from the counters' start. Leaves
 * out spans at whose end the counters did not stand still.
 */
export function spansOf(rows) {
    const ends = new Map(rows.filter((row) => CYCLES.includes(row.metric) && row.stage !== null && row.samples > 0 && row.min >= row.stage)
        .map((row) => [row.stage, row.mean]));
    const counted = rows.filter((row) => Object.hasOwn(EVENTS, row.metric) && ends.has(row.stage) && row.samples > 0);
    return new Map(groupsOf(counted, (row) => row.metric)
        .map(([event, own]) => [event, byRisingX(own.map((row) => ({ x: ends.get(row.stage), row })))]));
}

/** Returns how much a count rises in each cycle; y[i] is the mean of the cycles from x[i - 1] to x[i]. */
export function rises(points) {
    return points.slice(1).map(({ x, row }, i) => ({ x, y: (row.mean - points[i].row.mean) / (x - points[i].x) }))
        .filter(({ y }) => Number.isFinite(y));
}
