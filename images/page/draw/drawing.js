/* drawing: a chart as SVG: axes, bands, lines, points, marks with their names. Colours come from the page's style. */
import { area, line } from "d3-shape";
import { svg } from "./dom.js";
import { number } from "../data/format.js";
import { rangeOf, scaleOf, ticksOf } from "./axes.js";
import { boxesAlong, freest, placesAlong, placesBeside } from "./labels.js";

const HEIGHT = 300, SMALL_HEIGHT = 190; // pixels
const ABOVE = 24, BELOW = 40, RIGHT = 22; // the plot: the name of y, the ticks and name of x
const CHARACTER = 6.3;                  // the mean width of one, in these sizes of type
const BETWEEN = 14, TICK_HEIGHT = 34, LOG_TICK_HEIGHT = 24; // ticks of x, and of y
const POINTS_MAX = 90;                  // of a line whose points are drawn
const BAND_MOST = 1.6;                  // times the highest value: a band beyond it is cut
const GAP = 4, ROWS = 5, ROW = 14;      // of names
const HIDES_NAME = 20, HIDES_LINE = 20, HIDES_DATA = 1; // how bad a name's place is, for each pixel
const DATA_STEP = 8, DATA_THICK = 3;    // pixels in which lines are looked at

const isIn = (x, view) => !view || (x >= view[0] && x <= view[1]);

/** Returns the values that y has to show: lines, and bands as far as they do not squeeze the lines. */
function valuesOf({ series, levels = [], dots = [] }, view) {
    const lines = series.flatMap((one) => one.y.filter((_, i) => isIn(one.x[i], view)));
    const most = BAND_MOST * lines.filter(Number.isFinite).reduce((a, b) => Math.max(a, b), -Infinity);
    const ends = series.flatMap((one) => [...one.low ?? [], ...one.high ?? []].filter((y, i, all) =>
        y <= most && isIn(one.x[i % (all.length / 2)], view)));
    return [...lines, ...ends, ...dots.map(({ y }) => y), ...view ? [] : levels.map(({ y }) => y)];
}

function placed(chart, width, view, share) {
    const height = share * (chart.height ?? (chart.small ? SMALL_HEIGHT : HEIGHT)), { x: xAxis, y: yAxis } = chart;
    const xs = chart.series.flatMap((one) => one.x), ys = valuesOf(chart, view);
    const xRange = view ?? rangeOf(xAxis, [...xs, ...(chart.dots ?? []).map(({ x }) => x)], true);
    const yRange = rangeOf(yAxis, ys, false), isWhole = (values) => values.every((one) => !Number.isFinite(one) || Number.isInteger(one));
    const top = ABOVE, bottom = height - BELOW;
    const yTicks = ticksOf(yAxis, yRange, isWhole(ys), (ticks) =>
        ticks.length * (yAxis.log ? LOG_TICK_HEIGHT : TICK_HEIGHT) <= bottom - top + LOG_TICK_HEIGHT);
    const text = (axis) => axis.format ?? ((value) => number(value));
    const left = 12 + CHARACTER * Math.max(2, ...yTicks.map((tick) => text(yAxis)(tick).length)), right = width - RIGHT;
    const xTicks = ticksOf(xAxis, xRange, isWhole(xs), (ticks) => ticks.length *
        (BETWEEN + CHARACTER * Math.max(0, ...ticks.map((tick) => text(xAxis)(tick).length))) <= right - left);
    return {
        width, height, left, right, top, bottom, xTicks, yTicks, xText: text(xAxis), yText: text(yAxis),
        x: scaleOf(xAxis, xRange, [left, right]), y: scaleOf(yAxis, yRange, [bottom, top]),
    };
}

function axes({ x: { label: xLabel }, y: { label: yLabel } }, at) {
    const { left, right, top, bottom, width } = at, half = Math.min(width, CHARACTER * xLabel.length) / 2;
    return [
        svg("g", { class: "grid" },
            at.xTicks.map((tick) => svg("path", { d: `M${at.x(tick)},${top}V${bottom}` })),
            at.yTicks.map((tick) => svg("path", { d: `M${left},${at.y(tick)}H${right}` }))),
        svg("g", { class: "ticks" },
            at.xTicks.map((tick) => svg("text", { x: at.x(tick), y: bottom + 16, "text-anchor": "middle" }, at.xText(tick))),
            at.yTicks.map((tick) => svg("text", { x: left - 6, y: at.y(tick) + 4, "text-anchor": "end" }, at.yText(tick))),
            svg("text", { x: Math.max(half, Math.min((left + right) / 2, width - half)), y: bottom + 33, "text-anchor": "middle", class: "name" }, xLabel),
            svg("text", { x: 0, y: 12, class: "name" }, yLabel)),
    ];
}

const SIDES = [-0.46, 0.02], SIDE_WIDTH = 0.44, WHOLE_WIDTH = 0.84; // of a bar, in x

function bars(one, at, stepped) {
    const [shift, width] = stepped.length === 2 ? [SIDES[stepped.indexOf(one)], SIDE_WIDTH] : [-WHOLE_WIDTH / 2, WHOLE_WIDTH];
    return one.x.map((x, i) => {
        const y = Math.min(at.y(one.y[i]), at.bottom);
        return svg("rect", { class: "bar", x: at.x(x + shift), width: at.x(x + width) - at.x(x), y, height: at.bottom - y });
    });
}

const SYMBOLS = ["M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0-7,0Z", "M-3.2-3.2h6.4v6.4h-6.4Z", "M0-4.4L4.2,3.2H-4.2Z", "M0-4.6L4.6,0L0,4.6L-4.6,0Z"];
const SYMBOL_STEP = 34; // pixels from one to the next, at least

/** Draws the symbol of the i-th line, by which lines differ that are of one grey. */
export const symbol = (i, x, y) => svg("path", { class: (i + (i >> 2)) % 2 ? "symbol hollow" : "symbol", d: SYMBOLS[i % 4], transform: `translate(${x},${y})` });

/** Draws a line with its band and points; leaves out points that have no value, or no logarithm. */
function seriesShape(chart, one, at) {
    const isDrawn = (y) => Number.isFinite(y) && Number.isFinite(at.y(y));
    const known = one.x.map((_, i) => i).filter((i) => isDrawn(one.y[i]) && Number.isFinite(at.x(one.x[i])));
    const x = (i) => at.x(one.x[i]), y = (values) => (i) => at.y(values[i]);
    const stepped = chart.series.filter(({ steps }) => steps);
    const hasPoints = !one.steps && (one.isScatter || !chart.small) && known.length < POINTS_MAX && !at.hasSymbols;
    return svg("g", { class: "series", style: `color:${one.color}`, "data-label": one.label },
        one.low && one.isScatter ? known.map((i) => svg("path", { class: "whisker", d: `M${x(i)},${at.y(one.low[i])}V${at.y(one.high[i])}` })) : null,
        one.low && !one.isScatter ? svg("path", { class: "band", d: area().x(x).y0((i) => at.y(isDrawn(one.low[i]) ? one.low[i] : one.y[i]))
            .y1(y(one.high))(known.filter((i) => isDrawn(one.high[i]))) }) : null,
        one.steps ? bars(one, at, stepped) : null,
        one.steps || one.isScatter ? null : svg("path", {
            class: "line", d: line().x(x).y(y(one.y))(known), "stroke-dasharray": one.dash?.join(" "),
        }),
        hasPoints ? known.map((i) => svg("circle", { class: "point", cx: x(i), cy: at.y(one.y[i]), r: 2.4 })) : null);
}

const look = ({ color }) => `color:${color ?? "var(--dim)"}`;
const kind = ({ isPublished }, name) => (isPublished ? `${name} published` : name);
const ends = ({ from, to }, at) => [from === undefined ? at.left : Math.max(at.left, at.x(from)),
    to === undefined ? at.right : Math.min(at.right, at.x(to))];

/** Draws the strip between the ends of an interval, at least two pixels wide; null if it would fill the whole plot. */
function strip(one, scale, [first, last], shape) {
    const [low, high] = [one.low, one.high].map((end) => scale(Math.max(end ?? NaN, scale.first)));
    const from = Math.max(first, Math.min(low, high)), to = Math.min(last, Math.max(low, high));
    const isSeen = Number.isFinite(from) && Number.isFinite(to) && to >= from && to - from < last - first;
    return isSeen ? svg("rect", { class: "strip", style: look(one), ...shape(from, Math.max(2, to - from)) }) : null;
}

function strips({ marks = [], levels = [] }, at) {
    return [
        ...marks.map((one) => strip(one, at.x, [at.left, at.right], (x, width) =>
            ({ x, width, y: at.top, height: at.bottom - at.top }))),
        ...levels.map((one) => strip(one, at.y, [at.top, at.bottom], (y, height) =>
            ({ y, height, x: ends(one, at)[0], width: Math.max(0, ends(one, at)[1] - ends(one, at)[0]) }))),
    ];
}

/** Draws the marks and levels that are in sight, and then all names, each where it hides least. */
function annotations(chart, at) {
    const { left, right, top, bottom } = at, inside = (value, from, to) => value >= from - 0.5 && value <= to + 0.5;
    const isFirst = (one, i, all) => !one.isPublished || all.findIndex(({ x, label }) => x === one.x && label === one.label) === i;
    const marks = (chart.marks ?? []).filter(({ x }) => inside(at.x(x), left, right)).filter(isFirst);
    const levels = (chart.levels ?? []).filter((one) => inside(at.y(one.y), top, bottom) && ends(one, at)[1] > ends(one, at)[0]);
    const plot = { left, top, width: right - left, height: bottom - top };
    const points = chart.series.map((one) => one.x.map((x, i) => ({ x: at.x(x), y: at.y(one.y[i]) })).filter(({ x, y }) => Number.isFinite(x + y)));
    const taken = [
        ...points.flatMap((own) => boxesAlong(own, DATA_STEP, DATA_THICK)).map((box) => ({ box, weight: HIDES_DATA })),
        ...marks.map((one) => ({ weight: HIDES_LINE, box: { left: at.x(one.x) - 2, width: 4, top, height: bottom - top } })),
    ];
    const name = (one, placesOf) => {
        const size = { width: CHARACTER * one.label.length, height: ROW }, places = placesOf(size);
        if (!one.label || places.length === 0)
            return null;
        const box = freest(places, taken);
        taken.push({ box, weight: HIDES_NAME });
        return svg("text", { class: kind(one, "label"), style: look(one), x: box.left + (box.isEnd ? box.width : 0),
            "text-anchor": box.isEnd ? "end" : undefined, y: box.top + ROW - 3 }, one.label);
    };
    return [
        levels.map((one) => svg("path", {
            class: kind(one, "level"), style: look(one), "data-y": one.y, "data-label": one.label,
            d: `M${ends(one, at)[0]},${at.y(one.y)}H${ends(one, at)[1]}`,
        })),
        marks.map((one) => svg("path", {
            class: kind(one, "mark"), style: look(one), "data-x": one.x, "data-label": one.label, d: `M${at.x(one.x)},${top}V${bottom}`,
        })),
        marks.map((one) => name(one, (size) => placesBeside(at.x(one.x), size, plot, { gap: GAP, rows: ROWS, others: one.isPublished ? marks.map(({ x }) => at.x(x)) : [] }))),
        levels.map((one) => name(one, (size) => placesAlong(at.y(one.y), ends(one, at), size,
            { gap: GAP, atLeft: one.from !== undefined, right }).filter((place) => inside(place.top, top, bottom - ROW)))),
    ];
}

/** Draws symbols on the lines, so far apart that the lines stay lines. */
const symbols = ({ series }, at) => (series.length < 2 ? [] : series.map((one, s) => svg("g", { style: `color:${one.color}` }, one.steps ? null :
    one.x.map((x, i) => ({ x: at.x(x), y: at.y(one.y[i]) })).filter(({ x, y }) => x >= at.left - 1 && x <= at.right + 1 && y >= at.top && y <= at.bottom)
        .reduce((kept, point) => (kept.length > 0 && point.x - kept.at(-1).x < SYMBOL_STEP ? kept : [...kept, point]), [])
        .map(({ x, y }) => symbol(s, x, y)))));

const DOT = 6; // pixels

function dots({ dots: all = [] }, at) {
    return all.map((one) => {
        const x = at.x(one.x), y = at.y(one.y);
        const d = `M${x},${y - DOT}L${x + DOT},${y}L${x},${y + DOT}L${x - DOT},${y}Z`;
        return one.shape === "ring" ? svg("circle", { class: "dot ring", style: look(one), cx: x, cy: y, r: DOT }) :
            svg("path", { class: "dot", style: look(one), d });
    });
}

/** Draws a chart; `view`: the range of x that is shown, null: all of it; `share`: of the usual height; `hasSymbols`: for paper that may be grey. */
export function drawingOf(chart, width, { view = null, share = 1, hasSymbols = false }) {
    const at = { ...placed(chart, width, view, share), hasSymbols };
    const { left, right, top, bottom, height } = at, [x, y, across, up] = [left, top - 1, Math.max(0, right - left), bottom - top + 2];
    const node = svg("svg", { class: "drawing", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
        axes(chart, at), svg("svg", { x, y, width: across, height: up, viewBox: `${x} ${y} ${across} ${up}` },
            strips(chart, at), chart.series.map((one) => seriesShape(chart, one, at))),
        at.hasSymbols ? symbols(chart, at) : null, dots(chart, at), svg("g", { class: "annotations" }, annotations(chart, at)), svg("g", { class: "cursor" }));
    return { node, ...at };
}
