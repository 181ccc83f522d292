// Loaded latency: what a load takes is the difference of two chains; its interval is by the visits.
import assert from "node:assert/strict";
import test from "node:test";
import { medianOf, student95 } from "../../images/page/curves/intervals.js";
import { coresOf, loadedCurve, withoutCores, workOf } from "../../images/page/curves/loads.js";

const near = (value, expected, share = 1e-3) => assert.ok(Math.abs(value - expected) <= share * expected, `${value}, not ${expected}`);

test("Student's t is that of the tables", () => {
    for (const [freedom, t] of [[1, 12.706], [2, 4.303], [3, 3.182], [5, 2.571], [10, 2.228], [30, 2.042], [1e6, 1.96]])
        near(student95(freedom), t, 1e-2);
});

test("an interval is by the visits; without any by the samples' deciles", () => {
    const row = { center: 200, median: 199, center_error: 2, visits: 11, p10: 190, p90: 215.63, samples: 100 };
    assert.equal(medianOf(row).value, 200);
    near(medianOf(row).reach, 2 * 2.228);
    near(medianOf({ ...row, visits: 1 }).reach, 1.96 * 1.253 * 10 / 10);
});

const row = (metric, n, k, center, more = {}) => ({ metric, n, k, center, center_error: 0, visits: 10, samples: 100, ...more });
const rate = (pause, start, latency, moved) => [
    row("chain", 8, pause, start + 8 * latency, { center_error: 3 }), row("chain", 72, pause, start + 72 * latency, { center_error: 4 }),
    row("traffic", 72, pause, moved), row("traffic", 8, pause, 999), row("tsc", 1, pause, 1)];

test("a curve rises with what is moved, and the timer is not in it", () => {
    const curve = loadedCurve([...rate(0, 30, 500, 20), ...rate(null, 30, 200, 0), ...rate(64, 30, 250, 12)]);
    assert.deepEqual(curve.map(({ pause, moved, latency }) => [pause, moved, latency]), [[null, 0, 200], [64, 12, 250], [0, 20, 500]]);
    near(curve[0].reach, 5 * student95(9) / 64);
});

test("rates that move the same stand side by side; one without both chains is left out", () => {
    const curve = loadedCurve([...rate(1, 0, 200, 5), ...rate(2, 0, 210, 5), ...rate(3, 0, 1, 7).slice(1), ...rate(4, 0, 205, 5)]);
    assert.equal(curve.length, 3);
    assert.equal(new Set(curve.map(({ moved }) => moved)).size, 3);
    for (const { moved } of curve)
        near(moved, 5, 1e-6);
});

test("a case's name says what the others do, and how many they are", () => {
    assert.deepEqual(workOf("read-2m-nopf-cores12"), { work: "read", rest: "2m-nopf-cores12" });
    assert.equal(workOf("stream-2m"), null);
    assert.equal(coresOf("copy-4k-cores12"), 12);
    assert.equal(coresOf("stream-2m"), null);
    assert.equal(withoutCores("copy-4k-cores12-x"), "copy-4k-x");
});
