/* identity: which machine, when and how; and what is not as it should be. */
import { el, statusWord } from "../draw/dom.js";
import { number } from "../data/format.js";
import { publishedOf } from "../data/published.js";
import { isEmulated } from "../data/run.js";

const COUNTED = ["ok", "doubt", "skip", "error"];

const RUN_STATUS = {
    done: ["ok", "all that was asked for is done"],
    partial: ["doubt", "something was left out, could not be saved, or the run did not end"],
    error: ["error", "the self-test or an experiment failed"],
    nothing: ["error", "nothing that was asked for could be measured"],
};

const join = (texts, between = " ") => texts.filter((text) => text !== undefined && text !== null && text !== "")
    .join(between);

/** What a reader has to know before he believes a number. */
export function complaintsOf(run) {
    const { status, certificate = {}, hypervisor, platform, hardware_errors: errors } = run.json;
    const shared = certificate.core_shared_percent, apart = certificate.tsc_difference_ppm;
    const complaints = [...run.damage];
    if (status !== undefined && status !== "done")
        complaints.push(RUN_STATUS[status]?.[1] ?? `the status is ${status}`);
    if (platform === "model")
        complaints.push("a model of a processor: no machine was measured");
    else if (hypervisor)
        complaints.push(isEmulated(hypervisor) ? "an emulator ran this: its times mean nothing" :
            `a virtual machine (${hypervisor.name}): the host and its guests share the machine`);
    if (certificate.interrupts === "on")
        complaints.push(join(["interrupts were on while measuring", certificate.interrupts_why], ": "));
    if (shared >= 0.5)
        complaints.push(`another thread shared the core in ${number(shared, 3)} % of the looks at it ` +
            "(a look times additions, which take longer meanwhile)");
    if (certificate.smi_during_run > 0)
        complaints.push(`${number(certificate.smi_during_run)} system-management interrupts`);
    if (Math.abs(apart) > 1000)
        complaints.push(`a second clock says the counter's rate is ${number(apart)} ppm off`);
    if (errors?.machine_checks_noticed > 0 || errors?.machine_check_exceptions > 0)
        complaints.push("the hardware reported errors: log.txt has them");
    return complaints;
}

function statusOf(run) {
    const [kind, words] = RUN_STATUS[run.json.status] ?? ["error", "it is not known how the run ended"];
    return [el("span", { class: `status ${kind}` }, String(run.json.status ?? "unknown")), ` ${words}`];
}

/** How many verdicts there are of each status; each leads to them. */
function counts(run, page) {
    const show = (status) => () => {
        page.choices.verdicts = { status, run: page.runs.length > 1 ? run.title : "" };
        page.redraw();
    };
    const of = (status) => run.verdicts.filter((verdict) => verdict.status === status).length;
    return [`${run.verdicts.length}: `, COUNTED.map((status, i) => [i > 0 ? ", " : "",
        el("a", { href: "#verdicts", onclick: show(status) }, `${of(status)} `, statusWord(status))])];
}

function complaints(run) {
    const found = complaintsOf(run);
    return found.length === 0 ? "nothing" : el("ul", { class: "complaints" }, found.map((one) => el("li", {}, one)));
}

function coresOf(run) {
    const cores = Object.values(run.json.machine?.cores ?? {}).filter((core) => core?.apic_id !== undefined);
    return cores.map((core) => join([`APIC id ${core.apic_id}`, core.type === "one type" ? "" : `type ${core.type}`,
        core.microcode && `microcode ${core.microcode}`], ", ")).join("; ");
}

function processorOf({ json: { processor: p } }) {
    return p && `${p.brand || p.vendor} (family ${p.family}, model ${p.model}, stepping ${p.stepping})`;
}

function uarchOf(run, page) {
    return [...new Set(publishedOf(page.published, run).map((row) => row.uarch))].join(", ");
}

function boardOf({ json: { machine: { board = {} } = {} } }) {
    return join([board.manufacturer, board.product, board.version]);
}

function systemOf({ json: { machine: { system = {} } = {} } }) {
    return join([system.manufacturer, system.product, system.version]);
}

function biosOf({ json: { machine: { bios = {} } = {} } }) {
    return join([bios.vendor, bios.version, bios.date], ", ");
}

function timeOf({ json: { machine: m = {}, seconds } }) {
    const [start = "", end = ""] = [m.utc_start, m.utc_end].map((text) => text?.replace("T", " ").replace("Z", ""));
    const isSameDay = end.slice(0, 10) === start.slice(0, 10);
    const span = join([start, isSameDay ? end.slice(11) : end], " to ");
    return join([span ? `${span} UTC` : m.no_utc,
        seconds === undefined ? "" : `${number(seconds)} s`], "; ");
}

function clockOf({ json: { tsc_hz: rate, certificate = {} } }) {
    return join([rate > 0 ? `${number(rate / 1e6)} million ticks a second` : "",
        certificate.cycles_per_tick ? `${number(certificate.cycles_per_tick)} core cycles a tick` : ""], ", ");
}

/** Lines of a table: a name, and what it says of a run; where that is nothing, the line is left out. */
const STATE = [
    ["Run", statusOf],
    ["Verdicts", counts],
    ["To be known first", complaints],
    ["When", timeOf],
    ["Label", (run) => run.json.label],
    ["Folder", (run) => run.name],
];
const MACHINE = [
    ["Processor", processorOf],
    ["Microarchitecture", uarchOf],
    ["Core", coresOf],
    ["Machine", systemOf],
    ["Board", boardOf],
    ["BIOS", biosOf],
    ["Hypervisor", (run) => run.json.hypervisor?.name],
    ["Clock", clockOf],
    ["Made by", (run) => join([run.json.program, run.json.version, run.json.platform && `on ${run.json.platform}`])],
];

const isSaid = (content) => content !== undefined && content !== null && content !== "";

function facts(page, label, lines) {
    const said = lines.map(([name, say]) => [name, page.runs.map((run) => say(run, page))])
        .filter(([, contents]) => contents.some(isSaid));
    const head = page.runs.length === 1 ? null :
        el("thead", {}, el("tr", {}, el("td"), page.runs.map((run) => el("th", { scope: "col" }, run.title))));
    return el("table", { class: "facts", "aria-label": label }, head, el("tbody", {}, said.map(([name, contents]) =>
        el("tr", {}, el("th", { scope: "row" }, name), contents.map((content) =>
            el("td", {}, typeof content === "object" ? content : String(content ?? "")))))));
}

/** Of one run both tables side by side; of several, one with a column each. */
function tables(page) {
    if (page.runs.length === 1)
        return el("div", { class: "halves" }, facts(page, "The run", STATE), facts(page, "The machine", MACHINE));
    return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Runs and machines" },
        facts(page, "Runs and machines", [...STATE, ...MACHINE]));
}

/** Keys of the configuration that are not as they are by default. */
function configuration(run) {
    const { configuration: values = {}, configured_by: sources = {} } = run.json;
    const changed = Object.keys(values).filter((key) => sources[key] !== "default");
    return [el("h3", {}, run.title), changed.length === 0 ? el("p", {}, "All keys are as they are by default.") :
        el("dl", {}, changed.map((key) =>
            [el("dt", {}, `${key} (${sources[key] ?? "?"})`), el("dd", {}, String(values[key]))]))];
}

/** run.json as lists in lists. */
function tree(value) {
    if (value === null || typeof value !== "object")
        return String(value);
    return el("dl", {}, Object.entries(value).map(([key, member]) => [el("dt", {}, key), el("dd", {}, tree(member))]));
}

/** Made when it is opened: most never are. */
function later(title, make) {
    const details = el("details", { ontoggle: () => {
        if (details.open && details.children.length === 1)
            details.append(...make());
    } }, el("summary", {}, title));
    return details;
}

function render(page) {
    return [
        tables(page),
        el("div", { class: "folded" },
            later("The configuration, where it is not the default", () => page.runs.flatMap(configuration)),
            later("All of run.json", () => page.runs.flatMap((run) => [el("h3", {}, run.title), tree(run.json)]))),
    ];
}

export const identity = { id: "identity", title: "Who and when", render };
