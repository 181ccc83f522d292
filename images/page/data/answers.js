/* answers: the main questions, and which verdict of a run answers each. */
import { verdictOf } from "./run.js";

/**
 * Which verdicts answer which question: the first of `names` that has an answer. As on the console's
 * last page, kernel/report/screen.c. `like`: the levels of one structure are told of one case, that of
 * its first level. `beside`: a verdict that is told in small, its words, and another where a run has
 * not the first.
 */
export const ANSWERS = [
    { title: "Reorder buffer (ROB)", names: ["rob_entries"], experiment: "mlp",
        means: "Instructions that the core keeps under way at the same time.",
        beside: ["nops_in_flight", "1-byte NOPs in flight, of which several may share an entry"] },
    { title: "Parallel loads (MLP)", names: ["mlp"], experiment: "mlp",
        means: "Loads from memory that the core overlaps: the most whose mean time stays below that of two in turn." },
    { title: "Fill buffers", names: ["fill_buffers"], experiment: "mlp",
        means: "Misses that one thread can have under way at the same time: with one access more, the " +
            "fastest begin to wait. MLP is where the mean does. A core may have more of them for both threads." },
    { title: "L1 cache", names: ["l1_bytes"], experiment: "array",
        means: "Data that the first cache holds.", beside: ["l1_latency_cycles", "a load takes", "l1_latency"] },
    { title: "L2 cache", names: ["l2_bytes"], experiment: "array", like: "l1_bytes",
        means: "Data that the second cache holds.", beside: ["l2_latency_cycles", "a load takes", "l2_latency"] },
    { title: "L3 cache", names: ["l3_bytes"], experiment: "array", like: "l1_bytes",
        means: "Data that the third cache holds for this core; what others leave of it.",
        beside: ["l3_latency_cycles", "a load takes", "l3_latency"] },
    { title: "Memory", names: ["memory_latency", "one_load"], experiment: "array",
        means: "Time of one load that no cache has.", beside: ["memory_latency_cycles", "a load takes"] },
    { title: "First TLB", names: ["dtlb_entries"], experiment: "tlb",
        means: "Pages whose addresses are translated at no cost.",
        beside: ["dtlb_miss_cost", "beyond it a load takes longer by"] },
    { title: "Second TLB", names: ["stlb_entries"], experiment: "tlb", like: "dtlb_entries",
        means: "Pages whose addresses are translated without a walk through the page tables." },
    { title: "Page walk", names: ["walk_cost"], experiment: "tlb",
        means: "What a load takes longer when its page's tables have to be looked up." },
];

const SAID = ["ok", "doubt"];

/** The words that stand behind the page size, or behind the filler, in a case's name. */
export function wordsOf(caseName) {
    const words = caseName.split("-"), page = words.findIndex((word) => ["4k", "2m", "1g"].includes(word));
    return new Set(words.slice(Math.max(page, 0) + 1));
}

/** The lower the better: a shared core is another core, and no access is as plain as a load. */
function rankOf(verdict) {
    const words = wordsOf(verdict.case), has = (...some) => some.some((word) => words.has(word));
    const said = SAID.indexOf(verdict.status);
    return (said < 0 ? 16 : 2 * said + (verdict.value === null)) + 4 * has("shared", "busy", "loading") +
        8 * has("prefetch", "store", "nt");
}

/** The verdict of that name that answers best; undefined: there is none. */
export function best(run, name) {
    let found, rank;
    for (const verdict of run.verdicts)
        if (verdict.name === name && (found === undefined || rankOf(verdict) < rank))
            [found, rank] = [verdict, rankOf(verdict)];
    return found;
}

/** What is told beside an answer: of the same case where there is one; undefined where nothing is known. */
export function besideOf(run, answer, verdict) {
    const [first, , other] = answer.beside ?? [];
    const found = [first, other].filter(Boolean)
        .map((name) => verdictOf(run, verdict.experiment, verdict.case, name) ?? best(run, name));
    return found.find((one) => one && one.value !== null);
}

/** The verdict that answers; undefined where the run has none. */
export function answerOf(run, answer) {
    let chosen;
    for (const found of answer.names.map((name) => best(run, name)))
        if (found && (!chosen || rankOf(found) >> 3 < rankOf(chosen) >> 3))
            chosen = found;
    const first = chosen && answer.like && best(run, answer.like);
    return (first && verdictOf(run, first.experiment, first.case, answer.names[0])) ?? chosen;
}
