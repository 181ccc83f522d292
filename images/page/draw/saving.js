/* saving: saves a chart for other programs: as SVG with its title, legend and colours, as PNG, or as a table. */
import { button, el, save, svg, wideTable } from "./dom.js";
import { number } from "../data/format.js";

const LINE = 18, BOX = 20; // pixels: of text above the drawing, of a line in its legend
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "font-size",
    "font-family", "font-weight"];

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

/** Returns the chart as an SVG document by itself, with its title and legend above it. */
function svgText(chart, drawing) {
    const width = drawing.width.baseVal.value, height = drawing.height.baseVal.value;
    const named = chart.series.length > 1 ? chart.series.filter(({ label }) => label) : [], above = LINE * (named.length + 1) + 8;
    const inner = drawing.cloneNode(true);
    const root = svg("svg", { class: "drawing", width, height: height + above, viewBox: `0 0 ${width} ${height + above}` },
        svg("rect", { class: "paper", width: "100%", height: "100%" }), svg("text", { class: "title", x: 0, y: 14 }, chart.title),
        named.map(({ label, color, dash }, row) => svg("g", { transform: `translate(0, ${LINE * (row + 2) - 5})` },
            svg("path", { class: "line", d: `M0,-4H${BOX}`, style: `color:${color}`, "stroke-dasharray": dash?.join(" ") }),
            svg("text", { x: BOX + 6 }, label))), inner);
    inner.setAttribute("y", above);
    drawing.parentNode.append(root); // only what stands in the page has a computed style
    const copy = withStyle(root.cloneNode(true), root);
    root.remove();
    copy.querySelectorAll("[aria-hidden]").forEach((one) => one.removeAttribute("aria-hidden"));
    return { text: new XMLSerializer().serializeToString(copy), width, height: height + above };
}

const SCALE = 2; // of a PNG's pixels

function savePng(name, { text, width, height }) {
    const image = new Image(), canvas = el("canvas", { width: SCALE * width, height: SCALE * height });
    image.onload = () => {
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => save(`${name}.png`, blob));
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
}

/** Returns a line of names, and a line for each x: the value of each series, and the ends of its band if it has one. */
function tableOf({ x: { label }, series }) {
    const xs = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
    const names = series.flatMap((one) => [one.label, ...(one.low ? [`${one.label} low`, `${one.label} high`] : [])]);
    const places = series.map((one) => new Map(one.x.map((x, i) => [x, i])));
    return [[label, ...names], ...xs.map((x) => [x, ...series.flatMap((one, s) => {
        const i = places[s].get(x), columns = one.low ? [one.y, one.low, one.high] : [one.y];
        return columns.map((column) => (i === undefined ? null : column[i]));
    })])];
}

/** Returns the numbers, tab-separated, as spreadsheets take them from the clipboard. */
const tabbed = (chart) => tableOf(chart).map((line) => line.map((one) => one ?? "").join("\t")).join("\n");

export const copyButton = (label, text) => button(label, ({ target }) => copy(text(), target));

async function copy(text, button) {
    const area = el("textarea", { "aria-label": "copied" });
    try {
        await navigator.clipboard.writeText(text);
    } catch { // some browsers refuse this to a page from a file
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
    button.textContent = "copied";
}

function htmlTable(chart) {
    const [names, ...lines] = tableOf(chart), xText = chart.x.format ?? number;
    return wideTable(`Data: ${chart.title}`, "data", names, lines.map(([x, ...values]) => el("tr", {}, el("th", { scope: "row" }, xText(x)),
        values.map((value) => el("td", { class: "number" }, value === null ? "" : number(value, 6))))), true);
}

/** Returns the menu to save, copy or link a chart, and its table; `drawing` returns the chart's present drawing. */
export function takeMenu(chart, drawing, anchor) {
    const table = el("div", { class: "as-table" });
    const show = ({ target }) => {
        table.replaceChildren(...(table.firstChild ? [] : [htmlTable(chart)]));
        target.textContent = table.firstChild ? "hide table" : "show as table";
    };
    const menu = el("details", { class: "take" }, el("summary", { "aria-label": `take away: ${chart.title}` }, "take"),
        el("div", {},
            button("save SVG", () => save(`${anchor}.svg`, svgText(chart, drawing()).text)),
            button("save PNG", () => savePng(anchor, svgText(chart, drawing()))),
            copyButton("copy data", () => tabbed(chart)), button("show as table", show), el("a", { href: `#${anchor}` }, "link")));
    return { menu, table };
}
