/* others: the experiments that have no part of their own: the medians of each case, and the verdicts as bars. */
import { lineChart, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { verdictWords } from "../data/answers.js";
import { describeCase } from "../data/cases.js";
import { byRisingX, sweepOf } from "../data/points.js";
import { casesOf, groupsOf, rowsOf } from "../data/run.js";
import { unique } from "../draw/choices.js";
import { sectionOf, seriesOf, verdictBars } from "../draw/section.js";

function medians(run, experiment) {
    const names = casesOf(run, experiment, "tsc"), column = sweepOf(names.flatMap((name) => rowsOf(run, experiment, name, "tsc")));
    const series = names.map((name, i) => {
        const points = groupsOf(rowsOf(run, experiment, name, "tsc").filter((row) => Number.isFinite(row[column])), (row) => row[column]);
        return seriesOf(byRisingX(points.map(([x, [first]]) => ({ x, y: first.median }))), 1, { label: describeCase(name), color: seriesColor(i) });
    }).filter(({ x }) => x.length > 1);
    return series.length === 0 ? null : lineChart({ title: `${run.title}: medians of ${experiment}`, height: 220, series,
        x: { label: column }, y: { label: "ticks", unit: "ticks" } });
}

function part(page, experiment) {
    const entries = page.runs.flatMap((run) => run.verdicts.filter((one) => one.experiment === experiment && one.value !== null)
        .map((verdict) => ({ run, verdict, label: verdictWords(verdict) })));
    return [el("h3", {}, experiment), page.runs.map((run) => medians(run, experiment)),
        verdictBars(page, `Verdicts of ${experiment}`, entries)];
}

/** Returns the section for all experiments that these sections do not show. */
export function othersOf(sections) {
    const shown = new Set(sections.flatMap(({ experiments = [] }) => experiments));
    const parts = (page) => unique(page.runs.flatMap((run) => [...run.byCase.keys()]))
        .filter((experiment) => !shown.has(experiment)).flatMap((experiment) => part(page, experiment));
    return { ...sectionOf({ id: "others", title: "Other experiments", experiments: [], parts: [parts] }), experiments: undefined };
}
