/* runs: the runs that are seen side by side, and their titles. */
import { distinct } from "./format.js";
import { FILES, groupsOf, processorOf, shorten, titleOf } from "./run.js";

/** Returns whether a run is a copy of another; a FAT volume's run.json may end in blanks. */
const isCopy = (run, other) => FILES.every((file) => (run.files.get(file) ?? "").trimEnd() === (other.files.get(file) ?? "").trimEnd());

/**
 * Adds further runs: each gets a `slot`, the lowest number that is free (its colour), and a `title` that no other has.
 * A run whose texts are there already is not added again.
 */
export function withRuns(runs, further) {
    const all = [...runs];
    for (const run of further) {
        if (all.some((one) => isCopy(run, one)))
            continue;
        const taken = new Set(all.map((one) => one.slot));
        for (run.slot = 0; taken.has(run.slot); run.slot++);
        all.push(run);
    }
    entitle(all);
    return all;
}

export function withoutRun(runs, run) {
    const left = runs.filter((one) => one !== run);
    entitle(left);
    return left;
}

/** Gives each run a title of its own: runs with one label get their folder's name, and if need be a number. */
function entitle(runs) {
    const own = runs.map((run) => titleOf(run.json, run.name));
    const isShared = (title) => own.filter((one) => one === title).length > 1;
    const given = new Set();
    runs.forEach((run, i) => {
        const name = shorten(run.name), title = isShared(own[i]) ? distinct([own[i], name]).join(" ") : own[i];
        run.title = title;
        for (let n = 2; given.has(run.title); n++)
            run.title = `${title} (${n})`;
        given.add(run.title);
    });
}

/** Shows other runs; `notices`: what came of the change, in words. */
export function changeRuns(page, runs, notices) {
    Object.assign(page, { runs, notices });
    page.redraw();
}

/**
 * Names the machine of a run with its processor, and its type of core if there are several: machines without serial
 * numbers share an id, a processor can be exchanged, and two types of core are measured as two processors are.
 */
function machineOf(run) {
    const types = Object.values(run.json.machine.cores ?? {}).map((core) => core?.type).filter((type) => type && type !== "one type");
    return [run.json.machine.id, processorOf(run), ...new Set(types)].filter(Boolean).join(", ");
}

/** Groups runs by machine, in order of time, boot by boot. Leaves out a run that names no machine. */
export function machinesOf(runs) {
    const machines = groupsOf(runs.filter((run) => run.json.machine?.id), machineOf);
    const time = (run) => run.json.machine.utc_start ?? "";
    return machines.map(([name, ofMachine]) => {
        const inTime = [...ofMachine].sort((a, b) => time(a).localeCompare(time(b)));
        return { name, boots: groupsOf(inTime, (run) => run.json.machine.boot ?? "").map(([, boot]) => boot) };
    });
}
