/* reasons: how sure verdicts are, and why they are not ok, in words. */
import { el, statusWord } from "./dom.js";

/** " ok", as a status is shown; nothing where there is no verdict. */
export function howSure(verdict) {
    return verdict ? [" ", statusWord(verdict.status)] : [];
}

/** The verdict with its value and interval times a factor. */
export function scaled(verdict, factor) {
    const times = (value) => (value === null ? null : value * factor);
    return { ...verdict, value: times(verdict.value), low: times(verdict.low), high: times(verdict.high) };
}

/** Verdicts that have one status for one reason, whatever their case: {status, method, cases, names}. */
export function groupReasons(verdicts) {
    const groups = new Map();
    for (const { status, method, case: name, name: verdict } of verdicts) {
        if (status === "ok")
            continue;
        const key = JSON.stringify([status, method]);
        if (!groups.has(key))
            groups.set(key, { status, method, cases: new Set(), names: new Set() });
        groups.get(key).cases.add(name);
        groups.get(key).names.add(verdict);
    }
    return [...groups.values()];
}

function listOf(verdicts) {
    return groupReasons(verdicts).map(({ status, method, cases, names }) =>
        el("li", {}, `${[...cases].join(", ")}: ${[...names].join(", ")} `, statusWord(status), ` ${method}`));
}

/**
 * What is not ok of an experiment in each run, and why; open where there is one run.
 * @param {string[]} [told]  verdicts whose doubt stands elsewhere already
 */
export function reasons(page, experiment, told = []) {
    return page.runs.map((run) => {
        const items = listOf(run.verdicts.filter((verdict) => verdict.experiment === experiment &&
            verdict.name !== "above_floor" && (verdict.status === "skip" || !told.includes(verdict.name))));
        return items.length === 0 ? null : el("details", { class: "reasons", open: page.runs.length === 1 },
            el("summary", {}, page.runs.length > 1 ? `What is not ok in ${run.title}` : "What is not ok, and why"),
            el("ul", {}, items));
    });
}
