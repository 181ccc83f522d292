/* published: sizes of processors by others, and by mlpboot's references; they stand beside results, never among them. */
import { hasWord, pagesOf } from "./cases.js";
import { number } from "./format.js";
import { isEmulated, parseCsv } from "./run.js";
import { wordsOf } from "./words.js";

/**
 * Reads published.csv or references.csv; "=" is the field of the line above. Models are ranges in hexadecimal; `core` is P or E where a processor has
 * both; `pages` names the page size that a TLB's figure is of; bytes are in bytes.
 * `figure` names the structure, as verdicts do; `kind`: what was counted of it, in the words of the manual's table.
 * A row has a `value`, or a range from `low` to `high`, or both; null: it has none.
 */
export function readPublished(text) {
    const [names, ...lines] = parseCsv(text);
    return lines.map((fields, line) => {
        fields.forEach((field, i) => { fields[i] = field === "=" ? lines[line - 1][i] : field; });
        const row = Object.fromEntries(names.map((name, i) => [name, fields[i]]));
        const [value, low, high] = [row.value, row.low, row.high].map((text) => (text === "" ? null : Number(text)));
        return { ...row, family: Number(row.family), value, low, high, models: rangesOf(row.models) };
    });
}

/** The kind of what each verdict counts; some accesses of a case, behind the verdict's name, count another one. */
export const KINDS = wordsOf("counted");

// The structures of verdicts that are named otherwise.
const STRUCTURES = { rob_entries_long_nop: "rob_entries", loads_waiting: "load_queue", loads_in_flight: "load_queue" };

/** Returns the kind of what a verdict counts; undefined: nothing that others publish. */
export function kindOf({ name, case: caseName }) {
    const access = ["prefetch", "store", "nt"].find((word) => hasWord(caseName, word));
    return KINDS.get(`${name} ${access}`) ?? KINDS.get(name);
}

export const isOfKind = (row, verdict) => row.kind === kindOf(verdict);

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
        sizes.every(({ value, low, high }) => told[level] < (low ?? value) || told[level] > (high ?? value)));
}

/**
 * Returns the rows of the core that measured this case; no rows for a model or an emulator. In a virtual machine,
 * caches of other sizes than the rows' show that the hypervisor reports another processor's model: no rows either.
 */
export function publishedOf(table, run, caseName = "") {
    const { processor, platform } = run.json;
    if (!processor || platform === "model" || isEmulated(run))
        return [];
    const rows = table.filter((row) => isOf(row, processor, coreOf(run, caseName)?.type));
    return processor.virtual && hasOtherCaches(rows, processor.cache_bytes ?? {}) ? [] : rows;
}

/**
 * Returns the row of what a verdict counts, or else one of its structure that counts something else (see isOfKind());
 * undefined: there is neither. All rows are of whole cores, so that a shared core has none.
 */
export function publishedFor(table, run, verdict) {
    const { name, case: caseName } = verdict, pages = pagesOf(caseName);
    if (kindOf(verdict) === undefined || hasWord(caseName, "shared", "busy", "loading"))
        return undefined;
    const rows = publishedOf(table, run, caseName).filter((row) =>
        row.figure === (STRUCTURES[name] ?? name) && (row.pages === "" || row.pages === pages));
    return rows.find((row) => isOfKind(row, verdict)) ?? rows[0];
}

/** Returns the microarchitecture of a run's processor, from the published figures; "": they do not have it. */
export const uarchOf = (table, run) => [...new Set(publishedOf(table, run).map((row) => row.uarch))].join(", ");

const COUNTED_MOST = 3; // a larger difference is shown as a ratio or in percent

/** Returns a row's numbers: "320", "186 to 224", or "192 (192 to 240)". */
export function figureText({ value, low, high }, write = number) {
    const range = low === null ? "" : `${write(low)} to ${write(high)}`;
    return value === null ? range : range ? `${write(value)} (${range})` : write(value);
}

/** Compares a verdict with a row: "matches", "one less was measured"; "": nothing measured. */
export function comparedWith(row, verdict) {
    const { value, low, high } = verdict, [least, most] = [row.low ?? row.value, row.high ?? row.value];
    if (!isOfKind(row, verdict))
        return `not the same kind as ${kindOf(verdict)}`;
    if (value === null)
        return low === null ? "" : low > most ? "more was measured" : "not contradicted";
    if (value === row.value)
        return "matches";
    if ((low ?? value) <= most && (high ?? value) >= least)
        return "within the range";
    const nearest = value < least ? least : most, apart = Math.abs(value - nearest), ratio = value / nearest, word = ratio < 1 ? "less" : "more";
    if (Number.isInteger(apart) && apart <= COUNTED_MOST)
        return apart === 1 ? `one ${word} was measured` : `${apart} ${word} were measured`;
    return ratio >= 2 ? `${number(ratio, 2)}x as much was measured` :
        `${number(100 * Math.abs(ratio - 1), 2)} % ${word} was measured`;
}
