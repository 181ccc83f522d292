/* run: one run, read from the files of its folder: run.json, verdicts.csv, results.csv, log.txt. */

export const FILES = ["run.json", "verdicts.csv", "results.csv", "log.txt"];

const TEXTS = new Set(["experiment", "case", "metric", "unit", "name", "status", "reason", "method"]);

// A field, quoted (RFC 4180) or not, and the character that ends it.
const FIELD = /(?:"([^"]*(?:""[^"]*)*)(?:"|$)|([^,\n]*))(,|\n|$)/g;

/** Returns the lines of a CSV file as arrays of fields, without empty lines. */
export function parseCsv(text) {
    if (!text.includes('"')) // as results.csv has none: five times as fast
        return text.split(/\r?\n/).filter(Boolean).map((line) => line.split(","));
    const lines = [[]];
    for (const [, quoted, plain, end] of text.replaceAll("\r\n", "\n").matchAll(FIELD)) {
        lines.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
        if (end !== ",")
            lines.push([]);
    }
    return lines.filter((fields) => fields.length > 1 || fields[0]);
}

/** Returns an object for each line, with the names of the first line; numbers are numbers, an empty number is null. */
function table(text) {
    const [names = [], ...lines] = parseCsv(text);
    const valueOf = (name, field = "") => (TEXTS.has(name) ? field : field === "" ? null : Number(field));
    return lines.map((fields) => Object.fromEntries(names.map((name, i) => [name, valueOf(name, fields[i])])));
}

/** Returns a file's table, without a last line that was cut off: `damage` then names the file. */
function wholeTable(name, files, damage) {
    const text = files.get(name) ?? "", end = text.lastIndexOf("\n") + 1;
    if (end < text.length)
        damage.push(`${name} ends within a line`);
    return table(text.slice(0, end));
}

/**
 * @typedef {Object} Run
 * @property {string} name      its folder
 * @property {string} title     its label, else its folder; no two runs have the same (runs.js)
 * @property {number} slot      the number of its colour: runColor(run) of chart.js
 * @property {Object} json      run.json; {} if it is missing or damaged
 * @property {Object[]} verdicts, rows  lines of verdicts.csv and results.csv; byCase: rows by experiment and case
 * @property {string[]} damage  the parts that could not be read, in words
 */

// Members of run.json that are objects, as run.schema.json has them.
const OBJECTS = ["failures", "configuration", "configured_by", "processor", "hypervisor", "machine", "certificate", "numa", "linux",
    "model", "processors", "firmware", "memory", "changed_and_restored", "hardware_errors", "settings", "counters"];

const TITLE_MAX = 48; // characters: it stands in legends

export const shorten = (text) => (text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1)}…` : text);

export const titleOf = (json, name) => shorten((typeof json.label === "string" && json.label.trim()) || name);

export function readRun(name, files) {
    const damage = [];
    const json = objectOf(files.get("run.json"));
    if (json === null)
        damage.push(files.has("run.json") ? "run.json is damaged" : "run.json is missing");
    for (const member of OBJECTS.filter((one) => json !== null && one in json && !isObject(json[one]))) {
        damage.push(`run.json is damaged: ${member} is no object`);
        delete json[member];
    }
    const run = {
        name, files, damage, json: json ?? {}, title: titleOf(json ?? {}, name),
        verdicts: wholeTable("verdicts.csv", files, damage).map((one) => ({ reason: "", ...one })), // older runs lack it
        rows: wholeTable("results.csv", files, damage),
    };
    run.byCase = new Map(groupsOf(run.rows, (row) => row.experiment)
        .map(([experiment, rows]) => [experiment, new Map(groupsOf(rows, (row) => row.case))]));
    return run;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the object in a JSON text; null: the text is no JSON object. */
function objectOf(text) {
    try {
        const value = JSON.parse(text ?? "");
        return isObject(value) ? value : null;
    } catch {
        return null;
    }
}

/** Returns [key, members] of each group, in the order of their first members. */
export function groupsOf(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        if (!groups.has(key))
            groups.set(key, []);
        groups.get(key).push(one);
    }
    return [...groups];
}

export const casesOf = (run, experiment, metric) => [...run.byCase.get(experiment) ?? []]
    .filter(([, rows]) => rows.some((row) => row.metric === metric)).map(([name]) => name);

export function rowsOf(run, experiment, name, metric) {
    const rows = run.byCase.get(experiment)?.get(name) ?? [];
    return metric === undefined ? rows : rows.filter((row) => row.metric === metric);
}

export const valuesOf = (run, experiment, ...names) =>
    run.verdicts.filter((one) => one.experiment === experiment && names.includes(one.name) && hasValue(one));

export const verdictOf = (run, experiment, name, verdict) =>
    run.verdicts.find((one) => one.experiment === experiment && one.case === name && one.name === verdict);

export const hasValue = (verdict) => Number.isFinite(verdict?.value);

/** True if the kernel found that an emulator ran this. */
export const isEmulated = (run) => run.verdicts.some(({ reason }) => reason === "emulated");

const PLATFORMS = { linux: "measured as a Linux process", efi: "measured without an operating system", model: "a model's times" };

/** Returns on what a run was measured, in words. */
export const howMeasured = ({ json: { platform } }) => PLATFORMS[platform] ?? (platform && `measured on ${platform}`);

/** Describes a run's processor by CPUID. */
export const processorOf = ({ json: { processor: p } }) => p &&
    `${p.brand || p.vendor}${p.family === 0 ? "" : ` (family ${p.family}, model ${p.model}, stepping ${p.stepping})`}`;

/** Returns a verdict's full name, the same in all runs: "mlp 2m rob_entries". */
export const keyOf = (verdict) => `${verdict.experiment} ${verdict.case} ${verdict.name}`;

/** Returns the time at which a run began: "2026-11-22 11:29". */
export const startOf = (run) => run.json.machine?.utc_start?.slice(0, 16).replace("T", " ");

/** Returns why an experiment has no rows here: it was skipped (with the reason), the run failed first, or the
 * configuration lacks it. */
export function whyMissing(run, experiment) {
    const skipped = run.rows.find((row) => row.experiment === experiment && row.metric === "skipped");
    if (skipped)
        return `Not measured: ${skipped.unit}.`;
    const isAsked = String(run.json.configuration?.experiments ?? "").split(" ").includes(experiment);
    return isAsked && run.json.failures ? "Not measured: the run failed before this was done." : `Not measured. Add "${experiment}" to experiments.`;
}
