/* sections: the parts of the page, in their order. */
import { answers } from "./sections/answers.js";
import { identity } from "./sections/identity.js";
import { latency } from "./sections/latency.js";
import { loaded } from "./sections/loaded.js";
import { mlp } from "./sections/mlp.js";
import { noise } from "./sections/noise.js";
import { numa } from "./sections/numa.js";
import { othersOf } from "./sections/others.js";
import { rob } from "./sections/rob.js";
import { runs } from "./sections/runs.js";
import { shuffle } from "./sections/shuffle.js";
import { side } from "./sections/side.js";
import { smt } from "./sections/smt.js";
import { timeline } from "./sections/timeline.js";
import { tlb } from "./sections/tlb.js";
import { verdicts } from "./sections/verdicts.js";
import { patterns } from "./sections/patterns.js";

/**
 * A section: `render(page)` gives its elements, or none where no run has anything for it; `missing` names
 * the experiments that would fill it.
 * @typedef {Object} Section
 * @property {string} id
 * @property {string} title
 * @property {string[]} [experiments]  whose rows it shows; without them it always has something to show
 * @property {(page: Page) => (Node|null)[]} render
 *
 * @typedef {Object} Page
 * @property {import("./data/run.js").Run[]} runs  one, or several to be seen side by side
 * @property {"ticks"|"ns"|"cycles"} unit  of times
 * @property {"system"|"light"|"dark"} theme
 * @property {import("./data/published.js").Published[]} published  figures of data sheets, not of runs
 * @property {() => void} redraw  renders the page anew, after a choice
 * @property {import("./data/runs.js").Order} order  of the runs
 * @property {Object<string, any>} choices  what the user chose, by section
 */

const ownParts = [
    answers, identity, runs, side, rob, mlp, latency, tlb, patterns,
    shuffle, loaded, smt, timeline, numa, noise,
];

/** @type {Section[]} */
export const sections = [...ownParts, othersOf(ownParts), verdicts];
