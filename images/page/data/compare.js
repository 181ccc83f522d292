/* compare: whether two runs' verdicts are the same; the rule of `mlpboot compare`. */
import { TIME_UNITS, scaled } from "./format.js";
import { keyOf } from "./run.js";
import { groupsOf } from "./runs.js";

/* What differs by less than this is the same. */
const MARGIN = 0.05;

/* Two numbers with three decimals, as in verdicts.csv, may be 0.001 apart and be one number. */
const ROUNDING = 0.0015;

/* Two measured rates of one counter are nearer. */
const SAME_RATE = 1e-3;

/** @typedef {{value: number|null, low: number|null, high: number|null, status: string}} Compared */

/** Whether the value lies in an interval, both ends of which are known. */
function hasInterval({ value, low, high }) {
    return value !== null && low !== null && high !== null && low <= value && value <= high;
}

/** Whether they can be compared: both are `ok` and have an interval. */
export function canCompare(a, b) {
    return a.status === "ok" && b.status === "ok" && hasInterval(a) && hasInterval(b);
}

/**
 * The rule of images/tool/mlpboot/comparison.py, where it is explained; tests/data/comparisons.csv keeps both equal.
 * @param {Compared} a
 * @param {Compared} b
 * @param {number} comparisons  how many are made at once: all of them hold in 95 % of all pairs of runs
 * @returns {{outcome: "same"|"different"|"cannot be told apart", difference: number|null, low: number|null,
 *     high: number|null}}  b less a, with its interval; null: not known
 */
export function compareValues(a, b, comparisons) {
    const difference = a.value === null || b.value === null ? null : b.value - a.value;
    if (!canCompare(a, b))
        return { outcome: "cannot be told apart", difference, low: null, high: null };
    const wider = Math.sqrt(2 * Math.log(comparisons / 0.05)) / 1.96;
    const low = difference - wider * Math.hypot(b.value - b.low, a.high - a.value);
    const high = difference + wider * Math.hypot(b.high - b.value, a.value - a.low);
    const margin = MARGIN * Math.min(Math.abs(a.value), Math.abs(b.value));
    const isDifferent = low > ROUNDING || high < -ROUNDING;
    const isSame = !isDifferent && low >= -margin && high <= margin;
    return { outcome: isDifferent ? "different" : isSame ? "same" : "cannot be told apart", difference, low, high };
}

/** Ticks of counters of different rates are no unit: nanoseconds are, and cycles where both know them. */
function timeUnit(a, b, wanted) {
    const knowBoth = (unit) => TIME_UNITS[unit](a) !== null && TIME_UNITS[unit](b) !== null;
    if (wanted !== "ticks" && knowBoth(wanted))
        return wanted;
    const [rateA, rateB] = [a.json.tsc_hz, b.json.tsc_hz];
    return knowBoth("ns") && Math.abs(rateA - rateB) > SAME_RATE * Math.min(rateA, rateB) ? "ns" : "ticks";
}

/**
 * @typedef {Object} ComparedVerdict
 * @property {string} key   keyOf() of both
 * @property {Object} of    run a's verdict, as in its file
 * @property {string} otherCase  the name of b's case: the configuration may add to it
 * @property {Compared} a   in `unit`
 * @property {Compared} b
 * @property {string} unit
 * @property {string} outcome
 * @property {number|null} difference  b less a, in `unit`; `low` and `high` are its interval
 * @property {(number|null)[]} percent  difference, low and high in percent of a's value
 * @property {string} reason  why they cannot be told apart; else ""
 */

/** Verdicts of one name, and of one case; or else but for what the configuration alone adds to a case's name. */
function pairsOf(a, b) {
    const pairs = new Map(), taken = new Set();
    for (const nameOf of [(run, verdict) => keyOf(verdict), plainKey]) {
        const free = new Map(groupsOf(b.verdicts.filter((one) => !taken.has(one)), (one) => nameOf(b, one)));
        for (const of of a.verdicts.filter((one) => !pairs.has(one))) {
            const other = free.get(nameOf(a, of))?.shift();
            if (other === undefined)
                continue;
            pairs.set(of, other);
            taken.add(other);
        }
    }
    return a.verdicts.filter((of) => pairs.has(of)).map((of) => [of, pairs.get(of)]);
}

/** Without the user's own label, and without that prefetchers were off. */
function plainKey(run, verdict) {
    const label = run.json.configuration?.case || "nopf";
    const plain = `-${verdict.case}-`.replace(`-${label}-`, "-").replace("-nopf-", "-").slice(1, -1);
    return keyOf({ ...verdict, case: plain });
}

/**
 * Every verdict that both runs have, in the order of a's file.
 * @param {"ticks"|"ns"|"cycles"} wanted  the unit of times, where both know it
 * @returns {ComparedVerdict[]}
 */
export function compareRuns(a, b, wanted) {
    const unit = timeUnit(a, b, wanted);
    const both = pairsOf(a, b).map(([of, other]) => {
        const units = [of.unit, other.unit].filter(Boolean); // what was skipped may have none
        const inTime = units.length > 0 && units.every((one) => one === "ticks");
        const factor = (run) => (inTime ? TIME_UNITS[unit](run) : 1);
        return {
            key: keyOf(of), of, otherCase: other.case, unit: inTime ? unit : units[0] ?? "",
            isOneUnit: units.every((one) => one === units[0]), otherUnit: other.unit,
            a: scaled(of, factor(a)), b: scaled(other, factor(b)),
        };
    });
    const comparisons = both.filter((one) => one.isOneUnit && canCompare(one.a, one.b)).length;
    return both.map((one) => decided(one, comparisons));
}

function decided(one, comparisons) {
    const { unit, otherUnit, a, b } = one;
    if (!one.isOneUnit)
        return { ...one, outcome: "cannot be told apart", difference: null, low: null, high: null,
            percent: [null, null, null], reason: reasonOf(a, b, `in ${unit} and in ${otherUnit}`) };
    const result = compareValues(a, b, comparisons);
    const { difference, low, high } = result;
    const percent = [difference, low, high].map((number) =>
        (number === null || a.value === 0 ? null : 100 * number / Math.abs(a.value)));
    return { ...one, ...result, percent, reason: result.outcome === "cannot be told apart" ?
        reasonOf(a, b, "may be the same, may be 5 % apart") : "" };
}

/** Why they cannot be told apart, with the method of what is not ok. */
function reasonOf(a, b, otherwise) {
    const bad = [a, b].find((one) => one.status !== "ok");
    if (bad)
        return `${[a, b].map((one) => one.status).join(" and ")}: ${bad.method}`;
    return hasInterval(a) && hasInterval(b) ? otherwise : "without an interval";
}

/**
 * Members of run.json that say under what conditions a run was made, those that matter most first; with a dot
 * at the end, all that begin so. Those of images/tool/mlpboot/conditions.py; a test keeps them equal.
 */
export const CONDITIONS = [
    "version", "platform", "processor.", "machine.cores.", "machine.bios.", "certificate.prefetch", "certificate.turbo",
    "configuration.", "certificate.interrupts", "certificate.other_processors", "certificate.siblings",
    "hypervisor.name", "firmware.", "linux.kernel", "linux.cpu", "linux.smt", "linux.isolated_cpus",
    "linux.clocksource", "linux.transparent_hugepage", "linux.huge_pages_from", "linux.numa_balancing", "numa.nodes",
    "model.", "tsc_hz", "machine.id", "machine.system.", "machine.board.", "machine.processors.", "machine.memory.",
];

/** Of these, what changes nothing that is measured. */
export const OF_NO_MATTER = [
    "configuration.label", "configuration.case", "configuration.seed", "configuration.finish", "configuration.finish.seconds",
    "configuration.hang.seconds", "configuration.runs", "configuration.resume", "configuration.selftest",
    "configuration.identity",
];

function placeAmong(list, path) {
    return list.findIndex((one) => (one.endsWith(".") ? path.startsWith(one) : path === one));
}

/** Paths and texts of run.json's members; those without a value are not told. */
function membersOf(value, path, members) {
    if (value !== null && typeof value === "object")
        for (const [name, member] of Object.entries(value))
            membersOf(member, path === "" ? name : `${path}.${name}`, members);
    else if (value !== null && value !== "")
        members.set(path, String(value));
    return members;
}

/**
 * What several runs all tell, and not all alike, such as versions, settings and microcode.
 * @param {import("./run.js").Run[]} runs
 * @returns {{path: string, texts: string[]}[]}  a text for each run
 */
export function conditionsApart(runs) {
    const members = runs.map((run) => membersOf(oneCore(run.json), "", new Map()));
    return [...members[0].keys()]
        .filter((path) => placeAmong(CONDITIONS, path) >= 0 && placeAmong(OF_NO_MATTER, path) < 0)
        .map((path) => ({ path, texts: members.map((one) => one.get(path)) }))
        .filter(({ path, texts }) => texts.some((text) => text !== undefined && isOther(path, texts[0], text)))
        .sort((one, other) => placeAmong(CONDITIONS, one.path) - placeAmong(CONDITIONS, other.path));
}

/**
 * Whether both are of one machine under the same conditions, as far as they tell. What is then apart all the same
 * is how far that machine scatters from run to run.
 */
export function arePeers(a, b) {
    const [one, other] = [a, b].map((run) => run.json.machine?.id);
    return Boolean(one) && one === other && conditionsApart([a, b]).length === 0;
}

/** The one core that measured has no number in its name: any other core is compared with it. */
function oneCore(json) {
    const cores = Object.entries(json.machine?.cores ?? {});
    const only = cores.filter(([name]) => name.startsWith("core_"));
    return only.length === 1 ? { ...json, machine: { ...json.machine, cores: { core: only[0][1] } } } : json;
}

function isOther(path, a, b) {
    return path === "tsc_hz" ? Math.abs(a - b) > SAME_RATE * Math.min(a, b) : a !== b;
}
