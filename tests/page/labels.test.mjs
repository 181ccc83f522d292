// Labels: names in a lane above the plot: none on another one, and no line through a name.
import assert from "node:assert/strict";
import test from "node:test";
import { laneOf, linesOf } from "../../images/page/draw/labels.js";

const WIDTH = 400;
const marks = (...list) => list.map(([x, width], i) => ({ i, x, width }));

function check(placed, width = WIDTH) {
    for (const [i, a] of placed.entries()) {
        assert.ok(a.left >= 0 && a.left + a.width <= Math.max(width, a.width), "within the drawing");
        for (const b of placed.slice(i + 1))
            assert.ok(a.row !== b.row || a.left + a.width <= b.left || b.left + b.width <= a.left, `${a.i} is on ${b.i}`);
        for (const b of placed) // a line goes up to its name's row
            assert.ok(b.x === undefined || b.row < a.row || b.x <= a.left || b.x >= a.left + a.width, `the line of ${b.i} goes through ${a.i}`);
    }
    return placed.sort((a, b) => a.i - b.i);
}

test("a name is right of its line in the lowest row, and left of it where the drawing ends", () => {
    const [one, last] = check(laneOf(marks([100, 80], [380, 60]), WIDTH));
    assert.deepEqual([one.left, one.row, one.isEnd], [104, 0, false]);
    assert.deepEqual([last.left + last.width, last.row, last.isEnd], [376, 0, true]);
});

test("two names of one place are on both sides of it; of lines close to each other, each has a row", () => {
    const [a, b] = check(laneOf(marks([200, 90], [200, 40]), WIDTH));
    assert.deepEqual([a.row, b.row, a.isEnd !== b.isEnd], [0, 0, true]);
    const rows = check(laneOf(marks([100, 90], [110, 90], [120, 90], [130, 90]), WIDTH)).map(({ row }) => row);
    assert.ok(Math.max(...rows) <= 3 && rows[0] >= rows[3]);
});

test("names that only fit on the left of their lines are above the lines that they pass", () => {
    const [far, near] = check(laneOf(marks([390, 120], [300, 60], [330, 30]), WIDTH));
    assert.ok(far.row > near.row && far.isEnd);
});

test("a level's name is in the middle of its range if no line goes through there, else above", () => {
    const levels = [{ i: 2, middle: 50, width: 60 }, { i: 3, middle: 200, width: 60 }];
    const [, , first, second] = check(laneOf([...marks([100, 40], [210, 40]), ...levels], WIDTH));
    assert.deepEqual([first.left, first.row], [20, 0]);
    assert.ok(second.left === 170 && second.row > 0);
});

test("a name wider than the drawing begins at its start", () => {
    assert.equal(laneOf(marks([100, 500]), WIDTH)[0].left, 0);
});

test("words are broken into lines, none of which is wider than there is room", () => {
    assert.deepEqual(linesOf("one two three four", 70), ["one two", "three four"]);
    assert.deepEqual(linesOf("incomprehensibilities", 50), ["incomprehensibilities"]);
});
