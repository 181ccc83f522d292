// Threads: a structure's sizes and the word for how it is shared, core by core.
import assert from "node:assert/strict";
import test from "node:test";
import { structuresOf } from "../../images/page/data/threads.js";

const verdict = (name, value, status, method, of) => ({ experiment: "smt", case: of, name, value, status, method });
const sizes = (name, plain, values, tail = "") => ["idle", "busy", "loading"].map((work, i) =>
    verdict(name, values[i], "ok", "", `${plain}-${work}${tail}`));

test("sizes stand with the split of their own case", () => {
    const run = { verdicts: [
        ...sizes("rob_entries", "nop", [224, 112, 112]), verdict("split", 0.5, "ok", "halved: 224 alone", "nop-busy"),
        ...sizes("l1_bytes", "chain-2m", [32768, 32768, 16384]), ...sizes("l2_bytes", "chain-2m", [262144, 262144, 262144]),
        verdict("l1_split", 1, "ok", "competitive: 32k alone", "chain-2m-busy"),
        verdict("l2_split", 1, "doubt", "whole or halved: 256k alone", "chain-2m-busy"),
    ] };
    const found = structuresOf(run, undefined);
    assert.deepEqual(found.map(({ name, word }) => [name, word]),
        [["rob_entries", "halved"], ["l1_bytes", "competitive"], ["l2_bytes", "not known"]]);
    assert.deepEqual([...found[1].sizes].map(([work, verdict]) => [work, verdict.value]),
        [["idle", 32768], ["busy", 32768], ["loading", 16384]]);
});

test("MLP has no split, and each core has its own", () => {
    const run = { verdicts: [
        ...sizes("mlp", "4k-warm", [13, 13, 6]), ...sizes("fill_buffers", "4k-warm", [12, 12, 6]),
        verdict("split", 1, "ok", "competitive: 12 alone", "4k-warm-busy"),
        ...sizes("fill_buffers", "4k-warm", [10, 5, 5], "-core3"), verdict("split", 0.5, "ok", "halved: 10", "4k-warm-busy-core3"),
    ] };
    assert.deepEqual(structuresOf(run, undefined).map(({ name, word }) => [name, word]), [["fill_buffers", "competitive"]]);
    assert.deepEqual(structuresOf(run, "3").map(({ word, sizes: all }) => [word, all.get("idle").value]), [["halved", 10]]);
});
