/* bars: values with their intervals as rows of HTML, each with its status in a word. */
import { el, statusWord } from "./dom.js";
import { number, rounded } from "../data/format.js";

const OPEN_ROOM = 1.1; // times the low end of what may be larger: there its bar fades out

/**
 * @typedef {Object} Bar
 * @property {string} label
 * @property {string} [title]    its name in the files, for whoever points at it
 * @property {number|null} value  null with `low`: at least so much; without it: not known
 * @property {number|null} [low]   of its interval
 * @property {number|null} [high]
 * @property {string} [status]   ok, doubt, skip or error
 * @property {string} [why]      in words; shown where the status is not ok
 * @property {string} [color]    of the bar
 * @property {string} [group]    a heading before the first row of each group
 */

/**
 * The range that bars of these rows need: 0 is always in it.
 * @param {Bar[]} rows
 * @returns {{min: number, max: number}}
 */
export function rangeOf(rows) {
    const values = rows.flatMap(({ value, low, high }) =>
        (Number.isFinite(value) ? [value, low, high] : [low * OPEN_ROOM])).filter(Number.isFinite);
    const min = Math.min(0, ...values), max = Math.max(0, ...values);
    return { min, max: max > min ? max : min + 1 };
}

/**
 * "12.3 ns (12 to 13)", "at least 48 entries", or "not known"; an interval of one value is left out. Numbers have
 * the digits that the interval supports; another format has its own.
 */
export function valueText({ value, low = null, high = null }, unit, own) {
    const format = own ?? ((one) => number(rounded(one, low, high)));
    const isKnown = Number.isFinite(value), behind = unit ? ` ${unit}` : "";
    if (!isKnown)
        return Number.isFinite(low) ? `at least ${format(low)}${behind}` : "not known";
    const hasInterval = Number.isFinite(low) && Number.isFinite(high) && low < high;
    return `${format(value)}${behind}${hasInterval ? ` (${format(low)} to ${format(high)})` : ""}`;
}

/**
 * Bars from zero on one scale, whiskers from `low` to `high`, and all of it in words beside.
 * @param {Object} chart
 * @param {string} [chart.title]
 * @param {string} [chart.unit]      written behind values
 * @param {Function} [chart.format]  of a value; by default number(), with the digits that its interval supports
 * @param {Bar[]} chart.rows
 * @param {{min: number, max: number}} [chart.range]  where several charts share one; rangeOf() of all rows
 * @returns {HTMLElement}
 */
export function bars({ title, unit = "", format, rows, range = rangeOf(rows) }) {
    return el("figure", { class: "bars" }, title ? el("figcaption", {}, title) : null,
        el("ul", {}, rows.map((row, i) => [
            row.group && row.group !== rows[i - 1]?.group ? el("li", { class: "group" }, row.group) : null,
            line(row, range, unit, format),
        ])));
}

function line(row, range, unit, format) {
    const isDoubtful = row.status && row.status !== "ok";
    return el("li", {},
        el("span", { class: "name", title: row.title }, row.label),
        el("span", { class: "track" }, shapes(row, range)),
        el("span", { class: "value" }, valueText(row, unit, format)),
        row.status ? statusWord(row.status) : el("span"),
        isDoubtful && row.why ? el("span", { class: "why" }, row.why) : null);
}

/** The bar and its whiskers, in percent of the range; where only its low end is known, the bar fades out behind it. */
function shapes({ value, low, high, color }, { min, max }) {
    const at = (x) => 100 * (x - min) / (max - min);
    const place = (from, to) => `left:${at(from)}%;width:${at(to) - at(from)}%`;
    const isKnown = Number.isFinite(value), end = isKnown ? value : low;
    if (!Number.isFinite(end))
        return null;
    return [
        el("i", {
            class: isKnown ? "bar" : "bar open",
            style: `${place(Math.min(0, end), Math.max(0, end))};--bar:${color ?? "var(--series-0)"}`,
        }),
        isKnown && Number.isFinite(low) && Number.isFinite(high) && low < high ?
            el("i", { class: "whisker", style: place(low, high) }) : null,
        min < 0 ? el("i", { class: "zero", style: `left:${at(0)}%` }) : null,
    ];
}
