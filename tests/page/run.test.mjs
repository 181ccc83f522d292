// Files become runs: CSV with quotes, damaged and missing files, pieces in their order.
import assert from "node:assert/strict";
import test from "node:test";
import { joinPieces, runsOf } from "../../images/page/data/files.js";
import { parseCsv, readRun } from "../../images/page/data/run.js";

test("fields may be quoted, and hold commas, quotes and line ends", () => {
    assert.deepEqual(parseCsv('a,b\n1,"x, ""y""\nz"\n'), [["a", "b"], ["1", 'x, "y"\nz']]);
});

test("lines that Windows has touched, and the last one without an end, are read", () => {
    assert.deepEqual(parseCsv("a,b\r\n1,\r\n2,3"), [["a", "b"], ["1", ""], ["2", "3"]]);
});

test("a quote that never ends takes what is left", () => {
    assert.deepEqual(parseCsv('a\n"b'), [["a"], ["b"]]);
});

test("pieces are added, or start the file anew", () => {
    const piece = (run, file, how, text) => ({ run, file, how, text });
    const runs = joinPieces([
        piece("1", "run.json", "replace", "{old"), piece("1", "results.csv", "append", "a\n"),
        piece("2", "results.csv", "append", "c\n"), piece("1", "run.json", "replace", '{"label"'),
        piece("1", "run.json", "append", ':"x"}'), piece("1", "results.csv", "append", "b\n"),
    ]);
    assert.equal(runs.get("1").get("run.json"), '{"label":"x"}');
    assert.equal(runs.get("1").get("results.csv"), "a\nb\n");
    assert.equal(runs.get("2").get("results.csv"), "c\n");
});

test("a run without a run.json, or with half of one, is read all the same", () => {
    const rows = "experiment,case,n,metric,median\nmlp,2m,2,tsc,390\n";
    assert.deepEqual(readRun("1", new Map([["results.csv", rows]])).damage, ["run.json is missing"]);
    const run = readRun("1", new Map([["results.csv", rows], ["run.json", "{"]]));
    assert.deepEqual(run.damage, ["run.json is damaged"]);
    assert.deepEqual({ ...run.rows[0] }, { experiment: "mlp", case: "2m", n: 2, metric: "tsc", median: 390 });
});

test("a table that ends within a line is read up to it, and says so", () => {
    const rows = "experiment,case,n,metric,median\nmlp,2m,2,tsc,390\nmlp,2m,3,ts";
    const run = readRun("1", new Map([["results.csv", rows], ["run.json", "{}"]]));
    assert.deepEqual(run.damage, ["results.csv ends within a line"]);
    assert.equal(run.rows.length, 1);
});

test("verdicts of older versions have no reason", () => {
    const verdicts = (text) => readRun("1", new Map([["verdicts.csv", text]])).verdicts.map(({ status, reason, method }) => [status, reason, method]);
    assert.deepEqual(verdicts("name,status,reason,method\nmlp,doubt,scatter,x\nmlp,ok,,x\n"), [["doubt", "scatter", "x"], ["ok", "", "x"]]);
    assert.deepEqual(verdicts("name,status,method\nmlp,doubt,x\n"), [["doubt", "", "x"]]);
});

test("a run.json that is no object is damaged", () => {
    for (const text of ["null", "7", '"x"'])
        assert.deepEqual(readRun("1", new Map([["run.json", text]])).damage, ["run.json is damaged"]);
});

/** A page with these elements, as far as files.js asks it. */
function pageOf(...texts) {
    return { querySelectorAll: () => texts.map((textContent) => ({ textContent })) };
}

test("a piece that was cut off is told of its run", () => {
    const whole = '{"run":"1","file":"run.json","how":"append","text":"{}"}';
    assert.deepEqual(runsOf(pageOf(whole)).map((run) => run.damage), [[]]);
    assert.match(runsOf(pageOf(whole, '{"run":"1","file":"resu'))[0].damage[0], /cut off/);
    const other = runsOf(pageOf(whole, '{"run":"2","file":"run.json","how":"append","te'));
    assert.deepEqual(other.map((run) => [run.name, run.damage.length]), [["1", 0], ["2", 2]]);
    assert.match(runsOf(pageOf(whole, "{"))[0].damage[0], /cut off/);
    assert.match(runsOf(pageOf(whole, "null"))[0].damage[0], /cut off/);
    assert.deepEqual(runsOf(pageOf("{")), []);
});

test("a member of another type than the schema has is left out, and said", () => {
    for (const value of [null, 7, "text", [1]]) {
        const run = readRun("1", new Map([["run.json", JSON.stringify({ configuration: value, configured_by: value,
            processor: { brand: "x" }, status: "done" })], ["verdicts.csv", ""], ["results.csv", ""]]));
        assert.deepEqual(run.json, { processor: { brand: "x" }, status: "done" });
        assert.deepEqual(run.damage.slice(0, 2), ["run.json is damaged: configuration is no object",
            "run.json is damaged: configured_by is no object"]);
    }
});
