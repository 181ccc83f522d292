// duckdb: runs the SQL of standard input in the current folder; prints the rows of its last statement.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { DuckDBInstance } = createRequire(process.argv[2] + "/")("@duckdb/node-api");
const connection = await (await DuckDBInstance.create()).connect();
const reader = await connection.runAndReadAll(readFileSync(0, "utf8"));
console.log(JSON.stringify(reader.getRowObjectsJson()));
