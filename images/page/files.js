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

/** The pieces that a document of this page's kind holds; a piece that was cut off is left out. */
export function piecesOf(parsed) {
    const pieces = [];
    for (const element of parsed.querySelectorAll("script.file[type='application/json']")) {
        try {
            pieces.push(JSON.parse(element.textContent));
        } catch {
            // The power went while it was written.
        }
    }
    return pieces;
}

export function runsOf(parsed) {
    return [...joinPieces(piecesOf(parsed))].map(([name, files]) => readRun(name, files));
}
