// Lets Node import a table as its text, as esbuild does for the page; usage: node --import ./tests/page/tables.mjs --test ...
import { register } from "node:module";

const hooks = `import { readFile } from "node:fs/promises";
export const load = async (url, context, next) => (url.endsWith(".csv") ?
    { format: "module", shortCircuit: true, source: "export default " + JSON.stringify(await readFile(new URL(url), "utf8")) } : next(url, context));`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
