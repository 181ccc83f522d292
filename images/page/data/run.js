/* run: one run, read from the files of its folder: run.json, verdicts.csv, results.csv. */

/** What a run's folder holds for this page. */
export const FILES = ["run.json", "verdicts.csv", "results.csv"];

const TEXTS = new Set(["experiment", "case", "metric", "unit", "name", "status", "method"]);

/** Lines of a CSV file as arrays of fields; fields may be quoted (RFC 4180). */
export function parseCsv(text) {
    const lines = [];
    let at = 0;
    while (at < text.length) {
        const fields = [];
        for (;;) {
            let field;
            if (text[at] === '"') {
                field = "";
                for (at++; at < text.length; at++) {
                    if (text[at] !== '"')
                        field += text[at];
                    else if (text[at + 1] === '"')
                        field += text[at++];
                    else
                        break;
                }
                at++;
            } else {
                const start = at;
                while (at < text.length && text[at] !== "," && text[at] !== "\n")
                    at++;
                field = text.slice(start, at);
            }
            fields.push(field.endsWith("\r") ? field.slice(0, -1) : field);
            if (text[at] !== ",")
                break;
            at++;
        }
        at++;
        if (fields.length > 1 || fields[0] !== "")
            lines.push(fields);
    }
    return lines;
}

/** Objects by the names in the first line; numbers are numbers, an empty number is null. */
function table(text) {
    const [names = [], ...lines] = parseCsv(text);
    return lines.map((fields) => {
        const row = {};
        names.forEach((name, i) => {
            const field = fields[i] ?? "";
            row[name] = TEXTS.has(name) ? field : field === "" ? null : Number(field);
        });
        return row;
    });
}

/** Without a last line that has no end: it was cut off. */
function wholeTable(name, files, damage) {
    const text = files.get(name) ?? "", end = text.lastIndexOf("\n") + 1;
    if (end < text.length)
        damage.push(`${name} ends within a line`);
    return table(text.slice(0, end));
}

/**
 * @typedef {Object} Run
 * @property {string} name      its folder
 * @property {string} title     what to call it: its label, else its folder; no two have the same (runs.js)
 * @property {number} slot      which colour it has: runColor(run) of chart.js
 * @property {number} added     which one it was to come
 * @property {Object} json      run.json; {} where there is none or it is damaged
 * @property {Object[]} verdicts  experiment, case, name, value, low, high, unit, status, method
 * @property {Object[]} rows    lines of results.csv
 * @property {Map<string, string>} files  the texts
 * @property {string[]} damage  what could not be read, in words
 */

// Members of run.json that are objects, as run.schema.json has them.
const OBJECTS = ["configuration", "configured_by", "processor", "hypervisor", "machine", "certificate", "numa", "linux",
    "model", "processors", "firmware", "memory", "changed_and_restored", "hardware_errors", "settings", "counters"];

const TITLE_MAX = 48; // characters: it stands in legends

export function shorten(text) {
    return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1)}…` : text;
}

/** What to call a run by itself: its label, or its folder. */
export function titleOf(json, name) {
    return shorten((typeof json.label === "string" && json.label.trim()) || name);
}

/** @returns {Run} */
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
        name, files, damage,
        json: json ?? {},
        title: titleOf(json ?? {}, name),
        verdicts: wholeTable("verdicts.csv", files, damage),
        rows: wholeTable("results.csv", files, damage),
    };
    run.byCase = indexRows(run.rows);
    return run;
}

function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a JSON text is; null: it is none. */
function objectOf(text) {
    try {
        const value = JSON.parse(text ?? "");
        return isObject(value) ? value : null;
    } catch {
        return null;
    }
}

function indexRows(rows) {
    const experiments = new Map();
    for (const row of rows) {
        if (!experiments.has(row.experiment))
            experiments.set(row.experiment, new Map());
        const cases = experiments.get(row.experiment);
        if (!cases.has(row.case))
            cases.set(row.case, []);
        cases.get(row.case).push(row);
    }
    return experiments;
}

/** Names of an experiment's cases that have rows of this metric, in the file's order. */
export function casesOf(run, experiment, metric) {
    return [...(run.byCase.get(experiment) ?? new Map())]
        .filter(([, rows]) => rows.some((row) => row.metric === metric)).map(([name]) => name);
}

/** Rows of one experiment, case and metric. */
export function rowsOf(run, experiment, name, metric) {
    return (run.byCase.get(experiment)?.get(name) ?? []).filter((row) => row.metric === metric);
}

/** The verdict of that name in that case; undefined where there is none. */
export function verdictOf(run, experiment, name, verdict) {
    return run.verdicts.find((v) => v.experiment === experiment && v.case === name && v.name === verdict);
}

/** Whether there is that verdict, and a number in it. */
export function hasValue(verdict) {
    return Number.isFinite(verdict?.value);
}

/** Whether run.json's hypervisor, if any, is QEMU's emulator, which signs TCGTCGTCGTCG. */
export function isEmulated(hypervisor) {
    return /TCG/.test(hypervisor?.signature ?? "");
}

/** A verdict's name in full, the same in all runs: "mlp 2m rob_entries". */
export function keyOf(verdict) {
    return `${verdict.experiment} ${verdict.case} ${verdict.name}`;
}

/** Why an experiment has no rows here: it was skipped (with the reason), or nobody asked for it. */
export function whyMissing(run, experiment) {
    const skipped = run.rows.find((row) => row.experiment === experiment && row.metric === "skipped");
    return skipped ? `not measured: ${skipped.unit}` : `not measured; experiments = ${experiment} does it`;
}
