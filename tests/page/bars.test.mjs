// Bars: their common range and their words, also where a value, or an end of its interval, is not known.
import assert from "node:assert/strict";
import test from "node:test";
import { rangeOf, valueText } from "../../images/page/draw/bars.js";

test("the range has zero in it, and the ends of all intervals", () => {
    assert.deepEqual(rangeOf([{ value: 3, low: 2, high: 4.5 }, { value: 4 }]), { min: 0, max: 4.5 });
    assert.deepEqual(rangeOf([{ value: -2, low: -2.4, high: 1 }]), { min: -2.4, max: 1 });
});

test("one whisker does not make all bars short: it goes beyond the range", () => {
    assert.deepEqual(rangeOf([{ value: 3, low: 2, high: 90 }, { value: 8, low: 7, high: 9 }]), { min: 0, max: 10 });
    assert.deepEqual(rangeOf([{ value: 4, low: -80, high: 5 }]), { min: -5, max: 5 });
});

test("behind a bar of which only the low end is known there is room", () => {
    const { min, max } = rangeOf([{ value: null, low: 48, high: null }]);
    assert.ok(min === 0 && max > 48 && max < 60);
});

test("without any value there still is a range", () => {
    assert.deepEqual(rangeOf([{ value: null, low: null, high: null }]), { min: 0, max: 1 });
});

test("words say the interval, a lower bound, and what is not known", () => {
    assert.equal(valueText({ value: 201, low: 197, high: 369 }, "registers"), "201 registers (197 to 369)");
    assert.equal(valueText({ value: 64, low: 64, high: 64 }, "entries"), "64 entries");
    assert.equal(valueText({ value: 380.178, low: 344.738, high: 415.619 }, "ns"), "380 ns (345 to 416)");
    assert.equal(valueText({ value: 1272, low: 1268, high: 1272 }), "1,272 (1,268 to 1,272)");
    assert.equal(valueText({ value: 5, low: null, high: null }, "%"), "5 %");
    assert.equal(valueText({ value: null, low: 48, high: null }, "entries"), "at least 48 entries");
    assert.equal(valueText({ value: null, low: null, high: null }, "entries"), "not known");
});
