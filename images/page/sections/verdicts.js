/* verdicts: every verdict in a table that can be sorted and filtered; the files themselves. */
import { downloadButton, el, statusWord } from "../draw/dom.js";
import { bytes, quantity } from "../data/format.js";

const TEXT_COLUMNS = ["run", "experiment", "case", "name", "unit", "status", "method"];
const COLUMNS = ["experiment", "case", "name", "value", "low", "high", "unit", "status", "method"];
const NUMBERS = ["value", "low", "high"];
const STATUSES = ["ok", "doubt", "skip", "error"];
const ROWS_MAX = 2000; // shown before one asks for more

/** What the table shows, as chosen. */
const START = { text: "", status: "", experiment: "", run: "", sort: "", isDown: false, isAll: false };

/**
 * Those that are chosen, in the chosen order; verdicts without a number come last.
 * @param {{run: string, verdict: Object}[]} entries
 * @param {typeof START} choice
 */
export function choose(entries, choice) {
    const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = entries.filter(({ run, verdict }) =>
        (!choice.status || verdict.status === choice.status) &&
        (!choice.experiment || verdict.experiment === choice.experiment) &&
        (!choice.run || run === choice.run) &&
        words.every((word) => TEXT_COLUMNS.some((name) =>
            (name === "run" ? run : verdict[name]).toLowerCase().includes(word))));
    if (!choice.sort)
        return kept;
    const field = ({ run, verdict }) => (choice.sort === "run" ? run : verdict[choice.sort]);
    const order = NUMBERS.includes(choice.sort) ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b);
    return kept.sort((a, b) => {
        const x = field(a), y = field(b);
        if (x === null || y === null)
            return (x === null) - (y === null);
        return choice.isDown ? order(y, x) : order(x, y);
    });
}

function cell(name, entry, page) {
    const { verdict, of } = entry;
    if (name === "run")
        return el("td", {}, entry.run);
    if (NUMBERS.includes(name))
        return el("td", { class: `number ${name}` }, verdict[name] === null ? "" :
            verdict.unit === "bytes" ? bytes(verdict[name]) : quantity(verdict[name], verdict.unit, page, of).text);
    if (name === "status")
        return el("td", { class: "state" }, statusWord(verdict.status));
    return el("td", { class: name }, name === "unit" && verdict.unit === "ticks" ? page.unit :
        name === "unit" && verdict.unit === "bytes" ? "" : verdict[name]);
}

/** A row is made once, however often the table is sorted. */
function rowOf(entry, names, page) {
    entry.row ??= el("tr", {}, names.map((name) => cell(name, entry, page)));
    return entry.row;
}

function selectOf(label, values, chosen, change) {
    return el("label", {}, label, el("select", { onchange: (event) => change(event.target.value) },
        el("option", { value: "" }, "all"),
        values.map((value) => el("option", { value, selected: value === chosen }, value))));
}

function render(page) {
    const entries = page.runs.flatMap((run) => run.verdicts.map((verdict) => ({ run: run.title, of: run, verdict })));
    if (entries.length === 0)
        return [el("p", { class: "missing" }, "No verdict was saved."), files(page)];
    const choice = page.choices.verdicts = { ...START, ...page.choices.verdicts };
    const names = page.runs.length > 1 ? ["run", ...COLUMNS] : COLUMNS;
    const body = el("tbody"), told = el("p", { role: "status" });
    const more = el("button", { type: "button", onclick: () => change({ isAll: true }) }, "show all of them");
    const heads = names.map((name) => el("th", { scope: "col" }, el("button", {
        type: "button", class: "sort",
        onclick: () => change({ sort: name, isDown: choice.sort === name && !choice.isDown }),
    }, name)));
    const change = (part) => {
        Object.assign(choice, part);
        fill();
    };
    const fill = () => {
        const kept = choose(entries, choice), shown = choice.isAll ? kept : kept.slice(0, ROWS_MAX);
        body.replaceChildren(...shown.map((entry) => rowOf(entry, names, page)));
        told.replaceChildren(`${kept.length} of ${entries.length} verdicts` +
            (shown.length < kept.length ? `, the first ${shown.length} of them shown` : ""));
        more.hidden = shown.length === kept.length;
        heads.forEach((head, i) => (names[i] === choice.sort ?
            head.setAttribute("aria-sort", choice.isDown ? "descending" : "ascending") :
            head.removeAttribute("aria-sort")));
    };
    fill();
    const experiments = [...new Set(entries.map(({ verdict }) => verdict.experiment))];
    return [
        el("div", { class: "filters" },
            el("label", {}, "contains", el("input", {
                type: "search", value: choice.text, oninput: (event) => change({ text: event.target.value }),
            })),
            selectOf("status", STATUSES, choice.status, (status) => change({ status })),
            selectOf("experiment", experiments, choice.experiment, (experiment) => change({ experiment })),
            page.runs.length > 1 ? selectOf("run", page.runs.map((run) => run.title), choice.run,
                (run) => change({ run })) : null),
        told,
        el("div", { class: "wide tall", tabindex: 0, role: "region", "aria-label": "All verdicts" },
            el("table", { class: "verdicts" }, el("thead", {}, el("tr", {}, heads)), body)),
        more, files(page),
    ];
}

/** The files as they are, for other programs. */
function files(page) {
    const type = (name) => (name.endsWith(".json") ? "application/json" : "text/csv");
    return el("div", { class: "files" }, el("h3", {}, "The files themselves"),
        page.runs.map((run) => el("p", {}, `${run.title}: `, [...run.files].map(([name, text]) =>
            [downloadButton(`${name} (${bytes(text.length)})`, `${run.name}-${name}`, type(name), () => text), " "]))));
}

export const verdicts = { id: "verdicts", title: "All verdicts", render };
