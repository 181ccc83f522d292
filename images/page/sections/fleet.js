/* fleet: many machines at a glance: the odd ones in words, and all figures as a heat map, whose rows open machines. */
import { describeCase } from "../data/cases.js";
import { chosenRuns } from "../data/fleet.js";
import { bytes, counted, number } from "../data/format.js";
import { duration } from "../data/quiet.js";
import { changeRuns } from "../data/runs.js";
import { el } from "../draw/dom.js";
import { matrix } from "../draw/matrix.js";
import { noteOf } from "../draw/section.js";

const FULL = 6, DARKEST = 46; // MADs from the median that have all of a hue; percent of it: text stays readable
const BELOW = { word: "below", mark: "▼", hue: 0 }, ABOVE = { word: "above", mark: "▲", hue: 1 };

const sideOf = (spreads) => (spreads < 0 ? BELOW : ABOVE);
const shade = (spreads) => `--hue:var(--series-${sideOf(spreads).hue});--shade:${(DARKEST * Math.min(1, Math.abs(spreads) / FULL)).toFixed(1)}%`;

/** Returns a value as short as a cell is: without its unit, unless that goes with the value's size. */
const short = (value, unit) => ({ bytes, ns: duration }[unit] ?? ((one) => number(one, 3)))(value);
const long = (value, unit) => `${short(value, unit)} ${["bytes", "ns"].includes(unit) ? "" : unit}`.trim();

function cellOf(machine, { figure, case: name, unit, median }, cell) {
    if (cell === null)
        return { text: "-", words: `${machine}, ${figure}: no value that is ok and has an interval` };
    const { value, low, high, spreads, odd } = cell, { word, mark } = sideOf(spreads);
    const range = low < high ? ` (${short(low, unit)} to ${short(high, unit)})` : "";
    const apart = spreads === 0 ? "as the median" : `${number(Math.abs(spreads), 2)} MADs ${word} the median, ${long(median, unit)}`;
    return { text: `${odd ? `${mark} ` : ""}${short(value, unit)}`, style: shade(spreads), kind: odd && "odd",
        words: `${machine}, ${figure}${odd ? ", odd" : ""}: ${long(value, unit)}${range}, ${apart}; ${describeCase(name)}` };
}

const conditionsCell = ({ machine, unlike }) => ({ text: unlike.join(", ") || "alike", kind: unlike.length > 0 && "odd",
    words: `${machine}, conditions: ${unlike.length > 0 ? `most others differ in ${unlike.join(", ")}` : "as most others have them"}` });

/** Returns a function that shows this machine beside the typical one; undefined: the page does not have its run. */
const openerOf = (page, row) => (!row.is_stored ? undefined : () => {
    page.choices["fleet.row"] = row.name;
    changeRuns(page, chosenRuns(page, document), []);
    document.getElementById("answers").scrollIntoView();
});

const nameOf = (page, row, onclick = openerOf(page, row)) => (onclick === undefined ? row.machine : el("button",
    { type: "button", class: "link", onclick, "aria-pressed": String(page.choices["fleet.row"] === row.name) }, row.machine));

const heatMap = (page, { rows, figures, typical }) => matrix({
    title: "All figures of all machines, the odd ones first", corner: "machine",
    rows: rows.map((row) => [nameOf(page, row), row.name === typical ? el("small", {}, " typical") : null]),
    columns: [...figures.map(({ figure, unit, median }) => [figure, el("small", {}, long(median, unit))]), "conditions"],
    cells: rows.map((row) => [...row.cells.map((cell, i) => cellOf(row.machine, figures[i], cell)), conditionsCell(row)]),
    openers: rows.map((row) => openerOf(page, row)),
});

const key = () => el("p", { class: "key" }, [-FULL, -FULL / 2, 0, FULL / 2, FULL].map((spreads) => el("i", { style: shade(spreads) }, String(spreads).replace("-", "−"))),
    " MADs from the median ", el("i", { class: "odd" }, `${BELOW.mark} ${ABOVE.mark} odd`));

function part(page, { name, machines, too_small: isSmall, rows, ...group }) {
    const odd = rows.filter(({ words }) => words.length > 0);
    const how = isSmall ? `${counted(machines, "machine")}, too few to compare with each other` :
        odd.length > 0 ? `${odd.length} of ${counted(machines, "machine")} ${odd.length > 1 ? "are" : "is"} odd` : `All ${machines} machines are alike`;
    return [
        el("h3", {}, how, el("small", {}, name)),
        el("ul", { class: "odds" }, (isSmall ? rows : odd).map((row) => el("li", {}, nameOf(page, row), row.words.map((words, i) => `${i > 0 ? "; " : ": "}${words}`)))),
        isSmall ? null : [key(), noteOf("fleet"), heatMap(page, { rows, ...group })],
    ];
}

export const fleet = { id: "fleet", title: "Machines", render: (page) => (page.fleet ?? []).map((group) => part(page, group)) };
