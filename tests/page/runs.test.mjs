// Runs side by side: which are one, what each is called, which colour it has.
import assert from "node:assert/strict";
import test from "node:test";
import { middle, spread } from "../../images/page/data/format.js";
import { readRun } from "../../images/page/data/run.js";
import { machinesOf, withoutRun, withRuns } from "../../images/page/data/runs.js";

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

test("long labels and folders are cut for legends, and a label that is no text is none", () => {
    const long = "x".repeat(4000), cut = `${"x".repeat(47)}…`;
    const runs = withRuns([], [runOf("1", { label: long }), runOf("5", { label: 7 }), runOf(long, {}), runOf("6", { label: " " })]);
    assert.deepEqual(titles(runs), [`${cut} 1`, "5", cut, "6"]);
});

test("a run keeps its colour when others go; the next one takes the colour that is free", () => {
    const runs = withRuns([], [runOf("a", {}), runOf("b", { seconds: 1 }), runOf("c", { seconds: 2 })]);
    assert.deepEqual(slots(runs), [0, 1, 2]);
    const left = withoutRun(runs, runs[1]);
    assert.deepEqual(slots(left), [0, 2]);
    assert.deepEqual(slots(withRuns(left, [runOf("d", { seconds: 3 })])), [0, 2, 1]);
});

test("runs of one machine stand in order of time, boot by boot; a run that names no machine stands alone", () => {
    const run = (name, id, boot, utc_start) => runOf(name, { machine: { id, boot, utc_start } });
    const machines = machinesOf([run("d", "m", "2", "2026-02-03T"), run("b", "m", "1", "2026-02-01T"), run("x", "n", "7", ""),
        run("c", "m", "1", "2026-02-02T"), run("y", "", "", ""), run("a", "m", "0", "2026-01-31T"), runOf("z", {})]);
    assert.deepEqual(machines.map(({ name, boots }) => [name, boots.map((boot) => boot.map((one) => one.name))]),
        [["m", [["a"], ["b", "c"], ["d"]]], ["n", [["x"]]]]);
});

test("two processors, or two types of core, that report one machine are not one", () => {
    const zen4 = { brand: "AMD EPYC", family: 25, model: 17, stepping: 1 }, zen5 = { ...zen4, family: 26, model: 2 };
    const run = (name, processor, ...types) => runOf(name, { processor,
        machine: { id: "m", cores: { measured: types.length, ...Object.fromEntries(types.map((type, i) => [`core_${i}`, { type }])) } } });
    const machines = machinesOf([run("a", zen4), run("b", zen5), run("c", zen4, "one type"), run("d", zen5, "P"), run("e", zen5, "E"), run("f", zen5, "E")]);
    assert.deepEqual(machines.map(({ name, boots }) => [name, boots.flat().map((one) => one.name).join("")]), [
        ["m, AMD EPYC (family 25, model 17, stepping 1)", "ac"], ["m, AMD EPYC (family 26, model 2, stepping 1)", "b"],
        ["m, AMD EPYC (family 26, model 2, stepping 1), P", "d"], ["m, AMD EPYC (family 26, model 2, stepping 1), E", "ef"],
    ]);
});

test("the middle value is one that some run had; the spread is told in percent of it", () => {
    assert.equal(middle([21, 20, 22, 20]), 20);
    assert.equal(spread([400, 404, 420], "ticks"), "400 to 420 ticks (5 %)");
    assert.equal(spread([20, 20], "loads"), "no difference");
    assert.equal(spread([32768, 49152, 32768], "bytes"), "32 KB to 48 KB (50 %)");
    assert.equal(spread([-1, 0, 1], "ns"), "-1 to 1 ns");
});
