/* shuffle: the gain of a shuffle that makes the indices of its swaps some time ahead. */
import { bytes } from "../data/format.js";
import { swapCurve } from "../data/points.js";
import { unique } from "../draw/choices.js";
import { rowsOf } from "../data/run.js";
import { sectionOf } from "../draw/section.js";

const STAGED = "staged-", PLAIN = "plain-";

/** Returns how much longer a swap takes without stages, in percent, by the stage; a line a size, the largest first. */
function gains(rows, run, name) {
    const plain = rowsOf(run, "shuffle", name.replace(STAGED, PLAIN), "tsc");
    const sizes = unique(rows.filter((row) => row.metric === "tsc" && row.stage > 0).map((row) => row.bytes)).sort((a, b) => b - a);
    return sizes.map((size, hue) => {
        const without = new Map(swapCurve(plain, size).map(({ x, y }) => [x, y]));
        return { label: bytes(size), hue, points: swapCurve(rows, size).filter(({ x }) => without.get(x) > 0)
            .map(({ x, y }) => ({ x, y: 100 * (without.get(x) / y - 1) })) };
    });
}

const gain = {
    key: "gain", experiment: "shuffle", before: STAGED, title: "How much longer a swap takes without stages", lines: gains,
    x: { label: "stage: swaps whose indices are made ahead", log: 2 }, y: { label: "% longer without stages", unit: "%", isTime: false },
    says: ["staged_gain", "best_stage", "swap_ticks"],
    note: "A shuffle swaps each element with another one at random. In stages: the places of the next few swaps are found first, then " +
        "these swaps are done, so that more of them may wait for memory at the same time. Below zero the stages lose.",
    more: () => ({ levels: [{ y: 0, label: "no difference" }] }),
};

export const shuffle = sectionOf({ id: "shuffle", title: "Staged shuffle", experiments: ["shuffle"], parts: [gain] });
