/* runs: which runs are in the page, their colours and order; further ones come and go. */
import { addButton } from "../draw/adding.js";
import { chip } from "../draw/chart.js";
import { el, option, select } from "../draw/dom.js";
import { verdictWords } from "../data/answers.js";
import { distinct } from "../data/format.js";
import { howMeasured, startOf } from "../data/run.js";
import { changeRuns, commonFigures, ORDERS, withoutRun } from "../data/runs.js";

function render(page) {
    const several = page.runs.length > 1;
    return [
        page.runs.length === 0 ? el("p", {}, "This page holds no run: nothing was saved into it, or it was cut off " +
            "before its first part.") : null,
        several ? el("ul", { class: "runs" }, page.runs.map((run) => listed(page, run))) : null,
        el("div", { class: "adding" }, several ? orderChooser(page) : null,
            addButton(page, "Add files", { accept: ".html,.json,.csv" }),
            addButton(page, "Add a folder", { webkitdirectory: true }),
            el("span", {}, "or drop further runs on this page: report.html, folders, a stick's whole results")),
        el("output", {}, page.order.notices.map((notice) => el("p", {}, notice))),
    ];
}

function listed(page, run) {
    const { processor = {}, machine = {} } = run.json;
    const facts = [...distinct([processor.brand], [run.title]), howMeasured(run), startOf(run), machine.id && `machine ${machine.id}`, ...run.damage];
    return el("li", {}, chip(run), el("strong", {}, run.title), el("span", {}, facts.filter(Boolean).join(" · ")),
        el("button", { type: "button", "aria-label": `Remove ${run.title}`,
            onclick: () => changeRuns(page, withoutRun(page.runs, run), [`${run.title} was removed.`]) }, "Remove"));
}

function orderChooser(page) {
    const { order } = page, optionOf = (by, words) => option(by, order.by, words);
    const reorder = (change) => {
        Object.assign(order, change);
        changeRuns(page, page.runs, []);
    };
    return [
        select("order ", [Object.keys(ORDERS).map((by) => optionOf(by)),
            el("optgroup", { label: "by a figure" }, commonFigures(page.runs).map(([key, of]) => optionOf(key, verdictWords(of))))], (by) => reorder({ by })),
        el("button", { type: "button", "aria-pressed": String(order.isReversed),
            onclick: () => reorder({ isReversed: !order.isReversed }) }, "largest first"),
    ];
}

export const runs = { id: "runs", title: "Runs", render };
