/* threads: one thread's part of each structure, by what the core's other thread does; from the verdicts of smt. */
import { nameCase, readCase } from "./cases.js";

export const WORKS = { idle: "asleep", busy: "on NOPs", loading: "loading" };

/** Returns the name of the verdict `split` that belongs to a size: a cache's begins with the name of its level. */
const splitName = (size) => (/^l\d_bytes$/.test(size) ? size.replace("bytes", "split") : "split");

/** Returns the run's structures; `word`: whole, halved, ...; `sizes`: verdicts by what the sibling does. */
export function structuresOf(run, core) {
    const verdicts = run.verdicts.filter((verdict) => verdict.experiment === "smt" && readCase(verdict.case).core === core);
    return verdicts.filter((verdict) => readCase(verdict.case).sibling === "busy" && !/split$|^mlp$|^above_floor$/.test(verdict.name))
        .map((busy) => {
            const of = (sibling, name) => verdicts.find((verdict) => verdict.name === name &&
                verdict.case === nameCase({ ...readCase(busy.case), sibling }));
            const split = of("busy", splitName(busy.name));
            return { name: busy.name, plain: readCase(busy.case).plain, split, word: split?.status === "ok" ? split.method.split(":")[0] : "not known",
                sizes: new Map(Object.keys(WORKS).map((work) => [work, of(work, busy.name)])) };
        }).filter(({ split }) => split !== undefined);
}
