/* main: reads the runs and shows the sections. */
import { acceptDrops } from "./adding.js";
import { el } from "./dom.js";
import { runsOf } from "./files.js";
import { whyMissing } from "./run.js";
import { unordered, withRuns } from "./runs.js";
import { sections } from "./sections.js";

const page = { runs: [], unit: "ticks", choices: {}, order: unordered(), redraw: render };

function renderSection(section) {
    const elements = section.render(page);
    const missing = (section.experiments ?? []).slice(0, 1).map((experiment) =>
        el("p", { class: "missing" }, whyMissing(page.runs[0], experiment)));
    return el("section", { id: section.id, hidden: elements.length + missing.length === 0 }, el("h2", {}, section.title),
        elements.length > 0 ? elements : missing);
}

function render() {
    const main = document.querySelector("main");
    main.replaceChildren(...(page.runs.length > 0 ? sections.map(renderSection) :
        [el("p", {}, "This page holds no run.")]));
    document.documentElement.dataset.ready = "yes"; // charts follow as soon as they have a width
}

page.runs = withRuns([], runsOf(document));
document.title = page.runs.length === 1 ? `mlpboot: ${page.runs[0].title}` : `mlpboot: ${page.runs.length} runs`;
acceptDrops(page);
render();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
