/* timeline: what is under way in each cycle of one probe, and what has happened until then, by counters. */
import { describeCase, readCase } from "../data/cases.js";
import { choose } from "../draw/choices.js";
import { lineChart, runColor, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { number } from "../data/format.js";
import { casesOf, hasValue, verdictOf } from "../data/run.js";
import { told } from "../draw/say.js";
import { EVENTS, rises, spansOf, startOf } from "../curves/spans.js";

const ADDITIONS = "additions";

function rowsOfCase(run, name) {
    return run.byCase.get("timeline").get(name);
}

function isControl(name) {
    return name.startsWith(ADDITIONS);
}

/** Cases in which something was counted, the control last. */
function namesOf(run) {
    const names = casesOf(run, "timeline", "tsc").filter((name) => spansOf(rowsOfCase(run, name)).size > 0);
    return [...names.filter((name) => !isControl(name)), ...names.filter(isControl)];
}

/** In which cycle of the counters the control's first addition retires; null: not known. */
function zeroOf(run, name) {
    const control = namesOf(run).find((one) => isControl(one) && readCase(one).core === readCase(name).core);
    return control ? startOf(rowsOfCase(run, control)) : null;
}

/** A line for each event of this kind, of one case; `zero`: the cycle of the counters that is called 0. */
function linesOf(run, name, isLevel, zero = 0) {
    const dash = readCase(name).isShared ? [5, 4] : undefined, spans = spansOf(rowsOfCase(run, name));
    const keys = Object.keys(EVENTS).filter((key) => spans.has(key) && Boolean(EVENTS[key].level) === isLevel);
    return keys.map((key) => {
        const points = spans.get(key), at = isLevel ? rises(points) : points;
        const counts = isLevel ? { y: at.map(({ y }) => y) } : {
            y: at.map(({ row }) => row.median),
            low: at.map(({ row }) => row.p10), high: at.map(({ row }) => row.p90),
        };
        return { label: EVENTS[key].words, dash, x: at.map(({ x }) => x - zero), ...counts };
    });
}

const MARKS = { walk_start: "first page walk", retirement_resumes: "first load retires" };

function marksOf(run, name) {
    return Object.entries(MARKS).map(([verdict, words]) => [verdictOf(run, "timeline", name, verdict), words])
        .filter(([found]) => hasValue(found))
        .map(([{ value, status }, words]) => ({ x: value, label: `${words}: ${number(value)} (${status})` }));
}

/**
 * @param {string} what  on the axis of counts
 * @param {Object[]} series
 * @param {{hasZero: boolean, marks?: Object[], most?: number, from: number, to: number}} frame  most: no
 *     count beyond it is of interest; from, to: cycles
 */
function chart(title, what, series, { hasZero, marks = [], most = Infinity, from, to }) {
    const lines = series.filter(({ x }) => x.length > 1).map((one, i) => ({ color: seriesColor(i), ...one }));
    const highest = Math.max(1, ...lines.flatMap(({ y, high }) => high ?? y));
    return lines.length === 0 ? null : lineChart({
        title, marks, series: lines, y: { label: what, min: 0, max: 1.2 * Math.min(highest, most) },
        x: { label: `core cycles ${hasZero ? "from cycle 0" : "since the counters were started"}`, min: from, max: to },
    });
}

function rangeOf(lines) {
    const x = lines.flatMap((line) => line.x);
    return { from: Math.min(...x), to: Math.max(...x) };
}

const LEVELS = "In flight in each cycle", COUNTS = "Counted until each cycle";

const ZERO = "In cycle 0 the first of the additions retires that stand in place of the loads in case additions.";

function aboutZero() {
    return el("p", { class: "note" }, ZERO);
}

/** What follows the loads, or the additions, is not what the chart is about. */
function mostOf(run, name) {
    const { n, k } = rowsOfCase(run, name).find((row) => row.metric === "tsc");
    return 1.5 * ((n ?? 0) + (k ?? 0)) || Infinity;
}

/** All events of one case of one run. */
function chartsOfOne(run, name) {
    const zero = zeroOf(run, name), hasZero = zero !== null, marks = hasZero ? marksOf(run, name) : [];
    const [levels, counts] = [true, false].map((isLevel) => linesOf(run, name, isLevel, zero ?? 0));
    const frame = { hasZero, marks, ...rangeOf([...levels, ...counts]) };
    return [
        hasZero ? aboutZero() : null, chart(`${LEVELS}: ${describeCase(name)}`, "in flight", levels, frame),
        chart(`${COUNTS}: ${describeCase(name)}`, "times, median", counts, { ...frame, most: mostOf(run, name) }),
    ];
}

/** One event, a line for each run; from cycle 0 where it is known of all of them. */
function chartOfEach(page, runs, name) {
    const zeroes = runs.map((run) => zeroOf(run, name)), hasZero = !zeroes.includes(null);
    const lines = runs.flatMap((run, i) => [true, false].flatMap((isLevel) =>
        linesOf(run, name, isLevel, hasZero ? zeroes[i] : 0).map((line) => ({
            ...line, isLevel, words: line.label, label: `${run.title}, ${describeCase(name)}`, color: runColor(run),
        }))));
    const words = choose(page, "timeline", "event", "counted", [...new Set(lines.map((line) => line.words))]);
    const shown = lines.filter((line) => line.words === words.value), { isLevel } = shown[0];
    return [
        words.control, hasZero ? aboutZero() : null,
        chart(`${isLevel ? LEVELS : COUNTS}: ${words.value}`, words.value, shown, {
            hasZero, ...rangeOf(shown),
            most: isLevel ? Infinity : Math.max(...runs.map((run) => mostOf(run, name))),
        }),
    ];
}

// What is said before and behind a verdict's value; and what is not known where there is none.
const SAYINGS = {
    misses_issued_in: {
        before: "From the first miss to the last it took", behind: " cycles", what: "How long the misses took",
    },
    walk_start: { before: "The first page walk starts in cycle", behind: "", what: "When the first page walk starts" },
    retirement_resumes: { before: "The first load retires in cycle", behind: "", what: "When the first load retires" },
    resolution: {
        before: "One addition retires in each cycle here. As counted, any is off its own by at most",
        behind: " cycles", what: "How far additions are counted off their cycles",
    },
};

function said(run, name, verdict) {
    const found = verdictOf(run, "timeline", name, verdict), { before, behind, what } = SAYINGS[verdict];
    if (!hasValue(found))
        return found ? `${what} is not known: ${found.method}. ` : "";
    return [`${before} `, told(`${number(found.value)}${behind}`, found), ". "];
}

function sentence(page, run, name) {
    const of = page.runs.length > 1 ? `${run.title}: ` : "";
    if (isControl(name))
        return [of, said(run, name, "resolution")];
    const loads = rowsOfCase(run, name).find((row) => row.n > 0)?.n;
    const misses = linesOf(run, name, true).find((line) => line.label === EVENTS.l1d_pend_miss_pending.words);
    const most = misses ? `${number(Math.max(...misses.y), 3)} misses` : "";
    const hasWalk = verdictOf(run, "timeline", name, "walk_start")?.status !== "skip";
    return [
        `${of}${number(loads)} loads from memory side by side. `,
        misses ? ["At most ", el("strong", {}, most), " were in flight in a cycle. "] : [],
        said(run, name, "misses_issued_in"), hasWalk ? said(run, name, "walk_start") : "No page walk was counted. ",
        said(run, name, "retirement_resumes"),
    ];
}

/** Nothing was counted: who has not counted, and why. */
function missing(page) {
    const skipped = page.runs.flatMap((run) => run.rows.filter((row) =>
        row.experiment === "timeline" && row.metric === "skipped").slice(0, 1));
    return skipped.map((row) =>
        el("p", { class: "missing" }, `not measured: it needs performance counters; ${row.unit}`));
}

function render(page) {
    const runs = page.runs.filter((run) => namesOf(run).length > 0);
    if (runs.length === 0)
        return missing(page);
    const { value: name, control } = choose(page, "timeline", "name", "case", [...new Set(runs.flatMap(namesOf))], describeCase);
    const having = runs.filter((run) => namesOf(run).includes(name));
    return [
        having.map((run) => el("p", { class: "answer" }, sentence(page, run, name))), control,
        page.runs.length > 1 ? chartOfEach(page, having, name) : chartsOfOne(having[0], name),
    ].flat(Infinity).filter(Boolean);
}

export const timeline = { id: "timeline", title: "Timeline", experiments: ["timeline"], render };
