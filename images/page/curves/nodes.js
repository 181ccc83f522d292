/* nodes: what memory of each node costs, from each processor or node that measured it. */
import { medianOf } from "./intervals.js";
import { rowsOf, verdictOf } from "../data/run.js";

/** "4k-warm-node1-core12" -> node 1, core 12, and the rest of the name. */
function partsOf(name) {
    const parts = name.split("-");
    const numberOf = (word) => {
        const part = parts.find((one) => new RegExp(`^${word}\\d+$`).test(one));
        return part === undefined ? null : Number(part.slice(word.length));
    };
    return {
        node: numberOf("node"), core: numberOf("core"),
        rest: parts.filter((one) => !/^(node|core)\d+$/.test(one)).join("-"),
    };
}

/** The experiment that has nodes: numa, or mlp with node = all. */
function experimentOf(run) {
    return ["numa", "mlp"].find((name) => run.verdicts.some((one) => one.experiment === name &&
        one.name === "one_load" && partsOf(one.case).node !== null && one.value !== null));
}

/** The node whose memory a case has; null: our core's own, whose number is not told. */
function targetOf(run, { node, core }) {
    const own = run.json.numa?.own;
    return node ?? (core === null && Number.isInteger(own) ? own : null);
}

/**
 * Places that a run's cases measured from and to. Cases of one page size, state and so on have one `rest`.
 * @returns {{run: Object, experiment: string, name: string, rest: string, core: number|null,
 *     node: number|null, target: number|null}[]}  core: of core = all; node: part of the case's name
 */
export function placesOf(run) {
    const experiment = experimentOf(run);
    return run.verdicts.filter((one) => one.experiment === experiment && one.name === "one_load" && one.value !== null)
        .map(({ case: name }) => ({ run, experiment, name, ...partsOf(name) }))
        .map((place) => ({ ...place, target: targetOf(run, place) }));
}

/** Ten loads side by side, from the row that they are in; null: there is none. */
function tenLoads({ run, experiment, name }) {
    const rows = rowsOf(run, experiment, name, "tsc").filter((row) => row.n === 10 && row.samples > 0);
    if (rows.length === 0)
        return null;
    const { value, reach } = medianOf(rows.reduce((a, b) => (b.k < a.k ? b : a)));
    return { value, low: value - reach, high: value + reach, unit: "ticks" };
}

const verdict = (name) => ({ run, experiment, name: of }) => verdictOf(run, experiment, of, name);

/** What is shown of each place, and by how much it is above that of own memory. isTime: in ticks. */
export const QUANTITIES = [
    { title: "One load", isTime: true, extra: "node_one_load_extra", of: verdict("one_load") },
    { title: "Ten loads side by side", isTime: true, extra: "node_ten_loads_extra", of: tenLoads },
    { title: "Loads that overlap (MLP)", isTime: false, extra: "node_mlp_extra", of: verdict("mlp") },
];

/** @returns {Object|undefined} the verdict of how much more than at home; of own memory there is none */
export function extraOf({ run, experiment, name }, quantity) {
    return verdictOf(run, experiment, name, quantity.extra);
}

/**
 * Nodes as run.json tells them, the own one first.
 * @returns {{number: number, figures: Object, distances: Map<number, number>}[]}  figures: those of ACPI's
 *     HMAT by their names, where it has any; distances: by the other's number
 */
export function firmwareNodes(run) {
    const numa = run.json.numa ?? {}, numbers = String(numa.numbers ?? "").split(" ").filter(Boolean).map(Number);
    return numbers.map((number) => {
        const node = numa[`node_${number}`] ?? {};
        const distances = String(node.distances ?? "").split(" ").filter(Boolean).map(Number);
        return {
            number, figures: node,
            distances: new Map(distances.map((distance, i) => [numbers[i], distance])),
        };
    });
}
