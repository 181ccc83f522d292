/* timeline: what is under way in each cycle of one probe, and what has happened until then, by counters. */
import { readCase } from "../cases.js";
import { lineChart, runColor, seriesColor } from "../chart.js";
import { chooser, el } from "../dom.js";
import { number } from "../format.js";
import { casesOf, verdictOf } from "../run.js";
import { told } from "../say.js";
import { EVENTS, rises, spansOf, startOf } from "../spans.js";

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

/** A line for each event of this kind, of one case. */
function linesOf(run, name, isLevel) {
    const zero = zeroOf(run, name) ?? 0;
    const dash = readCase(name).isShared ? [5, 4] : undefined;
    const spans = spansOf(rowsOfCase(run, name));
    return Object.keys(EVENTS).filter((key) => spans.has(key) && Boolean(EVENTS[key].level) === isLevel)
        .map((key) => {
            const { words } = EVENTS[key], points = spans.get(key), at = isLevel ? rises(points) : points;
            return {
                label: words, dash, x: at.map(({ x }) => x - zero),
                ...(isLevel ? { y: at.map(({ y }) => y) } : {
                    y: at.map(({ row }) => row.median), low: at.map(({ row }) => row.p10), high: at.map(({ row }) => row.p90),
                }),
            };
        });
}

function marksOf(run, name) {
    return [["walk_start", "first page walk"], ["retirement_resumes", "first load retires"]].flatMap(([verdict, words]) => {
        const found = verdictOf(run, "timeline", name, verdict);
        return Number.isFinite(found?.value) ?
            [{ x: found.value, label: `${words}: ${number(found.value)} (${found.status})` }] : [];
    });
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
        x: { label: hasZero ? "core cycles from cycle 0" : "core cycles since the counters were started", min: from, max: to },
    });
}

function rangeOf(lines) {
    const x = lines.flatMap((line) => line.x);
    return { from: Math.min(...x), to: Math.max(...x) };
}

const LEVELS = "In flight in each cycle", COUNTS = "Counted until each cycle";

const ZERO = "In cycle 0 the first of the additions retires that stand in place of the loads in case additions.";

/** What follows the loads, or the additions, is not what the chart is about. */
function mostOf(run, name) {
    const { n, k } = rowsOfCase(run, name).find((row) => row.metric === "tsc");
    return 1.5 * ((n ?? 0) + (k ?? 0)) || Infinity;
}

/** All events of one case of one run. */
function chartsOfOne(run, name) {
    const hasZero = zeroOf(run, name) !== null, marks = hasZero ? marksOf(run, name) : [];
    const levels = linesOf(run, name, true), counts = linesOf(run, name, false);
    const frame = { hasZero, marks, ...rangeOf([...levels, ...counts]) };
    return [chart(LEVELS, "in flight", levels, frame),
        chart(COUNTS, "times, median", counts, { ...frame, most: mostOf(run, name) })];
}

/** One event, a line for each run. */
function chartOfEach(page, runs, name) {
    const lines = runs.flatMap((run) => [true, false].flatMap((isLevel) =>
        linesOf(run, name, isLevel).map((line) => ({ ...line, isLevel, words: line.label, label: `${run.title} ${name}`, color: runColor(run) }))));
    const words = [...new Set(lines.map((line) => line.words))], { chosen, element } = choice(page, "event", "counted", words);
    const shown = lines.filter((line) => line.words === chosen);
    return [element, chart(`${shown[0].isLevel ? LEVELS : COUNTS}: ${chosen}`, chosen, shown, {
        hasZero: runs.every((run) => zeroOf(run, name) !== null), ...rangeOf(shown),
        most: shown[0].isLevel ? Infinity : Math.max(...runs.map((run) => mostOf(run, name))),
    })];
}

function choice(page, key, label, all) {
    const state = page.choices.timeline ??= {}, chosen = all.includes(state[key]) ? state[key] : all[0];
    return {
        chosen,
        element: all.length < 2 ? null : chooser(label, all, chosen, (one) => {
            state[key] = one;
            page.redraw();
        }),
    };
}

/** "The first load retires in cycle 149.5 ok. ", or why that is not known. */
function said(run, name, verdict, before, behind = "") {
    const found = verdictOf(run, "timeline", name, verdict);
    if (!Number.isFinite(found?.value))
        return found ? `${before} what is not known: ${found.method}. ` : "";
    return [`${before} `, told(`${number(found.value)}${behind}`, found), ". "];
}

function sentence(page, run, name) {
    const of = page.runs.length > 1 ? `${run.title}: ` : "";
    if (isControl(name))
        return [of, said(run, name, "resolution", "In each cycle one addition retires here. As counted, any is off its cycle by at most")];
    const loads = rowsOfCase(run, name).find((row) => row.n > 0)?.n;
    const misses = linesOf(run, name, true).find((line) => line.label === EVENTS.l1d_pend_miss_pending.words);
    const walk = verdictOf(run, "timeline", name, "walk_start");
    return [`${of}${number(loads)} loads from memory side by side. `,
        misses ? ["At most ", el("strong", {}, `${number(Math.max(...misses.y), 3)} misses`), " were in flight in a cycle. "] : [],
        said(run, name, "misses_issued_in", "From the first miss to the last it took", " cycles"),
        walk?.status === "skip" ? "No page walk was counted. " : said(run, name, "walk_start", "The first page walk starts in cycle"),
        said(run, name, "retirement_resumes", "The first load retires in cycle")];
}

/** Nothing was counted: who has not counted, and why. */
function missing(page) {
    const skipped = page.runs.flatMap((run) => run.rows.filter((row) =>
        row.experiment === "timeline" && row.metric === "skipped").slice(0, 1));
    return skipped.map((row) => el("p", { class: "missing" }, `not measured: it needs performance counters; ${row.unit}`));
}

function render(page) {
    const runs = page.runs.filter((run) => namesOf(run).length > 0);
    if (runs.length === 0)
        return missing(page);
    const all = [...new Set(runs.flatMap(namesOf))], { chosen, element } = choice(page, "name", "case", all);
    const having = runs.filter((run) => namesOf(run).includes(chosen));
    return [
        having.map((run) => el("p", { class: "answer" }, sentence(page, run, chosen))), element,
        el("p", { class: "note" }, ZERO), page.runs.length > 1 ? chartOfEach(page, having, chosen) : chartsOfOne(having[0], chosen),
    ].flat(Infinity).filter(Boolean);
}

export const timeline = { id: "timeline", title: "Timeline", experiments: ["timeline"], render };
