/* mlp: the time of N loads side by side, and from which N on it is that of two in turn. */
import { valueText } from "../draw/bars.js";
import { hasWord, nameCase, readCase } from "../data/cases.js";
import { apart, choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { color, lineChart, seriesColor } from "../draw/chart.js";
import { LEVELS, lineAt, overN } from "../curves/curves.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, inUnit, number } from "../data/format.js";
import { limitOf, occupancyOf, thresholdsOf } from "../curves/overlap.js";
import { casesOf, hasValue, rowsOf, verdictOf } from "../data/run.js";
import { say, sayShort } from "../draw/say.js";

const LEAST_POINTS = 2;
const LEVELS_MAX = 2;   // runs whose levels and marks are drawn; of more of them, lines alone

const MEAN = { label: "mean", level: LEVELS.mean };
const FASTEST = { label: "fastest hundredth", level: LEVELS.fastest, dash: [6, 3], other: 2 };

/*
 * What there is to see of a case, by what it does; the first that fits counts. `said`: verdicts and the words
 * before them (those behind the first ones are for one run alone), of which the first answers; `levels` and
 * `marks`: verdicts that are times, and numbers of loads, and which of the curves shows them. `other`, of a
 * curve: which of the series' colours it has where there is one run.
 */
const KINDS = [
    {
        fits: (name) => hasWord(name, "dependent"),
        title: "A chain of N loads", axis: "N loads in a chain",
        note: "Each load of a chain waits for the one before: their time is a straight line over N.",
        said: { sequential_slope: ["Each load of a chain adds"] },
        curves: [MEAN], levels: {}, marks: {}, line: ["sequential_slope", "sequential_constant"],
    },
    {
        fits: (name) => hasWord(name, "prefetch", "store", "nt"),
        title: "N accesses side by side", axis: "N accesses",
        note: "The fastest samples jump where one access more has to wait for a buffer.",
        said: { fill_buffers: ["Buffers for these accesses"], mlp_sustained: ["Sustained"] },
        curves: [MEAN, FASTEST], levels: { one_access: "one access" }, marks: { fill_buffers: ["buffers", FASTEST] },
    },
    {
        fits: () => true,
        title: "N loads side by side", axis: "N loads",
        note: "MLP is the last N whose mean time is below the limit: 97 % of the mean time of two loads in turn.",
        said: {
            mlp: ["Loads that one core overlaps (MLP)"],
            fill_buffers: ["Fill buffers", ", where the fastest samples jump since one load more has to wait for a place"],
            mlp_sustained: ["Sustained", ", under way on average when far more loads follow each other"],
            mlp_counted: ["Counted, on average while a miss is under way"],
            fill_buffers_seen: ["Counted, most at once"],
        },
        curves: [MEAN, FASTEST], levels: {}, marks: { mlp: ["MLP", MEAN], fill_buffers: ["fill buffers", FASTEST] },
        hasLimit: true,
    },
];

const pointsOf = (run, name) => overN(rowsOf(run, "mlp", name, "tsc"));

/** A verdict with a value, its times in the page's unit; undefined where there is none. */
function known(page, state, name) {
    const verdict = verdictOf(state.run, "mlp", state.name, name);
    return hasValue(verdict) ? inUnit(verdict, page.unit, state.run) : undefined;
}

/** In ticks; null: not known. */
function limitOfState({ run, name }) {
    const cliff = verdictOf(run, "mlp", name, "rob_cliff_k")?.value;
    return cliff ? limitOf(rowsOf(run, "mlp", name, "tsc"), cliff) : null;
}

function limit(page, state) {
    const ticks = limitOfState(state);
    return ticks === null ? [] : [{ y: ticks * TIME_UNITS[page.unit](state.run), dash: [2, 3],
        color: page.runs.length > 1 ? seriesColor(state.color) : color("text"), label: "limit" }];
}

/** The rule with its numbers: means on both sides of the limit. Verdicts that are medians are lower. */
function limitSaid(page, state) {
    const last = verdictOf(state.run, "mlp", state.name, "mlp")?.value, ticks = limitOfState(state);
    const points = pointsOf(state.run, state.name);
    const [below, beyond] = [last, last + 1].map((n) => points.find((row) => row.n === n));
    if (ticks === null || !below || !beyond)
        return "";
    const show = (value) => `${number(value * TIME_UNITS[page.unit](state.run))} ${page.unit}`;
    const median = known(page, state, "two_sequential");
    return ` Here the limit is ${show(ticks)}: ${last} loads take ${show(below.mean)}, ${last + 1} take ` +
        `${show(beyond.mean)}.${median ? ` (The verdict on two in turn, ${number(median.value, 3)} ${page.unit}, is ` +
        "their median, which slow samples do not raise.)" : ""}`;
}

const curveColor = (page, state, { other }) =>
    seriesColor(page.runs.length === 1 && other !== undefined ? other : state.color);

function curvesOf(page, kind, state) {
    const points = pointsOf(state.run, state.name), factor = TIME_UNITS[page.unit](state.run);
    const x = points.map((row) => row.n);
    return kind.curves.map((curve) => ({
        label: `${state.label}, ${curve.label}`, color: curveColor(page, state, curve), dash: curve.dash,
        x, y: points.map((row) => curve.level(row) * factor),
    }));
}

function fittedLine(page, kind, state) {
    const [slope, offset] = (kind.line ?? []).map((name) => known(page, state, name)?.value);
    const x = pointsOf(state.run, state.name).map((row) => row.n);
    return slope === undefined || offset === undefined ? [] : [{
        label: "fitted", color: color("text"), dash: [2, 3], fitted: true,
        x, y: x.map((n) => lineAt({ slope, offset }, n)),
    }];
}

/** A verdict as a mark or level: `at` is the coordinate's name. */
function drawn(page, state, at, name, label, lineColor = seriesColor(state.color)) {
    const verdict = known(page, state, name);
    return verdict === undefined ? [] : [{ [at]: verdict.value, low: verdict.low, high: verdict.high,
        label: at === "x" ? `${label} ${verdict.value}` : label, color: lineColor }];
}

function timeChart(page, kind, words, states) {
    const few = states.length <= LEVELS_MAX ? states : [];
    return lineChart({
        title: `${kind.title}: ${words}`, x: { label: kind.axis }, y: { label: page.unit, min: 0 },
        series: states.flatMap((state) => [...curvesOf(page, kind, state), ...fittedLine(page, kind, state)]),
        levels: few.flatMap((state) => [...(kind.hasLimit ? limit(page, state) : []),
            ...Object.entries(kind.levels).flatMap(([name, label]) => drawn(page, state, "y", name, label))]),
        marks: few.flatMap((state) => Object.entries(kind.marks).flatMap(([name, [label, curve]]) =>
            drawn(page, state, "x", name, label, curveColor(page, state, curve)))),
    });
}

/* --- what was counted ------------------------------------------------------------------------ */

function countedChart(page, states, title, axis, unit, of, level) {
    const series = states.map((state) => ({
        label: state.label, color: seriesColor(state.color), ...of(state.run.byCase.get("mlp").get(state.name)),
    })).filter((one) => one.x.length > 0);
    return series.length === 0 ? null : lineChart({
        title, x: { label: axis }, y: { label: unit, min: 0 }, series, height: 200, ...level,
    });
}

function counted(page, states) {
    const few = states.length <= LEVELS_MAX ? states : [];
    const charts = [
        countedChart(page, states, "Counted: misses under way, on average while there is one", "N loads", "misses",
            occupancyOf, { levels: few.flatMap((state) => drawn(page, state, "y", "fill_buffers_seen", "most at once")) }),
        countedChart(page, states, "Counted: cycles with at least so many misses under way", "misses", "core cycles",
            thresholdsOf, { marks: few.flatMap((state) => drawn(page, state, "x", "fill_buffers_seen", "most at once")) }),
    ].filter((chart) => chart !== null);
    return charts.length === 0 ? null : el("div", { class: "pair" }, charts);
}

/* --------------------------------------------------------------------------------------------- */

/** The first verdict answers; the others, which count something else, stand below it. */
function answers(page, kind, state) {
    const isOne = page.runs.length === 1;
    const said = Object.entries(kind.said).map(([name, [lead, more = ""]]) => [isOne ? lead + more : lead,
        inUnit(verdictOf(state.run, "mlp", state.name, name), page.unit, state.run)]);
    if (!isOne)
        return sayShort(apart(page, state).join(", "), said);
    const [first, ...others] = said.filter(([, verdict]) => verdict !== undefined);
    return first === undefined ? [] : [
        say([first[0], ...apart(page, state)].join(", "), first[1]),
        el("div", { class: "beside" }, others.map(([words, verdict]) => say(words, verdict)), loadsThatHit(kind, state)),
    ];
}

/** Another number of loads, which one might take for the same. */
function loadsThatHit(kind, { run, name }) {
    const { core, isShared } = readCase(name);
    const found = verdictOf(run, "structures", nameCase({ plain: "load", core, isShared }), "loads_in_flight");
    return !kind.hasLimit || !Number.isFinite(found?.value ?? found?.low ?? NaN) ? null : el("div", { class: "answer" },
        "None of these are loads that hit a cache: of those it keeps ", el("strong", {}, valueText(found, "")),
        " under way (loads in flight, above).");
}

function render(page) {
    const casesOfRun = (run) => casesOf(run, "mlp", "tsc").filter((name) => pointsOf(run, name).length >= LEAST_POINTS);
    const names = page.runs.flatMap(casesOfRun);
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "mlp", names);
    const all = statesOf(page, of, (run, name) => casesOfRun(run).includes(name));
    const isShared = ({ name }) => readCase(name).isShared;
    const core = choose(page, "mlp", "state", "the core was",
        [all.every(isShared) ? null : "whole", all.some(isShared) ? "shared" : null].filter((word) => word !== null));
    const states = all.filter((state) => isShared(state) === (core.value === "shared"));
    const kind = KINDS.find(({ fits }) => fits(of.plain));
    return [el("div", {},
        states.map((state) => answers(page, kind, state)),
        el("p", { class: "note" }, kind.note, kind.hasLimit && page.runs.length === 1 ? states.map((state) => limitSaid(page, state)) : ""),
        of.controls, core.control,
        timeChart(page, kind, of.words, states), counted(page, states), whatIsLeftOut(page),
    )];
}

export const mlp = { id: "mlp", title: "Memory-level parallelism", experiments: ["mlp"], render };
