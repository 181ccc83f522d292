// Points of curves, out of rows: what is divided by what; sizes of levels, and what many chains win.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import {
    RANDOM, chainCurve, chainsOf, latencies, loadedCurve, overN, overlaps, rangesOf, swapCurve, ticksOfCycle, twoLoads, withBreaks,
} from "../../images/page/data/points.js";
import { describeCase, pagesOf, withTlb, withoutPages } from "../../images/page/data/cases.js";
import { scaled, sharp } from "../../images/page/data/format.js";
import { readRun, verdictOf } from "../../images/page/data/run.js";

const row = (more) => ({ metric: "tsc", n: 1, k: 1, bytes: null, stage: null, attempt: 0, samples: 100, ...more });

const plain = (points) => points.map(({ x, y }) => ({ x, y }));

test("the page size is read from any place in a case's name", () => {
    const names = ["2m", "staged-onthefly-4k-nopf-node1-core3-shared", "chain-1g", "core"];
    assert.deepEqual(names.map(pagesOf), ["2m", "4k", "1g", undefined]);
    assert.deepEqual(names.map(withoutPages), ["", "staged-onthefly-nopf-node1-core3-shared", "chain", "core"]);
});

test("the same case in another state of the TLB; a label with a state's word in it is none", () => {
    assert.equal(withTlb("4k-cold-nopf"), "4k-nopf");
    assert.equal(withTlb("4k-nopf", "walkmem"), "4k-walkmem-nopf");
    assert.equal(withTlb("chain-2m", "warm"), "chain-2m-warm");
    assert.equal(withTlb("2m-nopf-cold"), "2m-nopf-cold");
});

test("a line breaks at an x that only other lines have", () => {
    const lines = [{ hue: 0, points: [1, 2, 3].map((x) => ({ x, y: x })) }, { hue: 1, points: [3, 1].map((x) => ({ x, y: 9 })) }];
    assert.deepEqual(withBreaks(lines).map(({ hue, points }) => [hue, ...points.map(({ x, y }) => [x, y])]),
        [[0, [1, 1], [2, 2], [3, 3]], [1, [1, 9], [2, null], [3, 9]]]);
});

test("a latency is what most steps take more than fewest, by the loads between", () => {
    const rows = [
        row({ bytes: 2048, k: 32, center: 162 }), row({ bytes: 1024, k: 288, center: 1182 }),
        row({ bytes: 1024, k: 32, center: 158 }), row({ bytes: 2048, k: 288, center: 1186 }),
        row({ bytes: 4096, k: 32, center: 158 }), row({ bytes: 8192, k: 288, samples: 0 }),
        row({ bytes: 1024, n: 2, k: 32, center: 100 }), row({ bytes: 1024, n: 2, k: 288, center: 1124 }),
    ];
    assert.deepEqual(plain(latencies(rows, 1)), [{ x: 1024, y: 4 }, { x: 2048, y: 4 }]);
    assert.deepEqual(plain(latencies(rows, 2)), [{ x: 1024, y: 2 }]);
});

test("random accesses have a metric of their own, and are told behind the chains", () => {
    const rows = [
        row({ metric: "tsc_random", bytes: 1024, n: 32, center: 79 }), row({ n: 11 }), row({ n: 2 }),
        row({ metric: "tsc_random", bytes: 1024, n: 288, center: 207 }), row({ n: 1, metric: "hypervisor" }),
    ];
    assert.deepEqual(plain(latencies(rows, RANDOM)), [{ x: 1024, y: 0.5 }]);
    assert.deepEqual(chainsOf(rows), [2, 11, RANDOM]);
});

test("the overlap is one chain's latency over the time of a load with several chains, or of a random one", () => {
    const rows = [[1, 100, 900], [2, 120, 940]].flatMap(([n, few, many]) =>
        [row({ bytes: 1024, n, k: 10, center: few }), row({ bytes: 1024, n, k: 50, center: many })]);
    rows.push(...[[32, 60], [288, 380]].map(([n, center]) => row({ metric: "tsc_random", bytes: 1024, n, center })),
        row({ bytes: 2048, n: 2, k: 10, center: 1 }), row({ bytes: 2048, n: 2, k: 50, center: 2 }), // no chain alone
        row({ bytes: 4096, k: 10, center: 1 }), row({ bytes: 4096, k: 50, center: 9 }), // nothing but one
        row({ bytes: 4096, n: 2, k: 10, center: 5 }), row({ bytes: 4096, n: 2, k: 50, center: 5 })); // no time
    const both = (chains) => overlaps(rows, chains).map(({ x, y }) => [x, Number(y.toFixed(3))]);
    assert.deepEqual(both(2), [[1024, 1.951]]); // 20 ticks, 820 / 80
    assert.deepEqual(both(RANDOM), [[1024, 16]]); // 320 / 256
    assert.deepEqual(both(1), [[1024, 1], [4096, 1]]);
});

test("a cycle is what an addition more takes; without two rows nobody knows", () => {
    const additions = (k, center) => row({ metric: "additions", k, center });
    assert.equal(ticksOfCycle([additions(1280, 960), additions(256, 192)]), 0.75);
    assert.equal(ticksOfCycle([additions(256, 192)]), null);
});

test("a swap's time is the mean of the passes, between their least and most", () => {
    const swap = (n, stage, center, bytes = 64) => row({ n, k: 10, bytes, stage, center });
    const rows = [swap(1, 16, 20), swap(2, 16, 40), swap(1, 8, 50), swap(1, 8, 10, 4096)];
    assert.deepEqual(swapCurve(rows, 64), [{ x: 8, y: 5, low: 5, high: 5 }, { x: 16, y: 3, low: 2, high: 4 }]);
});

test("as many digits as an interval supports, one of the value at least, and whole numbers as they are", () => {
    const of = (value, low, high) => Object.values(sharp({ value, low, high }));
    assert.deepEqual(of(80.96, 67.082, 94.838), [81, 67, 95]);
    assert.deepEqual(of(409.622, 358.352, 615.015), [410, 358, 615]);
    assert.deepEqual(of(-5.784, -23.872, 16.538), [-6, -24, 17]);
    assert.deepEqual(of(1, 1, 4.969), [1, 1, 5]);
    assert.deepEqual(of(9.878, 0.277, 1000), [10, 0.3, 1000]);
    assert.deepEqual(of(0, 0, 4.527), [0, 0, 4.5]);
    assert.deepEqual(of(0.579, 0.553, 0.606), [0.579, 0.553, 0.606]);
    for (const unchanged of [[72.3, 72.3, 72.3], [null, 48.25, null], [5.123, null, null]])
        assert.deepEqual(of(...unchanged), unchanged);
});

test("what stands before the page size is a pattern; a label with the same word stays", () => {
    assert.equal(describeCase("linear-2m-nopf"), "linear, 2 MB pages, prefetchers off");
    assert.equal(describeCase("staged-onthefly-4k-plain"), "in stages, indices made on the fly, 4 KB pages, plain");
    assert.equal(describeCase("precomputed-2m"), "indices made before, 2 MB pages");
    assert.equal(describeCase("constructor-2m"), "constructor, 2 MB pages");
});

test("a verdict in another unit keeps what is not known", () => {
    assert.deepEqual(scaled({ value: 4, low: null, high: 6, status: "doubt" }, 0.5),
        { value: 2, low: null, high: 3, status: "doubt" });
});

test("a latency's band is of the same differences of its deciles", () => {
    const rows = [row({ bytes: 1024, k: 32, center: 100, p10: 90, p90: 140 }), row({ bytes: 1024, k: 132, center: 500, p10: 450, p90: 700 })];
    assert.deepEqual(latencies(rows, 1), [{ x: 1024, y: 4, low: 3.6, high: 5.6, samples: 100 }]);
});

test("two loads over K are those of the last attempt; N loads those with the smallest K", () => {
    const rows = [row({ n: 2, k: 8, center: 5 }), row({ n: 2, k: 0, center: 4, attempt: 1 }), row({ n: 2, k: 16, center: 6, attempt: 1 }),
        row({ n: 3, k: 0, center: 7 }), row({ n: 3, k: 8, center: 9 }), row({ n: 2, k: 24, samples: 0, attempt: 2 })];
    assert.deepEqual(plain(twoLoads(rows)), [{ x: 0, y: 4 }, { x: 16, y: 6 }]);
    assert.deepEqual(overN(rows).map(({ n, center }) => [n, center]), [[2, 4], [3, 7]]);
});

test("a chain through pages is of the last attempt, by distance", () => {
    const chain = (n, attempt, center, bytes = 4096) => row({ metric: "chain", n, k: 10, bytes, attempt, center });
    const rows = [chain(4, 0, 40), chain(2, 1, 30), chain(2, 0, 99), chain(2, 0, 70, 2 ** 21)];
    assert.deepEqual(plain(chainCurve(rows, "chain", 4096)), [{ x: 2, y: 3 }]);
    assert.deepEqual(plain(chainCurve(rows, "chain", 2 ** 21)), [{ x: 2, y: 7 }]);
});

test("a loaded latency is the difference of two chains, so that the timer is not in it", () => {
    const rate = (pause, start, latency, moved) => [
        row({ metric: "chain", n: 8, k: pause, center: start + 8 * latency }), row({ metric: "chain", n: 72, k: pause, center: start + 72 * latency }),
        row({ metric: "traffic", n: 72, k: pause, center: moved }), row({ metric: "traffic", n: 8, k: pause, center: 999 })];
    const curve = loadedCurve([...rate(0, 30, 500, 20), ...rate(null, 30, 200, 0), ...rate(64, 30, 250, 12), ...rate(9, 0, 1, 7).slice(1)]);
    assert.deepEqual(curve.map(({ x, y, note }) => [x, y, note]), [[0, 200, "the others rest"], [12, 250, "pause 64"], [20, 500, "pause 0"]]);
});

function stored(name) {
    const at = (file) => readFileSync(new URL(`../../images/data/${name}/${file}`, import.meta.url));
    return readRun(name, new Map([["results.csv", gunzipSync(at("results.csv.gz")).toString()], ["verdicts.csv", at("verdicts.csv").toString()]]));
}

test("memory has its level whenever its verdict has a value, though nobody knows where L3 ends", () => {
    const run = stored("zen4"), of = (name) => verdictOf(run, "array", "2m", name);
    const levels = ["l1", "l2", "l3", "memory"].map((one) => ({ label: one, size: of(`${one}_bytes`), time: of(`${one}_latency`) }));
    const none = { value: null, low: null, high: null };
    const memory = { value: 426, low: 400, high: 452 }; // the stored run has no lines of few pages, which answer it
    levels[3].time = memory;
    levels[2] = { label: "l3", size: { ...levels[2].size, ...none }, time: { ...levels[2].time, ...none } };
    const points = latencies(run.byCase.get("array").get("2m"), 1), ranges = rangesOf(levels, points);
    assert.deepEqual(ranges.map(({ label }) => label), ["l1", "l2", "memory"]);
    assert.equal(ranges[2].to, points.at(-1).x);
    assert.ok(points.find(({ x }) => x === ranges[2].from).y >= memory.low);
});
