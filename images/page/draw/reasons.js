/* reasons: how sure verdicts are, and why they are not ok, in words. */
import { describeCase } from "../data/cases.js";
import { groupsOf } from "../data/runs.js";
import { el, statusWord } from "./dom.js";

/** " ok", as a status is shown; nothing where there is no verdict. */
export function howSure(verdict) {
    return verdict ? [" ", statusWord(verdict.status)] : [];
}

// Verdicts of the experiments that have a list of reasons.
const NAMES = {
    ...Object.fromEntries(["l1", "l2", "l3", "l4", "l5", "memory"].flatMap((level) => {
        const label = level.replace("l", "L");
        return [[`${level}_bytes`, `size of ${label}`], [`${level}_latency`, `time of ${label}`],
            [`${level}_latency_cycles`, `cycles of ${label}`],
            ...["read", "write", "copy"].map((work) => [`${level}_${work}_bandwidth`, `bandwidth of ${label}, ${work}`])];
    })),
    dtlb_entries: "entries of the first TLB", stlb_entries: "entries of the second TLB",
    dtlb_miss_cost: "cost of a miss in the first TLB",
    dtlb_ways: "ways of the first TLB", stlb_ways: "ways of the second TLB",
    walk_cost: "cost of a page walk", parallel_walks: "page walks side by side",
    walk_cost_2m_stride: "cost with pages 2 MB apart", walk_cost_1g_stride: "cost with pages 1 GB apart",
    walk_cost_512g_stride: "cost with pages 512 GB apart",
    ticks_per_access: "time of an access", ns_per_access: "time of an access", cpi: "cycles for each instruction",
    page_over_linear: "against in order", heap_over_linear: "against in order", random_over_linear: "against in order",
    swap_ticks: "time of a swap", plain_flatness: "whether the stage's length matters", best_stage: "best stage",
    staged_gain: "gain by stages", mlp_counted: "loads on their way, counted",
};
const SKIPPED_MAX = 2; // names in a line of what was not measured; more are counted
const ORDER = ["error", "doubt", "skip"];
const BEHIND = "; "; // in a method: behind it stands what only this case shows

const behind = (method) => method.split(BEHIND).slice(1).join(BEHIND);

/**
 * Verdicts that are not ok, each reason once, the worst first.
 * @returns {{status: string, reason: string, cases: {case: string, names: string[], rest: string}[]}[]}
 *     rest: what a method says behind the reason
 */
export function groupReasons(verdicts) {
    const groups = groupsOf(verdicts.filter(({ status }) => status !== "ok"),
        ({ status, method }) => JSON.stringify([status, method.split(BEHIND)[0]]));
    return groups.map(([, same]) => ({
        status: same[0].status, reason: same[0].method.split(BEHIND)[0],
        cases: groupsOf(same, (one) => JSON.stringify([one.case, behind(one.method)])).map(([, own]) =>
            ({ case: own[0].case, names: own.map(({ name }) => name), rest: behind(own[0].method) })),
    })).sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
}

/** "size of L2, time of L2"; of what was not measured, how many there are. */
function describeNames(names, status) {
    const words = [...new Set(names.map((name) => (Object.hasOwn(NAMES, name) ? NAMES[name] : name)))];
    return status === "skip" && words.length > SKIPPED_MAX ? `${names.length} answers` : words.join(", ");
}

/** Cases of one list of names and one text stand in one line. */
function linesOf({ status, cases }) {
    return groupsOf(cases, ({ names, rest }) => JSON.stringify([names, rest])).map(([, same]) => {
        const { names, rest } = same[0], all = same.map((one) => one.case);
        return el("span", { title: `${all.join(", ")}: ${names.join(", ")}` },
            `${all.map(describeCase).join("; ")}: ${describeNames(names, status)}${rest ? ` (${rest})` : ""}`);
    });
}

function listOf(groups) {
    return groups.map((group) => {
        const lines = linesOf(group);
        return el("li", {}, statusWord(group.status), ` ${group.reason}`, lines.length === 1 ? [" \u2013 ", lines] :
            el("ul", {}, lines.map((one) => el("li", {}, one))));
    });
}

const COUNTED = { error: "went wrong", doubt: "in doubt", skip: "not measured" };

/** "What is not ok, and why: 3 in doubt, 16 not measured" */
function summaryOf(verdicts) {
    const counts = ORDER.map((status) => [verdicts.filter((one) => one.status === status).length, COUNTED[status]]);
    return `What is not ok, and why: ${counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
        .join(", ")}`;
}

/**
 * What is not ok of an experiment in each run, and why.
 * @param {string[]} [besides]  verdicts that say the same as others
 */
export function reasons(page, experiment, besides = []) {
    return page.runs.map((run) => {
        const own = run.verdicts.filter(({ experiment: of, name, status }) =>
            of === experiment && status !== "ok" && ![...besides, "above_floor"].includes(name));
        return own.length === 0 ? null : el("details", { class: "reasons" },
            el("summary", {}, `${page.runs.length > 1 ? `${run.title}. ` : ""}${summaryOf(own)}`),
            el("ul", {}, listOf(groupReasons(own))));
    });
}
