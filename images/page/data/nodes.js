/* nodes: the cost of each node's memory, from each processor or node that measured it. */
import { timesOf } from "./points.js";
import { rowsOf, valuesOf, verdictOf } from "./run.js";

/** Splits "4k-warm-node1-core12" into node 1, core 12, and the rest of the name. */
function partsOf(name) {
    const numberOf = (pattern) => (pattern.test(name) ? Number(pattern.exec(name)[1]) : null);
    return { node: numberOf(/-node(\d+)(?=-|$)/), core: numberOf(/-core(\d+)(?=-|$)/), rest: name.replaceAll(/-(node|core)\d+(?=-|$)/g, "") };
}

const experimentOf = (run) =>
    ["numa", "mlp"].find((name) => valuesOf(run, name, "one_load").some((one) => partsOf(one.case).node !== null));

/** Returns the node whose memory a case has; null: the measuring core's own node, whose number is unknown. */
function targetOf(run, { node, core }) {
    const own = run.json.numa?.own;
    return node ?? (core === null && Number.isInteger(own) ? own : null);
}

/**
 * Returns the cores that a run's cases measured from, and the nodes they measured. Cases that differ in nothing else
 * have one `rest`; `core` is set with core = all; `node` is part of the case's name.
 */
export function placesOf(run) {
    const experiment = experimentOf(run);
    return valuesOf(run, experiment, "one_load").map(({ case: name }) => ({ run, experiment, name, ...partsOf(name), target: targetOf(run, partsOf(name)) }));
}

/** Returns the time of ten loads side by side, from the row with the smallest K; null: no row has ten loads. */
function tenLoads({ run, experiment, name }) {
    const rows = rowsOf(run, experiment, name, "tsc").filter((row) => row.n === 10 && row.samples > 0);
    if (rows.length === 0)
        return null;
    const { y: value, low, high } = timesOf(rows.reduce((a, b) => (b.k < a.k ? b : a)));
    return { value, low, high, unit: "ticks" };
}

const verdict = (name) => ({ run, experiment, name: of }) => verdictOf(run, experiment, of, name);

/** The quantities shown of each place; `extra`: the verdict on how far each exceeds own memory's; isTime: in ticks. */
export const QUANTITIES = [
    { title: "One load", isTime: true, extra: "node_one_load_extra", of: verdict("one_load") },
    { title: "Ten loads side by side", isTime: true, extra: "node_ten_loads_extra", of: tenLoads },
    { title: "MLP by the published rule", isTime: false, extra: "node_mlp_extra", of: verdict("mlp") },
];

/** Returns the verdict on how far a quantity exceeds that of own memory; undefined for own memory itself. */
export const extraOf = ({ run, experiment, name }, quantity) => verdictOf(run, experiment, name, quantity.extra);

/** Returns the nodes that run.json lists, the own one first; distances by the other node's number. */
export function firmwareNodes(run) {
    const numbersOf = (text) => String(text ?? "").split(" ").filter(Boolean).map(Number);
    const numa = run.json.numa ?? {}, numbers = numbersOf(numa.numbers);
    return numbers.map((number) => ({ number,
        distances: new Map(numbersOf(numa[`node_${number}`]?.distances).map((distance, i) => [numbers[i], distance])) }));
}
