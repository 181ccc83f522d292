/* sections: the parts of the page, in their order. */
import { rob } from "./sections/rob.js";

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
 * @property {import("./run.js").Run[]} runs  one, or several to be seen side by side
 * @property {"ticks"|"ns"|"cycles"} unit  of times
 * @property {() => void} redraw  renders the page anew, after a choice
 * @property {Object<string, any>} choices  what the user chose, by section
 */

/** @type {Section[]} */
export const sections = [rob];
