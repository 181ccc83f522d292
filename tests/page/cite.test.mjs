// What a paper has to say of a run: captions, BibTeX, rows of LaTeX; texts of files cannot leave their places.
import assert from "node:assert/strict";
import test from "node:test";
import { bibtexOf, captionOf, csvOf, latexOf } from "../../images/page/data/cite.js";
import { readRun } from "../../images/page/data/run.js";

const VERDICTS = `experiment,case,name,value,low,high,unit,status,reason,method
mlp,2m,rob_entries,320,318,322,entries,ok,,how
array,2m,l1_bytes,32768,32768,49152,bytes,ok,,how
array,2m,l1_latency,10,9,11,ticks,doubt,scatter,how
`;

function runOf(members = {}) {
    const run = readRun("0007", new Map([["run.json", JSON.stringify({
        program: "mlpboot", version: "1.0", platform: "efi", tsc_hz: 2e9, processor: { vendor: "AuthenticAMD", brand: "AMD EPYC 9354  " },
        machine: { id: "0123456789abcdef", utc_start: "2026-11-22T11:29:13Z", cores: { core_1: { microcode: "0xa101148" } } },
        certificate: { prefetch: "as found: 4 of 4 on" }, ...members })], ["verdicts.csv", VERDICTS], ["results.csv", ""]]));
    return { ...run, title: "0007" };
}

const pageOf = (...runs) => ({ runs, unit: "ns", published: [] });
const WHO = "AMD EPYC 9354, measured without an operating system, microcode 0xa101148, prefetchers as found: 4 of 4 on; mlpboot 1.0";

test("a caption names the case, the machine and its conditions, the samples, and what a band and a strip are", () => {
    const chart = { title: "Two loads: 2 MB pages", series: [{ samples: [30, 400], low: [1] }], marks: [{ x: 320, low: 318, high: 322 }] };
    assert.equal(captionOf(pageOf(runOf()), chart), `Two loads: 2 MB pages. ${WHO}. 30 to 400 samples a point. ` +
        "Band: first to last decile of the samples. Strip: interval of the answer.");
    assert.equal(captionOf(pageOf(runOf()), { title: "Bare", series: [{ samples: [9] }], levels: [{ y: 1, isPublished: true }] }),
        `Bare. ${WHO}. 9 samples a point. Dotted: published by others.`);
});

test("several runs are named where they differ, and unknown facts are said to be so", () => {
    const other = { ...runOf({ certificate: {}, machine: {}, version: undefined }), title: "second" };
    const caption = captionOf(pageOf(runOf(), other), { title: "Two", series: [] });
    assert.ok(caption.startsWith(`Two. 0007: ${WHO}. second: AMD EPYC 9354, `) &&
        caption.endsWith("microcode not known, prefetchers not known; mlpboot of unknown version."));
    assert.equal(captionOf(pageOf(runOf(), runOf()), { title: "Two", series: [] }), `Two. ${WHO}.`);
});

test("an answer is a row of LaTeX over two columns: name, value, interval, unit, case, status", () => {
    const text = latexOf(pageOf(runOf()));
    assert.ok(text.startsWith("\\begin{table*}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}\n\\caption{0007: AMD EPYC 9354, ") && text.endsWith("\\end{table*}\n"));
    for (const row of ["Reorder buffer (ROB) & 320 & 318 to 322 & entries & 2 MB pages & ok",
        "L1 cache & 32 KB & 32 KB to 48 KB &  & 2 MB pages & ok", "L1 cache, latency & 5 & 4.5 to 5.5 & ns & 2 MB pages & doubt"])
        assert.ok(text.includes(`\n${row} \\\\\n`), text);
});

test("in LaTeX an exact answer and one whose interval is not known look different", () => {
    const run = runOf(), [first] = run.verdicts;
    Object.assign(first, { low: 320, high: 320 });
    assert.ok(latexOf(pageOf(run)).includes("& 320 & measured exactly & entries"));
    Object.assign(first, { low: null, high: null });
    assert.ok(latexOf(pageOf(run)).includes("& 320 & interval not known & entries"));
});

test("a reference has the version, the machine and the date", () => {
    const text = bibtexOf(pageOf(runOf()));
    assert.ok(text.startsWith("@misc{mlpboot-01234567-2026-11-22,\n  title = {{Microarchitecture of AMD EPYC 9354, measured by mlpboot}},\n"));
    for (const part of ["year = {{2026}}", "howpublished = {{mlpboot 1.0, run 0007}}", "machine 0123456789abcdef; 2026-11-22 11:29 UTC"])
        assert.ok(text.includes(part), part);
});

test("what an emulator measured is no row, and where it was measured is said", () => {
    const run = runOf({ hypervisor: { name: "QEMU TCG (emulated)" } }), [first] = run.verdicts;
    Object.assign(first, { status: "skip", reason: "emulated" });
    assert.ok(latexOf(pageOf(run)).includes("\nReorder buffer (ROB) &  &  & entries & 2 MB pages & skip \\\\\n"));
    assert.ok(captionOf(pageOf(run), { title: "One", series: [] }).includes(", emulated, "));
    assert.ok(bibtexOf(pageOf(runOf({ hypervisor: { name: "KVM" } }))).includes("in a virtual machine (KVM)"));
});

test("references of several runs of one machine and day have keys of their own", () => {
    const keys = bibtexOf(pageOf(runOf(), { ...runOf(), title: "0008" })).match(/@misc\{[^,]+/g);
    assert.equal(new Set(keys).size, 2);
});

test("texts of files do not leave a comment, a field or an entry", () => {
    const hostile = { ...runOf({ version: "1}\n\\input{x} 100 % ~^_&#$", machine: { id: "a}b c" } }), title: "a\n\\end{tabular}" };
    assert.ok(latexOf(pageOf(hostile)).includes("\\caption{a \\textbackslash{}end\\textbraceleft{}tabular\\textbraceright{}: AMD"));
    const text = bibtexOf(pageOf(hostile));
    assert.ok(text.startsWith("@misc{mlpboot-a-b-c-undated,"));
    assert.ok(text.includes("mlpboot 1\\textbraceright{} \\textbackslash{}input\\textbraceleft{}x\\textbraceright{} 100 \\% \\textasciitilde{}" +
        "\\textasciicircum{}\\_\\&\\#\\$, run a \\textbackslash{}end"));
    assert.equal(csvOf([["=1+1", "-x", -3, "a\rb"]]), `'=1+1,'-x,-3,"a\rb"\n`); // no formulas
    assert.equal(csvOf([["a,b", 'say "x"', null], [1, undefined, "two\nlines"]]), '"a,b","say ""x""",\n1,,"two\nlines"\n');
});
