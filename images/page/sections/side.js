/* side: several runs side by side: their differences from one of them, and the scatter of runs of one machine. */
import { verdictWords } from "../data/answers.js";
import { apartOf, arePeers, compareRuns, conditionsApart, leading, placeOf } from "../data/compare.js";
import { chip } from "../draw/chart.js";
import { keep } from "../draw/choices.js";
import { el, option, select, wideTable } from "../draw/dom.js";
import { counted, range, sortedBy, times, timesRange, withUnit } from "../data/format.js";
import { keyOf } from "../data/run.js";
import { scatterOf } from "../draw/scatter.js";

const CONDITIONS_SHOWN = 12; // the others are folded away
const NAMED = 3;             // figures, in a sentence

function render(page) {
    if (page.runs.length < 2)
        return [];
    const reference = page.runs.find((run) => run.title === page.choices["side.reference"]) ?? page.runs[0];
    const all = page.runs.filter((run) => run !== reference)
        .map((run) => ({ run, verdicts: compareRuns(reference, run, page.unit), isPeer: arePeers(reference, run) }));
    const others = all.filter((one) => !one.isPeer), peers = all.filter((one) => one.isPeer);
    return [
        select("compared with ", page.runs.map((run) => option(run.title, reference.title)), (title) => keep(page, { "side.reference": title })),
        el("ul", { class: "against" }, others.map((one) => summary(reference, one)), peers.length > 0 ? peersSummary(peers) : null),
        others.length > 0 ? [conditions(reference, others), differences(reference, others)] : null,
        scatterOf(page, peers.flatMap(({ verdicts }) => apartOf(verdicts).map((one) => one.of.name))),
    ];
}

/** Returns how many of a run's figures differ from the reference, the first of them, and how many are the same. */
function summary(reference, { run, verdicts }) {
    const count = (outcome) => verdicts.filter((one) => one.outcome === outcome).length;
    const apart = apartOf(verdicts), alone = reference.verdicts.length + run.verdicts.length - 2 * verdicts.length;
    return el("li", {}, chip(run), el("strong", {}, run.title), ": ",
        apart.length === 0 ? "" : [el("strong", { class: "different" }, `${counted(apart.length, "figure")} different`), `: ${named(apart)}; `],
        `${count("same")} the same, ${count("cannot be told apart")} of ${verdicts.length} shared figures within error`,
        alone > 0 ? `; ${alone} in one of them only.` : ".");
}

/** Summarizes runs of one machine under the same conditions: what differs is scatter, and not called different. */
function peersSummary(peers) {
    const apart = peers.flatMap(({ run, verdicts }) => apartOf(verdicts).map((one) => `${verdictWords(one.of)} of ${run.title}`));
    const count = peers.reduce((sum, { verdicts }) => sum + verdicts.length, 0);
    return el("li", {}, peers.map(({ run }) => chip(run)),
        el("strong", {}, peers.length === 1 ? peers[0].run.title : `${peers.length} runs`),
        ": the same machine under the same conditions, as far as they tell. No difference is claimed: ",
        apart.length === 0 ? `none of ${count} figures is apart by more than its intervals.` :
            `${apart.length} of ${count} figures ${apart.length > 1 ? "scatter by more than their intervals" :
                "scatters by more than its interval"}: ` +
            `${apart.slice(0, NAMED).join(", ")}${apart.length > NAMED ? " and others" : ""}.`);
}

/** Names the first figures, one case of each. */
function named(apart) {
    const first = leading(apart), names = first.slice(0, NAMED).map((one) => `${verdictWords(one.of)} ${sizeText(one)}`);
    return names.join(", ") + (apart.length > names.length ? " and others" : "");
}

const sizeText = ({ ratio, difference, unit }) => (ratio === null ? withUnit(difference, unit) : times(ratio.value));

function table(caption, first, runs, rows) {
    const wide = wideTable(caption || `Further: ${first}`, "side",
        [first, ...runs.map((run) => el("th", { scope: "col" }, chip(run), run.title))], rows);
    wide.firstChild.prepend(el("caption", {}, caption));
    return wide;
}

function conditions(reference, others) {
    const runs = [reference, ...others.map(({ run }) => run)], apart = conditionsApart(runs);
    if (apart.length === 0)
        return el("p", {}, "All were made under the same conditions, as far as they tell.");
    const rows = apart.map(({ path, texts }) => el("tr", {},
        el("th", { scope: "row" }, path.split(/(?<=[._])/).flatMap((part) => [part, el("wbr")])), // may break behind dots
        texts.map((text) => el("td", {}, text ?? el("span", { class: "open" }, "-")))));
    return folded("Conditions that differ, and may be the cause", "condition", runs, rows, CONDITIONS_SHOWN,
        (count) => `${counted(count, "further condition")} that differ`);
}

/** Returns a table of the first rows, and another one, which opens, of the others. */
function folded(caption, first, runs, rows, shown, label) {
    const rest = rows.slice(shown);
    return [
        shown > 0 ? table(caption, first, runs, rows.slice(0, shown)) : el("p", {}, caption),
        rest.length > 0 ? el("details", {}, el("summary", {}, label(rest.length)), table("", first, runs, rest)) : null,
    ];
}

/** Returns a table of the verdicts that the reference shares with other runs, in the answers' order; those that differ in one come first. */
function differences(reference, others) {
    const found = others.map(({ verdicts }) => new Map(verdicts.map((one) => [one.key, one])));
    const keys = sortedBy(reference.verdicts, placeOf).map(keyOf).filter((key) => found.some((ofRun) => ofRun.has(key)));
    const apart = [...new Set(apartOf(others.flatMap(({ verdicts }) => verdicts)).map((one) => one.key))];
    const sorted = [...apart, ...keys.filter((key) => !apart.includes(key))];
    if (sorted.length === 0)
        return el("p", { class: "missing" }, "These runs have no verdict in common.");
    const rows = sorted.map((key, i) => differenceRow(key, found.map((ofRun) => ofRun.get(key)), i < apart.length));
    return folded(apart.length > 0 ? `${apart.length} of ${counted(sorted.length, "figure")} differ (2x: twice that of ${reference.title})` : "No figure differs.",
        "figure", [reference, ...others.map(({ run }) => run)], rows, apart.length,
        (count) => `${counted(count, "figure")} the same, or within error`);
}

function differenceRow(key, cells, isApart) {
    const shown = cells.find((one) => one !== undefined), { a, unit } = shown;
    return el("tr", { class: isApart ? "apart" : undefined }, el("th", { scope: "row", title: key }, verdictWords(shown.of)),
        el("td", {}, valueText(a.value, unit), el("small", {}, rangeText(a.low, a.high, unit))),
        cells.map((one) => el("td", {}, one === undefined ? el("span", { class: "open" }, "-") : outcomeOf(one))));
}

const valueText = (value, unit) => (value === null ? "no value" : withUnit(value, unit));

const rangeText = (low, high, unit) => (low === null || high === null || low === high ? "" : range(low, high, unit));

/** Returns the other run's value, the outcome by word and colour, and its ratio to the reference's value. */
function outcomeOf(one) {
    const { of, otherCase, outcome, ratio, b, unit, low, high, reason } = one, isOpen = outcome === "cannot be told apart";
    const interval = ratio === null ? rangeText(low, high, unit) : timesRange(ratio);
    return [
        valueText(b.value, unit), " ",
        el("span", { class: isOpen ? "open" : outcome }, isOpen ? outcome : `${outcome}: ${sizeText(one)}`),
        el("small", {}, isOpen ? reason : interval),
        otherCase === of.case ? null : el("small", {}, `case ${otherCase}`),
    ];
}

export const side = { id: "side", title: "Side by side", render };
