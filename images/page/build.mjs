// build: makes the page's template, one file, from what lies beside this; usage: build.mjs MODULES OUT
import { readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseCsv } from "./data/run.js";

const LIMIT = 220_000; // bytes: it is copied into every folder of results

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, "x"))("esbuild");

// Writes "=" in place of a field that the line above has, too: published.csv repeats most of them.
function withDittos(text) {
    const quoted = (field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
    return parseCsv(text).map((fields, i, all) => fields.map((field, f) => (field && field === all[i - 1]?.[f] ? "=" : quoted(field))).join(",")).join("\n");
}

const dittos = { name: "dittos", setup: ({ onLoad }) => onLoad({ filter: /(published|references)\.csv$/ }, ({ path }) =>
    ({ loader: "text", contents: withDittos(readFileSync(path, "utf8")) })) };

async function bundle(entry) {
    const { outputFiles } = await esbuild.build({
        entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: "iife",
        target: "es2020", charset: "utf8", legalComments: "inline", nodePaths: [modules],
        loader: { ".csv": "text" }, plugins: [dittos],
    });
    return outputFiles[0].text.trim();
}

// Returns the licences of all bundled packages, in the packages' own words: copies of them have to hold these.
function notices() {
    const { packages } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
    const held = Object.entries(packages).filter(([path, { dev }]) => path && !dev)
        .map(([path, { version }]) => ({ name: path.replace("node_modules/", ""), version }));
    const terms = new Map();
    for (const { name, version } of held) {
        const text = readFileSync(join(modules, name, "LICENSE"), "utf8").trim();
        terms.set(text, [...terms.get(text) ?? [], `${name} ${version}`]);
    }
    const texts = [...terms].map(([own, names]) => `${names.join(", ")}\n\n${own}\n`);
    const text = `\nA part of mlpboot, whose licence is MIT. It holds ${texts.join("\n")}`;
    if (text.includes("--"))
        throw new Error("a licence would end the comment that it is in");
    return text;
}

// Puts the script's checksum into the page's policy: browsers run no other script, whatever else gets into the page.
function allowScript(text) {
    const script = /<script>(.*)<\/script>/s.exec(text)[1];
    return text.replace("SCRIPT_HASH", () => `sha256-${createHash("sha256").update(script).digest("base64")}`);
}

// "</script" cannot occur in the output of esbuild, which escapes it.
const [script, style] = await Promise.all([bundle("main.js"), bundle("style.css")]);
const text = allowScript(readFileSync(join(here, "page.html"), "utf8")
    .replace("NOTICES", notices).replace("/*STYLE*/", () => style).replace("/*SCRIPT*/", () => script));
if (Buffer.byteLength(text) > LIMIT)
    throw new Error(`the page has ${Buffer.byteLength(text)} bytes; ${LIMIT} at most`);
writeFileSync(out, text);
