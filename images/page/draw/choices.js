/* choices: which case the user looks at, and how its runs and states are told apart. */
import { describeCase, nameCase, readCase } from "../data/cases.js";
import { chooser } from "./dom.js";

/**
 * What the user chose of these, else the first; and the chooser, null where there is no choice.
 * @param {(choice: string) => string} [wordsOf]  what is shown in a choice's place
 */
export function choose(page, section, what, label, choices, wordsOf) {
    const chosen = page.choices[section] ??= {};
    const value = choices.includes(chosen[what]) ? chosen[what] : choices[0];
    const control = choices.length < 2 ? null : chooser(label, choices, value, (choice) => {
        chosen[what] = choice;
        page.redraw();
    }, wordsOf);
    return { value, control };
}

const unique = (values) => [...new Set(values)];

/** Cases without their state; of several runs those first that most of them have. */
export function casesToChoose(page, read) {
    const plain = unique(read.map((one) => one.plain));
    const count = (name) => read.filter((one) => one.plain === name && !one.isShared).length;
    return page.runs.length > 1 ? plain.sort((a, b) => count(b) - count(a)) : plain;
}

/**
 * Lets the user choose one of these cases, and one core where several were measured.
 * @param {string[]} names  of cases of all runs
 * @returns {{plain: string, core: string|undefined, words: string, controls: (Node|null)[]}}
 *     words: which one was chosen, in words
 */
export function chooseCase(page, section, names) {
    const read = names.map(readCase);
    const plain = choose(page, section, "plain", "case", casesToChoose(page, read), describeCase);
    const core = choose(page, section, "core", "core",
        unique(read.filter((one) => one.plain === plain.value).map((one) => one.core)));
    const name = nameCase({ plain: plain.value, core: core.value });
    return { plain: plain.value, core: core.value, words: describeCase(name),
        controls: [plain.control, core.control] };
}

const RUNS_MAX = 8;         // lines that the eye can tell apart
const RUNS_WITH_SHARED = 4; // with two lines each

/**
 * A case in each run and in both states of the core, and how to tell them apart in a chart.
 * @param {(run: Object, name: string) => boolean} has  whether the run has that case
 * @returns {{run: Object, name: string, label: string, color: number, dash: number[]|undefined}[]}
 *     color: which one of the series; of one run each state has its own, of several each run
 */
export function statesOf(page, of, has) {
    const isOne = page.runs.length === 1;
    const names = (run) => [false, true].map((isShared) => nameCase({ ...of, isShared })).filter((name) => has(run, name));
    const runs = page.runs.filter((run) => names(run).length > 0).slice(0, RUNS_MAX);
    return runs.flatMap((run, i) => names(run).slice(0, runs.length > RUNS_WITH_SHARED ? 1 : 2).map((name) => {
        const { isShared } = readCase(name);
        return {
            run, name, label: isOne ? describeCase(name) : `${run.title}, ${describeCase(name)}`,
            color: isOne ? Number(isShared) : run.slot ?? i, dash: isShared ? [6, 3] : undefined,
        };
    }));
}

/** What tells a state from the others: its run where there are several, and whether the core was shared. */
export function apart(page, { run, name }) {
    return [page.runs.length > 1 ? run.title : null, readCase(name).isShared ? "core shared" : null]
        .filter((word) => word !== null);
}

/** A sentence where not all runs are drawn; else null. */
export function whatIsLeftOut(page) {
    return page.runs.length > RUNS_MAX ? `Of ${page.runs.length} runs, the first ${RUNS_MAX} that have this case are drawn.` : null;
}
