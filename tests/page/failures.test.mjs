/* Why a run is not done, as the page's top and its empty sections tell it. */
import assert from "node:assert/strict";
import test from "node:test";
import { readFileSync } from "node:fs";
import { failuresOf } from "../../images/page/data/advice.js";
import { readRun, whyMissing } from "../../images/page/data/run.js";
import { wordsOf } from "../../images/page/data/words.js";

const failures = { failure_1: { step: "self-test", code: "fault", words: "invalid opcode" },
    failure_2: { step: "", code: "not-saved", words: "could not save log.txt: full" } };
const runOf = (json, log = "") => readRun("0001", new Map([["run.json", JSON.stringify(json)], ["log.txt", log]]));

test("each failure is told by its step, words and code, with what to do", () => {
    const [fault, unsaved] = failuresOf(runOf({ failures }));
    assert.ok(fault.startsWith("self-test: invalid opcode (fault). What to do: read the log"));
    assert.ok(unsaved.startsWith("could not save log.txt: full (not-saved). What to do: use a larger"));
    assert.deepEqual(failuresOf(runOf({})), []);
});

test("a run that was cut short names the last step that its log begins", () => {
    const cut = { failures: { failure_1: { step: "", code: "cut-short", words: "the last line of log.txt names the step" } } };
    const log = "event=step name=self-test\nevent=experiment name=noise\nevent=measured experiment=noise\nevent=experiment name=tlb\n";
    assert.ok(failuresOf(runOf(cut, log))[0].startsWith("the run ended in step tlb, and not by itself (cut-short). What to do: run it again"));
    assert.ok(failuresOf(runOf(cut))[0].startsWith("the last line of log.txt names the step (cut-short)."));
});

test("every code of a failure of the kernel, and no other one, has words on what to do", () => {
    const text = readFileSync(new URL("../../kernel/data/failure.h", import.meta.url), "utf8");
    assert.deepEqual([...text.matchAll(/X\([A-Z_]+, "([a-z-]+)"/g)].map(([, code]) => code), [...wordsOf("failure").keys()]);
});

test("nobody is asked to add an experiment that was asked for", () => {
    const run = runOf({ failures, configuration: { experiments: "noise mlp" } });
    assert.equal(whyMissing(run, "mlp"), "Not measured: the run failed before this was done.");
    assert.equal(whyMissing(run, "tlb"), 'Not measured. Add "tlb" to experiments.');
});
