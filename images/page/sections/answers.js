/* answers: a card for each question; several runs side by side, a column each. */
import { el, statusWord } from "../draw/dom.js";
import { ANSWERS, answerOf, best, wordsOf } from "../data/answers.js";
import { interval, quantity } from "../data/format.js";
import { publishedFor, publishedOf } from "../data/published.js";
import { verdictOf, whyMissing } from "../data/run.js";

const OTHERS_MAX = 4;

/** Where the answer is from, and other cases that answer as well: "mlp 2m; also 4k 20". */
function originOf(run, verdict, page) {
    const others = run.verdicts.filter((other) => other !== verdict && other.status === "ok" &&
        other.value !== null && other.name === verdict.name && other.experiment === verdict.experiment)
        .map((other) => `${other.case} ${bareText(other, page, run)}`);
    const also = others.slice(0, OTHERS_MAX).join(", ") + (others.length > OTHERS_MAX ? ", …" : "");
    return `${verdict.experiment} ${verdict.case}${also ? `; also ${also}` : ""}`;
}

/** Without a unit, but for bytes: it is the one above. */
function bareText({ value, unit }, page, run) {
    return unit === "bytes" ? textOf(value, unit, page, run) : quantity(value, unit, page, run).text;
}

function textOf(value, unit, page, run) {
    const shown = quantity(value, unit, page, run);
    return `${shown.text} ${shown.unit}`.trim();
}

function besideOf(run, answer, verdict, page) {
    if (!answer.beside)
        return null;
    const [name, words] = answer.beside;
    const found = verdictOf(run, verdict.experiment, verdict.case, name) ?? best(run, name);
    if (!found || found.value === null)
        return null;
    return el("p", { class: "beside" }, `${words}: ${textOf(found.value, found.unit, page, run)} `,
        found.status === "ok" ? null : statusWord(found.status));
}

/** In grey, and never without saying whose figure it is. */
function publishedNote(run, verdict, page) {
    const row = publishedFor(page.published, run, verdict);
    if (!row)
        return null;
    const whole = wordsOf(verdict.case).has("shared") ? ", of the whole core" : "";
    const note = row.note ? ` (${row.note})` : "";
    return el("p", { class: "published", tabindex: 0 },
        `published: ${textOf(row.value, verdict.unit, page, run)}, ${row.uarch}${whole}`,
        el("span", { class: "source" }, `${row.source}; confidence: ${row.confidence}${note}`));
}

function valueOf(run, verdict, page) {
    if (verdict.value === null)
        return "no answer ";
    const { text, unit } = quantity(verdict.value, verdict.unit, page, run);
    return [`${text} `, el("span", { class: "unit" }, `${unit} `)];
}

function intervalOf(run, verdict, page) {
    const range = interval(verdict, page, run);
    return range ? el("p", { class: "interval" }, range) : null;
}

/** Why nothing answers: of a run that was cut short there may be points that nobody judged. */
function whyNone(run, answer) {
    const cases = [...run.byCase.get(answer.experiment)?.values() ?? []];
    return cases.flat().some((row) => row.metric !== "skipped") ?
        `${answer.experiment} was measured, but no verdict says this` : whyMissing(run, answer.experiment);
}

function card(run, answer, page) {
    const verdict = answerOf(run, answer);
    if (!verdict)
        return el("article", { class: "card" }, el("h3", {}, answer.title), el("p", {}, answer.means),
            el("p", { class: "missing" }, whyNone(run, answer)));
    return el("article", { class: `card ${verdict.status}` },
        el("h3", {}, answer.title, " ", statusWord(verdict.status)),
        el("p", { class: "value" }, valueOf(run, verdict, page)),
        intervalOf(run, verdict, page),
        el("p", {}, answer.means),
        besideOf(run, answer, verdict, page),
        el("p", { class: "method" }, verdict.method),
        el("p", { class: "case" }, originOf(run, verdict, page)),
        publishedNote(run, verdict, page));
}

/** The same of one of several runs, in less room. */
function cell(run, answer, page) {
    const verdict = answerOf(run, answer);
    if (!verdict)
        return el("td", { class: "missing" }, whyNone(run, answer));
    return el("td", {},
        el("p", { class: "value" }, valueOf(run, verdict, page), statusWord(verdict.status)),
        intervalOf(run, verdict, page),
        besideOf(run, answer, verdict, page),
        el("p", { class: "method" }, verdict.status === "ok" ? "" : `${verdict.method}; `,
            `${verdict.experiment} ${verdict.case}`),
        publishedNote(run, verdict, page));
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

/** What a stranger wants to know first. */
function inShort(page) {
    const count = (status) => page.runs.flatMap((run) => ANSWERS.map((answer) => answerOf(run, answer)))
        .filter((verdict) => verdict?.status === status && verdict.value !== null).length;
    const questions = ANSWERS.length * page.runs.length;
    return el("p", { class: "lead" }, `Of ${questions} questions, ${count("ok")} are answered and ` +
        `${count("doubt")} answered with doubt. The range below a value is its 95 % interval.`);
}

export const answers = {
    id: "answers", title: "Answers",
    render: (page) => [inShort(page), page.runs.length === 1 ? cards(page) : columns(page), sources(page)],
};
