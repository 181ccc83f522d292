/* answers: the main questions, and what each run answers: one table, a column for each run. */
import { chip } from "../draw/chart.js";
import { keep, leadOf } from "../draw/choices.js";
import { el, statusWord, wideTable } from "../draw/dom.js";
import { paperButtons } from "../draw/saving.js";
import { noteOf } from "../draw/section.js";
import { labelOf } from "../data/figures.js";
import { ANSWERS, answersOf, besideOf, caseWords } from "../data/answers.js";
import { arePeers, compareRuns, compareValues, timeUnit } from "../data/compare.js";
import { ticksOfCycle } from "../data/points.js";
import { distinct, interval, quantity, scaled, sortedBy, inUnit, times, timesRange, TIME_UNITS } from "../data/format.js";
import { comparedWith, figureText, isOfKind, publishedFor, publishedOf, uarchOf } from "../data/published.js";
import { hasValue, isEmulated, rowsOf, verdictOf, whyMissing } from "../data/run.js";
import { wordsOf } from "../data/words.js";

const OTHERS_MAX = 4;

/** Converts a TLB's time from core cycles to ticks, by the cycle's length at that time, unless cycles are wanted. */
function inTicks(run, verdict, page) {
    const rows = rowsOf(run, verdict.experiment, verdict.case);
    const ticks = verdict.unit === "cycles" && page.unit !== "cycles" ? ticksOfCycle(rows) : null;
    return ticks === null ? verdict : { ...scaled(verdict, ticks), unit: "ticks" };
}

function textOf(verdict, page, run) {
    const shown = quantity(verdict.value, verdict.unit, page, run, verdict);
    return `${shown.text} ${shown.unit}`.trim();
}

/** Returns the answer's number, or its lower bound if only that is known. */
function valueOf(run, verdict, page) {
    const { text, unit } = quantity(verdict.value, verdict.unit, page, run, verdict);
    const words = verdict.value === null ? interval(verdict, page, run) : text;
    return words === "" ? (verdict.reason === "emulated" ? verdict.method : "no answer") : [words, el("span", { class: "unit" }, ` ${unit}`)];
}

const intervalOf = (run, verdict, page) => (verdict.value === null ? "" : interval(verdict, page, run));

const cyclesOf = (run, found) => found && verdictOf(run, found.experiment, found.case, `${found.name}_cycles`);

/** Returns "latency 1.08 ns (3.98 cycles), 1.06 to 1.1"; if cycles are chosen, nanoseconds are in brackets. */
function besideWords(run, answer, verdict, page) {
    const found = besideOf(run, answer, verdict);
    if (!found)
        return null;
    const time = inTicks(run, found, page), range = intervalOf(run, time, page), other = { unit: page.unit === "cycles" ? "ns" : "cycles" };
    const cycles = other.unit === "cycles" && cyclesOf(run, found);
    const inOther = hasValue(cycles) ? cycles : inTicks(run, found, other), has = inOther.unit === other.unit || (inOther.unit === "ticks" && TIME_UNITS[other.unit](run) !== null);
    return el("small", { class: "beside-answer" },
        `${answer.beside[found.name]} ${textOf(time, page, run)}${has ? ` (${textOf(inOther, other, run)})` : ""}${range && `, ${range}`} `,
        found.status === "ok" ? null : statusWord(found.status, found.method));
}

/** Returns the published rows of an answer and of the latency beside it, each with its verdict and the words before it. */
function publishedRows(run, answer, verdict, page) {
    const beside = besideOf(run, answer, verdict);
    return [{ of: verdict, lead: "" }, { of: cyclesOf(run, beside), lead: `${answer.beside?.[beside?.name]} ` }].filter(({ of }) => of)
        .map((one) => ({ ...one, row: publishedFor(page.published, run, one.of) })).filter(({ row }) => row);
}

/** Returns the published figures, each with the microarchitecture that it is of. */
function publishedParts(run, answer, verdict, page) {
    const words = publishedRows(run, answer, verdict, page).map(({ of, lead, row }, i) => {
        const shown = (value) => quantity(value, of.unit, page, run), compared = comparedWith(row, of);
        return [i > 0 ? el("br") : null, lead, figureText(row, (value) => shown(value).text),
            ` ${isOfKind(row, of) ? shown(row.value ?? row.high).unit : row.kind}`, el("small", {}, ` ${row.uarch}${compared && `: ${compared}`}`)];
    });
    return words.length > 0 ? words : null;
}

/** Returns why there is no answer; a run that was cut short may have points without verdicts. */
const whyNone = (run, { experiment }) => (run.rows.some((row) => row.experiment === experiment && row.metric !== "skipped") ?
    "Measured, but not judged." : whyMissing(run, experiment));

/** Returns the question's meaning, and how each run found its answer, folded away. */
function about(page, answer, found) {
    const lines = found.map((verdict, i) => {
        const run = page.runs[i], lead = leadOf(page, run);
        if (!verdict)
            return el("p", {}, `${lead}${whyNone(run, answer)}`);
        const others = run.verdicts.filter((other) => other !== verdict && other.status === "ok" && other.value !== null &&
            other.name === verdict.name && other.experiment === verdict.experiment);
        const also = others.slice(0, OTHERS_MAX).map((other) => `${caseWords(other)}: ${textOf(other, page, run)}`).join("; ");
        const published = publishedRows(run, answer, verdict, page).map(({ row }) =>
            ` Published by ${row.source}; confidence ${row.confidence}${row.note ? ` (${row.note})` : ""}.`);
        return el("p", { title: `${verdict.experiment} ${verdict.case} ${verdict.name}` }, `${lead}${verdict.method}. Measured with ${caseWords(verdict)}.`,
            also && ` Also ${also}.`, distinct(published));
    });
    return el("details", {}, el("summary", { "aria-label": `about ${answer.title}` }, "about"), el("p", {}, answer.means), lines);
}

function partsOf(page, run, answer, verdict) {
    const shown = inTicks(run, verdict, page);
    return { value: valueOf(run, shown, page), status: statusWord(verdict.status, verdict.method), range: intervalOf(run, shown, page),
        beside: besideWords(run, answer, verdict, page), published: publishedParts(run, answer, verdict, page) };
}

/** Returns the cells of a page's only run: each part of its answer has a column. */
function cellsOfOne(page, answer, verdict) {
    const [run] = page.runs, more = el("td", {}, about(page, answer, [verdict]));
    if (!verdict)
        return [el("td", { class: "value" }, "no answer"), el("td"), el("td", { class: "missing", colspan: 3 }, whyNone(run, answer)), more];
    const { value, status, range, beside, published } = partsOf(page, run, answer, verdict);
    return [el("td", { class: "value" }, value), el("td", {}, status), el("td", {}, range), el("td", { class: "published" }, published), el("td", {}, beside), more];
}

/** Returns the cell of one of several runs; `all`: the answers that the runs have: the cell reports a name or case in which they differ. */
function cellOf(page, answer, run, verdict, all) {
    if (!verdict)
        return el("td", { class: "missing" }, whyNone(run, answer));
    const { value, status, range, beside, published } = partsOf(page, run, answer, verdict);
    return el("td", {}, el("span", { class: "value" }, value), " ", status, range && el("small", {}, range),
        verdict.name === all[0].name ? null : el("small", {}, `as ${labelOf(verdict.name)}`),
        all.every((one) => caseWords(one) === caseWords(verdict)) ? null : el("small", {}, `with ${caseWords(verdict)}`), beside,
        published && el("small", { class: "published" }, "published ", published));
}

/** Returns the second run's answer divided by the first one's, by the same rule as side by side: runs of one machine scatter. */
function ratioCell(page, found) {
    const unit = timeUnit(...page.runs, page.unit), [first] = compareRuns(...page.runs, page.unit);
    const [a, b] = found.map((verdict, i) => verdict && inUnit(inTicks(page.runs[i], verdict, page), unit, page.runs[i]));
    const { outcome, ratio } = a && b ? compareValues(a, b, Math.max(1, first?.comparisons ?? 1)) : { ratio: null };
    const words = outcome === "different" && arePeers(...page.runs) ? "scatters" : outcome;
    return ratio === null ? el("td") : el("td", { class: "ratio" }, el("span", { class: `value ${words === "different" ? words : "open"}` },
        times(ratio.value)), el("small", {}, timesRange(ratio)), el("small", {}, a.status === "ok" && b.status === "ok" ? words : "in doubt"));
}

/** Returns the runs' indices in the order of the answer that the user chose; runs without that answer come last. */
function inOrder(page, answers) {
    const { "answers.by": by, "answers.down": down } = page.choices, row = ANSWERS.findIndex(({ title }) => title === by);
    const order = page.runs.map((_, i) => i);
    return row < 0 ? order : sortedBy(order, (i) => answers[row][i]?.value, down);
}

function sortButton(page, title) {
    const { "answers.by": by, "answers.down": down } = page.choices;
    return el("button", { type: "button", class: "sort", title: "puts the runs in this answer's order", onclick: () =>
        keep(page, { "answers.by": title, "answers.down": by === title && !down ? "yes" : "" }) }, title);
}

function table(page) {
    const { runs } = page, isOne = runs.length === 1, answers = ANSWERS.map((answer) => answersOf(runs, answer));
    const order = inOrder(page, answers), { "answers.by": by, "answers.down": down } = page.choices;
    const uarch = uarchOf(page.published, runs[0]), kindOf = (run) => uarchOf(page.published, run) || run.json.processor?.brand;
    const head = (run) => el("th", { scope: "col" }, chip(run), run.title, distinct([kindOf(run)], [run.title]).map((one) => el("small", {}, one)));
    const heads = isOne ? ["answer", "", "interval", `published${uarch && ` for ${uarch}`}`, "also measured", ""].map((name) => el("td", {}, name)) :
        [...order.map((i) => head(runs[i])), ...(runs.length === 2 ? [el("th", { scope: "col" }, `${runs[1].title} divided by ${runs[0].title}`)] : []), el("td")];
    const line = (answer, row) => {
        const found = answers[row], kind = isOne ? found[0]?.status ?? "none" : "";
        const counted = distinct(found.map((verdict) => answer.counts?.[verdict?.name]));
        return el("tr", { class: kind, "data-answer": answer.title },
            el("th", { scope: "row", "aria-sort": by === answer.title ? (down ? "descending" : "ascending") : undefined },
                isOne ? answer.title : sortButton(page, answer.title), counted.length === 1 ? el("small", {}, counted) : null),
            isOne ? cellsOfOne(page, answer, found[0]) : [...order.map((i) => cellOf(page, answer, runs[i], found[i], found.filter(Boolean))),
                runs.length === 2 ? ratioCell(page, found) : null, el("td", {}, about(page, answer, found))]);
    };
    return wideTable("Table of answers", `answers ${["one", "two"][runs.length - 1] ?? ""}`.trim(), [el("td"), ...heads], ANSWERS.map(line));
}

/** Returns "6 of 10 answers are firm, 3 doubtful, 1 missing: L3 cache." for each run. */
function inShort(page) {
    return page.runs.map((run) => {
        const found = ANSWERS.map((answer) => answersOf([run], answer)[0]), ok = found.filter((one) => one?.status === "ok").length;
        const open = ANSWERS.filter((_, i) => !found[i] || (found[i].value === null && found[i].low === null)).map(({ title }) => title);
        return el("p", { class: "lead" }, page.runs.length > 1 ? [chip(run), `${run.title}: `] : "",
            `${ok} of ${found.length} answers are firm, ${found.length - ok - open.length} doubtful, ${open.length} missing${open.length > 0 ? `: ${open.join(", ")}` : ""}.`);
    });
}

/** The usual faults of a machine that only these experiments see, as the last screen has them. */
const FAULTS = wordsOf("fault");

function unseen(page) {
    const asked = page.runs.map((run) => String(run.json.configuration?.experiments ?? [...FAULTS.keys()].join(" ")).split(" "));
    const words = [...FAULTS].filter(([name]) => asked.some((names) => !names.includes(name))).map(([, fault]) => fault);
    return words.length === 0 || page.runs.some(isEmulated) ? null :
        el("p", { class: "note unseen" }, `Not looked at: ${words.join(", ")}. suite = fleet looks for them.`);
}

function sources(page) {
    const rows = [...new Set(page.runs.flatMap((run) => publishedOf(page.published, run)))];
    if (rows.length === 0)
        return el("p", { class: "missing" }, "No figures published by others are known here for this processor.");
    const columns = ["uarch", "figure", "kind", "pages", "value", "source", "confidence", "note"];
    return el("details", {}, el("summary", {}, "Published figures of this processor family, and their sources"),
        el("p", {}, "Others have published these. None of them was measured here, and no answer depends on them."),
        wideTable("Published figures", "published-list", columns,
            rows.map((row) => el("tr", {}, columns.map((name) => el("td", {}, name === "value" ? figureText(row) : row[name]))))));
}

export const answers = {
    id: "answers", title: "Answers", render: (page) => [inShort(page), table(page), noteOf("answers"), unseen(page), paperButtons(page), sources(page)],
};
