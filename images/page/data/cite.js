/* cite: what a paper has to say of a run: the caption of a figure, a reference (BibTeX), and answers as a table (LaTeX). */
import { ANSWERS, answersOf, besideOf, caseWords, shownIn } from "./answers.js";
import { labelOf } from "./figures.js";
import { certainty, distinct, interval, number, quantity } from "./format.js";
import { uarchOf } from "./published.js";
import { howMeasured, isEmulated, processorOf, startOf } from "./run.js";

/** Returns "AMD EPYC 9354 (Zen 4)". */
function machineOf(table, run) {
    const uarch = uarchOf(table, run);
    return `${run.json.processor?.brand?.trim() || processorOf(run) || "processor not known"}${uarch && ` (${uarch})`}`;
}

/** Returns the microcode of the cores that measured; "": it is not known. */
export const microcodeOf = ({ json: { machine } }) => distinct(Object.values(machine?.cores ?? {}).map((core) => core?.microcode)).join(", ");

/** Returns a run's machine and conditions: "AMD EPYC 9354 (Zen 4), microcode 0xa101148, prefetchers as found: 4 of 4 on; mlpboot 1.0". */
export function conditionsOf(table, run) {
    const { hypervisor, certificate, version } = run.json;
    const facts = [machineOf(table, run), howMeasured(run),
        isEmulated(run) ? "emulated" : hypervisor?.name && `in a virtual machine (${hypervisor.name})`,
        `microcode ${microcodeOf(run) || "not known"}`, `prefetchers ${certificate?.prefetch ?? "not known"}`];
    return `${facts.filter(Boolean).join(", ")}; mlpboot ${version ?? "of unknown version"}`;
}

const oneLine = (text) => text.replace(/\s+/g, " ");

/** Returns the caption of a chart: its case, machines and conditions, the number of samples, and the meaning of bands and strips. */
export function captionOf(page, { title, series, marks = [], levels = [], band, runs = page.runs }) {
    const conditions = runs.map((run) => conditionsOf(page.published, run)), isOne = distinct(conditions).length === 1;
    const samples = series.flatMap((one) => one.samples ?? []), [least, most] = [Math.min(...samples), Math.max(...samples)];
    const has = (test) => [...marks, ...levels].some(test);
    return oneLine([
        title, isOne ? conditions[0] : conditions.map((words, i) => `${runs[i].title}: ${words}`).join(". "),
        samples.length > 0 && `${least < most ? `${number(least)} to ` : ""}${number(most)} samples a point`,
        series.some(({ low }) => low) && (band ?? "Band: first to last decile of the samples"),
        has(({ low, high, isPublished }) => !isPublished && low < high) && "Strip: interval of the answer",
        has(({ isPublished }) => isPublished) && "Dotted: published by others",
    ].filter(Boolean).join(". ")).concat(".");
}

/** Returns lines of fields as CSV (RFC 4180); an unknown number is an empty field. */
export function csvOf(lines) {
    const plain = (field) => (/^[=+@\t\r]|^-(?![\d.])/.test(field) ? `'${field}` : field); // no formula of a spreadsheet
    const quoted = (field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
    return lines.map((fields) => `${fields.map((field) => quoted(plain(String(field ?? "")))).join(",")}\n`).join("");
}

// BibTeX counts braces behind backslashes, too.
const TEX = { "{": "\\textbraceleft{}", "}": "\\textbraceright{}", "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "µ": "\\textmu{}" };

const tex = (text) => oneLine(text).replace(/[\\~^µ&%$#_{}]/g, (one) => TEX[one] ?? `\\${one}`);

/** Returns the rows of a run's answers and of the figures beside them: name, value, interval, unit, case, status. */
function rowsOf(page, run) {
    const row = (label, found) => {
        const verdict = shownIn(page, run, found), isSize = verdict.unit === "bytes"; // 32 KB to 1 MB
        const { text, unit } = quantity(verdict.value, verdict.unit, page, run, verdict);
        return [label, verdict.value === null ? "" : isSize ? `${text} ${unit}` : text, interval(verdict, page, run) || certainty(page, run, verdict), isSize ? "" : unit,
            caseWords(found), verdict.status];
    };
    return ANSWERS.flatMap((answer) => answersOf([run], answer).filter(Boolean).flatMap((verdict) => {
        const beside = besideOf(run, answer, verdict);
        return [row(answer.title, verdict), ...(beside ? [row(labelOf(beside.name), beside)] : [])];
    }));
}

/** Returns the runs' answers as tables for LaTeX, over both columns of a page, each with machine and conditions as its caption. */
export const latexOf = (page) => page.runs.map((run) => ["\\begin{table*}", "\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}",
    `\\caption{${tex(`${run.title}: ${conditionsOf(page.published, run)}`)}}`, "\\begin{tabular}{lrrlll}", "\\hline",
    "Name & Value & Interval & Unit & Case & Status \\\\", "\\hline", ...rowsOf(page, run).map((fields) => `${fields.map(tex).join(" & ")} \\\\`),
    "\\hline", "\\end{tabular}", "\\end{table*}", ""].join("\n")).join("\n");

/** Returns an entry of BibTeX for each run: its program, version, machine and time; in twice the braces BibTeX keeps capitals and names. */
export const bibtexOf = (page) => page.runs.map((run) => {
    const { machine, version, run: id = run.name } = run.json, start = startOf(run), part = machine?.id?.slice(0, 8) ?? id;
    const fields = { title: `Microarchitecture of ${machineOf(page.published, run)}, measured by mlpboot`,
        author: "mlpboot", year: start?.slice(0, 4), howpublished: `mlpboot ${version ?? ""}, run ${run.title}`,
        note: [machine?.id && `machine ${machine.id}`, start && `${start} UTC`, conditionsOf(page.published, run)].filter(Boolean).join("; ") };
    const lines = Object.entries(fields).filter(([, value]) => value).map(([name, value]) => `  ${name} = {{${tex(value)}}},`);
    return [`@misc{mlpboot-${`${part}-${start?.slice(0, 10) ?? "undated"}${page.runs.length > 1 ? `-${run.title}` : ""}`.replace(/[^\w-]+/g, "-")},`, ...lines, "}", ""].join("\n");
}).join("\n");
