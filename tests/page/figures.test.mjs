// What verdicts are called: each has words of its own, in one place.
import assert from "node:assert/strict";
import test from "node:test";
import { readFileSync, readdirSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { labelOf } from "../../images/page/data/figures.js";
import { parseCsv } from "../../images/page/data/run.js";

const at = (path) => new URL(`../../${path}`, import.meta.url);

/** Returns the names in the manual's tables of verdicts, and in those of the structures' cases. */
function namesOfManual() {
    const text = readFileSync(at("images/manual/reference.md"), "utf8");
    const lines = text.slice(text.indexOf("\n## Experiments and verdicts"), text.indexOf("\n## The files of a run")).split("\n");
    const names = [];
    let column = 0; // of names in the table that we are in; 0: it has no verdicts
    for (const line of lines) {
        const cells = line.split("|");
        column = line.startsWith("|") ? column : 0;
        if (cells.some((cell) => cell.trim() === "verdict"))
            column = cells.findIndex((cell) => cell.trim() === "verdict");
        else if (column > 0)
            names.push(...[...cells[column].matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name));
    }
    return names;
}

function namesOfStoredRuns() {
    const files = ["tests/data", "images/data"].flatMap((folder) => readdirSync(at(folder), { recursive: true }).map((path) => `${folder}/${path}`));
    const texts = files.filter((path) => /verdicts\.csv(\.gz)?$/.test(path)).map((path) => {
        const bytes = readFileSync(at(path));
        return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    });
    return texts.flatMap((text) => parseCsv(text).slice(1).map(([, , name]) => name));
}

test("every verdict of the manual and of stored runs has a label, and no two have the same", () => {
    const manual = new Set(namesOfManual()), stored = new Set(namesOfStoredRuns());
    assert.ok(manual.size > 90 && stored.size > 80, `${manual.size} and ${stored.size} names`);
    const names = [...new Set([...manual, ...stored])];
    assert.deepEqual(names.filter((name) => labelOf(name) === name || /_/.test(labelOf(name))), []);
    assert.equal(new Set(names.map(labelOf)).size, names.length);
});

test("levels have the words of their number; what nobody knows keeps its name", () => {
    assert.deepEqual(["l1_bytes", "l5_latency", "l2_read_bandwidth", "memory_latency_cycles", "store_queue"].map(labelOf),
        ["L1 cache", "L5 cache, latency", "L2 cache, read bandwidth", "Memory, latency in cycles", "Store queue"]);
    assert.deepEqual(["toString", "next_verdict", ""].map(labelOf), ["toString", "next_verdict", ""]);
});
