/* runs: those that are seen side by side: which there are, what each is called, their order. */
import { sortedBy } from "./format.js";
import { FILES, groupsOf, keyOf, shorten, titleOf } from "./run.js";

/** The texts of a run, to tell whether two are one; a FAT volume's run.json may end in blanks. */
const textsOf = (run) => JSON.stringify(FILES.map((file) => run.files.get(file)?.trimEnd() ?? ""));

/**
 * Runs and further ones: each has a `slot`, the lowest number that is free (its colour), and a `title` that
 * no other has. What is there already, by its texts, is not added again.
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

/** `by`: one of ORDERS, or a key of keyOf(); `notices`: what became of the last change, in words. */
export const unordered = () => ({ by: "as they came", isReversed: false, notices: [] });

export function changeRuns(page, runs, notices) {
    page.runs = ordered(runs, page.order);
    page.order.notices = notices;
    page.redraw();
}

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
    const keys = runs.flatMap((run) => run.verdicts.filter((one) => one.value !== null).map(keyOf));
    return groupsOf(keys, (key) => key).filter(([, same]) => same.length > 1).map(([key]) => key);
}

export const ordered = (runs, { by, isReversed }) =>
    sortedBy(runs, ORDERS[by] ?? ((run) => run.verdicts.find((one) => keyOf(one) === by)?.value), isReversed);

/** Runs of one machine, in order of time, boot by boot. A run that names no machine is left out. */
export function machinesOf(runs) {
    const machines = groupsOf(runs.filter((run) => run.json.machine?.id), (run) => run.json.machine.id);
    const time = (run) => run.json.machine.utc_start ?? "";
    return machines.map(([id, ofMachine]) => {
        const inTime = [...ofMachine].sort((a, b) => time(a).localeCompare(time(b)));
        return { id, boots: groupsOf(inTime, (run) => run.json.machine.boot ?? "").map(([, boot]) => boot) };
    });
}
