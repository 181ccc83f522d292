/* patterns: the time of an access by the order in which an array is read. */
import { describeCase, describePattern, partsOf } from "../data/cases.js";
import { bytes } from "../data/format.js";
import { el } from "../draw/dom.js";
import { entriesOf, sectionOf, verdictBars } from "../draw/section.js";

const PATTERNS = ["linear", "page", "heap", "random"];

const sizeOf = (page) => page.runs.flatMap(({ rows }) => rows)
    .find((row) => row.experiment === "patterns" && row.metric === "tsc" && row.bytes)?.bytes;

function times(page) {
    const entries = entriesOf(page, "patterns", ["ticks_per_access"], () => "").map((entry) => {
        const { pattern, page: size, rest } = partsOf(entry.verdict.case);
        return { ...entry, pattern, label: [describePattern(pattern), describeCase(rest.slice(1))].filter(Boolean).join(", "),
            group: describeCase(size), color: Number(/^-nopf/.test(rest)) };
    });
    const sizes = [...new Set(entries.map(({ group }) => group))], size = sizeOf(page);
    entries.sort((a, b) => sizes.indexOf(a.group) - sizes.indexOf(b.group) || PATTERNS.indexOf(a.pattern) - PATTERNS.indexOf(b.pattern));
    return [verdictBars(page, `An access of a pass over ${size ? bytes(size) : "a large array"}, by the pattern`, entries)];
}

const explained = (page) => (times(page).flat().length === 0 ? [] : el("p", { class: "note" }, "Every 64-bit word of an array is read once. " +
    "The next word is, for linear: the next one; page: 514,229 words on, modulo the 2 MB page, one page after the other; " +
    "heap: 514,229 words on, modulo the array; random: drawn by a generator."));

const ratios = (page) => [verdictBars(page, "How many times as long as linear", entriesOf(page, "patterns",
    ["page_over_linear", "heap_over_linear", "random_over_linear"], ({ case: name }) => describeCase(name)), "")];

export const patterns = sectionOf({ id: "patterns", title: "Access patterns", experiments: ["patterns"], parts: [explained, times, ratios] });
