/* rob: the time of two loads over the fillers between them, and where it jumps. */
import { lineChart, seriesColor } from "../chart.js";
import { TIME_UNITS } from "../format.js";
import { casesOf, rowsOf, verdictOf } from "../run.js";

function render(page) {
    const series = [], marks = [];
    for (const run of page.runs) {
        const factor = TIME_UNITS[page.unit](run);
        for (const name of casesOf(run, "mlp", "tsc").filter((one) => !one.includes("dependent"))) {
            const rows = rowsOf(run, "mlp", name, "tsc").filter((row) => row.n === 2).sort((a, b) => a.k - b.k);
            if (rows.length < 3)
                continue;
            const color = seriesColor(series.length);
            series.push({
                label: page.runs.length > 1 ? `${run.title} ${name}` : name, color,
                x: rows.map((row) => row.k), y: rows.map((row) => row.median * factor),
                low: rows.map((row) => row.p10 * factor), high: rows.map((row) => row.p90 * factor),
            });
            const cliff = verdictOf(run, "mlp", name, "rob_cliff_k");
            if (cliff?.value)
                marks.push({ x: cliff.value, label: `${name} ${cliff.value}`, color });
        }
    }
    if (series.length === 0)
        return [];
    return [lineChart({
        title: "Two loads with K fillers between them",
        x: { label: "K fillers" }, y: { label: page.unit }, series, marks,
    })];
}

export const rob = { id: "rob", title: "Reorder buffer and other structures", experiments: ["mlp"], render };
