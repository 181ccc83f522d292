/* published: sizes of processors that others have published; they stand beside results, never among them. */
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

/** Reads "10-1F 60" as [[16, 31], [96, 96]]. */
const rangesOf = (text) => text.split(" ").map((range) => range.split("-").map((number) => parseInt(number, 16)))
    .map(([from, to = from]) => [from, to]);

/** Returns the core that measured a case: the one in its name, or the only one; undefined: not known. */
function coreOf(run, caseName) {
    const cores = run.json.machine?.cores ?? {};
    const named = cores[`core_${/-core(\d+)/.exec(caseName)?.[1]}`];
    const all = Object.values(cores).filter((core) => core !== null && typeof core === "object");
    return named ?? (all.length === 1 ? all[0] : undefined);
}

/**
 * True if a row is of this core. If a model has cores of two kinds, a processor that reports one type only has big
 * cores; but a virtual machine may just hide the types.
 */
function isOf(row, processor, type) {
    const kind = type === "one type" && !processor.virtual ? "P" : type;
    return row.vendor === processor.vendor && row.family === processor.family &&
        row.models.some(([from, to]) => processor.model >= from && processor.model <= to) &&
        (row.core === "" || row.core === kind);
}

/** True if CPUID reports an L1 or L2 of a size that no row of this microarchitecture has. */
function hasOtherCaches(rows, told) {
    const sizes = rows.filter((row) => row.figure.endsWith("_bytes"));
    return ["l1", "l2"].some((level) => told[level] !== undefined && sizes.some((row) => row.figure === `${level}_bytes`) &&
        sizes.every((row) => row.value !== told[level]));
}

/**
 * Returns the rows of the core that measured this case; no rows for a model or an emulator. In a virtual machine,
 * caches of other sizes than the rows' show that the hypervisor reports another processor's model: no rows either.
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
        row.figure === verdict.name.replace("_long_nop", "") && (row.pages === "" || row.pages === pages));
}

/** Returns the microarchitecture of a run's processor, from the published figures; "": they do not have it. */
export const uarchOf = (table, run) => [...new Set(publishedOf(table, run).map((row) => row.uarch))].join(", ");

const COUNTED_MOST = 3; // a larger difference is shown as a ratio or in percent

/** Compares a value with a published figure: "matches", "one less here", "17 % less here"; "": nothing measured. */
export function comparedWith(figure, { value, low, high }) {
    if (value === null)
        return low === null ? "" : low > figure ? "more was measured" : "not contradicted";
    if (value === figure)
        return "matches";
    if (low !== null && high !== null && low <= figure && figure <= high)
        return "within the range";
    const apart = Math.abs(value - figure), ratio = value / figure, word = ratio < 1 ? "less" : "more";
    if (Number.isInteger(apart) && apart <= COUNTED_MOST)
        return `${apart === 1 ? "one" : apart} ${word} here`;
    return ratio >= 2 ? `${number(ratio, 2)}x here` : `${number(100 * Math.abs(ratio - 1), 2)} % ${word} here`;
}
