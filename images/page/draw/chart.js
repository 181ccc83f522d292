/* chart: lines, points and bands over one axis, by uPlot; every point can be read under the cursor. */
import uPlot from "uplot";
import { el } from "./dom.js";
import { number } from "../data/format.js";
import { boxesAlong, freest, placesAlong, placesBeside } from "./labels.js";

const HEIGHT = 280, SMALL_HEIGHT = 170; // CSS pixels
const HEADROOM = 0.08;                   // above the highest value, as a share of the range
const POINTS_MAX = 90;                   // of a line whose points are drawn
const OTHER_AXIS = 82;                   // pixels beside the plot
const CHARACTER = 6.5, BETWEEN = 12;     // pixels of a tick's text, and to the next one's

/** A colour of page.css: color("text"), color("series-2"). */
export function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The colours of series, in an order that neighbours in it can be told apart. */
export function seriesColor(i) {
    return color(`series-${i % 8}`);
}

/** The colour of a run wherever it is drawn; it keeps it whichever other runs come, go or change places. */
export function runColor(run) {
    return seriesColor(run.slot);
}

const MARKED_RUNS = 3;

/** Those whose marks are drawn: the labels of more runs would hide each other. */
export function marked(page, states) {
    return page.runs.length > MARKED_RUNS ? [] : states;
}

/** Colours from one to the other, for lines of one kind whose order matters. */
export function colorsBetween(from, to, count) {
    const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const [a, b] = [parts(from), parts(to)];
    return Array.from({ length: count }, (_, i) => "#" + a.map((one, j) =>
        Math.round(one + (b[j] - one) * i / Math.max(1, count - 1)).toString(16).padStart(2, "0")).join(""));
}

function fade(hex, alpha) {
    return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
}

/**
 * @typedef {Object} Series
 * @property {string} label
 * @property {number[]} x  rising
 * @property {(number|null)[]} y
 * @property {number[]} [low]   with `high`: a band around the line
 * @property {number[]} [high]
 * @property {string} color
 * @property {boolean} [whiskers]  each point's interval as a line of its own, in place of the band
 * @property {boolean} [points]  points, and no line between them
 * @property {boolean} [steps]   bars from zero, such as a histogram's; side by side where there are two
 * @property {number[]} [dash]   the line's dashes, in pixels
 * @property {boolean} [fitted]  a line that was calculated: not among what the cursor reads
 * @property {string[]} [notes]  of each point: what the cursor says besides
 */

/**
 * A chart in a figure: title, canvas, and a line below with the values under the cursor. Arrow keys
 * move the cursor once the chart has the focus.
 * @param {Object} chart
 * @param {string} chart.title
 * @param {string} [chart.hint]  its name in the files, for whoever points at the title
 * @param {{label: string, log?: number, format?: Function, min?: number, max?: number,
 *     splits?: number[]}} chart.x  log: the base of a logarithmic axis, 2 or 10; splits: where its ticks are
 * @param {{label: string, log?: number, format?: Function, min?: number, max?: number}} chart.y
 * @param {Series[]} chart.series
 * @param {{x: number, low?: number, high?: number, label: string, color?: string}[]} [chart.marks]
 *     vertical lines, each with its interval as a strip
 * @param {{y: number, low?: number, high?: number, from?: number, to?: number, label: string, color?: string,
 *     dash?: number[], atLeft?: boolean}[]} [chart.levels]  the same across; from and to: only between these
 *     x; atLeft: where the label is rather
 * @param {{from: number, to: number, label: string, color?: string}[]} [chart.shades]  ranges of x
 * @param {{x: number, y: number, color: string, shape: "ring"|"diamond"}[]} [chart.dots]  points that
 *     stand out; what a shape means is said in `chart.shapes`
 * @param {{shape: "ring"|"diamond", label: string}[]} [chart.shapes]  in the legend
 * @param {number} [chart.height]  in CSS pixels
 * @param {boolean} [chart.small]  one of several side by side: lower, no legend
 * @param {(Node|string)[]} [chart.notes]  lines below the title
 * @returns {HTMLElement}
 */
export function lineChart(chart) {
    const host = el("div", { class: "plot", tabindex: 0, role: "img", "aria-label": chart.title });
    const readout = el("output", { class: "readout" });
    const figure = el("figure", { class: chart.small ? "chart small" : "chart" },
        el("figcaption", { title: chart.hint }, chart.title),
        chart.notes ? el("div", { class: "note" }, chart.notes.map((note) => el("div", {}, note))) : null,
        chart.small ? null : legend(chart), host, readout);
    whenShown(host, () => draw(chart, host, readout));
    return figure;
}

const SHAPES = { ring: "\u25cb", diamond: "\u25c6" };

/** What the lines are, where there are several; several small charts have one of these together. */
export function legend({ series, shapes = [] }) {
    const named = series.filter((one) => one.label);
    return named.length + shapes.length < 2 ? null : el("div", { class: "legend" }, named.map((one) =>
        el("span", {}, el("i", { style: `border-top-style:${one.dash ? "dashed" : "solid"};border-color:${one.color}` }),
            one.label)),
    shapes.map(({ shape, label }) => el("span", {}, `${SHAPES[shape]} ${label}`)));
}

/**
 * A canvas needs a width, which the element has once it stands in the page. Who cannot wait for that
 * to be noticed calls `host.fit()`.
 */
function whenShown(host, action) {
    let plot = null;
    host.fit = () => {
        const width = host.clientWidth;
        if (width === 0)
            return;
        if (plot === null)
            plot = action();
        else if (plot.width !== width)
            plot.setSize({ width, height: plot.height });
    };
    new ResizeObserver(host.fit).observe(host);
}

function draw(chart, host, readout) {
    const tables = [], series = [{}], bands = [];
    const stepped = chart.series.filter((one) => one.steps);
    for (const one of chart.series) {
        const columns = [one.x, one.y];
        series.push(lineOf(one, chart.small ? 0 : POINTS_MAX, stepped.length === 2 ? SIDES[stepped.indexOf(one)] : 0));
        if (one.low && one.whiskers) {
            series.push(whiskersOf(one), { ...edgeOf(one), paths: () => null });
            columns.push(one.high, one.low);
        } else if (one.low) {
            const high = series.push(edgeOf(one)) - 1, low = series.push(edgeOf(one)) - 1;
            columns.push(one.high, one.low);
            bands.push({ series: [high, low], fill: fade(one.color, 0.18) });
        }
        tables.push(columns);
    }
    const options = {
        width: host.clientWidth, height: chart.height ?? (chart.small ? SMALL_HEIGHT : HEIGHT), series, bands,
        scales: {
            x: { time: false, ...scaleOf(chart.x) },
            y: scaleOf(chart.y, (chart.levels ?? []).flatMap((level) => [level.y, level.low, level.high])),
        },
        axes: [
            { ...axisOf(chart.x, chart.small), size: chart.small ? 24 : 30 },
            { ...axisOf(chart.y, chart.small), size: chart.small ? 44 : 62 },
        ],
        legend: { show: false },
        cursor: { drag: { setScale: false, x: false, y: false }, points: { size: 7 } },
        hooks: {
            drawClear: [(plot) => shade(plot, chart.shades ?? []), (plot) => strips(plot, chart)],
            draw: [(plot) => annotate(plot, chart), (plot) => dot(plot, chart.dots ?? [])],
            setCursor: [(plot) => read(plot, chart, readout)],
        },
    };
    const plot = new uPlot(options, tables.length ? uPlot.join(tables) : [[]], host);
    host.addEventListener("keydown", (event) => step(plot, event));
    host.plot = plot; // for whoever holds the element only
    return plot;
}

const SIDES = [-1, 1];

/** `side`: where bars stand at their x, -1 before it, 0 around it, 1 behind it. */
function lineOf(one, pointsMax, side) {
    const bars = () => uPlot.paths.bars({ size: [side ? 0.42 : 0.84, 64], align: side });
    return {
        label: one.label, stroke: one.color, width: 1.6, dash: one.dash, spanGaps: true,
        paths: one.steps ? bars() : one.points ? () => null : undefined,
        fill: one.steps ? fade(one.color, 0.5) : undefined,
        points: { show: one.points ?? (!one.fitted && !one.steps && one.x.length < pointsMax), size: 5 },
        fitted: one.fitted,
    };
}

function edgeOf(one) {
    return { stroke: fade(one.color, 0.3), width: 0.5, spanGaps: true, points: { show: false }, edge: true };
}

/** Upright lines from this series, the high ends, to the next one, the low ends. */
function whiskersOf(one) {
    const paths = (plot, high) => {
        const stroke = new Path2D(), [xs, highs, lows] = [plot.data[0], plot.data[high], plot.data[high + 1]];
        for (let i = 0; i < xs.length; i++) {
            if (highs[i] === null || highs[i] === undefined)
                continue;
            const x = plot.valToPos(xs[i], "x", true);
            stroke.moveTo(x, plot.valToPos(lows[i], "y", true));
            stroke.lineTo(x, plot.valToPos(highs[i], "y", true));
        }
        return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
    };
    return { stroke: one.color, width: 2, points: { show: false }, edge: true, paths };
}

/** `also`: values that have to be in the range besides those of the lines. */
function scaleOf(axis, also = []) {
    const scale = axis.log ? { distr: 3, log: axis.log } : {};
    const values = also.filter(Number.isFinite), room = values.length > 0 ? HEADROOM : 0;
    if (axis.min !== undefined || axis.max !== undefined)
        scale.range = (plot, low, high) => [axis.min ?? low, axis.max ?? Math.max(high, ...values) * (1 + room)];
    else if (values.length > 0 && !axis.log)
        scale.range = (plot, low, high) =>
            uPlot.rangeNum(Math.min(low, ...values), Math.max(high, ...values), room, true);
    return scale;
}

const FONT = "12px system-ui, sans-serif";

function axisOf(axis, isSmall) {
    const format = axis.format ?? number;
    return {
        label: axis.label, labelSize: isSmall ? 15 : 20, stroke: color("dim"),
        font: FONT, labelFont: FONT,
        grid: { stroke: color("grid"), width: 1, ...(axis.log === 10 ? { filter: decadesOnly } : {}) },
        ticks: { stroke: color("grid"), width: 1, size: 5 },
        ...(axis.splits ? { splits: () => axis.splits } : {}),
        values: (plot, splits) => {
            const texts = splits.map((split) => (split === null ? "" : format(split)));
            const room = (plot.width - OTHER_AXIS) / splits.length, longest = Math.max(...texts.map((text) => text.length));
            const every = axis.splits ? Math.ceil((longest * CHARACTER + BETWEEN) / room) : 1;
            return texts.map((text, i) => (i % every ? "" : text));
        },
    };
}

/** Lines between powers of ten are more than the eye needs. */
function decadesOnly(plot, splits) {
    return splits.map((split) => (Math.abs(Math.log10(split) % 1) < 1e-9 ? split : null));
}

function shade(plot, shades) {
    const { left, top, width, height } = plot.bbox;
    const c = plot.ctx;
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    shades.forEach((one, i) => {
        const from = plot.valToPos(one.from, "x", true), to = plot.valToPos(one.to, "x", true);
        c.fillStyle = one.color ?? fade(color("dim"), i % 2 ? 0.06 : 0.14);
        c.fillRect(from, top, to - from, height);
    });
    c.restore();
}

/** What lies between the ends of the intervals of marks and levels, two pixels at least; not where that is all. */
function strips(plot, { marks = [], levels = [] }) {
    const { left, top, width, height } = plot.bbox;
    const c = plot.ctx;
    const place = (value, axis) => plot.valToPos(Math.max(value, plot.scales[axis].min), axis, true); // 0 has no log
    const span = (one, axis) => [one.low, one.high].map((end) => place(end, axis)).sort((a, b) => a - b);
    const isAll = (one, axis) => one.low <= plot.scales[axis].min && one.high >= plot.scales[axis].max;
    const hasStrip = (axis) => (one) => Number.isFinite(one.low) && Number.isFinite(one.high) && !isAll(one, axis);
    const thick = (from, to) => Math.max(to - from, 2 * uPlot.pxRatio);
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    for (const one of marks.filter(hasStrip("x"))) {
        const [from, to] = span(one, "x");
        c.fillStyle = fade(one.color ?? color("text"), 0.15);
        c.fillRect(from, top, thick(from, to), height);
    }
    for (const one of levels.filter(hasStrip("y"))) {
        const [from, to] = span(one, "y");
        c.fillStyle = fade(one.color ?? color("text"), 0.12);
        const [start, end] = endsOf(plot, one);
        c.fillRect(start, from, end - start, thick(from, to));
    }
    c.restore();
}

/** Text that lines below it do not cross. */
function write(c, text, x, y) {
    c.save();
    c.setLineDash([]);
    c.lineWidth = 3 * uPlot.pxRatio;
    c.lineJoin = "round";
    c.strokeStyle = color("paper");
    c.strokeText(text, x, y);
    c.fillText(text, x, y);
    c.restore();
}

/** Between which pixels of the canvas a level is. */
function endsOf(plot, { from, to }) {
    const { left, width } = plot.bbox;
    return [from === undefined ? left : Math.max(left, plot.valToPos(from, "x", true)),
        to === undefined ? left + width : Math.min(left + width, plot.valToPos(to, "x", true))];
}

/** Lines of levels and marks, and then all names: after the grid, which would strike them out. */
function annotate(plot, { marks = [], levels = [], shades = [] }) {
    const { left, top, width, height } = plot.bbox;
    const levelColor = (one) => one.color ?? color("dim"), markColor = (one) => one.color ?? color("text");
    for (const one of levels) {
        const y = plot.valToPos(one.y, "y", true), [start, end] = endsOf(plot, one);
        rule(plot, [start, y], [end, y], levelColor(one), one.dash ?? []);
    }
    const lines = marks.map((one) => plot.valToPos(one.x, "x", true));
    marks.forEach((one, i) => rule(plot, [lines[i], top], [lines[i], top + height], markColor(one), [4, 3]));

    const gap = 4 * uPlot.pxRatio, taken = dataBoxes(plot);
    taken.push(...lines.map((x) => ({ box: { left: x - gap / 2, width: gap, top, height }, weight: HIDES_LINE })));
    for (const { from, label } of shades)
        name(plot, label, color("dim"), taken, (size) => [{ left: plot.valToPos(from, "x", true) + gap, top, ...size }]);
    marks.forEach((one, i) => name(plot, one.label, markColor(one), taken, (size) => placesBeside(lines[i], size,
        { left, top, width, height }, { gap, rows: ROWS, fromFoot: shades.length > 0 })));
    for (const one of levels)
        name(plot, one.label, levelColor(one), taken, (size) => placesAlong(plot.valToPos(one.y, "y", true),
            endsOf(plot, one), size, { gap, atLeft: one.atLeft || one.from !== undefined }).filter((place) =>
            place.top >= top && place.top + size.height <= top + height));
}

const ROWS = 5, ROW = 13;                                 // for names of marks; pixels of each
const HIDES_NAME = 20, HIDES_LINE = 4, HIDES_DATA = 1;    // how bad a name's place is, for each pixel
const DATA_STEP = 8, DATA_THICK = 3;                      // pixels in which lines are looked at

function rule(plot, from, to, stroke, dash) {
    const c = plot.ctx;
    c.save();
    c.strokeStyle = stroke;
    c.lineWidth = uPlot.pxRatio;
    c.setLineDash(dash.map((length) => length * uPlot.pxRatio));
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(...to);
    c.stroke();
    c.restore();
}

/** Where there are lines of data. */
function dataBoxes(plot) {
    return plot.series.slice(1).flatMap((one, i) => {
        const y = plot.data[i + 1];
        const points = one.edge ? [] : plot.data[0].flatMap((x, at) => (Number.isFinite(y[at]) ?
            [{ x: plot.valToPos(x, "x", true), y: plot.valToPos(y[at], "y", true) }] : []));
        return boxesAlong(points, DATA_STEP * uPlot.pxRatio, DATA_THICK * uPlot.pxRatio);
    }).map((box) => ({ box, weight: HIDES_DATA }));
}

/** Writes a name at the best of its places; none: it is not in sight. */
function name(plot, text, fill, taken, placesOf) {
    const c = plot.ctx;
    c.save();
    c.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
    c.fillStyle = fill;
    c.textAlign = "left";
    c.textBaseline = "middle";
    const places = placesOf({ width: c.measureText(text).width, height: ROW * uPlot.pxRatio });
    if (places.length > 0) {
        const box = freest(places, taken);
        write(c, text, box.left, box.top + box.height / 2);
        taken.push({ box, weight: HIDES_NAME });
    }
    c.restore();
}

function dot(plot, dots) {
    const c = plot.ctx, size = 6 * uPlot.pxRatio;
    c.save();
    for (const one of dots) {
        const x = plot.valToPos(one.x, "x", true), y = plot.valToPos(one.y, "y", true);
        c.beginPath();
        if (one.shape === "ring") {
            c.arc(x, y, size, 0, 2 * Math.PI);
        } else {
            c.moveTo(x, y - size);
            for (const [right, down] of [[size, 0], [0, size], [-size, 0]])
                c.lineTo(x + right, y + down);
            c.closePath();
        }
        c.fillStyle = one.shape === "ring" ? color("paper") : one.color;
        c.strokeStyle = one.color;
        c.lineWidth = 2 * uPlot.pxRatio;
        c.fill();
        c.stroke();
    }
    c.restore();
}

/** The nearest x with a value, and what each line has there. */
function read(plot, chart, readout) {
    const { idx } = plot.cursor;
    if (idx === null || idx === undefined) {
        readout.textContent = "";
        return;
    }
    const x = plot.data[0][idx];
    const xText = (chart.x.format ?? number)(x), yFormat = chart.y.format ?? number;
    const values = [];
    chart.series.forEach((one) => {
        const at = one.fitted ? -1 : one.x.indexOf(x);
        if (at < 0 || one.y[at] === null || one.y[at] === undefined)
            return;
        const band = one.low ? ` (${yFormat(one.low[at])} to ${yFormat(one.high[at])})` : "";
        const note = one.notes?.[at] ? `, ${one.notes[at]}` : "";
        values.push(`${one.label}: ${yFormat(one.y[at])}${band}${note}`);
    });
    readout.textContent = `${chart.x.label} ${xText} · ${values.join(" · ")}`;
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };

function step(plot, event) {
    if (!(event.key in STEPS))
        return;
    event.preventDefault();
    const last = plot.data[0].length - 1, now = plot.cursor.idx ?? (STEPS[event.key] > 0 ? -1 : last + 1);
    const idx = Math.max(0, Math.min(last, now + STEPS[event.key]));
    plot.setCursor({ left: plot.valToPos(plot.data[0][idx], "x"), top: plot.over.clientHeight / 2 });
}
