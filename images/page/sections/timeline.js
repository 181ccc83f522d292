/* timeline: the events under way in each cycle of one probe, and those until that cycle, by counters. */
import { describeCase } from "../data/cases.js";
import { chooseCase, statesOf } from "../draw/choices.js";
import { lineChart, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { number } from "../data/format.js";
import { EVENTS, rises, spansOf } from "../data/spans.js";
import { casesOf, rowsOf } from "../data/run.js";
import { sayings, sectionOf, seriesOf } from "../draw/section.js";

const ADDITIONS = "additions";

const SAYS = {
    misses_issued_in: "From the first miss to the last", walk_start: "The first page walk starts in cycle",
    retirement_resumes: "The first load retires in cycle", resolution: "An addition is counted off its own cycle by at most",
};

/** Draws a small chart for each event: lines on one axis would hide each other. */
function charts(page, states) {
    const keys = Object.keys(EVENTS).filter((key) => states.some((state) => state.spans.has(key)));
    return keys.map((key) => {
        const { words, level } = EVENTS[key], own = states.filter(({ spans }) => spans.has(key));
        const series = own.map((state) => {
            const points = state.spans.get(key), counts = points.map(({ x, row }) => ({ x, y: row.median, low: row.p10, high: row.p90 }));
            return seriesOf(level ? rises(points) : counts, 1, { label: state.label, color: seriesColor(state.color), dash: state.dash });
        });
        return lineChart({ id: `timeline-${key}`, title: level ? `${words} in each cycle` : words, hint: key, small: true, series,
            x: { label: "core cycles since the counters were started", format: (x) => number(x) },
            y: { label: level ? "in flight" : "times, median", min: 0 } });
    });
}

function events(page) {
    const spans = (run, name) => spansOf(rowsOf(run, "timeline", name)), has = (run, name) => spans(run, name).size > 0;
    const names = page.runs.flatMap((run) => casesOf(run, "timeline", "tsc").filter((name) => has(run, name)));
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "timeline", [...names].sort((a, b) => a.startsWith(ADDITIONS) - b.startsWith(ADDITIONS)));
    const states = statesOf(page, of, has).map((state) => ({ ...state, spans: spans(state.run, state.name) }));
    return [
        states.map((state) => sayings(page, { experiment: "timeline", says: SAYS }, state)),
        el("p", { class: "note" }, `${describeCase(of.plain)}. Above, cycle 0 is the one in which the first of the additions retires that stand in place of the loads ` +
            "in case additions; the charts begin where the counters were started."),
        of.controls, el("div", { class: "smalls" }, charts(page, states)),
    ];
}

export const timeline = sectionOf({ id: "timeline", title: "Timeline", experiments: ["timeline"], parts: [events] });
