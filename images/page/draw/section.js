/* section: shows parts of the page as they are declared: sentences of verdicts, a chart with its marks, bars. */
import { wholeReasonOf } from "../data/advice.js";
import { labelOf } from "../data/figures.js";
import { comparedWith, figureText, isOfKind, publishedFor } from "../data/published.js";
import { inUnit, number, sharp, TIME_UNITS } from "../data/format.js";
import { casesOf, groupsOf, hasValue, rowsOf, valuesOf, verdictOf } from "../data/run.js";
import { NOTES } from "../data/words.js";
import { bars, valueText } from "./bars.js";
import { lineChart, runColor, seriesColor } from "./chart.js";
import { apart, chooseCase, statesOf, unique, whatIsLeftOut } from "./choices.js";
import { el, statusWord } from "./dom.js";

/**
 * A chart of an experiment's cases, one at a time, has a title, axes x and y (`isTime` false: its numbers are as in the
 * rows; else they are times), a key (with the section's id its anchor, and the names of its choices), and
 * @typedef {Object} ChartPart
 * @property {(rows: Object[], run: Object, name: string) => Object[]} lines  label, points, dash, and `hue`: the number of
 *     the series' colour in a page of one run
 * @property {(name: string) => boolean} [fits]  true if a case belongs here; by default if it has rows of `metric` ("tsc")
 * @property {string} [before]    the beginning of all its cases' names
 * @property {(names: string[]) => string[]} [cases], [order]  the names to choose among; they in order
 * @property {string[]} [says]    verdicts of the case that stand above the chart; the first one answers
 * @property {Object<string, string>} [marks], [levels]  verdicts that are places on x, or times, and their names there
 * @property {Object<string, number>} [on]  the number of the line that a mark is on, if it is not the first one
 * @property {(page: Object, states: Object[]) => Object} [more]  further members of the chart, and further marks
 */

/** Returns ", published 320 (Zen 4), one more here", or with the row's kind if the verdict counts another one; null: nothing is published. */
function publishedWords(page, run, verdict) {
    const row = publishedFor(page.published, run, verdict);
    return row ? el("span", { class: "published" }, [`, published ${figureText(row)}${isOfKind(row, verdict) ? "" : ` ${row.kind}`} (${row.uarch})`,
        comparedWith(row, verdict)].filter(Boolean).join(", ")) : null;
}

/** Returns "Reorder buffer: 321 entries (310 to 330) doubt, published 320 (Zen 4), one more here". */
export function verdictSaid(page, run, lead, found) {
    const verdict = inUnit(found, page.unit, run);
    return [lead ? `${lead}: ` : "", el(found.status === "ok" ? "strong" : "span", { class: "figure" }, valueText(verdict, verdict.unit)), " ",
        statusWord(verdict.status, found.method), publishedWords(page, run, found)];
}

/** Returns that as a sentence, and the reason if it is not ok. */
export const say = (page, run, lead, found) => (found === undefined ? null : el("p", { class: "answer" }, verdictSaid(page, run, lead, found),
    found.status === "ok" ? null : el("span", { class: "why" }, `: ${wholeReasonOf(found)}`)));

/** Returns points as a series; `factor` converts times to the page's unit; without `hasBand` only the line. */
export function seriesOf(points, factor, look, hasBand = true) {
    const column = (of) => points.map((point) => (point[of] ?? null) === null ? null : point[of] * factor);
    return { x: points.map(({ x }) => x), y: column("y"), notes: points.map(({ note }) => note), samples: points.map(({ samples }) => samples).filter(Number.isFinite),
        ...(hasBand && points.some(({ low }) => Number.isFinite(low)) ? { low: column("low"), high: column("high") } : {}), ...look };
}

/** Returns marks at a verdict's value, or at its low end if only that is known, and at a published figure of the same kind. */
export function markOf(page, run, verdict, at, words, color, format = number) {
    const row = verdict && publishedFor(page.published, run, verdict);
    const published = row && isOfKind(row, verdict) && row.value !== verdict.value ? publishedMarks(page, row, at, format) : [];
    if (!hasValue(verdict))
        return [...[["low", "at least"], ["high", "at most"]].filter(([end]) => Number.isFinite(verdict?.[end])).slice(0, 1)
            .map(([end, bound]) => ({ [at]: verdict[end], color, isDoubt: true, label: `${words} ${bound} ${format(verdict[end])}`.trim() })), ...published];
    const whole = inUnit(verdict, page.unit, run), shown = verdict.unit === "bytes" ? whole : sharp(whole);
    const isDoubt = verdict.status !== "ok", { value, low, high } = whole;
    return [{ [at]: value, low, high, color, isDoubt, label: `${words} ${format(shown.value)}${isDoubt ? ` (${verdict.status})` : ""}`.trim() }, ...published];
}

/** Returns a mark at a published figure, or at each end of its range, with a strip between them. */
export function publishedMarks(page, { value, low, high, uarch }, at, format) {
    const places = [...new Set([low, value, high].filter((place) => place !== null))], of = page.runs.length > 1 ? ` (${uarch})` : "";
    return places.map((place, i) => ({ [at]: place, isPublished: true, ...(i === 0 ? { low, high, label: `published ${format(place)}${of}` } :
        { label: place === high ? `to ${format(place)}` : format(place) }) }));
}

const BANDS_MAX = 2; // more of them hide each other
const DASHES = [undefined, [9, 3], [5, 3], [2, 3], [9, 3, 2, 3], [5, 3, 2, 3]]; // of a run's lines, which have its colour

/** Draws a part's chart of these states; `words` describes their case. */
export function chartOf(page, section, part, { words }, states) {
    const isOne = page.runs.length === 1, isTime = part.y.isTime !== false;
    const drawn = states.map((state) => ({ state, lines: part.lines(rowsOf(state.run, part.experiment, state.name), state.run, state.name) }));
    const single = drawn.every(({ lines }) => lines.length === 1), hasBands = drawn.flatMap(({ lines }) => lines).length <= BANDS_MAX;
    const colorOf = (state, line, lines) => seriesColor(isOne && line.hue !== undefined ? line.hue + (lines.length > 2 ? 0 : state.color) : state.color);
    const dashOf = (state, line, lines) => line.dash ?? state.dash ?? (isOne || lines.length < 3 ? undefined : DASHES[lines.indexOf(line)]);
    const labelOf = (state, line) => (!line.label || (single && states.length > 1) ? state.label :
        states.length > 1 ? `${state.label}, ${line.label}` : line.label);
    const series = drawn.map(({ state, lines }) => lines.map((line) => seriesOf(line.points, isTime ? TIME_UNITS[page.unit](state.run) : 1,
        { color: colorOf(state, line, lines), dash: dashOf(state, line, lines), label: labelOf(state, line) }, hasBands)));
    const time = (value) => `${number(value)} ${page.unit}`;
    const named = (names, at) => states.flatMap((state) => Object.entries(names ?? {}).flatMap(([name, words]) => {
        const on = series[states.indexOf(state)][part.on?.[name] ?? 0], verdict = verdictOf(state.run, part.experiment, state.name, name);
        return markOf(page, state.run, verdict, at, words, on.color, part[at].format ?? (at === "y" && isTime ? time : undefined)).map((one) => ({ on, ...one }));
    }));
    const { marks = [], ...more } = part.more?.(page, states) ?? {};
    const timed = { ...part.y, unit: page.unit, label: `${part.y.label}, ${page.unit}` };
    return lineChart(page, {
        id: `${section}-${part.key}`, title: [part.title, words].filter(Boolean).join(": "), runs: unique(states.map(({ run }) => run)),
        series: series.flat(), x: part.x, y: isTime ? timed : part.y,
        marks: [...named(part.marks, "x"), ...marks], levels: named(part.levels, "y"), ...more,
    });
}

/** Returns sentences of the verdicts, a chooser of cases, and the chart; [] if no run has such rows. */
function chartPart(page, section, part) {
    const before = part.before ?? "";
    const has = (run, name) => part.lines(rowsOf(run, part.experiment, name), run, name).some(({ points }) => points.length > 1);
    const names = page.runs.flatMap((run) => {
        const own = casesOf(run, part.experiment, part.metric ?? "tsc").filter((name) => name.startsWith(before) && (part.fits?.(name) ?? true));
        return (part.cases?.(own) ?? own).filter((name) => has(run, name));
    }).map((name) => name.slice(before.length));
    if (names.length === 0)
        return [];
    const of = chooseCase(page, `${section}-${part.key}`, part.order?.(names) ?? names);
    const states = statesOf(page, { ...of, plain: before + of.plain }, has);
    return chartCell([states.map((state) => sayings(page, part, state)), of.controls], chartOf(page, section, part, of, states), whatIsLeftOut(page));
}

/** Returns a chart with the text above it; two of these are side by side if there is room. */
export const chartCell = (text, chart, more) => el("div", { class: "cell" }, el("div", {}, text), chart, more);

/** Returns the first verdict as the answer, and the others, which say something else, below it in small print. */
export function sayings(page, part, state) {
    const all = (part.says ?? []).map((name) => verdictOf(state.run, part.experiment, state.name, name)).filter(Boolean);
    const isNone = (one) => [one.value, one.low, one.high].every((number) => number === null);
    const [first, ...others] = all.filter((one, i) => i === 0 || !isNone(one))
        .map((verdict) => say(page, state.run, [labelOf(verdict.name), ...apart(page, state)].join(", "), verdict));
    const none = all.slice(1).filter(isNone).map(({ name }) => labelOf(name));
    return first === undefined ? null : [first, others.length + none.length > 0 ? el("div", { class: "beside" }, others,
        none.length > 0 ? el("p", { class: "why" }, `Not known: ${none.join("; ")}.`) : null) : null];
}

/** Draws verdicts as bars, a chart for each unit (`shown` in its place); the values of several runs are neighbours. */
export function verdictBars(page, title, entries, shown) {
    const isOne = page.runs.length === 1, groupOf = ({ label, group }) => (group && !isOne ? `${group}: ${label}` : isOne ? group : label);
    const row = (entry) => ({ ...entry.verdict, title: `${entry.verdict.case} ${entry.verdict.name}: ${entry.verdict.method}`,
        label: `${isOne ? entry.label : entry.run.title}${entry.more ?? ""}`, group: groupOf(entry), color: isOne ? seriesColor(entry.color ?? 0) : runColor(entry.run) });
    const inGroups = isOne ? entries : groupsOf(entries, groupOf).flatMap(([, own]) => own);
    return groupsOf(inGroups, ({ verdict }) => verdict.unit).map(([unit, own]) => bars({ title, unit: shown ?? unit, rows: own.map(row) }));
}

export const entriesOf = (page, experiment, names, labelOf) => page.runs.flatMap((run) => valuesOf(run, experiment, ...names)
    .map((one) => ({ run, verdict: inUnit(one, page.unit, run), label: labelOf(one) })));

/** Returns what words.csv says of a section. */
export const noteOf = (key) => el("p", { class: "note" }, NOTES.get(key));

/** Returns a section of the page; a part is declared (ChartPart), or a function that makes its elements itself. */
export function sectionOf({ id, title, experiments, parts }) {
    const render = (page) => {
        const elements = parts.map((part) => (typeof part === "function" ? part(page) : chartPart(page, id, part))).flat(Infinity).filter(Boolean);
        return elements.length > 0 ? [el("div", { class: "cells" }, elements)] : [];
    };
    return { id, title, experiments, render };
}
