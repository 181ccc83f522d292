/* figures: what each verdict is called on the page, by its name in verdicts.csv. */
import { namer } from "./words.js";

const WITH_LOADS = ["rob_entries", "integer_registers", "loads_in_flight", "loads_waiting", "load_queue"];

/** Returns how many of the two loads around the fillers a size counts: with K fillers it is full at K and so many. */
export const loadsIn = (name) => (WITH_LOADS.includes(name) ? 2 : 0);

// The verdicts of a level of the caches or of memory: l1_bytes, l4_copy_bandwidth, memory_latency_cycles, memory_overlap.
const OF_LEVEL = /^(l\d|memory)_(bytes|latency|latency_cycles|split|(?:read|write|copy)_bandwidth|overlap|stream_overlap)$/;
const PARTS = { bytes: "", latency_cycles: ", latency in cycles", split: ", share beside a busy thread",
    overlap: ", random loads under way", stream_overlap: ", lines under way in order" };

const named = namer("verdict");

/** Returns a verdict's label: "L1 cache, latency", "Store queue"; its name if only another version knows it. */
export function labelOf(name) {
    const [, level, part] = OF_LEVEL.exec(name) ?? [], label = named(name);
    return level === undefined || label !== name ? label : (level === "memory" ? "Memory" : `${level.toUpperCase()} cache`) +
        (PARTS[part] ?? `, ${part.replace("_", " ")}`);
}
