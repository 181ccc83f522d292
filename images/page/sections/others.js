/* others: the experiments that have no part of their own: the medians of each case, and the verdicts as bars. */
import { lineChart, seriesColor } from "../draw/chart.js";
import { reasons } from "../draw/reasons.js";
import { verdictBars } from "../draw/verdictbars.js";
import { el } from "../draw/dom.js";
import { describeCase } from "../data/cases.js";
import { casesOf, hasValue, rowsOf } from "../data/run.js";
import { pointsOf, sweepOf } from "../curves/sweep.js";

function medians(run, experiment) {
    const names = casesOf(run, experiment, "tsc");
    const column = sweepOf(names.flatMap((name) => rowsOf(run, experiment, name, "tsc")));
    const series = names.map((name, i) => {
        const points = pointsOf(rowsOf(run, experiment, name, "tsc"), column);
        return { label: describeCase(name), color: seriesColor(i), x: points.map(({ x }) => x), y: points.map(({ y }) => y) };
    }).filter(({ x }) => x.length > 1);
    return series.length === 0 ? null : lineChart({ title: `${run.title}: medians of ${experiment}`, height: 220, series,
        x: { label: column }, y: { label: "ticks" } });
}

function part(page, experiment) {
    const entries = page.runs.flatMap((run) => run.verdicts
        .filter((verdict) => verdict.experiment === experiment && hasValue(verdict))
        .map((verdict) => ({ run, verdict, label: `${verdict.case} ${verdict.name}` })));
    const units = [...new Set(entries.map(({ verdict }) => verdict.unit))];
    return el("div", {}, el("h3", {}, experiment), page.runs.map((run) => medians(run, experiment)),
        units.map((unit) => verdictBars(page, `${experiment}, ${unit}`, unit,
            entries.filter(({ verdict }) => verdict.unit === unit))),
        reasons(page, experiment));
}

/** The section for what none of these shows. */
export function othersOf(sections) {
    const shown = new Set(sections.flatMap(({ experiments = [] }) => experiments));
    const render = (page) => [...new Set(page.runs.flatMap((run) => [...run.byCase.keys()]))]
        .filter((experiment) => !shown.has(experiment)).map((experiment) => part(page, experiment));
    return { id: "others", title: "Other experiments", render };
}
