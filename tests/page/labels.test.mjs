// Labels: a name stands where it hides nothing, if there is such a place.
import assert from "node:assert/strict";
import test from "node:test";
import { boxesAlong, freest, placesAlong, placesBeside } from "../../images/page/draw/labels.js";

const PLOT = { left: 0, top: 0, width: 300, height: 200 }, SIZE = { width: 80, height: 10 };
const HOW = { gap: 4, rows: 4 };
const hides = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

test("the first of the free places is taken; where none is free, the one that hides least", () => {
    const [a, b, c] = [0, 50, 100].map((left) => ({ left, top: 0, width: 40, height: 10 }));
    assert.equal(freest([a, b, c], []), a);
    assert.equal(freest([a, b, c], [{ box: a, weight: 1 }]), b);
    assert.equal(freest([a, b], [{ box: a, weight: 1 }, { box: b, weight: 3 }]), a);
});

test("names of lines near each other do not hide each other, nor the other line", () => {
    const lines = [100, 110, 120], taken = lines.map((x) => ({ box: { left: x - 1, top: 0, width: 2, height: 200 }, weight: 4 }));
    const placed = lines.map((x) => {
        const box = freest(placesBeside(x, SIZE, PLOT, HOW), taken);
        taken.push({ box, weight: 20 });
        return box;
    });
    for (const [i, box] of placed.entries())
        assert.ok(placed.every((other, j) => i === j || !hides(box, other)));
    assert.deepEqual([placed[0].left, placed[1].left > 100], [16, true]); // before the first line, not over the second
});

test("a name stays within the plot", () => {
    assert.ok(placesBeside(290, SIZE, PLOT, HOW).every(({ left }) => left === 206));
    assert.ok(placesBeside(150, { width: 280, height: 10 }, PLOT, HOW).every(({ left }) => left === 20));
    assert.ok(placesAlong(50, [0, 300], SIZE, { gap: 4 }).every(({ left }) => left >= 4 && left <= 216));
    assert.equal(placesAlong(50, [0, 300], SIZE, { gap: 4, atLeft: true })[0].left, 4);
    assert.ok(placesAlong(50, [260, 290], SIZE, { gap: 4, atLeft: true, right: 300 }).every(({ left }) => left === 220)); // longer than its line
});

test("boxes cover a line, also where it is steep", () => {
    const boxes = boxesAlong([{ x: 0, y: 100 }, { x: 20, y: 100 }, { x: 20, y: 0 }], 8, 2);
    assert.equal(boxes.length, 4);
    assert.deepEqual(boxes[0], { left: 0, width: 20 / 3, top: 99, height: 2 });
    assert.deepEqual(boxes[3], { left: 20, width: 2, top: -1, height: 102 });
});

test("a name that would lie on another mark goes beyond it; a little data is better than to be away from its own line", () => {
    const [own, published] = [60, 50], line = (x) => ({ box: { left: x - 2, top: 0, width: 4, height: 200 }, weight: 20 });
    const places = placesBeside(published, SIZE, PLOT, { ...HOW, others: [own, published] }), box = freest(places, [line(own), line(published)]);
    assert.ok(!hides(box, line(own).box) && !hides(box, line(published).box) && box.left === own + 4);
    const alone = freest(placesBeside(150, SIZE, PLOT, { ...HOW, others: [20] }), [{ box: { left: 0, top: 0, width: 300, height: 3 }, weight: 1 }]);
    assert.equal(alone.left, 154);
});

test("of the places beside other marks the nearest is taken, though it lies lower", () => {
    const line = (x) => ({ box: { left: x - 2, top: 0, width: 4, height: 200 }, weight: 20 });
    const name = (left) => ({ box: { left, top: 0, width: SIZE.width, height: SIZE.height }, weight: 20 });
    const places = placesBeside(150, SIZE, PLOT, { ...HOW, others: [20, 140, 150, 160] });
    const box = freest(places, [line(20), line(140), line(150), line(160), name(56), name(164)]);
    assert.deepEqual([box.left + box.width, box.top], [136, 10]);
});
