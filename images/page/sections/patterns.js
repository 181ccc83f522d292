/* patterns: the time of an access by the order in which an array is read. */
import { describeCase, describePattern, partsOf } from "../data/cases.js";
import { bytes } from "../data/format.js";
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
    return [verdictBars(page, `An access of a pass over ${size ? bytes(size) : "a large array"}, by the order of accesses`, entries)];
}

const ratios = (page) => [verdictBars(page, "How many times as long as in order", entriesOf(page, "patterns",
    ["page_over_linear", "heap_over_linear", "random_over_linear"], ({ case: name }) => describeCase(name)), "")];

export const patterns = sectionOf({ id: "patterns", title: "Access patterns", experiments: ["patterns"], parts: [times, ratios] });
