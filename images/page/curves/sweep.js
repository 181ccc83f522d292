/* sweep: the points of an experiment that no other part of the page knows. */

const SWEEPS = ["n", "k", "bytes", "stage"]; // the columns that a sweep may vary

/** The column with most values in these rows. */
export function sweepOf(rows) {
    const values = (column) => new Set(rows.map((row) => row[column])).size;
    return SWEEPS.reduce((best, column) => (values(column) > values(best) ? column : best));
}

/** The points of a case along a column: the first row of each value, by rising values. */
export function pointsOf(rows, column) {
    const points = new Map();
    for (const row of rows)
        if (Number.isFinite(row[column]) && !points.has(row[column]))
            points.set(row[column], row.median);
    return [...points].sort((a, b) => a[0] - b[0]).map(([x, y]) => ({ x, y }));
}
