/* answers: the main questions, and which verdict of a run answers each. */
import { describeCase, describeFiller, nameCase, pagesOf, readCase, withoutPages } from "./cases.js";
import { labelOf } from "./figures.js";
import { inGigabytes, inUnit, scaled, sortedBy } from "./format.js";
import { ticksOfCycle } from "./points.js";
import { hasValue, rowsOf, verdictOf } from "./run.js";
import { namer } from "./words.js";

const meaningOf = namer("meaning");

/**
 * The questions and their verdicts, nearly as on the console's last page (kernel/report/screen.c). `like`: all levels
 * of a structure are answered from the case of its first level, unless another is surer. `beside`: verdicts in small
 * print, and their words. `isSurest`: the verdict with the best status answers, else the first that has an answer.
 * `counts`: what it counts, where others count something else. `large`: its name at the top, where `small` is beside it.
 */
export const ANSWERS = [
    { names: ["rob_entries", "rob_entries_long_nop"], experiment: "mlp", large: "ROB", isSurest: true,
        beside: { nops_in_flight: "1-byte NOPs in flight" } },
    { names: ["memory_overlap"], experiment: "array", large: "MLP", counts: "random loads under way at once",
        beside: { mlp: "the published rule, loads faster than two serialized:" },
        small: { mlp: "published rule", fill_buffers: "fill buffers" } },
    { names: ["fill_buffers"], experiment: "mlp", counts: "lines that loads can wait for" },
    { names: ["l1_bytes"], experiment: "array", beside: { l1_latency: "latency" } },
    { names: ["l2_bytes"], experiment: "array", like: "l1_bytes", beside: { l2_latency: "latency" } },
    { names: ["l3_bytes"], experiment: "array", like: "l1_bytes", beside: { l3_latency: "latency" } },
    { names: ["memory_latency", "one_load"], experiment: "array", large: "Memory latency", beside: { memory_latency_random: "random lines, with page walks" } },
    { names: ["memory_read_bandwidth"], experiment: "array", large: "Memory bandwidth", beside: { peak_bandwidth: "the other cores together" } },
    { names: ["dtlb_entries"], experiment: "tlb", beside: { dtlb_miss_cost: "a miss adds" } },
    { names: ["stlb_entries"], experiment: "tlb", like: "dtlb_entries" },
    { names: ["walk_cost"], experiment: "tlb" },
].map((answer) => ({ title: labelOf(answer.names[0]), means: meaningOf(answer.names[0]), ...answer }));

/** The main figures: the names of the verdicts that may answer, and of those beside them. */
export const MAIN = ANSWERS.flatMap(({ names, beside = {} }) => [...names, ...Object.keys(beside)]);

/** Describes a case: "2 MB pages, stores"; a case of a filler by the filler. */
export function caseWords({ experiment, case: name }) {
    if (experiment !== "structures")
        return describeCase(name.replace(/^chain-/, ""));
    const { plain, ...rest } = readCase(name);
    return [describeFiller(plain), describeCase(nameCase(rest))].filter(Boolean).join(", ");
}

/** Names a verdict among those of all cases: "Store queue with stores". */
export const verdictWords = (of) => `${labelOf(of.name)} ${of.experiment === "floor" ? "of" : "with"} ${caseWords(of)}`;

const SAID = ["ok", "doubt"], LONG = /^long-nop|_long_nop$/;
const isShort = ({ case: name, name: verdict, status }) => status === "doubt" && verdict.startsWith("rob_entries") && !LONG.test(`${name} ${verdict}`);

/** Returns the words behind the page size, or behind the filler, in a case's name. */
function wordsOf(caseName) {
    const words = caseName.split("-");
    return new Set(words.slice(Math.max(words.indexOf(pagesOf(caseName)), 0) + 1));
}

/**
 * Returns a rank; the lowest is the best answer. A shared core has only a part of its structures, and no other access
 * is as plain as a load. If the ROB's size is in doubt, long NOPs decide: each of them takes an entry of its own.
 */
export function rankOf(verdict) {
    const { value, status } = verdict, words = wordsOf(verdict.case), has = (...some) => some.some((word) => words.has(word)), said = SAID.indexOf(status);
    return (said < 0 ? 32 : 4 * said + 2 * (value === null) + isShort(verdict)) + 8 * has("shared", "busy", "loading") + 16 * has("prefetch", "store", "nt");
}

// No page size changes these. Parallel loads and the TLB's answers depend on the pages: there the first case answers.
const OF_ANY_PAGES = /^(l\d_(bytes|latency)|rob_entries|memory_latency(?!_random))/;

const widthOf = ({ value, low, high }) => (value === null || low === null || high === null ? Infinity : (high - low) / Math.abs(value || 1));

/** Returns the verdict of that name that answers best; of several that differ in their pages alone, the one with the narrowest interval. */
export function best(run, name) {
    const [first, ...others] = sortedBy(run.verdicts.filter((one) => one.name === name), rankOf);
    return others.filter((one) => OF_ANY_PAGES.test(name) && rankOf(one) === rankOf(first) &&
        one.experiment === first.experiment && withoutPages(one.case) === withoutPages(first.case))
        .reduce((a, b) => (widthOf(b) < widthOf(a) ? b : a), first);
}

/** Returns the verdict of this case in the experiment of `found`, if there is a case, and `found`, of another one, is not better. */
export function ofCase(run, name, found) {
    const same = found && name && verdictOf(run, found.experiment, name, found.name);
    return same && rankOf(same) <= rankOf(found) ? same : found;
}

/** Returns a verdict as the page shows it: an emulator's without a value, a time in its unit, a TLB's time in core cycles by the cycle's length at that time, a rate in GB/s. */
export function shownIn(page, run, verdict) {
    if (verdict.reason === "emulated")
        return { ...verdict, value: null, low: null, high: null };
    const ticks = verdict.unit === "cycles" && page.unit !== "cycles" ? ticksOfCycle(rowsOf(run, verdict.experiment, verdict.case)) : null;
    const ofTime = inUnit(ticks === null ? verdict : { ...scaled(verdict, ticks), unit: "ticks" }, page.unit, run);
    return page.unit === "ns" ? inGigabytes(ofTime, run) : ofTime;
}

/** Returns the verdict shown beside an answer, of the same case unless another is surer; undefined: no value is known. */
export function besideOf(run, { beside = {} }, verdict) {
    const found = ofCase(run, verdict?.case, best(run, Object.keys(beside)[0]));
    return hasValue(found) ? found : undefined;
}

export function answerOf(run, answer, names = answer.names) {
    const worth = answer.isSurest ? rankOf : (verdict) => rankOf(verdict) >> 4;
    const [found] = sortedBy(names.map((name) => best(run, name)).filter(Boolean), worth);
    const first = found && answer.like && best(run, answer.like);
    return ofCase(run, first?.case, found);
}

/** Returns each question's answers, one of each run. */
export const allAnswers = (runs) => ANSWERS.map((answer) => answersOf(runs, answer));

/** Returns each run's answer: like is compared with like, so of the one case that is surest in all runs, else of one name. */
export function answersOf(runs, answer) {
    const own = runs.map((run) => answerOf(run, answer)), isAsSure = (one, i) => !own[i] || (hasValue(one) && rankOf(one) === rankOf(own[i]));
    const ofCases = own.filter(Boolean).map((of) => runs.map((run) => verdictOf(run, of.experiment, of.case, of.name)));
    const ofNames = answer.names.map((name) => runs.map((run, i) => own[i] && best(run, name)));
    const isWhole = (row) => row.every((one, i) => !own[i] || (hasValue(one) && !isShort(one)));
    const isOneName = new Set(own.filter(Boolean).map(({ name }) => name)).size < 2, worth = (row) => row.reduce((sum, one) => sum + (one ? rankOf(one) : 0), 0);
    return ofCases.find((row) => row.every(isAsSure)) ?? sortedBy((isOneName ? ofCases : ofNames).filter(isWhole), worth)[0] ?? own;
}
