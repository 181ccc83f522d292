// Curves: points are those the rules read, and jumps are where the rules found them in stored runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { LEVELS, fitLine, fitPieces, jumpOf, lineAt, overK, overN } from "../../images/page/curves/curves.js";
import { readRun } from "../../images/page/data/run.js";

const point = (more) => ({ metric: "tsc", n: 2, k: 0, samples: 25, stage: null, attempt: 0, median: 1, ...more });

function stored(name) {
    const text = (file) => gunzipSync(readFileSync(new URL(`../data/${name}/${file}.gz`, import.meta.url))).toString();
    return readRun(name, new Map(["results.csv", "verdicts.csv"].map((file) => [file, text(file)])));
}

test("points need samples, a place, and the right metric", () => {
    const rows = [point({ k: 8 }), point({ k: 4, samples: 4 }), point({ k: 3, metric: "epoch" }), point({ k: 2 }),
        point({ n: 3, k: 1 }), point({ k: null })];
    assert.deepEqual(overK(rows, 2).map((row) => row.k), [2, 8]);
});

test("the last attempt counts", () => {
    const rows = [0, 2, 1].map((attempt) => point({ attempt, median: 100 + attempt }));
    assert.deepEqual(overK([...rows, point({ n: 3, attempt: 3 })], 2).map((row) => row.median), [102]);
    assert.deepEqual(overK(rows.slice(0, 1), 2).map((row) => row.median), [100]);
    assert.deepEqual(overK([], 2), []);
});

test("over N it is the smallest K that counts", () => {
    const rows = [point({ n: 1, k: 64 }), point({ n: 4, k: 8 }), point({ n: 3, k: 8 }), point({ n: 0, k: 0 })];
    assert.deepEqual(overN(rows).map((row) => row.n), [3, 4]);
    assert.deepEqual(overN([]), []);
});

test("a line through points on it is that line, wherever it is", () => {
    const x = [1e6, 1e6 + 1, 1e6 + 5], line = fitLine(x, x.map((one) => 3 * one - 7));
    assert.ok(Math.abs(line.slope - 3) < 1e-9 && line.squares < 1e-6);
    assert.ok(Math.abs(lineAt(line, 1e6 + 9) - (3 * (1e6 + 9) - 7)) < 1e-6);
    assert.equal(lineAt(fitLine([5], [8]), 5), 8);
});

test("a jump is found where it is, also at one of the first points, and none where there is none", () => {
    const x = [...Array(40).keys()].map((i) => 8 * i);
    const y = (at) => x.map((k) => 300 + k / 10 + (k >= at ? 280 : 0));
    for (const at of [16, 24, 96, 296])
        assert.equal(jumpOf(x, y(at)), at);
    assert.equal(jumpOf(x, y(1000)), null);
    assert.equal(jumpOf(x.slice(0, 5), y(16).slice(0, 5)), null);
    const [low, high] = fitPieces(x, y(96), 12);
    assert.ok(Math.abs(lineAt(high, 96) - lineAt(low, 96) - 280) < 1e-6);
});

for (const name of ["silicon", "model", "vices", "qemu"])
    test(`in the stored run "${name}" jumps are where the rules found them`, () => {
        const run = stored(name);
        const cliffs = run.verdicts.filter((verdict) => verdict.name === "rob_cliff_k" && verdict.experiment === "mlp");
        assert.ok(cliffs.length > 0);
        for (const verdict of cliffs) {
            const points = overK(run.byCase.get("mlp").get(verdict.case), 2);
            assert.equal(jumpOf(points.map((row) => row.k), points.map(LEVELS.center)), verdict.value, verdict.case);
        }
    });
