// The published figures: each has a source, none contradicts another, and each is found for its processors only.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { comparedWith, publishedFor, publishedOf, readPublished } from "../../images/page/data/published.js";
import { readRun } from "../../images/page/data/run.js";

const table = readPublished(readFileSync(new URL("../../images/page/published.csv", import.meta.url), "utf8"));

test("every row has a value, a source, and one word of confidence", () => {
    assert.ok(table.length > 200);
    for (const row of table) {
        const name = JSON.stringify(row);
        assert.ok(Number.isInteger(row.value) && row.value > 0, name);
        assert.ok(row.source.length > 5 && row.uarch.length > 2, name);
        assert.ok(["high", "medium", "low", "contested"].includes(row.confidence), name);
        assert.ok(["", "P", "E"].includes(row.core) && ["", "4k", "2m", "1g"].includes(row.pages), name);
        assert.ok(["AuthenticAMD", "GenuineIntel"].includes(row.vendor), name);
        assert.ok(row.models.every(([from, to]) => from <= to && to <= 255), name);
        assert.ok(!/from memory/.test(row.source) || row.confidence === "low", name);
    }
});

test("no processor has two figures for one thing", () => {
    const seen = new Map();
    for (const row of table)
        for (const [from, to] of row.models)
            for (let model = from; model <= to; model++)
                for (const core of row.core === "" ? ["P", "E"] : [row.core])
                    for (const pages of row.pages === "" ? ["4k", "2m", "1g"] : [row.pages]) {
                        const key = [row.vendor, row.family, model, core, row.figure, pages].join(" ");
                        assert.ok(!seen.has(key), `${key}: ${seen.get(key)} and ${row.value}`);
                        seen.set(key, row.value);
                    }
});

test("no model is of two microarchitectures", () => {
    const seen = new Map();
    for (const row of table)
        for (const [from, to] of row.models)
            for (let model = from; model <= to; model++) {
                const key = [row.vendor, row.family, model, row.core].join(" ");
                assert.equal(seen.get(key) ?? row.uarch, row.uarch, key);
                seen.set(key, row.uarch);
            }
});

function runOf(vendor, family, model, members = {}) {
    return readRun("1", new Map([["run.json", JSON.stringify(
        { processor: { vendor, family, model, virtual: false }, platform: "efi", ...members })]]));
}

function figure(run, name, caseName = "2m") {
    return publishedFor(table, run, { name, case: caseName })?.value;
}

const cores = (...types) => ({ machine: { cores: Object.fromEntries([["measured", types.length],
    ...types.map((type, i) => [`core_${i}`, { apic_id: i, type }])]) } });

test("figures are those of the processor's family and model", () => {
    assert.equal(figure(runOf("AuthenticAMD", 25, 0x61), "rob_entries"), 320);
    assert.equal(figure(runOf("AuthenticAMD", 25, 0x21), "rob_entries"), 256);
    assert.equal(figure(runOf("AuthenticAMD", 26, 0x44), "fill_buffers"), 124);
    assert.equal(figure(runOf("GenuineIntel", 6, 0x8f), "rob_entries"), 512);
    assert.equal(figure(runOf("GenuineIntel", 6, 0x55), "l2_bytes"), 1 << 20);
    assert.equal(figure(runOf("GenuineIntel", 6, 0xff), "rob_entries"), undefined);
    assert.equal(figure(runOf("GenuineIntel", 25, 0x61), "rob_entries"), undefined);
});

test("the long NOPs of older versions are compared with the reorder buffer's figure", () => {
    const run = { json: { processor: { vendor: "AuthenticAMD", family: 25, model: 17 } } };
    assert.equal(publishedFor(table, run, { name: "rob_entries_long_nop", case: "long-nop" }).value, 320);
});

test("a TLB's figure is that of the case's pages", () => {
    const run = runOf("GenuineIntel", 6, 0x2a);
    assert.equal(figure(run, "dtlb_entries", "chain-4k"), 64);
    assert.equal(figure(run, "dtlb_entries", "chain-2m"), 32);
    assert.equal(figure(run, "stlb_entries", "chain-2m-label"), undefined);
});

test("where there are two kinds of core, it is that of the core that measured", () => {
    assert.equal(figure(runOf("GenuineIntel", 6, 0xb7, cores("P")), "rob_entries"), 512);
    assert.equal(figure(runOf("GenuineIntel", 6, 0xb7, cores("E")), "rob_entries"), 256);
    assert.equal(figure(runOf("GenuineIntel", 6, 0xb7, cores("P", "E")), "rob_entries", "2m-core1"), 256);
    assert.equal(figure(runOf("GenuineIntel", 6, 0xb7), "rob_entries"), undefined);
    assert.equal(figure(runOf("GenuineIntel", 6, 0x97, cores("one type")), "rob_entries"), 512);
});

test("a model of a processor, an emulator and an unknown one have none", () => {
    assert.deepEqual(publishedOf(table, runOf("AuthenticAMD", 25, 0x61, { platform: "model" })), []);
    const emulated = { hypervisor: { signature: "TCGTCGTCGTCG" } };
    assert.deepEqual(publishedOf(table, runOf("AuthenticAMD", 25, 0x61, emulated)), []);
    assert.deepEqual(publishedOf(table, readRun("1", new Map())), []);
});

test("where a hypervisor tells caches that this microarchitecture has not, there are none", () => {
    const virtual = (model, cache_bytes, virtual = true) =>
        runOf("GenuineIntel", 6, model, { processor: { vendor: "GenuineIntel", family: 6, model, virtual, cache_bytes } });
    const rocketLake = { l1: 49152, l2: 524288, l3: 16777216 }, other = { l1: 49152, l2: 2097152, l3: 503316480 };
    assert.equal(figure(virtual(0xa7, rocketLake), "rob_entries"), 352);
    assert.deepEqual(publishedOf(table, virtual(0xa7, other)), []);
    assert.equal(figure(virtual(0xa7, undefined), "rob_entries"), 352);
    assert.equal(figure(virtual(0xa7, other, false), "rob_entries"), 352);
    assert.equal(figure(virtual(0x86, { l1: 32768, l2: 1 << 20 }), "dtlb_entries", "chain-4k"), 48); // no L2 is published
    assert.equal(figure(virtual(0xc6, { l1: 49152, l2: 3145728 }), "l2_latency_cycles"), undefined);
});

test("how what was measured stands to a figure is said in words", () => {
    const said = (value, low, high) => comparedWith(24, { value, low, high });
    assert.equal(said(24, 24, 24), "matches");
    assert.equal(said(23, 23, 23), "one less here");
    assert.equal(said(26, 26, 26), "2 more here");
    assert.equal(said(20, 20, 20), "17 % less here");
    assert.equal(said(30, null, null), "25 % more here");
    assert.equal(said(96, 96, 96), "4x here");
    assert.equal(said(20, 18, 25), "within the range");
    assert.equal(said(null, 28, null), "more was measured");
    assert.equal(said(null, 20, null), "not contradicted");
    assert.equal(said(null, null, null), "");
});
