/* labels: where the names of lines in a chart stand, so that none hides another. */

const common = (from, length, otherFrom, otherLength) =>
    Math.max(0, Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom));

const overlap = (a, b) => common(a.left, a.width, b.left, b.width) * common(a.top, a.height, b.top, b.height);

/** The place that hides least, of several the first; `weight`: how bad it is to hide a pixel of what is there. */
export function freest(places, taken) {
    const cost = (place) => taken.reduce((sum, { box, weight }) => sum + weight * overlap(place, box), 0);
    const costs = places.map(cost);
    return places[costs.indexOf(Math.min(...costs))];
}

/** Boxes `step` wide along a line, so that what hides it can be told; `thick`: the least of their sides. */
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

/** Where the name of an upright line may stand: beside it, row by row from the chart's head. */
export function placesBeside(x, size, plot, { gap, rows }) {
    const end = plot.left + plot.width - size.width;
    const sides = [x + gap, x - gap - size.width].filter((left) => left >= plot.left && left <= end);
    const tops = Array.from({ length: rows }, (_, i) => plot.top + i * size.height);
    return tops.flatMap((top) => (sides.length > 0 ? sides : [Math.max(plot.left, end)]).map((left) =>
        ({ left, top, ...size })));
}

/** Where the name of a line across may stand: above it, else below; `atLeft`: rather at its start than at its end. */
export function placesAlong(y, [start, end], size, { gap, atLeft }) {
    const first = start + gap, last = Math.max(first, end - gap - size.width);
    const lefts = [0, 0.25, 0.5, 0.75, 1].map((part) => first + part * (last - first));
    return [y - size.height, y].flatMap((top) => (atLeft ? lefts : [...lefts].reverse()).map((left) =>
        ({ left, top, ...size })));
}
