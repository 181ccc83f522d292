// Which verdicts answer, as on the console's last page; and how verdicts are sorted and filtered.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { distinct, inUnit, interval, quantity, unitToStart } from "../../images/page/data/format.js";
import { readRun } from "../../images/page/data/run.js";
import { ANSWERS, answerOf, answersOf, besideOf } from "../../images/page/data/answers.js";
import { wordsOf } from "../../images/page/data/words.js";
import { choose } from "../../images/page/sections/verdicts.js";

const HEAD = "experiment,case,name,value,low,high,unit,status,reason,method\n";

function runOf(...lines) {
    return readRun("1", new Map([["run.json", '{"tsc_hz":2e9}'], ["verdicts.csv", `${HEAD}${lines.join("\n")}\n`]]));
}

function answered(run, name) {
    return answerOf(run, ANSWERS.find((answer) => answer.names.includes(name)))?.value;
}

test("the first with the best status answers", () => {
    assert.equal(answered(runOf("mlp,1g,fill_buffers,,,,buffers,skip,unavailable,x", "mlp,4k,fill_buffers,5,5,5,buffers,doubt,scatter,x",
        "mlp,2m,fill_buffers,10,10,10,buffers,ok,,x", "mlp,2m-warm,fill_buffers,11,11,11,buffers,ok,,x"), "fill_buffers"), 10);
});

test("a doubt with a value is before one without", () => {
    assert.equal(answered(runOf("mlp,2m,fill_buffers,,,,buffers,doubt,scatter,x", "mlp,4k,fill_buffers,5,5,5,buffers,doubt,scatter,x"),
        "fill_buffers"), 5);
});

test("the whole core is before a shared one, and loads are before other accesses", () => {
    const run = runOf("mlp,2m-shared,fill_buffers,8,8,8,buffers,ok,,x", "mlp,2m-store,fill_buffers,9,9,9,buffers,ok,,x",
        "mlp,2m,fill_buffers,10,10,10,buffers,doubt,scatter,x");
    assert.equal(answered(run, "fill_buffers"), 10);
    assert.equal(answered(runOf("structures,store,rob_entries,1,1,1,entries,ok,,x",
        "mlp,2m-busy,rob_entries,2,2,2,entries,ok,,x"), "rob_entries"), 1, "a filler is no access");
});

test("the levels of the caches are those of one case, unless another one is surer of a level", () => {
    const run = (l2) => runOf("array,2m,l1_bytes,32768,,,bytes,ok,,x", l2, "array,4k,l1_bytes,32768,,,bytes,ok,,x", "array,4k,l2_bytes,262144,,,bytes,ok,,x");
    assert.equal(answered(run("array,2m,l2_bytes,131072,,,bytes,ok,,x"), "l2_bytes"), 131072);
    assert.equal(answered(run("array,2m,l2_bytes,131072,,,bytes,doubt,scatter,x"), "l2_bytes"), 262144);
});

const L2 = ANSWERS.find(({ names }) => names.includes("l2_bytes"));

test("beside an answer stands the surer case: ok before doubt", () => {
    const run = runOf("array,2m,l2_bytes,1048576,,,bytes,ok,,x", "array,2m,l2_latency,8,4,12,ticks,doubt,scatter,x", "array,4k,l2_latency,9,8,10,ticks,ok,,x");
    assert.equal(besideOf(run, L2, answerOf(run, L2)).value, 9);
});

test("of cases that are as sure, the narrower interval answers, unless the pages are part of the question", () => {
    const lines = ["2m,memory_latency,200,150,250,ticks", "4k,memory_latency,210,200,220,ticks", "2m-remote,memory_latency,300,300,300,ticks",
        "2m,memory_overlap,20,15,25,loads", "4k,memory_overlap,5,5,5,loads"];
    const run = runOf(...lines.map((line) => `array,${line},ok,,x`));
    assert.deepEqual([answered(run, "memory_latency"), answered(run, "memory_overlap")], [210, 20]);
});

test("several runs answer from one case if that is as sure in all of them", () => {
    const of = (wide, narrow) => runOf(`array,2m,memory_latency,200,${wide},ticks,ok,,x`, `array,4k,memory_latency,200,${narrow},ticks,ok,,x`);
    const runs = [of("150,250", "190,210"), of("190,210", "150,250")];
    assert.deepEqual(runs.map((run) => answerOf(run, MEMORY).case), ["4k", "2m"]);
    assert.deepEqual(answersOf(runs, MEMORY).map((one) => one.case), ["4k", "4k"]);
});

test("two runs whose surest cases are unlike answer from the one that is surest in both", () => {
    const runs = [runOf("array,2m,memory_latency,160,150,170,ticks,ok,,x", "array,4k,memory_latency,170,,,ticks,doubt,scatter,x"),
        runOf("array,2m,memory_latency,142,130,150,ticks,doubt,scatter,x", "array,4k,memory_latency,164,160,170,ticks,ok,,x")];
    assert.deepEqual(answersOf(runs, MEMORY).map((one) => one.case), ["2m", "2m"]);
    const alone = [runOf("array,2m,memory_latency,160,150,170,ticks,ok,,x"), runOf("array,4k,memory_latency,164,160,170,ticks,ok,,x")];
    assert.deepEqual(answersOf(alone, MEMORY).map((one) => one.case), ["2m", "4k"]); // no case is in both
});

test("cycles are the verdict's, where a case has one in cycles", () => {
    const run = readRun("1", new Map([["run.json", '{"certificate":{"cycles_per_tick":1.5}}'], ["verdicts.csv",
        `${HEAD}array,2m,memory_latency,360,350,370,ticks,ok,,x\narray,2m,memory_latency_cycles,553,550,556,cycles,doubt,scatter,x\nmlp,2m,one_load,360,,,ticks,ok,,x\n`]]));
    const [latency, , load] = run.verdicts.map((verdict) => inUnit(verdict, "cycles", run));
    assert.deepEqual([latency.value, latency.status, latency.name, load.value], [553, "doubt", "memory_latency", 540]);
});

test("memory's time is that of one load where no array was measured", () => {
    assert.equal(answered(runOf("mlp,2m,one_load,230,,,ticks,ok,,x"), "memory_latency"), 230);
    assert.equal(answered(runOf("array,2m,memory_latency,,,,ticks,skip,unavailable,x", "mlp,2m,one_load,230,,,ticks,ok,,x"),
        "memory_latency"), 230);
    assert.equal(answered(runOf("mlp,2m,mlp,10,,,loads,ok,,x"), "memory_latency"), undefined);
});

test("times are in the page's unit, sizes in binary ones, and other numbers as they are", () => {
    const run = runOf("mlp,2m,one_load,230,200,260,ticks,ok,,x");
    assert.deepEqual(quantity(230, "ticks", { unit: "ns" }, run), { text: "115", unit: "ns" });
    assert.deepEqual(quantity(1310720, "bytes", { unit: "ns" }, run), { text: "1.25", unit: "MB" });
    assert.deepEqual(quantity(1272, "entries", { unit: "ns" }, run), { text: "1,272", unit: "entries" });
    assert.equal(interval(run.verdicts[0], { unit: "ns" }, run), "100 to 130");
    assert.equal(interval({ low: 28, high: null, unit: "loads" }, { unit: "ns" }, run), "28 or more");
    assert.equal(interval({ low: null, high: null, unit: "ticks" }, { unit: "ns" }, run), "");
});

test("a number has the digits that its interval supports", () => {
    const shown = (value, low, high, unit = "ns") => quantity(value, unit, { unit: "ns" }, {}, { low, high }).text;
    assert.equal(shown(409.622, 358, 615), "410");
    assert.equal(shown(80.96, 67, 95), "81");
    assert.equal(shown(2.8154, 2.763, 3.366), "2.82");
    assert.equal(shown(3316.5, 2354, 4279, "entries"), "3,317");
    assert.equal(shown(128, 8, 256, "swaps"), "128");
    assert.equal(interval({ low: 8, high: 256, unit: "swaps" }, { unit: "ns" }, {}), "8 to 256");
    assert.equal(shown(1272, 1268, 1272, "entries"), "1,272");
    assert.equal(shown(12.3456, 12.3456, 12.3456), "12.35");
    assert.equal(shown(12.3456, null, 13), "12.35");
    assert.equal(interval({ low: 20, high: 20, unit: "loads" }, { unit: "ns" }, {}), "");
});

test("times are in nanoseconds where every run tells its counter's rate, else in ticks", () => {
    const run = (rate) => readRun("1", new Map([["run.json", `{"tsc_hz":${rate}}`]]));
    assert.equal(unitToStart([run(2e9)]), "ns");
    assert.equal(unitToStart([run(2e9), run(3e9)]), "ns");
    assert.equal(unitToStart([run(2e9), run(null)]), "ticks");
});

const entries = [["mlp", "2m", 10, "ok"], ["mlp", "4k", null, "skip"], ["tlb", "4k", 5, "doubt"]]
    .map(([experiment, name, value, status]) => ({ run: "a", verdict:
        { experiment, case: name, name: "x", value, low: null, high: null, unit: "", status, reason: status === "ok" ? "" : "no-edge", method: "the rule" } }));

function cases(choice) {
    return choose(entries, { text: "", status: "", group: "", run: "", sort: "", isDown: false, ...choice })
        .map(({ verdict }) => `${verdict.experiment} ${verdict.case}`);
}

test("verdicts are filtered by words anywhere, by status and by group, and diagnostics are for who asks", () => {
    assert.deepEqual(cases({ text: "RULE 4k" }), ["mlp 4k", "tlb 4k"]);
    assert.deepEqual(cases({ text: "no-edge" }), ["mlp 4k", "tlb 4k"]);
    assert.deepEqual(cases({ status: "doubt" }), ["tlb 4k"]);
    assert.deepEqual(cases({ group: "TLB and page walks" }), ["tlb 4k"]);
    const diagnostic = { run: "a", verdict: { ...entries[0].verdict, name: "overhead" } }, names = (group) => choose([...entries, diagnostic],
        { text: "", status: "", group, run: "", sort: "" }).length;
    assert.deepEqual(["", "Diagnostics", "all"].map(names), [3, 1, 4]);
});

test("verdicts are sorted both ways, those without a number last", () => {
    assert.deepEqual(cases({ sort: "value" }), ["tlb 4k", "mlp 2m", "mlp 4k"]);
    assert.deepEqual(cases({ sort: "value", isDown: true }), ["mlp 2m", "tlb 4k", "mlp 4k"]);
    assert.deepEqual(cases({ sort: "status" }), ["tlb 4k", "mlp 2m", "mlp 4k"]);
});

test("a text that another one begins with is not said twice", () => {
    assert.deepEqual(distinct(["AMD EPYC", "AMD EPYC 2", "", undefined]), ["AMD EPYC 2"]);
    assert.deepEqual(distinct(["Maker", "maker", "Box", "Boxer", "Box"]), ["Maker", "Box", "Boxer"]);
    assert.deepEqual(distinct(["AMD EPYC"], ["AMD EPYC"]), []);
});

const ROB = ANSWERS[0], MEMORY = ANSWERS.find(({ title }) => title === "Memory");

test("where NOPs share entries, long ones tell the reorder buffer's size", () => {
    const old = runOf("mlp,2m,rob_entries,1272,1272,1272,entries,doubt,scatter,x", "structures,nop,rob_entries,1272,1272,1272,entries,doubt,scatter,x",
        "structures,long-nop,rob_entries_long_nop,321,321,321,entries,doubt,scatter,x");
    const now = runOf("mlp,2m,rob_entries,1272,1272,1272,entries,doubt,scatter,x", "structures,long-nop,rob_entries,321,321,321,entries,doubt,scatter,x");
    const sure = runOf("mlp,2m,rob_entries,447,447,447,entries,ok,,x", "structures,long-nop,rob_entries_long_nop,447,447,447,entries,ok,,x");
    assert.deepEqual([old, now, sure].map((run) => answerOf(run, ROB).value), [321, 321, 447]);
    assert.deepEqual(answersOf([old, sure], ROB).map(({ name, value }) => [name, value]),
        [["rob_entries_long_nop", 321], ["rob_entries_long_nop", 447]]);
    assert.deepEqual(answersOf([now, old], ROB).map(({ name, value }) => [name, value]), [["rob_entries", 321], ["rob_entries_long_nop", 321]]);
});

const MLP = ANSWERS.find(({ large }) => large === "MLP");

test("MLP is the overlap in memory, in doubt or not, alone or beside another run; the published rule's number is beside it", () => {
    const of = (overlap, rule, ...more) => runOf(...overlap ? [`array,2m,memory_overlap,21.5,19,23,loads,${overlap},,x`] : [],
        `mlp,2m,mlp,20,18,22,loads,${rule},,x`, ...more);
    const said = (runs) => answersOf(runs, MLP).map((found, i) => [found?.name, besideOf(runs[i], MLP, found)?.name]);
    const runs = [["ok", "ok"], ["ok", "doubt"], ["doubt", "ok"], ["doubt", "doubt"]].map((words) => of(...words)), both = ["memory_overlap", "mlp"];
    assert.deepEqual(said(runs), runs.map(() => both));
    assert.deepEqual(runs.flatMap((run) => said([run])), runs.map(() => both));
    const without = of("", "ok");
    assert.deepEqual([said([without]), said([without, runs[0]])], [[[undefined, "mlp"]], [[undefined, "mlp"], both]]);
});

test("beside an answer is the other experiment's verdict of the same pages", () => {
    const run = runOf("array,4k,memory_overlap,21,19,23,loads,ok,,x", "mlp,2m,mlp,20,18,22,loads,ok,,x", "mlp,4k,mlp,9,8,10,loads,ok,,x");
    assert.equal(besideOf(run, MLP, answerOf(run, MLP)).case, "4k");
});

test("the numbers of parallel loads say what each counts, in different words", () => {
    const words = [...ANSWERS.flatMap(({ counts }) => counts ?? []), MLP.beside.mlp];
    assert.equal(new Set(words).size, 3);
    assert.ok(words.every((one) => one.split(" ").length <= 10));
});

test("a row of several runs holds one verdict where all have it", () => {
    const both = runOf("array,2m,memory_latency,160,150,170,ticks,ok,,x", "mlp,2m,one_load,157,150,160,ticks,ok,,x");
    const one = runOf("mlp,2m,one_load,155,150,160,ticks,ok,,x");
    assert.deepEqual(answersOf([both, one], MEMORY).map(({ name }) => name), ["one_load", "one_load"]);
    assert.deepEqual(answersOf([both, both], MEMORY).map(({ name }) => name), ["memory_latency", "memory_latency"]);
});

test("the faults that only some experiments see are those of the console's last page", () => {
    const [, table] = /faults\[\] = \{(.*?)\};/s.exec(readFileSync(new URL("../../kernel/report/screen.c", import.meta.url), "utf8"));
    const faults = [...table.matchAll(/\{"(.*?)",\s*"(.*?)"\}/g)].map(([, experiment, fault]) => [experiment, fault]);
    assert.ok(faults.length > 0);
    assert.deepEqual([...wordsOf("fault")], faults);
});
