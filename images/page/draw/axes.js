/* axes: the range that an axis shows, where its ticks are, and where its values are in a drawing. */

// An axis has a label, maybe a unit (behind each value that is read), log (2 or 10: the base of a logarithmic axis),
// format (of a value, by default number()), and min, max and ticks, which are else chosen here.

const LOG_ROOM = 1.3;  // times the least and the most value of a logarithmic y
const ROOM = 0.08;     // of the range, above and below other values

/** Returns the range that holds these values, never empty; `isTight`: without room around them, as on x. */
export function rangeOf(axis, values, isTight) {
    const known = values.filter((one) => Number.isFinite(one) && (!axis.log || one > 0));
    const least = known.reduce((a, b) => Math.min(a, b), Infinity), most = known.reduce((a, b) => Math.max(a, b), -Infinity);
    if (known.length === 0)
        return [axis.min ?? (axis.log ? 1 : 0), axis.max ?? (axis.log ?? 1)];
    const room = isTight ? 0 : ROOM * (most - Math.min(least, axis.min ?? least)), times = isTight ? 1 : LOG_ROOM;
    const low = axis.min ?? (axis.log ? least / times : least - room);
    const high = axis.max ?? (axis.log ? most * times : most + room);
    return high > low ? [low, high] : axis.log ? [low / LOG_ROOM, low * LOG_ROOM] : [low - 0.5, low + 0.5];
}

const ONE_TWO_FIVE = [1, 2, 5], EVERY = [1, 2, 3, 4, 5, 6, 8, 10], FEWEST = 3;

/** Returns powers of the base from low to high, times each factor. */
function powers(base, factors, every, [low, high]) {
    const ticks = [], first = Math.floor(Math.log(low) / Math.log(base));
    for (let power = Math.ceil(first / every) * every - every; base ** power <= high * (1 + 1e-9); power += every)
        ticks.push(...factors.map((factor) => factor * base ** power));
    return ticks.filter((one) => one >= low * (1 - 1e-9) && one <= high * (1 + 1e-9));
}

/** Returns about `count` ticks, in even steps of 1, 2 or 5 times a power of ten. */
function steps(count, [low, high]) {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * (ONE_TWO_FIVE.find((one) => one * power >= rough * (1 - 1e-9)) ?? 10), first = Math.ceil(low / step - 1e-9);
    return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Returns the sets of ticks that an axis may have, from the most ticks to the fewest. */
function choicesOf({ log, ticks }, range, isWhole) {
    if (ticks)
        return EVERY.map((every) => ticks.filter((_, i) => i % every === 0));
    const even = [10, 8, 6, 5, 4, 3, 2, 1].map((count) => steps(count, range).filter((one) => !isWhole || Number.isInteger(one)));
    const ofPowers = log ? [powers(log, log === 10 ? ONE_TWO_FIVE : [1], 1, range), ...EVERY.map((every) => powers(log, [1], every, range))] : [[]];
    return ofPowers[0].length < FEWEST ? even : ofPowers;
}

/** Returns as many ticks as fit: 1, 2 and 5 times powers of ten, or powers of two; `isWhole`: whole numbers only. */
export const ticksOf = (axis, range, isWhole, fits) => choicesOf(axis, range, isWhole).find(fits) ?? [];

/** Returns the function from values to pixels; `invert` is its inverse, `first` the value at its start. */
export function scaleOf({ log }, [from, to], [start, end]) {
    const [of, back] = log ? [Math.log, Math.exp] : [Number, Number], step = (end - start) / (of(to) - of(from));
    const scale = (value) => start + step * (of(value) - of(from));
    return Object.assign(scale, { first: from, invert: (pixel) => back(of(from) + (pixel - start) / step) });
}
