/* files: where the texts of runs come from: elements of this page, other pages, folders. */
import { readRun } from "./run.js";

const NAMES = new Set(["run.json", "verdicts.csv", "results.csv"]);

/**
 * Puts pieces of files together.
 * @param {{run: string, file: string, how: "append"|"replace", text: string}[]} pieces  in order
 * @returns {Map<string, Map<string, string>>} texts by run and file
 */
export function joinPieces(pieces) {
    const runs = new Map();
    for (const { run, file, how, text } of pieces) {
        if (!runs.has(run))
            runs.set(run, new Map());
        const parts = runs.get(run);
        if (how === "replace" || !parts.has(file))
            parts.set(file, []);
        parts.get(file).push(text);
    }
    for (const parts of runs.values())
        for (const [file, texts] of parts)
            parts.set(file, texts.join(""));
    return runs;
}

const RUN_OF_CUT = /^\{"run":\s*"([^"\\]*)"/;

/**
 * The pieces that a document of this page's kind holds. Where the power went while one was written,
 * there is `cut` in its place, with the name of its run as far as it can be read.
 */
export function piecesOf(parsed) {
    return [...parsed.querySelectorAll("script.file[type='application/json']")].map(({ textContent }) => {
        try {
            const piece = JSON.parse(textContent);
            if (typeof piece.run === "string" && typeof piece.text === "string")
                return piece;
        } catch {
            // as what has no text
        }
        return { cut: true, run: RUN_OF_CUT.exec(textContent)?.[1] };
    });
}

export function runsOf(parsed) {
    const pieces = piecesOf(parsed), cut = pieces.filter((piece) => piece.cut);
    const texts = joinPieces(pieces.filter((piece) => !piece.cut));
    for (const { run } of cut)
        if (run !== undefined && !texts.has(run))
            texts.set(run, new Map());
    const runs = [...texts].map(([name, files]) => readRun(name, files));
    for (const { run } of cut)
        (runs.find((one) => one.name === run) ?? runs.at(-1))?.damage.push(
            "this page was cut off while it was written: what came later is missing");
    return runs;
}
