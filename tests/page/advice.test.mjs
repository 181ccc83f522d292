// Each reason of the kernel has advice, or is known to have none; what would free most answers comes first.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { GROUP_NAMES, adviceFor, adviceOf, groupOf, listedVerdicts, reasonOf, wholeReasonOf } from "../../images/page/data/advice.js";
import { ANSWERS } from "../../images/page/data/answers.js";
import { isEmulated } from "../../images/page/data/run.js";
import { wordsOf } from "../../images/page/data/words.js";

test("every reason of the kernel, and no other one, is in the table of advice", () => {
    const text = readFileSync(new URL("../../kernel/data/reason.h", import.meta.url), "utf8");
    const codes = [...text.matchAll(/X\([A-Z0-9_]+,\s+"([a-z-]+)"/g)].map(([, code]) => code);
    const told = [...wordsOf("advice").values()].join(" ").split(" "), plain = new Set(told.map((word) => word.split("/")[0]));
    assert.ok(codes.length > 40);
    assert.deepEqual([...plain].sort(), [...codes].sort());
    assert.equal(new Set(told).size, told.length, "no reason has two pieces of advice");
    assert.deepEqual([...wordsOf("reason").keys()], codes, "each has words for a reader");
});

test("a reason is told in a reader's words, without guests and hosts; one of another version in those of its file", () => {
    assert.ok(![...wordsOf("reason").values()].some((words) => /\b(guest|host|neighbour|filler|jump)/.test(words)));
    const of = (reason) => ({ reason, method: "its own words; 9 of 10", status: "doubt" });
    assert.equal(reasonOf(of("no-edge")), "the time rises slowly and shows no step");
    assert.equal(wholeReasonOf(of("no-edge")), "the time rises slowly and shows no step; 9 of 10");
    assert.equal(reasonOf(of("later")), "its own words");
    assert.equal(reasonOf({ reason: "", method: "", status: "skip" }), "skip");
});

test("a guest and a Linux process may have advice of their own", () => {
    const of = (json) => adviceFor({ json }, "scatter").split(/[ :]/)[0];
    assert.deepEqual([{ platform: "efi" }, { platform: "linux" }, { platform: "linux", hypervisor: { name: "KVM" } }].map(of), ["Take", "Boot", "Use"]);
    assert.equal(adviceFor({ json: {} }, "gradual-edge"), "");
    assert.equal(adviceFor({ json: {} }, "of-another-version"), "");
});

test("advice has the answers that it may settle, and what may settle most comes first", () => {
    const found = ANSWERS.map((_, i) => [{ status: "ok" }, undefined, { status: "doubt", reason: "scatter" }, { status: "doubt", reason: "guest" },
        { status: "skip", reason: "guest" }, { status: "doubt", reason: "no-edge" }][i]);
    const run = { json: { platform: "efi", hypervisor: { name: "KVM" } } };
    assert.deepEqual(adviceOf(run, found).map(({ words, titles }) => [words.split(" ")[0], titles]),
        [["Give", ["L1 cache", "L2 cache"]], ["Use", ["Fill buffers"]]]);
    assert.equal(adviceFor({ json: { platform: "efi" } }, "guest"), "", "without a hypervisor there is no host to change");
});

test("verdicts are grouped by what a reader asks", () => {
    const of = (experiment, name, more) => groupOf({ experiment, name, case: "2m", status: "ok", ...more });
    assert.equal(of("mlp", "rob_entries"), "Core and its structures");
    assert.equal(of("array", "l1_latency"), "Caches and memory");
    assert.equal(of("array", "memory_overlap"), "Parallel loads and their latency");
    assert.deepEqual([of("smt", "rob_entries"), of("smt", "mlp"), of("smt", "store_queue")], Array(3).fill("Two threads of a core"));
    assert.equal(of("later", "new"), "later");
    assert.ok([of("array", "l1_latency_cycles"), of("mlp", "rob_cliff_k"), of("tlb", "walk_cost", { case: "4k-cold", status: "skip" })].every((one) => one === GROUP_NAMES.at(-1)));
});

test("verdicts of a group that were skipped for one reason, or that an emulator cannot answer, are one line", () => {
    const of = (experiment, name, reason, status = "skip", method = "why") => ({ experiment, case: "2m", name, unit: "loads", reason, status, method });
    const lines = (...verdicts) => listedVerdicts({ verdicts }).map(({ experiment, case: name, name: verdict, method }) => [experiment, name, verdict, method]);
    const emulated = [of("mlp", "a", "emulated"), of("mlp", "b", "emulated", "doubt"), of("mlp", "c", "")];
    assert.deepEqual([emulated, emulated.slice(2)].map((verdicts) => isEmulated({ verdicts })), [true, false]);
    assert.deepEqual(lines(...emulated), [["mlp", "", "2 verdicts", "why: a, b"], ["mlp", "2m", "c", "why"]]);
    assert.deepEqual(lines(of("tlb", "d", "unavailable"), of("array", "e", "", "ok"), of("tlb", "f", "unavailable"), of("tlb", "g", "no-walk", "skip", "other")),
        [["array", "2m", "e", "why"], ["tlb", "", "2 verdicts", "why: d, f"], ["tlb", "2m", "g", "other"]]);
});
