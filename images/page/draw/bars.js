/* bars: values with their intervals as rows of HTML, each with its status in a word. */
import { el, statusWord } from "./dom.js";
import { number, rounded } from "../data/format.js";

const WHISKER_MOST = 1.25; // times the largest value
const OPEN_ROOM = 1.1; // times the low end of a value that may be larger: its bar fades out there

/** Returns a range that holds 0 and all values; a long whisker, which goes beyond it, does not make all bars short. */
export function rangeOf(rows) {
    const values = rows.map(({ value, low, high }) => value ?? (Number.isFinite(low) ? low * OPEN_ROOM : high)).filter(Number.isFinite);
    const most = WHISKER_MOST * Math.max(0, ...values.map(Math.abs)), ends = rows.filter(({ value }) => Number.isFinite(value))
        .flatMap(({ low, high }) => [low, high]).filter(Number.isFinite).map((end) => Math.max(-most, Math.min(most, end)));
    const min = Math.min(0, ...values, ...ends), max = Math.max(0, ...values, ...ends);
    return { min, max: max > min ? max : min + 1 };
}

/**
 * Returns "12.3 ns (12 to 13)", "at least 48 entries", "at most" as many, or "not known", with the digits that the interval supports;
 * leaves out an interval of one value.
 */
export function valueText({ value, low = null, high = null }, unit) {
    const format = (one) => number(rounded(one, low, high)), behind = unit ? ` ${unit}` : "";
    const hasInterval = Number.isFinite(low) && Number.isFinite(high) && low < high;
    if (Number.isFinite(value))
        return `${format(value)}${behind}${hasInterval ? ` (${format(low)} to ${format(high)})` : ""}`;
    const [words, end] = [["at least", low], ["at most", high]].find(([, one]) => Number.isFinite(one)) ?? [];
    return words ? `${words} ${format(end)}${behind}` : "not known";
}

/**
 * Draws bars from zero on one scale, whiskers from `low` to `high`, and the numbers beside. A row's `title`: its name
 * in the files; `value` null: at least `low`, or not known without it; `group`: a heading before its first row.
 */
export function bars({ title, unit, rows, range = rangeOf(rows) }) {
    return el("figure", { class: "bars" }, el("figcaption", {}, title),
        el("ul", {}, rows.map((row, i) => [
            row.group && row.group !== rows[i - 1]?.group ? el("li", { class: "group" }, row.group) : null,
            line(row, range, unit),
        ])));
}

const line = (row, range, unit) => el("li", {}, el("span", { class: "name", title: row.title }, row.label),
    el("span", { class: "track" }, shapes(row, range)), el("span", { class: "value" }, valueText(row, unit)),
    row.status ? statusWord(row.status) : el("span"));

/** Draws the bar and its whiskers in percent of the range; if only an end is known, the bar fades out there. */
function shapes({ value, low, high, color, status = "ok" }, { min, max }) {
    const at = (x) => 100 * (x - min) / (max - min);
    const place = (from, to) => `left:${at(from)}%;width:${at(to) - at(from)}%`;
    const isKnown = Number.isFinite(value), end = [value, low, high].find(Number.isFinite);
    if (!Number.isFinite(end))
        return null;
    return [
        el("i", {
            class: `bar${isKnown ? "" : " open"}${status === "ok" ? "" : " doubt"}`,
            style: `${place(Math.min(0, end), Math.max(0, end))};--bar:${color ?? "var(--series-0)"}`,
        }),
        isKnown && Number.isFinite(low) && Number.isFinite(high) && low < high ?
            el("i", { class: high > max ? "whisker beyond" : "whisker", style: place(Math.max(low, min), Math.min(high, max)) }) : null,
        min < 0 ? el("i", { class: "zero", style: `left:${at(0)}%` }) : null,
    ];
}
