/* main: reads the runs, and shows the sections: those in view at once, the others one after the other. */
import { acceptDrops } from "./draw/adding.js";
import { el, refill } from "./draw/dom.js";
import { runsOf } from "./data/files.js";
import { chosenRuns, fleetOf } from "./data/fleet.js";
import { applyTheme, fillHeader, fillNav } from "./frame.js";
import { adviceOf } from "./data/advice.js";
import { allAnswers } from "./data/answers.js";
import { commonUnits, unitToStart } from "./data/format.js";
import { addressOf, readAddress } from "./data/address.js";
import { readPublished } from "./data/published.js";
import publishedText from "./published.csv";
import referencesText from "./references.csv";
import { whyMissing } from "./data/run.js";
import { withRuns } from "./data/runs.js";
import { sections } from "./sections.js";
import { strip } from "./sections/strip.js";

const page = {
    runs: [], unit: "ns", choices: {}, notices: [],
    published: readPublished(publishedText), references: readPublished(referencesText), redraw: render, remember,
};
const root = document.documentElement;
const TURN_MS = 30; // the browser draws after it
let turns = 0;
let touched = null; // the section in which the user did something last

function contentOf(section) {
    try {
        const elements = section.render(page).flat(Infinity).filter(Boolean), [experiment] = section.experiments ?? [];
        return elements.length > 0 || !experiment ? elements : [el("p", { class: "missing" }, whyMissing(page.runs[0], experiment))];
    } catch (error) {
        console.error(error);
        return [el("p", { class: "failed" }, `This part could not be shown: ${error.message}`)];
    }
}

function show(section, element) {
    const content = contentOf(section);
    const isMissing = content.length > 0 && content.every((one) => one.className === "missing");
    place(section, element, isMissing);
    refill(element, el(isMissing ? "h3" : "h2", { id: `${section.id}-title` }, section.title), ...content);
    element.hidden = content.length === 0;
    element.removeAttribute("aria-busy");
}

/** Sections without results stand in one list at the end, the others in the page's order. */
function place(section, element, isMissing) {
    const list = document.getElementById("missing");
    if (isMissing && !list.contains(element)) {
        list.append(element);
    } else if (!isMissing && list.contains(element)) {
        const later = sections.slice(sections.indexOf(section) + 1).map(({ id }) => document.getElementById(id));
        list.parentElement.insertBefore(element, later.find((one) => !list.contains(one)) ?? list);
    }
}

const isInView = ({ top, bottom }) => bottom > 0 && top < innerHeight;

/** Returns the sections' elements, in the page, empty at first. Without a run there is only the section to add one, and the fleet. */
function elementsOf() {
    const main = document.querySelector("main");
    const shown = sections.filter(({ id }) => (id === "fleet" ? page.fleet : id === "runs" || page.runs.length > 0));
    if (main.querySelectorAll("section").length !== shown.length)
        main.replaceChildren(...shown.map(({ id }) =>
            el("section", { id, "aria-labelledby": `${id}-title`, "aria-busy": "true" })),
        el("div", { id: "missing" }, el("h2", {}, "Not measured here, and why")));
    return shown.map((section) => [section, document.getElementById(section.id)]);
}

/** Shows one section after the other, with room for the browser to draw between them. */
function showInTurn(waiting, turn) {
    if (turn !== turns)
        return; // the page was rendered anew meanwhile
    if (waiting.length === 0) {
        fillNav(page);
        if (turn === 1) // the address's place was not in the page before
            document.getElementById(readAddress(location.hash).anchor)?.scrollIntoView();
        root.dataset.ready = "yes"; // charts follow as soon as they have a width
        return;
    }
    const end = performance.now() + TURN_MS;
    while (waiting.length > 0 && performance.now() < end)
        show(...waiting.shift());
    setTimeout(showInTurn, 0, waiting, turn);
}

function begin() {
    if (!commonUnits(page.runs).includes(page.unit))
        page.unit = "ticks";
    const machines = page.fleet?.reduce((sum, group) => sum + group.machines, 0);
    document.title = `mlpboot: ${machines ? `${machines} machines` : page.runs.length === 1 ? page.runs[0].title : `${page.runs.length} runs`}`;
    applyTheme(page);
    page.answers = allAnswers(page.runs);
    page.advice = page.runs.map((run, i) => adviceOf(run, page.answers.map((found) => found[i])));
    fillHeader(page, contentOf({ render: strip }));
    delete root.dataset.ready;
    return elementsOf();
}

/** Writes the reader's place in the page, and the reader's choices, into the address. */
function remember(anchor = readAddress(location.hash).anchor) {
    history.replaceState(null, "", addressOf(page, anchor, unitToStart(page.runs)) || "#");
}

/** Follows the address that the page was opened with, or that was typed, or of a link within the page. */
function followAddress() {
    const { anchor, unit, choices } = readAddress(location.hash);
    if (unit !== undefined || Object.keys(choices).length > 0) {
        page.choices = choices;
        page.runs = page.fleet ? chosenRuns(page, document) : page.runs;
        page.unit = unit ?? unitToStart(page.runs);
        render();
    } else {
        remember(anchor); // a link within the page keeps what was chosen
        document.getElementById(anchor)?.scrollIntoView();
    }
}

function render() {
    remember();
    const all = begin(), turn = ++turns;
    const isFirst = new Set(all.filter(([, element]) => element === touched || isInView(element.getBoundingClientRect())));
    isFirst.forEach((one) => show(...one));
    showInTurn(all.filter((one) => !isFirst.has(one)), turn);
}

/** Renders the page for paper: light, all sections at once, at the paper's width. */
function renderForPrint() {
    root.dataset.print = "yes";
    turns++;
    begin().forEach((one) => show(...one));
    document.querySelectorAll(".plot").forEach((host) => host.fit?.());
    root.dataset.ready = "yes";
}

page.fleet = fleetOf(document);
page.runs = page.fleet ? [] : withRuns([], runsOf(document));
acceptDrops(page);
for (const kind of ["click", "change", "input"])
    addEventListener(kind, ({ target }) => { touched = target.closest?.("section") ?? null; }, true);
page.unit = unitToStart(page.runs);
followAddress();
render();
addEventListener("hashchange", followAddress);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme(page));
addEventListener("beforeprint", renderForPrint);
addEventListener("afterprint", () => {
    delete root.dataset.print;
    render();
});
