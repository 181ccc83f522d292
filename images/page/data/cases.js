/* cases: reads and describes the names of cases and fillers, which kernel/data/case.c writes. */
import { namer } from "./words.js";

const TAIL = /^(.+?)(?:-(idle|busy|loading))?(?:-core(\d+))?(-shared)?$/;

/** Splits a case's name; `plain` is the name without sibling, core and state. */
export function readCase(name) {
    const [, plain, sibling, core, shared] = TAIL.exec(name) ?? ["", name];
    return { plain, sibling, core, isShared: shared !== undefined };
}

export const nameCase = ({ plain, sibling, core, isShared }) =>
    [plain, sibling, core === undefined ? undefined : `core${core}`, isShared ? "shared" : undefined]
        .filter((part) => part !== undefined).join("-");

export const hasWord = (name, ...words) => name.split("-").some((word) => words.includes(word));

const describeWord = namer("case");
export const PAGE_BYTES = { "4k": 2 ** 12, "2m": 2 ** 21, "1g": 2 ** 30 };

const COUNTED = [[/^(node|core)(\d+)$/, "$1 $2"], [/^cores1$/, "1 other core"], [/^cores(\d+)$/, "$1 other cores"]];

/** Returns the word of the page size in a case's name; undefined: it has none. */
export const pagesOf = (name) => name.split("-").find((word) => Object.hasOwn(PAGE_BYTES, word));

export const withoutPages = (name) => name.split("-").filter((word) => word !== pagesOf(name)).join("-");

/** Describes a case: "2m-nopf-node1" -> "2 MB pages, prefetchers off, node 1"; labels stay as they are. */
export function describeCase(name) {
    const all = name.split("-"), page = Math.max(0, all.indexOf(pagesOf(name)));
    const [patterns, rest] = [all.slice(0, page), all.slice(page)];
    const counted = (word) => COUNTED.reduce((text, [pattern, words]) => text.replace(pattern, words), word);
    return [...patterns.map(describePattern), ...rest.map((word) => describeWord(counted(word)))].join(", ");
}

/** Describes a word before the page size: "onthefly" -> "indices made on the fly". */
export const describePattern = namer("pattern");

/** Describes a filler, the instructions between two loads. */
export const describeFiller = namer("filler");

/** Returns a case's name with another state of the TLB, by default that of the TLB's own course. */
export function withTlb(name, tlb = "") {
    const pages = pagesOf(name), plain = name.replace(new RegExp(`${pages}-(warm|cold|walkmem)(?=-|$)`), pages);
    return tlb ? plain.replace(pages, `${pages}-${tlb}`) : plain;
}
