// The rule of comparison, by the same vectors as the data tool's; then whole runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { apartOf, arePeers, compareRuns, compareValues, conditionWords, conditionsApart } from "../../images/page/data/compare.js";
import { times, timesRange } from "../../images/page/data/format.js";
import { parseCsv, readRun } from "../../images/page/data/run.js";

const NONE = "this machine or platform does not offer it; no sibling";
const [names, ...lines] = parseCsv(readFileSync(new URL("../data/comparisons.csv", import.meta.url), "utf8"));

test("the rule says what tests/data/comparisons.csv says, line by line", () => {
    assert.ok(lines.length >= 40);
    lines.forEach((fields, i) => {
        const line = Object.fromEntries(names.map((name, j) => [name, fields[j]]));
        const number = (name) => (line[name] === "" ? null : Number(line[name]));
        const side = (name) => ({
            value: number(`${name}_value`), low: number(`${name}_low`), high: number(`${name}_high`),
            status: line[`${name}_status`],
        });
        const seen = compareValues(side("a"), side("b"), number("comparisons"));
        assert.equal(seen.outcome, line.outcome, `line ${i + 2}`);
        for (const name of ["difference", "low", "high"]) {
            const wanted = number(name);
            assert.ok(wanted === null ? seen[name] === null : Math.abs(seen[name] - wanted) <= 1e-5 + 1e-8 * Math.abs(wanted),
                `line ${i + 2}: ${name} ${seen[name]}, not ${wanted}`);
        }
    });
});

function runOf(json, ...verdicts) {
    const text = ["experiment,case,name,value,low,high,unit,status,reason,method", ...verdicts].join("\n");
    return readRun("x", new Map([["run.json", JSON.stringify(json)], ["verdicts.csv", `${text}\n`]]));
}

test("verdicts meet by experiment, case and name; only what can be compared counts", () => {
    const a = runOf({}, "mlp,2m,rob_entries,224,224,225,entries,ok,,m", "mlp,2m,mlp,10,10,10,loads,ok,,m",
        "mlp,4k,mlp,10,10,10,loads,ok,,m", "mlp,2m,fill_buffers,,,,buffers,doubt,scatter,the times scatter too much; too short");
    const b = runOf({}, "mlp,2m,mlp,10,10,10,loads,ok,,m", "mlp,2m,rob_entries,448,448,448,entries,ok,,m",
        "mlp,2m,fill_buffers,12,12,12,buffers,ok,,m");
    const seen = compareRuns(a, b, "ticks");
    assert.deepEqual(seen.map((one) => [one.key, one.outcome]), [
        ["mlp 2m rob_entries", "different"], ["mlp 2m mlp", "same"], ["mlp 2m fill_buffers", "cannot be told apart"]]);
    const wider = Math.sqrt(2 * Math.log(2 / 0.05)) / 1.96; // two comparisons
    assert.ok(Math.abs(seen[0].low - (224 - wider)) < 1e-9);
    assert.equal(seen[0].ratio.value, 2);
    assert.equal(seen[2].reason, "doubt and ok: the times vary too much from one repetition to the next; too short");
});

test("why two cannot be told apart is said; what was skipped may have no unit", () => {
    const reason = (one, other) => {
        const line = (text) => runOf({}, `mlp,2m,mlp,${text}`);
        const [{ outcome, unit, reason: why }] = compareRuns(line(one), line(other), "ticks");
        assert.equal(outcome, "cannot be told apart");
        return [unit, why];
    };
    assert.deepEqual(reason(",,,,skip,unavailable,cannot be had here; no sibling", "5,5,5,loads,ok,,m"), ["loads", `skip and ok: ${NONE}`]);
    assert.deepEqual(reason("5,5,5,ticks,ok,,m", ",,,,skip,unavailable,cannot be had here; no sibling"), ["ticks", `ok and skip: ${NONE}`]);
    assert.deepEqual(reason("5,5,5,ns,ok,,m", "5,5,5,loads,ok,,m"), ["ns", "in ns and in loads"]);
    assert.deepEqual(reason("5,5,,loads,ok,,m", "5,5,5,loads,ok,,m"), ["loads", "without an interval"]);
    assert.deepEqual(reason("5,1,9,loads,ok,,m", "5,1,9,loads,ok,,m"), ["loads", "may be the same, may be 5 % apart"]);
});

test("cases meet though one has a label, or its prefetchers off; exact names come first", () => {
    const line = (name, value) => `mlp,${name},mlp,${value},${value},${value},loads,ok,,m`;
    const a = runOf({ configuration: { case: "old" } }, line("2m-old", 1), line("4k-nopf-old-shared", 2), line("1g", 3));
    const b = runOf({ configuration: { case: "" } }, line("2m-nopf", 4), line("2m", 5), line("4k-shared", 6), line("1g", 7));
    assert.deepEqual(compareRuns(a, b, "ticks").map((one) => [one.key, one.otherCase, one.a.value, one.b.value]), [
        ["mlp 2m-old mlp", "2m-nopf", 1, 4], ["mlp 4k-nopf-old-shared mlp", "4k-shared", 2, 6], ["mlp 1g mlp", "1g", 3, 7]]);
    const c = runOf({}, line("2m-nopf", 1), line("2m", 2));
    assert.deepEqual(compareRuns(c, b, "ticks").map((one) => [one.of.case, one.otherCase]), [["2m-nopf", "2m-nopf"], ["2m", "2m"]]);
});

test("ticks of counters of different rates become nanoseconds, and cycles where both know them and they are asked for", () => {
    const line = (value) => `array,2m,l3_latency,${value},${value},${value},ticks,ok,,m`;
    const a = runOf({ tsc_hz: 2e9, certificate: { cycles_per_tick: 2 } }, line(100));
    const b = runOf({ tsc_hz: 4e9, certificate: { cycles_per_tick: 1 } }, line(200));
    const [inTicks] = compareRuns(a, b, "ticks"), [inCycles] = compareRuns(a, b, "cycles");
    assert.deepEqual([inTicks.unit, inTicks.a.value, inTicks.b.value, inTicks.outcome], ["ns", 50, 50, "same"]);
    assert.deepEqual([inCycles.unit, inCycles.a.value, inCycles.b.value], ["cycles", 200, 200]);
    const c = runOf({ tsc_hz: 2e9 }, line(100));
    assert.deepEqual([compareRuns(a, c, "cycles")[0].unit, compareRuns(a, c, "ns")[0].unit], ["ticks", "ns"]);
});

test("runs of one machine under the same conditions are peers; of an unknown machine nothing is known", () => {
    const run = (id, version) => runOf({ version, machine: { id } });
    assert.equal(arePeers(run("a", "1"), run("a", "1")), true);
    assert.equal(arePeers(run("a", "1"), run("a", "2")), false);
    assert.equal(arePeers(run("a", "1"), run("b", "1")), false);
    assert.equal(arePeers(run("", "1"), run("", "1")), false);
    assert.equal(arePeers(runOf({}), runOf({})), false);
});

test("conditions that all tell and not alike are found, the gravest first; labels and seeds do not matter", () => {
    const run = (version, microcode, more) => runOf({
        tsc_hz: more.hz, version, configuration: { label: version, "mlp.order": more.order },
        machine: { id: "", cores: { measured: 1, [`core_${more.core}`]: { microcode } } },
    });
    const apart = conditionsApart([run("1.0", "0x1", { hz: 2e9, order: "lfence", core: 1 }),
        run("1.0", "0x2", { hz: 2.0001e9, order: "cpuid", core: 3 }), run("1.0", "0x1", { hz: 2e9, core: 0 })]);
    assert.deepEqual(apart, [
        { path: "machine.cores.core.microcode", texts: ["0x1", "0x2", "0x1"] },
        { path: "configuration.mlp.order", texts: ["lfence", "cpuid", undefined] },
    ]);
});

test("the uncore's clock and the encryption of memory are conditions; the clock may move by a step", () => {
    const run = (mhz, most, encryption) => runOf({ machine: { id: "a" }, memory: { encryption },
        uncore: { not_known: "", permitted_most_mhz: most, least_mhz: { mlp: 800 + mhz / 3 }, most_mhz: { mlp: mhz } } });
    assert.equal(arePeers(run(2400, 2400, "off"), run(2300, 2400, "off")), true);
    assert.deepEqual(conditionsApart([run(2400, 2400, "off"), run(1600, 1800, "on: AES-XTS-128")]).map(({ path }) => path),
        ["memory.encryption", "uncore.permitted_most_mhz", "uncore.most_mhz.mlp"]);
});

test("how many times as large a quantity is never falls below zero", () => {
    const ratioOf = (a, b) => compareValues({ status: "ok", ...a }, { status: "ok", ...b }, 1).ratio;
    const { value, low, high } = ratioOf({ value: 26, low: 1, high: 27 }, { value: 1, low: 0.5, high: 1.5 });
    assert.ok(value > 0.038 && value < 0.039 && low > 0 && low < value && high === Infinity);
    assert.deepEqual(ratioOf({ value: 2, low: 2, high: 2 }, { value: 4, low: null, high: 5 }), { value: 2, low: null, high: null });
    assert.equal(ratioOf({ value: 0, low: 0, high: 0 }, { value: 4, low: 4, high: 4 }), null);
});

test("a ratio's interval excludes 1 exactly if the two are different, also as it is written", () => {
    const draw = ((state) => () => (state = (state * 16807) % 2147483647) / 2147483647)(7), seen = new Set();
    for (let i = 0; i < 20000; i++) {
        const side = (value) => ({ value, low: value * (1 - draw() ** 4 * 0.9), high: value * (1 + draw() ** 4), status: "ok" });
        const a = side(1 + 1000 * draw()), b = side(a.value * (i % 3 ? 1 + 0.3 * draw() ** 3 : 0.9 + 0.1 * draw()));
        const { outcome, ratio } = compareValues(a, b, 1 + i % 100);
        const [low, high] = [ratio.low, ratio.high].map((end) => parseFloat(times(end).replaceAll(",", "").replace("\u221e", "Infinity")));
        seen.add(outcome);
        assert.ok(ratio.low <= ratio.value && ratio.value <= ratio.high);
        assert.equal(low > 1 || high < 1, outcome === "different", JSON.stringify([a, b, ratio]));
    }
    assert.equal(seen.size, 3);
    const rounded = compareValues({ value: 0.02, low: 0.02, high: 0.02, status: "ok" }, { value: 0.021, low: 0.021, high: 0.021, status: "ok" }, 1);
    assert.deepEqual([rounded.outcome, rounded.ratio.low], ["cannot be told apart", 1]); // 0.001 is rounding
    assert.equal(timesRange({ low: 1.0004, high: 1.02 }), "1.0004x to 1.02x");
});

const machine = (name) => readRun(name, new Map(["run.json", "verdicts.csv"].map((file) =>
    [file, gunzipSync(readFileSync(new URL(`../data/machines/${name}/${file}.gz`, import.meta.url))).toString()])));

test("of Zen 4 and Zen 5 neither the jump of short NOPs nor the timer's step leads, and no verdict is told twice", () => {
    const namesOf = (list) => [...new Set(list.map(({ of }) => of.name))];
    const seen = compareRuns(machine("zen4-1"), machine("zen5"), "ns"), first = namesOf(apartOf(seen)), last = first.slice(-4);
    assert.ok(seen.some(({ of, outcome }) => of.name === "rob_cliff_k" && outcome === "different"));
    assert.ok(seen.some(({ of, outcome }) => of.name === "timer_step" && outcome === "different"));
    assert.ok(last.includes("rob_cliff_k") && last.includes("timer_step"), last);
    assert.deepEqual(first.slice(0, 2), ["vector_registers", "store_queue"]);
    const core = (value) => runOf({}, ...["structures,nop,nops_in_flight", "array,2m,l1_latency", "structures,store,store_queue", "array,2m,l1_bytes"]
        .map((name) => `${name},${value},${value},${value},bytes,ok,,m`));
    assert.deepEqual(namesOf(apartOf(compareRuns(core(1270), core(445), "ns"))), ["l1_bytes", "l1_latency", "store_queue", "nops_in_flight"]);
    const both = runOf({ tsc_hz: 1e9 }, "patterns,linear-2m,ns_per_access,2,2,2,ns,ok,,m", "patterns,linear-2m,ticks_per_access,2,2,2,ticks,ok,,m");
    assert.deepEqual(compareRuns(both, both, "ns").map(({ of }) => of.name), ["ticks_per_access"]);
});

test("latencies of L1 and L2 are compared in core cycles, where both runs have them: the clock is a condition", () => {
    const of = (hertz, ticks) => runOf({ tsc_hz: hertz }, ...["l1", "l2", "l3"].flatMap((level) => [
        `array,2m,${level}_latency,${ticks},${ticks},${ticks},ticks,ok,,m`, `array,2m,${level}_latency_cycles,4,4,4,cycles,ok,,m`]));
    const said = (...runs) => compareRuns(...runs, "ns").map(({ of: { name }, outcome, a, unit }) => `${name} ${a.value} ${unit}: ${outcome}`);
    assert.deepEqual(said(of(1e9, 2), of(1e9, 3)), ["l1_latency 4 cycles: same", "l2_latency 4 cycles: same",
        "l3_latency 2 ns: different", "l3_latency_cycles 4 cycles: same"]);
    const without = (cycles_per_tick, ticks) => runOf({ tsc_hz: 1e9, certificate: { cycles_per_tick } }, `array,2m,l1_latency,${ticks},${ticks},${ticks},ticks,ok,,m`);
    assert.deepEqual(said(without(2, 2), without(1, 4)), ["l1_latency 4 cycles: same"], "by the run's cycles per tick");
});

test("conditions are told in words", () => {
    assert.deepEqual(["processor.brand", "machine.bios.version", "certificate.prefetch", "configuration.samples.min", "tsc_hz"].map(conditionWords),
        ["processor brand", "BIOS version", "prefetchers", "setting samples min", "rate of the time-stamp counter in Hz"]);
});
