/* frame: what is around the sections: heading, choices for the whole page, contents, theme. */
import { chooser, el } from "./draw/dom.js";
import { commonUnits, number } from "./data/format.js";
import { sections } from "./sections.js";

const THEMES = ["system", "light", "dark"];

/** Light or dark, as chosen or as the system has it; paper is light. */
export function applyTheme(page) {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = root.dataset.print ? "light" : page.theme === "system" ? system : page.theme;
}

function choose(page, name) {
    return (choice) => {
        page[name] = choice;
        page.redraw();
    };
}

/** What these runs are, in one line. */
function summary(runs) {
    const brands = new Set(runs.map((run) => run.json.processor?.brand).filter(Boolean));
    const which = runs.length === 1 ? `run ${runs[0].title}` : `${runs.length} runs`;
    return [...brands].slice(0, 3).concat(which).join(" · ");
}

/** What a tick is, which verdicts' methods count in. */
function tickWords(runs) {
    const ns = new Set(runs.map((run) => number(1e9 / run.json.tsc_hz, 3)));
    return `a tick is one step of the processor's time-stamp counter${ns.size === 1 ? `: ${[...ns][0]} ns here` : ""}`;
}

function unitChooser(page, units) {
    const control = chooser("times in", units, page.unit, choose(page, "unit"));
    control.title = tickWords(page.runs);
    return [control, el("span", { class: "note" }, tickWords(page.runs))];
}

/** What had the focus in it has it again. */
export function fillHeader(page) {
    const units = commonUnits(page.runs), header = document.querySelector("header");
    const focused = header.contains(document.activeElement) ? document.activeElement.value : null;
    header.replaceChildren(
        el("div", {}, el("h1", {}, "mlpboot"),
            page.runs.length > 0 ? el("p", { class: "summary" }, summary(page.runs)) : null),
        el("div", { class: "choices" },
            page.runs.length > 0 && units.length > 1 ? unitChooser(page, units) : null,
            chooser("theme", THEMES, page.theme, choose(page, "theme"))));
    header.querySelector(`input[value="${focused}"]`)?.focus({ preventScroll: true });
}

/** Links to the sections that there are, and one to the list of those without results. */
export function fillNav() {
    const links = sections.map(({ id, title }) => [document.getElementById(id), title])
        .filter(([element]) => element?.parentElement.matches("main") && !element.hidden)
        .map(([element, title]) => el("a", { href: `#${element.id}` }, title));
    if (document.querySelector("#missing:not([hidden])"))
        links.push(el("a", { href: "#missing", class: "absent" }, "Not measured"));
    document.querySelector("nav").replaceChildren(...links);
}
