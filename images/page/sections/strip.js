/* strip: the head of the page: each run's machine and conditions, its main figures, how it went, and what would help. */
import { chip } from "../draw/chart.js";
import { el, statusWord } from "../draw/dom.js";
import { failuresOf } from "../data/advice.js";
import { ANSWERS, best, ofCase, shownIn } from "../data/answers.js";
import { microcodeOf } from "../data/cite.js";
import { certainty, counted, distinct, number } from "../data/format.js";
import { uarchOf } from "../data/published.js";
import { noiseReportLines } from "../data/quiet.js";
import { howMeasured, isEmulated, startOf } from "../data/run.js";
import { changeRuns, withoutRun } from "../data/runs.js";
import { textOf, valueOf } from "./answers.js";
import { caveatsOf, dimmsOf } from "./identity.js";

const WHOLE_MOST = 4; // runs, of which the strip has all: of more it has a line each

/** Describes a run in one line, by its processor, platform, start and length; one of several can be taken away. */
function who(page, run) {
    const { processor = {}, machine = {}, seconds, version } = run.json, isOne = page.runs.length === 1, brand = processor.brand?.trim();
    const cpu = [brand, processor.family && `microarchitecture ${uarchOf(page.published, run) || "not known"}`].filter(Boolean).join(", ");
    const maker = distinct([machine.system?.manufacturer, machine.system?.product], [run.title]).join(" ");
    const facts = [...isOne ? distinct([run.title], [brand]).map((title) => `run ${title}`) : [cpu], maker, howMeasured(run),
        startOf(run) && `${startOf(run)} UTC`, seconds === undefined ? null : `${number(seconds)} s`, version && `mlpboot ${version}`,
        isOne ? null : machine.id && `machine ${machine.id}`].filter(Boolean);
    return [chipOf(page, run), el("strong", {}, isOne ? cpu || run.title : run.title), el("span", {}, " · ", facts.join(" · ")),
        isOne ? null : el("button", { type: "button", "aria-label": `Remove ${run.title}`,
            onclick: () => changeRuns(page, withoutRun(page.runs, run), [`${run.title} was removed.`]) }, "Remove")];
}

const SETTINGS = ["prefetchers", "turbo", "sibling threads", "interrupts"];

/** Lists how the machine was set: the words of the noise report, and what firmware reports. */
function conditions(run) {
    const report = noiseReportLines(run).filter(({ name, word }) => SETTINGS.includes(name) && word !== "does not apply")
        .map(({ name, word, why }) => [name, why.replace(/[:;] an? .*/, ""), word]);
    const told = [...report, ["DIMMs", dimmsOf(run)], ["microcode", microcodeOf(run)],
        ["hypervisor", run.json.hypervisor?.name]].filter(([, words]) => words);
    return el("dl", { class: "conditions" }, told.map(([name, words, word = ""]) =>
        el("div", { class: word.replace(" ", "-"), title: word || undefined }, el("dt", {}, name), el("dd", {}, words))));
}

/** Returns the large figures. */
const tiles = (page) => el("dl", { class: "tiles" }, ANSWERS.map((answer, a) => (answer.large ?
    el("div", {}, el("dt", {}, answer.large, answer.counts ? `: ${answer.counts}` : ""),
        page.runs.map((run, i) => tile(page, run, answer, page.answers[a][i]))) : null)));

/** Returns an answer with how sure it is, and the figures beside it, which count something else. */
function tile(page, run, { small = {} }, verdict) {
    const shown = verdict && shownIn(page, run, verdict), value = shown ? valueOf(page, run, shown) : "no answer";
    const isValue = Array.isArray(value), range = isValue && certainty(page, run, shown);
    const beside = Object.entries(small).map(([name, words]) => [words, ofCase(run, verdict?.case, best(run, name))]).filter(([, found]) => found)
        .map(([words, found]) => [words, textOf(shownIn(page, run, found), page, run), found]).filter(([, text]) => text);
    return el("dd", {}, chipOf(page, run), el("span", { class: isValue ? `value ${shown.status}` : "value none" }, value),
        el("small", {}, range ? `${range} ` : "", isValue ? statusWord(shown.status, shown.method) : null),
        beside.map(([words, text, { status, method }]) => el("small", { class: "aside" }, `${words} ${text} `, statusWord(status, method))));
}

/** Returns how the run went, in one sentence, and what would help most. */
function health(page, run, i) {
    const found = page.answers.map((ofRuns) => ofRuns[i]), ok = found.filter((one) => one?.status === "ok").length;
    const isOpen = (one) => !one || [one.value, one.low, one.high].every((number) => number === null);
    const open = ANSWERS.filter((_, a) => isOpen(found[a])).map(({ title }) => title), [first] = page.advice[i];
    const missing = open.length > 0 && open.length < found.length ? `: ${open.join(", ")}` : "";
    return el("p", { class: "health" }, chipOf(page, run),
        failuresOf(run).map((words) => el("span", { class: "failed" }, `This run is not done: ${words} `)),
        isEmulated(run) ? el("span", { class: "emulated" },
            "Emulated: each step was run, and no time, size or count is a processor's") :
            [el("strong", {}, `${ok} of ${counted(found.length, "answer")} ${ok === 1 ? "is" : "are"} firm`),
                `, ${found.length - ok - open.length} doubtful, ${open.length} missing${missing}`],
        ["", ...caveatsOf(run)].join("; "), ". ",
        first ? [el("a", { href: "#todo" }, "What would help most"), `: ${first.words.replace(/^./, (letter) => letter.toLowerCase())}`,
            ` (${counted(first.titles.length, "answer")}).`] : null);
}

const chipOf = (page, run) => (page.runs.length > 1 ? chip(run) : null);

export function strip(page) {
    const isWhole = page.runs.length <= WHOLE_MOST, [run] = page.runs, rest = (one) => (isWhole ? conditions(one) : null);
    return page.runs.length === 0 ? [] : [page.runs.length === 1 ? [el("p", { class: "summary" }, who(page, run)), rest(run)] :
        el("ul", { class: "runs" }, page.runs.map((one) => el("li", {}, who(page, one), rest(one)))),
    isWhole ? tiles(page) : null, page.runs.map((one, i) => health(page, one, i))];
}
