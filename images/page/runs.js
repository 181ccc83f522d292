/* runs: those that are seen side by side: which there are, what each is called, their order. */

const FILES = ["run.json", "verdicts.csv", "results.csv"];

/** The texts of a run, to tell whether two are one; a FAT volume's run.json may end in blanks. */
function textsOf(run) {
    return JSON.stringify(FILES.map((file) => run.files.get(file)?.trimEnd() ?? ""));
}

/**
 * Runs and further ones: each has a `slot`, the lowest number that is free (its colour), and a `title` that
 * no other has. What is there already, by its texts, is not added again.
 * @param {import("./run.js").Run[]} runs
 * @param {import("./run.js").Run[]} further
 * @returns {import("./run.js").Run[]} a new array of the same objects
 */
export function withRuns(runs, further) {
    const all = [...runs], known = new Set(runs.map(textsOf));
    for (const run of further) {
        const texts = textsOf(run);
        if (known.has(texts))
            continue;
        known.add(texts);
        const taken = new Set(all.map((one) => one.slot));
        for (run.slot = 0; taken.has(run.slot); run.slot++);
        all.push(run);
    }
    entitle(all);
    return all;
}

/** Those that are left when one is taken away. */
export function withoutRun(runs, run) {
    const left = runs.filter((one) => one !== run);
    entitle(left);
    return left;
}

/** A title is the label; with its folder, where others have that label; with a number, where that is not enough. */
function entitle(runs) {
    const labels = runs.map((run) => String(run.json.label || run.name));
    const count = (label) => labels.filter((one) => one === label).length;
    const given = new Set();
    runs.forEach((run, i) => {
        const isShared = run.json.label && count(labels[i]) > 1;
        const title = isShared ? `${labels[i]} ${run.name}` : labels[i];
        run.title = title;
        for (let n = 2; given.has(run.title); n++)
            run.title = `${title} (${n})`;
        given.add(run.title);
    });
}
