// How quiet it was: the noise report's words and reasons, and what rows of noise say.
import assert from "node:assert/strict";
import test from "node:test";
import { duration, noiseReportLines } from "../../images/page/data/quiet.js";
import { wordsOf as table } from "../../images/page/data/words.js";

const IMAGE = {
    obtained_by: "x", interrupts: "off", seconds_observed: 2, gap_threshold_ns: 40, max_gap_ns: 310, gaps_over_1us_per_second: 0,
    smi_during_run: 0, frequency_drift_percent: 0.1, frequency_drift_reach: 0.2, frequency_steady: true,
    tsc_second_clock: "ACPI PM timer", tsc_difference_ppm: -12.5, tsc_agrees: true,
    siblings: "1, of which 1 asleep in MWAIT", core_shared_percent: 0, prefetch: "as found: 4 of 4 on", turbo: "off; the core ran at 1.00 times its nominal rate",
};
const LINUX = {
    obtained_by: "x", interrupts: "on", interrupts_why: "a process cannot", seconds_observed: 10, gap_threshold_ns: 40, max_gap_ns: 4188807.8,
    gaps_over_1us_per_second: 1088.7, smi_during_run: null, frequency_drift_percent: 3, frequency_drift_reach: 1, frequency_steady: false,
    tsc_second_clock: "none", tsc_not_checked: "no other clock", tsc_difference_ppm: null, tsc_agrees: null, siblings: "as Linux schedules them", core_shared_percent: 9.4,
    prefetch: "as Linux left it", turbo: "as Linux left it",
};
const wordsOf = (certificate) => Object.fromEntries(noiseReportLines({ json: { certificate } }).map(({ name, word }) => [name, word]));

test("the image on a quiet machine: all is good", () => {
    assert.deepEqual(new Set(Object.values(wordsOf(IMAGE))), new Set(["good"]));
});

test("a Linux process: each line says what and why", () => {
    assert.deepEqual(wordsOf(LINUX), {
        "interrupts": "not good", "gaps": "not good", "system management": "not known", "frequency": "not good", "core shared": "not good",
        "sibling threads": "not good", "prefetchers": "not known", "turbo": "not known", "clocks": "not known",
    });
    const why = noiseReportLines({ json: { certificate: LINUX } }).map((line) => line.why);
    assert.match(why[0], /a process cannot/);
    assert.match(why[1], /4\.19 ms/);
    assert.match(why[8], /no other clock/);
});

test("each line has its effect on the results, but for the settings, and each effect has its line", () => {
    const lines = noiseReportLines({ json: { certificate: IMAGE } }), affected = lines.filter(({ means }) => means).map(({ name }) => name);
    assert.deepEqual(lines.map(({ name }) => name).filter((name) => !affected.includes(name)), ["prefetchers", "turbo"]);
    assert.deepEqual([...table("effect").keys()], affected);
});

test("words as the kernel judged, and where nothing is known", () => {
    const word = (change, name) => wordsOf({ ...IMAGE, ...change })[name];
    assert.equal(word({ smi_during_run: 3 }, "system management"), "not good");
    assert.equal(word({ frequency_steady: null }, "frequency"), "not known");
    assert.equal(word({ frequency_drift_percent: null, frequency_steady: null }, "frequency"), "not known");
    assert.equal(word({ tsc_agrees: false }, "clocks"), "not good");
    assert.equal(word({ tsc_agrees: undefined }, "clocks"), "not known"); // a run of an older version
    assert.equal(word({ siblings: "1, of which 0 asleep in MWAIT; one: did not come back" }, "sibling threads"), "not good");
    assert.equal(word({ siblings: "there are none" }, "sibling threads"), "good");
    assert.equal(word({ core_shared_percent: null }, "core shared"), "not known");
    assert.equal(word({ gaps_over_1us_per_second: null }, "gaps"), "not known");
    for (const prefetch of ["this hypervisor hides the register", "as found", "off; refused: L1 stride", undefined])
        assert.equal(word({ prefetch }, "prefetchers"), "not known", prefetch);
    assert.equal(word({ prefetch: "as found: 3 of 4 on" }, "prefetchers"), "not good");
    assert.equal(word({ turbo: "as found; the core ran at 1.20 times its nominal rate" }, "turbo"), "good");
    assert.equal(word({ turbo: "as found; the core's rate is not known: no APERF" }, "turbo"), "not known");
});

test("interrupts do not apply to a model", () => {
    const [line] = noiseReportLines({ json: { platform: "model", certificate: { ...LINUX } } });
    assert.deepEqual([line.name, line.word], ["interrupts", "does not apply"]);
});

test("without a noise report that is said", () => {
    assert.deepEqual(noiseReportLines({ json: {} }), []);
});

test("durations have the unit that suits them", () => {
    assert.deepEqual([0, 10, 1000, 4188807.8, 2e9].map(duration), ["0 ns", "10 ns", "1 µs", "4.19 ms", "2 s"]);
});
