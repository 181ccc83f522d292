/* published: what others have published of a processor's sizes; beside results, never among them. */
import { number } from "./format.js";
import { isEmulated, parseCsv } from "./run.js";

/**
 * A row of published.csv. Models are ranges in hexadecimal; `core` is P or E where a processor has
 * both; `pages` names the page size that a TLB's figure is of; bytes are in bytes.
 * @typedef {Object} Published
 * @property {string} vendor  as CPUID names it
 * @property {number} family
 * @property {[number, number][]} models
 * @property {string} core
 * @property {string} uarch
 * @property {string} figure  the name of the verdict that measures it
 * @property {string} pages
 * @property {number} value
 * @property {string} source
 * @property {"high"|"medium"|"low"|"contested"} confidence
 * @property {string} note
 */

/** @returns {Published[]} */
export function readPublished(text) {
    const [names, ...lines] = parseCsv(text);
    return lines.map((fields) => {
        const row = Object.fromEntries(names.map((name, i) => [name, fields[i]]));
        return { ...row, family: Number(row.family), value: Number(row.value), models: rangesOf(row.models) };
    });
}

/** "10-1F 60" as [[16, 31], [96, 96]]. */
function rangesOf(text) {
    return text.split(" ").map((range) => {
        const [from, to = from] = range.split("-").map((number) => parseInt(number, 16));
        return [from, to];
    });
}

/** The core that measured a case: the one its name tells, or the only one. */
function coreOf(run, caseName) {
    const cores = run.json.machine?.cores ?? {};
    const named = cores[`core_${/-core(\d+)/.exec(caseName)?.[1]}`];
    const all = Object.values(cores).filter((core) => core !== null && typeof core === "object");
    return named ?? (all.length === 1 ? all[0] : undefined);
}

/**
 * Whether a row is of this core. Where a model has cores of two kinds, a processor that tells of none
 * has big ones only; but a virtual machine may just hide it.
 */
function isOf(row, processor, type) {
    const kind = type === "one type" && !processor.virtual ? "P" : type;
    return row.vendor === processor.vendor && row.family === processor.family &&
        row.models.some(([from, to]) => processor.model >= from && processor.model <= to) &&
        (row.core === "" || row.core === kind);
}

/** The rows of the core that measured this case; none of a model, nor in an emulator. */
export function publishedOf(table, run, caseName = "") {
    const { processor, platform, hypervisor } = run.json;
    if (!processor || platform === "model" || isEmulated(hypervisor))
        return [];
    return table.filter((row) => isOf(row, processor, coreOf(run, caseName)?.type));
}

/** The row for a verdict; undefined where there is none. */
export function publishedFor(table, run, verdict) {
    const pages = /(?:^|-)(4k|2m|1g)(?:-|$)/.exec(verdict.case)?.[1];
    return publishedOf(table, run, verdict.case).find((row) =>
        row.figure === verdict.name && (row.pages === "" || row.pages === pages));
}

/** How what was measured stands to a published figure: "the same", "17 % less here"; "" where nothing was measured. */
export function comparedWith(figure, { value, low, high }) {
    if (value === null)
        return low === null ? "" : low > figure ? "more than that here" : "which is possible here";
    if (value === figure)
        return "the same here";
    if (low !== null && high !== null && low <= figure && figure <= high)
        return "within the range here";
    const ratio = value / figure;
    return ratio >= 2 ? `${number(ratio, 2)} times as much here` :
        `${number(100 * Math.abs(ratio - 1), 2)} % ${ratio < 1 ? "less" : "more"} here`;
}
