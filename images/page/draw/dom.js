/* dom: elements made from text only; what comes out of a file is never read as HTML. */

/**
 * An element. Attributes with an undefined value are left out; a child is a node, a text, or nothing.
 * @param {string} name
 * @param {Object<string, string|number|boolean|Function|undefined>} attributes  `on...`: a listener
 * @param {...(Node|string|number|null|undefined|Array)} children
 */
export function el(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === false)
            continue;
        if (key.startsWith("on"))
            element.addEventListener(key.slice(2), value);
        else
            element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
}

const STATUSES = new Set(["ok", "doubt", "skip", "error"]);

/** A verdict's status, by word and colour; a word that is none of ours has no colour. */
export function statusWord(status) {
    return el("span", { class: STATUSES.has(status) ? `status ${status}` : "status" }, status);
}

/** A button that hands a text to the user as a file. */
export function downloadButton(label, name, type, text) {
    return el("button", { type: "button", onclick: () => save(name, type, text()) }, label);
}

function save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    URL.revokeObjectURL(url);
}

/**
 * Choices of which one holds: a row of them, or a list to open where they are many; works by mouse, touch
 * and arrow keys.
 * @param {string} label  what is chosen
 * @param {string[]} choices
 * @param {string} chosen
 * @param {(choice: string) => void} choose
 * @param {(choice: string) => string} [wordsOf]  what is shown in a choice's place, which is its title then
 */
export function chooser(label, choices, chosen, choose, wordsOf = (choice) => choice) {
    const titleOf = (choice) => (wordsOf(choice) === choice ? undefined : choice);
    const name = `choice-${++choosers}`;
    if (choices.length > ROW_MAX || choices.map(wordsOf).join("").length > ROW_TEXT_MAX)
        return el("label", { class: "chooser" }, el("span", { class: "legend" }, label),
            el("select", { onchange: (event) => choose(event.target.value) }, choices.map((choice) =>
                el("option", { value: choice, selected: choice === chosen, title: titleOf(choice) }, wordsOf(choice)))));
    return el("fieldset", { class: "chooser" }, el("legend", {}, label),
        choices.map((choice) => el("label", { title: titleOf(choice) },
            el("input", { type: "radio", name, value: choice, checked: choice === chosen,
                onchange: () => choose(choice) }), el("span", {}, wordsOf(choice)))));
}
const ROW_MAX = 12, ROW_TEXT_MAX = 120; // choices; characters of all
let choosers = 0;
