// Files that the user gives: which of them are runs, and what is said of the others.
import assert from "node:assert/strict";
import test from "node:test";
import { readGiven } from "../../images/page/data/files.js";

const ROWS = "experiment,case,n,metric,median\nmlp,2m,2,tsc,390\n";
const JSON_TEXT = '{"program":"mlpboot"}';
const file = (path, text) => ({ path, text: async () => text });

/** A page is here the text of its pieces, one a line; the browser's parser is tested in the browser. */
function parse(text) {
    return { querySelectorAll: () => text.split("\n").map((textContent) => ({ textContent })) };
}
const page = (...pieces) => pieces.map((piece) => JSON.stringify(piece)).join("\n");

async function read(...given) {
    const told = [];
    const { runs, refused } = await readGiven(given, parse, (done) => told.push(done));
    assert.equal(told.at(-1) ?? 0, given.length);
    return { names: runs.map((run) => run.name), refused, runs };
}

test("a stick's whole folder of results: every folder that holds results.csv or run.json is a run", async () => {
    const { names, refused, runs } = await read(
        file("results/0001/run.json", JSON_TEXT), file("results/0001/results.csv", ROWS),
        file("results/0001/log.txt", "event=start"), file("results/0001/report.html", "cut"),
        file("results/0002/RESULTS.CSV", ROWS), file("results/0003/run.json", `${JSON_TEXT}      `),
        file("results/0004/log.txt", "event=start"), file("results/notes.txt", "mine"));
    assert.deepEqual(names, ["0001", "0002", "0003"]);
    assert.deepEqual(refused, []);
    assert.deepEqual(runs[2].json, { program: "mlpboot" });
    assert.equal(runs[1].rows.length, 1);
});

test("pages come with all their runs, a cut one with what it has, also from folders that hold nothing else", async () => {
    const piece = (run) => ({ run, file: "results.csv", how: "append", text: ROWS });
    const { names, refused } = await read(
        file("report.html", `${page(piece("0007"), piece("0008"))}\n{"run":"0009","file":"resul`),
        file("mailed/report.html", page(piece("0003"))));
    assert.deepEqual(names, ["0007", "0008", "0003"]);
    assert.deepEqual(refused, [{ path: "report.html", why: "run 0009 was cut off at its start" }]);
});

test("what is no run is told by its name, and the others arrive", async () => {
    const broken = { path: "gone.html", text: async () => { throw new Error("the file could not be read"); } };
    const { names, refused } = await read(
        file("holiday.jpg", "JFIF"), file("news.html", "nothing"), broken, file("photos/1.jpg", "JFIF"),
        file("other/run.json", '{"program":"else"}'), file("good/results.csv", ROWS));
    assert.deepEqual(names, ["good"]);
    assert.deepEqual(refused.map((one) => one.path), ["holiday.jpg", "news.html", "gone.html", "other", "photos"]);
    assert.match(refused[0].why, /this is no run/);
    assert.match(refused[1].why, /holds no run/);
    assert.match(refused[2].why, /could not be read/);
    assert.match(refused[3].why, /neither its run.json nor its results.csv/);
    assert.match(refused[4].why, /no run in this folder/);
});

test("the three files of one folder without the folder are one run; of two folders they cannot be told apart", async () => {
    assert.deepEqual((await read(file("run.json", JSON_TEXT), file("results.csv", ROWS))).names, ["files"]);
    const { names, refused } = await read(file("results.csv", ROWS), file("results.csv", ROWS), file("x/results.csv", ROWS),
        file("report.html", page({ run: "y", file: "results.csv", how: "append", text: ROWS })));
    assert.deepEqual(names, ["y", "x"]);
    assert.deepEqual(refused.map((one) => one.path), ["files without a folder"]);
    assert.match(refused[0].why, /results.csv came twice/);
});

test("pieces that are none are left out", async () => {
    const { names, refused } = await read(file("a.html", page(null, 1, "x", { run: 1 }, { run: "1", file: "x", text: "" })));
    assert.deepEqual(names, []);
    assert.match(refused[0].why, /holds no run/);
});
