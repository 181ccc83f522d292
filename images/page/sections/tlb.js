/* tlb: how many pages the TLB holds, what walks cost, and how many go side by side. */
import { describeCase, readCase } from "../data/cases.js";
import { choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { color, colorsBetween, lineChart, marked, seriesColor } from "../draw/chart.js";
import { LEVELS, overN } from "../curves/curves.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, number } from "../data/format.js";
import { chainCurve, distancesOf, partsOf, sideBySide, ticksOfCycle, withTlb } from "../curves/memory.js";
import { howSure, reasons, scaled } from "../draw/reasons.js";
import { casesOf, rowsOf, verdictOf } from "../data/run.js";
import { verdictBars } from "../draw/verdictbars.js";

const TLB_STATES = ["natural", "warm", "cold", "walkmem"];
const CHAIN = "chain", SMALL = "4k";

const hasValue = (verdict) => Number.isFinite(verdict?.value);
const rowsOfCase = ({ run, name }) => run.byCase.get("tlb")?.get(name) ?? [];
const lineOf = (points, factor, look) =>
    ({ x: points.map(({ x }) => x), y: points.map(({ y }) => y * factor), ...look });

/** Which run a sentence is about, where there are several. */
const prefixOf = (page, run) => (page.runs.length > 1 ? `${run.title}, ` : "");

/** "4 KB pages, core shared" */
const pagesOf = (name) => describeCase(name.replace(`${CHAIN}-`, ""));

/** Small pages need the TLB most. */
function smallFirst(names) {
    const isOther = (name) => Number(partsOf(name).page !== SMALL);
    return [...names].sort((a, b) => isOther(a) - isOther(b));
}

/** A time in the page's unit; cycles are the core's while that case was measured. */
function inTime(page, run, verdict) {
    if (verdict.unit === page.unit)
        return verdict;
    const ticks = verdict.unit === "cycles" ? ticksOfCycle(rowsOfCase({ run, name: verdict.case })) : 1;
    return scaled(verdict, ticks * TIME_UNITS[page.unit](run));
}

/* --- chains through N pages ------------------------------------------------------------------ */

/** Its value and how sure it is; `unit`: written behind. */
function known(verdict, unit) {
    const text = unit ? `${number(verdict?.value, 3)} ${unit}` : number(verdict?.value);
    return [el("strong", {}, hasValue(verdict) ? text : "not known"), howSure(verdict)];
}

function entriesSentence(page, { run, name }) {
    const [first, second, cost, firstWays, secondWays] =
        ["dtlb_entries", "stlb_entries", "dtlb_miss_cost", "dtlb_ways", "stlb_ways"].map((verdict) =>
            verdictOf(run, "tlb", name, verdict));
    const ways = (verdict) => (hasValue(verdict) ? [` in ${number(verdict.value)} ways`, howSure(verdict)] : null);
    return !first ? null : el("p", { class: "answer" }, prefixOf(page, run),
        `${pagesOf(name)}: the TLB's first level holds `, known(first), ways(firstWays),
        ", the second ", known(second), ways(secondWays),
        "; a load that needs the second takes ", known(cost && inTime(page, run, cost), page.unit), " longer.");
}

const axes = (page) => ({ x: { label: "pages", log: 2 }, y: { label: `${page.unit} for each load`, log: 2 } });

function endsOf({ run, name }, hue) {
    return ["dtlb_entries", "stlb_entries"].map((verdict) => verdictOf(run, "tlb", name, verdict)).filter(hasValue)
        .map(({ value, low, high, status }) => ({
            x: value, low, high, color: hue, label: `${number(value)}${status === "ok" ? "" : `, ${status}`}`,
        }));
}

function stairs(page, states) {
    const isOne = page.runs.length === 1, looks = {
        pages: (state) => ({ label: isOne ? `${state.label}: a line of each page` : state.label,
            color: seriesColor(state.color), dash: state.dash }),
        lines: () => ({ label: "as many lines side by side: what the caches take", color: color("dim"),
            dash: [2, 3] }),
    };
    const series = states.flatMap((state) => {
        const curves = sideBySide(state.name, rowsOfCase(state)), factor = TIME_UNITS[page.unit](state.run);
        return (isOne && !state.dash ? ["pages", "lines"] : ["pages"]).map((one) =>
            lineOf(curves[one], factor, looks[one](state)));
    });
    return lineChart({
        title: "A chain of loads through N pages: where a level of the TLB ends, the time steps up",
        ...axes(page), series, height: 320,
        marks: marked(page, states).filter(({ dash }) => !dash).flatMap((state) =>
            endsOf(state, isOne ? undefined : seriesColor(state.color))),
    });
}

/** Pages that meet in few sets: the fewer they are before a step, the fewer ways there are. */
function farApart(page, state) {
    const rows = rowsOfCase(state), distances = distancesOf(state.name, rows);
    const hues = colorsBetween(color("series-0"), color("series-4"), distances.length);
    return distances.length === 0 ? null : lineChart({
        title: "The same with pages farther apart, which meet in few sets: ways, and walks that need more tables",
        ...axes(page), series: distances.map((distance, i) =>
            lineOf(chainCurve(rows, "chain", distance, null), TIME_UNITS[page.unit](state.run),
                { label: `${bytes(distance)} apart`, color: hues[i], points: false })),
    });
}

function chains(page) {
    const has = (run, name) => sideBySide(name, rowsOfCase({ run, name })).pages.length > 1;
    const names = page.runs.flatMap((run) => casesOf(run, "tlb", "chain").filter((name) => has(run, name)));
    const cost = page.runs.map((run) => walkSentence(page, run)).filter((one) => one !== null);
    if (names.length === 0)
        return cost;
    const of = chooseCase(page, "tlb", smallFirst(names));
    const states = statesOf(page, of, has);
    return [
        states.map((state) => entriesSentence(page, state)), cost, of.controls, stairs(page, states),
        page.runs.length === 1 ? farApart(page, states[0]) : null,
    ];
}

/* --- N loads side by side -------------------------------------------------------------------- */

/** Each state of the TLB in one run; in several, the state that the user chooses. */
function loads(page) {
    const has = (run, name) => overN(rowsOf(run, "tlb", name, "tsc")).length > 1;
    const names = page.runs.flatMap((run) =>
        casesOf(run, "tlb", "tsc").filter((name) => partsOf(name) && has(run, name)));
    if (names.length === 0)
        return [];
    const of = chooseCase(page, "tlb-loads", smallFirst(names).map((name) => withTlb(name, "natural")));
    const inState = (tlb) => statesOf(page, { ...of, plain: withTlb(of.plain, tlb) }, has);
    const tlbs = TLB_STATES.filter((tlb) => inState(tlb).length > 0);
    const isOne = page.runs.length === 1;
    const tlb = isOne ? { value: null, control: null } : choose(page, "tlb-loads", "tlb", "TLB", tlbs);
    const states = isOne ?
        tlbs.flatMap((one, i) => inState(one).map((state) => ({ ...state, color: i }))) : inState(tlb.value);
    return [of.controls, tlb.control, lineChart({
        title: "Loads side by side, data in the caches: what their page walks add",
        x: { label: "N loads" }, y: { label: `${page.unit} for all N`, min: 0 },
        series: states.map((state) => {
            const rows = overN(rowsOf(state.run, "tlb", state.name, "tsc"));
            return lineOf(rows.map((row) => ({ x: row.n, y: LEVELS.center(row) })), TIME_UNITS[page.unit](state.run),
                { label: state.label, color: seriesColor(state.color), dash: state.dash });
        }),
    })];
}

/* --- walks ----------------------------------------------------------------------------------- */

const STRIDES = {
    walk_cost_2m_stride: "2 MB apart", walk_cost_1g_stride: "1 GB apart", walk_cost_512g_stride: "512 GB apart",
};
const COSTS = ["walk_cost", ...Object.keys(STRIDES)], PARALLEL = "parallel_walks";

const verdictsOf = (run, names) => run.verdicts.filter(({ experiment, name, status }) =>
    experiment === "tlb" && names.includes(name) && status !== "skip");

/** Of one core, where several were measured. */
function entriesOf(page, core, names, convert) {
    const own = (verdict) => readCase(verdict.case).core === core;
    return page.runs.flatMap((run) => verdictsOf(run, names).filter(own).map((verdict) => ({
        run, verdict: convert(run, verdict),
        label: [pagesOf(verdict.case), STRIDES[verdict.name]].filter(Boolean).join(", "),
    })));
}

/** Of the case that is surest. */
function walkSentence(page, run) {
    const pairs = verdictsOf(run, ["walk_cost"]).filter(hasValue)
        .map((cost) => ({ cost, parallel: verdictOf(run, "tlb", cost.case, PARALLEL) }));
    const sure = ({ cost, parallel }) => Number(cost.status === "ok") + Number(parallel?.status === "ok");
    const { cost, parallel } = pairs.sort((a, b) => sure(b) - sure(a))[0] ?? {};
    return !cost ? null : el("p", { class: "answer" }, prefixOf(page, run),
        `${describeCase(cost.case)}: a page walk takes `, known(inTime(page, run, cost), page.unit),
        hasValue(parallel) ? [", and ", known(parallel), ` ${parallel.value === 1 ? "goes" : "go"} at a time`] : null,
        ".");
}

function walks(page) {
    const cores = page.runs.flatMap((run) => verdictsOf(run, [...COSTS, PARALLEL]))
        .map((verdict) => readCase(verdict.case).core);
    const core = choose(page, "tlb-walks", "core", "core", [...new Set(cores)]);
    const costs = entriesOf(page, core.value, COSTS, (run, verdict) => inTime(page, run, verdict));
    const parallel = entriesOf(page, core.value, [PARALLEL], (run, verdict) => verdict);
    return [
        core.control, verdictBars(page, "What a page walk adds to a load", page.unit, costs),
        verdictBars(page, "Page walks that go side by side", "", parallel),
    ].filter((part) => part !== null);
}

function render(page) {
    const parts = [...chains(page), ...loads(page), ...walks(page)];
    const told = page.runs.length === 1 ? [...COSTS, PARALLEL] : [];
    return parts.length === 0 ? [] :
        [el("div", {}, parts, whatIsLeftOut(page), reasons(page, "tlb", told))];
}

export const tlb = { id: "tlb", title: "TLB and page walks", experiments: ["tlb"], render };
