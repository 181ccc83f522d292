// The address says what was chosen, and gives it back.
import assert from "node:assert/strict";
import test from "node:test";
import { addressOf, readAddress } from "../../images/page/data/address.js";

test("what was chosen comes back from the address; what the page starts with is not in it", () => {
    const page = { unit: "cycles", choices: { theme: "dark", "mlp-loads.case": "4k-nopf", "verdicts.text": "a & b", "rob.x": "" } };
    const address = addressOf(page, "latency-chain", "ns");
    assert.deepEqual(readAddress(address), { anchor: "latency-chain", unit: "cycles",
        choices: { theme: "dark", "mlp-loads.case": "4k-nopf", "verdicts.text": "a & b" } });
    assert.equal(addressOf({ unit: "ns", choices: {} }, "", "ns"), "#");
    assert.deepEqual(readAddress("#rob"), { anchor: "rob", unit: undefined, choices: {} });
    assert.deepEqual(readAddress(""), { anchor: "", unit: undefined, choices: {} });
});
