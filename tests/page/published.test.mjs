// The published figures: each has a source, none contradicts another, and each is found for its processors only.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { KINDS, comparedWith, figureText, isOfKind, publishedFor, publishedOf, readPublished } from "../../images/page/data/published.js";
import { readRun } from "../../images/page/data/run.js";

const read = (path) => readFileSync(new URL(`../../images/${path}`, import.meta.url), "utf8");
const table = readPublished(read("page/published.csv"));
const references = readPublished(read("page/references.csv"));

test("every row has a value or a range, a source, and one word of confidence", () => {
    assert.ok(table.length > 200);
    for (const row of table) {
        const name = JSON.stringify(row), { value, low, high } = row;
        assert.ok([value, low, high].every((one) => one === null || (Number.isInteger(one) && one > 0)), name);
        assert.ok(low === null ? high === null && value !== null : low < high && low <= (value ?? low) && (value ?? high) <= high, name);
        assert.ok(row.source.length > 5 && row.uarch.length > 2, name);
        assert.ok(["high", "medium", "low", "contested"].includes(row.confidence), name);
        assert.ok(["", "P", "E"].includes(row.core) && ["", "4k", "2m", "1g"].includes(row.pages), name);
        assert.ok(["AuthenticAMD", "GenuineIntel"].includes(row.vendor), name);
        assert.ok(row.models.every(([from, to]) => from <= to && to <= 255), name);
        assert.ok(!/from memory/.test(row.source) || row.confidence === "low", name);
    }
});

test("the manual's table has each kind, and the verdicts that count it", () => {
    const lines = [...read("manual/reference.md").split("| kind | what is counted | verdicts |\n|---|---|---|\n")[1].split("\n\n")[0]
        .matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]*)\|$/gm)].map(([, kind, verdicts]) => [kind, verdicts]);
    const named = lines.flatMap(([kind, verdicts]) => [...verdicts.matchAll(/`(\w+)`(?: of `-(\w+)`)?/g)]
        .map(([, name, access]) => [access ? `${name} ${access}` : name, kind]));
    assert.deepEqual({ ...Object.fromEntries(named), rob_entries_long_nop: "entries" }, Object.fromEntries(KINDS)); // the manual has no names of older versions
    assert.deepEqual(new Set(lines.map(([kind]) => kind)), new Set([...table.map(({ kind }) => kind), ...KINDS.values()]));
});

test("no processor has two figures of one kind for one thing", () => {
    const seen = new Map();
    for (const row of table)
        for (const [from, to] of row.models)
            for (let model = from; model <= to; model++)
                for (const core of row.core === "" ? ["P", "E"] : [row.core])
                    for (const pages of row.pages === "" ? ["4k", "2m", "1g"] : [row.pages]) {
                        const key = [row.vendor, row.family, model, core, row.figure, row.kind, pages].join(" ");
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
    const run = { json: { processor: { vendor: "AuthenticAMD", family: 25, model: 17 } }, verdicts: [] };
    assert.equal(publishedFor(table, run, { name: "rob_entries_long_nop", case: "long-nop" }).value, 320);
});

const zen = { 2: [23, 0x31], 3: [25, 0x21], 4: [25, 0x11], 5: [26, 2] };

/** Returns what is published for a verdict of a Zen, and how a value compares with it. */
function zenSays(generation, name, value, caseName = "2m", low = value) {
    const verdict = { name, case: caseName, value, low, high: value };
    const row = publishedFor(table, runOf("AuthenticAMD", ...zen[generation]), verdict);
    return row && `${figureText(row)} ${row.kind}: ${comparedWith(row, verdict)}`;
}

test("loads that have not completed, and those in flight, have a figure each", () => {
    assert.equal(zenSays(4, "load_queue", 48), "48 loads not completed: matches");
    assert.equal(zenSays(4, "loads_waiting", 47), "48 loads not completed: one less was measured");
    assert.equal(zenSays(4, "loads_in_flight", 136), "136 loads in flight: matches");
    assert.equal(zenSays(3, "load_queue", 43), "42 to 44 loads not completed: within the range");
    assert.deepEqual([2, 3].map((one) => zenSays(one, "loads_in_flight", 116)), Array(2).fill("116 loads in flight: matches"));
    const golden = { name: "loads_in_flight", case: "load", value: 192, low: 192, high: 192 };
    const row = publishedFor(table, runOf("GenuineIntel", 6, 0xcf), golden);
    assert.equal(`${figureText(row)}: ${comparedWith(row, golden)}`, "192 (192 to 240): matches");
});

test("registers are compared with the range that architectural state leaves", () => {
    assert.equal(zenSays(4, "integer_registers", 201), "186 to 224 registers without architectural state: within the range");
    assert.equal(zenSays(5, "integer_registers", 198), "200 to 240 registers without architectural state: 2 less were measured");
    assert.equal(zenSays(5, "integer_registers", 300), "200 to 240 registers without architectural state: 25 % more was measured");
});

test("what is of another kind is not compared, and both kinds are named", () => {
    assert.equal(zenSays(4, "fill_buffers", 20), "24 misses of any kind: not the same kind as loads' buffers");
    assert.equal(zenSays(4, "fill_buffers", 20, "2m-store"), "24 misses of any kind: not the same kind as stores' buffers");
    assert.equal(zenSays(4, "fill_buffers", 24, "2m-prefetch"), "24 misses of any kind: matches");
    assert.equal(zenSays(5, "loads_in_flight", null, "load", 215), "64 loads not completed: not the same kind as loads in flight");
});

test("the buffers of L2's misses are no kind of what a verdict counts", () => {
    const rows = table.filter(({ figure }) => figure === "l2_buffers");
    assert.ok(rows.length > 0 && rows.every(({ kind }) => kind === "misses of L2"));
    assert.ok(![...KINDS.values()].includes("misses of L2"));
});

test("a shared core has no published figure", () => {
    assert.equal(zenSays(4, "rob_entries", 160, "2m-shared"), undefined);
    assert.deepEqual(["busy", "loading"].map((work) => zenSays(4, "store_queue", 32, `store-${work}-core1`)), [undefined, undefined]);
    assert.equal(zenSays(4, "store_queue", 64, "store-idle-core1"), "64 entries: matches");
});

test("a row says of which kind it is, for each verdict of its own name", () => {
    for (const row of table.filter(({ kind }) => ["entries", "bytes", "cycles"].includes(kind)))
        assert.ok(isOfKind(row, { name: row.figure, case: "" }), JSON.stringify(row));
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
    const emulated = { ...runOf("AuthenticAMD", 25, 0x61), verdicts: [{ reason: "emulated" }] };
    assert.deepEqual(publishedOf(table, emulated), []);
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
    const said = (value, low, high) => comparedWith({ kind: "entries", value: 24, low: null, high: null },
        { name: "rob_entries", case: "", value, low, high });
    assert.equal(said(24, 24, 24), "matches");
    assert.equal(said(23, 23, 23), "one less was measured");
    assert.equal(said(26, 26, 26), "2 more were measured");
    assert.equal(said(20, 20, 20), "17 % less was measured");
    assert.equal(said(30, null, null), "25 % more was measured");
    assert.equal(said(96, 96, 96), "4x as much was measured");
    assert.equal(said(20, 18, 25), "within the range");
    assert.equal(said(null, 28, null), "more was measured");
    assert.equal(said(null, 20, null), "not contradicted");
    assert.equal(said(null, null, null), "");
});

test("what mlpboot measured of a processor is found as what others publish of it, with its interval", () => {
    const run = runOf("GenuineIntel", 6, 0xCF);
    const rob = publishedFor(references, run, { name: "rob_entries", case: "2m" }), size = publishedFor(references, run, { name: "l1_bytes", case: "2m" });
    assert.equal(rob.kind, "entries");
    assert.ok(figureText(size).includes(" to ") && size.low <= size.value && size.value <= size.high);
    assert.deepEqual(publishedOf(references, runOf("GenuineIntel", 6, 0x3F)), []);
    assert.deepEqual(new Set(references.map(({ source }) => source)), new Set(["mlpboot"]));
    for (const { uarch, family, models } of references) // the same names and models as the published ones
        assert.ok(table.some((row) => row.uarch === uarch && row.family === family && JSON.stringify(row.models) === JSON.stringify(models)), uarch);
});

test("a guest's caches of its processor's sizes lie in what a reference measured of them", () => {
    const processor = { vendor: "AuthenticAMD", family: 26, model: 2, virtual: true }, of = (cache_bytes) => runOf("", 0, 0, { processor: { ...processor, cache_bytes } });
    assert.ok(publishedOf(references, of({ l1: 49152, l2: 1048576 })).length > 0);
    assert.deepEqual(publishedOf(references, of({ l1: 32768, l2: 524288 })), []);
});
