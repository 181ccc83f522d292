// Cases: names are taken apart and put together again; lines can be told apart.
import assert from "node:assert/strict";
import test from "node:test";
import { describeCase, describeFiller, hasWord, nameCase, readCase } from "../../images/page/data/cases.js";
import { casesToChoose, chooseCase, statesOf } from "../../images/page/draw/choices.js";

test("a name is taken apart, and put together again", () => {
    assert.deepEqual(readCase("2m-nopf-node1-core12-shared"),
        { plain: "2m-nopf-node1", sibling: undefined, core: "12", isShared: true });
    assert.deepEqual(readCase("waiting-load-loading-core3"),
        { plain: "waiting-load", sibling: "loading", core: "3", isShared: false });
    for (const name of ["2m", "4k-warm-busy", "nop-idle-core3-shared", "shared", "idle", "", "core1", "a\nb-shared"])
        assert.equal(nameCase(readCase(name)), name);
});

test("words tell what was varied; labels stay", () => {
    assert.equal(describeCase("2m-nopf-node1"), "2 MB pages, prefetchers off, node 1");
    assert.equal(describeCase("4k-cores1"), "4 KB pages, 1 other core");
    assert.equal(describeCase("4k-cores12"), "4 KB pages, 12 other cores");
    assert.equal(describeCase("4k-constructor-<b>"), "4 KB pages, constructor, <b>");
    assert.ok(hasWord("2m-dependent-shared", "dependent") && !hasWord("2m-independent", "dependent"));
});

test("a filler that is not known goes by its name", () => {
    assert.equal(describeFiller("store"), "stores");
    assert.equal(describeFiller("toString"), "toString");
});

const pageOf = (...titles) => ({ runs: titles.map((title) => ({ title })), choices: {} });
const all = () => true;

const drawn = (...titles) => ({ ...pageOf(...titles), choices: { "core shared": "drawn" } });

test("of one run each state has a colour of its own, of several each run", () => {
    assert.deepEqual(statesOf(drawn("a"), { plain: "2m" }, all).map(({ label, color }) => [label, color]),
        [["whole core", 0], ["core shared", 1]]);
    assert.deepEqual(statesOf(drawn("a", "b"), { plain: "2m" }, all).map(({ label, color }) => [label, color]),
        [["a", 0], ["a, core shared", 0], ["b", 1], ["b, core shared", 1]]);
});

test("the shared core is drawn if the reader wants it, or there is no other", () => {
    assert.deepEqual(statesOf(pageOf("a"), { plain: "2m" }, all).map(({ name }) => name), ["2m"]);
    assert.deepEqual(statesOf(pageOf("a"), { plain: "2m" }, (_, name) => name.endsWith("-shared")).map(({ name }) => name), ["2m-shared"]);
});

test("the bar's pages and core are those of all charts that have them", () => {
    const of = (choices, ...names) => chooseCase({ runs: [{}], choices }, "x", names), cases = ["2m", "4k", "4k-core3", "4k-core5"];
    assert.deepEqual([of({}, ...cases), of({ pages: "4k", core: "5" }, ...cases), of({ pages: "1g", core: "9" }, ...cases)].map(({ plain, core }) => [plain, core]),
        [["2m", undefined], ["4k", "5"], ["2m", undefined]]);
});

test("of several runs the case that most of them have comes first", () => {
    const read = ["2m-base", "2m-base-shared", "4k", "2m", "2m"].map(readCase);
    assert.deepEqual(casesToChoose(pageOf("a", "b"), read), ["2m", "2m-base", "4k"]);
    assert.deepEqual(casesToChoose(pageOf("a"), read), ["2m-base", "4k", "2m"]);
});

test("there are never more lines than can be told apart", () => {
    const page = drawn(..."abcdefghijkl");
    assert.equal(statesOf(page, { plain: "2m" }, all).length, 8);
    assert.deepEqual(statesOf(page, { plain: "2m" }, (run) => run.title === "l").map(({ label }) => label),
        ["l", "l, core shared"]);
    assert.equal(statesOf(pageOf("a", "b"), { plain: "2m" }, (run, name) => run.title === "b" && name === "2m").length, 1);
});
