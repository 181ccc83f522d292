// The timeline: spans whose counters did not stand still are left out; rises.
import assert from "node:assert/strict";
import test from "node:test";
import { rises, spansOf } from "../../images/page/data/spans.js";

const row = (stage, metric, mean, min = mean) => ({ stage, metric, mean, min, median: mean, samples: 50 });

/** Counted until each cycle, with a skid of two; additions retire one a cycle from `start` on. */
const additions = (start, skid = 2) => Array.from({ length: 150 }, (_, i) => i + 1).flatMap((stage) => {
    const cycle = stage + skid;
    return [row(stage, "core_cycles", cycle), row(stage, "instructions", 3 + Math.min(64, Math.max(0, cycle - start)))];
});

test("the cycle is the one in which the counters really stood still", () => {
    const spans = spansOf(additions(20));
    assert.deepEqual([...spans.keys()], ["instructions"]);
    assert.equal(spans.get("instructions")[0].x, 3);
    assert.equal(spans.get("instructions").length, 150);
});

test("a span that had not ended is left out", () => {
    const rows = [row(5, "core_cycles", 7, 4), row(5, "instructions", 1), row(6, "core_cycles", 8), row(6, "instructions", 2)];
    assert.deepEqual(spansOf(rows).get("instructions").map(({ x }) => x), [8]);
});

test("what a count rises by in a cycle is what was under way", () => {
    const points = [[1, 0], [2, 0], [3, 4], [5, 24]].map(([x, mean]) => ({ x, row: { mean } }));
    assert.deepEqual(rises(points), [{ x: 2, y: 0 }, { x: 3, y: 4 }, { x: 5, y: 10 }]);
});
