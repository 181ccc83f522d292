/* fleet: what `mlpboot.pyz fleet` found among many machines, few of whose runs are in the page. */
import { runsOf } from "./files.js";
import { withRuns } from "./runs.js";

/** Returns the groups of machines that a page of many opens with; null: it is a page of few runs, or was cut off. */
export function fleetOf(parsed) {
    try {
        return JSON.parse(parsed.querySelector("script.fleet[type='application/json']").textContent).groups;
    } catch {
        return null;
    }
}

/** Returns the run of the machine that the user chose, behind the typical one of its group; of a group that is too small all. */
export function chosenRuns({ fleet, choices: { "fleet.row": chosen } }, parsed) {
    const { rows, typical, too_small: isSmall } = fleet.find((group) => group.rows.some(({ name }) => name === chosen)) ?? { rows: [] };
    const runs = withRuns([], runsOf(parsed, isSmall ? rows.map(({ name }) => name) : rows.length > 0 ? [typical, chosen] : []));
    for (const run of runs.filter(({ name }) => name === typical))
        run.title += " (typical)";
    return runs;
}
