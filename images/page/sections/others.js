/* others: the experiments that have no part of their own: their verdicts as bars. */
import { verdictWords } from "../data/answers.js";
import { unique } from "../draw/choices.js";
import { sectionOf, verdictBars } from "../draw/section.js";

const part = (page, experiment) => verdictBars(page, `Verdicts of ${experiment}`, page.runs.flatMap((run) => run.verdicts
    .filter((one) => one.experiment === experiment && one.value !== null).map((verdict) => ({ run, verdict, label: verdictWords(verdict) }))));

/** Returns the section for all experiments that these sections do not show. */
export function othersOf(sections) {
    const shown = new Set(sections.flatMap(({ experiments = [] }) => experiments));
    const parts = (page) => unique(page.runs.flatMap((run) => [...run.byCase.keys()]))
        .filter((experiment) => !shown.has(experiment)).flatMap((experiment) => part(page, experiment));
    return sectionOf({ id: "others", title: "Other experiments", experiments: [], parts: [parts] });
}
