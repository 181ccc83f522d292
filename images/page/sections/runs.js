/* runs: further runs come into the page. */
import { addButton } from "../draw/adding.js";
import { el } from "../draw/dom.js";

function render(page) {
    return [
        page.runs.length === 0 && !page.fleet ? el("p", {}, "This page holds no run: nothing was saved into it, or it was cut off " +
            "before its first part.") : null,
        el("div", { class: "adding" },
            addButton(page, "Add files", { accept: ".html,.json,.csv" }),
            addButton(page, "Add a folder", { webkitdirectory: true }),
            el("span", {}, "or drop further runs on this page: report.html, folders, a stick's whole results")),
        el("output", {}, page.notices.map((notice) => el("p", {}, notice))),
    ];
}

export const runs = { id: "runs", title: "Runs", render };
