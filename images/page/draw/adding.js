/* adding: brings further runs into the page, by buttons, or from files dropped on it. */
import { el } from "./dom.js";
import { counted } from "../data/format.js";
import { readGiven } from "../data/files.js";
import { changeRuns, withRuns } from "../data/runs.js";

/** Returns a button that adds files: a label around a file input, which itself need not be seen. */
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
        const roots = [...event.dataTransfer.items].filter((item) => item.kind === "file").map(rootOf);
        const given = await Promise.all(roots.map(filesOfRoot));
        if (roots.length > 0)
            await add(page, given.flat());
    });
}

/**
 * Returns all that the browser gives of a dropped item; call it before the first wait, which ends that. In a page from
 * a file, Chromium reads no folder by its entry (WICG/entries-api, issue 36), but by its handle, which others lack.
 */
const rootOf = (item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry(), handle: item.getAsFileSystemHandle?.() });

/** Returns the file, or the files below the folder; a folder that cannot be read becomes a run that fails with the reason. */
async function filesOfRoot({ file, entry, handle }) {
    const root = await handle?.catch(() => null) ?? entry, files = []; // the browser refuses the handle of some folders
    if (!isFolder(root ?? {}))
        return [givenFile(file.name, async () => file)];
    try {
        for await (const one of walk(root, root.name))
            files.push(one);
    } catch (error) {
        const why = new Error(`the browser cannot read this folder (${error.message}) "Add a folder" may do it`);
        files.push({ path: `${root.name}/results.csv`, text: () => Promise.reject(why) });
    }
    return files;
}

const isFolder = (one) => one.kind === "directory" || one.isDirectory;
const givenFile = (path, open) => ({ path, text: async () => (await open()).text() });

async function* walk(folder, path) {
    for await (const one of folder.values?.() ?? entriesOf(folder)) {
        if (isFolder(one))
            yield* walk(one, `${path}/${one.name}`);
        else
            yield givenFile(`${path}/${one.name}`, () => one.getFile?.() ?? called(one, "file"));
    }
}

async function* entriesOf(folder) {
    const reader = folder.createReader();
    for (let some; (some = await called(reader, "readEntries")).length > 0;) // which gives 100 at a time
        yield* some;
}

const called = (object, method) => new Promise((resolve, reject) => object[method](resolve, reject));

async function add(page, given) {
    const parser = new DOMParser();
    const { runs, refused } = await readGiven(given, (html) => parser.parseFromString(html, "text/html"), (done) =>
        document.querySelector("#runs output")?.replaceChildren(`Reading: ${done} of ${given.length} files.`));
    const all = withRuns(page.runs, runs), come = all.length - page.runs.length, known = runs.length - come;
    changeRuns(page, all, [
        come > 0 ? `${counted(come, "run")} came.` : null,
        known > 0 ? `${counted(known, "run")} ${known > 1 ? "were" : "was"} here already.` : null,
        ...refused.map((one) => `${one.path}: ${one.why}.`),
        runs.length + refused.length === 0 ? "There is no run in it." : null,
    ].filter(Boolean));
}
