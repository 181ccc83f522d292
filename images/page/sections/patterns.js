/* patterns: the time of an access by the order in which an array is read. */
import { describeCase, describePattern, nameCase, readCase } from "../data/cases.js";
import { chooseCase } from "../draw/choices.js";
import { lineChart, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, inUnit, number, sharp } from "../data/format.js";
import { partsOf, passesOf } from "../curves/memory.js";
import { howSure, reasons } from "../draw/reasons.js";
import { casesOf, hasValue, rowsOf, verdictOf } from "../data/run.js";
import { verdictBars } from "../draw/verdictbars.js";

const PATTERNS = ["linear", "page", "heap", "random"];
const TIMES = { ticks: "ticks_per_access", ns: "ns_per_access" };
const FASTEST = "linear", SLOWEST = "random";

/** Without the pattern: "2m-nopf". */
const pagesOf = (name) => name.slice(partsOf(name).pattern.length + 1);

const shownTime = (page) => TIMES[page.unit] ?? TIMES.ticks;

/** The time of an access in the page's unit; that in nanoseconds stands in the file itself. */
function timeOf(page, run, name) {
    return inUnit(verdictOf(run, "patterns", name, shownTime(page)), page.unit, run);
}

const sizeOf = (run, name) => rowsOf(run, "patterns", name, "tsc").find((row) => row.bytes)?.bytes;
const patternCasesOf = (run) => casesOf(run, "patterns", "tsc").filter((name) => partsOf(name));

/* --- in words -------------------------------------------------------------------------------- */

/** Of the first pages in the file with which both were measured. */
function sentence(page, run) {
    const pages = patternCasesOf(run).map(pagesOf).find((one) => [FASTEST, SLOWEST].every((pattern) =>
        hasValue(timeOf(page, run, `${pattern}-${one}`))));
    if (pages === undefined)
        return null;
    const names = [FASTEST, SLOWEST].map((pattern) => `${pattern}-${pages}`);
    const [fast, slow] = names.map((name) => timeOf(page, run, name));
    const times = verdictOf(run, "patterns", names[1], "random_over_linear");
    const told = (verdict, unit) => [el("strong", {}, `${number(sharp(verdict).value, 3)} ${unit}`), howSure(verdict)];
    return el("p", { class: "answer" }, page.runs.length > 1 ? `${run.title}: ` : "",
        `An access of a pass over ${bytes(sizeOf(run, names[0]))} takes `, told(fast, page.unit),
        ` ${describePattern(FASTEST)} and `, told(slow, page.unit), ` ${describePattern(SLOWEST)}`,
        hasValue(times) ? [", ", told(times, "times"), " as long"] : null, `, with ${describeCase(pages)}.`);
}

/* --- as bars --------------------------------------------------------------------------------- */

/** By pages, prefetchers off beside on; of one core, where several were measured. */
function entriesOf(page, core) {
    const entries = page.runs.flatMap((run) => patternCasesOf(run).map((name) => {
        const { pattern, page: size, rest } = partsOf(name), verdict = timeOf(page, run, name);
        const label = [describePattern(pattern), describeCase(rest.slice(1))].filter(Boolean).join(", ");
        return { run, name, pattern, verdict, label, group: describeCase(size), color: Number(/^-nopf/.test(rest)) };
    })).filter(({ name, verdict }) => verdict && verdict.status !== "skip" && readCase(name).core === core);
    const sizes = [...new Set(entries.map(({ group }) => group))];
    return entries.sort((a, b) => sizes.indexOf(a.group) - sizes.indexOf(b.group) ||
        PATTERNS.indexOf(a.pattern) - PATTERNS.indexOf(b.pattern));
}

/* --- as curves ------------------------------------------------------------------------------- */

/** Each pass of one run by itself shows what the mean hides. */
function rounds(page, run, pages) {
    const names = patternCasesOf(run).filter((name) => pagesOf(name) === pages &&
        passesOf(rowsOf(run, "patterns", name, "tsc")).length > 1);
    const factor = TIME_UNITS[page.unit](run);
    const series = names.map((name, i) => {
        const passes = passesOf(rowsOf(run, "patterns", name, "tsc"));
        return { label: describePattern(partsOf(name).pattern), color: seriesColor(i),
            x: passes.map(({ x }) => x + 1), y: passes.map(({ y }) => y * factor) };
    });
    return names.length === 0 ? null : lineChart({
        title: `Each pass by itself: ${describeCase(pages)}`, height: 220, series,
        x: { label: "round", format: (round) => (Number.isInteger(round) ? String(round) : "") },
        y: { label: `${page.unit} for each access`, log: 10 },
    });
}

function render(page) {
    const names = page.runs.flatMap(patternCasesOf);
    if (names.length === 0)
        return [];
    const isOne = page.runs.length === 1, of = chooseCase(page, "patterns", names.map(pagesOf));
    const [pages, core] = of.controls, entries = entriesOf(page, of.core);
    return [el("div", {},
        page.runs.map((run) => sentence(page, run)),
        core, verdictBars(page, "An access, by the order of accesses", page.unit, entries) ??
            el("p", { class: "missing" }, "Measured, but no verdict was reached."),
        isOne ? [pages, rounds(page, page.runs[0], nameCase(of))] : null,
        reasons(page, "patterns", Object.values(TIMES).filter((name) => name !== shownTime(page))))];
}

export const patterns = { id: "patterns", title: "Access patterns", experiments: ["patterns"], render };
