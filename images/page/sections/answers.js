/* answers: how far to trust the page, and a card for each question; several runs side by side, a column each. */
import { el, statusWord } from "../draw/dom.js";
import { ANSWERS, answerOf, besideOf, wordsOf } from "../data/answers.js";
import { describeCase, describeFiller, nameCase, readCase } from "../data/cases.js";
import { sharedByExperiment } from "../curves/quiet.js";
import { ticksOfCycle } from "../curves/memory.js";
import { interval, number, quantity, scaled, TIME_UNITS } from "../data/format.js";
import { comparedWith, publishedFor, publishedOf } from "../data/published.js";
import { isEmulated, whyMissing } from "../data/run.js";

const OTHERS_MAX = 4;
const RUNS_MAX = 6; // told of by themselves, in how far to trust them

/** Times in ticks where cycles are not asked for: the TLB's are in the core's, while it was measured. */
function inTicks(run, verdict, page) {
    const rows = run.byCase.get(verdict.experiment)?.get(verdict.case);
    const ticks = verdict.unit === "cycles" && page.unit !== "cycles" && rows ? ticksOfCycle(rows) : null;
    return ticks === null ? verdict : { ...scaled(verdict, ticks), unit: "ticks" };
}

/** "1.08 ns"; bytes in their own unit. */
function textOf(verdict, page, run) {
    const shown = quantity(verdict.value, verdict.unit, page, run, verdict);
    return `${shown.text} ${shown.unit}`.trim();
}

/** The core's own time of caches is cycles: "1.08 ns, 3.98 cycles". */
function timeOf(verdict, page, run) {
    const texts = [page, { unit: "cycles" }].filter(({ unit }) => TIME_UNITS[unit](run) !== null)
        .map((one) => textOf(inTicks(run, verdict, one), one, run));
    return [...new Set(texts)].join(", ");
}

/** "2 MB pages, stores"; of a filler what it is. */
function caseWords({ experiment, case: name }) {
    if (experiment !== "structures")
        return describeCase(name.replace(/^chain-/, ""));
    const { plain, ...rest } = readCase(name);
    return [describeFiller(plain), describeCase(nameCase(rest))].filter(Boolean).join(", ");
}

/** Where the answer is from, and other cases that answer as well: "2 MB pages; also 4 KB pages: 20". */
function originOf(run, verdict, page) {
    const others = run.verdicts.filter((other) => other !== verdict && other.status === "ok" &&
        other.value !== null && other.name === verdict.name && other.experiment === verdict.experiment);
    const also = others.slice(0, OTHERS_MAX).map((other) => `${caseWords(other)}: ${textOf(other, page, run)}`);
    return el("p", { class: "case", title: `${verdict.experiment} ${verdict.case}` }, `Measured with ${caseWords(verdict)}.`,
        also.length > 0 ? ` Also: ${also.join("; ")}${others.length > OTHERS_MAX ? "; and others" : ""}.` : null);
}

/** The line in small type below an answer. */
function besideWords(run, answer, beside, page) {
    return beside ? el("p", { class: "beside" }, `${answer.beside[1]}: ${timeOf(beside, page, run)} `,
        beside.status === "ok" ? null : statusWord(beside.status)) : null;
}

/** Never without saying whose figure it is. */
function publishedLine(run, verdict, page) {
    const row = publishedFor(page.published, run, verdict);
    if (!row)
        return null;
    const compared = comparedWith(row.value, verdict);
    const whole = wordsOf(verdict.case).has("shared") ? " the whole core" : "";
    return el("p", { class: "published" },
        `published ${textOf({ ...verdict, value: row.value, low: null, high: null }, page, run)} (${row.uarch}${whole})${compared && `: ${compared}`}`);
}

function sourceOf(run, verdict, page) {
    const row = publishedFor(page.published, run, verdict);
    return row && el("p", { class: "source" },
        `Published by: ${row.source}; confidence: ${row.confidence}${row.note ? ` (${row.note})` : ""}.`);
}

/** The answer's number, or its lower bound where only that is known. */
function valueOf(run, verdict, page) {
    const { text, unit } = quantity(verdict.value, verdict.unit, page, run, verdict);
    const words = verdict.value === null ? interval(verdict, page, run) : text;
    return words === "" ? "no answer " : [`${words} `, el("span", { class: "unit" }, `${unit} `)];
}

function intervalOf(run, verdict, page) {
    const range = verdict.value === null ? "" : interval(verdict, page, run);
    return range ? el("p", { class: "interval" }, range) : null;
}

/** Why nothing answers: of a run that was cut short there may be points that nobody judged. */
function whyNone(run, answer) {
    const cases = [...run.byCase.get(answer.experiment)?.values() ?? []];
    return cases.flat().some((row) => row.metric !== "skipped") ?
        `${answer.experiment} was measured, but no verdict says this` : whyMissing(run, answer.experiment);
}

/** A verdict and what is told beside it; undefined: there is none. */
function foundFor(run, answer, page) {
    const verdict = answerOf(run, answer), beside = verdict && besideOf(run, answer, verdict);
    return verdict && { verdict: inTicks(run, verdict, page), beside };
}

/** A card; on a small screen its first line, which opens. */
function card(run, answer, page) {
    const found = foundFor(run, answer, page), opened = page.choices.cards ??= new Set();
    const isOpen = opened.has(answer.title);
    const toggle = ({ target }) => {
        opened[opened.has(answer.title) ? "delete" : "add"](answer.title);
        target.setAttribute("aria-expanded", String(opened.has(answer.title)));
        target.closest(".card").classList.toggle("unfolded");
    };
    const frame = (kind, value, status, ...rest) => el("article", { class: `card ${kind}${isOpen ? " unfolded" : ""}` },
        el("h3", {}, answer.title), el("p", { class: "value" }, value), status,
        el("button", { type: "button", class: "more", "aria-expanded": String(isOpen),
            "aria-label": `more on ${answer.title}`, onclick: toggle }),
        el("div", { class: "rest" }, rest));
    if (!found)
        return frame("", el("span", { class: "unit" }, "no answer"), null, el("p", {}, answer.means),
            el("p", { class: "missing" }, whyNone(run, answer)));
    const { verdict, beside } = found;
    const isSaid = verdict.status === "ok"; // the reason is not news
    return frame(verdict.status, valueOf(run, verdict, page), statusWord(verdict.status),
        intervalOf(run, verdict, page),
        publishedLine(run, verdict, page),
        besideWords(run, answer, beside, page),
        el("p", {}, answer.means),
        isSaid ? null : el("p", { class: "method" }, `${verdict.status}: ${verdict.method}`),
        el("details", {}, el("summary", {}, "how it was found"),
            isSaid ? el("p", { class: "method" }, verdict.method) : null,
            originOf(run, verdict, page), sourceOf(run, verdict, page)));
}

/** The same of one of several runs, in less room. */
function cell(run, answer, page) {
    const found = foundFor(run, answer, page);
    if (!found)
        return el("td", { class: "missing" }, whyNone(run, answer));
    const { verdict, beside } = found;
    return el("td", {},
        el("p", { class: "value" }, valueOf(run, verdict, page), statusWord(verdict.status)),
        intervalOf(run, verdict, page),
        publishedLine(run, verdict, page),
        besideWords(run, answer, beside, page),
        verdict.status === "ok" ? null : el("p", { class: "method" }, verdict.method),
        el("p", { class: "case", title: `${verdict.experiment} ${verdict.case}` }, caseWords(verdict)));
}

function cards(page) {
    return el("div", { class: "cards" }, ANSWERS.map((answer) => card(page.runs[0], answer, page)));
}

/** The runs in the order of an answer; those without one come last. */
function inOrder(page, { row, isDown }) {
    const answer = ANSWERS[row];
    if (!answer)
        return page.runs;
    const value = (run) => answerOf(run, answer)?.value ?? null;
    return [...page.runs].sort((a, b) => (value(a) === null) - (value(b) === null) ||
        (isDown ? value(b) - value(a) : value(a) - value(b)));
}

function columns(page) {
    const sort = page.choices.answers ?? {};
    const runs = inOrder(page, sort);
    const choose = (row) => () => {
        page.choices.answers = { row, isDown: sort.row === row && !sort.isDown };
        page.redraw();
    };
    const line = (answer, row) => {
        const order = sort.row !== row ? undefined : sort.isDown ? "descending" : "ascending";
        return el("tr", {},
            el("th", { scope: "row", "aria-sort": order }, el("button", {
                type: "button", class: "sort", title: "puts the runs in this answer's order", onclick: choose(row),
            }, answer.title)),
            runs.map((run) => cell(run, answer, page)));
    };
    return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Answers of each run" },
        el("table", { class: "answers" },
            el("thead", {}, el("tr", {}, el("td", {}, "sort by"), runs.map((run) =>
                el("th", { scope: "col" }, run.title)))),
            el("tbody", {}, ANSWERS.map(line))));
}

/** Every published figure of these processors, with its source. */
function sources(page) {
    const rows = [...new Set(page.runs.flatMap((run) => publishedOf(page.published, run)))];
    if (rows.length === 0)
        return el("p", { class: "missing" }, "No figures published by others are known here for this processor.");
    const columnsOf = ["uarch", "figure", "pages", "value", "source", "confidence", "note"];
    return el("details", {}, el("summary", {}, "Published figures of this processor family, and their sources"),
        el("p", {}, "Others have published these. None of them was measured here, and no answer depends on them."),
        el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Published figures" },
            el("table", { class: "published-list" },
                el("thead", {}, el("tr", {}, columnsOf.map((name) => el("th", { scope: "col" }, name)))),
                el("tbody", {}, rows.map((row) => el("tr", {}, columnsOf.map((name) =>
                    el("td", {}, String(row[name])))))))));
}

/* --- what a stranger wants to know first ------------------------------------------------------- */

function whereOf({ json: { platform, hypervisor } }) {
    if (platform === "model")
        return "a model of a processor: no machine was measured";
    if (hypervisor)
        return isEmulated(hypervisor) ? "an emulator, whose times mean nothing" :
            `a virtual machine (${hypervisor.name})`;
    return platform && "no virtual machine was seen";
}

/** On average, and in the experiment that had most of it. */
function sharedOf(run) {
    const all = run.json.certificate?.core_shared_percent, percent = (share) => `${number(share, 2)} %`;
    if (!(all >= 0.5))
        return all === undefined || all === null ? null : "the core was hardly ever shared";
    const [worst] = sharedByExperiment(run).sort((a, b) => b.most - a.most);
    return `another thread ran on the core in ${percent(all)} of the checks for it` +
        (worst && worst.most > all ? `, in up to ${percent(worst.most)} during experiment ${worst.experiment}` : "");
}

/** How far to trust a run. */
function trustOf(run) {
    const { status, certificate = {} } = run.json;
    return [...run.damage, status && status !== "done" ? `status ${status}` : null, whereOf(run),
        certificate.interrupts && `interrupts ${certificate.interrupts}`, sharedOf(run)].filter(Boolean).join("; ");
}

function inShort(page) {
    const { runs } = page, found = runs.flatMap((run) => ANSWERS.map((answer) => answerOf(run, answer)));
    const count = (status) => found.filter((verdict) => verdict?.status === status &&
        (verdict.value !== null || verdict.low !== null)).length;
    const title = (run) => el("strong", {}, runs.length > 1 ? `${run.title}: ` : "How it was measured: ");
    return [
        el("p", { class: "lead" }, `Of ${found.length} questions, ${count("ok")} are answered and ${count("doubt")} ` +
            "answered with doubt."),
        runs.slice(0, RUNS_MAX).map((run) => [run, trustOf(run)]).filter(([, words]) => words !== "")
            .map(([run, words]) => el("p", { class: "trust" }, title(run), `${words}.`)),
        el("p", { class: "note" }, "The range below a value is where the answer may lie. The words ok and doubt are about ",
            "the measurement, not about whether it agrees with what others have published."),
    ].flat();
}

export const answers = {
    id: "answers", title: "Answers",
    render: (page) => [...inShort(page), page.runs.length === 1 ? cards(page) : columns(page), sources(page)],
};
