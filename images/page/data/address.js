/* address: keeps the user's choices in the page's address, so that a link shows what the user saw. */

/** Reads "#latency?unit=cycles&mlp.state=shared": the anchor, and the choices that differ from those at the start. */
export function readAddress(hash) {
    const [anchor, query = ""] = hash.replace(/^#/, "").split("?");
    const { unit, ...choices } = Object.fromEntries(new URLSearchParams(query));
    return { anchor: decodeURIComponent(anchor), unit, choices };
}

/** Returns the address of an anchor with the user's choices; `start`: the unit that the page starts with. */
export function addressOf({ unit, choices }, anchor, start) {
    const query = new URLSearchParams(Object.entries({ unit: unit === start ? "" : unit, ...choices }).filter(([, value]) => value)).toString();
    return `#${anchor}${query && `?${query}`}`;
}
