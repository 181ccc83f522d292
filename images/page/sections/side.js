/* side: several runs side by side: their differences from one of them, and the scatter of runs of one machine. */
import { MAIN, caseWords, rankOf, shownIn, verdictWords } from "../data/answers.js";
import { apartOf, arePeers, compareRuns, conditionWords, conditionsApart, placeOf } from "../data/compare.js";
import { chip } from "../draw/chart.js";
import { keep } from "../draw/choices.js";
import { el, option, select, wideTable } from "../draw/dom.js";
import { labelOf } from "../data/figures.js";
import { counted, middle, range, sortedBy, spread, times, timesRange, withUnit } from "../data/format.js";
import { groupsOf, keyOf } from "../data/run.js";
import { machinesOf } from "../data/runs.js";
import { scaleOf } from "./answers.js";

function render(page) {
    if (page.runs.length < 2)
        return [];
    const reference = page.runs.find((run) => run.title === page.choices["side.reference"]) ?? page.runs[0];
    const all = page.runs.filter((run) => run !== reference)
        .map((run) => ({ run, verdicts: compareRuns(reference, run, page.unit), isPeer: arePeers(reference, run) }));
    const others = all.filter((one) => !one.isPeer), peers = all.filter((one) => one.isPeer);
    return [
        select("compared with ", page.runs.map((run) => option(run.title, reference.title)), (title) => keep(page, { "side.reference": title })),
        peers.length > 0 ? peersSummary(peers) : null,
        others.length > 0 ? [conditions(reference, others), differences(reference, others)] : null,
        machinesOf(page.runs).filter(({ boots }) => boots.flat().length > 1)
            .map((machine) => scatter(page, machine, peers.flatMap(({ verdicts }) => apartOf(verdicts).map((one) => one.of.name)))),
    ];
}

/** Says of runs of one machine under the same conditions that what differs is scatter, and not called different. */
function peersSummary(peers) {
    const verdicts = peers.flatMap((one) => one.verdicts), apart = apartOf(verdicts).length;
    return el("p", { class: "against" }, peers.map(({ run }) => [chip(run), el("strong", {}, run.title), " "]),
        "the same machine under the same conditions, as far as they tell. No difference is claimed: ",
        `${counted(apart, "figure")} of ${verdicts.length} ${apart === 1 ? "scatters" : "scatter"} by more than the intervals.`);
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
    const rows = apart.map(({ path, texts }) => el("tr", {}, el("th", { scope: "row", title: path }, conditionWords(path)),
        texts.map((text) => el("td", {}, text ?? el("span", { class: "open" }, "-")))));
    return table("Conditions that differ, and may be the cause", "condition", runs, rows);
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
    const runs = [reference, ...others.map(({ run }) => run)], rest = rows.slice(apart.length);
    const caption = `${apart.length} of ${counted(sorted.length, "figure")} differ (2x: twice that of ${reference.title})`;
    return [apart.length === 0 ? el("p", {}, "No figure differs.") : table(caption, "figure", runs, rows.slice(0, apart.length)),
        rest.length > 0 ? el("details", {}, el("summary", {}, `${counted(rest.length, "figure")} that do not differ, or are not sure enough to tell`), table("", "figure", runs, rest)) : null];
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

/** Returns the runs' verdicts of a name, in the case in which most are ok; [] if it has fewer than two values. */
function commonVerdicts(runs, name) {
    const found = runs.flatMap((run) => run.verdicts.filter((one) => one.name === name && one.value !== null && one.reason !== "emulated")
        .map((verdict) => ({ run, verdict })));
    const cases = groupsOf(found, ({ verdict }) => `${verdict.experiment} ${verdict.case}`).map(([, members]) => members);
    const ok = (members) => members.filter(({ verdict }) => verdict.status === "ok").length;
    cases.sort((a, b) => ok(b) - ok(a) || b.length - a.length || rankOf(a[0].verdict) - rankOf(b[0].verdict));
    return cases.length > 0 && cases[0].length > 1 ? cases[0] : [];
}

/** Reports how far runs of a machine vary, by boots; `further`: names of verdicts besides those of the main figures. */
function scatter(page, { name, boots }, further) {
    const runs = boots.flat(), isTold = runs.every((run) => run.json.machine.boot);
    const shared = runs.find((run) => run.json.machine.id_shared)?.json.machine.id_shared;
    const figures = [...new Set([...MAIN, ...further])].map((one) => commonVerdicts(runs, one)).filter((found) => found.length > 0);
    return [
        el("h3", {}, `How far ${runs.length} runs of machine ${name} scatter`),
        el("p", {}, isTold ? `They are of ${counted(boots.length, "boot")}, in order of time.` :
            "They are in order of time; not all of them tell of which boot they are.",
            shared ? ` It is one machine as far as can be told: ${shared}.` : ""),
        figures.length > 0 ? el("ul", { class: "strips" }, figures.map((found) => scatterLine(page, isTold ? boots : [runs], found))) :
            el("p", { class: "missing" }, "No main figure has a value in two of them."),
    ];
}

function scatterLine(page, boots, found) {
    const shown = new Map(found.map(({ run, verdict }) => [run, shownIn(page, run, verdict)]));
    const [{ verdict }] = found, { unit } = shown.get(found[0].run);
    const values = [...shown.values()].map(({ value }) => value).filter(Number.isFinite);
    const medians = boots.map((boot) => boot.filter((run) => shown.has(run)).map((run) => shown.get(run).value))
        .filter((list) => list.length > 0).map(middle);
    return el("li", {}, el("div", {}, el("strong", {}, `${labelOf(verdict.name)}: ${withUnit(middle(values), unit)}`),
        `median of ${values.length} runs, ${caseWords(verdict)}; ${spread(values, unit)} between runs` +
        `${boots.length > 1 ? `, ${spread(medians, unit)} between boots` : ""}`), scaleOf(page, found));
}

export const side = { id: "side", title: "Side by side", render };
