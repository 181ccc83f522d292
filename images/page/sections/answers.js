/* answers: the main questions, and what each run answers: a row each, with a scale of its own; and what would free more of them. */
import { chip, runColor } from "../draw/chart.js";
import { leadOf } from "../draw/choices.js";
import { el, statusWord, wideTable } from "../draw/dom.js";
import { paperButtons } from "../draw/saving.js";
import { noteOf } from "../draw/section.js";
import { labelOf } from "../data/figures.js";
import { adviceOf } from "../data/advice.js";
import { ANSWERS, answersOf, besideOf, caseWords, shownIn } from "../data/answers.js";
import { arePeers, compareRuns, compareValues, timeUnit } from "../data/compare.js";
import { capitalized, counted, distinct, interval, quantity, times, timesRange, TIME_UNITS } from "../data/format.js";
import { comparedWith, figureText, isOfKind, publishedFor, uarchOf } from "../data/published.js";
import { isEmulated, verdictOf, whyMissing } from "../data/run.js";
import { wordsOf } from "../data/words.js";

const OTHERS_MAX = 4;

function textOf(shown, page, run) {
    const { text, unit } = quantity(shown.value, shown.unit, page, run, shown);
    return shown.value === null ? interval(shown, page, run) : `${text} ${unit}`.trim();
}

/** Returns the answer's number, or its bound if only that is known. */
export function valueOf(page, run, shown) {
    const { text, unit } = quantity(shown.value, shown.unit, page, run, shown);
    const words = shown.value === null ? interval(shown, page, run) : text;
    return words === "" ? (shown.reason === "emulated" ? "emulated" : "no answer") : [words, el("span", { class: "unit" }, shown.value === null && unit === "bytes" ? "" : ` ${unit}`)];
}

/** Returns where the answer may lie: an interval, "exact" if that is one value and sure, or that it is not known. */
export const certainty = (page, run, shown) => (shown.value === null ? "" : shown.low === null && shown.high === null ? "interval not known" :
    interval(shown, page, run) || (shown.status === "ok" ? "exact" : ""));

/** Returns "latency 1.08 ns (3.98 cycles), 1.06 to 1.1"; if cycles are chosen, nanoseconds are in brackets. */
function besideWords(page, run, answer, verdict) {
    const found = besideOf(run, answer, verdict);
    if (!found)
        return null;
    const shown = shownIn(page, run, found);
    if (shown.value === null)
        return null;
    const range = interval(shown, page, run), other = { unit: page.unit === "cycles" ? "ns" : "cycles" };
    const inOther = TIME_UNITS[other.unit](run) === null ? shown : shownIn(other, run, found);
    return el("span", { class: "beside-answer" },
        ` ${capitalized(answer.beside[found.name])} ${textOf(shown, page, run)}${inOther.unit === shown.unit ? "" : ` (${textOf(inOther, other, run)})`}${range && `, ${range}`}`,
        found.case === verdict.case || found.experiment !== verdict.experiment ? "" : ` with ${caseWords(found)}`, found.status === "ok" ? "." : [" ", statusWord(found.status, found.method)]);
}

/** Returns the published rows of an answer and of the latency beside it, each with its verdict and the words before it. */
function publishedRows(page, run, answer, verdict) {
    const beside = besideOf(run, answer, verdict), cycles = beside && verdictOf(run, beside.experiment, beside.case, `${beside.name}_cycles`);
    return [{ of: verdict, lead: "" }, { of: cycles, lead: `${answer.beside?.[beside?.name]} ` }].filter(({ of }) => of)
        .map((one) => ({ ...one, row: publishedFor(page.published, run, one.of) })).filter(({ row }) => row);
}

/** Returns "Published for Zen 4: 320 entries, one more here." */
function publishedWords(page, run, answer, verdict) {
    const rows = publishedRows(page, run, answer, verdict), words = rows.map(({ of, lead, row }) => {
        const shown = (value) => quantity(value, of.unit, page, run);
        const unit = isOfKind(row, of) ? shown(row.value ?? row.high).unit : row.kind;
        return [`${lead}${figureText(row, (value) => shown(value).text)} ${unit}`, comparedWith(row, of)].filter(Boolean).join(", ");
    });
    return words.length === 0 ? null : el("span", { class: "published" }, ` Published for ${rows[0].row.uarch}: ${words.join("; ")}.`);
}

/** Returns what a reader has to know of an answer: the reason for a doubt (of several runs, "about" has it), the published figure, and what was measured beside it. */
function sentence(page, run, answer, verdict) {
    const isSure = page.runs.length > 1 || verdict.status === "ok" || verdict.reason === "emulated", why = verdict.method.split(";")[0] || verdict.status;
    return [isSure ? null : el("span", { class: "why" }, `${capitalized(why)}.`), publishedWords(page, run, answer, verdict), besideWords(page, run, answer, verdict)];
}

const ROOM = 1.12; // times the largest number on a scale

/** Draws runs' answers on a scale from zero: dots, hollow in doubt, their intervals, and the published figure as an upright. */
export function scaleOf(page, found) {
    const lines = found.map(({ run, verdict }) => ({ run, verdict, shown: verdict && shownIn(page, run, verdict) }));
    const published = lines.map(({ run, verdict }) => {
        const row = verdict && publishedFor(page.published, run, verdict);
        return row && isOfKind(row, verdict) ? row.value ?? row.high : null;
    });
    const most = ROOM * Math.max(...lines.flatMap(({ shown }) => (shown ? [shown.value, shown.low, shown.high] : [])), ...published);
    const at = (value) => `${(100 * value / most).toFixed(1)}%`, between = (from, to) => `left:${at(from)};width:${at(to - from)}`;
    return el("div", { class: "scale", "aria-hidden": "true" }, lines.map(({ run, shown }, i) => {
        const { value = null, low = null, high = null, status } = shown ?? {}, isOpen = value === null || (low === null) !== (high === null);
        const kind = value === null && low === null && high === null ? "none" : status, color = page.runs.length > 1 ? `color:${runColor(run)}` : undefined;
        return el("div", { class: kind, title: shown && `${run.title}: ${textOf(shown, page, run)}`, style: color },
            low !== high ? el("i", { class: isOpen ? "whisker open" : "whisker", style: between(Math.max(0, low ?? value ?? 0), high ?? most) }) : null,
            value === null ? null : el("i", { class: low === null && high === null ? "dot alone" : "dot", style: `left:${at(value)}` }),
            published[i] === null ? null : el("i", { class: "tick", style: `left:${at(published[i])}` }));
    }));
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
        const also = others.slice(0, OTHERS_MAX).map((other) => `${caseWords(other)}: ${textOf(shownIn(page, run, other), page, run)}`).join("; ");
        const published = publishedRows(page, run, answer, verdict).map(({ row }) =>
            ` Published by ${row.source}; confidence ${row.confidence}${row.note ? ` (${row.note})` : ""}.`);
        return el("p", { title: `${verdict.experiment} ${verdict.case} ${verdict.name}` }, `${lead}${verdict.method}. Measured with ${caseWords(verdict)}.`,
            also && ` Also ${also}.`, distinct(published));
    });
    return el("details", {}, el("summary", { "aria-label": `about ${answer.title}` }, "about"), el("p", {}, answer.means), lines);
}

/** Returns the cell of one of some runs; `all`: the answers that the runs have: the cell reports a name or case in which they differ. */
function cellOf(page, answer, run, verdict, all) {
    if (!verdict)
        return el("td", { class: "answer" }, el("span", { class: "value" }, "no answer"), page.runs.length > 1 ? el("small", {}, whyNone(run, answer)) : null);
    const shown = shownIn(page, run, verdict), range = certainty(page, run, shown);
    return el("td", { class: "answer" }, el("span", { class: "value" }, valueOf(page, run, shown)), " ",
        shown.reason === "emulated" ? null : statusWord(shown.status, shown.method), range && el("small", { class: "interval" }, range),
        verdict.name === all[0].name ? null : el("small", {}, `as ${labelOf(verdict.name)}`),
        all.every((one) => caseWords(one) === caseWords(verdict)) ? null : el("small", {}, `with ${caseWords(verdict)}`),
        page.runs.length > 1 ? el("small", {}, sentence(page, run, answer, verdict)) : null);
}

/** Returns the second run's answer divided by the first one's, by the same rule as side by side: runs of one machine scatter. */
function ratioCell(page, found) {
    const unit = timeUnit(...page.runs, page.unit), [first] = compareRuns(...page.runs, page.unit);
    const [a, b] = found.map((verdict, i) => verdict && shownIn({ unit }, page.runs[i], verdict)), isAlike = a && b && a.name === b.name && a.unit === b.unit;
    const { outcome, ratio } = isAlike ? compareValues(a, b, Math.max(1, first?.comparisons ?? 1)) : { ratio: null };
    const words = outcome === "different" && arePeers(...page.runs) ? "scatters" : outcome;
    return ratio === null ? el("td") : el("td", { class: "ratio" }, el("span", { class: `value ${words === "different" ? words : "open"}` },
        times(ratio.value)), el("small", {}, timesRange(ratio)), el("small", {}, a.status === "ok" && b.status === "ok" ? words : "in doubt"));
}

function table(page) {
    const { runs } = page, isOne = runs.length === 1, answers = ANSWERS.map((answer) => answersOf(runs, answer));
    const kindOf = (run) => uarchOf(page.published, run) || run.json.processor?.brand;
    const head = (run) => el("th", { scope: "col" }, chip(run), run.title, distinct([kindOf(run)], [run.title]).map((one) => el("small", {}, one)));
    const heads = isOne ? null : [el("td"), ...runs.map(head), runs.length === 2 ? el("th", { scope: "col" }, `${runs[1].title} divided by ${runs[0].title}`) : null, el("td")].filter(Boolean);
    const line = (answer, row) => {
        const found = answers[row], counts = distinct(found.map((verdict) => answer.counts?.[verdict?.name]));
        const cells = [el("th", { scope: "row" }, answer.title, counts.length === 1 ? el("small", {}, counts) : null),
        ...runs.map((run, i) => cellOf(page, answer, run, found[i], found.filter(Boolean))), runs.length === 2 ? ratioCell(page, found) : null,
        el("td", { class: "where" }, scaleOf(page, runs.map((run, i) => ({ run, verdict: found[i] })))),
        isOne ? el("td", { class: "says" }, found[0] ? sentence(page, runs[0], answer, found[0]) : whyNone(runs[0], answer)) : null].filter(Boolean);
        return [el("tr", { "data-answer": answer.title }, cells), el("tr", { class: "more" }, el("td", { colspan: cells.length }, about(page, answer, found)))];
    };
    return wideTable("Table of answers", `answers ${["one", "two"][runs.length - 1] ?? ""}`.trim(), heads, ANSWERS.map(line).flat());
}

const NAMED = 5; // figures, in a piece of advice

/** Lists what would help each run, by how many answers it may free. */
function whatToDo(page) {
    const lists = page.runs.map((run) => [run, adviceOf(run)]).filter(([, advice]) => advice.length > 0);
    return lists.length === 0 ? null : el("div", { id: "todo" }, el("h3", {}, "What to do, by how many figures it may settle"), lists.map(([run, advice]) => [
        page.runs.length > 1 ? el("p", {}, chip(run), run.title) : null,
        el("ol", {}, advice.map(({ words, names }) => el("li", {}, el("strong", {}, words), el("span", {}, `: ${counted(names.length, "figure")}, `,
            `${names.slice(0, NAMED).map(labelOf).join("; ")}${names.length > NAMED ? " and others" : ""}`)))),
    ]));
}

/** The usual faults of a machine that only these experiments see, as the last screen has them. */
const FAULTS = wordsOf("fault");

function unseen(page) {
    const asked = page.runs.map((run) => String(run.json.configuration?.experiments ?? [...FAULTS.keys()].join(" ")).split(" "));
    const words = [...FAULTS].filter(([name]) => asked.some((names) => !names.includes(name))).map(([, fault]) => fault);
    return words.length === 0 || page.runs.some(isEmulated) ? null :
        el("p", { class: "note unseen" }, `Not looked at: ${words.join(", ")}. suite = fleet looks for them.`);
}

export const answers = {
    id: "answers", title: "Answers", render: (page) => [table(page), noteOf("answers"), whatToDo(page), unseen(page), paperButtons(page)],
};
