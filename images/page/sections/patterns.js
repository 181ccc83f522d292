/* patterns: the time of an access by the order in which an array is read; the gain of a shuffle in stages. */
import { describeCase, describePattern, pagesOf } from "../data/cases.js";
import { bytes } from "../data/format.js";
import { swapCurve } from "../data/points.js";
import { rowsOf } from "../data/run.js";
import { unique } from "../draw/choices.js";
import { entriesOf, noteOf, sectionOf, verdictBars } from "../draw/section.js";

const PATTERNS = ["linear", "page", "heap", "random"];

function times(page) {
    const entries = entriesOf(page, "patterns", ["ticks_per_access"], () => "").map((entry) => {
        const size = pagesOf(entry.verdict.case), [pattern, rest] = entry.verdict.case.split(new RegExp(`-${size}-?`));
        return { ...entry, pattern, label: [describePattern(pattern), describeCase(rest)].filter(Boolean).join(", "),
            group: describeCase(size), color: Number(rest.startsWith("nopf")) };
    });
    const sizes = [...new Set(entries.map(({ group }) => group))];
    const size = page.runs.flatMap(({ rows }) => rows).find((row) => row.experiment === "patterns" && row.metric === "tsc" && row.bytes)?.bytes;
    entries.sort((a, b) => sizes.indexOf(a.group) - sizes.indexOf(b.group) || PATTERNS.indexOf(a.pattern) - PATTERNS.indexOf(b.pattern));
    return entries.length === 0 ? [] : [noteOf("patterns"), verdictBars(page, `An access of a pass over ${size ? bytes(size) : "a large array"}, by the pattern`, entries)];
}

export const patterns = sectionOf({ id: "patterns", title: "Access patterns", experiments: ["patterns"], parts: [times] });

const STAGED = "staged-", PLAIN = "plain-";

/** Returns how much longer a swap takes without stages, in percent, by the stage; a line a size, the largest first. */
function gains(rows, run, name) {
    const plain = rowsOf(run, "shuffle", name.replace(STAGED, PLAIN), "tsc");
    const sizes = unique(rows.filter((row) => row.metric === "tsc" && row.stage > 0).map((row) => row.bytes)).sort((a, b) => b - a);
    return sizes.map((size, hue) => {
        const without = new Map(swapCurve(plain, size).map(({ x, y }) => [x, y]));
        return { label: bytes(size), hue, points: swapCurve(rows, size).filter(({ x }) => without.get(x) > 0)
            .map(({ x, y }) => ({ x, y: 100 * (without.get(x) / y - 1) })) };
    });
}

const gain = {
    key: "gain", experiment: "shuffle", before: STAGED, title: "How much longer a swap takes without stages", lines: gains,
    x: { label: "stage: swaps whose indices are made ahead", log: 2 }, y: { label: "longer without stages, %", unit: "%", isTime: false },
    says: ["staged_gain", "best_stage", "swap_ticks"],
    more: () => ({ levels: [{ y: 0, label: "no difference" }] }),
};

export const shuffle = sectionOf({ id: "shuffle", title: "Staged shuffle", experiments: ["shuffle"], parts: [gain] });
