/* cases: reads and describes the names of cases and fillers, which kernel/data/case.c writes. */

const TAIL = /^(.+?)(?:-(idle|busy|loading))?(?:-core(\d+))?(-shared)?$/;

const WORDS = {
    "4k": "4 KB pages", "2m": "2 MB pages", "1g": "1 GB pages",
    warm: "TLB warm", cold: "TLB cold", walkmem: "page tables in memory",
    nopf: "prefetchers off", remote: "memory of another node",
    prefetch: "prefetches", store: "stores", nt: "stores past the caches",
    cpuid: "ordered by CPUID", dependent: "loads that wait for each other",
    idle: "sibling asleep", busy: "sibling on NOPs", loading: "sibling loading", shared: "core shared",
};

/** Splits a case's name; `plain` is the name without sibling, core and state. */
export function readCase(name) {
    const [, plain, sibling, core, shared] = TAIL.exec(name) ?? ["", name];
    return { plain, sibling, core, isShared: shared !== undefined };
}

export function nameCase({ plain, sibling, core, isShared }) {
    return [plain, sibling, core === undefined ? undefined : `core${core}`, isShared ? "shared" : undefined]
        .filter((part) => part !== undefined).join("-");
}

export const hasWord = (name, ...words) => name.split("-").some((word) => words.includes(word));

const named = (names) => (name) => (Object.hasOwn(names, name) ? names[name] : name);

// The words before the page size describe how a case goes through an array.
const PATTERNS = {
    chain: "a chain of loads", staged: "in stages", plain: "without stages",
    precomputed: "indices made before", onthefly: "indices made on the fly",
};
const describeWord = named(WORDS);
const PAGES = ["4k", "2m", "1g"];

const COUNTED = [[/^(node|core)(\d+)$/, "$1 $2"], [/^cores1$/, "1 other core"], [/^cores(\d+)$/, "$1 other cores"]];

/** Describes a case: "2m-nopf-node1" -> "2 MB pages, prefetchers off, node 1"; labels stay as they are. */
export function describeCase(name) {
    const all = name.split("-"), page = all.findIndex((word) => PAGES.includes(word));
    const [patterns, rest] = [all.slice(0, Math.max(page, 0)), all.slice(Math.max(page, 0))];
    const counted = (word) => COUNTED.reduce((text, [pattern, words]) => text.replace(pattern, words), word);
    return [...patterns.map(describePattern), ...rest.map((word) => describeWord(counted(word)))].join(", ");
}

/** Describes a word before the page size: "onthefly" -> "indices made on the fly". */
export const describePattern = named(PATTERNS);

// The fillers between two loads. Long NOPs have 8 bytes in runs of older versions, 9 in others.
const FILLERS = {
    "nop": "1-byte NOPs", "long-nop": "long NOPs", "zero": "zeroed registers",
    "add": "additions", "vector": "vector additions",
    "load": "loads that hit", "line-load": "loads of the missing line",
    "waiting-load": "loads that wait for the first load", "store": "stores",
    "waiting": "additions that wait for the first load", "multiply": "multiplications that wait for the first load",
};

export const describeFiller = named(FILLERS);

/** Returns the words of a case's name around its page size, `rest` with its dash; null: the name has no page size. */
export function partsOf(name) {
    const parts = /^(?:(.+?)-)?(4k|2m|1g)(?:-(warm|cold|walkmem))?(-.*)?$/.exec(name);
    return parts && { pattern: parts[1] ?? "", page: parts[2], tlb: parts[3] ?? "natural", rest: parts[4] ?? "" };
}

export function withTlb(name, tlb) {
    const { pattern, page, rest } = partsOf(name);
    return `${pattern && `${pattern}-`}${page}${tlb === "natural" ? "" : `-${tlb}`}${rest}`;
}

export const PAGE_BYTES = { "4k": 2 ** 12, "2m": 2 ** 21, "1g": 2 ** 30 };
