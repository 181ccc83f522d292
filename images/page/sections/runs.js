/* runs: which runs are in the page, their colours and order; further ones come and go. */
import { addButton } from "../draw/adding.js";
import { runColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { changeRuns, commonFigures, ORDERS, withoutRun } from "../data/runs.js";

function render(page) {
    const several = page.runs.length > 1;
    return [
        page.runs.length === 0 ? el("p", {}, "This page holds no run: nothing was saved into it, or it was cut off " +
            "before its first part.") : null,
        several ? el("ul", { class: "runs" }, page.runs.map((run) => listed(page, run))) : null,
        el("div", { class: "adding" },
            several ? orderChooser(page) : null,
            addButton(page, "Add files", { accept: ".html,.json,.csv" }),
            addButton(page, "Add a folder", { webkitdirectory: true }),
            el("span", {}, "or drop further runs on this page: report.html, folders, a stick's whole results")),
        el("output", {}, page.order.notices.map((notice) => el("p", {}, notice))),
    ].filter(Boolean);
}

function listed(page, run) {
    const { processor = {}, platform, machine = {} } = run.json;
    const facts = [processor.brand, platform, machine.utc_start?.slice(0, 16).replace("T", " "),
        machine.id && `machine ${machine.id}`, ...run.damage];
    return el("li", {}, chip(run), el("strong", {}, run.title), el("span", {}, facts.filter(Boolean).join(" · ")),
        el("button", { type: "button", "aria-label": `Take ${run.title} away`,
            onclick: () => changeRuns(page, withoutRun(page.runs, run), [`${run.title} was taken away.`]) },
        "take away"));
}

/** A patch of the run's colour. */
export function chip(run) {
    return el("i", { class: "chip", style: `background:${runColor(run)}` });
}

function orderChooser(page) {
    const { order } = page;
    const option = (value) => el("option", { value, selected: value === order.by }, value);
    const reorder = (change) => {
        Object.assign(order, change);
        changeRuns(page, page.runs, []);
    };
    return [
        el("label", {}, "order ", el("select", { onchange: (event) => reorder({ by: event.target.value }) },
            Object.keys(ORDERS).map(option),
            el("optgroup", { label: "by a figure" }, commonFigures(page.runs).map(option)))),
        el("button", { type: "button", "aria-pressed": String(order.isReversed),
            onclick: () => reorder({ isReversed: !order.isReversed }) }, "largest first"),
    ];
}

export const runs = { id: "runs", title: "Runs", render };
