/* walk: the time of an access by the order in which an array is walked through. */
import { bars } from "../bars.js";
import { chooseCase, describeCase, nameCase } from "../cases.js";
import { lineChart, seriesColor } from "../chart.js";
import { el } from "../dom.js";
import { TIME_UNITS, bytes, number } from "../format.js";
import { partsOf, wholeWalks } from "../memory.js";
import { howSure, reasons, scaled } from "../reasons.js";
import { casesOf, rowsOf, verdictOf } from "../run.js";

const NAMES = { linear: "in order", page: "within 2 MB", heap: "in wide strides", random: "at random" };
const TIMES = { ticks: "ticks_per_access", ns: "ns_per_access" };
const FASTEST = "linear", SLOWEST = "random";

const hasValue = (verdict) => Number.isFinite(verdict?.value);

/** Without the pattern: "2m-nopf". */
const pagesOf = (name) => name.slice(partsOf(name).pattern.length + 1);

/** The time of an access in the page's unit; that in nanoseconds stands in the file itself. */
function timeOf(page, run, name) {
    const verdict = verdictOf(run, "walk", name, TIMES[page.unit] ?? TIMES.ticks);
    return verdict && scaled(verdict, verdict.unit === page.unit ? 1 : TIME_UNITS[page.unit](run));
}

const sizeOf = (run, name) => rowsOf(run, "walk", name, "tsc").find((row) => row.bytes)?.bytes;
const walksOf = (run) => casesOf(run, "walk", "tsc").filter((name) => partsOf(name));

/* --- in words -------------------------------------------------------------------------------- */

/** Of the first pages in the file with which both were measured. */
function sentence(page, run) {
    const pages = walksOf(run).map(pagesOf).find((one) => [FASTEST, SLOWEST].every((pattern) =>
        hasValue(timeOf(page, run, `${pattern}-${one}`))));
    if (pages === undefined)
        return null;
    const names = [FASTEST, SLOWEST].map((pattern) => `${pattern}-${pages}`);
    const [fast, slow] = names.map((name) => timeOf(page, run, name));
    const times = verdictOf(run, "walk", names[1], "random_over_linear");
    const told = (verdict, unit) => [el("strong", {}, `${number(verdict.value, 3)} ${unit}`), howSure(verdict)];
    return el("p", { class: "answer" }, page.runs.length > 1 ? `${run.title}: ` : "",
        `An access of a walk through ${bytes(sizeOf(run, names[0]))} takes `, told(fast, page.unit),
        ` ${NAMES[FASTEST]} and `, told(slow, page.unit), ` ${NAMES[SLOWEST]}`,
        hasValue(times) ? [", ", told(times, "times"), " as long"] : null, `, with ${describeCase(pages)}.`);
}

/* --- as bars --------------------------------------------------------------------------------- */

/** One run: by pages, prefetchers off beside on. Several: by pages and pattern, run beside run. */
function rowsOfBars(page) {
    const isOne = page.runs.length === 1;
    const rows = page.runs.flatMap((run, i) => walksOf(run).map((name) => {
        const { pattern, page: size, rest } = partsOf(name), words = [NAMES[pattern] ?? pattern];
        const pages = isOne ? describeCase(size) : describeCase(pagesOf(name));
        const time = timeOf(page, run, name), isOff = /^-nopf/.test(rest);
        return time && {
            label: isOne ? [...words, describeCase(rest.slice(1))].filter(Boolean).join(", ") : run.title,
            group: isOne ? pages : `${pages}: ${words[0]}`, pattern,
            value: time.value, low: time.low, high: time.high, status: time.status, why: time.method,
            color: seriesColor(isOne ? Number(isOff) : i),
        };
    })).filter((row) => row && row.status !== "skip");
    const order = [...new Set(rows.map(({ group }) => group))], patterns = Object.keys(NAMES);
    return rows.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group) ||
        patterns.indexOf(a.pattern) - patterns.indexOf(b.pattern));
}

/* --- as curves ------------------------------------------------------------------------------- */

/** Of one run: each walk by itself shows what the mean hides. */
function rounds(page, run) {
    const names = walksOf(run).filter((name) => wholeWalks(rowsOf(run, "walk", name, "tsc")).length > 1);
    if (names.length === 0)
        return null;
    const of = chooseCase(page, "walk", names.map(pagesOf)), factor = TIME_UNITS[page.unit](run);
    const pages = nameCase(of);
    const series = names.filter((name) => pagesOf(name) === pages).map((name, i) => {
        const walks = wholeWalks(rowsOf(run, "walk", name, "tsc"));
        return { label: name, color: seriesColor(i),
            x: walks.map(({ x }) => x + 1), y: walks.map(({ y }) => y * factor) };
    });
    return [of.controls, lineChart({
        title: "Each whole walk by itself", height: 220, series,
        x: { label: "round", format: (round) => (Number.isInteger(round) ? String(round) : "") },
        y: { label: `${page.unit} for each access`, log: 10 },
    })];
}

function render(page) {
    const rows = rowsOfBars(page);
    if (rows.length === 0)
        return [];
    return [el("div", {},
        page.runs.map((run) => sentence(page, run)),
        bars({ title: "An access, by the order of accesses", unit: page.unit, rows }),
        page.runs.length === 1 ? rounds(page, page.runs[0]) : null, reasons(page, "walk", Object.values(TIMES)))];
}

export const walk = { id: "walk", title: "Access patterns", experiments: ["walk"], render };
