/* Why a run is not done, as the page's top and its empty sections tell it. */
import assert from "node:assert/strict";
import test from "node:test";
import { failuresOf, readRun, whyMissing } from "../../images/page/data/run.js";

const failures = { failure_1: { step: "self-test", code: "fault", words: "invalid opcode" },
    failure_2: { step: "", code: "not-saved", words: "could not save log.txt: full" } };
const runOf = (json) => readRun("0001", new Map([["run.json", JSON.stringify(json)]]));

test("each failure is told by its step, words and code", () => {
    assert.deepEqual(failuresOf(runOf({ failures })),
        ["self-test: invalid opcode (fault)", "could not save log.txt: full (not-saved)"]);
    assert.deepEqual(failuresOf(runOf({})), []);
});

test("nobody is asked to add an experiment that was asked for", () => {
    const run = runOf({ failures, configuration: { experiments: "noise mlp" } });
    assert.equal(whyMissing(run, "mlp"), "Not measured: the run failed before it.");
    assert.equal(whyMissing(run, "tlb"), 'Not measured. Add "tlb" to experiments.');
});
