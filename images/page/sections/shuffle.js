/* shuffle: the time of a swap when indices are made some time ahead, over how many are. */
import { describeCase, readCase } from "../data/cases.js";
import { choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { lineChart, marked, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, number } from "../data/format.js";
import { partsOf, sizesOf, swapCurve } from "../curves/memory.js";
import { howSure, reasons, scaled } from "../draw/reasons.js";
import { casesOf, rowsOf, verdictOf } from "../data/run.js";
import { verdictBars } from "../draw/verdictbars.js";

const LOOPS = ["staged", "plain"];
const DASHES = { staged: undefined, plain: [6, 3] };
const SOURCES = { precomputed: "Indices made before", onthefly: "Indices made on the fly" };

const hasValue = (verdict) => Number.isFinite(verdict?.value);

/** "staged-onthefly-2m" -> "onthefly-2m": what both loops have in common; null: it is no loop's. */
function commonOf(name) {
    const parts = partsOf(name)?.pattern.split("-") ?? [];
    return parts.length === 2 && LOOPS.includes(parts[0]) ? name.slice(parts[0].length + 1) : null;
}

const rowsOfLoop = (run, loop, common) => rowsOf(run, "shuffle", `${loop}-${common}`, "tsc");

/** "onthefly-2m" -> "indices made on the fly, 2 MB pages" */
function describe(common) {
    const [source, ...rest] = common.split("-");
    return [SOURCES[source] ?? source, describeCase(rest.join("-"))].join(", ");
}

/* --- in words -------------------------------------------------------------------------------- */

function sentence(page, { run, name }) {
    const [gain, stage] = ["staged_gain", "best_stage"].map((one) =>
        verdictOf(run, "shuffle", `staged-${name}`, one));
    if (!hasValue(gain))
        return null;
    const largest = sizesOf(rowsOfLoop(run, "staged", name))[0], isLoss = gain.value < 0;
    return el("p", { class: "answer" }, page.runs.length > 1 ? `${run.title}, ` : "",
        `${describe(name)}: making them in stages ${isLoss ? "costs" : "gains"} `,
        el("strong", {}, `${number(Math.abs(gain.value), 3)} %`), howSure(gain), ` in ${bytes(largest)}`,
        hasValue(stage) ?
            ["; the best stage has ", el("strong", {}, `${number(stage.value)} swaps`), howSure(stage)] : null, ".");
}

/* --- as curves ------------------------------------------------------------------------------- */

function lineOf(page, run, loop, common, size, look) {
    const points = swapCurve(rowsOfLoop(run, loop, common), size), factor = TIME_UNITS[page.unit](run);
    const column = (of) => points.map((point) => point[of] * factor);
    return { x: points.map(({ x }) => x), y: column("y"), low: column("low"), high: column("high"),
        dash: DASHES[loop], ...look };
}

function stagesChart(page, title, series, marks) {
    return lineChart({
        title, series, marks, height: 320, y: { label: `${page.unit} for each swap`, log: 10 },
        x: { label: "stage: swaps whose indices are made ahead", log: 2 },
    });
}

/** The best one is that of the largest size. */
function bestOf({ run, name }, hue) {
    const stage = verdictOf(run, "shuffle", `staged-${name}`, "best_stage");
    return !hasValue(stage) ? [] : [{
        x: stage.value, low: stage.low, high: stage.high, color: hue,
        label: `best ${number(stage.value)}${stage.status === "ok" ? "" : `, ${stage.status}`}`,
    }];
}

/** Both loops in every size. */
function ofOne(page, state) {
    const sizes = sizesOf(rowsOfLoop(state.run, "staged", state.name));
    const series = sizes.flatMap((size, i) => LOOPS.map((loop) =>
        lineOf(page, state.run, loop, state.name, size, { label: `${bytes(size)} ${loop}`, color: seriesColor(i) })));
    return stagesChart(page, "A swap by the length of a stage; band from the fastest to the slowest pass", series,
        bestOf(state, seriesColor(0)));
}

/** Both loops in each run, in the size that the user chooses. */
function ofSeveral(page, states) {
    const sizes = [...new Set(states.flatMap(({ run, name }) => sizesOf(rowsOfLoop(run, "staged", name))))]
        .sort((a, b) => b - a);
    const { value, control } = choose(page, "shuffle", "size", "array", sizes.map(bytes));
    const size = sizes.find((one) => bytes(one) === value);
    const series = states.flatMap((state) => LOOPS.map((loop) => lineOf(page, state.run, loop, state.name, size,
        { label: `${state.run.title} ${loop}`, color: seriesColor(state.color) })));
    return [control, stagesChart(page, `A swap by the length of a stage, array of ${value}`, series,
        size === sizes[0] ? marked(page, states).flatMap((state) => bestOf(state, seriesColor(state.color))) : [])];
}

/* --- as bars --------------------------------------------------------------------------------- */

/** Of one core, where several were measured. */
function entriesOf(page, core, name, factorOf, labelOf) {
    return page.runs.flatMap((run) => run.verdicts.filter((verdict) => verdict.experiment === "shuffle" &&
        verdict.name === name && verdict.status !== "skip" && commonOf(verdict.case) !== null &&
        readCase(verdict.case).core === core).map((verdict) =>
        ({ run, verdict: scaled(verdict, factorOf(run)), label: labelOf(verdict.case) })));
}

function render(page) {
    const has = (run, common) => sizesOf(rowsOfLoop(run, "staged", common)).length > 0;
    const commons = page.runs.flatMap((run) =>
        casesOf(run, "shuffle", "tsc").map(commonOf).filter((one) => one !== null && has(run, one)));
    if (commons.length === 0)
        return [];
    const of = chooseCase(page, "shuffle", [...new Set(commons)]);
    const states = statesOf(page, of, has);
    const gains = entriesOf(page, of.core, "staged_gain", () => 1, (name) => describe(commonOf(name)));
    const times = entriesOf(page, of.core, "swap_ticks", TIME_UNITS[page.unit],
        (name) => `${describe(commonOf(name))}, ${name.split("-")[0]}`);
    return [el("div", {},
        states.map((state) => sentence(page, state)), of.controls,
        page.runs.length > 1 ? ofSeveral(page, states) : ofOne(page, states[0]),
        verdictBars(page, "What stages gain in the largest array", "%", gains),
        verdictBars(page, "A swap by the fastest stage in the largest array", page.unit, times),
        whatIsLeftOut(page), reasons(page, "shuffle", page.runs.length === 1 ? ["staged_gain", "swap_ticks"] : []))];
}

export const shuffle = { id: "shuffle", title: "Staged shuffle", experiments: ["shuffle"], render };
