/* labels: where the names of lines in a chart stand, so that none hides another. */

/**
 * In pixels, as long as both sides use the same.
 * @typedef {{left: number, top: number, width: number, height: number}} Box
 */

const common = (from, length, otherFrom, otherLength) =>
    Math.max(0, Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom));

const overlap = (a, b) => common(a.left, a.width, b.left, b.width) * common(a.top, a.height, b.top, b.height);

/**
 * The place that hides least; of several the first.
 * @param {Box[]} places  at least one
 * @param {{box: Box, weight: number}[]} taken  weight: how bad it is to hide a pixel of it
 * @returns {Box}
 */
export function freest(places, taken) {
    const cost = (place) => taken.reduce((sum, { box, weight }) => sum + weight * overlap(place, box), 0);
    return places.map((place) => ({ place, hides: cost(place) }))
        .reduce((best, one) => (one.hides < best.hides ? one : best)).place;
}

/**
 * Boxes along a line, so that what hides it can be told.
 * @param {{x: number, y: number}[]} points  x rising
 * @param {number} step   width of a box
 * @param {number} thick  the least of its sides
 * @returns {Box[]}
 */
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

/**
 * Where the name of an upright line may stand: beside it, row by row from the chart's head, or from its foot.
 * @param {number} x     of the line
 * @param {{width: number, height: number}} size  of the name
 * @param {Box} plot
 * @param {{gap: number, rows: number, fromFoot: boolean}} how  gap: between line and name
 * @returns {Box[]}
 */
export function placesBeside(x, size, plot, { gap, rows, fromFoot }) {
    const end = plot.left + plot.width - size.width;
    const sides = [x + gap, x - gap - size.width].filter((left) => left >= plot.left && left <= end);
    const tops = Array.from({ length: rows }, (_, i) => (fromFoot ?
        plot.top + plot.height - (i + 1) * size.height : plot.top + i * size.height));
    return tops.flatMap((top) => (sides.length > 0 ? sides : [Math.max(plot.left, end)]).map((left) =>
        ({ left, top, ...size })));
}

/**
 * Where the name of a line across may stand: above it, else below, along its length.
 * @param {number} y  of the line
 * @param {[number, number]} ends  its x
 * @param {{width: number, height: number}} size
 * @param {{gap: number, atLeft: boolean}} how  atLeft: rather at its start than at its end
 * @returns {Box[]}
 */
export function placesAlong(y, [start, end], size, { gap, atLeft }) {
    const first = start + gap, last = Math.max(first, end - gap - size.width);
    const lefts = [0, 0.25, 0.5, 0.75, 1].map((part) => first + part * (last - first));
    return [y - size.height, y].flatMap((top) => (atLeft ? lefts : [...lefts].reverse()).map((left) =>
        ({ left, top, ...size })));
}
