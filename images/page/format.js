/* format: numbers and units as they are shown. */

/** A number with so many significant digits, without needless zeroes: 1234.5 -> "1,235". */
export function number(value, digits = 4) {
    if (value === null || value === undefined || Number.isNaN(value))
        return "-";
    if (value !== 0 && Math.abs(value) >= 10 ** digits)
        return Math.round(value).toLocaleString("en");
    return Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 12 });
}

/** Bytes in binary units: 1536 -> "1.5 KB". */
export function bytes(value) {
    const units = ["B", "KB", "MB", "GB", "TB"];
    let unit = 0;
    for (; value >= 1024 && unit < units.length - 1; unit++)
        value /= 1024;
    return `${number(value, 3)} ${units[unit]}`;
}

/** A number with its unit; bytes in binary units. */
export function withUnit(value, unit) {
    return unit === "bytes" && value !== null ? bytes(value) : `${number(value)} ${unit}`.trimEnd();
}

/** What one tick of the time-stamp counter is in another unit, for this run; null: not known. */
export const TIME_UNITS = {
    ticks: () => 1,
    ns: (run) => (run.json.tsc_hz > 0 ? 1e9 / run.json.tsc_hz : null),
    cycles: (run) => run.json.certificate?.cycles_per_tick || null,
};
