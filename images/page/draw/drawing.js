/* drawing: a chart as SVG: axes, bands, lines, and marks with their names in a lane above the plot. Colours come from the page's style. */
import { area, line } from "d3-shape";
import { svg } from "./dom.js";
import { number } from "../data/format.js";
import { rangeOf, scaleOf, ticksOf } from "./axes.js";
import { LETTER, laneOf, linesOf } from "./labels.js";

const SMALL = 180, LEAST = 240, MOST = 320; // pixels: heights without the lane; half of the width is between the last two
const ABOVE = 24, BELOW = 40, RIGHT = 22; // the plot: the name of y, the ticks and the first line of x's name
const CHARACTER = 6.3;                  // the mean width of one, in these sizes of type
const BETWEEN = 14, TICK_HEIGHT = 34, LOG_TICK_HEIGHT = 24; // ticks of x, and of y
const BAND_MOST = 1.6;                  // times the highest value: a band beyond it is cut
const ROW = 15, NAMES_MOST = 9;         // of names; those of further marks would make the lane too high

const isIn = (x, view) => !view || (x >= view[0] && x <= view[1]);

/** Returns the values that y has to show: lines, and bands as far as they do not squeeze the lines. */
function valuesOf({ series, levels = [], dots = [] }, view) {
    const lines = series.flatMap((one) => one.y.filter((_, i) => isIn(one.x[i], view)));
    const most = BAND_MOST * lines.filter(Number.isFinite).reduce((a, b) => Math.max(a, b), -Infinity);
    const ends = series.flatMap((one) => [...one.low ?? [], ...one.high ?? []].filter((y, i, all) =>
        y <= most && isIn(one.x[i % (all.length / 2)], view)));
    return [...lines, ...ends, ...dots.map(({ y }) => y), ...view ? [] : levels.map(({ y }) => y)];
}

const ends = ({ from, to }, { x, left, right }) => [from === undefined ? left : Math.max(left, x(from)),
    to === undefined ? right : Math.min(right, x(to))];

/** True if a level is only of some x: its name is in the lane, else in the legend. */
export const isShort = ({ from, to }) => from !== undefined || to !== undefined;

/** Returns the marks and levels that are in sight; several lines may have one published figure. */
function inSight({ marks = [], levels = [] }, at, [least, most]) {
    const isFirst = (one, i, all) => !one.isPublished || all.findIndex(({ x, label }) => x === one.x && label === one.label) === i;
    return {
        marks: marks.filter((one) => at.x(one.x) >= at.left - 0.5 && at.x(one.x) <= at.right + 0.5).filter(isFirst),
        levels: levels.filter((one) => one.y >= least && one.y <= most && ends(one, at)[1] > ends(one, at)[0]),
    };
}

function placed(chart, width, view) {
    const { x: xAxis, y: yAxis } = chart, whole = chart.height ?? (chart.small ? SMALL : Math.min(MOST, Math.max(LEAST, width / 2)));
    const xs = chart.series.flatMap((one) => one.x), ys = valuesOf(chart, view), plot = whole - ABOVE - BELOW;
    const xRange = view ?? rangeOf(xAxis, [...xs, ...(chart.dots ?? []).map(({ x }) => x)], true);
    const yRange = rangeOf(yAxis, ys, false), isWhole = (values) => values.every((one) => !Number.isFinite(one) || Number.isInteger(one));
    const yTicks = ticksOf(yAxis, yRange, isWhole(ys), (ticks) =>
        ticks.length * (yAxis.log ? LOG_TICK_HEIGHT : TICK_HEIGHT) <= plot + LOG_TICK_HEIGHT);
    const text = (axis) => axis.format ?? ((value) => number(value));
    const left = 12 + CHARACTER * Math.max(2, ...yTicks.map((tick) => text(yAxis)(tick).length)), right = width - RIGHT;
    const xTicks = ticksOf(xAxis, xRange, isWhole(xs), (ticks) => ticks.length *
        (BETWEEN + CHARACTER * Math.max(0, ...ticks.map((tick) => text(xAxis)(tick).length))) <= right - left);
    const at = { width, left, right, xTicks, yTicks, xText: text(xAxis), yText: text(yAxis), x: scaleOf(xAxis, xRange, [left, right]) };
    const { marks, levels } = inSight(chart, at, yRange), long = (one) => ({ one, width: LETTER * one.label.length });
    const names = laneOf([...marks.filter(({ label }) => label).slice(0, NAMES_MOST).map((one) => ({ ...long(one), x: at.x(one.x) })),
        ...levels.filter(isShort).map((one) => ({ ...long(one), middle: (ends(one, at)[0] + ends(one, at)[1]) / 2 }))], width);
    const top = ABOVE + ROW * Math.max(0, ...names.map(({ row }) => row + 1)), bottom = top + plot;
    const xName = linesOf(xAxis.label, width);
    return { ...at, marks, levels, names, top, bottom, xName, height: bottom + BELOW + ROW * (xName.length - 1), y: scaleOf(yAxis, yRange, [bottom, top]) };
}

function axes({ y: { label: yLabel } }, at) {
    const { left, right, top, bottom, width, xName } = at, half = LETTER * Math.max(...xName.map(({ length }) => length)) / 2;
    return [
        svg("g", { class: "grid" },
            at.xTicks.map((tick) => svg("path", { d: `M${at.x(tick)},${top}V${bottom}` })),
            at.yTicks.map((tick) => svg("path", { d: `M${left},${at.y(tick)}H${right}` }))),
        svg("g", { class: "ticks" },
            at.xTicks.map((tick) => svg("text", { x: at.x(tick), y: bottom + 16, "text-anchor": "middle" }, at.xText(tick))),
            at.yTicks.map((tick) => svg("text", { x: left - 6, y: at.y(tick) + 4, "text-anchor": "end" }, at.yText(tick))),
            xName.map((words, i) => svg("text", { x: Math.max(half, Math.min((left + right) / 2, width - half)), y: bottom + 33 + ROW * i,
                "text-anchor": "middle", class: "name" }, words)),
            svg("text", { x: 0, y: 12, class: "name" }, yLabel)),
    ];
}

const SIDES = [-0.46, 0.02], SIDE_WIDTH = 0.44, WHOLE_WIDTH = 0.84; // of a bar, in x

/** Returns the class of a bar: the second of neighbours is hollow. */
export const kindOfBar = (one, stepped) => (stepped.indexOf(one) > 0 ? "bar hollow" : "bar");

function bars(one, at, stepped) {
    const [shift, width] = stepped.length === 2 ? [SIDES[stepped.indexOf(one)], SIDE_WIDTH] : [-WHOLE_WIDTH / 2, WHOLE_WIDTH];
    return one.x.map((x, i) => {
        const y = Math.min(at.y(one.y[i]), at.bottom);
        return svg("rect", { class: kindOfBar(one, stepped), x: at.x(x + shift), width: at.x(x + width) - at.x(x), y, height: at.bottom - y });
    });
}

const SYMBOLS = ["M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0-7,0Z", "M-3.2-3.2h6.4v6.4h-6.4Z", "M0-4.4L4.2,3.2H-4.2Z", "M0-4.6L4.6,0L0,4.6L-4.6,0Z"];
const SYMBOL_STEP = 34; // pixels from one to the next, at least

/** Draws a symbol: a circle, a square, a triangle or a diamond. */
export const symbol = (shape, isHollow, x, y, more) => svg("path", { class: isHollow ? "symbol hollow" : "symbol", d: SYMBOLS[shape % 4],
    transform: `translate(${x},${y})`, ...more });

/** Draws the symbol of the i-th line, by which lines differ that are of one grey. */
export const symbolOf = (i, x, y) => symbol(i, (i + (i >> 2)) % 2, x, y);

/** Draws a line with its band; both break at points that have no value, or no logarithm. */
function seriesShape(chart, one, at) {
    const isDrawn = (y) => Number.isFinite(y) && Number.isFinite(at.y(y));
    const all = one.x.map((_, i) => i), isKnown = (i) => isDrawn(one.y[i]) && Number.isFinite(at.x(one.x[i]));
    const x = (i) => at.x(one.x[i]), y = (values) => (i) => at.y(values[i]);
    return svg("g", { class: "series", style: look(one), "data-label": one.label },
        one.low ? svg("path", { class: "band", d: area().defined((i) => isKnown(i) && isDrawn(one.high[i])).x(x)
            .y0((i) => at.y(isDrawn(one.low[i]) ? one.low[i] : one.y[i])).y1(y(one.high))(all) }) : null,
        one.steps ? bars(one, at, chart.series.filter(({ steps }) => steps)) : null,
        one.steps ? null : svg("path", {
            class: "line", d: line().defined(isKnown).x(x).y(y(one.y))(all), "stroke-dasharray": one.dash?.join(" "),
        }));
}

export const look = ({ color }) => `color:${color ?? "var(--dim)"}`;

const kind = ({ isPublished, isDoubt }, name) => [name, isPublished && "published", isDoubt && "doubt"].filter(Boolean).join(" ");

export const kindOfLevel = (one) => kind(one, isShort(one) ? "level" : "level across");

/** Draws the strip between the ends of an interval, at least two pixels wide; null if it would fill the whole plot. */
function strip(one, scale, [first, last], shape) {
    const [low, high] = [one.low, one.high].map((end) => scale(Math.max(end ?? NaN, scale.first)));
    const from = Math.max(first, Math.min(low, high)), to = Math.min(last, Math.max(low, high));
    const isSeen = Number.isFinite(from) && Number.isFinite(to) && to >= from && to - from < last - first;
    return isSeen ? svg("rect", { class: kind(one, "strip"), style: look(one), ...shape(from, Math.max(2, to - from)) }) : null;
}

const strips = (at) => [
    ...at.marks.map((one) => strip(one, at.x, [at.left, at.right], (x, width) =>
        ({ x, width, y: at.top, height: at.bottom - at.top }))),
    ...at.levels.map((one) => strip(one, at.y, [at.top, at.bottom], (y, height) =>
        ({ y, height, x: ends(one, at)[0], width: ends(one, at)[1] - ends(one, at)[0] }))),
];

/** Draws the point at which an answer was placed: on its line, or on the only one of the answer's colour. */
function pointOf({ series }, one, at) {
    const same = series.filter(({ color }, _, all) => all.length === 1 || color === one.color);
    const on = one.on ?? (same.length === 1 ? same[0] : null), y = at.y(on?.y[on.x.indexOf(one.x)]);
    return one.isPublished || on?.steps || !(y >= at.top && y <= at.bottom) ? null : symbol(0, one.isDoubt, at.x(one.x), y, { style: look(one) });
}

/** Draws the marks and levels, and the names of those in the lane. */
function annotations(chart, at) {
    const above = (row) => at.top - ROW * row, lines = new Map(at.names.map(({ one, row, left, width }) =>
        [one, above(row) - (at.x(one.x) > left && at.x(one.x) < left + width ? 2 : ROW - 4)]));
    return [
        at.levels.map((one) => svg("path", {
            class: kindOfLevel(one), style: look(one), "data-y": one.y, "data-label": one.label,
            d: `M${ends(one, at)[0]},${at.y(one.y)}H${ends(one, at)[1]}`,
        })),
        at.marks.map((one) => svg("path", {
            class: kind(one, "mark"), style: look(one), "data-x": one.x, "data-label": one.label, d: `M${at.x(one.x)},${lines.get(one) ?? at.top}V${at.bottom}`,
        })),
        at.marks.map((one) => pointOf(chart, one, at)),
        at.names.map(({ one, row, left, width, x, isEnd }) => svg("text", { class: kind(one, "label"), style: look(one), y: above(row) - 4,
            x: x === undefined ? left + width / 2 : isEnd ? left + width : left, "text-anchor": x === undefined ? "middle" : isEnd ? "end" : undefined }, one.label)),
    ];
}

/** Draws symbols on the lines, so far apart that the lines stay lines. */
const symbols = ({ series }, at) => (series.length < 2 ? [] : series.map((one, s) => svg("g", { style: look(one) }, one.steps ? null :
    one.x.map((x, i) => ({ x: at.x(x), y: at.y(one.y[i]) })).filter(({ x, y }) => x >= at.left - 1 && x <= at.right + 1 && y >= at.top && y <= at.bottom)
        .reduce((kept, point) => (kept.length > 0 && point.x - kept.at(-1).x < SYMBOL_STEP ? kept : [...kept, point]), [])
        .map(({ x, y }) => symbolOf(s, x, y)))));

/** Draws a point that stands out: a ring or a diamond. */
export const dot = (shape, x, y) => symbol(shape === "ring" ? 0 : 3, shape === "ring", x, y, { class: `dot ${shape}`, transform: `translate(${x},${y}) scale(1.5)` });

/** Draws a chart; `view`: the range of x that is shown, null: all of it; `hasSymbols`: for paper that may be grey. */
export function drawingOf(chart, width, { view = null, hasSymbols = false }) {
    const at = placed(chart, width, view);
    const { left, right, top, bottom, height } = at, [x, y, across, up] = [left, top - 1, Math.max(0, right - left), bottom - top + 2];
    const node = svg("svg", { class: "drawing", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
        axes(chart, at), svg("svg", { x, y, width: across, height: up, viewBox: `${x} ${y} ${across} ${up}` },
            strips(at), chart.series.map((one) => seriesShape(chart, one, at))), hasSymbols ? symbols(chart, at) : null,
        (chart.dots ?? []).map((one) => svg("g", { style: look(one) }, dot(one.shape, at.x(one.x), at.y(one.y)))),
        svg("g", { class: "annotations" }, annotations(chart, at)), svg("g", { class: "cursor" }));
    return { node, ...at };
}
