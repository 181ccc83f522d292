/* answers: a card for each question; several runs side by side, a column each. */
import { el, statusWord } from "../dom.js";
import { interval, quantity } from "../format.js";
import { publishedFor, publishedOf } from "../published.js";
import { verdictOf, whyMissing } from "../run.js";

/**
 * Which verdicts answer which question: the first of `names` that has an answer. As on the console's
 * last page, kernel/report/screen.c. `like`: the levels of one structure are told of one case, that of
 * its first level. `beside`: a verdict that is told in small, and its words.
 */
export const ANSWERS = [
    { title: "Reorder buffer (ROB)", names: ["rob_entries"], experiment: "mlp",
        means: "Instructions that the core keeps under way at the same time.",
        beside: ["rob_entries_long_nop", "with NOPs of eight bytes"] },
    { title: "Parallel loads (MLP)", names: ["mlp"], experiment: "mlp",
        means: "Loads from memory that together take no longer than two in turn." },
    { title: "Fill buffers", names: ["fill_buffers"], experiment: "mlp",
        means: "Lines that can be on their way to the first cache at the same time." },
    { title: "L1 cache", names: ["l1_bytes"], experiment: "array",
        means: "Data that the first cache holds.", beside: ["l1_latency", "a load takes"] },
    { title: "L2 cache", names: ["l2_bytes"], experiment: "array", like: "l1_bytes",
        means: "Data that the second cache holds.", beside: ["l2_latency", "a load takes"] },
    { title: "L3 cache", names: ["l3_bytes"], experiment: "array", like: "l1_bytes",
        means: "Data that the third cache holds for this core; what others leave of it.",
        beside: ["l3_latency", "a load takes"] },
    { title: "Memory", names: ["memory_latency", "one_load"], experiment: "array",
        means: "Time of one load that no cache has." },
    { title: "First TLB", names: ["dtlb_entries"], experiment: "tlb",
        means: "Pages whose addresses are translated at no cost.",
        beside: ["dtlb_miss_cost", "beyond it a load takes longer by"] },
    { title: "Second TLB", names: ["stlb_entries"], experiment: "tlb", like: "dtlb_entries",
        means: "Pages whose addresses are translated without a walk through the page tables." },
    { title: "Page walk", names: ["walk_cost"], experiment: "tlb",
        means: "What a load takes longer when its page's tables have to be looked up." },
];

const SAID = ["ok", "doubt"];

/** The words that stand behind the page size, or behind the filler, in a case's name. */
function wordsOf(caseName) {
    const words = caseName.split("-"), page = words.findIndex((word) => ["4k", "2m", "1g"].includes(word));
    return new Set(words.slice(Math.max(page, 0) + 1));
}

/** The lower the better: a shared core is another core, and no access is as plain as a load. */
function rankOf(verdict) {
    const words = wordsOf(verdict.case), has = (...some) => some.some((word) => words.has(word));
    const said = SAID.indexOf(verdict.status);
    return (said < 0 ? 16 : 2 * said + (verdict.value === null)) + 4 * has("shared", "busy", "loading") +
        8 * has("prefetch", "store", "nt");
}

/** The verdict of that name that answers best; undefined: there is none. */
function best(run, name) {
    let found, rank;
    for (const verdict of run.verdicts)
        if (verdict.name === name && (found === undefined || rankOf(verdict) < rank))
            [found, rank] = [verdict, rankOf(verdict)];
    return found;
}

/** The verdict that answers; undefined where the run has none. */
export function answerOf(run, answer) {
    let chosen;
    for (const found of answer.names.map((name) => best(run, name)))
        if (found && (!chosen || rankOf(found) >> 3 < rankOf(chosen) >> 3))
            chosen = found;
    const first = chosen && answer.like && best(run, answer.like);
    return (first && verdictOf(run, first.experiment, first.case, answer.names[0])) ?? chosen;
}

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
