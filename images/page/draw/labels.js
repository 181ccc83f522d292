/* labels: chooses the places for the names of lines in a chart, so that no name hides another. */

const common = (from, length, otherFrom, otherLength) =>
    Math.max(0, Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom));

const overlap = (a, b) => common(a.left, a.width, b.left, b.width) * common(a.top, a.height, b.top, b.height);

/** Returns the place that hides least, the first of several; `weight`: how bad it is to hide a pixel of a box; `away`: to be there at all. */
export function freest(places, taken) {
    const cost = (place) => taken.reduce((sum, { box, weight }) => sum + weight * overlap(place, box), place.away ?? 0);
    const costs = places.map(cost);
    return places[costs.indexOf(Math.min(...costs))];
}

/** Returns boxes `step` wide along a line, so that names that would hide it are found; `thick`: their least side. */
export function boxesAlong(points, step, thick) {
    const boxes = [];
    for (let i = 1; i < points.length; i++) {
        const [a, b] = [points[i - 1], points[i]], pieces = Math.max(1, Math.ceil((b.x - a.x) / step));
        for (let j = 0; j < pieces; j++) {
            const [y, end] = [j, j + 1].map((part) => a.y + (b.y - a.y) * part / pieces);
            boxes.push({ left: a.x + (b.x - a.x) * j / pieces, width: Math.max(thick, (b.x - a.x) / pieces),
                top: Math.min(y, end) - thick / 2, height: Math.abs(end - y) + thick });
        }
    }
    return boxes;
}

const AWAY = 500; // as bad as to hide so many pixels of data, and one more for each pixel between them

/** Returns places for the name of an upright line, row by row from the chart's top: beside it, and beside other lines; `isEnd`: it ends at its line. */
export function placesBeside(x, size, plot, { gap, rows, others = [] }) {
    const end = plot.left + plot.width - size.width;
    const sides = [x, ...others].flatMap((at) => [at + gap, at - gap - size.width].map((left) =>
        ({ left, isEnd: left < at, away: at === x ? 0 : AWAY + Math.abs(at - x) }))).filter(({ left }) => left >= plot.left && left <= end);
    const tops = Array.from({ length: rows }, (_, i) => plot.top + i * size.height);
    return tops.flatMap((top) => (sides.length > 0 ? sides : [{ left: Math.max(plot.left, end) }]).map((side) =>
        ({ ...side, top, ...size })));
}

/** Returns places for the name of a horizontal line: above it, else below; `atLeft`: near its start if possible; left of `right`, also where the line is short. */
export function placesAlong(y, [start, end], size, { gap, atLeft, right = Infinity }) {
    const first = Math.min(start + gap, right - size.width), last = Math.max(first, end - gap - size.width);
    const lefts = [0, 0.25, 0.5, 0.75, 1].map((part) => first + part * (last - first));
    return [y - size.height, y].flatMap((top) => (atLeft ? lefts : [...lefts].reverse()).map((left) =>
        ({ left, top, ...size })));
}
