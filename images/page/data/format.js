/* format: writes numbers and units as the page shows them. */
import { hasValue, verdictOf } from "./run.js";

const ENGLISH = new Intl.NumberFormat("en", { maximumFractionDigits: 12 }); // one for all: making one takes long

/** Returns a number with so many significant digits, without needless zeroes: 1234.5 -> "1,235". */
export function number(value, digits = 4) {
    if (value === null || value === undefined || Number.isNaN(value))
        return "-";
    return ENGLISH.format(Math.abs(value) >= 10 ** digits ? Math.round(value) : Number(value.toPrecision(digits)));
}

/** Returns "1.63x", with as many digits as tell a ratio from 1, and the words for its interval; "": one value, or none. */
export const times = (value) => `${number(value, Math.min(9, Math.max(3, 1 - Math.floor(Math.log10(Math.abs(value - 1))))))}x`;
export const timesRange = ({ low, high }) => (low === null || low === high ? "" : high === Infinity ? `${times(low)} or more` :
    `${times(low)} to ${times(high)}`);

/** Returns bytes in binary units: 1536 -> "1.5 KB". */
export function bytes(value) {
    const power = value < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
    return `${number(value / 1024 ** power, 3)} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}

export const withUnit = (value, unit) => unit === "bytes" && value !== null ? bytes(value) : `${number(value)} ${unit}`.trimEnd();

/** Returns "1,268 to 1,272 entries". */
export const range = (low, high, unit) => `${withUnit(low, unit === "bytes" ? unit : "")} to ${withUnit(high, unit)}`;

/**
 * Rounds a value to the digits that its interval supports: two digits of half the interval's width, but at least one
 * digit of the value itself, and no digit before the point: 128 swaps of a list are not 130. Without an interval it stays.
 */
export function rounded(value, low, high) {
    const half = low === null || high === null ? 0 : Math.abs(high - low) / 2;
    if (!(half > 0) || !Number.isFinite(value) || value === 0)
        return value;
    const first = (one) => Math.floor(Math.log10(Math.abs(one)));
    const scale = 10 ** -Math.min(first(half) - 1, first(value), 0);
    return Math.round(value * scale) / scale;
}

function withNumbers(verdict, change) {
    const of = (value) => (value === null ? null : change(value));
    return { ...verdict, value: of(verdict.value), low: of(verdict.low), high: of(verdict.high) };
}

export const scaled = (verdict, factor) => withNumbers(verdict, (value) => value * factor);

/** Returns the verdict with as many digits as its interval supports. */
export const sharp = (verdict) => withNumbers(verdict, (value) => rounded(value, verdict.low, verdict.high));

/** Functions of a run: the length of one tick of its time-stamp counter in each unit; null: not known. */
export const TIME_UNITS = {
    ns: (run) => (run.json.tsc_hz > 0 ? 1e9 / run.json.tsc_hz : null),
    cycles: (run) => run.json.certificate?.cycles_per_tick || null, ticks: () => 1,
};

/** Returns a verdict on a time in a unit; in cycles the case's own verdict in cycles if it has one: the clock moves, and that was counted meanwhile. */
export function inUnit(verdict, unit, run) {
    const counted = unit === "cycles" && verdict?.name && verdictOf(run, verdict.experiment, verdict.case, `${verdict.name}_cycles`);
    return verdict?.unit !== "ticks" ? verdict : hasValue(counted) ? { ...counted, name: verdict.name } : { ...scaled(verdict, TIME_UNITS[unit](run)), unit };
}

/** Returns a rate in GB/s in place of bytes a core cycle, if the clocks are known. */
export function inGigabytes(verdict, run) {
    const ns = TIME_UNITS.ns(run), cycles = TIME_UNITS.cycles(run);
    return verdict.unit === "bytes/cycle" && ns && cycles ? { ...scaled(verdict, cycles / ns), unit: "GB/s" } : verdict;
}

export const commonUnits = (runs) => Object.keys(TIME_UNITS).filter((unit) => runs.every((run) => TIME_UNITS[unit](run) !== null));

/** Returns the unit that the page starts with: nanoseconds if all runs report the counter's rate, else ticks. */
export const unitToStart = (runs) => (commonUnits(runs).includes("ns") ? "ns" : "ticks");

/**
 * Returns a verdict's number and unit as the page shows them: times in the page's unit, bytes in binary ones; with an
 * interval, as many digits as it supports.
 */
export function quantity(value, unit, page, run, { low = null, high = null } = {}) {
    if (unit === "bytes" && value !== null) {
        const [text, binary] = bytes(value).split(" ");
        return { text, unit: binary };
    }
    const shown = inUnit({ value, low, high, unit }, page.unit, run);
    return { text: number(sharp(shown).value), unit: shown.unit };
}

/** Returns "1,268 to 1,272" or "28 or more"; "" for no interval, or an interval of one value. */
export function interval({ low, high, unit }, page, run) {
    const text = (value) => {
        const shown = quantity(value, unit, page, run, { low, high });
        return unit === "bytes" ? `${shown.text} ${shown.unit}` : shown.text; // 96 KB to 1 MB
    };
    if (low === null)
        return high === null ? "" : `up to ${text(high)}`;
    return high === null ? `${text(low)} or more` : low === high ? "" : `${text(low)} to ${text(high)}`;
}

/** Returns where the answer may lie: an interval, that it is one value and sure, or that it is not known. */
export const certainty = (page, run, shown) => (shown.value === null ? "" :
    shown.low === null && shown.high === null ? "interval not known" :
        interval(shown, page, run) || (shown.status === "ok" ? "measured exactly" : ""));

/** Returns the list in the order of a number or a text; entries without one come last. */
export function sortedBy(list, valueOf, isDown) {
    const order = (x, y) => (typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
    return list.map((one) => [valueOf(one) ?? "", one]).sort(([x], [y]) =>
        (x === "") - (y === "") || (isDown ? order(y, x) : order(x, y))).map(([, one]) => one);
}

/** Returns the median as a value that some run had: the lower one of the middle two. */
export const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];

/** Returns the range of the values, and its width in percent of their median. */
export function spread(values, unit) {
    const least = Math.min(...values), largest = Math.max(...values);
    if (least === largest)
        return "no difference";
    const percent = 100 * (largest - least) / Math.abs(middle(values));
    return `${range(least, largest, unit)}${Number.isFinite(percent) ? ` (${number(percent, 2)} %)` : ""}`;
}

/** Returns the texts that say something: neither empty, nor the beginning of another one of them or of `others`. */
export const distinct = (texts, others = []) => texts.filter((text, i) => text && ![...texts, ...others].some((other, j) => j !== i &&
    `${other ?? ""} `.toLowerCase().startsWith(`${text} `.toLowerCase()) && (j < i || j >= texts.length || other.length > text.length)));

export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export const capitalized = (words) => words.charAt(0).toUpperCase() + words.slice(1);
