/* choices: lets the user choose a case, pages and core for all charts at once, and names and colours its runs and states. */
import { describeCase, nameCase, pagesOf, readCase } from "../data/cases.js";
import { chooser } from "./dom.js";

/** Keeps the user's choices, and shows the page with them. */
export function keep(page, choices) {
    Object.assign(page.choices, choices);
    page.redraw();
}

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

const isOneOf = (choice, all) => (choice && all.includes(choice) ? choice : all[0]);

/** Returns the choosers for all charts: pages, by default each chart's own first ones; core; and curves of the shared core. */
export function barOf(page) {
    const names = unique(page.runs.flatMap((run) => [...run.byCase.values()].flatMap((cases) => [...cases.keys()]))), read = names.map(readCase);
    const one = (key, choices, wordsOf) => (choices.length < 2 ? null :
        chooser(`charts: ${key}`, choices, isOneOf(page.choices[key], choices), (choice) => keep(page, { [key]: choice === choices[0] ? "" : choice }), wordsOf));
    const pages = unique(names.map(pagesOf).filter(Boolean)), cores = unique(read.map(({ core }) => core).filter(Boolean));
    return [one("pages", pages.length > 1 ? ["", ...pages] : [], (choice) => (choice === "" ? "usual" : describeCase(choice))), one("core", cores),
        one("core shared", read.some(({ isShared }) => isShared) ? ["hidden", "drawn"] : [])];
}

/** Returns the core that the bar chose, if it is among these. */
export const coreOf = (page, cores) => isOneOf(page.choices.core, cores);

/** Lets the user choose one of these cases, of the bar's pages and core if there are such; `words` describes the choice. */
export function chooseCase(page, key, names) {
    const pages = isOneOf(page.choices.pages, unique(names.map(pagesOf))), read = names.filter((name) => (pagesOf(name) ?? pages) === pages).map(readCase);
    const plain = choose(page, `${key}.case`, "case", casesToChoose(page, read), describeCase);
    const core = coreOf(page, unique(read.filter((one) => one.plain === plain.value).map((one) => one.core)));
    const name = nameCase({ plain: plain.value, core });
    return { plain: plain.value, core, words: describeCase(name), controls: [plain.control] };
}

const RUNS_MAX = 8;         // lines that the eye can tell apart
const RUNS_WITH_SHARED = 4; // with two lines each

/**
 * Returns a case in each run, and where the bar has it drawn or there is no other of the shared core, with label and
 * colour for a chart: in a page of one run each state has its own colour, in a page of several each run has.
 */
export function statesOf(page, of, has) {
    const isOne = page.runs.length === 1;
    const names = (run) => [false, true].map((isShared) => nameCase({ ...of, isShared })).filter((name) => has(run, name))
        .slice(0, page.choices["core shared"] === "drawn" ? 2 : 1);
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
