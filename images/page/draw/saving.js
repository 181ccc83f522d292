/* saving: saves a chart for papers and other programs: as SVG or PNG, with its title, legend and caption, or as CSV. */
import { button, el, option, save, select, svg, wideTable } from "./dom.js";
import { bibtexOf, captionOf, csvOf, latexOf } from "../data/cite.js";
import { number } from "../data/format.js";
import { LETTER, linesOf } from "./labels.js";
import { dot, drawingOf, isShort, kindOfBar, kindOfLevel, look, symbolOf } from "./drawing.js";

export const SAMPLE = 24;
const LINE = 16, GAP = 14; // pixels: of a line of text, between entries of the legend
const PER_CM = 12 / 8 * 72 / 2.54;      // pixels of a figure for paper: letters 12 pixels high are 8 points there
const SCREEN = "screen", SIZES = { [SCREEN]: 0, "one column": 8.46, "two columns": 17.5 }; // cm; as wide as on the screen
const DOTS_PER_CM = 600 / 2.54, SCREEN_SCALE = 2; // of a PNG
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order",
    "font-size", "font-family", "font-weight"];

/** Copies the computed style of each element into its own attributes: other programs do not know the page. */
function withStyle(copy, node) {
    const style = getComputedStyle(node);
    for (const name of DRAWN)
        copy.setAttribute(name, style.getPropertyValue(name));
    copy.removeAttribute("class");
    copy.removeAttribute("style");
    [...copy.children].forEach((child, i) => withStyle(child, node.children[i]));
    return copy;
}

/** Returns the legend's entries, each with its label and its sample: lines and dots if there are several, and levels across the whole plot. */
export function entriesOf({ series, shapes = [], levels = [] }, hasSymbols = false) {
    const lines = series.filter(({ label }) => label), across = levels.filter((one) => one.label && !isShort(one)), steps = series.filter((one) => one.steps);
    const stroke = (one, kind) => svg("path", { class: kind, d: `M0,0H${SAMPLE}`, "stroke-dasharray": one.dash?.join(" ") });
    const bar = (one) => svg("rect", { class: kindOfBar(one, steps), y: -5, width: SAMPLE, height: 10 });
    const sample = (one, ...drawn) => ({ label: one.label, sample: svg("g", { style: look(one) }, drawn) });
    return [
        ...(lines.length + shapes.length + across.length > 1 ? lines : []).map((one) => sample(one, one.steps ? bar(one) : stroke(one, "line"),
            hasSymbols && series.length > 1 && !one.steps ? symbolOf(series.indexOf(one), SAMPLE / 2, 0) : null)),
        ...shapes.map((one) => sample(one, dot(one.shape, SAMPLE / 2, 0))),
        ...across.map((one) => sample(one, stroke(one, kindOfLevel(one)))),
    ];
}

/** Returns the legend in as many lines as the width asks for, and the height of these. */
function legendOf(entries, width) {
    let x = 0, y = 0;
    const shapes = entries.map(({ label, sample }) => {
        const wide = SAMPLE + 6 + LETTER * label.length, [left, top] = x > 0 && x + wide > width ? [0, y + LINE] : [x, y];
        [x, y] = [left + wide + GAP, top];
        return svg("g", { transform: `translate(${left}, ${top})` }, svg("g", { transform: "translate(0, -4)" }, sample), svg("text", { x: SAMPLE + 6 }, label));
    });
    return { shapes, height: entries.length > 0 ? y + LINE : 0 };
}

/** Returns the chart as an SVG document by itself, with legend and caption; `cm`: its width on paper, 0: as on the screen. */
function figureOf(page, chart, shown, cm) {
    const width = cm > 0 ? cm * PER_CM : shown.width, root = document.documentElement, { theme } = root.dataset;
    const { node, height } = drawingOf(chart, width, { view: shown.view, hasSymbols: cm > 0 });
    const title = cm > 0 ? [] : linesOf(chart.title, width), legend = legendOf(entriesOf(chart, cm > 0), width);
    const caption = linesOf(captionOf(page, chart), width), above = LINE * title.length + legend.height, whole = above + height + LINE * (caption.length + 0.5);
    const [across, down] = cm > 0 ? [`${cm}cm`, `${(whole / PER_CM).toFixed(2)}cm`] : [width, whole];
    const text = (lines, y, kind) => lines.map((line, i) => svg("text", { class: kind, x: 0, y: y + LINE * (i + 0.75) }, line));
    const figure = svg("svg", { class: cm > 0 ? "drawing paper-size" : "drawing", width: across, height: down, viewBox: `0 0 ${width} ${whole}` },
        svg("rect", { class: "paper", width: "100%", height: "100%" }), text(title, 0, "title"),
        svg("g", { transform: `translate(0, ${LINE * (title.length + 0.75)})` }, legend.shapes), node, text(caption, above + height + LINE / 2));
    node.setAttribute("y", above);
    root.dataset.theme = cm > 0 ? "light" : theme;
    document.body.append(figure); // only what stands in the page has a computed style
    const copy = withStyle(figure.cloneNode(true), figure);
    figure.remove();
    root.dataset.theme = theme;
    copy.querySelectorAll("[aria-hidden]").forEach((one) => one.removeAttribute("aria-hidden"));
    return { text: new XMLSerializer().serializeToString(copy), pixels: [width, whole].map((one) => Math.round(one * (cm > 0 ? DOTS_PER_CM / PER_CM : SCREEN_SCALE))) };
}

function savePng(name, { text, pixels: [width, height] }) {
    const image = new Image(), canvas = el("canvas", { width, height });
    image.onload = () => {
        canvas.getContext("2d").drawImage(image, 0, 0, width, height);
        canvas.toBlob((blob) => save(`${name}.png`, blob));
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
}

/** Returns a line of names with their units, and a line for each x: the value of each series, and the ends of its band if it has one. */
function tableOf({ x: { label, unit = "", plain = unit, numberOf = Number }, y, series }) {
    const xs = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b), behind = (of) => (of ? ` (${of})` : "");
    const names = series.flatMap((one) => (one.low ? ["", " low", " high"] : [""]).map((end) => `${one.label || y.label}${end}${behind(y.unit)}`));
    const places = series.map((one) => new Map(one.x.map((x, i) => [x, i])));
    return [[`${label}${behind(plain)}`, ...names], ...xs.map((x) => [numberOf(x), ...series.flatMap((one, s) => {
        const i = places[s].get(x), columns = one.low ? [one.y, one.low, one.high] : [one.y];
        return columns.map((column) => (i === undefined ? null : column[i]));
    })])];
}

function htmlTable(chart) {
    const [names, ...lines] = tableOf({ ...chart, x: { ...chart.x, numberOf: chart.x.format ?? number } });
    return wideTable(`Data: ${chart.title}`, "data", names, lines.map(([x, ...values]) => el("tr", {}, el("th", { scope: "row" }, x),
        values.map((value) => el("td", { class: "number" }, value === null ? "" : number(value, 6))))), true);
}

/** Returns the menu to save or link a chart, and its table; `shown` returns the width of its drawing, and the zoom. */
export function saveMenu(page, chart, shown, anchor) {
    const table = el("div", { class: "as-table" });
    let size = SCREEN;
    const figure = () => figureOf(page, chart, shown(), SIZES[size]);
    const show = ({ target }) => {
        table.replaceChildren(...(table.firstChild ? [] : [htmlTable(chart)]));
        target.textContent = table.firstChild ? "hide table" : "show as table";
    };
    const menu = el("details", { class: "take" }, el("summary", { "aria-label": `save: ${chart.title}` }, "save"),
        el("div", {},
            select("size ", Object.entries(SIZES).map(([name, cm]) => option(name, size, cm > 0 ? `${name}, ${cm} cm` : name)), (name) => { size = name; }),
            button("SVG", () => save(`${anchor}.svg`, figure().text)), button("PNG", () => savePng(anchor, figure())),
            button("data (CSV)", () => save(`${anchor}.csv`, `# ${captionOf(page, chart)}\n${csvOf(tableOf(chart))}`)),
            button("show as table", show), el("a", { href: `#${anchor}` }, "link")));
    return { menu, table };
}

/** Returns buttons for what a paper has to tell of the runs besides figures. */
export const paperButtons = (page) => el("p", { class: "note on-screen" }, "For a paper: ",
    button("answers as LaTeX", () => save("answers.tex", latexOf(page))), " ",
    button(page.runs.length > 1 ? "cite these runs (BibTeX)" : "cite this run (BibTeX)", () => save("mlpboot.bib", bibtexOf(page))));
