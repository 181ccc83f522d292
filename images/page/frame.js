/* frame: fills the page around the sections: heading, choices for the whole page, contents, theme. */
import { barOf, keep } from "./draw/choices.js";
import { chooser, el, refill } from "./draw/dom.js";
import { commonUnits } from "./data/format.js";
import { sections } from "./sections.js";

const THEMES = ["system", "light", "dark"];

/** Sets light or dark, as chosen or as the system has it; paper is light. */
export function applyTheme(page) {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = root.dataset.print ? "light" : page.choices.theme || system;
}

/** Fills the header; `head`: what it says of the runs. */
export function fillHeader(page, head) {
    const units = commonUnits(page.runs);
    refill(document.querySelector("header"), el("h1", {}, "mlpboot"),
        el("div", { class: "choices" },
            page.runs.length > 0 && units.length > 1 ? chooser("times in", units, page.unit, (unit) => Object.assign(page, { unit }).redraw()) : null,
            chooser("theme", THEMES, page.choices.theme || "system", (theme) => keep(page, { theme: theme === "system" ? "" : theme }))),
        el("div", { class: "about" }, head,
            page.unit === "ticks" ? el("p", { class: "note" }, "A tick is one step of the processor's time-stamp counter.") : null));
}

export function fillNav(page) {
    const links = sections.map(({ id, title }) => [document.getElementById(id), title])
        .filter(([element]) => element?.parentElement.matches("main") && !element.hidden && element.id !== "runs")
        .map(([element, title]) => el("a", { href: `#${element.id}` }, title));
    if (document.querySelector("#missing:has(section)"))
        links.push(el("a", { href: "#missing", class: "absent" }, "Not measured"));
    refill(document.querySelector("nav"), ...links, el("div", { class: "bar" }, barOf(page)));
}
