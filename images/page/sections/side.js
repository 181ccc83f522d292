/* side: several runs side by side: what differs from one of them, and how far runs of one machine scatter. */
import { compareRuns, conditionsApart } from "../compare.js";
import { el } from "../dom.js";
import { number } from "../format.js";
import { scatterOf } from "../scatter.js";
import { chip } from "./runs.js";

const ROWS_SHOWN = 12; // of conditions; the others are folded away

function render(page) {
    if (page.runs.length < 2)
        return [];
    const reference = page.runs.find((run) => run === page.choices.side) ?? page.runs[0];
    const others = page.runs.filter((run) => run !== reference);
    const compared = others.map((run) => compareRuns(reference, run, page.unit));
    return [
        referenceChooser(page, reference),
        el("ul", { class: "against" }, others.map((run, i) => summary(run, compared[i]))),
        ...conditions([reference, ...others]),
        ...differences(reference, others, compared),
        ...scatterOf(page),
    ].filter(Boolean);
}

function referenceChooser(page, reference) {
    return el("label", {}, "compared with ", el("select", { onchange: (event) => {
        page.choices.side = page.runs[event.target.selectedIndex];
        page.redraw();
    } }, page.runs.map((run) => el("option", { selected: run === reference }, run.title))));
}

/** What a stranger wants to know of one run. */
function summary(run, compared) {
    const count = (outcome) => compared.filter((one) => one.outcome === outcome).length;
    const moved = compared.filter((one) => one.outcome === "different");
    const largest = moved.sort((a, b) => Math.abs(b.percent[0]) - Math.abs(a.percent[0]))[0];
    const most = largest ? `, most of all ${largest.key} (${percentText(largest.percent[0])})` : "";
    return el("li", {}, chip(run), el("b", {}, run.title), moved.length === 0 ? ": no figure differs; " :
        `: ${moved.length} ${moved.length > 1 ? "figures differ" : "figure differs"}${most}; `,
    `${count("same")} are the same, ${count("cannot be told apart")} cannot be told apart.`);
}

function percentText(percent) {
    if (percent === null)
        return "";
    const sign = percent > 0 ? "+" : percent < 0 ? "−" : "";
    return `${sign}${number(Math.abs(percent), 3)} %`;
}

function heads(first, runs) {
    return el("thead", {}, el("tr", {}, el("th", { scope: "col" }, first),
        runs.map((run) => el("th", { scope: "col" }, chip(run), run.title))));
}

function table(caption, first, runs, rows) {
    return el("div", { class: "wide" }, el("table", { class: "side" }, el("caption", {}, caption), heads(first, runs),
        el("tbody", {}, rows)));
}

/** What may be the cause. */
function conditions(runs) {
    const apart = conditionsApart(runs);
    if (apart.length === 0)
        return [el("p", {}, "All were made under the same conditions, as far as they tell.")];
    const rows = apart.map(({ path, texts }) => el("tr", {}, el("th", { scope: "row" }, path),
        texts.map((text) => el("td", {}, text ?? el("span", { class: "open" }, "not told")))));
    return folded("Conditions that differ, and may be the cause", "condition", runs, rows, ROWS_SHOWN,
        (count) => `${count} further conditions that differ`);
}

/** A table of the first rows, and one of the others that opens. */
function folded(caption, first, runs, rows, shown, label) {
    const rest = rows.slice(shown);
    return [
        table(caption, first, runs, rows.slice(0, shown)),
        rest.length === 0 ? null : el("details", {}, el("summary", {}, label(rest.length)), table("", first, runs, rest)),
    ];
}

/** Every verdict that the reference and another run both have; those first of which one differs. */
function differences(reference, others, compared) {
    const byKey = new Map();
    compared.forEach((list, i) => list.forEach((one) => {
        if (!byKey.has(one.key))
            byKey.set(one.key, new Array(others.length).fill(null));
        byKey.get(one.key)[i] = one;
    }));
    const keys = reference.verdicts.map((of) => `${of.experiment} ${of.case} ${of.name}`).filter((key) => byKey.has(key));
    const moved = (key) => byKey.get(key).some((one) => one?.outcome === "different");
    const sorted = [...keys.filter(moved), ...keys.filter((key) => !moved(key))];
    const count = keys.filter(moved).length;
    if (sorted.length === 0)
        return [el("p", { class: "missing" }, "These runs have no verdict in common.")];
    return folded(count > 0 ? `${count} of ${sorted.length} figures differ` : "No figure differs", "figure",
        [reference, ...others], sorted.map((key) => differenceRow(key, byKey.get(key))), count,
        (rest) => `${rest} figures that are the same or cannot be told apart`);
}

function differenceRow(key, cells) {
    const first = cells.find((one) => one !== null);
    const isMoved = cells.some((one) => one?.outcome === "different");
    return el("tr", { class: isMoved ? "moved" : undefined }, el("th", { scope: "row" }, key),
        el("td", {}, valueText(first.a, first.unit), rangeText(first.a)),
        cells.map((one) => (one === null ? el("td", {}, el("span", { class: "open" }, "not there")) : differenceCell(one))));
}

function valueText({ value }, unit) {
    return value === null ? "-" : `${number(value)} ${unit}`;
}

function rangeText({ low, high }) {
    return low === null || high === null ? null : el("small", {}, `${number(low)} to ${number(high)}`);
}

function differenceCell({ outcome, percent, b, unit, difference, low, high, reason }) {
    const [by, from, to] = percent.map(percentText);
    const apart = by !== "" ? by : difference === null ? "" : `${number(difference)} ${unit}`;
    const interval = from !== "" ? `${from} to ${to}` : low === null ? "" : `${number(low)} to ${number(high)} ${unit}`;
    return el("td", {}, valueText(b, unit), " ",
        el("span", { class: outcome === "cannot be told apart" ? "open" : outcome },
            outcome === "different" ? `different: ${apart}` : outcome === "same" ? `same: ${apart}` : outcome),
        el("small", {}, reason !== "" ? reason : interval));
}

export const side = { id: "side", title: "Side by side", render };
