/* threads: what one thread of a core has of each structure, by what the other one does; from the verdicts of smt. */
import { nameCase, readCase } from "../data/cases.js";

/** What the sibling does, by the word in a case's name. */
export const WORKS = { idle: "asleep", busy: "on NOPs", loading: "loading" };

/** The verdict `split` of a case beside a size: the caches' have their level's name before. */
const splitName = (size) => (/^l\d_bytes$/.test(size) ? size.replace("bytes", "split") : "split");

/**
 * What the run says of each structure.
 * @returns {{name: string, core: string|undefined, split: Object|undefined, word: string,
 *     sizes: {work: string, verdict: Object}[]}[]}  word: whole, halved, ...; "not known" where it is not ok
 */
export function structuresOf(run, core) {
    const verdicts = run.verdicts.filter((verdict) => verdict.experiment === "smt" && readCase(verdict.case).core === core);
    const of = (sibling, busy, name) => verdicts.find((verdict) => verdict.name === name &&
        verdict.case === nameCase({ ...readCase(busy.case), sibling }));
    return verdicts.filter((verdict) => readCase(verdict.case).sibling === "busy" &&
        !/split$|^mlp$|^above_floor$/.test(verdict.name)).map((busy) => {
        const split = of("busy", busy, splitName(busy.name));
        return {
            name: busy.name, split, word: split?.status === "ok" ? split.method.split(":")[0] : "not known",
            sizes: Object.keys(WORKS).map((work) => ({ work, verdict: of(work, busy, busy.name) }))
                .filter(({ verdict }) => verdict !== undefined),
        };
    }).filter(({ split }) => split !== undefined);
}
