/* nodes: what memory of each node costs, from each processor or node that measured it. */
import { timesOf } from "./points.js";
import { rowsOf, valuesOf, verdictOf } from "./run.js";

/** "4k-warm-node1-core12" -> node 1, core 12, and the rest of the name. */
function partsOf(name) {
    const numberOf = (pattern) => (pattern.test(name) ? Number(pattern.exec(name)[1]) : null);
    return { node: numberOf(/-node(\d+)(?=-|$)/), core: numberOf(/-core(\d+)(?=-|$)/), rest: name.replaceAll(/-(node|core)\d+(?=-|$)/g, "") };
}

function experimentOf(run) {
    return ["numa", "mlp"].find((name) => valuesOf(run, name, "one_load").some((one) => partsOf(one.case).node !== null));
}

/** The node whose memory a case has; null: our core's own, whose number is not told. */
function targetOf(run, { node, core }) {
    const own = run.json.numa?.own;
    return node ?? (core === null && Number.isInteger(own) ? own : null);
}

/**
 * Places that a run's cases measured from and to. Cases of one page size, state and so on have one `rest`;
 * core: of core = all; node: part of the case's name.
 */
export function placesOf(run) {
    const experiment = experimentOf(run);
    return valuesOf(run, experiment, "one_load").map(({ case: name }) => ({ run, experiment, name, ...partsOf(name), target: targetOf(run, partsOf(name)) }));
}

/** Ten loads side by side, from the row that they are in; null: there is none. */
function tenLoads({ run, experiment, name }) {
    const rows = rowsOf(run, experiment, name, "tsc").filter((row) => row.n === 10 && row.samples > 0);
    if (rows.length === 0)
        return null;
    const { y: value, low, high } = timesOf(rows.reduce((a, b) => (b.k < a.k ? b : a)));
    return { value, low, high, unit: "ticks" };
}

const verdict = (name) => ({ run, experiment, name: of }) => verdictOf(run, experiment, of, name);

/** What is shown of each place, and by how much it is above that of own memory. isTime: in ticks. */
export const QUANTITIES = [
    { title: "One load", isTime: true, extra: "node_one_load_extra", of: verdict("one_load") },
    { title: "Ten loads side by side", isTime: true, extra: "node_ten_loads_extra", of: tenLoads },
    { title: "Loads that overlap (MLP)", isTime: false, extra: "node_mlp_extra", of: verdict("mlp") },
];

/** The verdict of how much more than at home; of own memory there is none. */
export const extraOf = ({ run, experiment, name }, quantity) => verdictOf(run, experiment, name, quantity.extra);

/** Nodes as run.json tells them, the own one first; distances by the other's number. */
export function firmwareNodes(run) {
    const numbersOf = (text) => String(text ?? "").split(" ").filter(Boolean).map(Number);
    const numa = run.json.numa ?? {}, numbers = numbersOf(numa.numbers);
    return numbers.map((number) => ({ number,
        distances: new Map(numbersOf(numa[`node_${number}`]?.distances).map((distance, i) => [numbers[i], distance])) }));
}
