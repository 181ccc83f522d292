/* runs: those that are seen side by side: which there are, what each is called, their order. */
import { FILES, keyOf, shorten, titleOf } from "./run.js";

/** The texts of a run, to tell whether two are one; a FAT volume's run.json may end in blanks. */
function textsOf(run) {
    return JSON.stringify(FILES.map((file) => run.files.get(file)?.trimEnd() ?? ""));
}

/**
 * Runs and further ones: each has a `slot`, the lowest number that is free (its colour), and a `title` that
 * no other has. What is there already, by its texts, is not added again.
 * @param {import("./run.js").Run[]} runs
 * @param {import("./run.js").Run[]} further
 * @returns {import("./run.js").Run[]} a new array of the same objects
 */
export function withRuns(runs, further) {
    const all = [...runs], known = new Set(runs.map(textsOf));
    for (const run of further) {
        const texts = textsOf(run);
        if (known.has(texts))
            continue;
        known.add(texts);
        const taken = new Set(all.map((one) => one.slot));
        for (run.slot = 0; taken.has(run.slot); run.slot++);
        run.added = ++added;
        all.push(run);
    }
    entitle(all);
    return all;
}

let added = 0;

/** Those that are left when one is taken away. */
export function withoutRun(runs, run) {
    const left = runs.filter((one) => one !== run);
    entitle(left);
    return left;
}

/** Runs of one label are told apart by their folders, and where that is not enough, by a number. */
function entitle(runs) {
    const own = runs.map((run) => titleOf(run.json, run.name));
    const isShared = (title) => own.filter((one) => one === title).length > 1;
    const given = new Set();
    runs.forEach((run, i) => {
        const name = shorten(run.name), title = isShared(own[i]) && own[i] !== name ? `${own[i]} ${name}` : own[i];
        run.title = title;
        for (let n = 2; given.has(run.title); n++)
            run.title = `${title} (${n})`;
        given.add(run.title);
    });
}

/**
 * @typedef {Object} Order
 * @property {string} by  one of ORDERS, or a key of keyOf()
 * @property {boolean} isReversed  the largest first
 * @property {string[]} notices  what became of the last change, in words
 */

/** @returns {Order} */
export const unordered = () => ({ by: "as they came", isReversed: false, notices: [] });

/** Other runs, or the same ones in another order, and what is to be said of that. */
export function changeRuns(page, runs, notices) {
    page.runs = ordered(runs, page.order);
    page.order.notices = notices;
    page.redraw();
}

/** What runs can be ordered by, besides their verdicts. */
export const ORDERS = {
    "as they came": (run) => run.added,
    name: (run) => run.title,
    time: (run) => run.json.machine?.utc_start,
    processor: (run) => run.json.processor?.brand,
    machine: (run) => run.json.machine?.id,
    version: (run) => run.json.version,
};

/** Verdicts that at least two runs have a value for, as keys of keyOf(): runs can be ordered by them. */
export function commonFigures(runs) {
    const counts = new Map();
    for (const run of runs)
        for (const verdict of run.verdicts.filter((one) => one.value !== null))
            counts.set(keyOf(verdict), (counts.get(keyOf(verdict)) ?? 0) + 1);
    return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}

/** Runs in an order; those that do not have what it asks for come last. */
export function ordered(runs, { by, isReversed }) {
    const measure = ORDERS[by] ?? ((run) => run.verdicts.find((one) => keyOf(one) === by)?.value);
    const measures = new Map(runs.map((run) => [run, measure(run) ?? ""]));
    return [...runs].sort((a, b) => {
        const [x, y] = [measures.get(a), measures.get(b)];
        if (x === "" || y === "")
            return (x === "") - (y === "");
        const order = typeof x === "number" && typeof y === "number" ? x - y :
            String(x).localeCompare(String(y), "en", { numeric: true });
        return isReversed ? -order : order;
    });
}

/**
 * Runs of one machine, in order of time, boot by boot. What names no machine stands alone.
 * @returns {{id: string, boots: import("./run.js").Run[][]}[]}
 */
export function machinesOf(runs) {
    const machines = groupsOf(runs.filter((run) => run.json.machine?.id), (run) => run.json.machine.id);
    const time = (run) => run.json.machine.utc_start ?? "";
    return machines.map(([id, ofMachine]) => {
        const inTime = [...ofMachine].sort((a, b) => time(a).localeCompare(time(b)));
        return { id, boots: groupsOf(inTime, (run) => run.json.machine.boot ?? "").map(([, boot]) => boot) };
    });
}

/** [key, members] in the order of their first members. */
export function groupsOf(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        if (!groups.has(key))
            groups.set(key, []);
        groups.get(key).push(one);
    }
    return [...groups];
}
