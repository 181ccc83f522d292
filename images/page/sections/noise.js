/* noise: how quiet it was: the certificate, gaps by their length, the core's pace and who shared it. */
import { bars } from "../bars.js";
import { certificateLines, certificateSentence, duration } from "../certificate.js";
import { lineChart, runColor, seriesColor } from "../chart.js";
import { chooser, el } from "../dom.js";
import { TIME_UNITS, number } from "../format.js";
import { epochCases, epochsOf, gapsOf, paceOf, sharedByExperiment, sharesOf, watchedSeconds } from "../quiet.js";
import { casesOf, verdictOf, whyMissing } from "../run.js";

// Whose colour a word has.
const STATUSES = { good: "ok", "not good": "doubt", "not known": "skip" };

function of(page, run) {
    return page.runs.length > 1 ? `${run.title}: ` : "";
}

function certificate(page) {
    const runs = page.runs.filter((run) => certificateLines(run).length > 0);
    if (runs.length === 0)
        return null;
    const lines = runs.map(certificateLines);
    return el("figure", { class: "certificate" }, el("figcaption", {}, "Certificate: what could disturb a measurement"),
        el("div", { class: "wide" }, el("table", {},
            runs.length > 1 ? el("thead", {}, el("tr", {}, el("th", {}), runs.map((run) => el("th", { scope: "col" }, run.title)))) : null,
            el("tbody", {}, lines[0].map(({ name }, i) => el("tr", {}, el("th", { scope: "row" }, name), lines.map((line) =>
                el("td", {}, el("span", { class: `status ${STATUSES[line[i].word]}` }, line[i].word), " ", line[i].why))))))));
}

/** Cases of all runs with rows of a metric, each with its color: of its run, where there are several. */
function casesWith(page, metric) {
    const all = page.runs.flatMap((run) => casesOf(run, "noise", metric).map((name) => ({ run, name })));
    return all.map((one, i) => ({
        ...one, color: page.runs.length > 1 ? runColor(one.run) : seriesColor(i),
        label: page.runs.length > 1 ? `${one.run.title} ${one.name}` : one.name,
    }));
}

/** Of several runs those of one case; so of one run that has more cases than the eye tells apart. */
function chosenCases(page, metric, key) {
    const all = casesWith(page, metric), names = [...new Set(all.map(({ name }) => name))];
    if (names.length < (page.runs.length > 1 ? 2 : 3))
        return { shown: all, element: null };
    const state = page.choices.noise ??= {}, chosen = names.includes(state[key]) ? state[key] : names[0];
    return {
        shown: all.filter(({ name }) => name === chosen),
        element: chooser("case", names, chosen, choose(page, key)),
    };
}

function choose(page, key) {
    return (choice) => {
        (page.choices.noise ??= {})[key] = choice;
        page.redraw();
    };
}

function histogram(page) {
    const { shown, element } = chosenCases(page, "gap", "gaps");
    const cases = shown.map((one) => ({ ...one, gaps: gapsOf(one.run, one.name).filter(({ row }) => row.samples > 0) }));
    const having = cases.filter(({ run, name, gaps }) => gaps.length > 0 && watchedSeconds(run, name) > 0), isBars = having.length < 3;
    const none = cases.filter(({ gaps }) => gaps.length === 0).map(({ run, name, label }) => el("p", {},
        `No gap at all in ${number(watchedSeconds(run, name), 3)} s of case ${label}.`));
    // Runs that watched for different times are compared by the second.
    const isRate = page.runs.length > 1;
    const countOf = (run, name, row) => (isRate ? row.samples / watchedSeconds(run, name) : row.samples);
    const counts = having.flatMap(({ run, name, gaps }) => gaps.map(({ row }) => countOf(run, name, row)));
    const exponents = having.flatMap(({ gaps }) => gaps.map(({ exponent }) => exponent));
    const first = Math.min(...exponents), last = Math.max(...exponents, first + 3);
    return [element, none, having.length === 0 ? null : lineChart({
        title: "How often the core was away, by how long",
        x: {
            label: "length of a gap, from", format: (exponent) => duration(10 ** exponent), min: first - 0.7, max: last + 0.7,
            splits: Array.from({ length: last - first + 1 }, (_, i) => first + i),
        },
        y: { label: isRate ? "gaps a second" : "gaps", log: 10, min: isRate ? Math.min(...counts) / 2 : 0.5, max: 2 * Math.max(...counts) },
        series: having.map(({ run, name, label, color, gaps }) => ({
            label, color, steps: isBars, x: gaps.map(({ exponent }) => exponent), y: gaps.map(({ row }) => countOf(run, name, row)),
            notes: gaps.map(({ row }) => gapNote(row, watchedSeconds(run, name), isRate)),
        })),
    })];
}

function gapNote(row, seconds, isRate) {
    const other = isRate ? `${number(row.samples)} in ${number(seconds, 3)} s` : `${number(row.samples / seconds, 3)} a second`;
    return `${other}, median ${duration(row.median)}, longest ${duration(row.max)}, together ${duration(row.samples * row.mean)}`;
}

const SLICE_TICKS = 15; // so many at the most

function sliceAxis(series) {
    const last = Math.max(...series.flatMap(({ x }) => x)), each = Math.max(1, Math.ceil(last / SLICE_TICKS));
    return {
        label: "slice, in no order of time", min: -0.7, max: last + 0.7,
        splits: Array.from({ length: Math.floor(last / each) + 1 }, (_, i) => i * each),
    };
}

const NO_ORDER = "Slices are measured in random order: those side by side here were not so in time.";

function pace(page) {
    const { shown, element } = chosenCases(page, "chain", "pace"), isKnown = page.runs.every((run) => run.json.tsc_hz > 0);
    const series = shown.map(({ run, name, label, color }) => {
        const slices = paceOf(run, name);
        return {
            label, color, points: true, whiskers: true, x: slices.map(({ slice }) => slice), y: slices.map(({ value }) => value),
            low: slices.map(({ low }) => low), high: slices.map(({ high }) => high),
        };
    }).filter(({ x }) => x.length > 1);
    return series.length === 0 ? null : el("div", {}, element, lineChart({
        title: "The core's frequency in each slice", x: sliceAxis(series),
        y: { label: isKnown ? "GHz" : "cycles a tick" }, series,
    }));
}

function shares(page) {
    const { shown, element } = chosenCases(page, "core_shared", "shared");
    const series = shown.map(({ run, name, label, color }) => {
        const slices = sharesOf(run, name);
        return {
            label, color, steps: shown.length < 3, points: shown.length > 2,
            x: slices.map(({ slice }) => slice), y: slices.map(({ percent }) => percent),
            notes: slices.map(({ looks }) => `${looks} looks`),
        };
    }).filter(({ x }) => x.length > 0);
    return series.length === 0 ? null : el("div", {}, element, lineChart({
        title: "Looks in which another thread shared the core", x: sliceAxis(series),
        y: { label: "% of the looks", min: 0, max: 100 }, series,
    }));
}

function sharedBars(page) {
    const rows = page.runs.flatMap((run) => {
        const looks = verdictOf(run, "noise", "core", "shared_share"), group = page.runs.length > 1 ? run.title : undefined;
        const color = page.runs.length > 1 ? runColor(run) : undefined;
        return [
            Number.isFinite(looks?.value) ? [{ label: "noise, looks", group, color, value: looks.value, low: looks.low, high: looks.high, status: looks.status, why: looks.method }] : [],
            sharedByExperiment(run).map(({ experiment, cases, mean, least, most }) => ({
                label: `${experiment}, ${cases} ${cases === 1 ? "case" : "cases"}`, group, color, value: mean, low: least, high: most,
            })),
        ].flat();
    });
    return rows.length === 0 ? null : el("div", {}, bars({
        title: "Visits in which another thread shared the core", unit: "%", rows,
        range: { min: 0, max: 100 },
    }), el("p", { class: "note" }, "Of noise with its interval; of other experiments the mean of their cases, from the least to the most. " +
        "Experiments that keep samples of the shared core apart are not here."));
}

const MOST_LINES = 8;

/** Of several runs the first that has any: a point's time is not to be compared with another machine's here. */
function epochs(page) {
    const having = page.runs.filter((run) => epochCases(run).length > 0);
    if (having.length === 0)
        return null;
    const state = page.choices.noise ?? {}, pick = (all, chosen) => (all.includes(chosen) ? chosen : all[0]);
    const titles = having.map((run) => run.title), run = having[titles.indexOf(pick(titles, state.run))];
    const all = epochCases(run), experiments = [...new Set(all.map(({ experiment }) => experiment))];
    const experiment = pick(experiments, state.experiment);
    const names = all.filter((one) => one.experiment === experiment).map(({ name }) => name), name = pick(names, state.name);
    const lines = epochsOf(run, experiment, name), points = [...new Set(lines.map(({ label }) => label.replace(", shared core", "")))];
    const factor = TIME_UNITS[page.unit](run), times = (values) => values.map((value) => value * factor);
    return el("div", {},
        titles.length > 1 ? chooser("run", titles, run.title, choose(page, "run")) : null,
        experiments.length > 1 ? chooser("experiment", experiments, experiment, choose(page, "experiment")) : null,
        names.length > 1 ? chooser("case", names, name, choose(page, "name")) : null,
        lineChart({
            title: `The same points again and again, in the order of time: ${of(page, run)}${experiment} ${name}`,
            x: { label: "epoch" }, y: { label: page.unit },
            series: lines.slice(0, MOST_LINES).map((line) => ({
                label: line.label, color: seriesColor(2 * points.indexOf(line.label.replace(", shared core", "")) + line.isShared),
                points: line.isShared, whiskers: line.isShared, x: line.x, y: times(line.y), low: times(line.low), high: times(line.high),
            })),
        }), el("p", { class: "note" }, "Points of the shared core stand in epochs in which another thread shared it for long enough."));
}

function render(page) {
    const hasRows = page.runs.some((run) => casesOf(run, "noise", "gap").length > 0);
    return [
        page.runs.map((run) => el("p", { class: "answer" }, of(page, run) + certificateSentence(run))),
        certificate(page),
        hasRows ? histogram(page) : el("p", { class: "note" }, `Gaps: ${whyMissing(page.runs[0], "noise")}`),
        el("div", { class: "pair" }, pace(page), shares(page)),
        casesWith(page, "chain").length + casesWith(page, "core_shared").length > 0 ? el("p", { class: "note" }, NO_ORDER) : null,
        epochs(page), sharedBars(page),
    ].flat(Infinity).filter(Boolean);
}

export const noise = { id: "noise", title: "How quiet it was", experiments: ["noise"], render };
