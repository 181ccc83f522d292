/* chart: a drawing in a figure, with its legend, a menu to save it, the values at the pointer, and zoom. */
import { el, svg } from "./dom.js";
import { drawingOf } from "./drawing.js";
import { saveMenu } from "./saving.js";
import { NOTES } from "../data/words.js";

/** Returns the colour of the i-th series, in an order in which neighbours are easy to distinguish. */
export const seriesColor = (i) => `var(--series-${i % 8})`;

/** Returns the colour of a run wherever it is drawn; it stays whichever other runs come, go or change places. */
export const runColor = (run) => seriesColor(run.slot);

export const chip = (run) => el("i", { class: "chip", style: `background:${runColor(run)}` });

const MARKED_RUNS = 3;

/** Returns the states whose marks are drawn, none if there are more runs: their labels would hide each other. */
export const marked = (page, states) => (page.runs.length > MARKED_RUNS ? [] : states);

/**
 * A series has a label, x, y and a color, and maybe
 * @typedef {Object} Series
 * @property {number[]} [low]   with `high`: a band around the line
 * @property {boolean} [isScatter]  points, and no line between them
 * @property {boolean} [steps]      bars, such as a histogram's; side by side where there are two
 * @property {number[]} [dash]      the line's dashes, in pixels
 * @property {string[]} [notes]     for each point: further words at the pointer
 *
 * A chart has a title, axes x and y (Axis of axes.js), series, and maybe
 * @typedef {Object} Chart
 * @property {string} [id]    its anchor in the page; by default of its title
 * @property {string} [hint]  its name in the files, shown while the pointer is on the title
 * @property {{x: number, low?: number, high?: number, label: string, color?: string, isPublished?: boolean}[]} [marks]
 *     vertical lines, each with its interval as a strip
 * @property {{y: number, low?: number, high?: number, from?: number, to?: number, label: string, color?: string,
 *     isPublished?: boolean}[]} [levels]  the same across; from and to: only between these x
 * @property {{x: number, y: number, color: string, shape: "ring"|"diamond"}[]} [dots]  points that
 *     stand out; `shapes` explains each shape
 * @property {{shape: "ring"|"diamond", label: string}[]} [shapes]  in the legend
 * @property {boolean} [small]  one of several side by side: lower, no legend
 */

const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

export function lineChart(page, chart) {
    const host = el("div", { class: "plot", tabindex: 0, role: "img", "aria-label": chart.title });
    const readout = el("output", { class: "readout", hidden: true }), anchor = chart.id ?? slug(chart.title);
    const { menu, table } = saveMenu(page, chart, show(chart, host, readout), anchor);
    const notes = [NOTES.get(anchor), ...chart.notes ?? []].filter(Boolean);
    return el("figure", { class: chart.small ? "chart small" : "chart", id: anchor },
        el("div", { class: "head" }, el("figcaption", { title: chart.hint }, chart.title), menu),
        notes.length > 0 ? el("div", { class: "note" }, notes.map((note) => el("div", {}, note))) : null,
        chart.small ? null : legend(chart), el("div", { class: "at" }, host, readout), table);
}

const SHAPES = { ring: "\u25cb", diamond: "\u25c6" };

/** Returns the names of the lines, null if there are fewer than two; several small charts share one legend. */
export function legend({ series, shapes = [] }) {
    const named = series.filter((one) => one.label);
    return named.length + shapes.length < 2 ? null : el("div", { class: "legend" }, named.map((one) =>
        el("span", {}, el("i", { style: `border-top-style:${one.dash ? "dashed" : "solid"};border-color:${one.color}` }),
            one.label)),
    shapes.map(({ shape, label }) => el("span", {}, `${SHAPES[shape]} ${label}`)));
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const LEAST_DRAG = 8; // pixels: less is a click
const PRINTED = 0.65; // of the height on a screen

/**
 * Draws the chart as wide as its element, whenever that changes; callers that cannot wait call `host.fit()`. Arrow keys
 * go from point to point once it has the focus; a drag across zooms, a double click shows all again. Returns a function
 * that returns the width and the zoom.
 */
function show(chart, host, readout) {
    const xs = [...new Set(chart.series.flatMap((one) => one.x))].sort((a, b) => a - b);
    let drawing = null, view = null, at = -1, start = null;
    const draw = (range) => {
        [view, start] = [range, null];
        drawing = drawingOf(chart, host.clientWidth, { view, share: document.documentElement.dataset.print && !chart.small ? PRINTED : 1 });
        host.replaceChildren(drawing.node);
        point(-1);
    };
    const point = (to) => {
        at = to;
        showCursor(chart, drawing, xs[at], readout);
    };
    const pixel = (event) => event.clientX - host.getBoundingClientRect().left;
    const seen = () => xs.map((_, i) => i).filter((i) => !view || (xs[i] >= view[0] && xs[i] <= view[1]));
    const nearest = (x) => seen().reduce((best, i) =>
        (best < 0 || Math.abs(drawing.x(xs[i]) - x) < Math.abs(drawing.x(xs[best]) - x) ? i : best), -1);
    const leave = () => drawing && point(-1);
    host.fit = () => host.clientWidth > 0 && host.clientWidth !== drawing?.width && draw(view);
    new ResizeObserver(host.fit).observe(host);
    const listeners = {
        pointermove: (event) => (start !== null ? showDrag(drawing, start, pixel(event)) : drawing && point(nearest(pixel(event)))),
        pointerleave: leave, blur: leave, pointercancel: () => draw(view), dblclick: () => draw(null),
        pointerdown: (event) => {
            if (event.pointerType === "mouse" && event.button === 0) {
                start = pixel(event);
                host.setPointerCapture(event.pointerId);
            }
        },
        pointerup: (event) => {
            if (start !== null)
                draw(Math.abs(pixel(event) - start) <= LEAST_DRAG ? view : [start, pixel(event)].sort((a, b) => a - b)
                    .map((one) => drawing.x.invert(Math.min(drawing.right, Math.max(drawing.left, one)))));
        },
        keydown: (event) => {
            if (!(event.key in STEPS))
                return;
            event.preventDefault();
            host.fit();
            const last = xs.length - 1, now = at < 0 && STEPS[event.key] < 0 ? last + 1 : at;
            point(Math.max(0, Math.min(last, now + STEPS[event.key])));
        },
    };
    for (const [kind, listener] of Object.entries(listeners))
        host.addEventListener(kind, listener);
    return () => ({ width: host.clientWidth, view });
}

function showDrag({ node, top, bottom }, from, to) {
    node.querySelector(".cursor").replaceChildren(svg("rect", {
        class: "drag", x: Math.min(from, to), width: Math.abs(to - from), y: top, height: bottom - top,
    }));
}

function showCursor(chart, drawing, x, readout) {
    const { node, left, right, top, bottom, xText, yText } = drawing, cursor = node.querySelector(".cursor");
    readout.hidden = x === undefined;
    cursor.replaceChildren();
    if (x === undefined)
        return;
    const found = chart.series.map((one) => ({ one, i: one.x.indexOf(x) }))
        .filter(({ one, i }) => i >= 0 && Number.isFinite(one.y[i]));
    const place = drawing.x(x), isRight = place > (left + right) / 2;
    cursor.replaceChildren(svg("path", { class: "at", d: `M${place},${top}V${bottom}` }),
        ...found.filter(({ one, i }) => Number.isFinite(drawing.y(one.y[i]))).map(({ one, i }) =>
            svg("circle", { style: `color:${one.color}`, cx: place, cy: drawing.y(one.y[i]), r: 4 })));
    const unit = (axis) => (axis.unit ? ` ${axis.unit}` : "");
    readout.replaceChildren(el("div", {}, `${chart.x.label} ${xText(x)}${unit(chart.x)}`), ...found.map(({ one, i }) => el("div", {},
        el("i", { style: `background:${one.color}` }),
        one.label ? `${one.label}: ` : "", el("strong", {}, `${yText(one.y[i])}${unit(chart.y)}`),
        one.low ? ` (${yText(one.low[i])} to ${yText(one.high[i])})` : "", one.notes?.[i] ? `, ${one.notes[i]}` : "")));
    readout.style.cssText = `top:${top}px;${isRight ? `right:${drawing.width - place + 12}px` : `left:${place + 12}px`}`;
}
