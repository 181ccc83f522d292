/* identity: shows what was measured, when and how; lists the caveats of a run. */
import { el, wideTable } from "../draw/dom.js";
import { distinct, number } from "../data/format.js";
import { howMeasured, isEmulated, processorOf } from "../data/run.js";

const RUN_STATUS = {
    partial: "something was left out, could not be saved, or the run did not end",
    error: "the self-test or an experiment failed",
    nothing: "nothing that was asked for could be measured",
};

const isSaid = (content) => content !== undefined && content !== null && content !== "";
const join = (texts, between = " ") => texts.filter(isSaid).join(between);

/** Returns the caveats that a reader has to know before believing a number. */
export function caveatsOf(run) {
    const { damage, json } = run;
    const { status = "done", certificate = {}, hypervisor, platform, hardware_errors: errors = {} } = json, isModel = platform === "model";
    const { core_shared_percent: shared, tsc_difference_ppm: apart, tsc_agrees: agrees, smi_during_run: smi } = certificate;
    const { gaps_over_1us_per_second: gaps, max_gap_ns: longest } = certificate;
    return [...damage,
        status !== "done" && !json.failures && (RUN_STATUS[status] ?? `the status is ${status}`),
        isModel && "a model of a processor: no machine was measured",
        hypervisor && !isEmulated(run) && `a virtual machine (${hypervisor.name}): the host and its guests share the machine`,
        !isModel && certificate.interrupts === "on" && join(["interrupts were on while measuring", certificate.interrupts_why], ": "),
        gaps > 0 && `the core was interrupted ${number(gaps, 3)} times a second, for up to ${number(longest / 1e6, 3)} ms`,
        shared >= 0.5 && `another thread shared the core in ${number(shared, 3)} % of the checks`,
        smi > 0 && `${number(smi)} system-management interrupts`, agrees === false && `a second clock says the counter's rate is ${number(apart)} ppm off`,
        (errors.machine_checks_noticed > 0 || errors.machine_check_exceptions > 0) && "the hardware reported errors: log.txt has them",
    ].filter(Boolean);
}

function coresOf(run) {
    const cores = Object.values(run.json.machine?.cores ?? {}).filter((core) => core?.apic_id !== undefined);
    return cores.map((core) => join([`APIC id ${core.apic_id}`, core.type === "one type" ? "" : `type ${core.type}`,
        core.microcode && `microcode ${core.microcode}`], ", ")).join("; ");
}

const partOf = (part, between = " ") => ({ json: { machine } }) =>
    distinct(["manufacturer", "vendor", "product", "version", "date"].map((name) => machine?.[part]?.[name])).join(between);

function timeOf({ json: { machine: m = {}, seconds } }) {
    const [start = "", end = ""] = [m.utc_start, m.utc_end].map((text) => text?.replace("T", " ").replace("Z", ""));
    const isSameDay = end.slice(0, 10) === start.slice(0, 10), span = join([start, isSameDay ? end.slice(11) : end], " to ");
    return join([span ? `${span} UTC` : m.no_utc, seconds === undefined ? "" : `${number(seconds)} s`], "; ");
}

function clockOf({ json: { tsc_hz: rate, certificate = {} } }) {
    return join([rate > 0 ? `${number(rate / 1e6)} million ticks a second` : "",
        certificate.cycles_per_tick ? `${number(certificate.cycles_per_tick)} core cycles a tick` : ""], ", ");
}

/** Returns how many slots for memory are filled, and the modules' speeds: "11 of 12 slots, 4800 MT/s". */
export function dimmsOf({ json: { machine } }) {
    const { slots, filled, ...modules } = machine?.memory ?? {};
    const speeds = distinct(Object.values(modules).map((one) => (one?.mts > 0 ? `${one.mts} MT/s` : "")));
    return filled > 0 ? join([slots > 0 ? `${filled} of ${slots} slots` : `${filled} filled`, ...speeds], ", ") : "";
}

/** Returns the range of the uncore's clock while experiments measured, or why it is not known, and what is permitted. */
function uncoreOf({ json: { uncore } }) {
    if (!uncore)
        return "";
    const least = Math.min(...Object.values(uncore.least_mhz ?? {})), most = Math.max(...Object.values(uncore.most_mhz ?? {}));
    const range = (from, to) => `${from === to ? "" : `${number(from)} to `}${number(to)} MHz`;
    const { permitted_least_mhz: from, permitted_most_mhz: to } = uncore;
    return join([Number.isFinite(most) ? range(least, most) : join(["not known", uncore.not_known], ": "),
        from && to ? `permitted: ${range(from, to)}` : ""], "; ");
}

/** Lines of a table: a name, and a function of a run; a line for which no run has any text is left out. */
const FACTS = [
    ["When", timeOf], ["Label", (run) => run.json.label], ["Folder", (run) => run.name], ["Processor", processorOf], ["Core", coresOf],
    ["Machine", partOf("system")], ["Board", partOf("board")], ["BIOS", partOf("bios", ", ")], ["DIMMs", dimmsOf],
    ["Clock", clockOf], ["Uncore", uncoreOf],
    ["Memory encryption", (run) => run.json.memory?.encryption],
    ["Made by", (run) => join([join([run.json.program, run.json.version]), howMeasured(run)], ", ")],
];

function facts(page) {
    const said = FACTS.map(([name, say]) => [name, page.runs.map(say)]).filter(([, contents]) => contents.some(isSaid));
    return wideTable("Runs and machines", "facts", page.runs.length === 1 ? null : [el("td"), ...page.runs.map((run) => run.title)],
        said.map(([name, contents]) => el("tr", {}, el("th", { scope: "row" }, name), contents.map((content) =>
            el("td", {}, String(content ?? ""))))));
}

function configuration(run) {
    const { configuration: values = {}, configured_by: sources = {} } = run.json;
    const changed = Object.keys(values).filter((key) => sources[key] !== "default");
    return [el("h3", {}, run.title), changed.length === 0 ? el("p", {}, "All keys are as they are by default.") :
        el("dl", {}, changed.map((key) => [el("dt", {}, `${key} (${sources[key] ?? "?"})`), el("dd", {}, String(values[key]))]))];
}

function logOf(run) {
    const log = run.files.get("log.txt");
    return log === undefined ? [] : [el("h3", {}, run.title), el("pre", {}, log)];
}

const render = (page) => [facts(page),
    page.runs.some((run) => run.files.has("log.txt")) ?
        el("details", {}, el("summary", {}, "The log: each step, and why something failed"), page.runs.flatMap(logOf)) : null,
    el("details", {}, el("summary", {}, "The configuration, where it is not the default"), page.runs.flatMap(configuration))];

export const identity = { id: "identity", title: "This run", render };
