/* numa: the cost of each node's memory, as matrices; beside them the distances that the firmware reports. */
import { describeCase } from "../data/cases.js";
import { choose, leadOf } from "../draw/choices.js";
import { el } from "../draw/dom.js";
import { inUnit, number } from "../data/format.js";
import { hasValue } from "../data/run.js";
import { valueText } from "../draw/bars.js";
import { matrix } from "../draw/matrix.js";
import { say } from "../draw/section.js";
import { QUANTITIES, extraOf, firmwareNodes, placesOf } from "../data/nodes.js";

/** Returns "440 ticks (433 to 447), ok: ...". */
function inWords(page, run, verdict) {
    const shown = inUnit(verdict, page.unit, run);
    return `${valueText(shown, shown.unit)}${verdict.status ? `, ${verdict.status}: ${verdict.method}` : ""}`;
}

const nodeName = (number) => (number === null ? "own node" : `node ${number}`);

/** Returns a name for the measuring core: its number, else its node; with the run's name if there are several runs. */
function fromName(page, { run, core }) {
    const own = run.json.numa?.own ?? null;
    const name = core !== null ? `core ${core}` : own === null ? "this core" : `node ${own}`;
    return page.runs.length > 1 ? `${run.title}, ${name}` : name;
}

function cellOf(page, place, quantity) {
    const verdict = place ? quantity.of(place) : null;
    if (!hasValue(verdict))
        return { value: null, text: "-", note: verdict?.status, words: verdict?.method ?? "not measured" };
    const { run, name, node, target } = place, extra = extraOf(place, quantity), { value } = inUnit(verdict, page.unit, run);
    const more = hasValue(extra) ? ` More than at home: ${inWords(page, run, extra)}.` : "";
    return {
        value, text: number(value), note: [verdict.status, node === null ? "own" : null].filter(Boolean).join(", "),
        words: `${fromName(page, place)} to ${nodeName(target)}, ${describeCase(name)}: ${inWords(page, run, verdict)}.${more}`,
    };
}

function measured(page, places) {
    const from = [...new Set(places.map((place) => fromName(page, place)))];
    const targets = [...new Set(places.map(({ target }) => target))].sort((a, b) => (a ?? -1) - (b ?? -1));
    return QUANTITIES.map((quantity) => matrix({
        title: `${quantity.title}${quantity.isTime ? `, ${page.unit}` : ""} (${describeCase(places[0].rest)})`,
        corner: "from \\ to", rows: from, columns: targets.map(nodeName),
        cells: from.map((name) => targets.map((target) => cellOf(page,
            places.find((place) => fromName(page, place) === name && place.target === target), quantity))),
    }));
}

/** Returns what the firmware says of the distances; 10 is own memory. */
function distances(page, run) {
    const { no_distances: why, source } = run.json.numa ?? {}, told = firmwareNodes(run).filter((node) => node.distances.size > 0);
    const from = (node) => `${nodeName(node.number)} to ${[...node.distances].map(([number, value]) => `${number}: ${value || "not told"}`).join(", ")}`;
    return el("p", { class: "note" }, `${leadOf(page, run)}Distances by the firmware: ${told.length > 0 ? `${told.map(from).join("; ")} (${source})` : why || "none are told"}.`);
}

/** Says what a load takes from the node from which it takes longest, and how much more that is than at home. */
function sentences(page, places) {
    const [load] = QUANTITIES, { run } = places[0];
    const [far] = places.filter(({ node }) => node !== null).sort((a, b) => load.of(b).value - load.of(a).value);
    return far ? [say(page, run, `${leadOf(page, run)}A load from ${nodeName(far.target)}`, load.of(far)), say(page, run, "More than at home", extraOf(far, load))] :
        el("p", { class: "answer" }, `${leadOf(page, run)}What memory of another node costs is not known.`);
}

function render(page) {
    const places = page.runs.flatMap(placesOf);
    if (places.length === 0)
        return [];
    const rest = choose(page, "numa.case", "case", [...new Set(places.map((place) => place.rest))], describeCase);
    const chosen = places.filter((place) => place.rest === rest.value);
    const runs = [...new Set(chosen.map(({ run }) => run))];
    return [
        runs.map((run) => sentences(page, chosen.filter((place) => place.run === run))),
        rest.control, el("div", { class: "matrices" }, measured(page, chosen)),
        runs.map((run) => distances(page, run)),
    ];
}

export const numa = { id: "numa", title: "Memory nodes", experiments: ["numa"], render };
