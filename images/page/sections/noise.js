/* noise: how quiet it was: the noise report, gaps by their length, the core's pace and who shared it. */
import { bars } from "../draw/bars.js";
import { choose } from "../draw/choices.js";
import { describeCase } from "../data/cases.js";
import { MEANS, noiseReportLines, noiseReportSentence, duration } from "../curves/noisereport.js";
import { lineChart, runColor, seriesColor } from "../draw/chart.js";
import { el } from "../draw/dom.js";
import { TIME_UNITS, number } from "../data/format.js";
import { epochCases, epochsOf, gapsOf, paceOf, sharedByExperiment, sharesOf, watchedSeconds } from "../curves/quiet.js";
import { casesOf, hasValue, verdictOf, whyMissing } from "../data/run.js";

// Whose colour a word has.
const STATUSES = { good: "ok", "not good": "doubt", "not known": "skip" };
const LEAST_DECADES = 3; // beyond the first one

function of(page, run) {
    return page.runs.length > 1 ? `${run.title}: ` : "";
}

function noiseReport(page) {
    const runs = page.runs.filter((run) => noiseReportLines(run).length > 0);
    if (runs.length === 0)
        return null;
    const lines = runs.map(noiseReportLines), titles = runs.map((run) => el("th", { scope: "col" }, run.title));
    const means = lines[0].map(({ name }) => name).filter((name) => MEANS[name] &&
        lines.flat().some((line) => line.name === name && line.word === "not good"));
    const said = ({ word, why }) => el("td", {}, el("span", { class: `status ${STATUSES[word]}` }, word), " ", why);
    return el("figure", { class: "noisereport" },
        el("figcaption", {}, "Noise report: what could disturb a measurement"),
        el("div", { class: "wide" }, el("table", {},
            runs.length > 1 ? el("thead", {}, el("tr", {}, el("th", {}), titles)) : null,
            el("tbody", {}, lines[0].map(({ name }, i) =>
                el("tr", {}, el("th", { scope: "row" }, name), lines.map((line) => said(line[i]))))))),
        means.length === 0 ? null : el("div", { class: "note" }, "What is not good here, and what it does to the results:",
            el("ul", {}, means.map((name) => el("li", {}, `${name}: ${MEANS[name]}`)))));
}

// Of experiment noise's cases.
const CASES = { interrupts: "interrupts on", quiet: "interrupts off", core: "looks at the core" };
const wordsOf = (name) => (Object.hasOwn(CASES, name) ? CASES[name] : describeCase(name));

/** Cases of all runs with rows of a metric, each with its color: of its run, where there are several. */
function casesWith(page, metric) {
    const all = page.runs.flatMap((run) => casesOf(run, "noise", metric).map((name) => ({ run, name })));
    return all.map((one, i) => ({
        ...one, color: page.runs.length > 1 ? runColor(one.run) : seriesColor(i),
        label: page.runs.length > 1 ? `${one.run.title}, ${wordsOf(one.name)}` : wordsOf(one.name),
    }));
}

/** Of several runs those of one case; so of one run that has more cases than the eye tells apart. */
function chosenCases(page, metric) {
    const all = casesWith(page, metric), names = [...new Set(all.map(({ name }) => name))];
    if (page.runs.length === 1 && names.length < 3)
        return { shown: all, control: null };
    const { value, control } = choose(page, "noise", metric, "case", names, wordsOf);
    return { shown: all.filter(({ name }) => name === value), control };
}

/** A case's histogram; of several runs, which watched for different times, by the second. */
function gapSeries(page, { run, name, label, color }) {
    const isRate = page.runs.length > 1, seconds = watchedSeconds(run, name);
    const gaps = gapsOf(run, name).filter(({ row }) => row.samples > 0 && seconds > 0);
    return {
        label, color, seconds, x: gaps.map(({ exponent }) => exponent),
        y: gaps.map(({ row }) => (isRate ? row.samples / seconds : row.samples)),
        notes: gaps.map(({ row }) => gapNote(row, seconds, isRate)),
    };
}

function histogram(page) {
    const { shown, control } = chosenCases(page, "gap"), isRate = page.runs.length > 1;
    const all = shown.map((one) => gapSeries(page, one)), series = all.filter(({ x }) => x.length > 0);
    const none = all.filter(({ x }) => x.length === 0).map(({ label, seconds }) =>
        el("p", { class: "note" }, `No gap at all in ${number(seconds, 3)} s: ${label}.`));
    if (series.length === 0)
        return [control, none];
    const exponents = series.flatMap(({ x }) => x), counts = series.flatMap(({ y }) => y);
    const first = Math.min(...exponents), last = Math.max(...exponents, first + LEAST_DECADES);
    return [control, none, lineChart({
        title: "How often the core was away, by how long",
        x: {
            label: "length of a gap", format: decade,
            min: first - 0.7, max: last + 0.7, splits: Array.from({ length: last - first + 1 }, (_, i) => first + i),
        },
        y: {
            label: isRate ? "gaps a second" : "gaps", log: 10,
            min: isRate ? Math.min(...counts) / 2 : 0.5, max: 2 * Math.max(...counts),
        },
        series: series.map((one) => ({ ...one, steps: series.length < 3 })),
    })];
}

/** "10 to 100 ns" */
function decade(exponent) {
    const [from, to] = [exponent, exponent + 1].map((one) => duration(10 ** one));
    const [value, unit] = from.split(" ");
    return to.endsWith(` ${unit}`) ? `${value} to ${to}` : `${from} to ${to}`;
}

function gapNote({ samples, median, max, mean }, seconds, isRate) {
    const other = isRate ? `${number(samples)} in ${number(seconds, 3)} s` : `${number(samples / seconds, 3)} a second`;
    return `${other}, median ${duration(median)}, longest ${duration(max)}, together ${duration(samples * mean)}`;
}

const SLICE_TICKS = 15; // so many at the most

function sliceAxis(series) {
    const last = Math.max(...series.flatMap(({ x }) => x)), each = Math.max(1, Math.ceil(last / SLICE_TICKS));
    return {
        label: "slice, in no order of time", min: -0.7, max: last + 0.7,
        splits: Array.from({ length: Math.floor(last / each) + 1 }, (_, i) => i * each),
    };
}

const NO_ORDER = "A slice is a stretch of measuring without a break. Slices come in random order: those side by side " +
    "here were not so in time.";
const LOOK = "A look times a row of additions; where they go slower than the whole core can, another thread had a part of it.";

/** Two blocks measure the frequency, at different moments: this chart's, whose mean is the noise report's, and the floor. */
function paceNote(run) {
    const { tsc_hz: rate, certificate: { cycles_per_tick: pace } = {} } = run.json;
    const floor = verdictOf(run, "floor", "core", "frequency");
    return [
        "A chain of additions, each of which takes a core cycle, against the counter.",
        rate > 0 && pace > 0 ? ` The mean over the whole run, which the noise report has, is ${number(pace * rate / 1e6)} MHz.` : "",
        hasValue(floor) ? ` Experiment floor timed other additions in other moments: ` +
            `${number(floor.value)} MHz (${number(floor.low)} to ${number(floor.high)}).` : "",
    ].join("");
}

function pace(page) {
    const { shown, control } = chosenCases(page, "chain"), isKnown = page.runs.every((run) => run.json.tsc_hz > 0);
    const series = shown.map(({ run, name, label, color }) => {
        const slices = paceOf(run, name);
        return {
            label, color, points: true, whiskers: true,
            x: slices.map(({ slice }) => slice), y: slices.map(({ value }) => value),
            low: slices.map(({ low }) => low), high: slices.map(({ high }) => high),
        };
    }).filter(({ x }) => x.length > 1);
    return series.length === 0 ? null : el("div", {}, control, lineChart({
        title: "The core's frequency in each slice", x: sliceAxis(series),
        y: { label: isKnown ? "GHz" : "cycles a tick" }, series,
        notes: page.runs.length === 1 ? [paceNote(page.runs[0])] : undefined,
    }));
}

function shares(page) {
    const { shown, control } = chosenCases(page, "core_shared");
    const series = shown.map(({ run, name, label, color }) => {
        const slices = sharesOf(run, name);
        return {
            label, color, steps: shown.length < 3, points: shown.length > 2,
            x: slices.map(({ slice }) => slice), y: slices.map(({ percent }) => percent),
            notes: slices.map(({ looks }) => `${looks} looks`),
        };
    }).filter(({ x }) => x.length > 0);
    return series.length === 0 ? null : el("div", {}, control, lineChart({
        title: "Looks in which another thread shared the core", x: sliceAxis(series),
        y: { label: "% of the looks", min: 0, max: 100 }, series, notes: [LOOK],
    }));
}

const SHARED = "A visit is a short row of samples of one point, with a look before and after. Of noise with its interval; of other experiments the mean of their cases, from the least to the most. " +
    "Experiments that keep samples of the shared core apart are not here.";

function sharedBars(page) {
    const rows = page.runs.flatMap((run) => {
        const bar = page.runs.length > 1 ? { group: run.title, color: runColor(run) } : {};
        const looks = run.verdicts.filter((one) => one.name === "shared_share" && hasValue(one));
        return [
            ...looks.map(({ case: name, value, low, high, status, method }) =>
                ({ ...bar, label: "noise", title: `noise ${name}`, value, low, high, status, why: method })),
            ...sharedByExperiment(run).map(({ experiment, cases, mean, least, most }) =>
                ({ ...bar, label: `${experiment}, ${cases} ${cases === 1 ? "case" : "cases"}`, value: mean, low: least, high: most })),
        ];
    });
    const title = "Visits in which another thread shared the core";
    return rows.length === 0 ? null :
        [bars({ title, unit: "%", rows, range: { min: 0, max: 100 } }), el("p", { class: "note" }, SHARED)];
}

/** Experiments differ in how much they were disturbed. */
function sharedRange(run) {
    const all = sharedByExperiment(run).sort((a, b) => a.mean - b.mean), [least, most] = [all[0], all.at(-1)];
    const say = ({ experiment, mean }) => `${number(mean, 2)} % in ${experiment}`;
    return all.length < 2 ? "" : ` Experiments that do not wait for the whole core: from ${say(least)} to ${say(most)}.`;
}

const MOST_LINES = 8;
const EPOCH = "An epoch is a moment at which a few points are measured again, to see how far the machine's times move.";
const IN_EPOCHS = "Points of the shared core stand in epochs in which another thread shared it for long enough.";

/** Of one run at a time: a point's time is not to be compared with another machine's here. */
function epochs(page) {
    const having = page.runs.filter((run) => epochCases(run).length > 0), titles = having.map((run) => run.title);
    if (having.length === 0)
        return null;
    const title = choose(page, "noise", "run", "run", titles), run = having[titles.indexOf(title.value)];
    const cases = epochCases(run), experiments = [...new Set(cases.map((one) => one.experiment))];
    const experiment = choose(page, "noise", "experiment", "experiment", experiments);
    const name = choose(page, "noise", "name", "case",
        cases.filter((one) => one.experiment === experiment.value).map((one) => one.name), describeCase);
    const lines = epochsOf(run, experiment.value, name.value).slice(0, MOST_LINES);
    return [title.control, experiment.control, name.control, lineChart({
        title: `The same points again and again, in the order of time: ${of(page, run)}${experiment.value}, ${describeCase(name.value)}`,
        x: { label: "epoch" }, y: { label: page.unit }, series: epochSeries(lines, TIME_UNITS[page.unit](run)),
        notes: [EPOCH, ...(lines.some(({ isShared }) => isShared) ? [IN_EPOCHS] : [])],
    })];
}

function epochSeries(lines, factor) {
    const points = [...new Set(lines.map(({ point }) => point))];
    const times = (values) => values.map((value) => value * factor);
    return lines.map(({ point, isShared, x, y, low, high }) => ({
        label: isShared ? `${point}, shared core` : point, color: seriesColor(2 * points.indexOf(point) + Number(isShared)),
        points: isShared, whiskers: isShared, x, y: times(y), low: times(low), high: times(high),
    }));
}

function render(page) {
    const hasRows = (metric) => casesWith(page, metric).length > 0;
    return [
        page.runs.map((run) => el("p", { class: "answer" },
            of(page, run) + noiseReportSentence(run) + sharedRange(run))),
        noiseReport(page),
        hasRows("gap") ? histogram(page) : el("p", { class: "note" }, `Gaps: ${whyMissing(page.runs[0], "noise")}`),
        el("div", { class: "pair" }, pace(page), shares(page)),
        hasRows("chain") || hasRows("core_shared") ? el("p", { class: "note" }, NO_ORDER) : null,
        epochs(page), sharedBars(page),
    ].flat(Infinity).filter(Boolean);
}

export const noise = { id: "noise", title: "How quiet it was", experiments: ["noise"], render };
