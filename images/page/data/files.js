/* files: reads the texts of runs from elements of this page, from other pages and from folders. */
import { FILES, groupsOf, readRun } from "./run.js";

/** Files that make their folder a run; one of them is enough. */
const SIGNS = ["results.csv", "run.json"];

const WHAT = "report.html, or a folder with results.csv or run.json";

/** Joins pieces of files, which are in order; returns texts by run and file. */
export function joinPieces(pieces) {
    const textOf = (parts) => parts.slice(Math.max(0, parts.findLastIndex(({ how }) => how === "replace"))).map(({ text }) => text).join("");
    return new Map(groupsOf(pieces, ({ run }) => run).map(([run, own]) =>
        [run, new Map(groupsOf(own, ({ file }) => file).map(([file, parts]) => [file, textOf(parts)]))]));
}

const RUN_OF_CUT = /^\{"run":\s*"([^"\\]*)"/;

/**
 * Returns the pieces of files that a document of this page's kind holds. If power was cut while a piece was written,
 * `cut` takes its place, with the name of its run as far as it can be read.
 */
function piecesOf(parsed) {
    return [...parsed.querySelectorAll("script.file[type='application/json']")].map(({ textContent }) => {
        try {
            const piece = JSON.parse(textContent);
            if (typeof piece.run === "string" && typeof piece.text === "string")
                return piece;
        } catch {
            // treated as a piece without text
        }
        return { cut: true, run: RUN_OF_CUT.exec(textContent)?.[1] };
    });
}

/** Returns the runs that a document of this page's kind holds; `wanted`: the names of those to be read, by default all. */
export function runsOf(parsed, wanted) {
    const pieces = piecesOf(parsed), cut = pieces.filter((piece) => piece.cut);
    const texts = joinPieces(pieces.filter((piece) => FILES.includes(piece.file)));
    for (const { run } of cut)
        if (run !== undefined && !texts.has(run))
            texts.set(run, new Map());
    const runs = [...texts].filter(([name]) => !wanted || wanted.includes(name)).map(([name, files]) => readRun(name, files));
    for (const { run } of cut)
        (runs.find((one) => one.name === run) ?? runs.at(-1))?.damage.push(
            "this page was cut off while it was written: what came later is missing");
    return runs;
}

/**
 * Finds runs among files: each folder that holds results.csv or run.json is one, and pages hold some. Skips all other
 * files of a folder. Refuses a file that came alone and is no run, and a folder without any run.
 * @param {{path: string, text: () => Promise<string>}[]} given  path: with its folders, as far as they are known
 * @param {(done: number) => void} tell  gets the number of files read so far
 */
export async function readGiven(given, parse, tell) {
    const found = { runs: [], refused: [] }, count = () => found.runs.length + found.refused.length;
    let done = 0;
    const folders = groupsOf(given, (one) => folderOf(one.path));
    folders.sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true })); // browsers list them in any order
    for (const [root, ofRoot] of groupsOf(folders, ([folder]) => folder.split("/")[0])) {
        const before = count();
        for (const [folder, files] of ofRoot) {
            await readFolder(folder, files, parse, found);
            tell(done += files.length);
        }
        if (count() === before)
            found.refused.push({ path: root, why: "there is no run in this folder" });
    }
    return found;
}

const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const lastOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Reads a folder's runs into `found`. Files without a folder ("") came one by one: each that is no run is refused. */
async function readFolder(folder, files, parse, found) {
    const named = (file) => lastOf(file.path).toLowerCase(); // FAT may have made capitals of it
    const parts = files.filter((file) => FILES.includes(named(file)));
    const isRun = parts.some((file) => SIGNS.includes(named(file)));
    if (isRun)
        await attempt(folder || "files without a folder", found, async () => [await runOfParts(lastOf(folder) || "files", parts, named)]);
    for (const file of files) {
        const isPage = /\.html?$/.test(named(file));
        if (isPage && (!isRun || folder === ""))
            await attempt(file.path, found, async () => runsOf(parse(await file.text())), folder === "" ? "this page holds no run" : null);
        else if (folder === "" && !(isRun && parts.includes(file)))
            found.refused.push({ path: file.path, why: `this is no run: a run is a ${WHAT}` });
    }
}

async function runOfParts(name, parts, named) {
    const texts = new Map();
    for (const part of parts) {
        if (texts.has(named(part)))
            throw new Error(`${named(part)} came twice without its folder; give the folders`);
        texts.set(named(part), await part.text());
    }
    return readRun(name, texts);
}

/** Adds the runs that `read` returns to `found`, or the reason for a refusal: perhaps the stick was pulled out. */
async function attempt(path, found, read, whyNone) {
    try {
        const runs = await read();
        if (runs.length === 0 && whyNone)
            found.refused.push({ path, why: whyNone });
        for (const run of runs) {
            if (run.json.program === "mlpboot" || run.rows.some((row) => row.experiment && row.metric))
                found.runs.push(run);
            else
                found.refused.push({ path, why: run.files.size > 0 ?
                    "neither its run.json nor its results.csv is one of mlpboot" : `run ${run.name} was cut off at its start` });
        }
    } catch (error) {
        found.refused.push({ path, why: error.message });
    }
}
