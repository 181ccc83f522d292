/* chart: a drawing in a figure, with its legend, a menu to save it, the values at the pointer, and zoom. */
import { el, svg } from "./dom.js";
import { drawingOf } from "./drawing.js";
import { SAMPLE, entriesOf, saveMenu } from "./saving.js";
import { NOTES } from "../data/words.js";

/** Returns the colour of the i-th series, in an order in which neighbours are easy to distinguish. */
export const seriesColor = (i) => `var(--series-${i % 8})`;

/** Returns the colour of a run wherever it is drawn; it stays whichever other runs come, go or change places. */
export const runColor = (run) => seriesColor(run.slot);

export const chip = (run) => el("i", { class: "chip", style: `background:${runColor(run)}` });

/**
 * A series has a label, x, y and a color, and maybe low and high (a band around the line), dash (of the line, in pixels),
 * notes (for each point: further words at the pointer), samples (of its points), or steps (bars, such as a histogram's;
 * side by side where there are two).
 *
 * A mark is a line down at x, a level one across at y, from and to some x. Both have a label, low and high (a strip), a
 * color, and isDoubt or isPublished; a mark maybe `on`, the series that has its point.
 *
 * A chart has an id (its anchor in the page), a title, axes x and y (axes.js), series, and maybe
 * @typedef {Object} Chart
 * @property {string} [hint]       its name in the files, shown while the pointer is on the title
 * @property {Object[]} [marks]    with their names in a lane above the plot
 * @property {Object[]} [levels]   those across the whole plot are named in the legend
 * @property {{x: number, y: number, color: string, shape: "ring"|"diamond"}[]} [dots]  points that stand out
 * @property {{shape: "ring"|"diamond", label: string}[]} [shapes]  in the legend: what the dots are
 * @property {string[]} [notes]    besides the note of words.csv
 * @property {string} [band]       what low and high are, if not the deciles
 * @property {Object[]} [runs]     those that are drawn, by default the page's
 * @property {boolean} [small]     one of several side by side: lower, no legend, its notes above
 */
export function lineChart(page, chart) {
    const host = el("div", { class: "plot", tabindex: 0, role: "img", "aria-label": chart.title });
    const readout = el("output", { class: "readout", hidden: true }), anchor = chart.id;
    const { menu, table } = saveMenu(page, chart, show(chart, host, readout), anchor);
    const notes = [NOTES.get(anchor), ...chart.notes ?? []].filter(Boolean);
    const below = el("div", { class: "note" }, notes.map((note) => el("div", {}, note)));
    return el("figure", { class: chart.small ? "chart small" : "chart", id: anchor },
        el("div", { class: "head" }, el("figcaption", { title: chart.hint }, chart.title), menu),
        chart.small ? below : legend(chart), el("div", { class: "at" }, host, readout), el("div", { class: "foot" }, chart.small ? null : below, table));
}

/** Returns the legend; several small charts share one. */
export const legend = (chart) => el("div", { class: "legend" }, entriesOf(chart).map(({ label, sample }) =>
    el("span", {}, svg("svg", { class: "drawing", width: SAMPLE, height: 12, viewBox: `0 -6 ${SAMPLE} 12`, "aria-hidden": "true" }, sample), label)));

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const LEAST_DRAG = 8; // pixels: less is a click

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
        drawing = drawingOf(chart, host.clientWidth, { view });
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
