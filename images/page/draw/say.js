/* say: a verdict as a sentence. */
import { valueText } from "./bars.js";
import { el, statusWord } from "./dom.js";

/** A value inside a sentence: it, its status, and why where that is not ok. */
export function told(text, { status, method }) {
    return [el("strong", {}, text), " ", statusWord(status), status === "ok" ? "" : el("span", { class: "why" }, ` (${method})`)];
}

function parts(lead, verdict) {
    return [`${lead}: `, el("strong", {}, valueText(verdict, verdict.unit)), " ", statusWord(verdict.status), " "];
}

/** How a value was found: what is not ok says why at once, the rest when asked. */
export function how({ status, method }) {
    return status === "ok" ? el("details", { class: "how" }, el("summary", {}, "how"), method) :
        el("span", { class: "why" }, method);
}

/** "lead: value (interval) status", and how; nothing where there is no such verdict. */
export function say(lead, verdict) {
    return verdict === undefined ? [] : [el("div", { class: "answer" }, parts(lead, verdict), how(verdict))];
}

/** Several verdicts of one run in a line, without the reasons. */
export function sayShort(title, said) {
    return el("p", { class: "answer" }, `${title}. `,
        said.filter(([, verdict]) => verdict !== undefined).map(([lead, verdict]) => parts(lead, verdict)));
}
