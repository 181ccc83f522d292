/* timeline: the events under way in each cycle of one probe, and those until that cycle, by counters. */
import { describeCase } from "../data/cases.js";
import { chooseCase, statesOf } from "../draw/choices.js";
import { el } from "../draw/dom.js";
import { number } from "../data/format.js";
import { EVENTS, rises, spansOf } from "../data/spans.js";
import { casesOf, rowsOf, verdictOf } from "../data/run.js";
import { chartOf, sayings, sectionOf } from "../draw/section.js";

const MARKS = { first_miss: /^miss/, last_miss: /^miss/, walk_start: /^page walks(?! completed)/, retirement_resumes: /retired$/ }; // and their events

const zeroOf = ({ run, name }) => verdictOf(run, "timeline", name, "cycle_zero")?.value ?? null;

/** Draws a small chart for each event: lines on one axis would hide each other. */
function charts(page, states) {
    const isFromZero = states.every((state) => zeroOf(state) !== null), has = (key) => ({ spans }) => spans.has(key);
    return [...EVENTS].filter(([key]) => states.some(has(key))).map(([key, { words, isLevel }]) => chartOf(page, "timeline", {
        key, experiment: "timeline", title: isLevel ? `${words} in each cycle` : words,
        x: { label: `core cycles from ${isFromZero ? "cycle 0" : "the start of the counters"}`, format: (x) => number(x) },
        y: { label: isLevel ? "in flight" : "times, median", isTime: false, min: 0 },
        lines: (rows, run, name) => {
            const points = spansOf(rows).get(key).map(({ x, row }) => ({ x: x - (isFromZero ? zeroOf({ run, name }) : 0), row }));
            return [{ points: isLevel ? rises(points) : points.map(({ x, row }) => ({ x, y: row.median, low: row.p10, high: row.p90, samples: row.samples })) }];
        },
        marks: Object.fromEntries(Object.keys(MARKS).filter((name) => isFromZero && MARKS[name].test(words)).map((name) => [name, ""])),
        more: () => ({ small: true, hint: key }),
    }, {}, states.filter(has(key))));
}

function events(page) {
    const spans = (run, name) => spansOf(rowsOf(run, "timeline", name)), has = (run, name) => spans(run, name).size > 0;
    const names = page.runs.flatMap((run) => casesOf(run, "timeline", "tsc").filter((name) => has(run, name)));
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "timeline", [...names].sort((a, b) => a.startsWith("additions") - b.startsWith("additions")));
    const states = statesOf(page, of, has).map((state) => ({ ...state, spans: spans(state.run, state.name) }));
    return [
        states.map((state) => sayings(page, { experiment: "timeline", says: ["misses_issued_in", "walk_start", "retirement_resumes", "resolution"] }, state)),
        el("p", { class: "note" }, `${describeCase(of.plain)}. Cycle 0 is the one in which the first of the additions retires that ` +
            "stand in place of the loads in case additions."),
        of.controls, el("div", { class: "smalls" }, charts(page, states)),
    ];
}

export const timeline = sectionOf({ id: "timeline", title: "Timeline", experiments: ["timeline"], parts: [events] });
