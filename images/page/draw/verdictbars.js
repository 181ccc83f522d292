/* verdictbars: verdicts as bars; of several runs, each verdict's values one below the other. */
import { bars } from "./bars.js";
import { runColor, seriesColor } from "./chart.js";

/**
 * @typedef {Object} Entry
 * @property {Object} run
 * @property {Object} verdict
 * @property {string} label
 * @property {string} [group]
 * @property {number} [color]  which of the series', in a page of one run
 */

const rowOf = ({ verdict }) => ({ ...verdict, title: `${verdict.case} ${verdict.name}: ${verdict.method}` });

/**
 * Rows for bars(). Of several runs a row is a run. Why one is not ok stands in the section's list.
 * @param {Entry[]} entries
 */
export function rowsOfEntries(runs, entries) {
    if (runs.length === 1)
        return entries.map((entry) => ({ ...rowOf(entry), label: entry.label, group: entry.group,
            color: seriesColor(entry.color ?? 0) }));
    const groupOf = ({ label, group }) => (group ? `${group}: ${label}` : label);
    const order = [...new Set(entries.map(groupOf))];
    return order.flatMap((group) => entries.filter((entry) => groupOf(entry) === group).map((entry) =>
        ({ ...rowOf(entry), label: entry.run.title, group, color: runColor(entry.run) })));
}

/** The chart; null without entries. */
export function verdictBars(page, title, unit, entries) {
    return entries.length === 0 ? null : bars({ title, unit, rows: rowsOfEntries(page.runs, entries) });
}
