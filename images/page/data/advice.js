/* advice: what is wrong with answers and runs in a user's words, and what helps; which verdicts are diagnostics. */
import { ANSWERS } from "./answers.js";
import { sortedBy } from "./format.js";
import { groupsOf } from "./run.js";
import { wordsOf } from "./words.js";

/** Returns a table from each word of a kind's last column to the name in its line. */
const byWord = (kind) => new Map([...wordsOf(kind)].flatMap(([name, words]) => words.split(" ").map((word) => [word, name])));

const ADVICE = byWord("advice"), GROUPS = byWord("group"), REASONS = wordsOf("reason"), CURES = wordsOf("failure");
const DIAGNOSTICS = "Diagnostics", IN_CYCLES = /_cycles$/;

/** Groups verdicts by what a reader asks. Times in ticks and in cycles are one answer. */
export const groupOf = ({ name, experiment, case: caseName, status }) =>
    (GROUPS.get(name) === DIAGNOSTICS || IN_CYCLES.test(name) ||
    (status === "skip" && /-shared$|-cold$|-walkmem$/.test(caseName)) ? DIAGNOSTICS :
        GROUPS.get(`${experiment}/${name}`) ?? GROUPS.get(experiment) ?? experiment);

/** Returns why a verdict is not ok, in a user's words; a reason of another version in those of its file. */
export const reasonOf = ({ reason, method, status }) => REASONS.get(reason) ?? (method.split(";")[0] || status);

/** Returns that, and the numbers that the file has behind its own words. */
export const wholeReasonOf = (verdict) => [reasonOf(verdict), ...verdict.method.split(";").slice(1)].join(";");

const STEP = /^event=(?:step|experiment) name=(\S+)/gm;

/** Returns why a run is not done, and what to do, in words; where the run was cut short, log.txt has the step. */
export const failuresOf = ({ json: { failures = {} }, files }) => Object.values(failures).map(({ step, code, words }) => {
    const [, last] = code === "cut-short" ? [...(files.get("log.txt") ?? "").matchAll(STEP)].at(-1) ?? [] : [];
    const told = last ? `the run ended in step ${last}, and not by itself` : `${step ? `${step}: ` : ""}${words}`;
    return `${told} (${code}).${CURES.has(code) ? ` What to do: ${CURES.get(code)}.` : ""}`;
});

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

/** Returns what would help, with the titles of the answers that it may settle; what may settle most comes first. */
export function adviceOf(run, found) {
    const open = found.map((verdict, i) => ({ ...verdict, title: ANSWERS[i].title })).filter(({ status }) => status && status !== "ok");
    const emulated = open.filter(({ reason }) => reason === "emulated");
    return groupsOf(emulated.length > 0 ? emulated : open, ({ reason }) => adviceFor(run, reason)).filter(([words]) => words)
        .map(([words, own]) => ({ words, titles: own.map(({ title }) => title) })).sort((a, b) => b.titles.length - a.titles.length);
}
