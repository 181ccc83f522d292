// Curves of array, tlb, patterns and shuffle, as the rules of the kernel read their rows; reasons in words.
import assert from "node:assert/strict";
import test from "node:test";
import {
    RANDOM, chainsOf, distancesOf, evenly, farCurves, fewChains, flatUntil, latencies, partsOf, sideBySide, sizesOf,
    swapCurve, ticksOfCycle, passesOf, withTlb,
} from "../../images/page/curves/memory.js";
import { describeCase } from "../../images/page/data/cases.js";
import { scaled, sharp } from "../../images/page/data/format.js";
import { groupReasons } from "../../images/page/draw/reasons.js";

const row = (more) => ({ metric: "tsc", n: 1, k: 1, bytes: null, stage: null, attempt: 0, samples: 100, ...more });

test("a case's name has a pattern, a page size, a state of the TLB, and the rest", () => {
    assert.deepEqual(partsOf("2m"), { pattern: "", page: "2m", tlb: "natural", rest: "" });
    assert.deepEqual(partsOf("staged-onthefly-4k-nopf-node1-core3-shared"),
        { pattern: "staged-onthefly", page: "4k", tlb: "natural", rest: "-nopf-node1-core3-shared" });
    assert.deepEqual(partsOf("4k-cold-b1"), { pattern: "", page: "4k", tlb: "cold", rest: "-b1" });
    assert.equal(partsOf("core"), null);
});

test("a label with a state's word in it is none", () => {
    assert.deepEqual(partsOf("2m-nopf-cold"), { pattern: "", page: "2m", tlb: "natural", rest: "-nopf-cold" });
});

test("the same case in another state of the TLB", () => {
    assert.equal(withTlb("4k-cold-nopf", "natural"), "4k-nopf");
    assert.equal(withTlb("4k-nopf", "walkmem"), "4k-walkmem-nopf");
    assert.equal(withTlb("chain-2m", "warm"), "chain-2m-warm");
});

test("a latency is what most steps take more than fewest, by the loads between", () => {
    const rows = [
        row({ bytes: 2048, k: 32, center: 162 }), row({ bytes: 1024, k: 288, center: 1182 }),
        row({ bytes: 1024, k: 32, center: 158 }), row({ bytes: 2048, k: 288, center: 1186 }),
        row({ bytes: 4096, k: 32, center: 158 }), row({ bytes: 8192, k: 288, samples: 0 }),
        row({ bytes: 1024, n: 2, k: 32, center: 100 }), row({ bytes: 1024, n: 2, k: 288, center: 1124 }),
    ];
    assert.deepEqual(latencies(rows, 1), [{ x: 1024, y: 4 }, { x: 2048, y: 4 }]);
    assert.deepEqual(latencies(rows, 2), [{ x: 1024, y: 2 }]);
});

test("random accesses have a metric of their own, and are told behind the chains", () => {
    const rows = [
        row({ metric: "tsc_random", bytes: 1024, n: 32, center: 79 }), row({ n: 11 }), row({ n: 2 }),
        row({ metric: "tsc_random", bytes: 1024, n: 288, center: 207 }), row({ n: 1, metric: "hypervisor" }),
    ];
    assert.deepEqual(latencies(rows, RANDOM), [{ x: 1024, y: 0.5 }]);
    assert.deepEqual(chainsOf(rows), [2, 11, RANDOM]);
});

test("pages side by side are those of the last attempt", () => {
    const chain = (n, attempt, center, bytes = 4096) => row({ metric: "chain", n, k: 10, bytes, attempt, center });
    const dense = (n, attempt, center) => row({ metric: "chain_dense", n, k: 10, attempt, center });
    const rows = [
        chain(4, 0, 40), chain(2, 0, 30), dense(2, 0, 20), chain(2, 2, 50), dense(2, 2, 25), chain(2, 1, 99),
        dense(2, 1, 98), chain(2, 0, 70, 2 ** 21), chain(2, 0, 60, 16384),
    ];
    assert.deepEqual(sideBySide("chain-4k", rows), { pages: [{ x: 2, y: 5 }], lines: [{ x: 2, y: 2.5 }] });
    assert.deepEqual(sideBySide("chain-4k", rows.slice(0, 3)),
        { pages: [{ x: 2, y: 3 }, { x: 4, y: 4 }], lines: [{ x: 2, y: 2 }] });
    assert.deepEqual(distancesOf("chain-4k", rows), [16384, 2 ** 21]);
});

test("a cycle is what an addition more takes; without two rows nobody knows", () => {
    const additions = (k, center) => row({ metric: "additions", k, center });
    assert.equal(ticksOfCycle([additions(1280, 960), additions(256, 192)]), 0.75);
    assert.equal(ticksOfCycle([additions(256, 192)]), null);
});

test("a pass has as many accesses as the array has words", () => {
    const passes = [
        row({ k: 4, bytes: 32, stage: 1, mean: 12 }), row({ k: 4, bytes: 32, stage: 0, mean: 8 }),
        row({ k: 2, bytes: 32, mean: 99 }), row({ metric: "sum", k: 4, bytes: 32, stage: 0, mean: 7 }),
    ];
    assert.deepEqual(passesOf(passes), [{ x: 0, y: 2 }, { x: 1, y: 3 }]);
});

test("a swap's time is the mean of the passes, between their least and most", () => {
    const swap = (n, stage, center, bytes = 64) => row({ n, k: 10, bytes, stage, center });
    const rows = [swap(1, 16, 20), swap(2, 16, 40), swap(1, 8, 50), swap(1, 8, 10, 4096)];
    assert.deepEqual(sizesOf(rows), [4096, 64]);
    assert.deepEqual(swapCurve(rows, 64), [{ x: 8, y: 5, low: 5, high: 5 }, { x: 16, y: 3, low: 2, high: 4 }]);
});

test("each reason is told once, doubts before what was skipped, and behind it what only one case shows", () => {
    const verdict = (name, of, status, method) => ({ case: of, name, status, method });
    const groups = groupReasons([
        verdict("l1_bytes", "2m", "ok", "x"), verdict("l3_bytes", "1g", "skip", "soft"),
        verdict("l2_bytes", "2m", "doubt", "soft; 3 of 4"), verdict("l2_latency", "2m", "doubt", "soft; 3 of 4"),
        verdict("l2_bytes", "4k", "doubt", "soft"),
    ]);
    assert.deepEqual(groups, [
        { status: "doubt", reason: "soft", cases: [
            { case: "2m", names: ["l2_bytes", "l2_latency"], rest: "3 of 4" }, { case: "4k", names: ["l2_bytes"], rest: "" },
        ] },
        { status: "skip", reason: "soft", cases: [{ case: "1g", names: ["l3_bytes"], rest: "" }] },
    ]);
});

test("as many digits as an interval supports, and one of the value at least", () => {
    const of = (value, low, high) => Object.values(sharp({ value, low, high }));
    assert.deepEqual(of(80.96, 67.082, 94.838), [81, 67, 95]);
    assert.deepEqual(of(409.622, 358.352, 615.015), [410, 360, 620]);
    assert.deepEqual(of(-5.784, -23.872, 16.538), [-6, -24, 17]);
    assert.deepEqual(of(1, 1, 4.969), [1, 1, 5]);
    assert.deepEqual(of(9.878, 0.277, 1000), [10, 0.3, 1000]);
    assert.deepEqual(of(0, 0, 4.527), [0, 0, 4.5]);
    assert.deepEqual(of(0.579, 0.553, 0.606), [0.579, 0.553, 0.606]);
    for (const unchanged of [[72.3, 72.3, 72.3], [null, 48.25, null], [5.123, null, null]])
        assert.deepEqual(of(...unchanged), unchanged);
});

test("a few chains are the powers of two, the most, and random accesses", () => {
    assert.deepEqual(fewChains([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, RANDOM]), [1, 2, 4, 8, 11, RANDOM]);
    assert.deepEqual(fewChains([1, 4]), [1, 4]);
    assert.deepEqual(evenly([1, 2, 3, 4, 5, 6, 7], 3), [1, 4, 7]);
    assert.deepEqual(evenly([1, 2], 3), [1, 2]);
});

test("distances that show the same are one line; one that ends before others is none", () => {
    const curve = (kb, ...times) => times.map((center, i) =>
        row({ metric: "chain", n: 2 ** i, k: 1, bytes: kb * 1024, center }));
    const rows = [
        ...curve(16, 3, 3, 3, 3, 7, 7, 7, 7), ...curve(64, 3, 3, 3, 3, 7.1, 7.1, 7.1, 7.1),
        ...curve(192, 3, 3, 3), ...curve(256, 3, 3, 9, 9, 9, 9, 9, 9), ...curve(1024, 3, 3, 9.9, 9.1, 9, 9, 9, 9),
    ];
    const curves = farCurves("chain-4k", rows);
    assert.deepEqual(curves.map(({ distances }) => distances.map((one) => one / 1024)), [[16, 64], [256, 1024]]);
    assert.equal(flatUntil(curves), 2);
    assert.equal(flatUntil([{ points: [{ x: 1, y: 3 }, { x: 64, y: 3 }] }]), 64);
});

test("what stands before the page size is a pattern; a label with the same word stays", () => {
    assert.equal(describeCase("linear-2m-nopf"), "in order, 2 MB pages, prefetchers off");
    assert.equal(describeCase("staged-onthefly-4k-plain"), "in stages, indices made on the fly, 4 KB pages, plain");
    assert.equal(describeCase("precomputed-2m"), "indices made before, 2 MB pages");
    assert.equal(describeCase("constructor-2m"), "constructor, 2 MB pages");
});

test("a verdict in another unit keeps what is not known", () => {
    assert.deepEqual(scaled({ value: 4, low: null, high: 6, status: "doubt" }, 0.5),
        { value: 2, low: null, high: 3, status: "doubt" });
});
