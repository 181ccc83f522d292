// Experiments that no part of the page knows: which column is the sweep, and its points.
import { test } from "node:test";
import assert from "node:assert/strict";
import { pointsOf, sweepOf } from "../../images/page/curves/sweep.js";

const row = (n, bytes, median) => ({ n, k: null, bytes, stage: null, median });

test("the sweep is the column with most values", () => {
    assert.equal(sweepOf([row(1, 64, 5), row(1, 128, 6), row(2, 256, 7)]), "bytes");
    assert.equal(sweepOf([row(1, 64, 5), row(2, 64, 6)]), "n");
    assert.equal(sweepOf([]), "n");
});

test("a value's first row is its point, and what has no value is none", () => {
    assert.deepEqual(pointsOf([row(2, 64, 6), row(1, 64, 5), row(2, 64, 9), row(null, 64, 1)], "n"),
        [{ x: 1, y: 5 }, { x: 2, y: 6 }]);
});
