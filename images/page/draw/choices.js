/* choices: lets the user choose a case, and names and colours its runs and states. */
import { describeCase, nameCase, readCase } from "../data/cases.js";
import { chooser, el } from "./dom.js";

/** Keeps the user's choices, and shows the page with them. */
export function keep(page, choices) {
    Object.assign(page.choices, choices);
    page.redraw();
}

/** Returns a link to the table of verdicts, which then shows those of this experiment, status and run. */
export const verdictsLink = (page, { experiment = "", status, run = "" }, ...words) => el("a", { href: "#verdicts", onclick: () => keep(page,
    { "verdicts.experiment": experiment, "verdicts.status": status, "verdicts.run": run, "verdicts.text": "" }) }, words);

/** Returns the user's choice among these, else the first one, and the chooser; null: there is only one choice. */
export function choose(page, key, label, choices, wordsOf) {
    const value = choices.includes(page.choices[key]) ? page.choices[key] : choices[0];
    const control = choices.length < 2 ? null : chooser(label, choices, value, (choice) => keep(page, { [key]: choice }), wordsOf);
    return { value, control };
}

export const unique = (values) => [...new Set(values)];

/** Returns the cases without their state; of several runs, first the cases that most of the runs have. */
export function casesToChoose(page, read) {
    const plain = unique(read.map((one) => one.plain));
    const count = (name) => read.filter((one) => one.plain === name && !one.isShared).length;
    return page.runs.length > 1 ? plain.sort((a, b) => count(b) - count(a)) : plain;
}

/** Lets the user choose one of these cases, and one core if several were measured; `words` describes the choice. */
export function chooseCase(page, key, names) {
    const read = names.map(readCase);
    const plain = choose(page, `${key}.case`, "case", casesToChoose(page, read), describeCase);
    const core = choose(page, `${key}.core`, "core",
        unique(read.filter((one) => one.plain === plain.value).map((one) => one.core)));
    const name = nameCase({ plain: plain.value, core: core.value });
    return { plain: plain.value, core: core.value, words: describeCase(name), controls: [plain.control, core.control] };
}

const RUNS_MAX = 8;         // lines that the eye can tell apart
const RUNS_WITH_SHARED = 4; // with two lines each

/**
 * Returns a case in each run and in both states of the core, with label and colour for a chart: in a page of one run
 * each state has its own colour, in a page of several each run has.
 */
export function statesOf(page, of, has) {
    const isOne = page.runs.length === 1;
    const names = (run) => [false, true].map((isShared) => nameCase({ ...of, isShared })).filter((name) => has(run, name));
    const runs = page.runs.filter((run) => names(run).length > 0).slice(0, RUNS_MAX);
    return runs.flatMap((run, i) => names(run).slice(0, runs.length > RUNS_WITH_SHARED ? 1 : 2).map((name) => {
        const { isShared } = readCase(name);
        return {
            run, name, label: apart(page, { run, name }).join(", ") || "whole core",
            color: isOne ? Number(isShared) : run.slot ?? i, dash: isShared ? [6, 3] : undefined,
        };
    }));
}

/** Returns the words that distinguish a state: its run if there are several, and whether the core was shared. */
export const apart = (page, { run, name }) =>
    [page.runs.length > 1 ? run.title : "", readCase(name).isShared ? "core shared" : ""].filter(Boolean);

export const leadOf = (page, run) => (page.runs.length > 1 ? `${run.title}: ` : "");

export const whatIsLeftOut = ({ runs }) =>
    (runs.length > RUNS_MAX ? `Of ${runs.length} runs, the first ${RUNS_MAX} that have this case are drawn.` : null);
