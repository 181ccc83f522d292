/* labels: places for the names of marks in a lane above the plot, where no name is on another one or on a line. */

export const LETTER = 6.8; // pixels: the mean width of a letter 12 pixels high, in the widest of the usual fonts
const GAP = 4; // pixels between names, and between a name and its line

const isOn = (x, { left, width }) => x > left - GAP / 2 && x < left + width + GAP / 2; // an x that is not there is on none

const meet = (a, b) => a.left < b.left + b.width + GAP && b.left < a.left + a.width + GAP;

/** True if a name hides no other one there, and no line goes through a name: lines go up from the plot to the rows of their names. */
const isFree = (place, taken) => taken.every((other) => !(other.row === place.row && meet(place, other)) &&
    !(other.row >= place.row && isOn(other.x, place)) && !(place.row >= other.row && isOn(place.x, other)));

/**
 * Returns the names with their `left` and `row`, 0 for the lowest: a name is beside its line, which is at `x`, or without
 * one around its `middle`. `isEnd`: its end is at its line. Names right of their lines come from right to left, and then
 * those that only fit on the left of theirs, from left to right: so each is above the lines that it passes.
 */
export function laneOf(names, width) {
    const leftsOf = ({ x, middle, width: own }) => (x === undefined ? [middle - own / 2] : [x + GAP, x - GAP - own]);
    const fits = (name, left) => left >= 0 && left + name.width <= width, isWide = (name) => !fits(name, leftsOf(name)[0]);
    const isBetween = (name) => !names.some(({ x }) => isOn(x, { ...name, left: leftsOf(name)[0] }));
    const turnOf = (name) => (name.x === undefined ? (isBetween(name) ? 0 : 3) : isWide(name) ? 2 : 1);
    const waiting = [...names].sort((a, b) => turnOf(a) - turnOf(b) || (isWide(a) ? a.x - b.x : b.x - a.x) || 0), placed = [];
    while (waiting.length > 0) {
        const name = waiting.shift(), inside = leftsOf(name).filter((left) => fits(name, left));
        const lefts = inside.length > 0 ? inside : [Math.max(0, width - name.width)], above = Math.max(-1, ...placed.map(({ row }) => row)) + 1;
        const places = Array.from({ length: above + 1 }, (_, row) => lefts.map((left) => ({ ...name, left, row, isEnd: left + name.width < name.x }))).flat();
        const free = places.filter((place) => isFree(place, placed));
        placed.push(free.find((place) => !waiting.some(({ x }) => isOn(x, place))) ?? free[0] ?? places.at(-1));
    }
    return placed;
}

/** Returns the words in lines of a width. */
export function linesOf(text, width) {
    const lines = [""];
    for (const word of text.split(" "))
        if (lines.at(-1) && LETTER * (lines.at(-1).length + word.length + 1) > width)
            lines.push(word);
        else
            lines.push(`${lines.pop()} ${word}`.trim());
    return lines;
}
