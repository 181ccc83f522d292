/* verdicts: every verdict in a table that can be sorted and filtered; the files themselves. */
import { STATUSES, button, el, option, save, select, statusWord, wideTable } from "../draw/dom.js";
import { csvOf } from "../data/cite.js";
import { bytes, inUnit, number, sortedBy } from "../data/format.js";
import { groupsOf } from "../data/run.js";
import { GROUP_NAMES, groupOf, listedVerdicts } from "../data/advice.js";

const TEXT_COLUMNS = ["run", "experiment", "case", "name", "unit", "status", "reason", "method"];
const COLUMNS = ["experiment", "case", "name", "value", "low", "high", "unit", "status", "reason", "method"];
const NUMBERS = ["value", "low", "high"];
const CHOICES = ["text", "status", "group", "run", "sort", "isDown"];

const fieldOf = ({ run, verdict }, name) => (name === "run" ? run : name === "group" ? groupOf(verdict) : verdict[name]);

/** True if a verdict is of the chosen group: without a choice, of what a reader asks. */
const isOfGroup = (entry, group) => group === "all" || (group ? fieldOf(entry, "group") === group : fieldOf(entry, "group") !== GROUP_NAMES.at(-1));

/** Returns the entries that the filters let pass, in the chosen order; verdicts without a number come last. */
export function choose(entries, choice) {
    const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = entries.filter((entry) => isOfGroup(entry, choice.group) &&
        ["status", "run"].every((name) => !choice[name] || fieldOf(entry, name) === choice[name]) &&
        words.every((word) => TEXT_COLUMNS.some((name) => fieldOf(entry, name).toLowerCase().includes(word))));
    return choice.sort ? sortedBy(kept, (entry) => fieldOf(entry, choice.sort), choice.isDown) : kept;
}

function cell(name, entry, page) {
    const shown = inUnit(entry.verdict, page.unit, entry.of), value = NUMBERS.includes(name) ? shown[name] : fieldOf(entry, name), { unit } = shown;
    if (NUMBERS.includes(name))
        return el("td", { class: `number ${name}` }, value === null ? "" : unit === "bytes" ? bytes(value) : number(value));
    if (name === "status") // what noise saw is no approval
        return el("td", { class: "state" }, statusWord(entry.verdict.experiment === "noise" && value === "ok" ? "seen" : value));
    return el("td", { class: name }, name === "unit" ? unit.replace("bytes", "") : value);
}

/** Returns an entry's row, which is made only once, however often the table is sorted. */
const rowOf = (entry, names, page) => (entry.row ??= el("tr", {}, names.map((name) => cell(name, entry, page))));

function render(page) {
    const entries = page.runs.flatMap((run) => listedVerdicts(run).map((verdict) => ({ run: run.title, of: run, verdict })));
    if (entries.length === 0)
        return [el("p", { class: "missing" }, "No verdict was saved."), files(page)];
    const choice = Object.fromEntries(CHOICES.map((name) => [name, page.choices[`verdicts.${name}`] ?? ""]));
    const names = page.runs.length > 1 ? ["run", ...COLUMNS] : COLUMNS;
    const body = el("tbody"), told = el("p", { role: "status" });
    const heads = names.map((name) => el("th", { scope: "col" }, el("button", {
        type: "button", class: "sort",
        onclick: () => change({ sort: name, isDown: choice.sort === name && !choice.isDown ? "yes" : "" }),
    }, name)));
    const change = (part) => {
        for (const [name, value] of Object.entries(part))
            page.choices[`verdicts.${name}`] = choice[name] = value;
        page.remember();
        fill();
    };
    const fill = () => {
        const kept = choose(entries, choice);
        body.replaceChildren(...choice.sort ? kept.map((entry) => rowOf(entry, names, page)) :
            groupsOf(kept, (entry) => fieldOf(entry, "group")).flatMap(([group, own]) =>
                [el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: names.length }, group)), ...own.map((entry) => rowOf(entry, names, page))]));
        told.replaceChildren(`${kept.length} of ${entries.length} lines; skips of one reason are one line`);
        heads.forEach((head, i) => { head.ariaSort = names[i] !== choice.sort ? null : choice.isDown ? "descending" : "ascending"; });
    };
    fill();
    const chooser = (name, values, all = "all") => select(name, [option("", choice[name], all), ...values.map((value) => option(value, choice[name]))],
        (value) => change({ [name]: value }));
    const groups = [...new Set(entries.map((entry) => fieldOf(entry, "group")))];
    return [
        el("div", { class: "filters" },
            el("label", {}, "contains", el("input", {
                type: "search", value: choice.text, oninput: (event) => change({ text: event.target.value }),
            })),
            chooser("group", [...groups, "all"], "all but diagnostics"), chooser("status", STATUSES),
            page.runs.length > 1 ? chooser("run", page.runs.map((run) => run.title)) : null),
        told, button("save as CSV", () => save("verdicts.csv", csvOf([names, ...choose(entries, choice).map((entry) => names.map((name) => fieldOf(entry, name)))]))),
        wideTable("Table of all verdicts", "verdicts", heads, body, true), files(page),
    ];
}

function files(page) {
    return el("div", { class: "files" }, el("h3", {}, "The files themselves"),
        page.runs.map((run) => el("p", {}, `${run.title}: `, [...run.files].map(([name, text]) =>
            [button(`${name} (${bytes(text.length)})`, () => save(`${run.name}-${name}`, text)), " "]))));
}

export const verdicts = { id: "verdicts", title: "All verdicts", render };
