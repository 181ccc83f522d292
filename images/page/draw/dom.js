/* dom: makes elements from text only; contents of files are never read as HTML. */

/** Makes an element. Attributes without a value are left out, `on...` is a listener; children: nodes, texts, lists. */
export const el = (name, attributes, ...children) => filled(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) =>
    filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function filled(element, attributes = {}, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false)
            continue;
        if (key.startsWith("on"))
            element.addEventListener(key.slice(2), value);
        else
            element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
}

/** Fills an element anew; its details stay open, and its part with the focus keeps the focus. */
export function refill(element, ...content) {
    const find = (selector) => [...element.querySelectorAll(selector)], focusable = "a, button, input, select, summary, [tabindex]";
    const focused = find(focusable).indexOf(document.activeElement), wasOpen = find("details").map(({ open }) => open);
    element.replaceChildren(...content);
    const details = find("details");
    if (details.length === wasOpen.length)
        details.forEach((one, i) => { one.open = wasOpen[i]; });
    find(focusable)[focused]?.focus({ preventScroll: true });
}

export const STATUSES = ["ok", "doubt", "skip", "error"];

/** Returns a verdict's status, by word and colour; an unknown word has no colour. `why`: shown at the pointer. */
export const statusWord = (status, why) =>
    el("span", { class: STATUSES.includes(status) ? `status ${status}` : "status", title: why || undefined }, status);

/** Returns a table in a box that scrolls if it is too wide; `heads`: texts or cells, or null. */
export function wideTable(label, kind, heads, rows, isTall) {
    const cells = heads?.map((head) => (typeof head === "string" ? el("th", { scope: "col" }, head) : head));
    return el("div", { class: isTall ? "wide tall" : "wide", tabindex: 0, role: "region", "aria-label": label },
        el("table", { class: kind }, cells && el("thead", {}, el("tr", {}, cells)), rows.append ? rows : el("tbody", {}, rows)));
}

export const button = (label, onclick) => el("button", { type: "button", onclick }, label);

export const option = (value, chosen, words = value, title) => el("option", { value, selected: value === chosen, title }, words);

export const select = (label, options, choose) =>
    el("label", {}, label, el("select", { onchange: ({ target }) => choose(target.value) }, options));

export function save(name, content) {
    const url = URL.createObjectURL(new Blob([content]));
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    URL.revokeObjectURL(url);
}

/**
 * Lets the user choose one of several, in a row, or in a list if there are many; by mouse, touch and arrow keys.
 * `wordsOf`: the words that are shown for a choice, which then is the title.
 */
export function chooser(label, choices, chosen, choose, wordsOf = (choice) => choice) {
    const titleOf = (choice) => (wordsOf(choice) === choice ? undefined : choice);
    const name = `choice-${++choosers}`;
    if (choices.length > ROW_MAX || choices.map(wordsOf).join("").length > ROW_TEXT_MAX)
        return el("label", { class: "chooser" }, el("span", { class: "legend" }, label),
            el("select", { onchange: ({ target }) => choose(target.value) },
                choices.map((choice) => option(choice, chosen, wordsOf(choice), titleOf(choice)))));
    return el("fieldset", { class: "chooser" }, el("legend", {}, label),
        choices.map((choice) => el("label", { title: titleOf(choice) },
            el("input", { type: "radio", name, value: choice, checked: choice === chosen,
                onchange: () => choose(choice) }), el("span", {}, wordsOf(choice)))));
}
const ROW_MAX = 12, ROW_TEXT_MAX = 120; // choices; characters of all
let choosers = 0;
