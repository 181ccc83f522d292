/* adding: further runs come into the page, by buttons or dropped on it. */
import { el } from "./dom.js";
import { readGiven } from "./files.js";
import { changeRuns, withRuns } from "./runs.js";

/** A label around a file input: nobody has to see the input itself. */
export function addButton(page, label, attributes) {
    const input = el("input", { type: "file", multiple: true, ...attributes, onchange: () => add(page,
        [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, text: () => file.text() }))) });
    return el("label", { class: "button" }, input, el("span", {}, label));
}

/** Takes what is dropped anywhere on the page; the browser would open it in place of the page. */
export function acceptDrops(page) {
    addEventListener("dragover", (event) => {
        event.preventDefault();
        document.documentElement.classList.add("dropping");
    });
    for (const end of ["dragleave", "drop"])
        addEventListener(end, () => document.documentElement.classList.remove("dropping"));
    addEventListener("drop", async (event) => {
        event.preventDefault();
        // Entries are there only until the first wait.
        const roots = [...event.dataTransfer.items].filter((item) => item.kind === "file")
            .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
        const given = await Promise.all(roots.map((root) => filesBelow(root, "")));
        if (roots.length > 0)
            await add(page, given.flat());
    });
}

/** @param {FileSystemEntry|File} entry */
async function filesBelow(entry, folder) {
    const path = folder + entry.name;
    if (entry instanceof File)
        return [{ path, text: () => entry.text() }];
    if (entry.isFile)
        return [{ path, text: async () => (await called(entry, "file")).text() }];
    const files = [], reader = entry.createReader();
    try {
        for (let some; (some = await called(reader, "readEntries")).length > 0;) // which gives 100 at a time
            for (const one of some)
                files.push(...await filesBelow(one, `${path}/`));
    } catch (error) {
        files.push({ path: `${path}/results.csv`, text: () => Promise.reject(error) }); // so that it is told
    }
    return files;
}

const called = (object, method) => new Promise((resolve, reject) => object[method](resolve, reject));

/** @param {import("./files.js").Given[]} given */
async function add(page, given) {
    const parser = new DOMParser();
    const { runs, refused } = await readGiven(given, (html) => parser.parseFromString(html, "text/html"), (done) =>
        document.querySelector("#runs output")?.replaceChildren(`Reading: ${done} of ${given.length} files.`));
    const all = withRuns(page.runs, runs), come = all.length - page.runs.length, known = runs.length - come;
    changeRuns(page, all, [
        come > 0 ? `${counted(come)} came.` : null,
        known > 0 ? `${counted(known)} ${known > 1 ? "were" : "was"} here already.` : null,
        ...refused.map((one) => `${one.path}: ${one.why}.`),
        runs.length + refused.length === 0 ? "There is no run in it." : null,
    ].filter(Boolean));
}

const counted = (count) => `${count} ${count > 1 ? "runs" : "run"}`;
