// A fleet: which runs a choice of a machine brings.
import assert from "node:assert/strict";
import test from "node:test";
import { chosenRuns, fleetOf } from "../../images/page/data/fleet.js";

const group = (typical, isSmall, ...names) => ({ typical, too_small: isSmall, rows: names.map((name) => ({ name })) });
const fleet = [group("m", false, "a", "m", "x"), group(null, false, "b", "c"), group(null, true, "d", "e")];
const pieces = ["m", "a", "b", "d", "e"].map((run, i) => ({ textContent: JSON.stringify({ run, file: "run.json", how: "replace", text: `{"seconds":${i}}` }) }));
const chosen = (name) => chosenRuns({ fleet, choices: { "fleet.row": name } }, { querySelectorAll: () => pieces }).map((run) => run.name);

test("a machine comes with the typical one of its group, one of a small group with all of them", () => {
    assert.deepEqual([chosen("a"), chosen("m"), chosen("b"), chosen("e")], [["m", "a"], ["m"], ["b"], ["d", "e"]]);
    assert.deepEqual([chosen(undefined), chosen("nobody")], [[], []]);
});

test("a page of few runs has no fleet, nor one that was cut off in it", () => {
    const page = (textContent) => ({ querySelector: () => textContent === undefined ? null : { textContent } });
    assert.deepEqual(fleetOf(page('{"groups":[]}')), []);
    assert.deepEqual([fleetOf(page()), fleetOf(page('{"groups":[{'))], [null, null]);
});
