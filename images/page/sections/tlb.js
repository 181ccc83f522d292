/* tlb: how many pages the TLB holds, what walks cost, and how many go side by side. */
import { describeCase, readCase } from "../data/cases.js";
import { choose, chooseCase, statesOf, whatIsLeftOut } from "../draw/choices.js";
import { color, lineChart, marked, seriesColor } from "../draw/chart.js";
import { LEVELS, overN } from "../curves/curves.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, bytes, number, scaled, sharp } from "../data/format.js";
import { evenly, farCurves, flatUntil, partsOf, sideBySide, ticksOfCycle, withTlb } from "../curves/memory.js";
import { howSure, reasons } from "../draw/reasons.js";
import { casesOf, hasValue, rowsOf, verdictOf } from "../data/run.js";
import { verdictBars } from "../draw/verdictbars.js";

const TLB_STATES = {
    natural: "as in a large array", warm: "just used", cold: "dropped", walkmem: "dropped, page tables in memory",
};
const CHAIN = "chain", SMALL = "4k";

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

/** Ticks of one unit of a verdict: cycles are the core's while that case was measured; null: not known. */
function ticksOf(run, { unit, case: name }) {
    const perTick = TIME_UNITS.cycles(run);
    return unit === "cycles" ? ticksOfCycle(rowsOfCase({ run, name })) ?? (perTick && 1 / perTick) : 1;
}

/** A time in the page's unit; in its own where nobody knows how long that is. */
function inTime(page, run, verdict) {
    const ticks = verdict.unit === page.unit ? null : ticksOf(run, verdict);
    return ticks === null ? verdict : { ...scaled(verdict, ticks * TIME_UNITS[page.unit](run)), unit: page.unit };
}

/* --- chains through N pages ------------------------------------------------------------------ */

/** Its value and how sure it is; of a time with the unit behind. */
function known(verdict) {
    const text = () => (/^(ticks|ns|cycles)$/.test(verdict.unit) ? `${number(sharp(verdict).value, 3)} ${verdict.unit}` :
        number(sharp(verdict).value));
    return [el("strong", {}, hasValue(verdict) ? text() : "not known"), howSure(verdict)];
}

function entriesSentence(page, { run, name }) {
    const [first, second, cost, firstWays, secondWays] =
        ["dtlb_entries", "stlb_entries", "dtlb_miss_cost", "dtlb_ways", "stlb_ways"].map((verdict) =>
            verdictOf(run, "tlb", name, verdict));
    const ways = (verdict) => (hasValue(verdict) ? [` in ${number(verdict.value)} ways`, howSure(verdict)] : null);
    return !first ? null : el("p", { class: "answer" }, prefixOf(page, run),
        `${pagesOf(name)}: the TLB's first level holds `, known(first), ways(firstWays),
        ", the second ", known(second), ways(secondWays),
        "; a load that needs the second takes ", known(cost && inTime(page, run, cost)), " longer.");
}

const axes = (page) => ({ x: { label: "pages", log: 2 }, y: { label: `${page.unit} for each load`, log: 2 } });

function endsOf({ run, name }, hue) {
    return ["dtlb_entries", "stlb_entries"].map((verdict) => verdictOf(run, "tlb", name, verdict)).filter(hasValue)
        .map((verdict) => ({
            x: verdict.value, low: verdict.low, high: verdict.high, color: hue,
            label: `${number(sharp(verdict).value)}${verdict.status === "ok" ? "" : `, ${verdict.status}`}`,
        }));
}

function stairs(page, states) {
    const isOne = page.runs.length === 1, looks = {
        pages: (state) => ({ label: `${isOne ? "" : `${state.run.title}, `}${pagesOf(state.name)}`,
            color: seriesColor(state.color), dash: state.dash }),
        lines: () => ({ label: "without page effects: as many lines side by side",
            color: color("dim"), dash: [2, 3] }),
    };
    const series = states.flatMap((state) => {
        const curves = sideBySide(state.name, rowsOfCase(state)), factor = TIME_UNITS[page.unit](state.run);
        return (isOne && !state.dash ? ["pages", "lines"] : ["pages"]).map((one) =>
            lineOf(curves[one], factor, looks[one](state)));
    });
    return lineChart({
        title: "A chain of loads through N pages: where a level of the TLB ends, the time steps up",
        ...axes(page), series, height: 320,
        notes: isOne ?
            ["Where both lines step up, the data leave a cache; only the steps of the upper one are the TLB's."] : undefined,
        marks: marked(page, states).filter(({ dash }) => !dash).flatMap((state) =>
            endsOf(state, isOne ? undefined : seriesColor(state.color))),
    });
}

const FAR_MAX = 6; // lines that the eye can tell apart
const SIX = `${FAR_MAX} of them`, ALL = "all";

/** Pages that meet in few sets: the fewer they are before a step, the fewer ways there are. */
function farApart(page, state) {
    const all = farCurves(state.name, rowsOfCase(state));
    if (all.length === 0)
        return [];
    const choices = all.length > FAR_MAX ? [SIX, ALL] : [ALL];
    const { value, control } = choose(page, "tlb", "far", "distances of pages", choices);
    const curves = value === ALL ? all : evenly(all, FAR_MAX), from = flatUntil(all) / 2;
    return [control, lineChart({
        title: "The same with pages farther apart",
        notes: ["Such pages meet in few sets of the TLB, and their walks need more tables. A step at fewer pages: so few " +
            "ways; a higher one: a longer walk. Distances that show the same are one line."],
        ...axes(page), series: curves.map(({ distances, points }, i) =>
            lineOf(points.filter(({ x }) => x >= from), TIME_UNITS[page.unit](state.run), {
                label: `${distances.map(bytes).join(", ")} apart`, color: seriesColor(i),
                dash: i < 8 ? undefined : [6, 3], points: false,
            })),
    })];
}

function chains(page) {
    const has = (run, name) => sideBySide(name, rowsOfCase({ run, name })).pages.length > 1;
    const names = page.runs.flatMap((run) => casesOf(run, "tlb", "chain").filter((name) => has(run, name)));
    const short = names.map((name) => name.replace(`${CHAIN}-`, ""));
    const cost = page.runs.map((run) => walkSentence(page, run)).filter((one) => one !== null);
    if (names.length === 0)
        return cost;
    const of = chooseCase(page, "tlb", smallFirst(short));
    const states = statesOf(page, { ...of, plain: `${CHAIN}-${of.plain}` }, has);
    return [
        states.map((state) => entriesSentence(page, state)), cost, of.controls, stairs(page, states),
        page.runs.length === 1 ? farApart(page, states[0]) : [],
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
    const tlbs = Object.keys(TLB_STATES).filter((tlb) => inState(tlb).length > 0);
    const isOne = page.runs.length === 1;
    const tlb = isOne ? { value: null, control: null } :
        choose(page, "tlb-loads", "tlb", "translations", tlbs, (one) => TLB_STATES[one]);
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
const ONE_LOAD = "walk_cost", PARALLEL = "parallel_walks";

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

/** "1", or "1 to 5" where it is not as sure. */
function howMany(verdict) {
    const { value, low, high } = sharp(verdict);
    const isSure = verdict.status === "ok" || low === null || high === null || low === high;
    return [el("strong", {}, isSure ? number(value) : `${number(low, 1)} to ${number(high, 1)}`), howSure(verdict)];
}

/** Of the case that is surest: what a single load with a walk takes longer than one without. */
function walkSentence(page, run) {
    const pairs = verdictsOf(run, [ONE_LOAD]).filter(hasValue)
        .map((cost) => ({ cost, parallel: verdictOf(run, "tlb", cost.case, PARALLEL) }));
    const sure = ({ cost, parallel }) => Number(cost.status === "ok") + Number(parallel?.status === "ok");
    const { cost, parallel } = pairs.sort((a, b) => sure(b) - sure(a))[0] ?? {};
    return !cost ? null : el("p", { class: "answer" }, prefixOf(page, run),
        `${describeCase(cost.case)}: a page walk makes a load `, known(inTime(page, run, cost)), " longer",
        hasValue(parallel) ? ["; walks that go side by side: ", howMany(parallel)] : null, ".");
}

function walks(page) {
    const all = [ONE_LOAD, ...Object.keys(STRIDES), PARALLEL];
    const cores = page.runs.flatMap((run) => verdictsOf(run, all)).map((verdict) => readCase(verdict.case).core);
    const core = choose(page, "tlb-walks", "core", "core", [...new Set(cores)]);
    const costs = (names) => entriesOf(page, core.value, names, (run, verdict) => inTime(page, run, verdict))
        .filter(({ verdict }) => verdict.unit === page.unit);
    const parallel = entriesOf(page, core.value, [PARALLEL], (run, verdict) => verdict);
    return [
        core.control,
        verdictBars(page, "A single load with a page walk, against one without: the cost of a walk",
            page.unit, costs([ONE_LOAD])),
        verdictBars(page, "A chain through pages so far apart that each walk needs higher tables too, against a hit",
            page.unit, costs(Object.keys(STRIDES))),
        verdictBars(page, "Page walks that go side by side", "", parallel),
    ].filter((part) => part !== null);
}

function render(page) {
    const parts = [...chains(page), ...loads(page), ...walks(page)];
    return parts.length === 0 ? [] : [el("div", {}, parts, whatIsLeftOut(page), reasons(page, "tlb"))];
}

export const tlb = { id: "tlb", title: "TLB and page walks", experiments: ["tlb"], render };
