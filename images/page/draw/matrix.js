/* matrix: values from rows to columns as a table in shades of a colour; each cell can be read in words. */
import { el } from "./dom.js";

const LIGHTEST = 6, DARKEST = 46; // percent of the colour: text stays readable on all of them

/** Returns how dark each value is shown, from the least to the most of all, in percent of the colour. */
export function shadesOf(values) {
    const known = values.flat().filter(Number.isFinite), least = Math.min(...known), most = Math.max(...known);
    const shade = (value) => LIGHTEST + (most > least ? (DARKEST - LIGHTEST) * (value - least) / (most - least) : 0);
    return values.map((line) => line.map((value) => (Number.isFinite(value) ? shade(value) : null)));
}

/**
 * Draws the matrix; `corner` names rows and columns; a cell has a `text`, maybe a `note`, a `kind`, a `style` (else the shade
 * of its `value`), and `words`, which are shown while it has pointer or focus. `openers`: a function for each row, called when a cell is clicked.
 */
export function matrix({ title, corner, rows, columns, cells, openers = [] }) {
    const shades = shadesOf(cells.map((line) => line.map(({ value }) => value)));
    const readout = el("output", { class: "readout" });
    const tell = (words) => () => readout.replaceChildren(words);
    const boxes = cells.map((line, i) => line.map((cell, j) => el("td", {
        tabindex: i + j === 0 ? 0 : -1, onfocus: tell(cell.words), onmouseenter: tell(cell.words),
        onblur: tell(""), onmouseleave: tell(""), onclick: openers[i], class: cell.kind,
        style: cell.style ?? (shades[i][j] === null ? undefined : `--shade:${shades[i][j].toFixed(1)}%`),
    }, cell.text, cell.note ? el("small", {}, cell.note) : null)));
    return el("figure", { class: "matrix" }, el("figcaption", {}, title),
        el("div", { class: "wide" }, el("table", { onkeydown: (event) => step(boxes, event) },
            el("thead", {}, el("tr", {}, el("th", {}, corner),
                columns.map((name) => el("th", { scope: "col" }, name)))),
            el("tbody", {}, rows.map((name, i) => el("tr", { class: openers[i] && "opens" }, el("th", { scope: "row" }, name), boxes[i]))))),
        readout);
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Moves the focus from cell to cell by arrow keys; the table is one stop of the tabulator key. Enter clicks. */
function step(boxes, event) {
    const row = boxes.findIndex((line) => line.includes(event.target)), column = boxes[row]?.indexOf(event.target);
    if (event.key === "Enter" && row >= 0)
        event.target.click();
    if (!(event.key in STEPS))
        return;
    const next = boxes[row + STEPS[event.key][0]]?.[column + STEPS[event.key][1]];
    event.preventDefault();
    if (!next)
        return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
}
