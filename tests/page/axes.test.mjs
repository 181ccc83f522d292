// Axes: ranges that fit the data, and ticks at 1, 2 and 5, at powers of two, or at whole numbers.
import assert from "node:assert/strict";
import test from "node:test";
import { rangeOf, ticksOf } from "../../images/page/draw/axes.js";

const upTo = (most) => (ticks) => ticks.length <= most;

test("a logarithmic axis fits its data, and has ticks at 1, 2 and 5", () => {
    const axis = { log: 10 }, [low, high] = rangeOf(axis, [1.08, 228, null, 0, -1], false);
    assert.ok(low < 1.08 && low > 0.7 && high > 228 && high < 320);
    assert.deepEqual(ticksOf(axis, [low, high], false, upTo(9)), [1, 2, 5, 10, 20, 50, 100, 200]);
    assert.deepEqual(ticksOf(axis, [low, high], false, upTo(4)), [1, 10, 100]);
    assert.deepEqual(ticksOf(axis, [0.9, 1.6], false, upTo(9)).length > 2, true, "within an octave they are even steps");
});

test("sizes have ticks at powers of two, fewer where there is less room", () => {
    assert.deepEqual(ticksOf({ log: 2 }, [1024, 65536], true, upTo(9)), [1024, 2048, 4096, 8192, 16384, 32768, 65536]);
    assert.deepEqual(ticksOf({ log: 2 }, [1024, 65536], true, upTo(4)), [1024, 4096, 16384, 65536]);
});

test("where values count, ticks are whole numbers", () => {
    assert.ok(ticksOf({}, [1, 12], true, upTo(9)).every(Number.isInteger));
    assert.ok(ticksOf({}, [1, 3], true, upTo(9)).every(Number.isInteger));
    assert.deepEqual(ticksOf({}, [1, 2], false, upTo(6)), [1, 1.2, 1.4, 1.6, 1.8, 2]);
});

test("x has no room beside its values, y some above, and neither is empty", () => {
    assert.deepEqual(rangeOf({}, [3, 8], true), [3, 8]);
    assert.deepEqual(rangeOf({ min: 0 }, [100], false), [0, 108]);
    for (const axis of [{}, { log: 10 }])
        for (const values of [[], [5], [NaN]]) {
            const [low, high] = rangeOf(axis, values, true);
            assert.ok(high > low);
        }
});
