// Text can be read in both themes: a contrast of 4.5 to 1 at least (WCAG 2.1, 1.4.3).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const css = readFileSync(new URL("../../images/page/page.css", import.meta.url), "utf8");

function colorsOf(selector) {
    const block = css.slice(css.indexOf(`${selector} {`)).split("}")[0];
    return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)]
        .map(([, name, value]) => [name, value]));
}

/** Relative luminance, WCAG 2.1. */
function luminance(hex) {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

for (const [theme, selector] of [["light", ":root"], ["dark", ':root[data-theme="dark"]']])
    test(`text stands out from what is behind it, ${theme}`, () => {
        const colors = colorsOf(selector);
        for (const text of ["text", "dim", "accent", "ok", "doubt", "skip", "error"])
            for (const behind of ["paper", "raised"])
                assert.ok(contrast(colors[text], colors[behind]) >= 4.5,
                    `${text} on ${behind}: ${contrast(colors[text], colors[behind]).toFixed(2)}`);
        for (let i = 0; i < 8; i++) // lines: WCAG 2.1, 1.4.11
            assert.ok(contrast(colors[`series-${i}`], colors.paper) >= 3, `series-${i}`);
    });
