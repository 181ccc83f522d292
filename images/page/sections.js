/* sections: the parts of the page, in their order. */
import { answers } from "./sections/answers.js";
import { fleet } from "./sections/fleet.js";
import { identity } from "./sections/identity.js";
import { latency } from "./sections/latency.js";
import { loaded } from "./sections/loaded.js";
import { mlp } from "./sections/mlp.js";
import { noise } from "./sections/noise.js";
import { numa } from "./sections/numa.js";
import { rob } from "./sections/rob.js";
import { runs } from "./sections/runs.js";
import { side } from "./sections/side.js";
import { smt } from "./sections/smt.js";
import { timeline } from "./sections/timeline.js";
import { tlb } from "./sections/tlb.js";
import { verdicts } from "./sections/verdicts.js";
import { patterns, shuffle } from "./sections/patterns.js";

/**
 * @typedef {Object} Page
 * @property {import("./data/run.js").Run[]} runs  one, or several to be seen side by side
 * @property {"ticks"|"ns"|"cycles"} unit  of times
 * @property {Object[]} published  figures of data sheets, not of runs
 * @property {Object[][]} answers  of each question, the verdicts of all runs; undefined: a run has none
 * @property {Object[][]} advice  of each run, what would help; see data/advice.js
 * @property {() => void} redraw  renders the page anew, after a choice
 * @property {Object<string, string>} choices  the user's choices, by "section.what" or "theme", as in the address
 * @property {Object[]|null} fleet  groups of many machines, few of whose runs the page has; see data/fleet.js
 * @property {() => void} remember  writes the choices into the address
 */

export const sections = [fleet, answers, runs, side, rob, mlp, latency, tlb, patterns, shuffle, loaded, smt, timeline, numa, noise, identity, verdicts];
