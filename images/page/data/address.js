/* address: what the user chose, in the page's address, so that a link shows what he saw. */

/** Reads "#latency?unit=cycles&mlp.state=shared": where in the page, and what is not as the page starts. */
export function readAddress(hash) {
    const [anchor, query = ""] = hash.replace(/^#/, "").split("?");
    const { unit, theme, ...choices } = Object.fromEntries(new URLSearchParams(query));
    return { anchor: decodeURIComponent(anchor), unit, theme, choices };
}

/** The opposite; `start` is the unit that the page starts with. */
export function addressOf({ unit, theme, choices }, anchor, start) {
    const chosen = { unit: unit === start ? "" : unit, theme: theme === "system" ? "" : theme, ...choices };
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
    return `#${anchor}${query && `?${query}`}`;
}
