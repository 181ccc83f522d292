/* shuffle: the time of a swap when indices are made some time ahead, over how many are. */
import { describeCase, describePattern, readCase } from "../data/cases.js";
import { choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { lineChart, marked, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, number, scaled, sharp } from "../data/format.js";
import { partsOf, sizesOf, swapCurve } from "../curves/memory.js";
import { howSure, reasons } from "../draw/reasons.js";
import { casesOf, hasValue, rowsOf, verdictOf } from "../data/run.js";
import { verdictBars } from "../draw/verdictbars.js";

const GAIN = "staged_gain";
const LOOPS = ["staged", "plain"];
const DASHES = { staged: undefined, plain: [6, 3] };

/** "staged-onthefly-2m" -> "onthefly-2m": what both loops have in common; null: it is no loop's. */
function commonOf(name) {
    const parts = partsOf(name)?.pattern.split("-") ?? [];
    return parts.length === 2 && LOOPS.includes(parts[0]) ? name.slice(parts[0].length + 1) : null;
}

const rowsOfLoop = (run, loop, common) => rowsOf(run, "shuffle", `${loop}-${common}`, "tsc");

/** Whether stages make a difference in the largest array at all. */
const hasDifference = (gain) => hasValue(gain) && (gain.low > 0 || gain.high < 0);

const gainOf = ({ run, name }) => verdictOf(run, "shuffle", `staged-${name}`, GAIN);

/* --- in words -------------------------------------------------------------------------------- */

const EXPLANATION = "A shuffle swaps each element with another one at random. In stages: the places of the next few " +
    "swaps are found first, then these swaps are done, so that more of them may wait for memory at the same time.";

/** "take 28 % longer without stages"; or that nobody can tell, and then no stage is the best. */
function difference({ run, name }, gain) {
    const { value, low, high } = sharp(gain);
    if (!hasDifference(gain))
        return [el("strong", {}, "no measurable difference"), ` by stages (${number(low)} to ${number(high)} %)`,
            howSure(gain)];
    const stage = verdictOf(run, "shuffle", `staged-${name}`, "best_stage");
    return ["without stages a swap takes ", el("strong", {}, `${number(Math.abs(value), 3)} %`),
        value < 0 ? " less" : " longer", howSure(gain), hasValue(stage) ?
            ["; the best stage has ", el("strong", {}, `${number(stage.value)} swaps`), howSure(stage)] : null];
}

function sentence(page, state) {
    const gain = gainOf(state), largest = sizesOf(rowsOfLoop(state.run, "staged", state.name))[0];
    return !hasValue(gain) ? null : el("p", { class: "answer" }, page.runs.length > 1 ? `${state.run.title}, ` : "",
        `${bytes(largest)}, ${describeCase(state.name)}: `, difference(state, gain), ".");
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

/** The best one is that of the largest size. Where all may be, none is; nor where stages make no difference. */
function bestOf({ run, name }, hue) {
    const stage = verdictOf(run, "shuffle", `staged-${name}`, "best_stage");
    const all = rowsOfLoop(run, "staged", name).map((row) => row.stage);
    const isAny = stage && stage.low <= Math.min(...all) && stage.high >= Math.max(...all);
    return !hasValue(stage) || isAny || !hasDifference(gainOf({ run, name })) ? [] : [{
        x: stage.value, low: stage.low, high: stage.high, color: hue,
        label: `best ${number(stage.value)}${stage.status === "ok" ? "" : `, ${stage.status}`}`,
    }];
}

/** Both loops in every size. */
function ofOne(page, state) {
    const sizes = sizesOf(rowsOfLoop(state.run, "staged", state.name));
    const series = sizes.flatMap((size, i) => LOOPS.map((loop) =>
        lineOf(page, state.run, loop, state.name, size,
            { label: `${bytes(size)} ${describePattern(loop)}`, color: seriesColor(i) })));
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
        { label: `${state.run.title} ${describePattern(loop)}`, color: seriesColor(state.color) })));
    return [control, stagesChart(page, `A swap by the length of a stage, array of ${value}`, series,
        size === sizes[0] ? marked(page, states).flatMap((state) => bestOf(state, seriesColor(state.color))) : [])];
}

/* --- as bars --------------------------------------------------------------------------------- */

/** By the pages; of one core, where several were measured. */
function entriesOf(page, core, name, factorOf) {
    return page.runs.flatMap((run) => run.verdicts.filter((verdict) => verdict.experiment === "shuffle" &&
        verdict.name === name && verdict.status !== "skip" && commonOf(verdict.case) !== null &&
        readCase(verdict.case).core === core).map((verdict) => {
        const { pattern } = partsOf(verdict.case), [loop, source] = pattern.split("-");
        return { run, verdict: scaled(verdict, factorOf(run)), group: describeCase(verdict.case.slice(pattern.length + 1)),
            label: [describePattern(source), ...(name === GAIN ? [] : [describePattern(loop)])].join(", ") };
    })).sort((a, b) => a.group.localeCompare(b.group));
}

function render(page) {
    const has = (run, common) => sizesOf(rowsOfLoop(run, "staged", common)).length > 0;
    const commons = page.runs.flatMap((run) =>
        casesOf(run, "shuffle", "tsc").map(commonOf).filter((one) => one !== null && has(run, one)));
    if (commons.length === 0)
        return [];
    const of = chooseCase(page, "shuffle", [...new Set(commons)]);
    const states = statesOf(page, of, has);
    return [el("div", {},
        states.map((state) => sentence(page, state)), el("p", {}, EXPLANATION), of.controls,
        page.runs.length > 1 ? ofSeveral(page, states) : ofOne(page, states[0]),
        verdictBars(page, "In the largest array: how much longer a swap takes without stages (below 0: less)", "%",
            entriesOf(page, of.core, GAIN, () => 1)),
        verdictBars(page, "A swap by the fastest stage in the largest array", page.unit,
            entriesOf(page, of.core, "swap_ticks", TIME_UNITS[page.unit])),
        whatIsLeftOut(page), reasons(page, "shuffle"))];
}

export const shuffle = { id: "shuffle", title: "Staged shuffle", experiments: ["shuffle"], render };
