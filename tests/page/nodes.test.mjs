// Memory nodes: who measured what, from names and run.json; shades of a matrix.
import assert from "node:assert/strict";
import test from "node:test";
import { shadesOf } from "../../images/page/draw/matrix.js";
import { QUANTITIES, extraOf, firmwareNodes, placesOf } from "../../images/page/data/nodes.js";
import { readRun } from "../../images/page/data/run.js";

const VERDICTS = "experiment,case,name,value,low,high,unit,status,reason,method\n";
const ROWS = "experiment,case,n,k,metric,samples,center,p10,p90\n";

function runOf(verdicts, rows = "", numa = { own: 0, numbers: "0 1", node_0: { distances: "10 21" }, node_1: { distances: "21 10" } }) {
    return readRun("1", new Map([["verdicts.csv", VERDICTS + verdicts], ["results.csv", ROWS + rows], ["run.json", JSON.stringify({ numa })]]));
}

const LOADS = "numa,4k,one_load,290,286,294,ticks,ok,,x\nnuma,4k-node1,one_load,440,433,447,ticks,ok,,x\n" +
    "numa,4k-node1,node_one_load_extra,150,149,151,ticks,ok,,x\n";

test("the case without a node is that of our own", () => {
    const places = placesOf(runOf(LOADS));
    assert.deepEqual(places.map(({ target, node, core, rest }) => [target, node, core, rest]), [[0, null, null, "4k"], [1, 1, null, "4k"]]);
    assert.equal(QUANTITIES[0].of(places[1]).value, 440);
    assert.equal(extraOf(places[1], QUANTITIES[0]).value, 150);
    assert.equal(extraOf(places[0], QUANTITIES[0]), undefined);
});

test("ten loads are those with the smallest K", () => {
    const rows = "numa,4k,10,32,tsc,9,900,890,910\nnuma,4k,10,0,tsc,9,830,820,840\nnuma,4k,1,0,tsc,9,290,280,300\n";
    const [own, far] = placesOf(runOf(LOADS, rows));
    assert.equal(QUANTITIES[1].of(own).value, 830);
    assert.ok(QUANTITIES[1].of(own).low < 830);
    assert.equal(QUANTITIES[1].of(far), null);
});

test("with core = all nobody says which node a core is on", () => {
    const places = placesOf(runOf("numa,4k-core2,one_load,1,1,1,ticks,ok,,x\nnuma,4k-node1-core2,one_load,2,2,2,ticks,ok,,x\n"));
    assert.deepEqual(places.map(({ target, core, rest }) => [target, core, rest]), [[null, 2, "4k"], [1, 2, "4k"]]);
});

test("one node, or nodes that were skipped, give no places; mlp with node = all does", () => {
    assert.deepEqual(placesOf(runOf("numa,2m-remote,one_load,,,,ticks,skip,unavailable,one node\nmlp,2m,one_load,200,1,2,ticks,ok,,x\n")), []);
    assert.equal(placesOf(runOf(LOADS.replaceAll("numa,", "mlp,"))).length, 2);
});

test("the firmware's distances are by number, whatever their order", () => {
    const nodes = firmwareNodes(runOf("", "", { numbers: "2 0", node_2: { distances: "10 31" }, node_0: { distances: "30 10" } }));
    assert.equal(nodes[0].distances.get(0), 31);
    assert.equal(nodes[1].distances.get(2), 30);
    assert.deepEqual(firmwareNodes(runOf("", "", {})), []);
});

test("shades go from the least to the most; equal values are all light", () => {
    assert.deepEqual(shadesOf([[1, 3], [2, null]]), [[6, 46], [26, null]]);
    assert.deepEqual(shadesOf([[5, 5]]), [[6, 6]]);
});
