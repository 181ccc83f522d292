/* runs: which runs are in the page, and their colours; further ones come and go. */
import { addButton } from "../draw/adding.js";
import { chip } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { distinct } from "../data/format.js";
import { howMeasured, startOf } from "../data/run.js";
import { changeRuns, withoutRun } from "../data/runs.js";

function render(page) {
    return [
        page.runs.length === 0 && !page.fleet ? el("p", {}, "This page holds no run: nothing was saved into it, or it was cut off " +
            "before its first part.") : null,
        page.runs.length > 1 ? el("ul", { class: "runs" }, page.runs.map((run) => listed(page, run))) : null,
        el("div", { class: "adding" },
            addButton(page, "Add files", { accept: ".html,.json,.csv" }),
            addButton(page, "Add a folder", { webkitdirectory: true }),
            el("span", {}, "or drop further runs on this page: report.html, folders, a stick's whole results")),
        el("output", {}, page.notices.map((notice) => el("p", {}, notice))),
    ];
}

function listed(page, run) {
    const { processor = {}, machine = {} } = run.json;
    const facts = [...distinct([processor.brand], [run.title]), howMeasured(run), startOf(run), machine.id && `machine ${machine.id}`, ...run.damage];
    return el("li", {}, chip(run), el("strong", {}, run.title), el("span", {}, facts.filter(Boolean).join(" · ")),
        el("button", { type: "button", "aria-label": `Remove ${run.title}`,
            onclick: () => changeRuns(page, withoutRun(page.runs, run), [`${run.title} was removed.`]) }, "Remove"));
}

export const runs = { id: "runs", title: "Runs", render };
