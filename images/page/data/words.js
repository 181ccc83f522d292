/* words: what names in files are called on the page, by words.csv. */
import text from "../words.csv";
import { parseCsv } from "./run.js";

const [, ...lines] = parseCsv(text);

/** Returns the words of each name of a kind: verdict, case, pattern, filler, level, count, counted, meaning, effect, fault, note, advice, group. */
export const wordsOf = (kind) => new Map(lines.filter(([own]) => own === kind).map(([, name, words]) => [name, words]));

/** Returns a function that names what is of a kind; what the table lacks keeps its name. */
export function namer(kind) {
    const words = wordsOf(kind);
    return (name) => words.get(name) ?? name;
}

/** The notes of charts, by the charts' ids in the page, and of parts. */
export const NOTES = wordsOf("note");
