/* frame: fills the page around the sections: heading, choices for the whole page, contents, theme. */
import { keep } from "./draw/choices.js";
import { chooser, el, refill } from "./draw/dom.js";
import { commonUnits, distinct, number } from "./data/format.js";
import { uarchOf } from "./data/published.js";
import { failuresOf, howMeasured, isEmulated, startOf } from "./data/run.js";
import { chip } from "./draw/chart.js";
import { caveatsOf } from "./sections/identity.js";
import { sections } from "./sections.js";

const THEMES = ["system", "light", "dark"];

/** Sets light or dark, as chosen or as the system has it; paper is light. */
export function applyTheme(page) {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = root.dataset.print ? "light" : page.choices.theme || system;
}

/** Describes a run in one line, by its processor, platform, start and length, and in another one its caveats. */
function summary(page, run) {
    const { processor = {}, seconds, version } = run.json, caveats = caveatsOf(run);
    const who = [processor.brand, processor.family && `microarchitecture ${uarchOf(page.published, run) || "not known"}`].filter(Boolean).join(", ");
    const facts = [...distinct([run.title], [processor.brand]).map((title) => `run ${title}`), howMeasured(run), startOf(run) && `${startOf(run)} UTC`, seconds === undefined ? null : `${number(seconds)} s`,
        version && `mlpboot ${version}`].filter(Boolean);
    return [el("p", { class: "summary" }, page.runs.length > 1 ? chip(run) : null, who && [el("strong", {}, who), " · "], facts.join(" · ")),
        caveats.length > 0 ? el("p", { class: "summary caveats" }, `Caveats: ${caveats.join("; ")}.`) : null];
}

/** Lists why runs are not done, above everything else. */
const failures = (page) => page.runs.flatMap((run) => failuresOf(run).map((words) =>
    el("p", { class: "summary failed" }, page.runs.length > 1 ? `${run.title}: ` : "This run is not done. ", words)));

const emulated = (page) => page.runs.filter(isEmulated).map((run) => el("p", { class: "summary emulated" },
    page.runs.length > 1 ? `${run.title}: emulated. ` : "Emulated. ", "Each step was run, and no time, size or count is a processor's."));

export function fillHeader(page) {
    const units = commonUnits(page.runs);
    refill(document.querySelector("header"), el("h1", {}, "mlpboot"),
        el("div", { class: "choices" },
            page.runs.length > 0 && units.length > 1 ? chooser("times in", units, page.unit, (unit) => Object.assign(page, { unit }).redraw()) : null,
            chooser("theme", THEMES, page.choices.theme || "system", (theme) => keep(page, { theme: theme === "system" ? "" : theme }))),
        el("div", { class: "failures" }, emulated(page), failures(page)),
        el("div", { class: "about" }, page.runs.map((run) => summary(page, run)),
            page.unit === "ticks" ? el("p", { class: "note" }, "A tick is one step of the processor's time-stamp counter.") : null));
}

export function fillNav() {
    const links = sections.map(({ id, title }) => [document.getElementById(id), title])
        .filter(([element]) => element?.parentElement.matches("main") && !element.hidden && element.matches(":not(#runs), :has(.runs)"))
        .map(([element, title]) => el("a", { href: `#${element.id}` }, title));
    if (document.querySelector("#missing:has(section)"))
        links.push(el("a", { href: "#missing", class: "absent" }, "Not measured"));
    document.querySelector("nav").replaceChildren(...links);
}
