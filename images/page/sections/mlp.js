/* mlp: the time of N loads side by side, and from which N on it is that of two in turn. */
import { hasWord, readCase } from "../data/cases.js";
import { apart, choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { color, lineChart, seriesColor } from "../draw/chart.js";
import { LEVELS, lineAt, overN } from "../curves/curves.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS } from "../data/format.js";
import { limitOf, occupancyOf, thresholdsOf } from "../curves/overlap.js";
import { casesOf, rowsOf, verdictOf } from "../data/run.js";
import { convert, say, sayShort } from "../draw/say.js";

const LEAST_POINTS = 2;
const LEVELS_MAX = 2;   // runs whose levels and marks are drawn; of more of them, lines alone

const MEAN = { label: "mean", level: LEVELS.mean };
const FASTEST = { label: "fastest hundredth", level: LEVELS.fastest, dash: [6, 3] };

/*
 * What there is to see of a case, by what it does; the first that fits counts. `said`: verdicts and the words
 * before them; `levels` and `marks`: verdicts that are times, and numbers of loads.
 */
const KINDS = [
    {
        fits: (name) => hasWord(name, "dependent"),
        title: "A chain of N loads", axis: "N loads in a chain",
        note: "Each load of a chain waits for the one before: their time is a straight line over N.",
        said: { sequential_slope: "Each load of a chain adds" },
        curves: [MEAN], levels: {}, marks: {}, line: ["sequential_slope", "sequential_constant"],
    },
    {
        fits: (name) => hasWord(name, "prefetch", "store", "nt"),
        title: "N accesses side by side", axis: "N accesses",
        note: "The fastest samples jump where one access more has to wait for a buffer.",
        said: { fill_buffers: "Buffers for these accesses", mlp_sustained: "Sustained" },
        curves: [MEAN, FASTEST], levels: { one_access: "one access" }, marks: { fill_buffers: "buffers" },
    },
    {
        fits: () => true,
        title: "N loads side by side", axis: "N loads",
        note: "MLP is the last N whose mean time is below the limit: 97 % of the mean of two loads in turn. The fastest " +
            "samples jump where one load more has to wait for a fill buffer.",
        said: { mlp: "Loads that one core overlaps (MLP)", fill_buffers: "Fill buffers", mlp_sustained: "Sustained",
            mlp_counted: "Counted, on average while a miss is under way",
            fill_buffers_seen: "Counted, most at once" },
        curves: [MEAN, FASTEST], levels: { one_load: "one load", two_sequential: "two in turn" },
        marks: { mlp: "MLP", fill_buffers: "fill buffers" }, hasLimit: true,
    },
];

const pointsOf = (run, name) => overN(rowsOf(run, "mlp", name, "tsc"));

/** A verdict with a value, its times in the page's unit; undefined where there is none. */
function known(page, state, name) {
    const verdict = verdictOf(state.run, "mlp", state.name, name);
    return Number.isFinite(verdict?.value) ? convert(verdict, TIME_UNITS[page.unit](state.run), page.unit) : undefined;
}

function limit(page, state) {
    const cliff = verdictOf(state.run, "mlp", state.name, "rob_cliff_k")?.value;
    const ticks = cliff ? limitOf(rowsOf(state.run, "mlp", state.name, "tsc"), readCase(state.name).isShared, cliff) : null;
    return ticks === null ? [] : [{ y: ticks * TIME_UNITS[page.unit](state.run), dash: [2, 3], label: "limit" }];
}

function curvesOf(page, kind, state) {
    const points = pointsOf(state.run, state.name), factor = TIME_UNITS[page.unit](state.run);
    const x = points.map((row) => row.n);
    return kind.curves.map(({ label, level, dash }) => ({
        label: `${state.label} ${label}`, color: seriesColor(state.color), dash,
        x, y: points.map((row) => level(row) * factor),
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

/** Verdicts of a list as marks or levels: `at` is the coordinate's name. */
function drawn(page, state, list, at) {
    return Object.entries(list).flatMap(([name, label]) => {
        const verdict = known(page, state, name);
        return verdict === undefined ? [] : [{ [at]: verdict.value, low: verdict.low, high: verdict.high,
            label: at === "x" ? `${label} ${verdict.value}` : label, color: seriesColor(state.color),
            from: name === "two_sequential" ? 1 : undefined }]; // its name stands where the curves are far below
    });
}

function timeChart(page, kind, words, states) {
    const few = states.length <= LEVELS_MAX ? states : [];
    return lineChart({
        title: `${kind.title}: ${words}`, x: { label: kind.axis }, y: { label: page.unit, min: 0 },
        series: states.flatMap((state) => [...curvesOf(page, kind, state), ...fittedLine(page, kind, state)]),
        levels: few.flatMap((state) => [...(kind.hasLimit ? limit(page, state) : []),
            ...drawn(page, state, kind.levels, "y")]), // names are written over what is there already
        marks: few.flatMap((state) => drawn(page, state, kind.marks, "x")),
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
            occupancyOf, { levels: few.flatMap((state) => drawn(page, state, { fill_buffers_seen: "most at once" }, "y")) }),
        countedChart(page, states, "Counted: cycles with at least so many misses under way", "misses", "core cycles",
            thresholdsOf, { marks: few.flatMap((state) => drawn(page, state, { fill_buffers_seen: "most at once" }, "x")) }),
    ].filter((chart) => chart !== null);
    return charts.length === 0 ? null : el("div", { class: "pair" }, charts);
}

/* --------------------------------------------------------------------------------------------- */

function answers(page, kind, state) {
    const said = Object.entries(kind.said).map(([name, lead]) => [lead,
        convert(verdictOf(state.run, "mlp", state.name, name), TIME_UNITS[page.unit](state.run), page.unit)]);
    return page.runs.length > 1 ? sayShort(apart(page, state).join(", "), said) :
        said.map(([lead, verdict]) => say([lead, ...apart(page, state)].join(", "), verdict));
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
        el("p", { class: "note" }, kind.note),
        of.controls, core.control,
        timeChart(page, kind, of.words, states), counted(page, states), whatIsLeftOut(page),
    )];
}

export const mlp = { id: "mlp", title: "Memory-level parallelism", experiments: ["mlp"], render };
