// Runs side by side: which are one, what each is called, which colour it has.
import assert from "node:assert/strict";
import test from "node:test";
import { readRun } from "../../images/page/run.js";
import { commonFigures, ordered, withoutRun, withRuns } from "../../images/page/runs.js";

function runOf(name, json, rows = "") {
    return readRun(name, new Map([["run.json", JSON.stringify(json)], ["results.csv", `experiment,case\n${rows}`]]));
}
const titles = (runs) => runs.map((run) => run.title);
const slots = (runs) => runs.map((run) => run.slot);

test("a run that comes twice is one, though a FAT volume has added blanks to its run.json", () => {
    const run = runOf("1", { seconds: 1 });
    const padded = readRun("7", new Map(run.files).set("run.json", `${run.files.get("run.json")}   \n  `));
    assert.deepEqual(withRuns(withRuns([], [run, padded]), [padded]), [run]);
    assert.equal(withRuns([run], [runOf("1", { seconds: 1 }, "mlp,2m\n")]).length, 2);
});

test("names that clash stay distinct", () => {
    const runs = withRuns([], [
        runOf("0001", { label: "new", seconds: 1 }), runOf("0002", { label: "new", seconds: 2 }),
        runOf("0002", { label: "new", seconds: 3 }), runOf("0003", {}), runOf("0003", { seconds: 4 }),
        runOf("x", { label: "alone" }), runOf("new 0001", { seconds: 5 }),
    ]);
    assert.deepEqual(titles(runs), ["new 0001", "new 0002", "new 0002 (2)", "0003", "0003 (2)", "alone", "new 0001 (2)"]);
});

test("a run keeps its colour when others go; the next one takes the colour that is free", () => {
    const runs = withRuns([], [runOf("a", {}), runOf("b", { seconds: 1 }), runOf("c", { seconds: 2 })]);
    assert.deepEqual(slots(runs), [0, 1, 2]);
    const left = withoutRun(runs, runs[1]);
    assert.deepEqual(slots(left), [0, 2]);
    assert.deepEqual(slots(withRuns(left, [runOf("d", { seconds: 3 })])), [0, 2, 1]);
});

test("runs are ordered by what is asked for; those that do not have it come last", () => {
    const runs = withRuns([], [[223, "0010"], ["", "0009"], [447, "0002"]].map(([value, name], i) => {
        const run = runOf(name, { seconds: i });
        run.verdicts = [{ experiment: "mlp", case: "2m", name: "rob_entries", value: value || null }];
        return run;
    }));
    assert.deepEqual(commonFigures(runs), ["mlp 2m rob_entries"]);
    assert.deepEqual(titles(ordered(runs, { by: "mlp 2m rob_entries", isReversed: false })), ["0010", "0002", "0009"]);
    assert.deepEqual(titles(ordered(runs, { by: "mlp 2m rob_entries", isReversed: true })), ["0002", "0010", "0009"]);
    assert.deepEqual(titles(ordered(runs, { by: "name", isReversed: false })), ["0002", "0009", "0010"]);
    assert.deepEqual(titles(ordered(ordered(runs, { by: "name", isReversed: false }), { by: "as they came", isReversed: false })), ["0010", "0009", "0002"]);
});
