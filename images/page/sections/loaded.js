/* loaded: what a load takes while other cores keep the memory busy, and what one core moves alone. */
import { bars } from "../draw/bars.js";
import { describeCase, readCase } from "../data/cases.js";
import { choose } from "../draw/choices.js";
import { lineChart, runColor, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, number } from "../data/format.js";
import { coresOf, loadedCurve, withoutCores, workOf } from "../curves/loads.js";
import { casesOf, hasValue, verdictOf } from "../data/run.js";
import { told } from "../draw/say.js";

// "reads" of one, "read" of many.
const DOES = { read: ["reads", "read"], write: ["writes", "write"], copy: ["copies", "copy"] };
const MOST_LINES = 8;
const STREAMS = {
    stream_read: "reads, 8 bytes each", stream_vector_read: "reads, wide",
    stream_write: "writes", stream_copy: "copies",
};

/** Cases with a curve; of several runs only those with the most cores, since machines differ in that. */
function curvesOf(page) {
    const all = page.runs.flatMap((run) => casesOf(run, "loaded", "chain").filter(workOf).map((name) =>
        ({ run, name, ...workOf(name), curve: loadedCurve(run.byCase.get("loaded").get(name)) })))
        .filter(({ curve }) => curve.length > 1);
    if (page.runs.length < 2)
        return all;
    const most = new Map();
    for (const one of all) {
        const rest = withoutCores(one.rest), key = `${one.run.name}\n${one.work}\n${rest}`;
        if (!most.has(key) || coresOf(one.name) > coresOf(most.get(key).name))
            most.set(key, { ...one, rest });
    }
    return [...most.values()];
}

/** What a line each is drawn for, and what is the same for all of them. */
const SIDES = {
    "work": { line: "work", same: "rest" },
    "case": { line: "rest", same: "work" },
};
const SIDE_NAMES = { "work": "what the others do", "case": "pages and number of cores" };
const NAMES = { work: "the others", rest: "case" };
const WORDS = { work: (work) => DOES[work][1], rest: describeCase };

/** What the user chose; the case with the most cores comes first, since it moves most. */
function chosenOf(page, curves, key) {
    const all = [...new Set(curves.map((one) => one[key]))];
    if (key === "rest")
        all.sort((a, b) => coresOf(b) - coresOf(a));
    return choose(page, "loaded", key, NAMES[key], all, WORDS[key]);
}

/** The curves to be seen, what to call each, what they have in common, and how to choose others. */
function chosenCurves(page, curves) {
    if (page.runs.length > 1) {
        const work = chosenOf(page, curves, "work"), rest = chosenOf(page, curves, "rest");
        return {
            shown: curves.filter((one) => one.rest === rest.value && one.work === work.value),
            label: (one) => `${one.run.title}, ${describeCase(one.name)}`,
            of: `others ${WORDS.work(work.value)}, ${describeCase(rest.value)}`,
            controls: [work.control, rest.control],
        };
    }
    const hasCases = new Set(curves.map((one) => one.rest)).size > 1;
    const side = choose(page, "loaded", "side", "a line for each", Object.keys(SIDES).slice(0, hasCases ? 2 : 1),
        (side) => SIDE_NAMES[side]);
    const { line, same } = SIDES[side.value], held = chosenOf(page, curves, same);
    return {
        shown: curves.filter((one) => one[same] === held.value),
        label: (one) => (line === "work" ? `others ${WORDS.work(one.work)}` : describeCase(one.rest)),
        of: line === "work" ? describeCase(held.value) : `others ${WORDS.work(held.value)}`,
        controls: [side.control, held.control],
    };
}

function verdictsOf({ run, name }) {
    const find = (verdict) => verdictOf(run, "loaded", name, verdict);
    return {
        idle: find("idle_latency"), half: find("latency_at_half"), top: find("latency_at_peak"),
        most: find("peak_bandwidth"),
    };
}

function colorOf(page, run, i) {
    return page.runs.length > 1 ? runColor(run) : seriesColor(i);
}

/** Of one line only: those of several would lie over each other. */
function bandOf(curve, factor) {
    return {
        low: curve.map(({ latency, reach }) => Math.max(0, latency - reach) * factor),
        high: curve.map(({ latency, reach }) => (latency + reach) * factor),
    };
}

function curveChart(page, { label, of }, shown) {
    const dots = [];
    const series = shown.map((one, i) => {
        const factor = TIME_UNITS[page.unit](one.run), color = colorOf(page, one.run, i);
        const { half, top, most } = verdictsOf(one);
        if (hasValue(most) && hasValue(half))
            dots.push({ x: most.value / 2, y: half.value * factor, color, shape: "ring" });
        if (hasValue(most) && hasValue(top))
            dots.push({ x: most.value, y: top.value * factor, color, shape: "diamond" });
        return {
            label: label(one), color, dash: readCase(one.name).isShared ? [5, 4] : undefined,
            x: one.curve.map(({ moved }) => moved), y: one.curve.map(({ latency }) => latency * factor),
            ...(shown.length === 1 ? bandOf(one.curve, factor) : {}),
            notes: one.curve.map(({ pause }) => (pause === null ? "the others rest" : `pause ${pause}`)),
        };
    });
    const times = series.flatMap((one) => [...one.y, ...one.low ?? [], ...one.high ?? []]);
    return lineChart({
        title: `Time of a load over what the other cores move: ${of}`, dots,
        shapes: [{ shape: "ring", label: "half of the most" }, { shape: "diamond", label: "the most they moved" }],
        notes: ["The axis of times does not begin at zero."],
        x: { label: "GB/s of the other cores", min: 0, max: 1.03 * Math.max(...series.flatMap((one) => one.x)) },
        y: { label: `${page.unit} of a load`, min: 0.9 * Math.min(...times), max: 1.05 * Math.max(...times) }, series,
    });
}

function barOf(verdict, factor, bar) {
    const times = (value) => (Number.isFinite(value) ? value * factor : null);
    return {
        ...bar, value: times(verdict?.value), low: times(verdict?.low), high: times(verdict?.high),
        status: verdict?.status ?? "skip", why: verdict?.method ?? "there is no verdict",
    };
}

// Of which the verdicts tell what a load takes.
const STATES = {
    idle: "while they rest", half: "while they move half of their most", top: "while they move the most",
};

function times(page, shown, label) {
    const rows = Object.entries(STATES).flatMap(([state, group]) => shown.map((one, i) =>
        barOf(verdictsOf(one)[state], TIME_UNITS[page.unit](one.run),
            { group, label: label(one), title: one.name, color: colorOf(page, one.run, i) })));
    return bars({ title: "What a load takes", unit: page.unit, rows });
}

function moved(page, shown, label) {
    const others = shown.map((one, i) => barOf(verdictsOf(one).most, 1,
        { group: "other cores, at the most", label: label(one), title: one.name, color: colorOf(page, one.run, i) }));
    const rows = [...others, ...streams(page, shown[0].rest)];
    return bars({ title: "What is moved", unit: "GB/s", rows });
}

/** The most that is moved over the number of cores, where there are several. */
function overCores(page) {
    const lines = new Map();
    for (const run of page.runs)
        for (const most of run.verdicts) {
            const cores = coresOf(most.case), name = withoutCores(most.case), key = `${run.name}\n${name}`;
            if (most.experiment !== "loaded" || most.name !== "peak_bandwidth" || cores === null || !hasValue(most))
                continue;
            if (!lines.has(key))
                lines.set(key, { run, name, points: [] });
            lines.get(key).points.push({ cores, most });
        }
    return [...lines.values()].filter(({ points }) => points.length > 1);
}

function coresChart(page, shown) {
    const cases = new Set(shown.map(({ name }) => withoutCores(name)));
    const lines = overCores(page).filter(({ name }) => cases.has(name));
    if (lines.length === 0)
        return null;
    const points = lines.flatMap((line) => line.points), highest = Math.max(...points.map(({ most }) => most.high));
    const counts = [...new Set(points.map(({ cores }) => cores))].sort((a, b) => a - b);
    return lineChart({
        title: "The most that other cores move, by their number",
        x: { label: "other cores", splits: counts, min: 0, max: counts.at(-1) + 0.5 },
        y: { label: "GB/s", min: 0, max: 1.05 * highest },
        series: lines.map(({ run, name, points: unsorted }, i) => {
            const sorted = [...unsorted].sort((a, b) => a.cores - b.cores);
            return {
                label: [...(page.runs.length > 1 ? [run.title] : []), describeCase(name)].join(", "), color: colorOf(page, run, i),
                x: sorted.map(({ cores }) => cores), y: sorted.map(({ most }) => most.value),
                low: sorted.map(({ most }) => most.low), high: sorted.map(({ most }) => most.high),
                notes: sorted.map(({ most }) => most.status),
            };
        }),
    });
}

/** What this core moves, alone; of several runs only in the case of that name. */
function streams(page, rest) {
    const isShown = (one) => one.experiment === "loaded" && Object.hasOwn(STREAMS, one.name) && hasValue(one) &&
        (page.runs.length < 2 || !rest || one.case === `stream-${rest}`);
    return page.runs.flatMap((run) => run.verdicts.filter(isShown).map((one) => barOf(one, 1, {
        group: [...(page.runs.length > 1 ? [run.title] : []), "this core alone",
            describeCase(one.case.replace(/^stream-/, ""))].join(", "),
        label: STREAMS[one.name], title: `${one.case} ${one.name}`, color: "var(--series-7)",
    })));
}

/** Of a curve whose bandwidth is answered, rather than of one that is not; of several runs, of each. */
function sentences(page, shown) {
    const best = shown.find((each) => verdictsOf(each).top?.status === "ok") ?? shown[0];
    return (page.runs.length > 1 ? shown : [best]).map((one) => el("p", { class: "answer" }, sentence(page, one)));
}

function sentence(page, one) {
    const { idle, top, most } = verdictsOf(one), factor = TIME_UNITS[page.unit](one.run), cores = coresOf(one.name);
    const of = page.runs.length > 1 ? `${one.run.title}: ` : "";
    const why = (verdict) => verdict?.method ?? "there is no verdict";
    const show = (verdict) => told(`${number(verdict.value * factor, 3)} ${page.unit}`, verdict);
    if (!hasValue(idle))
        return `${of}What a load takes while the other cores rest is not known: ${why(idle)}.`;
    const resting = [`${of}A load from memory takes `, show(idle), " while the other cores rest. "];
    if (!hasValue(top) || !hasValue(most))
        return [resting, `What it takes beside their work is not known: ${why(top)}.`];
    const [does, many] = DOES[one.work];
    const who = cores === 1 ? `another core ${does}` : `${cores ?? "the"} other cores ${many}`;
    return [resting, "It takes ", show(top), `, ${number(top.value / idle.value, 3)} times as long, while ${who} `,
        el("strong", {}, `${number(most.value, 3)} GB/s`), ", the most that was seen."];
}

function render(page) {
    const curves = curvesOf(page);
    if (curves.length === 0) {
        const rows = streams(page);
        return rows.length > 0 ? [bars({ title: "What is moved", unit: "GB/s", rows })] : [];
    }
    const chosen = chosenCurves(page, curves), few = chosen.shown.slice(0, MOST_LINES), { label } = chosen;
    const left = chosen.shown.length - few.length;
    return [
        sentences(page, few), chosen.controls,
        left > 0 ? el("p", { class: "note" }, `The first ${MOST_LINES} cases are drawn; there are ${left} more.`) : null,
        curveChart(page, chosen, few),
        el("div", { class: "pair" }, times(page, few, label), moved(page, few, label)), coresChart(page, few),
    ].flat(Infinity).filter(Boolean);
}

export const loaded = { id: "loaded", title: "Loaded latency", experiments: ["loaded"], render };
