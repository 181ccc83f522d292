/* states: the case that the user looks at, in each run and in each state of the core. */
import { chooser } from "./dom.js";
import { describeCase, nameCase, readCase } from "./names.js";

/** What the user chose of these, else the first; and the chooser, null where there is no choice. */
export function choose(page, section, what, label, choices) {
    const chosen = page.choices[section] ??= {};
    const value = choices.includes(chosen[what]) ? chosen[what] : choices[0];
    const control = choices.length < 2 ? null : chooser(label, choices, value, (choice) => {
        chosen[what] = choice;
        page.redraw();
    });
    return { value, control };
}

const unique = (values) => [...new Set(values)];

/**
 * Lets the user choose one of these cases, and one core where several were measured.
 * @param {string[]} names  of cases of all runs
 * @returns {{plain: string, core: string|undefined, words: string, controls: (Node|null)[]}}
 *     words: which one was chosen
 */
export function chooseCase(page, section, names) {
    const read = names.map(readCase);
    const plain = choose(page, section, "plain", "case", unique(read.map((one) => one.plain)));
    const core = choose(page, section, "core", "core",
        unique(read.filter((one) => one.plain === plain.value).map((one) => one.core)));
    const name = nameCase({ plain: plain.value, core: core.value });
    return { plain: plain.value, core: core.value, words: `${name} (${describeCase(name)})`,
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
    return page.runs.slice(0, RUNS_MAX).flatMap((run, i) =>
        [false, true].slice(0, page.runs.length > RUNS_WITH_SHARED ? 1 : 2).flatMap((isShared) => {
            const name = nameCase({ ...of, isShared });
            const state = {
                run, name, label: isOne ? name : `${run.title} ${name}`,
                color: isOne ? Number(isShared) : run.slot ?? i, dash: isShared ? [6, 3] : undefined,
            };
            return has(run, name) ? [state] : [];
        }));
}

/** What tells a state from the others: its run where there are several, and whether the core was shared. */
export function apart(page, { run, name }) {
    return [page.runs.length > 1 ? run.title : null, readCase(name).isShared ? "core shared" : null]
        .filter((word) => word !== null);
}

/** A sentence where not all runs are drawn; else null. */
export function whatIsLeftOut(page) {
    return page.runs.length > RUNS_MAX ? `Of ${page.runs.length} runs, the first ${RUNS_MAX} are drawn.` : null;
}
