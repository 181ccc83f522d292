/* compare: compares two runs verdict by verdict, by the rule of `mlpboot compare`. */
import { wholeReasonOf } from "./advice.js";
import { MAIN } from "./answers.js";
import { TIME_UNITS, inUnit } from "./format.js";
import { groupsOf, hasValue, keyOf, parseCsv, verdictOf } from "./run.js";
import conditionsText from "../conditions.csv";

const MARGIN = 0.05; // what differs by less than this is the same
const ROUNDING = 0.0015; // two numbers with three decimals, as in verdicts.csv, may be 0.001 apart and be one number
const SAME_RATE = 1e-3; // two measured rates of one counter are nearer
const SAME_UNCORE = 0.1; // the uncore's clock moves by a step or two from run to run
const OPEN = "cannot be told apart";

const hasInterval = ({ value, low, high }) => value !== null && low !== null && high !== null && low <= value && value <= high;

const canCompare = (a, b) => a.status === "ok" && b.status === "ok" && hasInterval(a) && hasInterval(b);

/**
 * Applies the rule that images/tool/mlpboot/comparison.py explains; tests/data/comparisons.csv keeps both equal.
 * @param {number} comparisons  the number made at once: all of them hold in 95 % of all pairs of runs
 * @returns `difference`: b less a, with its interval; null: not known; `ratio`: see ratioOf()
 */
export function compareValues(a, b, comparisons) {
    const difference = a.value === null || b.value === null ? null : b.value - a.value;
    if (!canCompare(a, b))
        return { outcome: OPEN, difference, low: null, high: null, ratio: ratioOf(a, b, null) };
    const wider = Math.sqrt(2 * Math.log(comparisons / 0.05)) / 1.96;
    const low = difference - wider * Math.hypot(b.value - b.low, a.high - a.value);
    const high = difference + wider * Math.hypot(b.high - b.value, a.value - a.low);
    const margin = MARGIN * Math.min(Math.abs(a.value), Math.abs(b.value));
    const isDifferent = low > ROUNDING || high < -ROUNDING;
    const isSame = !isDifferent && low >= -margin && high <= margin;
    return { outcome: isDifferent ? "different" : isSame ? "same" : OPEN, difference, low, high, ratio: ratioOf(a, b, wider, isDifferent) };
}

/**
 * Returns b / a, the interval of all r for which the difference of b and r * a may be 0 (`high` may be infinite), which
 * excludes 1 only if a and b are different; without `wider` no interval; null: a value is unknown, or not positive.
 */
function ratioOf({ value: a, ...endsA }, { value: b, ...endsB }, wider, isDifferent) {
    if (!(a > 0) || !(b > 0))
        return null;
    if (wider === null)
        return { value: b / a, low: null, high: null };
    const sum = (x, y) => a * b + Math.sqrt(Math.max(0, (a * y) ** 2 + (b * x) ** 2 - (x * y) ** 2)); // x, y: errors of a, b
    const [up, down] = [endsA.high - a, a - endsA.low].map((one) => wider * one), [less, more] = [b - endsB.low, endsB.high - b].map((one) => wider * one);
    const low = less < b ? (b ** 2 - less ** 2) / sum(up, less) : 0, high = down < a ? sum(down, more) / (a ** 2 - down ** 2) : Infinity;
    return { value: b / a, low: isDifferent ? low : Math.min(low, 1), high: isDifferent ? high : Math.max(high, 1) };
}

/** Returns the wanted unit if both runs know it, else ticks. Ticks of different lengths cannot be compared: then ns. */
export function timeUnit(a, b, wanted) {
    const knowBoth = (unit) => TIME_UNITS[unit](a) !== null && TIME_UNITS[unit](b) !== null;
    if (wanted !== "ticks" && knowBoth(wanted))
        return wanted;
    return knowBoth("ns") && areApart(a.json.tsc_hz, b.json.tsc_hz, SAME_RATE) ? "ns" : "ticks";
}

const isTwice = ({ name }) => /^(ns_per_access|l[12]_latency_cycles)$/.test(name); // in other units these are compared, too

/** True if a time is compared in core cycles: the core's clock, which is a condition, sets the times of its own caches. */
const isInCycles = ({ name, experiment, case: caseName }, runs) => /^l[12]_latency$/.test(name) && runs.every((run) =>
    TIME_UNITS.cycles(run) !== null || hasValue(verdictOf(run, experiment, caseName, `${name}_cycles`)));

/** Pairs verdicts of one name and case, then those whose cases differ only in words that the configuration adds. */
function pairsOf(a, b) {
    const pairs = new Map();
    for (const nameOf of [(run, verdict) => keyOf(verdict), plainKey]) {
        const taken = new Set(pairs.values());
        const free = new Map(groupsOf(b.verdicts.filter((one) => !taken.has(one)), (one) => nameOf(b, one)));
        for (const of of a.verdicts.filter((one) => !pairs.has(one) && !isTwice(one))) {
            const other = free.get(nameOf(a, of))?.shift();
            if (other !== undefined)
                pairs.set(of, other);
        }
    }
    return a.verdicts.filter((of) => pairs.has(of)).map((of) => [of, pairs.get(of)]);
}

/** Returns a verdict's key without the user's label and without the word for prefetchers that were off. */
export function plainKey(run, verdict) {
    const label = run.json.configuration?.case || "nopf";
    const plain = `-${verdict.case}-`.replace(`-${label}-`, "-").replace("-nopf-", "-").slice(1, -1);
    return keyOf({ ...verdict, case: plain });
}

/**
 * Compares each verdict that both runs have, in the order of a's file. `of` is a's verdict as in its file; `a`, `b` and
 * `difference`, with its interval `low` to `high`, are in `unit`; `reason`: why it is open, else ""; `comparisons`: how many.
 * @param {"ticks"|"ns"|"cycles"} wanted  the unit of times, where both know it
 */
export function compareRuns(a, b, wanted) {
    const usual = timeUnit(a, b, wanted);
    const both = pairsOf(a, b).map(([of, other]) => {
        const units = [of.unit, other.unit].filter(Boolean); // a skipped verdict may have no unit
        const inTime = units.length > 0 && units.every((one) => one === "ticks"), unit = isInCycles(of, [a, b]) ? "cycles" : usual;
        return {
            key: keyOf(of), of, otherCase: other.case, unit: inTime ? unit : units[0] ?? "", otherUnit: other.unit,
            isOneUnit: units.every((one) => one === units[0]), a: inTime ? inUnit(of, unit, a) : of, b: inTime ? inUnit(other, unit, b) : other,
        };
    });
    const comparisons = both.filter((one) => one.isOneUnit && canCompare(one.a, one.b)).length;
    return both.map((one) => ({ ...one, ...outcomeOf(one, comparisons), comparisons }));
}

function outcomeOf({ isOneUnit, unit, otherUnit, a, b }, comparisons) {
    if (!isOneUnit)
        return { outcome: OPEN, difference: null, low: null, high: null, ratio: null, reason: whyOpen(a, b, `in ${unit} and in ${otherUnit}`) };
    const result = compareValues(a, b, comparisons);
    return { ...result, reason: result.outcome === OPEN ? whyOpen(a, b, "may be the same, may be 5 % apart") : "" };
}

function whyOpen(a, b, otherwise) {
    const bad = [a, b].find((one) => one.status !== "ok");
    if (bad)
        return `${[a, b].map((one) => one.status).join(" and ")}: ${wholeReasonOf(bad)}`;
    return hasInterval(a) && hasInterval(b) ? otherwise : "without an interval";
}

const SIZES = "structures", SETUP = ["floor", "noise"]; // experiments: sizes of the core, and measuring itself
const OF_OTHERS = ["rob_cliff_k", "nops_in_flight"]; // counts of NOPs, several of which may share an entry
const [OF_SIZES, OF_THE_REST, LAST] = [0, 1, 2].map((one) => MAIN.length + one);

/** Returns a figure's place: answers, sizes, the rest; last those of measuring itself, and counts of NOPs. */
export function placeOf({ name, experiment }) {
    if (SETUP.includes(experiment) || OF_OTHERS.includes(name))
        return LAST;
    return MAIN.includes(name) ? MAIN.indexOf(name) : experiment === SIZES ? OF_SIZES : OF_THE_REST;
}

/** Returns the verdicts that differ: the main figures first, then by how far they are apart. */
export function apartOf(verdicts) {
    const size = ({ ratio }) => Math.abs(Math.log(ratio?.value ?? 1));
    return verdicts.filter((one) => one.outcome === "different").sort((a, b) => placeOf(a.of) - placeOf(b.of) || size(b) - size(a));
}

/**
 * Members of run.json that describe a run's conditions, the most important first, and those that do not affect
 * measurements; a dot at the end means all that begin so. The data tool reads the same table.
 */
const ROWS = parseCsv(conditionsText), WORDS = new Map(ROWS.map(([path, , words]) => [path, words]));
const [CONDITIONS, OF_NO_MATTER] = ["yes", "no"].map((word) => ROWS.filter(([, matters]) => matters === word).map(([path]) => path));

const placeAmong = (list, path) => list.findIndex((one) => (one.endsWith(".") ? path.startsWith(one) : path === one));

/** Returns a condition in words: "BIOS version" for machine.bios.version. */
export function conditionWords(path) {
    const key = CONDITIONS[placeAmong(CONDITIONS, path)], rest = path.slice(key.length).replace(/[._]/g, " ");
    return [WORDS.get(key), key.endsWith(".") ? rest : ""].filter(Boolean).join(" ");
}

/** Adds the path and text of each member of run.json that has a value to `members`. */
function membersOf(value, path, members) {
    if (value !== null && typeof value === "object")
        for (const [name, member] of Object.entries(value))
            membersOf(member, path === "" ? name : `${path}.${name}`, members);
    else if (value !== null && value !== "")
        members.set(path, String(value));
    return members;
}

/** Returns the conditions that the first run reports and another run reports differently: a text for each run. */
export function conditionsApart(runs) {
    const members = runs.map((run) => membersOf(oneCore(run.json), "", new Map()));
    return [...members[0].keys()]
        .filter((path) => placeAmong(CONDITIONS, path) >= 0 && placeAmong(OF_NO_MATTER, path) < 0)
        .map((path) => ({ path, texts: members.map((one) => one.get(path)) }))
        .filter(({ path, texts }) => texts.some((text) => text !== undefined && isOther(path, texts[0], text)))
        .sort((one, other) => placeAmong(CONDITIONS, one.path) - placeAmong(CONDITIONS, other.path));
}

/**
 * True if both runs are of one machine under the same conditions, as far as they report them. Differences between such
 * runs are the scatter of that machine from run to run.
 */
export function arePeers(a, b) {
    const [one, other] = [a, b].map((run) => run.json.machine?.id);
    return Boolean(one) && one === other && conditionsApart([a, b]).length === 0;
}

/** Returns run.json with its only core named `core`, without a number, so that it is compared with any other core. */
function oneCore(json) {
    const cores = Object.entries(json.machine?.cores ?? {});
    const only = cores.filter(([name]) => name.startsWith("core_"));
    return only.length === 1 ? { ...json, machine: { ...json.machine, cores: { core: only[0][1] } } } : json;
}

const areApart = (a, b, same) => Math.abs(a - b) > same * Math.min(a, b);

const isOther = (path, a, b) => (path === "tsc_hz" ? areApart(a, b, SAME_RATE)
    : path.startsWith("uncore.most_mhz.") ? areApart(a, b, SAME_UNCORE) : a !== b);
