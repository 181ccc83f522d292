/* answers: the main questions, and what each run answers: a row each, with a scale of its own; and what would free more of them. */
import { chip, runColor } from "../draw/chart.js";
import { leadOf } from "../draw/choices.js";
import { el, statusWord, wideTable } from "../draw/dom.js";
import { paperButtons } from "../draw/saving.js";
import { noteOf } from "../draw/section.js";
import { labelOf } from "../data/figures.js";
import { reasonOf, wholeReasonOf } from "../data/advice.js";
import { ANSWERS, besideOf, caseWords, shownIn } from "../data/answers.js";
import { arePeers, compareRuns, compareValues, plainKey, timeUnit } from "../data/compare.js";
import { bytes, capitalized, certainty, distinct, interval, number, quantity, times, timesRange, TIME_UNITS, withUnit } from "../data/format.js";
import { comparedWith, figureText, isOfKind, publishedFor, uarchOf } from "../data/published.js";
import { groupsOf, isEmulated, verdictOf, whyMissing } from "../data/run.js";
import { wordsOf } from "../data/words.js";

/** Returns the answer's number, or its bound if only that is known; the unit. */
function numberAndUnit(shown, page, run) {
    const { text, unit } = quantity(shown.value, shown.unit, page, run, shown);
    return shown.value === null ? [interval(shown, page, run), unit === "bytes" ? "" : ` ${unit}`] : [text, ` ${unit}`];
}

export function textOf(shown, page, run) {
    const [words, unit] = numberAndUnit(shown, page, run);
    return words && `${words}${unit}`.trim();
}

export function valueOf(page, run, shown) {
    const [words, unit] = numberAndUnit(shown, page, run);
    return words === "" ? (shown.reason === "emulated" ? "emulated" : "no answer") : [words, el("span", { class: "unit" }, unit)];
}

/** Returns "latency 1.08 ns (3.98 cycles), 1.06 to 1.1"; if cycles are chosen, nanoseconds are in brackets. */
function besideWords(page, run, answer, verdict) {
    const found = besideOf(run, answer, verdict), shown = found && shownIn(page, run, found);
    if ((shown?.value ?? null) === null)
        return null;
    const range = interval(shown, page, run), other = { unit: page.unit === "cycles" ? "ns" : "cycles" };
    const inOther = TIME_UNITS[other.unit](run) === null ? shown : shownIn(other, run, found);
    const inBrackets = inOther.unit === shown.unit ? "" : ` (${textOf(inOther, other, run)})`;
    return el("span", { class: "beside-answer" },
        ` ${capitalized(answer.beside[found.name])} ${textOf(shown, page, run)}${inBrackets}${range && `, ${range}`}`,
        found.case === verdict?.case ? " " : `, with ${caseWords(found)} `, statusWord(found.status, found.method));
}

/** Returns the rows in a table of an answer and of the latency beside it, each with its verdict and the words before it. */
function publishedRows(table, run, answer, verdict) {
    const beside = besideOf(run, answer, verdict), cycles = beside && verdictOf(run, beside.experiment, beside.case, `${beside.name}_cycles`);
    return [{ of: verdict, lead: "" }, { of: cycles, lead: `${answer.beside?.[beside?.name]} ` }].filter(({ of }) => of)
        .map((one) => ({ ...one, row: publishedFor(table, run, one.of) })).filter(({ row }) => row);
}

/** Returns "Published by others for Zen 4: 320 entries, one more was measured." `who` names whose the table is. */
function publishedWords(page, run, answer, verdict, [who, table, mark]) {
    const rows = publishedRows(page[table], run, answer, verdict), words = rows.map(({ of, lead, row }) => {
        const shown = (value) => quantity(value, of.unit, page, run), isSize = of.unit === "bytes"; // 640 KB to 1.25 MB
        const unit = !isOfKind(row, of) ? row.kind : isSize ? "" : shown(row.value ?? row.high).unit;
        return [`${lead}${figureText(row, (value) => (isSize ? bytes(value) : shown(value).text))} ${unit}`.trim(), comparedWith(row, of)].filter(Boolean).join(", ");
    });
    return words.length === 0 ? null : el("span", { class: mark.replace("tick", "published") }, ` ${who(rows[0].row.uarch)}: ${words.join("; ")}.`);
}

/** Returns why there is no answer, or why it is in doubt, the published figure, and what was measured beside it. */
function sentence(page, run, answer, verdict) {
    const isSure = verdict?.status === "ok" || verdict?.reason === "emulated";
    return [isSure ? null : el("span", { class: "why" }, verdict ? `${capitalized(reasonOf(verdict))}.` : whyNone(run, answer)),
        verdict ? TABLES.map((table) => publishedWords(page, run, answer, verdict, table)) : null, besideWords(page, run, answer, verdict)];
}

// Figures of a processor beside its answers, by others and by mlpboot: their table, and their mark on the scale.
const TABLES = [[(uarch) => `Published by others for ${uarch}`, "published", "tick"], [() => "mlpboot's reference", "references", "tick references"]];

const ROOM = 1.12; // times the largest number on a scale

/** Returns the number with two digits that is not below this one; bytes as they are. */
function endOf(value, unit) {
    const step = unit === "bytes" ? 1 : 10 ** (Math.floor(Math.log10(value)) - 1);
    return Math.ceil(value / step) * step;
}

// The marks of a scale, as the key above the answers explains them: the class of a line and of what stands on it.
const MARKS = [["ok", "dot", "ok"], ["doubt", "dot", "doubt"], ["ok", "dot alone", "without an interval"],
    ["ok", "whisker", "where it may lie"], ["ok", "whisker open", "at least, or at most"], ["ok", "tick", "published by others"],
    ["ok", "tick references", "mlpboot's reference"], ["none", "", "no answer"]];

const scaleKey = () => el("p", { class: "scale-key" }, MARKS.map(([kind, mark, words]) => el("span", {},
    el("span", { class: "scale", "aria-hidden": "true" }, el("div", { class: kind }, mark ? el("i", { class: mark }) : null)), words)));

/** Draws runs' answers on a scale from zero: dots, hollow in doubt, their intervals, and others' figures as uprights. */
export function scaleOf(page, found) {
    const lines = found.map(({ run, verdict }) => ({ run, verdict, shown: verdict && shownIn(page, run, verdict) }));
    const figures = lines.map(({ run, verdict }) => TABLES.flatMap(([, table, mark]) => {
        const row = verdict && publishedFor(page[table], run, verdict);
        return row && isOfKind(row, verdict) ? [[mark, row.value ?? row.high]] : [];
    }));
    const { unit } = lines.find(({ shown }) => shown)?.shown ?? {};
    const most = endOf(ROOM * Math.max(...lines.flatMap(({ shown }) => (shown ? [shown.value, shown.low, shown.high] : [])), ...figures.flat().map(([, figure]) => figure)), unit);
    const at = (value) => `${(100 * value / most).toFixed(1)}%`, between = (from, to) => `left:${at(from)};width:${at(to - from)}`;
    const ends = most > 0 ? el("small", {}, el("span", {}, "0"), unit === "bytes" ? bytes(most) : withUnit(most, unit)) : null;
    return el("div", { class: "scale", "aria-hidden": "true" }, lines.map(({ run, shown }, i) => {
        const { value = null, low = null, high = null, status } = shown ?? {}, isOpen = value === null || (low === null) !== (high === null);
        const kind = value === null && low === null && high === null ? "none" : status, color = page.runs.length > 1 ? `color:${runColor(run)}` : undefined;
        return el("div", { class: kind, title: shown && `${run.title}: ${textOf(shown, page, run)}`, style: color },
            low !== high ? el("i", { class: isOpen ? "whisker open" : "whisker", style: between(Math.max(0, low ?? value ?? 0), high ?? most) }) : null,
            value === null ? null : el("i", { class: low === null && high === null ? "dot alone" : "dot", style: `left:${at(value)}` }),
            figures[i].map(([mark, figure]) => el("i", { class: mark, style: `left:${at(figure)}` })));
    }), ends);
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
        const published = publishedRows(page.published, run, answer, verdict).map(({ row }) =>
            ` Published by ${row.source}; confidence ${row.confidence}${row.note ? ` (${row.note})` : ""}.`);
        const how = verdict.status === "ok" ? verdict.method : wholeReasonOf(verdict);
        return el("p", { title: `${verdict.experiment} ${verdict.case} ${verdict.name}` },
            `${capitalized(`${lead}${how}`)}. Measured with ${caseWords(verdict)}.`, distinct(published));
    });
    return el("details", {}, el("summary", { "aria-label": `about ${answer.title}` }, "about"), el("p", {}, answer.means), lines);
}

/** Returns the cell of one of some runs; `all`: the answers that the runs have: the cell reports a name or case in which they differ. */
function cellOf(page, answer, run, verdict, all) {
    const says = page.runs.length > 1 ? el("small", {}, sentence(page, run, answer, verdict)) : null;
    if (!verdict)
        return el("td", { class: "answer" }, el("span", { class: "value" }, "no answer"), says);
    const shown = shownIn(page, run, verdict), range = certainty(page, run, shown);
    return el("td", { class: "answer" }, el("span", { class: `value ${shown.status}` }, valueOf(page, run, shown)), " ",
        shown.reason === "emulated" ? null : statusWord(shown.status, shown.method), range && el("small", { class: "interval" }, range),
        verdict.name === all[0].name ? null : el("small", {}, `as ${labelOf(verdict.name)}`),
        page.runs.length > 1 && all.every((one) => caseWords(one) === caseWords(verdict)) ? null : el("small", { class: "case" }, `with ${caseWords(verdict)}`), says);
}

/**
 * Returns the second run's answer divided by the first one's, by the same rule as side by side: runs of one machine
 * scatter, and what was measured in unlike cases, as with pages of another size, has no ratio.
 */
function ratioCell(page, found) {
    const { runs } = page, unit = timeUnit(...runs, page.unit), [first] = compareRuns(...runs, page.unit);
    const [a, b] = found.map((verdict, i) => verdict && shownIn({ unit }, runs[i], verdict)), isAlike = a && b && a.unit === b.unit;
    if (isAlike && a.value !== null && b.value !== null && plainKey(runs[0], a) !== plainKey(runs[1], b))
        return el("td", { class: "ratio" }, el("small", {}, `no ratio: ${caseWords(a)} and ${caseWords(b)}`));
    const { outcome, ratio } = isAlike ? compareValues(a, b, Math.max(1, first?.comparisons ?? 1)) : { ratio: null };
    const words = outcome === "different" && arePeers(...runs) ? "scatters" : outcome;
    return ratio === null ? el("td", { class: "ratio" }) : el("td", { class: "ratio" },
        words === "different" ? el("span", { class: "value ok" }, times(ratio.value)) :
            el("span", { class: "value open" }, `${number(ratio.value, 3)}x`), el("small", {}, timesRange(ratio)),
        el("small", {}, a.status === "ok" && b.status === "ok" ? words : "in doubt"));
}

/** Returns a row for each reason why no run has an answer, with all the questions that it is the reason of. */
function missingRows({ runs }, missing, columns) {
    const whyOf = (answer) => distinct(runs.map((run) => whyNone(run, answer))).join(" ");
    return groupsOf(missing, whyOf).map(([why, own]) => el("tr", { class: "none" }, el("th", { scope: "row" }, "No answer"),
        el("td", { class: "says", colspan: columns - 1 }, `${own.map(({ title }) => title).join(", ")}. `, el("span", { class: "why" }, why))));
}

function table(page) {
    const { runs } = page, isOne = runs.length === 1;
    const isMissing = (answer, row) => runs.every((run, i) => !page.answers[row][i] && !besideOf(run, answer));
    const kindOf = (run) => uarchOf(page.published, run) || run.json.processor?.brand;
    const head = (run) => el("th", { scope: "col" }, chip(run), run.title, distinct([kindOf(run)], [run.title]).map((one) => el("small", {}, one)));
    const last = runs.length === 2 ? el("th", { scope: "col" }, `${runs[1].title} divided by ${runs[0].title}`) : null;
    const heads = isOne ? null : [el("td"), ...runs.map(head), last, el("td")].filter(Boolean);
    const line = (answer, row) => {
        if (isMissing(answer, row))
            return [];
        const found = page.answers[row];
        const cells = [el("th", { scope: "row" }, answer.title, answer.counts ? el("small", {}, answer.counts) : null),
            ...runs.map((run, i) => cellOf(page, answer, run, found[i], found.filter(Boolean))), runs.length === 2 ? ratioCell(page, found) : null,
            el("td", { class: "where" }, scaleOf(page, runs.map((run, i) => ({ run, verdict: found[i] })))),
            isOne ? el("td", { class: "says" }, sentence(page, runs[0], answer, found[0])) : null].filter(Boolean);
        return [el("tr", { "data-answer": answer.title }, cells), el("tr", { class: "more" }, el("td", { colspan: cells.length }, about(page, answer, found)))];
    };
    const rows = [...ANSWERS.map(line).flat(), ...missingRows(page, ANSWERS.filter(isMissing), runs.length === 2 ? 5 : runs.length + 2 + isOne)];
    return wideTable("Table of answers", `answers ${["one", "two"][runs.length - 1] ?? ""}`.trim(), heads, rows);
}

/** Lists what would help each run, and the answers that it may settle. */
function whatToDo({ runs, advice }) {
    const lists = runs.map((run, i) => [run, advice[i]]).filter(([, own]) => own.length > 0);
    return lists.length === 0 ? null : el("div", { id: "todo" }, el("h3", {}, "What to do"), lists.map(([run, own]) => [
        runs.length > 1 ? el("p", {}, chip(run), run.title) : null,
        el("ol", {}, own.map(({ words, titles }) => el("li", {}, el("strong", {}, words),
            el("span", {}, `: may settle ${titles.join(", ")}`)))),
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

/** Names the processors that mlpboot has no reference of. */
const noReference = ({ runs, published, references }) => distinct(runs.map((run) => (uarchOf(references, run) ? "" : uarchOf(published, run))))
    .map((name) => el("p", { class: "note" }, `mlpboot has no reference of ${name}.`));

export const answers = {
    id: "answers", title: "Answers", render: (page) => [page.answers.flat().some(Boolean) ? scaleKey() : null, table(page),
        noteOf("answers"), noReference(page), whatToDo(page), unseen(page), paperButtons(page)],
};
