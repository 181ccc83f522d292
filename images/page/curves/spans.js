/* spans: experiment timeline: what was counted until each cycle of one probe. */
import { fitLine, lineAt } from "./curves.js";

/** Events by what they are: `level`: as many are under way in a cycle as its count rises by. */
export const EVENTS = {
    l1d_pend_miss_pending: { words: "misses outstanding", level: true },
    offcore_outstanding_demand_data_rd: { words: "reads beyond L2", level: true },
    dtlb_walk_pending: { words: "page walks", level: true },
    dtlb_walk_duration: { words: "page walks", level: true },
    instructions: { words: "instructions retired" },
    instructions_gp: { words: "instructions retired" },
    uops_issued: { words: "micro-ops issued" },
    uops_issued_int: { words: "micro-ops issued" },
    uops_executed: { words: "micro-ops executed" },
    loads_dispatched: { words: "loads dispatched" },
    loads_retired: { words: "loads retired" },
    mab_alloc_loads: { words: "misses issued" },
    l2_demand_data_rd: { words: "misses issued" },
    l2_requests_all: { words: "misses issued" },
    dtlb_miss_causes_walk: { words: "page walks started" },
    page_walker_alloc_dside: { words: "page walks started" },
    dtlb_walk_completed: { words: "page walks completed" },
};

// As in kernel/experiments/timeline/timeline_rule.c and .h.
const CYCLES = ["core_cycles", "core_cycles_gp"];
const RETIRED = ["instructions", "instructions_gp"];
const ADDITIONS = 64, MIDDLE_FROM = 0.25, MIDDLE_TO = 0.75, HALF = 0.5;

/**
 * @param {Object[]} rows  of one case
 * @returns {Map<string, {x: number, row: Object}[]>}  by event, x rising: the cycle until which it was
 *     counted, from the counters' start. Spans at whose end counters did not stand still are left out
 */
export function spansOf(rows) {
    const ends = new Map();
    for (const row of rows)
        if (CYCLES.includes(row.metric) && row.stage !== null && row.samples > 0 && row.min >= row.stage)
            ends.set(row.stage, row.mean);
    const events = new Map();
    for (const row of rows) {
        if (!Object.hasOwn(EVENTS, row.metric) || !ends.has(row.stage) || !(row.samples > 0))
            continue;
        if (!events.has(row.metric))
            events.set(row.metric, []);
        events.get(row.metric).push({ x: ends.get(row.stage), row });
    }
    for (const points of events.values())
        points.sort((a, b) => a.x - b.x);
    return events;
}

/** By how much a count rises in each cycle; y[i] is of the cycles from x[i - 1] to x[i]. */
export function rises(points) {
    return points.slice(1).map(({ x, row }, i) => ({ x, y: (row.mean - points[i].row.mean) / (x - points[i].x) }))
        .filter(({ y }) => Number.isFinite(y));
}

/**
 * The cycle in which the first of the additions retires, by the rule's line through the middle of them.
 * It is zero in verdicts. @returns {number|null}  from the counters' start; null: they do not tell
 */
export function startOf(rows) {
    const events = spansOf(rows), points = RETIRED.map((name) => events.get(name)).find(Boolean) ?? [];
    const from = points[0]?.row.mean + MIDDLE_FROM * ADDITIONS, to = points[0]?.row.mean + MIDDLE_TO * ADDITIONS;
    const middle = points.filter(({ row }) => row.mean > from && row.mean < to);
    if (middle.length < 2)
        return null;
    const line = fitLine(middle.map(({ x }) => x), middle.map(({ row }) => row.mean));
    const before = points.filter(({ x, row }) => x < middle[0].x && row.mean - lineAt(line, x) > HALF).at(-1);
    return before ? (before.row.mean - line.offset) / line.slope : null;
}
