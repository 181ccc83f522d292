/* published: what others have published of a processor's sizes; beside results, never among them. */
import { number } from "./format.js";
import { isEmulated, parseCsv } from "./run.js";

/**
 * Reads published.csv. Models are ranges in hexadecimal; `core` is P or E where a processor has
 * both; `pages` names the page size that a TLB's figure is of; bytes are in bytes.
 * `figure`: the name of the verdict that measures it.
 */
export function readPublished(text) {
    const [names, ...lines] = parseCsv(text);
    return lines.map((fields) => {
        const row = Object.fromEntries(names.map((name, i) => [name, fields[i]]));
        return { ...row, family: Number(row.family), value: Number(row.value), models: rangesOf(row.models) };
    });
}

/** "10-1F 60" as [[16, 31], [96, 96]]. */
const rangesOf = (text) => text.split(" ").map((range) => range.split("-").map((number) => parseInt(number, 16)))
    .map(([from, to = from]) => [from, to]);

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

/** Whether CPUID tells a first or second cache of a size that none of this microarchitecture has. */
function hasOtherCaches(rows, told) {
    const sizes = rows.filter((row) => row.figure.endsWith("_bytes"));
    return ["l1", "l2"].some((level) => told[level] !== undefined && sizes.some((row) => row.figure === `${level}_bytes`) &&
        sizes.every((row) => row.value !== told[level]));
}

/**
 * The rows of the core that measured this case; none of a model, nor in an emulator. Nor where a hypervisor
 * tells a family and model whose caches are others: it is another processor.
 */
export function publishedOf(table, run, caseName = "") {
    const { processor, platform, hypervisor } = run.json;
    if (!processor || platform === "model" || isEmulated(hypervisor))
        return [];
    const rows = table.filter((row) => isOf(row, processor, coreOf(run, caseName)?.type));
    return processor.virtual && hasOtherCaches(rows, processor.cache_bytes ?? {}) ? [] : rows;
}

export function publishedFor(table, run, verdict) {
    const pages = /(?:^|-)(4k|2m|1g)(?:-|$)/.exec(verdict.case)?.[1];
    return publishedOf(table, run, verdict.case).find((row) =>
        row.figure === verdict.name && (row.pages === "" || row.pages === pages));
}

/** The microarchitecture of a run's processor, as far as published figures tell; "" where they do not. */
export const uarchOf = (table, run) => [...new Set(publishedOf(table, run).map((row) => row.uarch))].join(", ");

const COUNTED_MOST = 3; // of a difference that is told as a number

/** How what was measured stands to a published figure: "matches", "one less", "17 % less"; "" where nothing was measured. */
export function comparedWith(figure, { value, low, high }) {
    if (value === null)
        return low === null ? "" : low > figure ? "more was measured" : "is possible";
    if (value === figure)
        return "matches";
    if (low !== null && high !== null && low <= figure && figure <= high)
        return "within the range";
    const apart = Math.abs(value - figure), ratio = value / figure, word = ratio < 1 ? "less" : "more";
    if (Number.isInteger(apart) && apart <= COUNTED_MOST)
        return `${apart === 1 ? "one" : apart} ${word} here`;
    return ratio >= 2 ? `${number(ratio, 2)}x here` : `${number(100 * Math.abs(ratio - 1), 2)} % ${word} here`;
}
