/* advice: what a user can change, by the reasons of answers that are not ok; which verdicts are diagnostics. */
import { MAIN, best } from "./answers.js";
import { sortedBy } from "./format.js";
import { groupsOf } from "./run.js";
import { wordsOf } from "./words.js";

/** Returns a table from each word of a kind's last column to the name in its line. */
const byWord = (kind) => new Map([...wordsOf(kind)].flatMap(([name, words]) => words.split(" ").map((word) => [word, name])));

const ADVICE = byWord("advice"), GROUPS = byWord("group");
const DIAGNOSTICS = "Diagnostics", IN_CYCLES = /_cycles$/;

/** Groups verdicts by what a reader asks. Times in ticks and in cycles are one answer. */
export const groupOf = ({ name, experiment, case: caseName, status }) => (GROUPS.get(name) === DIAGNOSTICS || IN_CYCLES.test(name) ||
    (status === "skip" && /-shared$|-cold$|-walkmem$/.test(caseName)) ? DIAGNOSTICS : GROUPS.get(name) ?? GROUPS.get(experiment) ?? experiment);

/** The groups in their order; the last one is of diagnostics. */
export const GROUP_NAMES = [...wordsOf("group").keys()];

/** Returns a run's verdicts for a list, in the groups' order: those of a group that were skipped for one reason, or that an emulator cannot answer, are one. */
export function listedVerdicts({ verdicts }) {
    const lines = groupsOf(verdicts, (one) => (one.reason === "emulated" ? one.experiment : one.status === "skip" ? `${groupOf(one)}: ${one.method}` : one));
    return sortedBy(lines.map(([, [first, ...more]]) => (more.length === 0 ? first : { ...first, case: "", name: `${more.length + 1} verdicts`, unit: "", value: null, low: null, high: null,
        method: `${first.method}: ${[...new Set([first, ...more].map(({ name }) => name))].join(", ")}` })), (one) => placeOf(groupOf(one)));
}

const placeOf = (group) => (GROUP_NAMES.includes(group) ? GROUP_NAMES.indexOf(group) : GROUP_NAMES.length - 2);

/** Returns what would help with a reason; "": nothing would, or the reason is of another version. A guest and a Linux process may have advice of their own. */
export function adviceFor({ json: { hypervisor, platform, configuration } }, reason) {
    const [own] = [hypervisor && "guest", platform].map((where) => ADVICE.get(`${reason}/${where}`)).filter(Boolean);
    const words = own ?? ADVICE.get(reason) ?? "";
    return configuration?.suite === "full" ? words.replace(": suite = full", "") : words;
}

/** Returns what would help, with the names of the figures that it may free, the main ones first: no case has these for sure. Those that free most come first. */
export function adviceOf(run) {
    const names = [...new Set(run.verdicts.filter((one) => groupOf(one) !== DIAGNOSTICS).map(({ name }) => name))];
    const open = names.map((name) => best(run, name)).filter(({ status }) => status !== "ok"), emulated = open.filter(({ reason }) => reason === "emulated");
    return groupsOf(emulated.length > 0 ? emulated : open, ({ reason }) => adviceFor(run, reason)).filter(([words]) => words)
        .map(([words, verdicts]) => ({ words, names: sortedBy(verdicts.map(({ name }) => name), (name) => (MAIN.includes(name) ? MAIN.indexOf(name) : MAIN.length)) }))
        .sort((a, b) => b.names.length - a.names.length);
}
