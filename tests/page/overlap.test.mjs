// Overlap: the limit is where the rule of mlp has it in stored runs; occupancy is of what was counted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { overN } from "../../images/page/curves/curves.js";
import { limitOf, occupancyOf, thresholdsOf } from "../../images/page/curves/overlap.js";
import { readRun, rowsOf, verdictOf } from "../../images/page/data/run.js";

function stored(name) {
    const text = (file) => gunzipSync(readFileSync(new URL(`../data/${name}/${file}.gz`, import.meta.url))).toString();
    return readRun(name, new Map(["results.csv", "verdicts.csv"].map((file) => [file, text(file)])));
}

for (const name of ["silicon", "model", "vices"])
    test(`in the stored run "${name}" MLP is the last N below the limit`, () => {
        const run = stored(name);
        const answers = run.verdicts.filter((one) => one.experiment === "mlp" && one.name === "mlp" && one.value > 0);
        assert.ok(answers.length > 0);
        for (const { case: of, value } of answers) {
            const rows = rowsOf(run, "mlp", of, "tsc"), points = overN(rows);
            const limit = limitOf(rows, verdictOf(run, "mlp", of, "rob_cliff_k").value);
            const next = points.findIndex((row) => row.n >= 2 && row.mean >= limit);
            assert.equal(points[next].n - 1, value, of);
        }
    });

test("without two points beyond the jump there is no limit", () => {
    const row = (k) => ({ metric: "tsc", n: 2, k, samples: 25, stage: null, attempt: 0, mean: 300 });
    assert.equal(limitOf([row(0), row(8)], 8), null);
    assert.ok(Math.abs(limitOf([row(0), row(8), row(16)], 8) - 291) < 1e-9);
});

test("occupancy is misses over cycles, at the smallest K alone", () => {
    const count = (metric, n, k, mean, stage = null) => ({ metric, n, k, stage, mean, median: mean, samples: 9 });
    const rows = [
        count("l1d_pend_miss_pending", 4, 0, 1200), count("l1d_pend_miss_pending_cycles", 4, 0, 320),
        count("l1d_pend_miss_pending", 2, 0, 600), count("l1d_pend_miss_pending_cycles_derived", 2, 0, 300),
        count("l1d_pend_miss_pending", 2, 64, 900), count("l1d_pend_miss_pending_cycles", 2, 64, 100),
        count("l1d_pend_miss_pending", 0, 0, 0), count("l1d_pend_miss_pending", 8, 0, 2400),
        count("l1d_pend_miss_pending", 4, 0, 320, 1), count("l1d_pend_miss_pending", 4, 0, 300, 2),
        count("l1d_pend_miss_pending", 4, 0, 0, 3), count("l1d_pend_miss_pending", 4, 0, 0, 4),
    ];
    assert.deepEqual(occupancyOf(rows), { x: [2, 4], y: [2, 3.75] });
    assert.deepEqual(thresholdsOf(rows), { x: [1, 2, 3], y: [320, 300, 0] });
    assert.deepEqual(occupancyOf([]), { x: [], y: [] });
    assert.deepEqual(thresholdsOf([]), { x: [], y: [] });
});
